import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import type { ReadableStream, WritableStream } from 'node:stream/web';
import { optionError } from '../../meta/options/validate.js';
import type { AttachOptions } from './pod-client.js';

/*
 * The streams of a caller, as node streams: what the caller owns is never destroyed.
 */

/** What is sent to a process. `release` stops reading; it destroys only what was made here. */
export interface Input {
  readonly stream: Readable;
  release(): void;
}

/** @throws TypeError for anything that is no stream */
export function inputOf(stdin: NonNullable<AttachOptions['stdin']>): Input {
  if (stdin instanceof Readable) return { stream: stdin, release: () => void stdin.pause() };
  const stream = readableOf(stdin);
  // Its failure is reported by the copy that reads it.
  stream.on('error', () => {});
  return { stream, release: () => void stream.destroy() };
}

function readableOf(stdin: NonNullable<AttachOptions['stdin']>): Readable {
  // Not `Readable.from(text)`: an empty one would be no chunk, and end no stream.
  if (typeof stdin === 'string' || stdin instanceof Uint8Array) return Readable.from([Buffer.from(stdin)]);
  if (typeof stdin === 'object' && 'getReader' in stdin) return Readable.fromWeb(stdin as ReadableStream);
  if (Symbol.asyncIterator in Object(stdin)) return Readable.from(stdin);
  throw optionError('stdin', 'a stream, an async iterable, a string or bytes', stdin);
}

/** @throws TypeError for anything that is no stream */
export function outputOf(name: string, stream: Writable | WritableStream<Uint8Array>): Writable {
  if (typeof (stream as Writable)?.write === 'function') return stream as Writable;
  if (typeof (stream as WritableStream)?.getWriter === 'function') return Writable.fromWeb(stream as WritableStream);
  throw optionError(name, 'a stream that can be written', stream);
}

/**
 * Copies a stream that belongs to us to one of the caller, which is not ended. Resolves at the end; rejects if either fails or
 * is closed before.
 */
export function copyTo(source: Readable, destination: Writable): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error): void => {
      source.unpipe(destination);
      source.off('end', onEnd).off('error', settle).off('close', onSourceClose);
      destination.off('error', settle).off('close', onClose);
      if (error === undefined) resolve();
      else reject(error);
    };
    const onEnd = (): void => settle();
    const onSourceClose = (): void => settle(new Error('the stream was closed before its end'));
    const onClose = (): void => settle(new Error('the stream that receives the output was closed'));
    source.once('end', onEnd).once('error', settle).once('close', onSourceClose);
    destination.once('error', settle).once('close', onClose);
    if (destination.destroyed) settle(new Error('the stream that receives the output was closed'));
    else source.pipe(destination, { end: false });
  });
}

/** Ends streams that received output, and waits until all of it is written. Those of the process itself stay open. */
export async function endOutputs(outputs: ReadonlySet<Writable>, signal: AbortSignal | undefined): Promise<void> {
  for (const output of outputs) {
    if (output === process.stdout || output === process.stderr || output.destroyed) continue;
    if (!output.writableEnded) output.end();
  }
  for (const output of outputs) {
    if (output.writableEnded && !output.writableFinished) await once(output, 'finish', { signal });
  }
}
