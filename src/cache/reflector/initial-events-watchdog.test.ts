import { expect, it } from 'vitest';
import { FakeClock } from '../../time/fake-clock.js';
import { InitialEventsWatchdog } from './initial-events-watchdog.js';

it('[S44] warns every interval without an event before the end of the initial events, until it is stopped', async () => {
  const clock = new FakeClock();
  const warnings: string[] = [];
  let last: number | undefined;
  const watchdog = new InitialEventsWatchdog({
    clock,
    warn: (text) => warnings.push(text),
    lastEventAt: () => last,
    intervalMs: 1000,
  });
  await clock.advance(2000);
  expect(warnings.splice(0)).toEqual([
    expect.stringContaining('no events received for 1s'),
    expect.stringContaining('no events received for 2s'),
  ]);
  await clock.advance(500);
  last = clock.monotonicNow();
  await clock.advance(500);
  expect(warnings.splice(0)).toEqual([]);
  await clock.advance(2000);
  expect(warnings.splice(0)).toEqual([
    expect.stringContaining('received last event 1.5s ago'),
    expect.stringContaining('received last event 2.5s ago'),
  ]);
  watchdog.stop();
  await clock.advance(30_000);
  expect(warnings).toEqual([]);
  expect(clock.pendingTimers).toEqual([]);
});
