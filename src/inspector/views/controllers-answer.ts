import type { ControllerSubject, Inventory } from '../inventory.js';
import type { ControllerDetails, ControllersAnswer, KeyState, RunSummary } from '../protocol.js';
import { errorText } from '../recording/error-text.js';
import type { Recording } from '../recording/recording.js';
import { ControllerMeter, durationLimits, type RecordedRun } from '../recording/run-recorder.js';

const mostKeys = 100;
const mostRecent = 50;
const mostCauses = 20;

/** Controllers, managers, leases and permissions in detail. */
export function controllersAnswer(inventory: Inventory, recording: Recording, now: number): ControllersAnswer {
  return {
    at: now,
    controllers: inventory.controllers.map((subject) => details(subject, inventory, recording, now)),
    managers: inventory.managers.map((manager) => ({
      name: manager.name,
      identity: manager.identity,
      isLeader: manager.isLeader,
      shards: manager.shards,
      shardCount: manager.shardCount,
      notReady: manager.notReady ?? null,
    })),
    leases: recording.leases.leases.map(({ lease, identity, isLeader, since, transitions, ...last }) => ({
      lease,
      identity,
      isLeader,
      since: since ?? null,
      transitions: transitions ?? null,
      lastRenewalAt: last.renewedAt ?? null,
      lastRenewalMs: last.renewalMs ?? null,
      lastError: last.error ?? null,
    })),
    denials: recording.servers.denials.map(({ host, ...denial }) => ({ server: inventory.serverId(host), ...denial })),
  };
}

function details(
  { id, member }: ControllerSubject,
  inventory: Inventory,
  recording: Recording,
  now: number,
): ControllerDetails {
  const { instance } = member;
  const { unsettled, running, stale } = instance.keys;
  const meter = recording.runs.controllers.get(instance.name) ?? new ControllerMeter();
  const informer =
    inventory.informers.find((subject) => (subject.informer as unknown) === instance.informer)?.id ?? null;
  const keys = Array.from(unsettled, ([key, { outcome, why, attempt, endedAt, dueAt }]) => ({
    isFailing: outcome !== 'waiting',
    state: { key, informer, attempt, why: errorText(why), since: endedAt, dueAt: dueAt ?? null } satisfies KeyState,
  }));
  const failing = keys.filter(({ isFailing }) => isFailing).map(({ state }) => state);
  const waiting = keys.filter(({ isFailing }) => !isFailing).map(({ state }) => state);
  const behind = Array.from(stale, ({ key, since, behind }): KeyState => {
    const why = `its own writes are not yet in the cache of ${behind.join(', ')}`;
    return { key, informer, attempt: null, why, since, dueAt: null };
  });
  const summary = (run: RecordedRun): RunSummary => ({
    key: run.key,
    informer,
    id: run.id,
    at: run.startedAt,
    durationMs: run.durationMs,
    outcome: run.outcome,
    attempt: run.attempt,
    error: run.error ?? null,
    writes: run.writes.length,
  });
  return {
    id,
    name: instance.name,
    failing: failing.sort((a, b) => b.attempt - a.attempt).slice(0, mostKeys),
    failingCount: failing.length,
    waiting: [...behind, ...waiting].slice(0, mostKeys),
    running: Array.from(running, (run): RunSummary => {
      const open = { outcome: null, error: null, writes: 0 };
      const durationMs = Math.max(0, now - run.startedAt);
      return { key: run.key, informer, id: run.id, at: run.startedAt, durationMs, attempt: run.attempt, ...open };
    })
      .sort((a, b) => b.durationMs - a.durationMs)
      .slice(0, mostKeys),
    longest: meter.longest.map(summary),
    recent: [...meter.runs].slice(-mostRecent).reverse().map(summary),
    causes: Array.from(meter.causes, ([cause, runs]) => ({ cause, runs }))
      .sort((a, b) => b.runs - a.runs)
      .slice(0, mostCauses),
    durations: meter.durations.map((runs, i) => ({ upToMs: durationLimits[i] ?? null, runs })),
  };
}
