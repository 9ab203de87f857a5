import { StatusError } from '../../meta/errors/errors.js';
import { expired, type Status } from '../../meta/errors/status.js';
import { initialEventsEndAnnotation } from '../../meta/watch-event.js';
import type { Clock, Timer } from '../../time/clock.js';
import { type SliceBudget, schedulerOf, type Task } from '../../time/scheduler.js';
import { promptlyInSlices, type Steps } from '../../time/steps.js';
import { prepareRevisions } from '../resources/conversions.js';
import type { ApiResource } from '../resources/registry.js';
import type { Collection, Revision } from '../storage/storage.js';
import type { ApiResponse } from '../wire/exchange.js';
import { beginStream, writePieces } from '../wire/response-writer.js';
import { parseVersion, waitForVersion } from './list.js';
import type { ListOptions, Selection } from './options/list-options.js';
import type { Shape } from './shape/shape.js';

/** The settings of all watches of a server. */
export interface WatchSettings {
  readonly clock: Clock;
  readonly bookmarkIntervalMs: number;
}

/** A watch without timeoutSeconds ends after a random time between this and twice this. */
const DEFAULT_TIMEOUT_MS = 30 * 60_000;
/** A watch gets its last bookmark this long before its timeout. */
const LAST_BOOKMARK_MS = 2000;
const NO_EVENT: readonly Uint8Array[] = [];
/** The most changes in one batch of a watch. */
const BATCH_CHANGES = 500;
/** A batch ends with the change that exceeds this size. */
const BATCH_BYTES = 1024 * 1024;

/**
 * The watches of one collection. Each reads the collection's window of changes at a place of its own, so that nothing is
 * buffered for a slow client: its watch stays where it is, and ends when the window has moved past that place. The client
 * then resumes from its last resourceVersion, or gets 410 Gone.
 */
export class WatchHub {
  readonly #collection: Collection;
  readonly #watches = new Set<WatchResponse>();
  readonly #task: Task;
  #unsubscribe: (() => void) | undefined;
  /** Watches that have not been served in the present round. */
  #round: Iterator<WatchResponse> | undefined;
  /** Lines put together for one watch, for others that are at the same place and select everything. */
  #shared: { readonly from: number; readonly to: number; readonly bytes: Uint8Array } | undefined;

  constructor(collection: Collection, clock: Clock) {
    this.#collection = collection;
    this.#task = schedulerOf(clock).add(`watches of ${collection.id}`, (budget) => this.#serve(budget));
  }

  get size(): number {
    return this.#watches.size;
  }

  add(watch: WatchResponse): void {
    this.#watches.add(watch);
    this.#unsubscribe ??= this.#collection.onPublish(() => this.wake());
    this.wake();
  }

  remove(watch: WatchResponse): void {
    this.#watches.delete(watch);
    if (this.#watches.size > 0) return;
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    this.#round = undefined;
    this.#shared = undefined;
  }

  /** Has every watch send its changes in the next slice. */
  wake(): void {
    this.#task.wake();
  }

  /** Ends every watch. */
  endAll(): void {
    for (const watch of [...this.#watches]) watch.end();
  }

  /** Ends every watch with an ERROR event, after it has sent all changes so far. */
  failAll(status: Status): void {
    for (const watch of [...this.#watches]) watch.conclude(status);
  }

  /** How many changes the slowest watch has not sent. */
  get backlog(): number {
    let backlog = 0;
    for (const watch of this.#watches) backlog = Math.max(backlog, watch.backlog);
    return backlog;
  }

  /** Has every watch send the remaining changes, and end. */
  concludeAll(): void {
    for (const watch of [...this.#watches]) watch.conclude();
  }

  #serve(budget: SliceBudget): boolean {
    while (budget.takeSlow()) {
      this.#round ??= this.#watches.values();
      const next = this.#round.next();
      if (next.done !== true) next.value.serve(this);
      else {
        this.#round = undefined;
        this.#shared = undefined;
        return this.#isAnyWaiting();
      }
    }
    return true;
  }

  /** Whether a watch has more than one batch to send, or changes came after it was served. */
  #isAnyWaiting(): boolean {
    for (const watch of this.#watches) if (watch.isWaiting) return true;
    return false;
  }

  /** The lines of all changes from one place to another; watches at the same place share the bytes. */
  lines(from: number, to: number): Uint8Array {
    if (this.#shared?.from !== from || this.#shared.to !== to) {
      const lines: Uint8Array[] = [];
      for (let place = from; place < to; place++) lines.push(this.#collection.changeAt(place).line);
      this.#shared = { from, to, bytes: lines.length === 1 ? lines[0]! : Buffer.concat(lines) };
    }
    return this.#shared.bytes;
  }
}

/** The answer to one watch request. */
export class WatchResponse {
  readonly #hub: WatchHub;
  readonly #collection: Collection;
  readonly #settings: WatchSettings;
  readonly #response: ApiResponse;
  readonly #shape: Shape;
  readonly #selection: Selection;
  /** Changes up to this version are not sent: the client has them, even if the version is in the future. */
  readonly #after: number;
  readonly #sendsBookmarks: boolean;
  readonly #takesLines: boolean;
  readonly #resource: ApiResource;
  #place: number;
  #isBehind = false;
  /** Whether a conversion webhook is converting the next changes. */
  #isPreparing = false;
  #isConcluding = false;
  #isOver = false;
  #onEnd: (() => void) | undefined;

  constructor(
    hub: WatchHub,
    settings: WatchSettings,
    resource: ApiResource,
    options: ListOptions,
    shape: Shape,
    response: ApiResponse,
    start: { readonly place: number; readonly after: number },
  ) {
    this.#hub = hub;
    this.#settings = settings;
    this.#resource = resource;
    this.#collection = resource.collection;
    this.#selection = options.selection;
    this.#shape = shape;
    this.#response = response;
    this.#place = start.place;
    this.#after = start.after;
    this.#sendsBookmarks = options.allowWatchBookmarks;
    this.#takesLines = options.selection.isEverything && shape.isStored;
  }

  /** Whether there are changes to send, and the client can take them. */
  get isWaiting(): boolean {
    return !this.#isOver && !this.#isBehind && !this.#isPreparing && this.#place < this.#collection.changesEnd;
  }

  /** Sends changes until the timeout, the client or the server ends the watch. */
  run(timeoutMs: number, signal: AbortSignal): Promise<void> {
    const { clock, bookmarkIntervalMs } = this.#settings;
    const deadline = clock.monotonicNow() + timeoutMs;
    return new Promise((resolve) => {
      const end = (): void => this.end();
      const timeout = clock.setTimer(timeoutMs, () => this.#finish(), { keepAlive: false });
      let bookmark: Timer | undefined;
      const planBookmark = (): void => {
        const inMs = Math.min(bookmarkIntervalMs, deadline - LAST_BOOKMARK_MS - clock.monotonicNow());
        // Sending a bookmark may have ended this watch.
        if (inMs <= 0 || this.#isOver) return;
        bookmark = clock.setTimer(
          inMs,
          () => {
            this.#bookmark();
            planBookmark();
          },
          { keepAlive: false },
        );
      };
      if (this.#sendsBookmarks) planBookmark();
      this.#onEnd = () => {
        timeout.cancel();
        bookmark?.cancel();
        signal.removeEventListener('abort', end);
        this.#hub.remove(this);
        resolve();
      };
      signal.addEventListener('abort', end, { once: true });
      this.#hub.add(this);
      if (signal.aborted) this.end();
    });
  }

  /** Sends a batch of changes. */
  serve(hub: WatchHub): void {
    if (this.#isOver) return;
    if (this.#place < this.#collection.changesStart) {
      this.end();
      return;
    }
    if (this.#isBehind || this.#isPreparing) return;
    const to = this.#batchEnd();
    if (this.#place === to) return;
    const from = this.#place;
    const preparation = prepareRevisions(this.#resource, this.#statesIn(from, to));
    if (preparation !== undefined) {
      void this.#prepare(preparation);
      return;
    }
    this.#place = to;
    const isFuture = this.#collection.changeAt(from).version <= this.#after;
    const bytes = this.#takesLines && !isFuture ? hub.lines(from, to) : this.#selectedLines(from, to);
    if (bytes !== undefined) this.#write(bytes);
  }

  /** The states that events of changes are made of. */
  *#statesIn(from: number, to: number): Iterable<Revision> {
    for (let place = from; place < to; place++) {
      const revision = this.#collection.changeAt(place);
      yield revision;
      if (revision.type === 'MODIFIED' && revision.previous !== undefined) yield revision.previous;
    }
  }

  /** Waits for a conversion webhook. If it fails, the watch ends with an ERROR event. */
  async #prepare(preparation: Steps<void>): Promise<void> {
    this.#isPreparing = true;
    try {
      await promptlyInSlices(this.#settings.clock, 'watch', preparation);
    } catch (error) {
      if (!this.#isOver && error instanceof StatusError) this.#write(this.#shape.error(error.document as Status));
      this.end();
      return;
    } finally {
      this.#isPreparing = false;
    }
    if (this.#isConcluding) this.conclude();
    else if (!this.#isOver) this.#hub.wake();
  }

  #batchEnd(): number {
    const limit = Math.min(this.#collection.changesEnd, this.#place + BATCH_CHANGES);
    let place = this.#place;
    for (let bytes = 0; place < limit && bytes < BATCH_BYTES; place++) {
      bytes += this.#collection.changeAt(place).line.length;
    }
    return place;
  }

  /** Ends the answer. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#response.end();
    this.#onEnd?.();
  }

  /** How many changes it has not sent. */
  get backlog(): number {
    return this.#isOver ? 0 : this.#collection.changesEnd - this.#place;
  }

  /**
   * Ends the answer after all changes so far, even if the client is slow: the resource is gone, so that no watch can resume, or
   * `failure` comes after them as an ERROR event.
   */
  conclude(failure?: Status): void {
    while (!this.#isOver && this.#place < this.#collection.changesEnd) {
      this.#isBehind = false;
      this.serve(this.#hub);
      this.#isConcluding = this.#isPreparing;
      if (this.#isPreparing) return;
    }
    if (failure !== undefined && !this.#isOver) this.#write(this.#shape.error(failure));
    this.end();
  }

  #selectedLines(from: number, to: number): Uint8Array | undefined {
    const lines: Uint8Array[] = [];
    for (let place = from; place < to; place++) {
      const revision = this.#collection.changeAt(place);
      if (revision.version > this.#after) lines.push(...this.#eventOf(revision));
    }
    return lines.length <= 1 ? lines[0] : Buffer.concat(lines);
  }

  /** The event of a change for this selection, if any: ADDED or DELETED when an object begins or ceases to be selected. */
  #eventOf(revision: Revision): readonly Uint8Array[] {
    const selection = this.#selection;
    if (!revision.key.startsWith(selection.prefix)) return NO_EVENT;
    if (selection.hasNoSelectors) return this.#shape.event(revision.type, revision);
    const { previous } = revision;
    const fits = revision.type !== 'DELETED' && selection.selects(revision);
    const fitted = revision.type !== 'ADDED' && previous !== undefined && selection.selects(previous);
    if (fits) return this.#shape.event(fitted ? 'MODIFIED' : 'ADDED', revision);
    if (!fitted) return NO_EVENT;
    return revision.type === 'DELETED' ? this.#shape.event('DELETED', revision) : [this.#shape.departure(revision)];
  }

  #bookmark(): void {
    const { version } = this.#collection;
    // All changes up to the bookmark's version have to be sent before it.
    while (this.isWaiting) this.serve(this.#hub);
    if (this.#isOver || this.#isBehind || version < this.#after) return;
    this.#write(this.#shape.bookmark(version));
  }

  #finish(): void {
    while (this.isWaiting) this.serve(this.#hub);
    this.end();
  }

  #write(bytes: Uint8Array): void {
    if (this.#shape.isListOnly) this.end();
    if (this.#isOver || this.#response.write(bytes)) return;
    this.#isBehind = true;
    this.#response.onDrain(() => {
      this.#isBehind = false;
      if (!this.#isOver) this.#hub.wake();
    });
  }
}

/** Answers a watch: the existing objects if the client wants initial events, then the changes. */
export async function serveWatch(
  settings: WatchSettings,
  hub: WatchHub,
  resource: ApiResource,
  options: ListOptions,
  shape: Shape,
  response: ApiResponse,
  signal: AbortSignal,
): Promise<void> {
  const { clock } = settings;
  const { collection } = resource;
  const asked = readVersion(options.resourceVersion);
  const timeoutMs =
    options.timeoutSeconds > 0 ? options.timeoutSeconds * 1000 : DEFAULT_TIMEOUT_MS * (1 + clock.random());
  if (options.timeoutSeconds < 0) {
    beginStream(response, shape.contentType);
    return response.end();
  }
  const begun = clock.monotonicNow();
  let start: { place: number; after: number } | Status;
  if (options.sendInitialEvents === true) {
    try {
      await waitForVersion(collection, clock, asked, signal);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      return fail(response, shape, error.document as Status);
    }
    const { version } = collection;
    // The place is taken before the initial events are sent, so that no change in between is lost.
    start = { place: collection.changesEnd, after: 0 };
    beginStream(response, shape.watchContentType ?? shape.contentType);
    if (!(await sendInitialEvents(settings, resource, options, shape, response, signal, version)))
      return response.end();
  } else {
    start = startAfter(collection, asked === 0 ? collection.version : asked);
    if ('kind' in start) return fail(response, shape, start);
    beginStream(response, shape.watchContentType ?? shape.contentType);
  }
  const watch = new WatchResponse(hub, settings, resource, options, shape, response, start);
  await watch.run(Math.max(0, timeoutMs - (clock.monotonicNow() - begun)), signal);
}

function startAfter(collection: Collection, version: number): { place: number; after: number } | Status {
  const place = collection.changesAfter(version);
  if (place !== undefined) return { place, after: version };
  return expired(`too old resource version: ${version} (${collection.oldestChange})`);
}

function readVersion(text: string): number {
  try {
    return parseVersion(text) ?? 0;
  } catch (error) {
    const message = (error as Error).message;
    throw new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
  }
}

/** Sends an error as an ERROR event with status 200, as kube-apiserver does. */
function fail(response: ApiResponse, shape: Shape, status: Status): void {
  beginStream(response, shape.watchContentType ?? shape.contentType);
  response.write(shape.error(status));
  response.end();
}

async function sendInitialEvents(
  settings: WatchSettings,
  resource: ApiResource,
  options: ListOptions,
  shape: Shape,
  response: ApiResponse,
  signal: AbortSignal,
  version: number,
): Promise<boolean> {
  const { selection } = options;
  const revisions: Revision[] = [];
  const scan = resource.collection.scanInSteps(version, selection.prefix, '', (revision) => {
    if (selection.hasNoSelectors || selection.selects(revision)) revisions.push(revision);
    return true;
  });
  if (!(await promptlyInSlices(settings.clock, 'watch-list', scan))) return false;
  if (shape.isListOnly && (revisions.length > 0 || options.allowWatchBookmarks)) return false;
  const preparation = prepareRevisions(resource, revisions);
  try {
    if (preparation !== undefined) await promptlyInSlices(settings.clock, 'watch-list', preparation);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    response.write(shape.error(error.document as Status));
    return false;
  }
  const pieces = initialPieces(shape, revisions, options.allowWatchBookmarks ? version : undefined);
  return writePieces(response, settings.clock, signal, pieces);
}

function* initialPieces(
  shape: Shape,
  revisions: readonly Revision[],
  bookmark: number | undefined,
): Generator<Uint8Array, void, void> {
  for (const revision of revisions) yield* shape.event('ADDED', revision);
  if (bookmark !== undefined) yield shape.bookmark(bookmark, { [initialEventsEndAnnotation]: 'true' });
}
