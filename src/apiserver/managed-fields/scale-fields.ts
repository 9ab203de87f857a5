import type { Steps } from '../../time/steps.js';
import type { Managed, ManagedEntry } from './entries.js';
import { difference, type FieldSet, hasPath, setOfPaths } from './fields.js';
import { fieldElement } from './path-element.js';

/**
 * Where the replicas are in a version of a kind with a scale; `none` if the version has no scale. Undefined: there is no such
 * version.
 */
export type ReplicasPath = (apiVersion: string) => readonly string[] | 'none' | undefined;

const SCALE_VERSION = 'autoscaling/v1';
const SCALE_REPLICAS: FieldSet = setOfPaths(['spec', 'replicas']);
const SCALE_PATH = ['spec', 'replicas'].map(fieldElement);

function ownsReplicas({ apiVersion, fields }: ManagedEntry, path: ReplicasPath): boolean {
  const replicas = path(apiVersion);
  return replicas !== undefined && replicas !== 'none' && hasPath(fields, replicas.map(fieldElement));
}

/** The managers of an object's replicas as managers of its Scale. */
export function managedOfScale(parent: Managed, path: ReplicasPath): Managed {
  const owners = [...parent].filter(([, entry]) => ownsReplicas(entry, path));
  return new Map(owners.map(([key, entry]) => [key, { ...entry, apiVersion: SCALE_VERSION, fields: SCALE_REPLICAS }]));
}

/**
 * The managers of an object after its Scale was written: those that no longer own the replicas of the Scale lose them. A new
 * owner has an entry without a time.
 */
export function* managedByScale(
  parent: Managed,
  scale: Managed,
  path: ReplicasPath,
  apiVersion: string,
): Steps<Managed> {
  const managed = new Map<string, ManagedEntry>();
  for (const [key, entry] of parent) {
    const replicas = path(entry.apiVersion);
    if (replicas === undefined) continue;
    if (replicas === 'none' || scale.has(key) || !ownsReplicas(entry, path)) managed.set(key, entry);
    else {
      const fields = yield* difference(entry.fields, setOfPaths(replicas));
      if (fields !== undefined) managed.set(key, { ...entry, fields });
    }
  }
  const replicas = path(apiVersion);
  for (const [key, entry] of scale) {
    const isKnown = ownsReplicas(parent.get(key) ?? { ...entry, fields: undefined }, path);
    if (isKnown || !hasPath(entry.fields, SCALE_PATH) || replicas === undefined || replicas === 'none') continue;
    managed.set(key, { ...entry, apiVersion, time: parent.get(key)?.time, fields: setOfPaths(replicas) });
  }
  return managed;
}
