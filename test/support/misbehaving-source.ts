import type { ListerWatcher } from '../../src/cache/source/list-watch.js';
import { ServerTraits } from '../../src/cache/source/server-traits.js';
import type { ListHead } from '../../src/codec/codec.js';
import type { BatchSink, Flow, WatchSink } from '../../src/codec/watch-source.js';
import { StatusError } from '../../src/meta/errors/errors.js';
import * as status from '../../src/meta/errors/status.js';
import type { ListParameters, WatchParameters } from '../../src/meta/options/parameters.js';
import { initialEventsEndAnnotation, type WireEvent } from '../../src/meta/watch-event.js';
import type { FakeClock } from '../../src/time/fake-clock.js';
import { onAbort } from '../../src/time/signals.js';
import { type Form, type Thing, thing } from './forms.js';

/** Error answers. */
export type Refusal =
  | 'refused'
  | 'reset'
  | 'busy'
  | 'internal'
  | 'unavailable'
  | 'expired'
  | 'gone'
  | 'tooLarge'
  | 'badRequest'
  | 'strange';

/** The fault of one list request. */
export interface ListFault {
  readonly delayMs: number;
  /** `stall` sends some items and then nothing more; `stale` is as old as the request allows. */
  readonly answer: 'good' | 'stale' | 'stall' | 'table' | 'noMetadata' | Refusal;
}

/** The fault of one watch. */
export interface WatchFault {
  readonly delayMs: number;
  /** The answer to the request. */
  readonly refusal: Refusal | undefined;
  /** Events before `ending`. */
  readonly after: number;
  readonly ending: 'close' | 'stall' | 'reset' | 'noStatus' | Refusal;
  /** What is sent between the events without a change. */
  readonly noise: 'none' | 'duplicates' | 'bookmarks' | 'strangers';
}

/** One change of the collection, with the object after it; a deletion has the last one. */
interface Change {
  readonly version: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: Thing;
}

/** A request that was received. */
export interface SeenRequest {
  readonly at: number;
  readonly verb: 'list' | 'watch';
  readonly options: ListParameters & WatchParameters;
}

const eventsPerTurn = 3;

/** The resourceVersion of the server before the first change. */
const firstVersion = 10;

/**
 * A collection with one scripted fault per request; requests after the last fault succeed. Its items have the form of the
 * reflector's, without bytes in between.
 */
export class MisbehavingSource<T> implements ListerWatcher<T> {
  readonly traits: ServerTraits = new ServerTraits();
  readonly supportsWatchList: boolean;
  readonly requests: SeenRequest[] = [];
  /** The resourceVersions that a client may record: of lists, bookmarks and events, initial events excluded. */
  readonly told = new Set<string>();
  readonly listFaults: ListFault[] = [];
  readonly watchFaults: WatchFault[] = [];
  /** Whether the faults repeat, as of a server that always fails. */
  forever = false;
  readonly #form: Form<T>;
  readonly #clock: FakeClock;
  readonly #pageSize: number;
  readonly #log: Change[] = [];
  readonly #open = new Set<OpenWatch<T>>();
  #version = firstVersion;
  #compacted = 0;
  #uids = 0;
  #inFlight = 0;

  constructor(
    form: Form<T>,
    clock: FakeClock,
    options: { readonly supportsWatchList: boolean; readonly pageSize: number },
  ) {
    this.#form = form;
    this.#clock = clock;
    this.supportsWatchList = options.supportsWatchList;
    this.#pageSize = options.pageSize;
  }

  /** The resourceVersion of each object, by name. */
  get contents(): Record<string, string> {
    return Object.fromEntries(
      [...this.#stateAt(this.#version)].map(([name, object]) => [name, object.metadata.resourceVersion ?? '']),
    );
  }

  /** Requests that were neither answered nor aborted. */
  get openRequests(): number {
    return this.#open.size + this.#inFlight;
  }

  // ── changes of the collection ──────────────────────────────────────────────────────────────────────────────────────

  put(name: string): void {
    const before = this.#stateAt(this.#version).get(name);
    const uid = before?.metadata.uid ?? `uid-${this.#uids++}`;
    this.#change(before === undefined ? 'ADDED' : 'MODIFIED', name, uid);
  }

  remove(name: string): void {
    const before = this.#stateAt(this.#version).get(name);
    if (before !== undefined) this.#change('DELETED', name, before.metadata.uid ?? '');
  }

  /** Raises the resourceVersion without a change of this collection, as writes to other collections do. */
  jump(by: number): void {
    this.#version += by;
  }

  compact(): void {
    this.#compacted = this.#version;
  }

  bookmark(): void {
    for (const watch of this.#open) watch.bookmark();
  }

  #change(type: Change['type'], name: string, uid: string): void {
    const version = ++this.#version;
    this.#log.push({ version, type, object: thing(name, undefined, { resourceVersion: String(version), uid }) });
    for (const watch of this.#open) watch.wake();
  }

  #stateAt(version: number): Map<string, Thing> {
    const state = new Map<string, Thing>();
    for (const { version: at, type, object } of this.#log) {
      if (at > version) break;
      if (type === 'DELETED') state.delete(object.metadata.name);
      else state.set(object.metadata.name, object);
    }
    return state;
  }

  // ── list ───────────────────────────────────────────────────────────────────────────────────────────────────────────

  list(options: ListParameters, sink: BatchSink<T>, signal: AbortSignal): Flow<ListHead> {
    this.requests.push({ at: this.#clock.monotonicNow(), verb: 'list', options });
    this.#inFlight++;
    const answer = this.#answerList(options, sink, signal).finally(() => this.#inFlight--);
    return { resume() {}, done: answer };
  }

  async #answerList(options: ListParameters, sink: BatchSink<T>, signal: AbortSignal): Promise<ListHead> {
    const { delayMs, answer } = this.#fault(this.listFaults) ?? { delayMs: 0, answer: 'good' };
    await this.#wait(delayMs, signal);
    if (
      answer !== 'good' &&
      answer !== 'stale' &&
      answer !== 'stall' &&
      answer !== 'table' &&
      answer !== 'noMetadata'
    ) {
      throw refusal(answer);
    }
    const { from, version } = this.#listed(options, answer === 'stale');
    const all = [...this.#stateAt(version).values()];
    const limit = options.limit ? Math.min(options.limit, this.#pageSize) : all.length;
    const page = all.slice(from, from + limit);
    if (page.length > 0) sink.batch(page.map((object) => this.#form.make(object)));
    if (answer === 'stall') await this.#wait(Number.POSITIVE_INFINITY, signal);
    if (answer === 'table') return { kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata: { resourceVersion: '9' } };
    if (answer === 'noMetadata') return { kind: 'ThingList', apiVersion: 'example.com/v1', metadata: undefined };
    const more = from + limit < all.length ? { continue: `${version}:${from + limit}` } : {};
    this.told.add(String(version));
    return {
      kind: 'ThingList',
      apiVersion: 'example.com/v1',
      metadata: { resourceVersion: String(version), ...more },
    };
  }

  #listed(options: ListParameters, stale: boolean): { from: number; version: number } {
    if (options.continue) {
      const [version = 0, from = 0] = options.continue.split(':').map(Number);
      if (version < this.#compacted) throw new StatusError(status.expired('the continue token is too old'));
      return { from, version };
    }
    const asked = Number(options.resourceVersion || this.#version);
    this.#checkKnown(asked);
    // A stale list is not older than the compaction, or every watch from it would be 410 Gone; nor has it resourceVersion 0,
    // from which a watch begins anywhere.
    return { from: 0, version: stale ? Math.max(asked, this.#compacted, firstVersion) : this.#version };
  }

  #checkKnown(asked: number): void {
    if (asked > this.#version)
      throw new StatusError(status.tooLargeResourceVersion(String(asked), String(this.#version)));
  }

  // ── watch ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  open(options: WatchParameters, sink: WatchSink<T>, signal: AbortSignal): Flow<void> {
    this.requests.push({ at: this.#clock.monotonicNow(), verb: 'watch', options });
    const fault = this.#fault(this.watchFaults);
    let watch: OpenWatch<T> | undefined;
    const answer = async (): Promise<void> => {
      await this.#wait(fault?.delayMs ?? 0, signal);
      if (fault?.refusal !== undefined) throw refusal(fault.refusal);
      const backlog = this.#begin(options);
      watch = new OpenWatch<T>({
        form: this.#form,
        clock: this.#clock,
        log: this.#log,
        version: () => this.#version,
        told: (version) => this.told.add(version),
        sink,
        fault,
        ...backlog,
      });
      const mine = watch;
      this.#open.add(mine);
      const undo = onAbort(signal, () => mine.end(signal.reason));
      try {
        await mine.done;
      } finally {
        undo();
        this.#open.delete(mine);
      }
    };
    this.#inFlight++;
    const done = answer().finally(() => this.#inFlight--);
    return { resume: () => watch?.resume(), done };
  }

  #begin(options: WatchParameters): { readonly initial: readonly Thing[] | undefined; readonly from: number } {
    const asked = Number(options.resourceVersion || 0);
    this.#checkKnown(asked);
    if (options.sendInitialEvents === true)
      return { initial: [...this.#stateAt(this.#version).values()], from: this.#version };
    if (asked !== 0 && asked < this.#compacted) throw new StatusError(status.expired('too old resource version'));
    return { initial: undefined, from: asked === 0 ? this.#version : asked };
  }

  #fault<F>(faults: F[]): F | undefined {
    const fault = faults.shift();
    if (this.forever && fault !== undefined) faults.push(fault);
    return fault;
  }

  async #wait(ms: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (ms === Number.POSITIVE_INFINITY) {
      await new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    } else if (ms > 0) await this.#clock.sleep(ms, { signal });
    else await this.#clock.yield();
    signal.throwIfAborted();
  }
}

interface OpenWatchOptions<T> {
  readonly form: Form<T>;
  readonly clock: FakeClock;
  readonly log: readonly Change[];
  readonly version: () => number;
  readonly told: (version: string) => void;
  readonly sink: WatchSink<T>;
  readonly fault: WatchFault | undefined;
  /** The initial events, for `sendInitialEvents`. */
  readonly initial: readonly Thing[] | undefined;
  /** Changes after this resourceVersion are sent. */
  readonly from: number;
}

class OpenWatch<T> {
  readonly done: Promise<void>;
  readonly #options: OpenWatchOptions<T>;
  /** Events before the fault. */
  #left: number;
  #initial: Thing[] | undefined;
  #at: number;
  #paused = false;
  #over = false;
  #stalled = false;
  #scheduled = false;
  #settle!: (outcome: { readonly error?: unknown }) => void;

  constructor(options: OpenWatchOptions<T>) {
    this.#options = options;
    this.#initial = options.initial === undefined ? undefined : [...options.initial];
    this.#at = options.from;
    this.#left = options.fault?.after ?? Number.POSITIVE_INFINITY;
    this.done = new Promise((resolve, reject) => {
      this.#settle = (outcome) => ('error' in outcome ? reject(outcome.error) : resolve());
    });
    this.wake();
  }

  resume(): void {
    this.#paused = false;
    this.wake();
  }

  wake(): void {
    if (this.#scheduled || this.#over) return;
    this.#scheduled = true;
    this.#options.clock.defer(() => {
      this.#scheduled = false;
      this.#serve();
    });
  }

  bookmark(): void {
    if (this.#over || this.#stalled || this.#paused || this.#initial !== undefined) return;
    if (this.#options.log.some(({ version }) => version > this.#at)) return;
    this.#at = this.#options.version();
    this.#send(this.#bookmarkEvent(this.#at));
  }

  end(error?: unknown): void {
    if (this.#over) return;
    this.#over = true;
    this.#settle(error === undefined ? {} : { error });
  }

  #serve(): void {
    for (let i = 0; i < eventsPerTurn && !this.#over && !this.#paused && !this.#stalled; i++) {
      if (this.#left-- <= 0) {
        this.#misbehave();
        return;
      }
      if (!this.#next()) {
        this.#left++;
        return;
      }
    }
    if (!this.#paused && !this.#stalled) this.wake();
  }

  /** Sends one event; returns false if there is none. */
  #next(): boolean {
    const { form, log, fault, told } = this.#options;
    if (this.#initial !== undefined) {
      const object = this.#initial.shift();
      if (object !== undefined) {
        this.#send({ type: 'ADDED', object: form.make(object) });
        return true;
      }
      this.#initial = undefined;
      this.#send(this.#bookmarkEvent(this.#at, { [initialEventsEndAnnotation]: 'true' }));
      return true;
    }
    const change = log.find(({ version }) => version > this.#at);
    if (change === undefined) return false;
    this.#at = change.version;
    told(String(change.version));
    const event = () => ({ type: change.type, object: form.make(change.object) });
    this.#send(event());
    if (fault?.noise === 'duplicates') this.#send(event());
    if (fault?.noise === 'bookmarks') this.#send(this.#bookmarkEvent(this.#at));
    if (fault?.noise === 'strangers') {
      const stranger = { ...thing('stranger', undefined, { resourceVersion: '3' }), kind: 'Stranger' };
      this.#send({ type: 'ADDED', object: form.make(stranger) });
    }
    return true;
  }

  #misbehave(): void {
    const { ending } = this.#options.fault as WatchFault;
    if (ending === 'close') this.end();
    else if (ending === 'stall') this.#stalled = true;
    else if (ending === 'reset' || ending === 'refused') this.end(refusal(ending));
    else {
      const object = ending === 'noStatus' ? { kind: 'Nothing' } : (refusal(ending) as StatusError).document;
      this.#send({ type: 'ERROR', object: object as never });
      this.end();
    }
  }

  #send(event: WireEvent<T>): void {
    if (!this.#options.sink.batch([event])) this.#paused = true;
  }

  #bookmarkEvent(version: number, annotations?: Record<string, string>): WireEvent<T> {
    this.#options.told(String(version));
    const metadata = { resourceVersion: String(version), ...(annotations !== undefined && { annotations }) };
    return { type: 'BOOKMARK', object: { apiVersion: 'example.com/v1', kind: 'Thing', metadata } };
  }
}

function refusal(what: Refusal): Error {
  switch (what) {
    case 'refused':
      return Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    case 'reset':
      return Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    case 'busy':
      return new StatusError(status.tooManyRequests('slow down', 1));
    case 'internal':
      return new StatusError(status.internal('oops'));
    case 'unavailable':
      return new StatusError(status.serviceUnavailable('not now'));
    case 'expired':
      return new StatusError(status.expired('too old resource version'));
    case 'gone':
      return new StatusError(status.gone('gone'));
    case 'tooLarge':
      return new StatusError(status.tooLargeResourceVersion('99', '1'));
    case 'badRequest':
      return new StatusError(status.badRequest('no'));
    case 'strange':
      return new StatusError({ ...status.internal('a teapot'), reason: 'Teapot' as never, code: 418 });
  }
}
