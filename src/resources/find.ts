import type { GroupVersion, GroupVersionResource } from '../meta/resource.js';
import type { BuiltinResource } from './builtin-resource.js';
import { builtinResources } from './catalogue.js';

const byResource = new Map(builtinResources.map((entry) => [mapKey(entry, entry.resource), entry]));

/** The built-in resource that a URL names, or undefined. */
export function findResource(resource: GroupVersionResource): BuiltinResource | undefined {
  return byResource.get(mapKey(resource, resource.resource));
}

/** The words by which a resource is known. */
export interface NamedResource extends GroupVersionResource {
  readonly singular?: string | undefined;
  readonly kind: string;
  readonly shortNames?: readonly string[] | undefined;
}

/**
 * The resource that kubectl would understand by a word: `pods`, `pod`, `po` or `Pod`, in capitals or not, alone or followed by
 * the group (`deployments.apps`, or as much of the group as is needed: `ingresses.networking`) or by version and group
 * (`deployments.v1.apps`; `pods.v1` for the core group). Where several fit, the first in the given order is meant, but a
 * plural, singular or kind goes before a short name and the full name of a group before a part of it.
 *
 * @example
 * matchResource('deploy', builtinResources)?.kind; // 'Deployment'
 */
export function matchResource<R extends NamedResource>(name: string, resources: readonly R[]): R | undefined {
  const [word = '', ...qualifiers] = name.toLowerCase().split('.');
  if (word === '') return undefined;
  return (
    findWord(resources, qualifiers, (entry) => isName(entry, word)) ??
    findWord(resources, qualifiers, (entry) => isShortName(entry, word))
  );
}

function findWord<R extends NamedResource>(
  resources: readonly R[],
  qualifiers: readonly string[],
  isMeant: (entry: R) => boolean,
): R | undefined {
  const meant = resources.filter(isMeant);
  if (qualifiers.length === 0) return meant[0];
  const [version = '', ...rest] = qualifiers;
  const group = rest.join('.');
  const whole = qualifiers.join('.');
  return (
    meant.find((entry) => entry.version === version && entry.group === group) ??
    meant.find((entry) => entry.group === whole) ??
    meant.find((entry) => whole !== '' && entry.group.startsWith(whole))
  );
}

function isName(entry: NamedResource, word: string): boolean {
  return entry.resource === word || entry.singular === word || entry.kind.toLowerCase() === word;
}

function isShortName(entry: NamedResource, word: string): boolean {
  return entry.shortNames?.includes(word) === true;
}

function mapKey(of: GroupVersion, word: string): string {
  return `${of.group}/${of.version}/${word}`;
}
