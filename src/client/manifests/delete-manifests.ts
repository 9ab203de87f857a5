import { isNotFound } from '../../meta/errors/error-predicates.js';
import { isJsonObject } from '../../meta/json-values.js';
import { checkOptions } from '../../meta/options/known-options.js';
import type { Client } from '../client.js';
import { deleteBody } from '../options.js';
import { conditions, type WaitCondition } from '../wait/conditions.js';
import { ManifestRun } from './manifest-run.js';
import type { ManifestSource } from './manifest-set.js';
import { type DeleteManifestsOptions, deleteManifestsNames, type ManifestResult } from './options.js';
import { inPhases } from './phases.js';
import { type ManifestObject, openManifest } from './resolve-objects.js';

/** Deletes the objects of a manifest, in the reverse order of an apply. See `Client.delete`. */
export async function deleteManifests(
  client: Client,
  source: ManifestSource,
  options: DeleteManifestsOptions,
): Promise<ManifestResult[]> {
  checkOptions('delete', options, deleteManifestsNames);
  const { namespace, signal, dryRun, gracePeriodSeconds, wait = false } = options;
  const { propagationPolicy = 'Background' } = options;
  const run = new ManifestRun(client, options);
  const manifest = await openManifest(client, source, { namespace, signal, purpose: 'deleted' });
  const uids = new Map<ManifestObject, string | undefined>();
  const started = client.clock.monotonicNow();
  try {
    const { objects } = manifest;
    for (const { items } of inPhases(objects).reverse()) {
      await run.each(items, async (object) => {
        const { resource, name, namespace: place, isServed } = object;
        // Its definition, which is in the manifest too, is gone, and all objects with it.
        if (!isServed) return 'absent';
        try {
          const request = client.rest.request('DELETE').resource(resource).name(name);
          if (place !== undefined) request.namespace(place);
          const body = deleteBody({ dryRun, gracePeriodSeconds, propagationPolicy });
          const answer = await (body === undefined ? request : request.body(body)).doRaw({ signal });
          uids.set(object, uidOf(answer.body));
          return 'deleted';
        } catch (error) {
          if (isNotFound(error)) return 'absent';
          throw error;
        }
      });
      if (!wait || dryRun === true) continue;
      const deleted = items.filter((object) => run.results.get(object)?.action === 'deleted');
      const { timeoutMs } = options;
      const left = timeoutMs === undefined ? undefined : Math.max(0, started + timeoutMs - client.clock.monotonicNow());
      await run.wait(deleted, (object) => goneCondition(uids.get(object)), left);
    }
    return run.finish('deleted', objects);
  } finally {
    await manifest[Symbol.asyncDispose]();
  }
}

/** The answer to a deletion is the object, or a Status about it. */
function uidOf(body: Uint8Array): string | undefined {
  const answer: unknown = JSON.parse(Buffer.from(body).toString());
  const about = isJsonObject(answer) ? (answer.kind === 'Status' ? answer.details : answer.metadata) : undefined;
  return isJsonObject(about) && typeof about.uid === 'string' ? about.uid : undefined;
}

/** An object of the same name may have been created since, such as the account `default` of a namespace. */
function goneCondition(uid: string | undefined): WaitCondition<unknown> {
  return (given) => {
    const object = given as { readonly metadata: { readonly uid?: string } } | undefined;
    if (uid !== undefined && object !== undefined && object.metadata.uid !== uid) return true;
    return conditions.deleted(object);
  };
}
