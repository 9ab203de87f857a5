import { everyShard } from '../../informers/shards/shard-selector.js';
import { isForbidden } from '../../meta/errors/error-predicates.js';
import { asError } from '../../meta/errors/errors.js';
import type { KubernetesList } from '../../meta/objects.js';
import { isInitialEventsEnd } from '../../meta/watch-event.js';
import type { Request } from '../../rest/request/request.js';
import { linkSignals } from '../../time/signals.js';
import { type Finding, failure, type Patient, REQUEST_MS } from './finding.js';

const leases = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };
/** kube-apiserver sends a bookmark about every minute. */
const BOOKMARKS_MS = 150_000;

/** What informers can use of the server: watch-lists, shards and, if asked for, how often bookmarks come. */
export async function* checkWatches(patient: Patient, withBookmarks: boolean): AsyncGenerator<Finding, void> {
  yield await guarded(patient, 'watch-list', () => checkWatchList(patient));
  yield await guarded(patient, 'shards', () => checkShards(patient));
  if (withBookmarks) yield await guarded(patient, 'bookmarks', () => checkBookmarks(patient));
}

/** A check that may not be made says so: that is no fault of the server. */
async function guarded({ signal }: Patient, check: string, run: () => Promise<Finding>): Promise<Finding> {
  try {
    return await run();
  } catch (error) {
    signal.throwIfAborted();
    if (!isForbidden(error)) return failure(check, error, 'warn');
    return { level: 'warn', check, message: `not tried: ${asError(error).message}` };
  }
}

/** A collection of one object that every cluster has. */
function smallCollection({ client }: Patient): Request {
  return client.rest.get().resource('namespaces').param('fieldSelector', 'metadata.name=default');
}

async function checkWatchList(patient: Patient): Promise<Finding> {
  const { client, signal } = patient;
  const check = 'watch-list';
  const link = linkSignals([signal], { timeoutMs: REQUEST_MS, clock: client.clock, what: 'the watch-list' });
  const request = smallCollection(patient).params({
    sendInitialEvents: true,
    resourceVersionMatch: 'NotOlderThan',
    allowWatchBookmarks: true,
    timeoutSeconds: REQUEST_MS / 1000,
  });
  const unsupported: Finding = {
    level: 'warn',
    check,
    message: 'not supported: informers list first, which costs the server more memory',
    fix: 'Kubernetes 1.34 has it by default; older servers need the feature gate WatchList.',
  };
  try {
    for await (const event of request.watch<object>({ signal: link.signal })) {
      if (event.type === 'BOOKMARK' && isInitialEventsEnd(event.object)) {
        return { level: 'ok', check, message: 'supported: informers get their first list as a stream' };
      }
    }
    return unsupported;
  } catch (error) {
    const { status = 0 } = error as { readonly status?: number };
    if (status === 400 || status === 422) return unsupported;
    throw error;
  } finally {
    link.abort();
  }
}

async function checkShards({ client, signal }: Patient): Promise<Finding> {
  const request = client.rest
    .get()
    .resource(leases)
    .namespace(client.namespace ?? 'default');
  const list = await request
    .params({ limit: 1, shardSelector: everyShard })
    .timeout(REQUEST_MS)
    .maxRetries(0)
    .do<KubernetesList<unknown>>({ signal });
  const message =
    list.metadata.shardInfo === undefined
      ? 'the server does not filter (feature gate ShardedListAndWatch): sharded informers receive everything, and filter themselves'
      : 'supported: sharded informers receive their own objects only';
  return { level: 'ok', check: 'shards', message };
}

async function checkBookmarks(patient: Patient): Promise<Finding> {
  const { client, signal } = patient;
  const { clock } = client;
  const check = 'bookmarks';
  const link = linkSignals([signal], { timeoutMs: BOOKMARKS_MS, clock });
  const request = smallCollection(patient).param('allowWatchBookmarks', true);
  let before = clock.monotonicNow();
  let count = 0;
  try {
    for await (const event of request.watch<object>({ signal: link.signal })) {
      if (event.type !== 'BOOKMARK' || isInitialEventsEnd(event.object)) continue;
      const now = clock.monotonicNow();
      const seconds = Math.round((now - before) / 1000);
      before = now;
      // The first comes sooner than the interval.
      if (++count === 2) return { level: 'ok', check, message: `one about every ${seconds} s` };
    }
  } catch (error) {
    signal.throwIfAborted();
    if (!link.signal.aborted) throw error;
  } finally {
    link.abort();
  }
  return {
    level: 'warn',
    check,
    message: `${count} within ${BOOKMARKS_MS / 1000} s: informers of quiet resources list again after their version has expired`,
    fix: 'Is there a proxy on the way that holds back answers?',
  };
}
