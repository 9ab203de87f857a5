import { describe, expect, it } from 'vitest';
import { isTimeZone, scheduleProblem } from './cron-schedule.js';

describe('scheduleProblem', () => {
  it.each(['* * * * *', '*/5 0-6,9 1 jan-DEC mon', '@daily', '@every 1h30m', 'TZ=UTC 0 0 * * *', '? * * * *'])(
    'accepts %j',
    (schedule) => {
      expect(scheduleProblem(schedule)).toBeUndefined();
    },
  );

  it.each([
    ['now', 'expected exactly 5 fields, found 1: [now]'],
    ['60 * * * *', 'end of range (60) above maximum (59): 60'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['5-1 * * * *', 'beginning of range (5) beyond end of range (1): 5-1'],
    ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
    ['*/1/2 * * * *', 'too many slashes: */1/2'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['x * * * *', 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
    ['@never', 'unrecognized descriptor: @never'],
  ])('refuses %j', (schedule, problem) => {
    expect(scheduleProblem(schedule)).toBe(problem);
  });
});

it('isTimeZone knows the database of time zones', () => {
  expect(['Europe/Berlin', 'Etc/UTC', 'US/Pacific', 'Mars/Base'].map(isTimeZone)).toEqual([true, true, true, false]);
});
