import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../protocol.js';
import { flowOf } from './flow.js';

const flow = { rate: 0, lagMs: null, depth: 0, errors: 0, errorsTotal: 0, total: 0, health: 'ok' };
const informer = (id: string, rest: object = {}) => ({
  ...flow,
  ...{ id, name: id, state: 'watching', stalenessMs: 0, objects: 0, skipped: 0 },
  ...rest,
});

function snapshotOf(parts: object): Snapshot {
  return {
    at: 0,
    servers: [],
    informers: [],
    handlers: [],
    queues: [],
    controllers: [],
    problems: [],
    ...parts,
  } as unknown as Snapshot;
}

/** What a stage shows, as one text. */
function shown(snapshot: Snapshot, name: string): string {
  const { lines, rate, unit, health } = flowOf(snapshot).find((stage) => stage.name === name)!;
  const texts = lines.map((line) => `${line.name} ${line.text}${line.isBad ? '!' : ''}`);
  return [`${rate} ${unit}`, ...texts, health].join(', ');
}

describe('the way of the data', () => {
  it('has the stages in their order, also of a process without any', () => {
    const stages = flowOf(snapshotOf({}));
    expect(stages.map(({ name }) => name).join(' → ')).toBe(
      'Server → Reflector → Queue → Store → Handlers → Work queues → Reconciles → Writes',
    );
    expect(stages.every(({ health, rate }) => health === 'ok' && rate === 0)).toBe(true);
  });

  it('adds up the informers of reflectors, queues and stores', () => {
    const snapshot = snapshotOf({
      informers: [
        informer('informer/1', { rate: 7, depth: 2, lagMs: 3, objects: 40 }),
        informer('informer/2', {
          rate: 1,
          depth: 1,
          objects: 2,
          state: 'backingOff',
          stalenessMs: 4000,
          errors: 1,
          errorsTotal: 9,
        }),
      ],
    });
    expect(shown(snapshot, 'Reflector')).toBe('8 changes/s, watching 1 of 2!, staleness 4 s, errors 9!, ok');
    expect(shown(snapshot, 'Queue')).toBe('8 deltas/s, depth 3, batch 3 ms, ok');
    expect(shown(snapshot, 'Store')).toBe('8 changes/s, objects 42, unreadable 0, ok');
  });

  it('puts a problem of an informer where it is', () => {
    const healths = (kind: string) => {
      const problems = [{ kind, severity: 'error', stage: 'informer/1' }];
      const stages = flowOf(snapshotOf({ informers: [informer('informer/1')], problems }));
      return stages.filter(({ health }) => health === 'error').map(({ name }) => name);
    };
    expect(healths('deaf')).toEqual(['Reflector']);
    expect(healths('stale')).toEqual(['Reflector']);
    expect(healths('skipped')).toEqual(['Store']);
  });

  it('has the worst health of handlers, queues and controllers', () => {
    const snapshot = snapshotOf({
      handlers: [
        { ...flow, id: 'handler/1', health: 'warning' },
        { ...flow, id: 'handler/2', health: 'ok', rate: 4, depth: 3, lagMs: 20 },
      ],
      queues: [{ ...flow, id: 'queue/1', health: 'error', retryRate: 2 }],
      controllers: [{ ...flow, id: 'controller/1', depth: 1, workers: 4, failing: 2, health: 'error' }],
    });
    expect(shown(snapshot, 'Handlers')).toBe('4 calls/s, pending 3, lag 20 ms, errors 0, warning');
    expect(shown(snapshot, 'Work queues')).toBe('0 adds/s, depth 0, wait –, retries/s 2, error');
    expect(shown(snapshot, 'Reconciles')).toBe('0 runs/s, running 1 of 4, longest –, failing 2 keys!, error');
  });

  it('marks writes that the server refuses', () => {
    const server = { ...flow, id: 'server/a', writeRate: 3, watches: 2, retries: 0, throttled: 5 };
    const problems = [{ kind: 'denied', severity: 'error', stage: 'server/a' }];
    expect(shown(snapshotOf({ servers: [server], problems }), 'Writes')).toBe(
      '3 writes/s, throttled 5!, retries 0, error',
    );
  });
});
