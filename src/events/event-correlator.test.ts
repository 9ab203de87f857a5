import { describe, expect, it } from 'vitest';
import { FakeClock } from '../time/fake-clock.js';
import { type CoreEvent, coreEventOf } from './core-event.js';
import { type CorrelationOptions, EventCorrelator } from './event-correlator.js';
import { EventNames } from './event-names.js';
import { occurrenceOf } from './occurrence.js';

interface EventChange {
  readonly message?: string;
  readonly object?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly type?: 'Normal' | 'Warning';
}

function setup(options?: CorrelationOptions) {
  const clock = new FakeClock();
  const names = new EventNames(clock);
  const correlator = new EventCorrelator(clock, names, options);
  const make = ({
    message = 'the message',
    object = 'web-0',
    reason = 'Pulled',
    type = 'Normal',
    fieldPath,
  }: EventChange = {}): CoreEvent => {
    const subject = { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: object, uid: `uid of ${object}` };
    const reporter = { component: 'kubelet', host: 'node-1' };
    const regarding = fieldPath === undefined ? subject : { ...subject, fieldPath };
    return coreEventOf(occurrenceOf(regarding, { type, reason, message }, reporter, clock.now()), names);
  };
  const correlate = (event?: EventChange) => {
    const { record, isSpam } = correlator.correlate(make(event));
    return { ...record.event, isSpam };
  };
  return { clock, correlate };
}

const unique = (count: number): EventChange[] => Array.from({ length: count }, (_, i) => ({ object: `web-${i + 1}` }));
const similar = (count: number): EventChange[] =>
  Array.from({ length: count }, (_, i) => ({ message: `message ${i}` }));
const same = (count: number): EventChange[] => new Array(count).fill({});

describe('EventCorrelator', () => {
  const combined = '(combined from similar events): last';
  const rows: {
    title: string;
    before: EventChange[];
    last?: EventChange;
    everyMs?: number;
    count?: number;
    message?: string;
    isSpam?: boolean;
  }[] = [
    { title: 'a single event counts 1', before: [], count: 1 },
    { title: 'the same again counts 2', before: same(1), count: 2 },
    { title: 'the same eleven times counts 11', before: same(10), count: 11 },
    { title: 'the 27th of the same at 1 s is held back', before: same(26), everyMs: 1000, isSpam: true },
    { title: 'unique events do not disturb each other', before: unique(30), last: { object: 'other' }, count: 1 },
    {
      title: 'the tenth similar event starts an aggregate',
      before: similar(9),
      last: { message: 'last' },
      count: 1,
      message: combined,
    },
    {
      title: 'the eleventh is counted on the aggregate',
      before: similar(10),
      last: { message: 'last' },
      count: 2,
      message: combined,
    },
    {
      title: 'another fieldPath makes another event',
      before: same(1),
      last: { fieldPath: 'spec.containers{web}' },
      count: 1,
    },
    {
      title: 'similar events more than ten minutes apart are not combined',
      before: similar(9),
      last: { message: 'last' },
      everyMs: 600_001,
      count: 1,
      message: 'last',
    },
  ];
  for (const { title, before, last, everyMs, count, message, isSpam = false } of rows) {
    it(`[S301] ${title}`, async () => {
      const { clock, correlate } = setup();
      for (const event of before) {
        correlate(event);
        await clock.advance(everyMs ?? 0);
      }
      const correlated = correlate(last);
      expect(correlated.isSpam).toBe(isSpam);
      if (count !== undefined) expect(correlated.count).toBe(count);
      if (message !== undefined) expect(correlated.message).toBe(message);
    });
  }

  it('[S301] a similar event exactly ten minutes later is combined', async () => {
    const { clock, correlate } = setup();
    for (const event of similar(9)) {
      correlate(event);
      await clock.advance(600_000);
    }
    expect(correlate({ message: 'last' }).message).toBe(combined);
  });

  it('keeps name and firstTimestamp of a repeated event, and updates lastTimestamp', async () => {
    const { clock, correlate } = setup();
    const first = correlate();
    await clock.advance(5000);
    const second = correlate();
    expect(second.metadata.name).toBe(first.metadata.name);
    expect(second.firstTimestamp).toBe('2026-01-01T00:00:00Z');
    expect(second.lastTimestamp).toBe('2026-01-01T00:00:05Z');
  });

  it('gives an aggregate its own name and count', () => {
    const { correlate } = setup();
    const names = new Set([...similar(12)].map((event) => correlate(event).metadata.name));
    // Nine single events; three on the aggregate.
    expect(names.size).toBe(10);
    expect(correlate({ message: 'message 0' }).count).toBe(4);
  });

  it('counts rate-limited events, and writes one every five minutes', async () => {
    const { clock, correlate } = setup();
    for (let i = 0; i < 25; i++) expect(correlate().isSpam).toBe(false);
    for (let i = 0; i < 10; i++) expect(correlate({ reason: 'Other' }).isSpam).toBe(true);
    expect(correlate().isSpam).toBe(true);
    await clock.advance(300_000);
    expect(correlate()).toMatchObject({ isSpam: false, count: 27 });
    expect(correlate().isSpam).toBe(true);
  });

  it('limits each type by itself: a Warning is written after 30 Normal events', () => {
    const { correlate } = setup();
    for (let i = 0; i < 30; i++) correlate();
    expect(correlate().isSpam).toBe(true);
    expect(correlate({ type: 'Warning' }).isSpam).toBe(false);
  });

  it('combines similar events of different containers', () => {
    const { correlate } = setup();
    const event = Array.from({ length: 10 }, (_, i) =>
      correlate({ message: `m${i}`, fieldPath: `spec.containers{c${i}}` }),
    );
    expect(event.map(({ message }) => message.startsWith('(combined'))).toEqual([...new Array(9).fill(false), true]);
  });

  it('counts a known message on its own event, also after ten others were combined', () => {
    const { correlate } = setup();
    for (const event of similar(10)) correlate(event);
    expect(correlate({ message: 'message 5' })).toMatchObject({ message: 'message 5', count: 2 });
    expect(correlate({ message: 'last' }).message).toBe(combined);
  });

  it('forgets the least recently recorded event when the cache is full', () => {
    const { correlate } = setup({ cacheSize: 2 });
    correlate({ object: 'a' });
    correlate({ object: 'b' });
    correlate({ object: 'c' });
    expect(correlate({ object: 'a' }).count).toBe(1);
    expect(correlate({ object: 'c' }).count).toBe(2);
  });

  it('rejects invalid options', () => {
    expect(() => setup({ burst: 0 })).toThrow('burst must be a whole number of at least 1, got 0');
    expect(() => setup({ cacheSize: 1.5 })).toThrow('cacheSize');
    expect(() => setup({ maxSimilar: 0 })).toThrow('maxSimilar');
    expect(() => setup({ similarWithinMs: -1 })).toThrow('similarWithinMs');
    expect(() => setup({ refillMs: 0 })).toThrow('refillMs');
  });
});
