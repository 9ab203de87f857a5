import { describe, expect, it } from 'vitest';
import { busy, expired, internal, refused } from '../../../test/support/reflector-rig.js';
import { StatusError } from '../../meta/errors/errors.js';
import * as status from '../../meta/errors/status.js';
import { SilentWatchError } from '../source/open-watch.js';
import {
  type History,
  initialState,
  type Listing,
  next,
  type Outcome,
  type ReflectorState,
  type Streaming,
  type WatchEnded,
  type Watching,
} from './reflector-state.js';

const fresh: History = { versionUnavailable: false, shortWatches: 0, isQuiet: false };
const newest: History = { ...fresh, versionUnavailable: true };
const quiet: History = { ...fresh, isQuiet: true };
const short = (shortWatches: number): History => ({ ...fresh, shortWatches });

const idle = (history = fresh): ReflectorState => ({ name: 'idle', history });
const streaming = (history = fresh, silences = 0): Streaming => ({ name: 'streaming', history, silences });
const listing = (history = fresh, retriedPageSize?: number): Listing => ({ name: 'listing', history, retriedPageSize });
const watching = (history = fresh, { broken = 0, unanswered = 0 } = {}): Watching => ({
  name: 'watching',
  history,
  broken,
  unanswered,
});
const backingOff = (resume: ReflectorState): ReflectorState => ({ name: 'backingOff', resume }) as ReflectorState;

/** A watch that lasted for five minutes without an event, unless `more` says otherwise. */
const ended = (error: unknown, more: Partial<WatchEnded> = {}): WatchEnded => ({
  type: 'watchEnded',
  error,
  atStart: false,
  events: 0,
  objectEvents: 0,
  lastedMs: 300_000,
  mayRetry: false,
  ...more,
});
const atStart = { atStart: true, lastedMs: 10 };
const within1s = { lastedMs: 10, events: 1, objectEvents: 1 };

const silent = new SilentWatchError('things', 15_000, true);
const unanswered = new SilentWatchError('things', 15_000, false);
const lost = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
const tooLarge = new StatusError(status.tooLargeResourceVersion('20', '10'));
const synced: Outcome = { type: 'synced' };
const listFailed = (error: unknown): Outcome => ({ type: 'listFailed', error, pageSize: 500 });

type Row = readonly [
  from: ReflectorState,
  outcome: Outcome,
  to: ReflectorState,
  /** The reason that is reported; in brackets if `listAndWatch` rejects with it. `healthy` clears earlier failures. */
  report?: string,
];

const rows: readonly Row[] = [
  // The beginning of a round.
  [idle(), { type: 'started', mayStream: true }, streaming()],
  [idle(newest), { type: 'started', mayStream: false }, listing(newest)],
  [backingOff(idle(quiet)), { type: 'started', mayStream: true }, streaming(quiet)],
  [backingOff(watching()), { type: 'waited' }, watching()],
  [backingOff(streaming()), { type: 'waited' }, streaming()],

  // A watch-list.
  [streaming(newest), synced, watching()],
  [streaming(), ended(undefined), streaming()],
  [streaming(), ended(undefined, within1s), streaming(short(1))],
  [streaming(short(3)), ended(undefined, within1s), backingOff(streaming(short(4)))],
  [streaming(short(9)), ended(undefined), streaming()],
  [streaming(quiet), ended(undefined, { events: 1, objectEvents: 1 }), streaming()],
  [streaming(), ended(silent), streaming(fresh, 1)],
  [streaming(fresh, 1), ended(silent), listing(), 'stream'],
  [streaming(), ended(busy(), atStart), backingOff(streaming()), 'unavailable'],
  [streaming(fresh, 1), ended(refused(), atStart), backingOff(streaming(fresh, 1)), 'unavailable'],
  [streaming(), ended(expired(), atStart), streaming(newest)],
  [streaming(), ended(tooLarge, atStart), streaming(newest)],
  [streaming(newest), ended(expired(), atStart), listing(newest), 'stream'],
  [streaming(), ended(internal(), atStart), listing(), 'stream'],
  [streaming(), ended(lost), listing(), 'stream'],

  // A list.
  [listing(newest, 500), synced, watching()],
  [listing(), listFailed(expired()), listing(newest, 500)],
  [listing(), listFailed(tooLarge), listing(newest, 500)],
  [listing(newest, 500), listFailed(expired()), backingOff(idle(newest)), '[list]'],
  [listing(), listFailed(internal()), backingOff(idle()), '[list]'],

  // A watch that the server closed, or that fell silent.
  [watching(), ended(undefined), watching(), 'healthy'],
  [watching(), ended(undefined, within1s), watching(short(1))],
  [watching(short(3)), ended(undefined, within1s), backingOff(watching(short(4)))],
  [watching(short(4)), ended(undefined), watching(), 'healthy'],
  [watching(), ended(silent), watching(quiet), 'healthy'],
  [watching(), ended(silent, { events: 7, objectEvents: 7 }), watching(quiet), 'healthy'],
  [watching(quiet), ended(undefined, { events: 1, objectEvents: 0 }), watching(quiet), 'healthy'],
  [watching(quiet), ended(undefined, { events: 1, objectEvents: 1 }), watching(), 'healthy'],
  [watching(), ended(unanswered), watching(quiet, { unanswered: 1 })],
  [
    watching(quiet, { unanswered: 1 }),
    ended(unanswered),
    backingOff(watching(quiet, { unanswered: 2 })),
    'unavailable',
  ],
  [watching(quiet, { unanswered: 2 }), ended(silent), watching(quiet), 'healthy'],

  // A watch that failed.
  [watching(), ended(busy(), atStart), backingOff(watching()), 'unavailable'],
  [watching(), ended(busy()), backingOff(watching()), 'unavailable'],
  [watching(), ended(refused(), atStart), backingOff(watching()), 'unavailable'],
  [watching(), ended(lost, { atStart: true }), watching(fresh, { broken: 1 }), 'silent'],
  [watching(fresh, { broken: 1 }), ended(lost, { atStart: true }), backingOff(idle()), 'silent'],
  [watching(fresh, { broken: 1 }), ended(undefined, { events: 1 }), watching(), 'healthy'],
  [watching(), ended(lost, atStart), backingOff(idle()), '[watch]'],
  [watching(), ended(internal(), atStart), backingOff(idle()), '[watch]'],
  [watching(), ended(expired(), atStart), backingOff(idle()), '[expired]'],
  [watching(), ended(expired(), { events: 3 }), backingOff(idle()), 'expired'],
  [watching(), ended(internal(), { mayRetry: true }), watching(), 'internal'],
  [watching(short(3)), ended(internal(), { ...within1s, mayRetry: true }), backingOff(watching(short(4))), 'internal'],
  [watching(), ended(internal()), backingOff(idle()), 'broken'],
  [watching(), { type: 'resyncFailed', error: internal() }, backingOff(idle()), 'resync'],

  // From any state.
  ...[idle(), streaming(), listing(), watching(), backingOff(watching())].flatMap((state): Row[] => [
    [state, { type: 'aborted' }, { name: 'stopped' }],
    [state, { type: 'threw', error: internal() }, backingOff(idle()), '[watch]'],
  ]),
];

describe('next', () => {
  it.each(rows.map((row, index) => [index, row[0].name, row[1].type, row[2].name, row] as const))(
    'row %i: goes from %s with %s to %s',
    (_index, _from, _outcome, _to, [from, outcome, to, report]) => {
      const { state, failure, isHealthy } = next(from, outcome);
      expect(state).toEqual(to);
      const reason = failure?.rejects === true ? `[${failure.reason}]` : failure?.reason;
      expect(reason ?? (isHealthy === true ? 'healthy' : undefined)).toBe(report);
      if (failure !== undefined) expect(failure.error).toBe((outcome as { error?: unknown }).error);
    },
  );

  it('begins idle', () => {
    expect(initialState).toEqual(idle());
  });

  it.each([
    [idle(), synced],
    [streaming(), listFailed(internal())],
    [listing(), ended(undefined)],
    [watching(), synced],
    [backingOff(watching()), { type: 'started', mayStream: true } as const],
    [{ name: 'stopped' } as const, synced],
  ])('throws for an outcome that its state cannot have (%#)', (state, outcome) => {
    expect(() => next(state, outcome)).toThrow(`cannot go on from ${state.name} with ${outcome.type}`);
  });
});
