// Measures holds of the event loop: the longest gap between two firings of a one-millisecond timer.
import { openSync, readSync } from 'node:fs';

const schedstat = openSchedstat();
const bytes = Buffer.alloc(128);

function openSchedstat() {
  try {
    return openSync(`/proc/self/task/${process.pid}/schedstat`);
  } catch {
    return undefined;
  }
}

/**
 * How long this thread has waited for a core so far, in milliseconds. On a busy machine a gap includes
 * such waiting; Linux reports it. Elsewhere it is 0.
 */
function waitedMs() {
  if (schedstat === undefined) return 0;
  const length = readSync(schedstat, bytes, 0, bytes.length, 0);
  return Number(bytes.latin1Slice(0, length).split(' ')[1]) / 1e6;
}

/** Starts measuring; `stop()` returns the longest hold, with and without waiting for a core. */
export function holdMeter() {
  const worst = { holdMs: 0, ownHoldMs: 0 };
  let last = performance.now();
  let waited = waitedMs();
  let timer;
  const note = () => {
    const now = performance.now();
    const nowWaited = waitedMs();
    // The millisecond of the timer itself is no hold.
    const gap = now - last - 1;
    worst.holdMs = Math.max(worst.holdMs, gap);
    worst.ownHoldMs = Math.max(worst.ownHoldMs, gap - (nowWaited - waited));
    last = now;
    waited = nowWaited;
  };
  const look = () => {
    note();
    timer = setTimeout(look, 1);
  };
  timer = setTimeout(look, 1);
  return {
    stop() {
      clearTimeout(timer);
      note();
      return worst;
    },
  };
}
