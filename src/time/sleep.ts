import type { Abortable } from '../meta/objects.js';
import { abortableNames, checkOptions } from '../meta/options/known-options.js';
import { optionError } from '../meta/options/validate.js';
import type { Clock } from './clock.js';
import { onAbort } from './signals.js';

/** The delay of a timer: a negative one counts as 0. @throws TypeError for NaN and for anything that is not a number */
export function delayOf(ms: number): number {
  if (typeof ms !== 'number' || Number.isNaN(ms)) throw optionError('ms', 'a number of milliseconds', ms);
  return Math.max(ms, 0);
}

/** `Clock.sleep` on top of `Clock.setTimer`; shared by both clocks. */
export function sleepOn(clock: Pick<Clock, 'setTimer'>, ms: number, options: Abortable = {}): Promise<void> {
  const { signal } = checkOptions('clock.sleep', options, abortableNames);
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const timer = clock.setTimer(ms, () => {
      undo();
      resolve();
    });
    const undo = onAbort(signal, () => {
      timer.cancel();
      reject(signal?.reason);
    });
  });
}
