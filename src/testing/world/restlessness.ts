import type { Collection, Storage } from '../../apiserver/storage/storage.js';
import type { ShardedObject } from '../../controller/caches.js';
import type { ControllerManager } from '../../controller/manager/manager.js';
import type { CacheOptions } from '../../controller/types.js';
import type { Client, Lister } from '../../index.js';
import { printGroupResource } from '../../meta/resource.js';
import { toLabelSelector } from '../../meta/selectors/label-selector.js';
import { messageOf } from '../../rest/http/request-errors.js';
import type { Run } from './types.js';

/** What is due later does not keep a world from being at rest. */
export const SOON_MS = 60_000;
/** How many keys an error describes. */
const MAX_KEYS = 3;
/** A key that runs more often than this within {@link HOT_MS} of virtual time is in a loop: retries back off before that. */
const HOT_RUNS = 50;
const HOT_MS = 10_000;

/** What a controller of a manager does or will do soon; undefined if nothing. */
export function busyController(manager: ControllerManager): string | undefined {
  for (const { instance } of manager.active) {
    const { name, activity, hasSynced } = instance;
    const { queued, stale, running, withoutWorker, nextDueInMs } = activity;
    if (!hasSynced) return `caches of ${name} have not synced`;
    if (running + withoutWorker > 0) return `${running + withoutWorker} runs of ${name} are in progress`;
    if (queued > 0) return `${queued} keys of ${name} wait for a run`;
    if (stale > 0) return `${stale} keys of ${name} wait for caches to have their own writes`;
    if (nextDueInMs <= SOON_MS) return `a run of ${name} is due in ${Math.round(nextDueInMs)} ms`;
  }
  return undefined;
}

/**
 * The cache of a manager that lacks a change of the world's cluster; undefined if all have it.
 *
 * @param changedAt the version of the last change, by collection
 */
export function staleCache(
  manager: ControllerManager,
  own: Client,
  storage: Storage,
  changedAt: ReadonlyMap<string, number>,
): string | undefined {
  for (const { client, informer, options, covers } of manager.caches.informers) {
    if (client !== own) continue;
    const { resource, status } = informer;
    const name = printGroupResource(resource);
    if (status.state !== 'watching') return `the cache of ${name} is ${status.state}`;
    if (Number(status.resourceVersion) >= (changedAt.get(name) ?? 0)) continue;
    if (isBehind(storage.collection(name), informer.lister, options, covers)) return `the cache of ${name} is behind`;
  }
  return undefined;
}

/** Whether a cache lacks a change of the objects that it selects. Exact except for field selectors, which are not evaluated. */
function isBehind(
  collection: Collection,
  lister: Lister<unknown>,
  options: CacheOptions,
  covers: (object: ShardedObject) => boolean,
): boolean {
  const { namespace, labelSelector, fieldSelector } = options;
  const namespaces = namespace === undefined || namespace === '' ? undefined : [namespace].flat();
  const selector = labelSelector === undefined ? undefined : toLabelSelector(labelSelector);
  let isSame = true;
  let selected = 0;
  collection.scan(Number.POSITIVE_INFINITY, '', '', ({ key, namespace: at, labels, version, uid, owners }) => {
    if (namespaces?.includes(at) === false || selector?.matches(labels) === false) return true;
    if (!covers({ metadata: { uid, namespace: at, ownerReferences: owners } })) return true;
    selected++;
    const cached = lister.entry(key)?.facts.resourceVersion;
    isSame &&= cached === undefined ? fieldSelector !== undefined : cached === String(version);
    return true;
  });
  return !isSame || (fieldSelector === undefined && selected !== lister.count());
}

/** Describes the keys that run most: for the error of a `settle` that does not end. */
export function describeRuns(runs: readonly Run[]): string {
  const byKey = new Map<string, Run[]>();
  for (const run of runs) {
    const name = `${run.controller} ${run.key}`;
    byKey.set(name, [...(byKey.get(name) ?? []), run]);
  }
  const most = [...byKey].sort(([, a], [, b]) => b.length - a.length).slice(0, MAX_KEYS);
  return most.map(([name, of]) => describeKey(name, of)).join('');
}

function describeKey(name: string, runs: readonly Run[]): string {
  const last = runs.at(-1) as Run;
  const recent = runs.slice(-10);
  const times = runs.length === 1 ? 'once' : `${runs.length} times`;
  const causes = [...new Set(recent.flatMap((run) => run.causes))].join(', ') || 'nothing known';
  const writes = [...new Set(recent.flatMap((run) => run.writes.filter(({ changed }) => changed).map(describeWrite)))];
  const lines = [
    `${name} ran ${times}, last as ${last.what}: ${last.outcome}`,
    `woken by: ${causes}`,
    ...(writes.length === 0 ? [] : [`it keeps writing: ${writes.join(', ')}`]),
    ...(last.error === undefined ? [] : [`its last error: ${messageOf(last.error)}`]),
  ];
  return `\n  ${lines.join('\n    ')}`;
}

function describeWrite({ verb, resource, key }: Run['writes'][number]): string {
  return `${verb} ${resource} ${key}`;
}

/** Finds a key that runs without end while a world settles. */
export class HotLoopDetector {
  readonly #startedAt = new Map<string, number[]>();

  /** Notes a run; returns true if its key has run too often. */
  note(run: Run): boolean {
    const name = `${run.replica} ${run.controller} ${run.key}`;
    const times = (this.#startedAt.get(name) ?? []).filter((at) => run.startedAt - at <= HOT_MS);
    times.push(run.startedAt);
    this.#startedAt.set(name, times);
    return times.length > HOT_RUNS;
  }
}
