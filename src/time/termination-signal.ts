import { constants } from 'node:os';
import { abortError } from './signals.js';

let asked: AbortSignal | undefined;

/**
 * Aborts when the process is asked to end: on SIGINT (Ctrl-C) and on SIGTERM (what Kubernetes sends to a pod). A second
 * signal ends the process at once, so that a shutdown that hangs can be cut short; its exit code is that of a process
 * killed by the signal.
 *
 * It is the same signal however often it is asked for: the process has one pair of listeners. They do not keep it alive.
 *
 * @example
 * const signal = terminationSignal();
 * await processQueue(queue, { signal, reconcile });
 */
export function terminationSignal(): AbortSignal {
  if (asked !== undefined) return asked;
  const controller = new AbortController();
  const onSignal = (name: 'SIGINT' | 'SIGTERM') => {
    if (controller.signal.aborted) process.exit(128 + constants.signals[name]);
    controller.abort(abortError(`the process received ${name}`));
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  asked = controller.signal;
  return asked;
}
