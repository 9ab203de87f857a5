import { constants } from 'node:os';
import { abortError } from './signals.js';

let shared: AbortSignal | undefined;

/**
 * An AbortSignal that aborts on SIGINT (Ctrl-C) and on SIGTERM (which the kubelet sends to a pod that it stops). A second
 * SIGINT or SIGTERM ends the process at once, for a shutdown that hangs, with the exit code of a process that was killed
 * by that signal.
 *
 * Every call returns the same AbortSignal: the process has one pair of listeners. They do not keep it alive.
 *
 * @example
 * const signal = terminationSignal();
 * await processQueue(queue, { signal, reconcile });
 */
export function terminationSignal(): AbortSignal {
  if (shared !== undefined) return shared;
  const controller = new AbortController();
  const onSignal = (name: 'SIGINT' | 'SIGTERM') => {
    if (controller.signal.aborted) process.exit(128 + constants.signals[name]);
    controller.abort(abortError(`the process received ${name}`));
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  shared = controller.signal;
  return shared;
}
