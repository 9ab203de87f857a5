import { isNotFound } from '../../meta/errors/error-predicates.js';
import { isJsonObject, type JsonObject } from '../../meta/json-values.js';
import type { Unstructured } from '../../meta/objects.js';
import { checkOptions } from '../../meta/options/known-options.js';
import type { Client } from '../client.js';
import { sendApply } from './apply-manifests.js';
import { type FieldChange, fieldChanges, printChange } from './field-changes.js';
import { type ObjectReference, printReference } from './manifest-error.js';
import { ManifestRun } from './manifest-run.js';
import type { ManifestSource } from './manifest-set.js';
import { type DiffManifestsOptions, diffManifestsNames } from './options.js';
import { type ManifestObject, openManifest, referenceOf } from './resolve-objects.js';

/** What an apply would do with one object. */
export interface ObjectDiff extends ObjectReference {
  /** `unchecked`: the server could not be asked, because the namespace or the kind does not exist yet. */
  readonly action: 'create' | 'change' | 'none' | 'unchecked';
  /** Without fields that the server writes; the values of Secrets are masked. */
  readonly changes: readonly FieldChange[];
}

/** What an apply would do. Its text form has a line for each object and each field that would change. */
export class ManifestDiff {
  /** In the order of the manifest. */
  readonly objects: readonly ObjectDiff[];

  /** @internal Made by `Client.diff`. */
  constructor(objects: readonly ObjectDiff[]) {
    this.objects = objects;
  }

  /** Whether an apply would change nothing. */
  get isEmpty(): boolean {
    return this.objects.every(({ action }) => action === 'none');
  }

  toString(): string {
    return this.objects
      .filter(({ action }) => action !== 'none')
      .map((object) => {
        const lines = object.changes.map((change) => `    ${printChange(change)}\n`);
        return `${SIGNS[object.action]} ${printReference(object)}\n${lines.join('')}`;
      })
      .join('');
  }
}

const SIGNS = { create: '+', change: '~', none: '=', unchecked: '?' } as const;

/** Compares the objects of a manifest with those of the server. See `Client.diff`. */
export async function diffManifests(
  client: Client,
  source: ManifestSource,
  options: DiffManifestsOptions,
): Promise<ManifestDiff> {
  checkOptions('diff', options, diffManifestsNames);
  const { namespace, signal } = options;
  const run = new ManifestRun(client, { signal });
  const manifest = await openManifest(client, source, { namespace, signal, purpose: 'compared' });
  try {
    const { objects } = manifest;
    const diffs = new Map<ManifestObject, ObjectDiff>();
    await run.each(objects, async (object) => {
      diffs.set(object, await diffOf(client, object, objects, options));
      return 'unchecked';
    });
    run.finish('compared', objects);
    return new ManifestDiff(objects.map((object) => diffs.get(object) as ObjectDiff));
  } finally {
    await manifest[Symbol.asyncDispose]();
  }
}

async function diffOf(
  client: Client,
  object: ManifestObject,
  all: readonly ManifestObject[],
  options: DiffManifestsOptions,
): Promise<ObjectDiff> {
  const reference = referenceOf(object);
  const unchecked: ObjectDiff = { ...reference, action: 'unchecked', changes: [] };
  if (!object.isServed) return unchecked;
  const live = await liveObject(client, object, options.signal);
  const written = await object.load();
  try {
    const { applied } = await sendApply(client, object, written, { ...options, dryRun: true });
    const changes = fieldChanges(live, applied);
    const action = live === undefined ? 'create' : changes.length > 0 ? 'change' : 'none';
    return { ...reference, action, changes };
  } catch (error) {
    const { namespace } = object;
    const isNew = all.some((one) => one.group === '' && one.kind === 'Namespace' && one.name === namespace);
    if (isNew && isNotFound(error)) return unchecked;
    throw error;
  }
}

async function liveObject(
  client: Client,
  { resource, namespace, name }: ManifestObject,
  signal: AbortSignal | undefined,
): Promise<JsonObject | undefined> {
  try {
    // As JSON, like the answer to the apply: the formats differ in fields that are not set.
    const request = client.rest.request('GET').resource(resource).name(name);
    if (namespace !== undefined) request.namespace(namespace);
    const { body } = await request.doRaw({ signal });
    const live: unknown = JSON.parse(Buffer.from(body).toString());
    return isJsonObject(live) ? (live as Unstructured) : undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
