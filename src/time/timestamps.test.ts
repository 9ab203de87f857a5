import { expect, it } from 'vitest';
import { microTimestamp, timestamp } from './timestamps.js';

it('writes Time and MicroTime as servers parse them', () => {
  const ms = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
  expect(timestamp(ms)).toBe('2026-01-02T03:04:05Z');
  expect(microTimestamp(ms)).toBe('2026-01-02T03:04:05.678000Z');
});
