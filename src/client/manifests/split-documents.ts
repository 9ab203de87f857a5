import type { ByteSource } from './byte-source.js';

/** Where a YAML document is in its source. */
export interface DocumentSpan {
  /** Counted from 1; documents without content do not count. */
  readonly number: number;
  /** The line of its first byte, counted from 1. */
  readonly line: number;
  /** The place of its first byte. */
  readonly start: number;
  readonly length: number;
}

/** A document that is longer than this is refused: it would have to be read as a whole. */
const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;

const CHUNK_BYTES = 256 * 1024;
const NEWLINE = 10;
const DASH = 45;
/** What may follow the dashes of a separator: tab, newline, carriage return, space. */
const AFTER_DASHES: ReadonlySet<number | undefined> = new Set([9, 10, 13, 32, undefined]);
/** Blank lines, comments, directives, and the end of a document. */
const WITHOUT_CONTENT = /^\s*(?:#.*|%.*|\.\.\.\s*)?$/;

/**
 * Splits a source at the lines that begin with `---`, and yields each document that has content. Holds one document at a
 * time.
 */
export async function* splitDocuments(
  source: ByteSource,
): AsyncGenerator<{ readonly span: DocumentSpan; readonly text: string }, void, void> {
  let number = 0;
  let line = 1;
  let document = new Pieces(0, 1);
  let position = 0;
  let isInLine = false;
  let rest: Uint8Array = new Uint8Array(0);
  for (let atEnd = false; !atEnd; ) {
    const chunk = await source.read(position, CHUNK_BYTES);
    position += chunk.length;
    atEnd = chunk.length < CHUNK_BYTES;
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const base = position - bytes.length;
    let from = 0;
    let at = 0;
    while (at < bytes.length) {
      if (!isInLine) {
        // A separator may go on in the next chunk.
        if (bytes.length - at < 4 && !atEnd) break;
        if (isSeparator(bytes, at)) {
          document.push(bytes.subarray(from, at));
          const text = document.content();
          if (text !== undefined) yield { span: document.span(++number), text };
          // The rest of the separator's line belongs to the document, as in `--- {a: 1}`.
          from = at + 3;
          document = new Pieces(base + from, line);
        }
      }
      const newline = bytes.indexOf(NEWLINE, at);
      isInLine = newline < 0;
      at = isInLine ? bytes.length : newline + 1;
      if (!isInLine) line++;
    }
    document.push(bytes.subarray(from, at));
    rest = bytes.subarray(at);
  }
  const text = document.content();
  if (text !== undefined) yield { span: document.span(++number), text };
}

function isSeparator(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === DASH && bytes[at + 1] === DASH && bytes[at + 2] === DASH && AFTER_DASHES.has(bytes[at + 3]);
}

class Pieces {
  readonly #pieces: Uint8Array[] = [];
  readonly #start: number;
  readonly #line: number;
  #length = 0;

  constructor(start: number, line: number) {
    this.#start = start;
    this.#line = line;
  }

  push(piece: Uint8Array): void {
    this.#length += piece.length;
    if (this.#length > MAX_DOCUMENT_BYTES) {
      throw new RangeError(`the document at line ${this.#line} has more than ${MAX_DOCUMENT_BYTES} bytes`);
    }
    if (piece.length > 0) this.#pieces.push(piece);
  }

  span(number: number): DocumentSpan {
    return { number, line: this.#line, start: this.#start, length: this.#length };
  }

  /** The text; undefined if it has only comments. */
  content(): string | undefined {
    const text = documentText(Buffer.concat(this.#pieces));
    return linesBeforeContent(text) === undefined ? undefined : text;
  }
}

/** The text of a document's bytes, without a byte order mark. */
export function documentText(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/** How many lines of a document come before its content; undefined if it has none. */
export function linesBeforeContent(text: string): number | undefined {
  let lines = 0;
  for (let at = 0; at < text.length; lines++) {
    const newline = text.indexOf('\n', at);
    const end = newline < 0 ? text.length : newline;
    if (!WITHOUT_CONTENT.test(text.slice(at, end))) return lines;
    at = end + 1;
  }
  return undefined;
}
