import type { ItemEvent } from '../../cache/informer/informer-event.js';
import type { Undo } from '../../meta/undo.js';
import { channels, type InformerSource, listen } from '../../observe/channels.js';
import type { Clock } from '../../time/clock.js';
import type { HandlerStage } from '../protocol.js';
import type { CallRing, RecordedCall } from './call-ring.js';
import type { ChangeLog, RecordedChange } from './change-log.js';
import { errorText } from './error-text.js';
import { Meter, OfObjects } from './meter.js';

/** What is counted of one informer. */
export class InformerMeter extends Meter {
  relists = 0;
}

/** What is counted of one handler. */
export class HandlerMeter extends Meter {
  #callMs = -1;
  #blockedMs = -1;
  #busyMs = 0;

  call(durationMs: number, busyMs: number): void {
    if (durationMs > this.#callMs) this.#callMs = durationMs;
    if (busyMs > this.#blockedMs) this.#blockedMs = busyMs;
    this.#busyMs += busyMs;
  }

  /** The longest call, and how calls held the event loop, since the last call of this. */
  takeCalls(seconds: number): Pick<HandlerStage, 'callMs' | 'blockedMs' | 'busy'> {
    const callMs = this.#callMs < 0 ? null : this.#callMs;
    const blockedMs = this.#blockedMs < 0 ? null : this.#blockedMs;
    const busy = Math.min(1, this.#busyMs / 1000 / seconds);
    this.#callMs = -1;
    this.#blockedMs = -1;
    this.#busyMs = 0;
    return { callMs, blockedMs, busy };
  }
}

/** Counts what informers and their handlers do, and keeps the changes of their stores. */
export class InformerRecorder {
  readonly #informers = new OfObjects<InformerSource, InformerMeter>(() => new InformerMeter());
  readonly #handlers = new OfObjects<object, HandlerMeter>(() => new HandlerMeter());
  readonly #changes: ChangeLog;
  readonly #calls: CallRing;
  readonly #clock: Clock;

  constructor(changes: ChangeLog, calls: CallRing, clock: Clock) {
    this.#changes = changes;
    this.#calls = calls;
    this.#clock = clock;
  }

  informer(source: InformerSource): InformerMeter {
    return this.#informers.of(source);
  }

  /** @param subscription that of the messages of `handlerCall` */
  handler(subscription: object): HandlerMeter {
    return this.#handlers.of(subscription);
  }

  listen(): Undo[] {
    const failIf = ({ source, error }: { source: InformerSource; error?: unknown }) => {
      if (error !== undefined) this.informer(source).fail();
    };
    return [
      listen(channels.reflectorList, failIf),
      listen(channels.reflectorWatch, failIf),
      listen(channels.reflectorSkipped, failIf),
      listen(channels.reflectorRelist, ({ source }) => void this.informer(source).relists++),
      listen(channels.queueProcess, ({ source, durationMs }) => this.informer(source).delay(durationMs)),
      listen(channels.storeChange, ({ source, event }) => {
        this.informer(source).count();
        const change = event as ItemEvent<object, unknown>;
        // The objects of a first list did not change.
        if (change.type === 'add' && change.isInInitialList) return;
        change.recorded = this.#changes.add(source, change, this.#clock.now());
      }),
      listen(channels.handlerCall, ({ subscription, event, startedAt, lagMs, busyMs, durationMs, error }) => {
        const meter = this.handler(subscription);
        if (lagMs === undefined) meter.count();
        else meter.pass(lagMs);
        meter.call(durationMs, busyMs);
        if (error !== undefined) meter.fail();
        const change = (event as ItemEvent<object, unknown>).recorded as RecordedChange | undefined;
        if (change === undefined) return;
        const text = error === undefined ? undefined : errorText(error);
        const handler = subscription as RecordedCall['subscription'];
        this.#calls.add(change.number, handler, startedAt, lagMs, durationMs, text);
      }),
    ];
  }
}
