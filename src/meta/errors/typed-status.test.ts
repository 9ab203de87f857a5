import { describe, expect, it } from 'vitest';
import { isTooLargeResourceVersion } from './error-predicates.js';
import { StatusError } from './errors.js';
import type { Status } from './status.js';
import { typedStatus } from './typed-status.js';

const good: Status = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'no',
  reason: 'NotFound',
  details: { name: 'a', causes: [{ reason: 'x', field: 'spec' }], retryAfterSeconds: 1 },
  code: 404,
};

const without = (...names: (keyof Status)[]): object =>
  Object.fromEntries(Object.entries(good).filter(([name]) => !names.includes(name as keyof Status)));

describe('typedStatus', () => {
  it('returns a Status whose fields have the right types unchanged', () => {
    expect(typedStatus(good)).toBe(good);
  });

  it.each([
    [{ ...good, code: '404' }, without('code')],
    [{ ...good, message: 5, reason: null }, without('message', 'reason')],
    [{ ...good, details: 'none' }, without('details')],
    [
      { ...good, details: { name: {}, retryAfterSeconds: Number.POSITIVE_INFINITY } },
      { ...good, details: {} },
    ],
    [
      { ...good, details: { causes: { a: 1 } } },
      { ...good, details: { causes: [] } },
    ],
    [
      { ...good, details: { causes: [null, 'x', { reason: 1, field: 'a' }] } },
      { ...good, details: { causes: [{ field: 'a' }] } },
    ],
  ])('leaves out what has the wrong type: %j', (said, typed) => {
    expect(typedStatus(said as unknown as Status)).toStrictEqual(typed);
  });
});

describe('a StatusError of a malformed Status', () => {
  it('has the HTTP status as its code, and fields that predicates can read', () => {
    const said = { ...good, code: '410', reason: 'Timeout', message: { text: 'a' }, details: { causes: 'none' } };
    const error = StatusError.fromResponse(504, JSON.stringify(said));
    expect(error).toMatchObject({ status: 504, reason: 'Timeout', causes: [], retryAfterMs: undefined });
    expect(isTooLargeResourceVersion(error)).toBe(false);
  });
});
