import { isNotFound } from '../../meta/errors/error-predicates.js';
import { asError } from '../../meta/errors/errors.js';
import { isJsonObject, type JsonObject } from '../../meta/json-values.js';
import { apiVersionOf, type GroupVersionKind, type Resource } from '../../meta/resource.js';
import type { Client } from '../client.js';
import { ManifestError, type ManifestProblem, type ObjectReference, printPlace } from './manifest-error.js';
import { type ManifestSet, type ManifestSource, readManifestSet, type WrittenObject } from './manifest-set.js';
import { DEFINITIONS, phaseOf } from './phases.js';

/** An object of a manifest, and the resource that it is sent to. */
export interface ManifestObject extends Omit<WrittenObject, 'namespace'>, ObjectReference {
  readonly resource: Resource & { readonly namespaced: boolean };
  /** Whether the server serves its kind now; otherwise a definition of the manifest will. */
  readonly isServed: boolean;
}

/** An open manifest: dispose it to close its files. */
export interface Manifest extends AsyncDisposable {
  readonly objects: readonly ManifestObject[];
}

/** How a manifest is read. */
interface OpenOptions {
  readonly namespace: string | undefined;
  readonly signal: AbortSignal | undefined;
  /** As in `manifest cannot be applied`. */
  readonly purpose: 'applied' | 'deleted' | 'compared';
}

/**
 * Reads a manifest and finds the resource of each object. Nothing is sent but requests for discovery.
 *
 * @throws ManifestError with all that is wrong
 */
export async function openManifest(client: Client, source: ManifestSource, options: OpenOptions): Promise<Manifest> {
  const set = await readManifestSet(source, client.clock, options.signal);
  try {
    const { objects, problems } = await resolveObjects(client, set, options);
    const all = [...set.problems, ...problems];
    if (all.length > 0) {
      const order = new Map(set.places.map((place, at) => [place, at]));
      const at = ({ place }: ManifestProblem): number => order.get(place) as number;
      const sorted = all.sort((a, b) => at(a) - at(b));
      throw new ManifestError(`the manifest cannot be ${options.purpose}`, sorted);
    }
    return { objects, [Symbol.asyncDispose]: () => set[Symbol.asyncDispose]() };
  } catch (error) {
    await set[Symbol.asyncDispose]();
    throw error;
  }
}

async function resolveObjects(
  client: Client,
  set: ManifestSet,
  { namespace = client.namespace ?? 'default', signal, purpose }: OpenOptions,
): Promise<{ objects: ManifestObject[]; problems: ManifestProblem[] }> {
  const verb = purpose === 'deleted' ? 'delete' : 'patch';
  const kinds = await resolveKinds(client, set.objects, signal, verb);
  const problems: ManifestProblem[] = [];
  const found = new Map<string, ManifestObject>();
  for (const written of set.objects) {
    const { apiVersion, kind, name, group } = written;
    const resolved = kinds.get(kindKey(written)) as ResolvedKind;
    if ('error' in resolved) {
      const object = { apiVersion, kind, namespace: written.namespace, name };
      problems.push({ place: written.place, object, error: resolved.error });
      continue;
    }
    // Servers ignore the namespace of cluster-scoped objects.
    const place = resolved.resource.namespaced ? (written.namespace ?? namespace) : undefined;
    const object: ManifestObject = { ...written, ...resolved, namespace: place };
    const key = JSON.stringify([group, kind, place, name]);
    const other = found.get(key);
    if (other === undefined) found.set(key, object);
    else if (other.digest !== object.digest) {
      const error = new Error(`it is also at ${printPlace(other.place)}, with another content`);
      problems.push({ place: written.place, object, error });
    }
  }
  return { objects: [...found.values()], problems };
}

type ResolvedKind =
  | { readonly resource: ManifestObject['resource']; readonly isServed: boolean }
  | { readonly error: Error };

function kindKey({ group, version, kind }: GroupVersionKind): string {
  return JSON.stringify([group, version, kind]);
}

async function resolveKinds(
  client: Client,
  objects: readonly WrittenObject[],
  signal: AbortSignal | undefined,
  verb: string,
): Promise<ReadonlyMap<string, ResolvedKind>> {
  const defined = await definedKinds(objects);
  const wanted = new Map(objects.map((object) => [kindKey(object), object]));
  const resolved = await Promise.all(
    [...wanted].map(async ([key, kind]): Promise<[string, ResolvedKind]> => {
      try {
        const { group, version, resource, namespaced, verbs } = await client.apis.resourceOf(kind, { signal });
        if (!verbs.includes(verb)) {
          return [key, { error: new Error(`the server has no ${verb} for ${kind.kind}, only ${verbs.join(', ')}`) }];
        }
        return [key, { resource: { group, version, resource, namespaced, kind: kind.kind }, isServed: true }];
      } catch (error) {
        if (!isNotFound(error)) throw error;
        const resource = defined.get(key);
        return [key, resource === undefined ? { error: asError(error) } : { resource, isServed: false }];
      }
    }),
  );
  return new Map(resolved);
}

/** The kinds that the CustomResourceDefinitions of the manifest define. */
async function definedKinds(objects: readonly WrittenObject[]): Promise<Map<string, ManifestObject['resource']>> {
  const kinds = new Map<string, ManifestObject['resource']>();
  for (const object of objects) {
    if (phaseOf(object) !== DEFINITIONS) continue;
    for (const resource of servedBy(await object.load())) kinds.set(kindKey(resource as GroupVersionKind), resource);
  }
  return kinds;
}

/** The resources that a CustomResourceDefinition serves. What is missing in it is for the server to refuse. */
export function servedBy({ spec }: JsonObject): readonly ManifestObject['resource'][] {
  if (!isJsonObject(spec) || !isJsonObject(spec.names) || !Array.isArray(spec.versions)) return [];
  const { group, scope } = spec;
  const { plural, kind } = spec.names;
  if (typeof group !== 'string' || typeof plural !== 'string' || typeof kind !== 'string') return [];
  return spec.versions.flatMap((version: unknown) => {
    if (!isJsonObject(version) || typeof version.name !== 'string' || version.served !== true) return [];
    return [{ group, version: version.name, resource: plural, kind, namespaced: scope === 'Namespaced' }];
  });
}

/** Names an object in results. */
export function referenceOf({ resource, kind, namespace, name }: ManifestObject): ObjectReference {
  return { apiVersion: apiVersionOf(resource), kind, namespace, name };
}
