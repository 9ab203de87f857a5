import { vi } from 'vitest';
import { realClock } from '../../src/time/real-clock.js';

/**
 * Backoffs and other waits of half a second and more take a tenth of their time from now on, for tests that need real
 * sockets and cannot be given a clock. What is measured stays true. `vi.restoreAllMocks()` ends it.
 */
export function shortenWaits(): void {
  const setTimer = realClock.setTimer;
  vi.spyOn(realClock, 'setTimer').mockImplementation((ms, callback, options) =>
    setTimer(ms >= 500 ? ms / 10 : ms, callback, options),
  );
}
