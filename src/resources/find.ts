import type { GroupVersion, GroupVersionResource } from '../meta/resource.js';
import type { BuiltinResource } from './builtin-resource.js';
import { builtinResources } from './catalogue.js';

const byResource = new Map(builtinResources.map((entry) => [mapKey(entry, entry.resource), entry]));

/** The built-in resource of a group, version and plural name; undefined if there is none. */
export function findResource(resource: GroupVersionResource): BuiltinResource | undefined {
  return byResource.get(mapKey(resource, resource.resource));
}

/** The names of a resource. */
export interface NamedResource extends GroupVersionResource {
  readonly singular?: string | undefined;
  readonly kind: string;
  readonly shortNames?: readonly string[] | undefined;
}

/**
 * Finds a resource by a name as kubectl does: `pods`, `pod`, `po` or `Pod`, in upper or lower case, alone or followed by the
 * group (`deployments.apps`, or the start of the group: `ingresses.networking`) or by version and group
 * (`deployments.v1.apps`; `pods.v1` for the core group). If several match, the first in the given order is returned, but a
 * plural, singular or kind wins over a short name, and a full group over the start of one.
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
  isMatch: (entry: R) => boolean,
): R | undefined {
  const matches = resources.filter(isMatch);
  if (qualifiers.length === 0) return matches[0];
  const [version = '', ...rest] = qualifiers;
  const group = rest.join('.');
  const whole = qualifiers.join('.');
  return (
    matches.find((entry) => entry.version === version && entry.group === group) ??
    matches.find((entry) => entry.group === whole) ??
    matches.find((entry) => whole !== '' && entry.group.startsWith(whole))
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
