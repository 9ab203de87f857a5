import { StatusError } from '../../meta/errors.js';
import { expired, type Status } from '../../meta/status.js';
import { initialEventsEndAnnotation } from '../../meta/watch-event.js';
import type { Clock, Timer } from '../../time/clock.js';
import { promptlyInSlices } from '../../time/steps.js';
import type { ApiResource } from '../resources/registry.js';
import {
  type Collection,
  eventLine,
  LINE_PREFIX,
  LINE_SUFFIX,
  type Revision,
  type Storage,
} from '../storage/storage.js';
import type { ApiResponse } from '../wire/exchange.js';
import { beginStream, SliceWriter } from '../wire/response-writer.js';
import { parseVersion, scanInSteps, waitForVersion } from './list.js';
import type { ListOptions, Selection } from './list-options.js';
import type { Shape } from './shape.js';

/** What all watches of a server have in common. */
export interface WatchSettings {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly bookmarkIntervalMs: number;
}

/** A watch that does not say how long it wants to be ends after a time between this and twice this. */
const DEFAULT_TIMEOUT_MS = 30 * 60_000;
/** How long before its end a watch gets a last bookmark. */
const LAST_BOOKMARK_MS = 2000;
const ADDED_PREFIX = LINE_PREFIX.ADDED;
/** How many changes one watch is given before the next one has its turn. */
const BATCH_CHANGES = 500;
/** And how much of them: a change begun below it is still given whole, so large objects come one or two at a time. */
const BATCH_BYTES = 1024 * 1024;
/** How long the watches of one collection may keep the event loop to themselves. */
const SLICE_MS = 8;

/**
 * The watches of one collection. They read from its window of changes, each at a place of its own, so nothing is
 * buffered for anybody: a watch whose reader is slow stays where it is, and when the window has moved past that place
 * it is ended. Its client comes back and resumes, or is told that it is too late.
 */
export class WatchHub {
  readonly #collection: Collection;
  readonly #clock: Clock;
  readonly #watches = new Set<Watch>();
  #unsubscribe: (() => void) | undefined;
  #turn: Timer | undefined;
  /** Watches that have not been served in the present round. */
  #round: Iterator<Watch> | undefined;
  /** Lines put together for one watch and good for the next one that is at the same place and selects everything. */
  #shared: { readonly from: number; readonly to: number; readonly bytes: Uint8Array } | undefined;

  constructor(collection: Collection, clock: Clock) {
    this.#collection = collection;
    this.#clock = clock;
  }

  get size(): number {
    return this.#watches.size;
  }

  add(watch: Watch): void {
    this.#watches.add(watch);
    this.#unsubscribe ??= this.#collection.subscribe(() => this.wake());
    this.wake();
  }

  remove(watch: Watch): void {
    this.#watches.delete(watch);
    if (this.#watches.size > 0) return;
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    this.#turn?.cancel();
    this.#turn = undefined;
    this.#round = undefined;
    this.#shared = undefined;
  }

  /** Has every watch look for changes in the next turn of the event loop. */
  wake(): void {
    this.#turn ??= this.#clock.defer(() => this.#serve());
  }

  /** Ends every watch. */
  endAll(): void {
    for (const watch of [...this.#watches]) watch.end();
  }

  /** Has every watch tell what is left to tell, and end. */
  concludeAll(): void {
    for (const watch of [...this.#watches]) watch.conclude();
  }

  #serve(): void {
    this.#turn = undefined;
    const deadline = this.#clock.monotonicNow() + SLICE_MS;
    // Held here as well, because a watch may end while it is served, and the last one clears the field.
    const round = (this.#round ??= this.#watches.values());
    let isComplete = true;
    for (let next = round.next(); next.done !== true; next = round.next()) {
      if (!next.value.serve(this)) isComplete = false;
      if (this.#clock.monotonicNow() >= deadline && this.#watches.size > 0) {
        this.wake();
        return;
      }
    }
    this.#round = undefined;
    this.#shared = undefined;
    // Changes may have come while the round was under way, after some watches had been served.
    if (!isComplete || this.#isAnyWaiting()) this.wake();
  }

  #isAnyWaiting(): boolean {
    for (const watch of this.#watches) if (watch.isWaiting) return true;
    return false;
  }

  /** The lines from one place to another for whoever wants them all, put together once. */
  lines(from: number, to: number): Uint8Array {
    if (this.#shared?.from !== from || this.#shared.to !== to) {
      const lines: Uint8Array[] = [];
      for (let place = from; place < to; place++) lines.push(this.#collection.changeAt(place).line);
      this.#shared = { from, to, bytes: lines.length === 1 ? lines[0]! : Buffer.concat(lines) };
    }
    return this.#shared.bytes;
  }
}

/** One watch that is being answered. */
export class Watch {
  readonly #hub: WatchHub;
  readonly #collection: Collection;
  readonly #settings: WatchSettings;
  readonly #response: ApiResponse;
  readonly #shape: Shape;
  readonly #selection: Selection;
  /** Changes up to this version are not told, even if they come later: the client knows them. */
  readonly #after: number;
  readonly #sendsBookmarks: boolean;
  readonly #takesLines: boolean;
  #place: number;
  #isBehind = false;
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
    this.#collection = resource.collection;
    this.#selection = options.selection;
    this.#shape = shape;
    this.#response = response;
    this.#place = start.place;
    this.#after = start.after;
    this.#sendsBookmarks = options.allowWatchBookmarks;
    this.#takesLines = options.selection.isEverything && shape.isStored;
  }

  /** Whether there is something to tell and a reader to tell it to. */
  get isWaiting(): boolean {
    return !this.#isOver && !this.#isBehind && this.#place < this.#collection.changesEnd;
  }

  /** Tells changes until the timeout, the client or the server ends it. */
  run(timeoutMs: number, signal: AbortSignal): Promise<void> {
    const { clock, bookmarkIntervalMs } = this.#settings;
    const deadline = clock.monotonicNow() + timeoutMs;
    return new Promise((resolve) => {
      const end = (): void => this.end();
      const timeout = clock.setTimer(timeoutMs, () => this.#finish(), { keepAlive: false });
      let bookmark: Timer | undefined;
      const planBookmark = (): void => {
        const inMs = Math.min(bookmarkIntervalMs, deadline - LAST_BOOKMARK_MS - clock.monotonicNow());
        // A bookmark may meet a reader that is gone, and with it the end of this watch.
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

  /** Tells a batch of changes. False: there are more to tell. */
  serve(hub: WatchHub): boolean {
    if (this.#isOver) return true;
    if (this.#place < this.#collection.changesStart) {
      this.end();
      return true;
    }
    if (this.#isBehind) return true;
    const end = this.#collection.changesEnd;
    const to = this.#batchEnd(end);
    if (this.#place === to) return true;
    const from = this.#place;
    this.#place = to;
    const isFuture = this.#collection.changeAt(from).version <= this.#after;
    const bytes = this.#takesLines && !isFuture ? hub.lines(from, to) : this.#selectedLines(from, to);
    if (bytes !== undefined) this.#write(bytes);
    return to === end || this.#isBehind;
  }

  #batchEnd(end: number): number {
    const limit = Math.min(end, this.#place + BATCH_CHANGES);
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

  /** Ends the answer with all changes so far, even if the reader is behind: nobody resumes a watch of what is gone. */
  conclude(): void {
    while (!this.#isOver && this.#place < this.#collection.changesEnd) {
      this.#isBehind = false;
      this.serve(this.#hub);
    }
    this.end();
  }

  #selectedLines(from: number, to: number): Uint8Array | undefined {
    const lines: Uint8Array[] = [];
    for (let place = from; place < to; place++) {
      const revision = this.#collection.changeAt(place);
      const line = revision.version <= this.#after ? undefined : this.#lineOf(revision);
      if (line !== undefined) lines.push(line);
    }
    return lines.length <= 1 ? lines[0] : Buffer.concat(lines);
  }

  /** How a change looks to somebody who sees only what is selected: objects come and go as they begin and cease to fit. */
  #lineOf(revision: Revision): Uint8Array | undefined {
    const selection = this.#selection;
    if (!revision.key.startsWith(selection.prefix)) return undefined;
    if (selection.hasNoSelectors) return this.#shape.line(revision.type, revision);
    const { previous } = revision;
    const fits = revision.type !== 'DELETED' && selection.selects(revision);
    const fitted = revision.type !== 'ADDED' && previous !== undefined && selection.selects(previous);
    if (fits) return this.#shape.line(fitted ? 'MODIFIED' : 'ADDED', revision);
    if (!fitted) return undefined;
    return revision.type === 'DELETED' ? this.#shape.line('DELETED', revision) : this.#shape.departureLine(revision);
  }

  #bookmark(): void {
    const { version } = this.#settings.storage;
    // A bookmark says that everything up to it has been told: with changes still to tell it would lie.
    while (this.isWaiting) this.serve(this.#hub);
    if (this.#isOver || this.#isBehind || version < this.#after) return;
    this.#write(this.#shape.bookmark(version));
  }

  #finish(): void {
    while (this.isWaiting) this.serve(this.#hub);
    this.end();
  }

  #write(bytes: Uint8Array): void {
    if (this.#response.write(bytes)) return;
    this.#isBehind = true;
    this.#response.onDrain(() => {
      this.#isBehind = false;
      if (!this.#isOver) this.#hub.wake();
    });
  }
}

/** Answers a watch: what is there first, if that is wanted, and then what changes. */
export async function serveWatch(
  settings: WatchSettings,
  hub: WatchHub,
  resource: ApiResource,
  options: ListOptions,
  shape: Shape,
  response: ApiResponse,
  signal: AbortSignal,
): Promise<void> {
  const { storage, clock } = settings;
  const asked = readVersion(options.resourceVersion);
  const timeoutMs =
    options.timeoutSeconds > 0 ? options.timeoutSeconds * 1000 : DEFAULT_TIMEOUT_MS * (1 + clock.random());
  const begun = clock.monotonicNow();
  let start: { place: number; after: number } | Status;
  if (options.sendInitialEvents === true) {
    try {
      await waitForVersion(storage, clock, asked, signal);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      return fail(response, shape, error.document as Status);
    }
    const version = storage.version;
    // The changes after the snapshot are told from here on; taking their place first keeps a slow beginning honest.
    start = { place: resource.collection.changesEnd, after: 0 };
    beginStream(response, shape.contentType);
    if (!(await sendInitialEvents(settings, resource, options, shape, response, signal, version)))
      return response.end();
  } else {
    start = startAfter(resource.collection, asked === 0 ? storage.version : asked);
    if ('kind' in start) return fail(response, shape, start);
    beginStream(response, shape.contentType);
  }
  const watch = new Watch(hub, settings, resource, options, shape, response, start);
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

/** What goes wrong once a watch is accepted is an event of it, as the real server has it. */
function fail(response: ApiResponse, shape: Shape, status: Status): void {
  beginStream(response, shape.contentType);
  response.write(eventLine('ERROR', JSON.stringify(status)));
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
  const scan = scanInSteps(resource.collection, version, selection.prefix, '', (revision) => {
    if (selection.hasNoSelectors || selection.selects(revision)) revisions.push(revision);
    return true;
  });
  if (!(await promptlyInSlices(settings.clock, 'a watch', scan))) return false;
  const writer = new SliceWriter(response, settings.clock, signal);
  for (const revision of revisions) {
    writer.push(ADDED_PREFIX);
    writer.push(shape.bytes(revision));
    writer.push(LINE_SUFFIX);
    if (writer.pause && !(await writer.resume())) return false;
  }
  if (options.allowWatchBookmarks) writer.push(shape.bookmark(version, { [initialEventsEndAnnotation]: 'true' }));
  writer.flush();
  return true;
}
