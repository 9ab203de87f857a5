import fc from 'fast-check';
import { beforeEach, describe, expect, expectTypeOf, it } from 'vitest';
import { FakeLeases } from '../../test/support/fake-leases.js';
import type { EventRecorder } from '../events/event-recorder.js';
import { isAlreadyExists, isConflict, isNotFound } from '../meta/errors/error-predicates.js';
import type { LeaseSpec } from '../resources/types/coordination-v1.js';
import { FakeClock } from '../time/fake-clock.js';
import { microTimestamp } from '../time/timestamps.js';
import { type ElectionRecord, recordOf, specOf } from './election-record.js';
import { type LeaseClient, LeaseLock, type LeaseLockOptions } from './lease-lock.js';

const record: ElectionRecord = {
  holderIdentity: 'baz',
  leaseDurationSeconds: 15,
  acquireTime: '2026-01-01T00:00:00.000000Z',
  renewTime: '2026-01-01T00:00:10.000000Z',
  leaseTransitions: 3,
};

let leases: FakeLeases;
beforeEach(() => {
  leases = new FakeLeases(new FakeClock());
});

function lockOf(options: Partial<LeaseLockOptions> = {}): LeaseLock {
  return new LeaseLock(leases, { namespace: 'system', name: 'boss', identity: 'baz', ...options });
}

describe('the record of a Lease', () => {
  it('[S263] is written and read without loss', () => {
    const spec: LeaseSpec = {
      holderIdentity: 'foo',
      leaseDurationSeconds: 15,
      leaseTransitions: 1,
      acquireTime: '2026-01-01T00:00:00.123456Z',
      renewTime: '2026-01-01T00:00:05.654321Z',
      strategy: 'OldestEmulationVersion',
      preferredHolder: 'bar',
    };
    expect(specOf(recordOf(spec))).toEqual(spec);
    expect(recordOf(specOf(record))).toEqual(record);
    expect(specOf({ ...record, acquireTime: '', renewTime: '' })).toEqual({
      holderIdentity: 'baz',
      leaseDurationSeconds: 15,
      leaseTransitions: 3,
    });
  });

  it('[S281] keeps every field, whatever its value', () => {
    const time = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-12-31') });
    const anyTime = fc.oneof(
      fc.constant(''),
      time.map((date) => microTimestamp(date.getTime())),
    );
    const anyRecord = fc.record(
      {
        holderIdentity: fc.string(),
        leaseDurationSeconds: fc.nat(),
        acquireTime: anyTime,
        renewTime: anyTime,
        leaseTransitions: fc.nat(),
        strategy: fc.string({ minLength: 1 }),
        preferredHolder: fc.string({ minLength: 1 }),
      },
      { requiredKeys: ['holderIdentity', 'leaseDurationSeconds', 'acquireTime', 'renewTime', 'leaseTransitions'] },
    );
    fc.assert(
      fc.property(anyRecord, (one) => {
        expect(recordOf(specOf(one))).toEqual(one);
        expect(recordOf(JSON.parse(JSON.stringify(specOf(one))))).toEqual(one);
      }),
    );
  });
});

describe('LeaseLock', () => {
  it('[S274] rejects with 404 if there is no Lease', async () => {
    await expect(lockOf().get()).rejects.toSatisfy(isNotFound);
  });

  it('[S275] reads the record that was created, and its JSON', async () => {
    await lockOf().create(record);
    const read = await lockOf().get();
    expect(read.record).toEqual(record);
    expect(JSON.parse(read.raw)).toEqual(record);
    expect(leases.lease?.metadata).toMatchObject({ name: 'boss', namespace: 'system' });
  });

  it('[S276] records an event about the Lease, with the identity of the candidate', async () => {
    const noted: unknown[] = [];
    const lock = lockOf({ recorder: { event: (...args) => noted.push(args) } });
    lock.recordEvent('too early');
    await lock.create(record);
    lock.recordEvent('test event');
    const event = { type: 'Normal', reason: 'LeaderElection', message: 'baz test event' };
    expect(noted).toEqual([[leases.lease, event]]);
    expectTypeOf<EventRecorder>().toExtend<NonNullable<LeaseLockOptions['recorder']>>();
  });

  it('[S277] records nothing without a recorder', async () => {
    const lock = lockOf();
    await lock.create(record);
    expect(() => lock.recordEvent('test event')).not.toThrow();
  });

  it('[S278] cannot be created twice', async () => {
    await lockOf().create(record);
    await expect(lockOf().create(record)).rejects.toSatisfy(isAlreadyExists);
  });

  it('[S279] cannot be updated before it was read or created', async () => {
    await lockOf().create(record);
    const lock = lockOf();
    await expect(lock.update(record)).rejects.toThrow(/system\/boss must be read or created/);
    await lock.get();
    await lock.update({ ...record, leaseTransitions: 4 });
    expect(leases.spec.leaseTransitions).toBe(4);
  });

  it('[S280] is described by namespace and name', () => {
    expect(String(lockOf())).toBe('system/boss');
  });

  it('rejects an update if another client has written since', async () => {
    const [one, other] = [lockOf(), lockOf({ identity: 'bing' })];
    await one.create(record);
    await other.get();
    await one.update(record);
    await expect(other.update(record)).rejects.toSatisfy(isConflict);
  });

  it('[S282] adds its labels to a Lease that had none', async () => {
    leases.put(specOf(record));
    const lock = lockOf({ labels: { app: 'mine' } });
    await lock.get();
    await lock.update(record);
    expect(leases.lease?.metadata.labels).toEqual({ app: 'mine' });
  });

  it('[S283] keeps the labels of the Lease when it has none', async () => {
    leases.put(specOf(record), { app: 'yours' });
    const lock = lockOf();
    await lock.get();
    await lock.update(record);
    expect(leases.lease?.metadata.labels).toEqual({ app: 'yours' });
  });

  it('[S284] restores its own labels and keeps others', async () => {
    const lock = lockOf({ labels: { app: 'mine' } });
    await lock.create(record);
    expect(leases.lease?.metadata.labels).toEqual({ app: 'mine' });
    leases.put(specOf(record), { app: 'changed', other: 'kept' });
    await lock.get();
    await lock.update(record);
    expect(leases.lease?.metadata.labels).toEqual({ app: 'mine', other: 'kept' });
  });

  it('requires namespace, name and identity', () => {
    expect(() => lockOf({ identity: '' })).toThrow(/identity must be a string that is not empty/);
    expect(() => lockOf({ name: '' })).toThrow(/name must be/);
    expect(() => lockOf({ namespace: '' })).toThrow(/namespace must be/);
    expect(() => lockOf({ recorder: {} as never })).toThrow(/recorder.event must be a function/);
  });
});

it('every request ends with the signal it was given', async () => {
  const signals: (AbortSignal | undefined)[] = [];
  const inner = leases.coordination.v1.leases('system');
  const client: LeaseClient = {
    get: (name, options) => (signals.push(options?.signal), inner.get(name, options)),
    create: (lease, options) => (signals.push(options?.signal), inner.create(lease, options)),
    update: (lease, options) => (signals.push(options?.signal), inner.update(lease, options)),
  };
  const lock = new LeaseLock(
    { coordination: { v1: { leases: () => client } } },
    { namespace: 'system', name: 'boss', identity: 'baz' },
  );
  const { signal } = new AbortController();
  await lock.create(record, { signal });
  await lock.get({ signal });
  await lock.update(record, { signal });
  expect(signals).toEqual([signal, signal, signal]);
});
