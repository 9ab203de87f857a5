import type { RecordedFailure, RecordedResource } from '../../apiserver/replay/recording.js';
import { RecordingWriter } from '../../apiserver/replay/recording-writer.js';
import { Reflector } from '../../cache/reflector/reflector.js';
import type { FailureReason } from '../../cache/reflector/reflector-errors.js';
import { ListWatch } from '../../cache/source/list-watch.js';
import type { ReflectorStore } from '../../cache/store/store.js';
import type { Client } from '../../client/client.js';
import { type Raw, rawAccessorOf } from '../../codec/raw.js';
import { asError } from '../../meta/errors/errors.js';
import { DeletedFinalStateUnknown } from '../../meta/key.js';
import { Ring } from '../../structures/ring.js';
import type { Clock, Timer } from '../../time/clock.js';
import { type SliceBudget, schedulerOf, type Task } from '../../time/scheduler.js';
import { notingFailures } from './noted-list-watch.js';
import { secretRedactor } from './redact-secret.js';

/** Takes the bytes of a recording, in order. */
export interface RecordingSink {
  append(bytes: Uint8Array): Promise<void>;
}

/** Options of a {@link Recorder}. */
export interface RecorderOptions {
  /** Its wire format has to be JSON: recordings have the bytes of the server. */
  readonly client: Client;
  readonly resources: readonly RecordedResource[];
  readonly sink: RecordingSink;
  /** Whether the values of Secrets are recorded. @default false */
  readonly secretValues?: boolean | undefined;
  /** Called when a resource has been listed for the first time. @default none */
  readonly onListed?: ((resource: RecordedResource) => void) | undefined;
  /** Called with each failure of a list or watch; the recorder goes on. */
  readonly onFailure: (resource: RecordedResource, error: Error, reason: FailureReason) => void;
}

/** What has been recorded of all resources. */
export interface RecordingTotals {
  /** Changes, and objects of lists. */
  readonly states: number;
  /** The size of the JSON that was received for them. */
  readonly jsonBytes: number;
  /** The size of the recording. */
  readonly bytes: number;
}

/** A block is cut when its entries have this size, */
const BLOCK_BYTES = 128 * 1024;
/** or this long after its first entry: what a crash can lose. */
const BLOCK_MS = 1000;
/** Watches pause while so many entries wait to be encoded, */
const MAX_QUEUED = 4096;
/** or so many bytes to be written. */
const MAX_UNWRITTEN = 8 * 1024 * 1024;

/** Writes one entry. */
type Job = () => void;

/**
 * Lists and watches resources with reflectors, and writes what they receive to a sink. Nothing is left out: when the sink is slow the
 * watches pause, so that memory is bounded by the objects and a few megabytes.
 */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #clock: Clock;
  readonly #writer: RecordingWriter;
  readonly #redact = secretRedactor();
  readonly #jobs = new Ring<Job>();
  readonly #task: Task;
  readonly #drained = new Set<() => void>();
  readonly #stopped = new AbortController();
  #cutTimer: Timer | undefined;
  #written: Promise<void> = Promise.resolve();
  #unwritten = 0;
  #failure: { readonly error: unknown } | undefined;
  #idle: (() => void) | undefined;
  #totals = { states: 0, jsonBytes: 0, bytes: 0 };
  readonly #listed = new Set<number>();

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#clock = options.client.clock;
    this.#writer = new RecordingWriter(this.#clock.now(), options.resources);
    this.#task = schedulerOf(this.#clock).add('recorder', (budget) => this.#work(budget), {
      onError: (error) => this.#fail(error),
    });
  }

  get totals(): RecordingTotals {
    return this.#totals;
  }

  /** Records until the signal aborts, and ends the recording. Rejects if the sink fails. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = (): void => this.#stopped.abort();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    this.#append(this.#writer.begin());
    const reflectors = this.#options.resources.map((resource, at) => this.#reflector(resource, at));
    await Promise.all(reflectors.map((reflector) => reflector.run(this.#stopped.signal)));
    signal.removeEventListener('abort', stop);
    if (this.#jobs.length > 0 && this.#failure === undefined) {
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
    }
    this.#cut();
    if (this.#failure === undefined) this.#append(this.#writer.end());
    await this.#written;
    this.#task.remove();
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  #reflector(recorded: RecordedResource, at: number): Reflector<Raw<unknown>> {
    const { client, onFailure } = this.#options;
    const { namespace, labelSelector, fieldSelector } = recorded;
    const listWatch = ListWatch.fromClient<unknown>(client, recorded, { namespace, labelSelector, fieldSelector });
    return new Reflector<Raw<unknown>>({
      clock: this.#clock,
      name: 'recorder',
      typeDescription: recorded.kind,
      accessor: rawAccessorOf<unknown>(),
      listWatch: notingFailures(listWatch, this.#clock, this.#stopped.signal, (failure) =>
        this.#noteFailure(at, failure),
      ),
      store: this.#store(recorded, at),
      onError: (error, { reason }) => onFailure(recorded, error, reason),
    });
  }

  /** The store of a reflector: each change becomes an entry. */
  #store(recorded: RecordedResource, at: number): ReflectorStore<Raw<unknown>> {
    const change = (type: 'ADDED' | 'MODIFIED' | 'DELETED', item: Raw<unknown>): void => {
      const time = this.#clock.now();
      this.#enqueue(() => this.#writer.change(time, at, type, this.#objectOf(recorded, item)));
    };
    const recorder = this;
    return {
      add: (item) => change('ADDED', item),
      update: (item) => change('MODIFIED', item),
      delete: (item) => {
        if (!(item instanceof DeletedFinalStateUnknown)) change('DELETED', item);
        else {
          const time = this.#clock.now();
          // The DELETED event could not be read: the recording has the last state that could.
          this.#enqueue(() => {
            const last = this.#writer.known(at, item.key);
            if (last !== undefined) this.#writer.change(time, at, 'DELETED', { ...last, key: item.key });
          });
        }
      },
      replace: (items, resourceVersion) => {
        const version = requireVersion(recorded, resourceVersion);
        const time = this.#clock.now();
        const unique = [...new Map(items.map((item) => [item.key, item])).values()];
        this.#enqueue(() => {
          this.#writer.list(time, at, version, unique.length);
          if (this.#listed.has(at)) return;
          this.#listed.add(at);
          this.#options.onListed?.(recorded);
        });
        for (const item of unique) this.#enqueue(() => this.#writer.item(at, this.#objectOf(recorded, item)));
      },
      resync: () => {},
      progress: (resourceVersion) => {
        const version = requireVersion(recorded, resourceVersion);
        const time = this.#clock.now();
        this.#enqueue(() => this.#writer.bookmark(time, at, version));
      },
      get isFull() {
        return recorder.#isFull;
      },
      onDrain: (callback) => {
        if (!this.#isFull) callback();
        else this.#drained.add(callback);
      },
    };
  }

  #noteFailure(at: number, failure: RecordedFailure): void {
    const time = this.#clock.now();
    this.#enqueue(() => this.#writer.failure(time, at, failure));
  }

  #objectOf(recorded: RecordedResource, item: Raw<unknown>): Parameters<RecordingWriter['item']>[1] {
    const { group, resource } = recorded;
    const isSecret = group === '' && resource === 'secrets';
    const json = isSecret && this.#options.secretValues !== true ? this.#redact(item.json()) : item.json();
    const bytes = Buffer.from(json);
    this.#totals.states++;
    this.#totals.jsonBytes += bytes.length;
    return { key: item.key, version: requireVersion(recorded, item.resourceVersion), bytes };
  }

  get #isFull(): boolean {
    return this.#jobs.length > MAX_QUEUED || this.#unwritten > MAX_UNWRITTEN;
  }

  #enqueue(job: Job): void {
    if (this.#failure !== undefined) return;
    this.#jobs.push(job);
    this.#task.wake();
  }

  /** Encodes entries in slices. */
  #work(budget: SliceBudget): boolean {
    while (this.#jobs.length > 0) {
      if (this.#unwritten > MAX_UNWRITTEN) return false;
      if (!budget.takeSlow()) return true;
      this.#jobs.shift()!();
      if (this.#writer.waitingBytes >= BLOCK_BYTES) this.#cut();
      else this.#cutTimer ??= this.#clock.setTimer(BLOCK_MS, () => this.#cut(), { keepAlive: false });
    }
    this.#idle?.();
    this.#drain();
    return false;
  }

  #cut(): void {
    this.#cutTimer?.cancel();
    this.#cutTimer = undefined;
    const block = this.#writer.cut();
    if (block !== undefined) this.#append(block);
  }

  #append(bytes: Uint8Array): void {
    this.#unwritten += bytes.length;
    this.#totals.bytes += bytes.length;
    this.#written = this.#written
      .then(() => (this.#failure === undefined ? this.#options.sink.append(bytes) : undefined))
      .then(
        () => {
          this.#unwritten -= bytes.length;
          if (this.#jobs.length > 0) this.#task.wake();
          else this.#drain();
        },
        (error: unknown) => this.#fail(error),
      );
  }

  #drain(): void {
    if (this.#isFull) return;
    const drained = [...this.#drained];
    this.#drained.clear();
    for (const callback of drained) callback();
  }

  /** Ends the recording: what follows would not be complete. */
  #fail(error: unknown): void {
    this.#failure ??= { error: asError(error) };
    while (this.#jobs.length > 0) this.#jobs.shift();
    this.#idle?.();
    this.#stopped.abort();
    for (const callback of this.#drained) callback();
    this.#drained.clear();
  }
}

function requireVersion({ resource }: RecordedResource, text: string): number {
  const version = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(version)) return version;
  throw new Error(`${resource} cannot be recorded: its resourceVersion is no number: ${JSON.stringify(text)}`);
}
