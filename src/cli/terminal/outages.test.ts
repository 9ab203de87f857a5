import { expect, it } from 'vitest';
import { StatusError } from '../../meta/errors/errors.js';
import { forbidden } from '../../meta/errors/status.js';
import { FakeClock } from '../../time/fake-clock.js';
import { Outages } from './outages.js';

it('prints errors, and a line when the watch is open again', async () => {
  const clock = new FakeClock();
  const told: string[] = [];
  const pods = {
    hasSynced: true,
    status: { state: 'backingOff' as 'backingOff' | 'watching', consecutiveFailures: 1 },
  };
  const outages = new Outages({ write: (text: string) => told.push(text) }, clock, () => pods);
  outages.tell('pods.v1', new Error('expired'), 'expired');
  outages.tell('pods.v1', new Error('an object is left out'), 'skipped');
  outages.tell('pods.v1', new Error('connection refused'), 'watch');
  expect(told.splice(0)).toEqual(['pods.v1: an object is left out\n', 'pods.v1: connection refused; trying again\n']);

  pods.status = { state: 'watching', consecutiveFailures: 1 };
  await clock.advance(10_000);
  expect(told).toEqual([]);
  pods.status = { state: 'watching', consecutiveFailures: 0 };
  await clock.advance(1000);
  expect(told).toEqual(['pods.v1: watching again\n']);
  expect(clock.pendingTimers).toEqual([]);

  outages.tell('pods.v1', new Error('connection refused'), 'watch');
  outages.stop();
  expect(clock.pendingTimers).toEqual([]);
});

it('leaves the refusal of a first list to the command', () => {
  const told: string[] = [];
  const pods = { hasSynced: false, status: { state: 'backingOff' as const, consecutiveFailures: 1 } };
  const outages = new Outages({ write: (text: string) => told.push(text) }, new FakeClock(), () => pods);
  outages.tell('pods.v1', new StatusError(forbidden({ group: '', resource: 'pods' }, '', 'no')), 'list');
  expect(told).toEqual([]);
});
