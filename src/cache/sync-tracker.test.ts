import { describe, expect, it } from 'vitest';
import { AsyncTracker, SingleFileTracker } from './sync-tracker.js';

/** Both trackers, told the same. */
const trackers = [
  {
    name: 'AsyncTracker',
    make: () => {
      const tracker = new AsyncTracker<string>();
      return { tracker, start: () => tracker.start('key'), finish: () => tracker.finished('key') };
    },
  },
  {
    name: 'SingleFileTracker',
    make: () => {
      const tracker = new SingleFileTracker();
      return { tracker, start: () => tracker.start(), finish: () => tracker.finished() };
    },
  },
];

describe.each(trackers)('$name', ({ make }) => {
  it.each([
    { upstream: true, first: true, start: true, finish: true, synced: true },
    { upstream: true, first: false, start: true, finish: true, synced: true },
    { upstream: true, first: true, start: true, finish: false, synced: true },
    { upstream: true, first: false, start: true, finish: false, synced: false },
    { upstream: false, first: true, start: true, finish: true, synced: false },
    { upstream: true, first: true, start: false, finish: false, synced: true },
  ])('[S219] $upstream $first $start $finish → $synced', ({ upstream, first, start, finish, synced }) => {
    const { tracker, ...work } = make();
    if (upstream && first) tracker.upstreamHasSynced();
    if (start) work.start();
    if (upstream && !first) tracker.upstreamHasSynced();
    if (finish) work.finish();
    expect(tracker.hasSynced).toBe(synced);
  });

  it('tells those who wait, and stays synced', async () => {
    const { tracker, start, finish } = make();
    let told = false;
    const waiting = tracker.whenSynced().then(() => {
      told = true;
    });
    const stop = new AbortController();
    const impatient = tracker.whenSynced({ signal: stop.signal });
    start();
    tracker.upstreamHasSynced();
    stop.abort(new Error('enough'));
    await expect(impatient).rejects.toThrow('enough');
    expect(told).toBe(false);
    finish();
    await waiting;
    start();
    tracker.upstreamHasSynced();
    expect(tracker.hasSynced).toBe(true);
    await tracker.whenSynced();
  });
});

describe('AsyncTracker', () => {
  it('[S220] work side by side ends in any order', () => {
    const tracker = new AsyncTracker<number>();
    const keys = Array.from({ length: 11 }, (_, i) => i);
    for (const key of keys) tracker.start(key);
    for (const key of keys.toReversed()) tracker.finished(key);
    expect(tracker.hasSynced).toBe(false);
    tracker.upstreamHasSynced();
    expect(tracker.hasSynced).toBe(true);
  });

  it('a key that was never started is no harm, and one that started twice is one', () => {
    const tracker = new AsyncTracker<string>();
    tracker.finished('never');
    tracker.start('a');
    tracker.start('a');
    tracker.upstreamHasSynced();
    expect(tracker.hasSynced).toBe(false);
    tracker.finished('a');
    expect(tracker.hasSynced).toBe(true);
  });
});

describe('SingleFileTracker', () => {
  it('[S221] counts, and refuses to count below zero', () => {
    const tracker = new SingleFileTracker();
    for (let i = 0; i < 100; i++) tracker.start();
    for (let i = 0; i < 99; i++) tracker.finished();
    tracker.upstreamHasSynced();
    expect(tracker.hasSynced).toBe(false);
    tracker.finished();
    expect(tracker.hasSynced).toBe(true);
    expect(() => tracker.finished()).toThrow('negative counter');
    expect(tracker.hasSynced).toBe(true);
  });

  it.each([
    { upstream: true, first: true, starts: 1, finishes: 1, synced: true },
    { upstream: true, first: false, starts: 1, finishes: 1, synced: true },
    { upstream: true, first: false, starts: 2, finishes: 1, synced: false },
    { upstream: true, first: false, starts: 1, finishes: 0, synced: false },
    { upstream: false, first: true, starts: 1, finishes: 1, synced: false },
    { upstream: true, first: true, starts: 0, finishes: 0, synced: true },
  ])('[S222] $upstream $first $starts $finishes → $synced', ({ upstream, first, starts, finishes, synced }) => {
    const tracker = new SingleFileTracker();
    if (upstream && first) tracker.upstreamHasSynced();
    for (let i = 0; i < starts; i++) tracker.start();
    if (upstream && !first) tracker.upstreamHasSynced();
    for (let i = 0; i < finishes; i++) tracker.finished();
    expect(tracker.hasSynced).toBe(synced);
  });
});
