import { describe, expect, it } from 'vitest';
import type {
  ControllerStage,
  HandlerStage,
  InformerStage,
  Problem,
  QueueStage,
  ServerStage,
  Snapshot,
} from '../protocol.js';
import { type ProblemFacts, ProblemTracker } from './problems.js';

const flow = { rate: 0, lagMs: null, depth: 0, errors: 0, errorsTotal: 0, total: 0, health: 'ok' } as const;
const informer: InformerStage = {
  ...flow,
  id: 'informer/1',
  name: 'pods.v1',
  server: 'server/a',
  group: '',
  version: 'v1',
  resource: 'pods',
  kind: 'Pod',
  state: 'watching',
  hasSynced: true,
  resourceVersion: '7',
  stalenessMs: 0,
  lastEventAt: null,
  lastBookmarkAt: null,
  consecutiveFailures: 0,
  lastError: null,
  objects: 3,
  listed: 3,
  skipped: 0,
  relists: 0,
};
const handler: HandlerStage = {
  ...flow,
  id: 'handler/1',
  name: 'print',
  informer: 'informer/1',
  to: null,
  callMs: 1,
  blockedMs: 1,
  busy: 0.01,
  runningMs: null,
  hasSynced: true,
};
const queue: QueueStage = {
  ...flow,
  id: 'queue/1',
  name: 'work',
  controller: null,
  retryRate: 0,
  takenRate: 0,
  processing: 0,
  hottest: [],
};
const controller: ControllerStage = {
  ...flow,
  id: 'controller/1',
  name: 'widgets',
  manager: 'operator',
  queue: 'queue/1',
  informer: 'informer/1',
  writesTo: 'server/a',
  workers: 4,
  waiting: 0,
  failing: 0,
  isActive: true,
  outcomes: { done: 0, requeued: 0, waiting: 0, failed: 0, terminal: 0, aborted: 0 },
  writeRate: 0,
  skippedApplies: 0,
};
const server: ServerStage = {
  ...flow,
  id: 'server/a',
  name: 'a',
  host: 'a',
  writeRate: 0,
  watches: 1,
  retries: 0,
  throttled: 0,
};
const healthy: Snapshot = {
  at: 0,
  recording: { since: 0, viewers: 1, lingerMs: 1, changes: 0, oldestChangeAt: null, bytes: 0, maxBytes: 1 },
  process: {
    pid: 1,
    name: 'program',
    startedAt: 0,
    node: 'v24.0.0',
    cpu: 0.1,
    rssBytes: 1,
    heapUsedBytes: 1,
    eventLoopLagMs: 3,
  },
  servers: [server],
  informers: [informer],
  handlers: [handler],
  queues: [queue],
  controllers: [controller],
  problems: [],
};
const noFacts: ProblemFacts = { denials: [], failing: new Map() };

/** The problems of one snapshot with changes of its stages, 1,000 s after the start. */
function problemsOf(change: Partial<Snapshot>, facts: Partial<ProblemFacts> = {}): readonly Problem[] {
  return new ProblemTracker().judge({ ...healthy, at: 1_000_000, ...change }, { ...noFacts, ...facts }).problems;
}

/** The problems after the depth of a stage had these values, one a second. */
function afterDepths(stages: (depth: number) => Partial<Snapshot>, depths: readonly number[]): readonly Problem[] {
  const tracker = new ProblemTracker();
  let problems: readonly Problem[] = [];
  for (const [second, depth] of depths.entries())
    problems = tracker.judge({ ...healthy, at: second * 1000, ...stages(depth) }, noFacts).problems;
  return problems;
}

const kinds = (problems: readonly Problem[]) => problems.map(({ kind }) => kind);

describe('problems', () => {
  it('a healthy process has none', () => {
    expect(problemsOf({})).toEqual([]);
  });

  it('an informer that has not synced is one at once if it has failed, and else after 30 s', () => {
    const unsynced = { ...informer, hasSynced: false, state: 'listing' } as const;
    expect(problemsOf({ informers: [unsynced] })).toEqual([]);
    const failed = { ...unsynced, consecutiveFailures: 1, lastError: 'forbidden', state: 'backingOff' } as const;
    expect(problemsOf({ informers: [failed] })).toMatchObject([
      { kind: 'unsynced', severity: 'error', stage: 'informer/1', detail: 'forbidden' },
    ]);
    const tracker = new ProblemTracker();
    const at = (ms: number) => kinds(tracker.judge({ ...healthy, at: ms, informers: [unsynced] }, noFacts).problems);
    expect([at(0), at(29_000), at(30_000)]).toEqual([[], [], ['unsynced']]);
  });

  it('a deaf informer has three failures in a row', () => {
    const failing = (failures: number) => ({ ...informer, consecutiveFailures: failures, lastError: 'refused' });
    expect(problemsOf({ informers: [failing(2)] })).toEqual([]);
    expect(problemsOf({ informers: [failing(3)] })).toMatchObject([
      { kind: 'deaf', title: 'pods.v1 is deaf: 3 failures in a row', detail: 'refused' },
    ]);
  });

  it('a stale informer has no watch for 10 s, or is silent for 3 min', () => {
    expect(problemsOf({ informers: [{ ...informer, stalenessMs: 9_000 }] })).toEqual([]);
    expect(kinds(problemsOf({ informers: [{ ...informer, stalenessMs: 10_000 }] }))).toEqual(['stale']);
    const tracker = new ProblemTracker();
    const at = (ms: number, lastBookmarkAt: number) =>
      kinds(tracker.judge({ ...healthy, at: ms, informers: [{ ...informer, lastBookmarkAt }] }, noFacts).problems);
    expect([at(0, 0), at(179_000, 0), at(180_000, 0), at(181_000, 120_000)]).toEqual([[], [], ['stale'], []]);
  });

  it('objects that cannot be read are a warning', () => {
    expect(problemsOf({ informers: [{ ...informer, skipped: 2 }] })).toMatchObject([
      { kind: 'skipped', severity: 'warning', title: 'pods.v1 could not read 2 objects' },
    ]);
  });

  it('a slow handler holds the event loop, or does not end', () => {
    for (const slow of [{ blockedMs: 50 }, { busy: 0.5 }, { runningMs: 10_000 }])
      expect(kinds(problemsOf({ handlers: [{ ...handler, ...slow }] }))).toEqual(['slowHandler']);
    // An asynchronous call may take its time.
    expect(problemsOf({ handlers: [{ ...handler, callMs: 5000, runningMs: 5000 }] })).toEqual([]);
  });

  it('a lagging handler is behind by a second, or by more and more events', () => {
    expect(kinds(problemsOf({ handlers: [{ ...handler, lagMs: 1000 }] }))).toEqual(['laggingHandler']);
    const stages = (depth: number) => ({ handlers: [{ ...handler, depth }] });
    const growing = Array.from({ length: 12 }, (_, i) => i * 200);
    expect(kinds(afterDepths(stages, growing))).toEqual(['laggingHandler']);
    expect(afterDepths(stages, new Array(12).fill(2000))).toEqual([]);
  });

  it('a handler that throws is one for 10 s', () => {
    const tracker = new ProblemTracker();
    const at = (ms: number, errors: number) =>
      tracker.judge({ ...healthy, at: ms, handlers: [{ ...handler, errors, errorsTotal: 2 }] }, noFacts).problems;
    const [first] = at(0, 2);
    expect(first).toMatchObject({ kind: 'failingHandler', severity: 'error', since: 0 });
    expect(at(9_000, 0)).toEqual([first]);
    expect(at(10_000, 0)).toEqual([]);
  });

  it('a growing queue has a fifth more items than ten seconds ago', () => {
    const stages = (depth: number) => ({ queues: [{ ...queue, depth, rate: 30, takenRate: 10 }] });
    const growing = Array.from({ length: 12 }, (_, i) => 40 + i * 20);
    expect(afterDepths(stages, growing)).toMatchObject([
      { kind: 'growingQueue', title: 'the queue work grows: 260 items, 60 ten seconds ago' },
    ]);
    expect(afterDepths(stages, growing.slice(0, 5))).toEqual([]);
    expect(afterDepths(stages, [...growing].reverse())).toEqual([]);
    expect(afterDepths(stages, new Array(12).fill(500))).toEqual([]);
  });

  it('a hot key is added five times a second', () => {
    const hottest = [
      { item: 'default/a', rate: 40 },
      { item: 'default/b', rate: 4 },
    ];
    expect(problemsOf({ queues: [{ ...queue, hottest }] })).toMatchObject([
      { kind: 'hotKey', stage: 'queue/1', keys: ['default/a'] },
    ]);
    expect(problemsOf({ queues: [{ ...queue, hottest: hottest.slice(1) }] })).toEqual([]);
  });

  it('failing keys are named, with the error of the first', () => {
    const failing = new Map([
      [
        'controller/1',
        [
          { key: 'default/a', why: 'disk is full' },
          { key: 'default/b', why: 'no' },
        ],
      ],
    ]);
    expect(problemsOf({ controllers: [{ ...controller, failing: 2 }] }, { failing })).toMatchObject([
      {
        kind: 'failingKey',
        title: 'widgets fails for default/a and 1 more',
        detail: 'disk is full',
        keys: ['default/a', 'default/b'],
      },
    ]);
  });

  it('slow runs, refused requests and a late event loop are problems', () => {
    expect(kinds(problemsOf({ controllers: [{ ...controller, lagMs: 12_000 }] }))).toEqual(['slowRun']);
    expect(kinds(problemsOf({ process: { ...healthy.process, eventLoopLagMs: 250 } }))).toEqual(['busyLoop']);
    const denial = { host: 'a', verb: 'list', path: '/api/v1/pods', status: 403, count: 1, message: 'no' };
    const denied = (lastAt: number) => problemsOf({}, { denials: [{ ...denial, lastAt }] });
    expect(denied(999_000)).toMatchObject([{ kind: 'denied', stage: 'server/a', detail: 'no' }]);
    expect(denied(900_000)).toEqual([]);
  });

  it('errors come before warnings, and stages have the worst of theirs', () => {
    const stages = {
      informers: [{ ...informer, skipped: 1, consecutiveFailures: 9 }],
      handlers: [{ ...handler, lagMs: 2000 }],
    };
    const judged = new ProblemTracker().judge({ ...healthy, ...stages }, noFacts);
    expect(kinds(judged.problems)).toEqual(['deaf', 'skipped', 'laggingHandler']);
    expect([judged.informers[0]?.health, judged.handlers[0]?.health, judged.queues[0]?.health]).toEqual([
      'error',
      'warning',
      'ok',
    ]);
  });

  it('a problem keeps the time since when it lasts', () => {
    const tracker = new ProblemTracker();
    const at = (ms: number, failures: number) =>
      tracker.judge({ ...healthy, at: ms, informers: [{ ...informer, consecutiveFailures: failures }] }, noFacts)
        .problems[0]?.since;
    expect([at(1000, 3), at(2000, 4), at(3000, 0), at(4000, 3)]).toEqual([1000, 1000, undefined, 4000]);
  });
});
