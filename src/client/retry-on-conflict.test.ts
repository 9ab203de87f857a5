import { expect, it } from 'vitest';
import { isConflict } from '../meta/errors/error-predicates.js';
import { StatusError } from '../meta/errors/errors.js';
import { conflict, forbidden } from '../meta/errors/status.js';
import { FakeClock } from '../time/fake-clock.js';
import { retryOnConflict } from './retry-on-conflict.js';

const resource = { group: 'apps', resource: 'deployments' };

/** An attempt that fails with these errors, one after the other, and then succeeds. */
function failing(...errors: Error[]) {
  const tries = { count: 0 };
  const attempt = async () => {
    const error = errors[tries.count++];
    if (error !== undefined) throw error;
    return 'written';
  };
  return { attempt, tries };
}

const inConflict = () => new StatusError(conflict(resource, 'web', 'the object has been modified'));

it.each([
  ['a refusal', new StatusError(forbidden(resource, 'web', 'no'))],
  ['an error that is no Status', new Error('connection reset')],
])('%s is not retried', async (_, error) => {
  const { attempt, tries } = failing(error);
  const clock = new FakeClock();
  await expect(retryOnConflict(attempt, { clock })).rejects.toBe(error);
  expect(tries.count).toBe(1);
  expect(clock.pendingTimers).toEqual([]);
});

it('a conflict is retried, and another error after it is not', async () => {
  const clock = new FakeClock();
  const good = failing(inConflict(), inConflict());
  const written = retryOnConflict(good.attempt, { clock });
  await clock.advance(1000);
  expect([await written, good.tries.count]).toEqual(['written', 3]);
  const bad = failing(inConflict(), new Error('connection reset'));
  const failed = retryOnConflict(bad.attempt, { clock });
  failed.catch(() => {});
  await clock.advance(1000);
  await expect(failed).rejects.toThrow('connection reset');
  expect(bad.tries.count).toBe(2);
});

it.each([
  [undefined, 5],
  [{ steps: 4, factor: 5 }, 4],
])('the last conflict is thrown when all attempts of the policy are used up', async (policy, attempts) => {
  const clock = new FakeClock();
  const { attempt, tries } = failing(...Array.from({ length: 10 }, inConflict));
  const failed = retryOnConflict(attempt, { clock, policy });
  failed.catch(() => {});
  await clock.advance(10_000);
  await expect(failed).rejects.toSatisfy(isConflict);
  expect(tries.count).toBe(attempts);
});

it('an abort ends the wait between two attempts', async () => {
  const { attempt, tries } = failing(inConflict());
  const stop = new AbortController();
  const clock = new FakeClock();
  const failed = retryOnConflict(attempt, { clock, signal: stop.signal });
  failed.catch(() => {});
  await clock.runUntilIdle();
  stop.abort(new Error('enough'));
  await expect(failed).rejects.toThrow('enough');
  expect(tries.count).toBe(1);
});
