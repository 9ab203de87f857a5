import { expect, it } from 'vitest';
import { styleFor } from './style.js';

it('colours on a terminal, and nowhere else', () => {
  const stream = (isTTY: boolean) => ({ write: () => true, isTTY });
  expect(styleFor(stream(true), { env: {} }).red('x')).toBe('\u001b[31mx\u001b[39m');
  expect(styleFor(stream(true), { env: {} }).red('')).toBe('');
  expect(styleFor(stream(true), { env: { NO_COLOR: '1' } }).red('x')).toBe('x');
  expect(styleFor(stream(true), { env: { NO_COLOR: '' } }).red('x')).not.toBe('x');
  expect(styleFor(stream(true), { env: { TERM: 'dumb' } }).red('x')).toBe('x');
  expect(styleFor(stream(false), { env: {} }).red('x')).toBe('x');
});
