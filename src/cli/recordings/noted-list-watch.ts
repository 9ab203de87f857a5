import { isFailureStatus } from '../../apiserver/replay/entry-reader.js';
import type { RecordedFailure } from '../../apiserver/replay/recording.js';
import type { ListerWatcher } from '../../cache/source/list-watch.js';
import type { Flow, WatchSink } from '../../codec/watch-source.js';
import { StatusError } from '../../meta/errors/errors.js';
import type { Status } from '../../meta/errors/status.js';
import { messageOf } from '../../rest/http/request-errors.js';
import type { Clock } from '../../time/clock.js';

/** A watch that lasted this much less than its timeout still ended because of it. */
const TIMEOUT_TOLERANCE_MS = 2000;

/**
 * The same source, which reports each list that fails and each watch that ends, after what it has received. What ends because `signal`
 * aborts is not reported.
 */
export function notingFailures<T>(
  source: ListerWatcher<T>,
  clock: Clock,
  signal: AbortSignal,
  note: (failure: RecordedFailure) => void,
): ListerWatcher<T> {
  return {
    traits: source.traits,
    supportsWatchList: source.supportsWatchList,
    list(options, sink, listSignal) {
      const flow = source.list(options, sink, listSignal);
      const done = flow.done.catch((error: unknown) => {
        if (!signal.aborted) note({ of: 'list', ...causeOf(error) });
        throw error;
      });
      return withDone(flow, done);
    },
    open(options, sink, watchSignal) {
      const openedAt = clock.monotonicNow();
      let hasFailed = false;
      const noting: WatchSink<T> = {
        batch(events) {
          const hasRoom = sink.batch(events);
          const error = events.find(({ type }) => type === 'ERROR');
          if (error !== undefined && !hasFailed) {
            hasFailed = true;
            note({ of: 'watch', ...statusOf(error.object as unknown as Status) });
          }
          return hasRoom;
        },
      };
      const flow = source.open(options, noting, watchSignal);
      const end = (cause: Partial<RecordedFailure>): void => {
        if (signal.aborted || hasFailed) return;
        const restMs = (options.timeoutSeconds ?? 0) * 1000 - (clock.monotonicNow() - openedAt);
        const isTimeout = cause.status === undefined && cause.message === undefined && restMs < TIMEOUT_TOLERANCE_MS;
        note({ of: 'watch', ...cause, ...(isTimeout ? { isTimeout } : {}) });
      };
      const done = flow.done.then(
        () => end({}),
        (error: unknown) => {
          end(causeOf(error));
          throw error;
        },
      );
      return withDone(flow, done);
    },
  };
}

function withDone<R>(flow: Flow<R>, done: Promise<R>): Flow<R> {
  return {
    resume: () => flow.resume(),
    done,
    get received() {
      return flow.received;
    },
  };
}

function causeOf(error: unknown): Partial<RecordedFailure> {
  return error instanceof StatusError ? statusOf(error.document as Status) : { message: messageOf(error) };
}

/** A Status without a code cannot be sent again. */
function statusOf(status: Status): Partial<RecordedFailure> {
  if (isFailureStatus(status)) return { status };
  const { message } = status as { readonly message?: unknown };
  return { message: typeof message === 'string' ? message : 'a Status without a code' };
}
