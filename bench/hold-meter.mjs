// How long the event loop was held: the longest gap between two firings of a one-millisecond timer.
import { readFileSync } from 'node:fs';

/**
 * How long this thread has waited for a processor so far, in milliseconds. On a machine that others use as well, a gap is
 * partly theirs; Linux tells how much. Elsewhere it is 0.
 */
function waitedMs() {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1').split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}

/** Starts measuring; `stop()` says the longest hold, as it was and without what others took. */
export function holdMeter() {
  const worst = { holdMs: 0, ownHoldMs: 0 };
  let last = performance.now();
  let waited = waitedMs();
  let timer;
  const look = () => {
    const now = performance.now();
    const nowWaited = waitedMs();
    // The millisecond that the timer asked for itself is nobody's hold.
    const gap = now - last - 1;
    worst.holdMs = Math.max(worst.holdMs, gap);
    worst.ownHoldMs = Math.max(worst.ownHoldMs, gap - (nowWaited - waited));
    last = now;
    waited = nowWaited;
    timer = setTimeout(look, 1);
  };
  timer = setTimeout(look, 1);
  return {
    stop() {
      look();
      clearTimeout(timer);
      return worst;
    },
  };
}
