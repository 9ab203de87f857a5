import { describe, expect, it } from 'vitest';
import {
  describeValue,
  optionError,
  requireFunction,
  requireInteger,
  requireNumber,
  requireObject,
  requireOneOf,
  requireSignal,
  requireString,
} from './validate.js';

describe('describeValue', () => {
  it.each([
    ['x', '"x"'],
    ['y'.repeat(81), `"${'y'.repeat(77)}..."`],
    [7, '7'],
    [undefined, 'undefined'],
    [null, 'null'],
    [[1, 2], 'an array of 2'],
    [{}, 'an empty object'],
    [{ data: 'secret', kind: 1 }, 'an object with data, kind'],
    [{ a: 1, b: 2, c: 3, d: 4, e: 5, f: 6 }, 'an object with a, b, c, d, e, …'],
    [Object.create(null), 'an object of no class'],
    [new Map(), 'an object of Map'],
    [Math.max, 'function max'],
    [() => 1, 'function (anonymous)'],
  ])('%#', (value, text) => expect(describeValue(value)).toBe(text));
});

describe('requirements', () => {
  it('return valid values', () => {
    expect(requireNumber('n', 0.5)).toBe(0.5);
    expect(requireNumber('n', 2, 1, 3)).toBe(2);
    expect(requireInteger('n', 2)).toBe(2);
    expect(requireString('s', 'x')).toBe('x');
    expect(requireOneOf('w', 'a', ['a', 'b'])).toBe('a');
    expect(requireFunction('f', () => 1)).toBeUndefined();
    const { signal } = new AbortController();
    expect(requireSignal('signal', signal)).toBe(signal);
    expect(requireSignal('signal', undefined)).toBeUndefined();
  });

  it.each([
    [() => requireNumber('ms', -1), 'ms must be a number of at least 0, got -1'],
    [() => requireNumber('ms', Number.NaN), 'ms must be a number of at least 0, got NaN'],
    [() => requireNumber('ms', '1'), 'ms must be a number of at least 0, got "1"'],
    [() => requireNumber('ms', 9, 1, 3), 'ms must be a number from 1 to 3, got 9'],
    [() => requireInteger('n', 1.5), 'n must be a whole number of at least 0, got 1.5'],
    [() => requireInteger('n', -1), 'n must be a whole number of at least 0, got -1'],
    [() => requireInteger('n', 9, 1, 3), 'n must be a whole number from 1 to 3, got 9'],
    [() => requireString('name', ''), 'name must be a string that is not empty, got ""'],
    [() => requireString('name', 1), 'name must be a string that is not empty, got 1'],
    [() => requireObject('options', null), 'options must be an object, got null'],
    [() => requireObject('client', 'x', 'a Client'), 'client must be a Client, got "x"'],
    [() => requireFunction('filter', 1), 'filter must be a function, got 1'],
    [() => requireOneOf('queue', 'x', ['delta', 'real']), `queue must be one of 'delta', 'real', got "x"`],
    [() => requireSignal('signal', {}), 'signal must be an AbortSignal, got an empty object'],
  ])('throw an error with the option and the value: %#', (check, message) => {
    expect(check).toThrow(TypeError);
    expect(check).toThrow(message);
  });

  it('throw errors of one form', () => {
    expect(optionError('x', 'y', 1)).toBeInstanceOf(TypeError);
  });
});
