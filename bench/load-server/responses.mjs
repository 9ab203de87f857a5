// The answers of the load server, from precomputed bytes: sending copies them and patches digits.
import { bookmarkBytes, eventBytes, podOf } from './pods.mjs';

/** Digits that are patched when an event is sent. */
const versionDigits = 10;

export const firstVersion = 1_000_000_000;

const itemStart = Buffer.from('{');
const eventHead = (type, { kind, apiVersion }) =>
  Buffer.from(`{"type":"${type}","object":{"kind":"${kind}","apiVersion":"${apiVersion}",`);
const eventTail = Buffer.from('}\n');

function writeDigits(bytes, at, digits, value) {
  for (let i = at + digits - 1, rest = value; i >= at; i--) {
    const next = Math.floor(rest / 10);
    bytes[i] = 0x30 + (rest - next * 10);
    rest = next;
  }
}

/** `count` pods as bytes, without their opening bracket, and the positions of the digits to patch. */
export class Pods {
  #bodies;
  #versionAt;
  #added;
  #modified;

  constructor(count, type = { kind: 'Pod', apiVersion: 'v1' }) {
    this.count = count;
    this.#name(type);
    this.#bodies = new Array(count);
    this.#versionAt = new Int32Array(count);
    for (let i = 0; i < count; i++) {
      const body = Buffer.from(JSON.stringify(podOf(i, firstVersion + i))).subarray(1);
      this.#bodies[i] = body;
      this.#versionAt[i] = body.indexOf('"resourceVersion":"') + 19;
    }
  }

  /** The same bytes under another name: a custom resource of exactly this size. */
  as(type) {
    const same = new Pods(0, type);
    same.count = this.count;
    same.#bodies = this.#bodies;
    same.#versionAt = this.#versionAt;
    return same;
  }

  #name(type) {
    this.type = type;
    this.#added = eventHead('ADDED', type);
    this.#modified = eventHead('MODIFIED', type);
  }

  get lastVersion() {
    return firstVersion + this.count;
  }

  /** The number of bytes of pod `i` in a list. */
  itemLength(i) {
    return 1 + this.#bodies[i].length;
  }

  writeItem(into, at, i) {
    return this.#write(into, at, itemStart, i);
  }

  addedLength(i) {
    return this.#added.length + this.#bodies[i].length + eventTail.length;
  }

  writeAdded(into, at, i) {
    return this.#finish(into, this.#write(into, at, this.#added, i));
  }

  modifiedLength(i) {
    return this.#modified.length + this.#bodies[i].length + eventTail.length;
  }

  /** A MODIFIED event of pod `i` at a version. */
  writeModified(into, at, i, version) {
    const end = this.#finish(into, this.#write(into, at, this.#modified, i));
    writeDigits(into, at + this.#modified.length + this.#versionAt[i], versionDigits, version);
    return end;
  }

  #write(into, at, head, i) {
    into.set(head, at);
    into.set(this.#bodies[i], at + head.length);
    return at + head.length + this.#bodies[i].length;
  }

  #finish(into, at) {
    into.set(eventTail, at);
    return at + eventTail.length;
  }
}

/** Writes `length` as the head of an HTTP chunk. */
function writeChunkHead(into, at, length) {
  return at + into.write(`${length.toString(16)}\r\n`, at, 'latin1');
}

const batchSize = 262_144;
const crlf = Buffer.from('\r\n');

/**
 * A batch of HTTP chunks, one per entry, as many as fit.
 *
 * @param next writes the next entry and returns its end, or -1 when there is none
 * @param lengthOfNext the length of the next entry, or -1
 */
function* batches(lengthOfNext, writeNext) {
  for (let length = lengthOfNext(); length >= 0; ) {
    const batch = Buffer.allocUnsafe(Math.max(batchSize, length + 32));
    let at = 0;
    while (length >= 0 && at + length + 32 <= batch.length) {
      at = writeChunkHead(batch, at, length);
      at = writeNext(batch, at);
      batch.set(crlf, at);
      at += 2;
      length = lengthOfNext();
    }
    yield batch.subarray(0, at);
  }
}

const oneChunk = (bytes) => Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, crlf]);
const lastChunk = Buffer.from('0\r\n\r\n');

/** The body of a list, or of one page of it, as HTTP chunks. */
export function* listBody(pods, limit, from) {
  const to = limit > 0 ? Math.min(from + limit, pods.count) : pods.count;
  const metadata = { resourceVersion: String(pods.lastVersion) };
  if (to < pods.count) Object.assign(metadata, { continue: String(to), remainingItemCount: pods.count - to });
  const { kind, apiVersion } = pods.type;
  const head = `{"kind":"${kind}List","apiVersion":"${apiVersion}","metadata":${JSON.stringify(metadata)},"items":[`;
  yield oneChunk(Buffer.from(head));
  let i = from;
  const comma = Buffer.from(',');
  yield* batches(
    () => (i < to ? pods.itemLength(i) + (i > from ? 1 : 0) : -1),
    (batch, at) => {
      let next = at;
      if (i > from) {
        batch.set(comma, next);
        next += 1;
      }
      return pods.writeItem(batch, next, i++);
    },
  );
  yield oneChunk(Buffer.from(']}\n'));
  yield lastChunk;
}

/** The initial events of a watch-list, and the bookmark that ends them. */
export function* initialEvents(pods) {
  let i = 0;
  yield* batches(
    () => (i < pods.count ? pods.addedLength(i) : -1),
    (batch, at) => pods.writeAdded(batch, at, i++),
  );
  yield oneChunk(bookmarkBytes(pods.lastVersion, true));
}

/** `count` MODIFIED events, spread over all pods, as fast as the client reads, and a bookmark after them. */
export function* modifiedEvents(pods, count, firstEventVersion) {
  let sent = 0;
  const pick = () => (sent * 7919) % pods.count;
  yield* batches(
    () => (sent < count ? pods.modifiedLength(pick()) : -1),
    (batch, at) => {
      const end = pods.writeModified(batch, at, pick(), firstEventVersion + sent);
      sent++;
      return end;
    },
  );
  yield finalBookmark(firstEventVersion + count);
}

/** One MODIFIED event as an HTTP chunk. */
export function pacedEvent(pods, number, version) {
  const i = (number * 7919) % pods.count;
  const length = pods.modifiedLength(i);
  const chunk = Buffer.allocUnsafe(length + 32);
  let at = writeChunkHead(chunk, 0, length);
  at = pods.writeModified(chunk, at, i, version);
  chunk.set(crlf, at);
  return chunk.subarray(0, at + 2);
}

/** A bookmark. */
export const finalBookmark = (version) => oneChunk(bookmarkBytes(version, false));

/** An ERROR event with 410, so that the client relists, and the end of the watch. */
export const expiredEnd = () =>
  Buffer.concat([
    oneChunk(
      eventBytes('ERROR', {
        kind: 'Status',
        apiVersion: 'v1',
        status: 'Failure',
        message: 'too old resource version',
        reason: 'Expired',
        code: 410,
      }),
    ),
    lastChunk,
  ]);
