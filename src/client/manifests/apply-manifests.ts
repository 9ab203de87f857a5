import { isConflict, isNotFound } from '../../meta/errors/error-predicates.js';
import { isJsonObject, type JsonObject } from '../../meta/json-values.js';
import { checkOptions } from '../../meta/options/known-options.js';
import { requireString } from '../../meta/options/validate.js';
import { apiVersionOf, type GroupKind } from '../../meta/resource.js';
import type { Client } from '../client.js';
import { wireWriteOptions } from '../options.js';
import { withHint } from '../status-hint.js';
import { conditions } from '../wait/conditions.js';
import { AppliedSet } from './apply-set.js';
import { ManifestRun } from './manifest-run.js';
import type { ManifestSource } from './manifest-set.js';
import { type ApplyManifestsOptions, applyManifestsNames, type ManifestResult } from './options.js';
import { DEFINITIONS, inPhases, phaseOf } from './phases.js';
import { type ManifestObject, openManifest, servedBy } from './resolve-objects.js';
import { workingCondition } from './working-condition.js';

const FIELD_MANAGER = 'kubeflect';
/** How long a new definition may take until its kind is served. */
const SERVED_MS = 60_000;
const SERVED_POLL_MS = 200;

const NAMESPACE: GroupKind = { group: '', kind: 'Namespace' };

/** Applies the objects of a manifest. See `Client.apply`. */
export async function applyManifests(
  client: Client,
  source: ManifestSource,
  options: ApplyManifestsOptions,
): Promise<ManifestResult[]> {
  checkOptions('apply', options, applyManifestsNames);
  if (options.fieldManager !== undefined) requireString('fieldManager', options.fieldManager);
  const { namespace, signal, dryRun = false, prune, wait = false } = options;
  const run = new ManifestRun(client, options);
  const manifest = await openManifest(client, source, { namespace, signal, purpose: 'applied' });
  try {
    const { objects } = manifest;
    const home = namespace ?? client.namespace ?? 'default';
    const set = prune === undefined ? undefined : new AppliedSet(client, prune, home, objects);
    await set?.read(signal);
    const uids = new Set<string>();
    const writer = new Writer(client, options, set, objects, uids);
    // The parent of the set cannot be written before its namespace.
    const createsHome = objects.some((object) => isNamespace(object) && object.name === set?.namespace);
    let isAnnounced = false;
    for (const { phase, items } of inPhases(objects)) {
      if (!isAnnounced && !(createsHome && phase === phaseOf(NAMESPACE))) {
        isAnnounced = true;
        await announce(set, dryRun, signal);
      }
      await run.each(items, (object) => writer.write(object));
      if (phase === DEFINITIONS && !dryRun) await waitUntilServed(client, run, items, signal);
    }
    const pruned = set === undefined || run.hasProblems ? [] : await removeLeftovers(client, run, set, uids, options);
    if (wait && !dryRun && !run.hasProblems) await run.wait(objects, workingCondition);
    return [...run.finish('applied', objects), ...pruned];
  } finally {
    await manifest[Symbol.asyncDispose]();
  }
}

async function announce(set: AppliedSet | undefined, dryRun: boolean, signal: AbortSignal | undefined): Promise<void> {
  try {
    await set?.announce(dryRun, signal);
  } catch (error) {
    // A dry run creates no namespace.
    if (!dryRun || !isNotFound(error)) throw error;
  }
}

function isNamespace({ group, kind }: GroupKind): boolean {
  return group === NAMESPACE.group && kind === NAMESPACE.kind;
}

/** Sends the objects of one apply. */
class Writer {
  readonly #client: Client;
  readonly #options: ApplyManifestsOptions;
  readonly #set: AppliedSet | undefined;
  readonly #namespaces: ReadonlySet<string>;
  readonly #uids: Set<string>;

  constructor(
    client: Client,
    options: ApplyManifestsOptions,
    set: AppliedSet | undefined,
    objects: readonly ManifestObject[],
    uids: Set<string>,
  ) {
    this.#client = client;
    this.#options = options;
    this.#set = set;
    this.#namespaces = new Set(objects.filter(isNamespace).map((object) => object.name));
    this.#uids = uids;
  }

  async write(object: ManifestObject): Promise<'created' | 'applied' | 'unchecked'> {
    const { dryRun = false } = this.#options;
    // A kind that a definition of the same manifest brings does not exist in a dry run.
    if (dryRun && !object.isServed) return 'unchecked';
    try {
      const { isNew, applied } = await sendApply(this.#client, object, await this.#labelled(object), this.#options);
      const { uid } = applied.metadata as { readonly uid?: string };
      if (uid !== undefined) this.#uids.add(uid);
      return isNew ? 'created' : 'applied';
    } catch (error) {
      const isInNewNamespace = object.namespace !== undefined && this.#namespaces.has(object.namespace);
      if (dryRun && isInNewNamespace && isNotFound(error)) return 'unchecked';
      throw error;
    }
  }

  async #labelled(object: ManifestObject): Promise<JsonObject> {
    const written = await object.load();
    if (this.#set === undefined) return written;
    AppliedSet.checkLabels(written);
    const metadata = written.metadata as JsonObject;
    const labels = { ...(metadata.labels as JsonObject | undefined), ...this.#set.label };
    return { ...written, metadata: { ...metadata, labels } };
  }
}

/** Sends one object with server-side apply. */
export async function sendApply(
  client: Client,
  { resource, namespace, name }: ManifestObject,
  written: JsonObject,
  options: Pick<ApplyManifestsOptions, 'fieldManager' | 'fieldValidation' | 'force' | 'dryRun' | 'signal'>,
): Promise<{ readonly isNew: boolean; readonly applied: JsonObject }> {
  const { fieldManager = FIELD_MANAGER, fieldValidation = 'Strict', force, dryRun, signal } = options;
  const { namespace: _, ...metadata } = written.metadata as JsonObject;
  const body = { ...written, metadata: namespace === undefined ? metadata : { ...metadata, namespace } };
  const request = client.rest.request('PATCH').resource(resource).name(name).patchType('apply');
  if (namespace !== undefined) request.namespace(namespace);
  request.params(wireWriteOptions({ fieldManager, fieldValidation, dryRun })).param('force', force);
  try {
    const answer = await request.body(body).doRaw({ signal });
    const applied: unknown = JSON.parse(Buffer.from(answer.body).toString());
    if (!isJsonObject(applied) || !isJsonObject(applied.metadata)) throw new Error('the answer is not an object');
    return { isNew: answer.status === 201, applied };
  } catch (error) {
    throw isConflict(error) && force !== true ? withHint(error, 'the option force takes these fields over') : error;
  }
}

/** Waits until the definitions are established and discovery has their kinds. */
async function waitUntilServed(
  client: Client,
  run: ManifestRun,
  definitions: readonly ManifestObject[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const accepted = definitions.filter((object) => run.results.has(object));
  await run.wait(accepted, () => conditions.has('Established'), SERVED_MS);
  const { clock } = client;
  const deadline = clock.monotonicNow() + SERVED_MS;
  for (const definition of accepted) {
    await run.attempt(definition, async () => {
      for (const kind of servedBy(await definition.load())) {
        while (!(await isServed(client, kind, clock.monotonicNow() > deadline, signal))) {
          await clock.sleep(SERVED_POLL_MS, { signal });
        }
      }
    });
  }
}

/** Whether discovery has a kind; each call reads it again. Throws the error of the last call. */
async function isServed(
  client: Client,
  kind: ManifestObject['resource'],
  isLast: boolean,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  try {
    await client.apis.describe(kind, { signal });
    return true;
  } catch (error) {
    if (isLast || !isNotFound(error)) throw error;
    return false;
  }
}

async function removeLeftovers(
  client: Client,
  run: ManifestRun,
  set: AppliedSet,
  uids: ReadonlySet<string>,
  { dryRun = false, signal }: ApplyManifestsOptions,
): Promise<ManifestResult[]> {
  const pruned: ManifestResult[] = [];
  for (const { items } of inPhases(await set.leftovers(uids, signal)).reverse()) {
    for (const { resource, kind, namespace, name } of items) {
      try {
        const options = { dryRun, propagationPolicy: 'Background', signal } as const;
        await client.forResource(resource, namespace).delete(name, options);
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
      const result = { apiVersion: apiVersionOf(resource), kind, namespace, name, action: 'pruned' } as const;
      pruned.push(result);
      run.progress(result);
    }
  }
  await set.conclude(dryRun, signal).catch((error: unknown) => {
    if (!dryRun || !isNotFound(error)) throw error;
  });
  return pruned;
}
