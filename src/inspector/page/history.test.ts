import { describe, expect, it } from 'vitest';
import type { History, Snapshot } from '../protocol.js';
import { PlotHistory, total, totalOf } from './history.js';

const flow = (rate: number, lagMs: number | null = null, depth = 0, errors = 0) => ({ rate, lagMs, depth, errors });
const snapshot = (at: number, informers: Readonly<Record<string, ReturnType<typeof flow>>>): Snapshot =>
  ({
    at,
    servers: [],
    handlers: [],
    queues: [],
    controllers: [],
    informers: Object.entries(informers).map(([id, numbers]) => ({ id, ...numbers })),
  }) as unknown as Snapshot;

const sent: History = {
  version: 1,
  at: [1000, 2000],
  series: {
    'informer/1': { rate: [1, 2], lagMs: [5, null], depth: [0, 1], errors: [0, 0] },
    'informer/2': { rate: [null, 3], lagMs: [null, 7], depth: [null, 0], errors: [null, 1] },
    'queue/a': { rate: [10, 10], lagMs: [1, 1], depth: [4, 4], errors: [0, 0] },
  },
};

describe('the history of plots', () => {
  it('begins with the points that the process sent, and adds up stages of one sort', () => {
    const history = new PlotHistory(sent);
    expect(history.times).toEqual([1000, 2000]);
    expect(history.column('informer/2', 'rate')).toEqual([null, 3]);
    expect(history.column(totalOf('informers'), 'rate')).toEqual([1, 5]);
    expect(history.column(totalOf('informers'), 'lagMs')).toEqual([5, 7]);
    expect(history.column(totalOf('queues'), 'depth')).toEqual([4, 4]);
    expect(history.column(totalOf('controllers'), 'rate')).toEqual([null, null]);
  });

  it('gets one point of each snapshot, null for stages that are not in it', () => {
    const history = new PlotHistory(sent);
    history.add(snapshot(3000, { 'informer/1': flow(4, 9), 'informer/3': flow(6) }));
    expect(history.times).toEqual([1000, 2000, 3000]);
    expect(history.column('informer/1', 'rate')).toEqual([1, 2, 4]);
    expect(history.column('informer/2', 'rate')).toEqual([null, 3, null]);
    expect(history.column('informer/3', 'rate')).toEqual([null, null, 6]);
    expect(history.column(totalOf('informers'), 'rate')).toEqual([1, 5, 10]);
    expect(history.column(totalOf('informers'), 'lagMs')).toEqual([5, 7, 9]);
  });

  it('keeps ten minutes, and forgets stages that were not there in this time', () => {
    const history = new PlotHistory(sent);
    for (let at = 3; at < 700; at++) history.add(snapshot(at * 1000, { 'informer/1': flow(at) }));
    expect(history.times.length).toBe(600);
    expect(history.column('informer/1', 'rate')).toEqual(history.times.map((at) => at / 1000));
    expect(history.column('informer/2', 'rate').every((value) => value === null)).toBe(true);
  });

  it('has a column of nulls for an unknown stage', () => {
    expect(new PlotHistory(sent).column('informer/9', 'depth')).toEqual([null, null]);
    expect(new PlotHistory().column('informer/9', 'depth')).toEqual([]);
  });

  it('adds up rates, depths and errors, and takes the longest lag', () => {
    const stages = [flow(1, null, 2, 1), flow(2, 8, 3, 0), flow(4, 3, 0, 0)] as unknown as Parameters<typeof total>[0];
    expect(total(stages)).toEqual({ rate: 7, lagMs: 8, depth: 5, errors: 1 });
    expect(total([])).toEqual({ rate: 0, lagMs: null, depth: 0, errors: 0 });
  });
});
