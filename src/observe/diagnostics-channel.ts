import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type Undo, undoOnce } from '../meta/undo.js';

/**
 * A channel of `node:diagnostics_channel` with the type of its messages.
 *
 * A publisher builds a message only if `hasSubscribers` is true, so that a channel without listeners costs one property read:
 *
 * ```ts
 * if (channels.queueDepth.hasSubscribers) channels.queueDepth.publish({ source, length });
 * ```
 */
export interface DiagnosticsChannel<T> {
  /** Its name in `node:diagnostics_channel`. */
  readonly name: string;
  /** Whether the channel has listeners: read before a message is built. */
  readonly hasSubscribers: boolean;
  /** Calls every listener before it returns. Node raises what a listener throws as an uncaught exception. */
  publish(message: T): void;
}

/** @param name without the prefix `kubeflect:` */
export function openChannel<T>(name: string): DiagnosticsChannel<T> {
  return channel(`kubeflect:${name}`) as DiagnosticsChannel<T>;
}

/**
 * Calls the listener for each message from now on, synchronously, within the work that the message is about.
 *
 * @example
 * const stop = listen(channels.handlerSlow, ({ handler, durationMs }) => log(`${handler} took ${durationMs} ms`));
 */
export function listen<T>(from: DiagnosticsChannel<T>, listener: (message: T) => void): Undo {
  // A new function per call, so that two calls with the same listener are undone one by one.
  const own = (message: unknown): void => listener(message as T);
  subscribe(from.name, own);
  return undoOnce(() => void unsubscribe(from.name, own));
}
