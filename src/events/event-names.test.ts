import { expect, it } from 'vitest';
import { FakeClock } from '../time/fake-clock.js';
import { EventNames } from './event-names.js';

it('names events of two broadcasters differently in the same millisecond', () => {
  const clock = new FakeClock();
  const names = [new EventNames(clock), new EventNames(clock)].map((recorder) => recorder.next('web-0'));
  expect(new Set(names).size).toBe(2);
  for (const name of names) expect(name).toMatch(/^web-0\.[0-9a-f]{16}$/);
});

it('never repeats a name, also when the clock stands still or goes back', () => {
  const clock = new FakeClock();
  const names = new EventNames(clock);
  const given = Array.from({ length: 1000 }, (_, i) => {
    if (i === 500) clock.jump(-1000);
    return names.next('web-0');
  });
  expect(new Set(given).size).toBe(1000);
});
