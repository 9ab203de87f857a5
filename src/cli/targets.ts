import type { Client } from '../client/client.js';
import type { ApiResource } from '../client/discovery-documents.js';
import { dns1123LabelErrors, pathSegmentErrors } from '../meta/names.js';
import type { Abortable } from '../meta/objects.js';
import { printGroupResource } from '../meta/resource.js';
import { escapeFieldValue, parseFieldSelector } from '../meta/selectors/field-selector.js';
import { parseLabelSelector } from '../meta/selectors/label-selector.js';
import { UsageError } from './command.js';

/** The option that chooses a namespace, for `parseArguments`. */
export const namespaceOption = { namespace: { type: 'string', short: 'n' } } as const;

/** The options that choose objects of a resource, for `parseArguments`. */
export const selectionOptions = {
  namespace: { type: 'string', short: 'n' },
  'all-namespaces': { type: 'boolean', short: 'A' },
  selector: { type: 'string', short: 'l' },
  'field-selector': { type: 'string' },
} as const;

/** The values of {@link selectionOptions}. */
export interface Selection {
  readonly namespace: string | undefined;
  readonly allNamespaces: boolean;
  readonly selector: string | undefined;
  readonly fieldSelector: string | undefined;
}

/** Checks the values of {@link selectionOptions}, or of a part of them. */
export function readSelection(values: {
  readonly namespace?: string | undefined;
  readonly 'all-namespaces'?: boolean | undefined;
  readonly selector?: string | undefined;
  readonly 'field-selector'?: string | undefined;
}): Selection {
  const { namespace, selector, 'all-namespaces': allNamespaces = false, 'field-selector': fieldSelector } = values;
  if (namespace !== undefined && allNamespaces) {
    throw new UsageError('--namespace and --all-namespaces contradict each other');
  }
  // An empty name is refused: an unset shell variable must not select all namespaces.
  if (namespace !== undefined && dns1123LabelErrors(namespace).length > 0) {
    throw new UsageError(`--namespace must be the name of a namespace, got '${namespace}'`);
  }
  checkSelector('--selector', selector, parseLabelSelector);
  checkSelector('--field-selector', fieldSelector, parseFieldSelector);
  return { namespace, allNamespaces, selector, fieldSelector };
}

function checkSelector(option: string, text: string | undefined, parse: (text: string) => unknown): void {
  try {
    if (text !== undefined) parse(text);
  } catch (error) {
    throw new UsageError(`${option}: ${(error as Error).message}`);
  }
}

/** The namespace that is chosen; undefined for all of them. */
export function chosenNamespace({ allNamespaces, namespace }: Selection, client: Client): string | undefined {
  return allNamespaces ? undefined : (namespace ?? client.namespace ?? 'default');
}

/** The namespace of a resource that is chosen; undefined for all of them, and for a resource without namespaces. */
export function namespaceIn(resource: ApiResource, selection: Selection, client: Client): string | undefined {
  return resource.namespaced ? chosenNamespace(selection, client) : undefined;
}

/** An argument: a resource, or one object of it. */
export interface Wanted {
  readonly word: string;
  readonly name: string | undefined;
}

/** An argument of the form RESOURCE or RESOURCE/NAME. */
export function wantedOf(text: string): Wanted {
  const [word = '', name, ...more] = text.split('/');
  if (name === undefined) return { word, name };
  if (word === '' || name === '' || more.length > 0 || pathSegmentErrors(name).length > 0) {
    throw new UsageError(`'${text}' is neither a resource nor RESOURCE/NAME, as in pods/web-0; namespaces go with -n`);
  }
  return { word, name };
}

/**
 * Arguments as kubectl takes them: `pods`, `pods,deploy`, `pods/web-0 deploy/web`, or `pods web-0 web-1`.
 *
 * @param example an argument that makes sense, for the error if there is none
 */
export function readTargets(positionals: readonly string[], example: string): readonly Wanted[] {
  const [first, ...rest] = positionals;
  const words = first?.split(',').filter((word) => word !== '') ?? [];
  if (first === undefined || words.length === 0) throw new UsageError(`which resource? For instance: ${example}`);
  if (rest.length === 0 || positionals.some((text) => text.includes('/'))) {
    const targets = positionals.flatMap((text) => text.split(',')).filter((text) => text !== '');
    const named = targets.map(wantedOf);
    const bare = named.find(({ name }) => name === undefined);
    if (rest.length > 0 && bare !== undefined) {
      throw new UsageError(`'${bare.word}' must be RESOURCE/NAME, as the other arguments`);
    }
    return named;
  }
  return words.flatMap((word) =>
    rest.map((name) => {
      if (name === '' || pathSegmentErrors(name).length > 0) throw new UsageError(`'${name}' is no name of an object`);
      return { word, name };
    }),
  );
}

/** One object: `pods/web-0`, or `pods web-0`. */
export function readObject(
  positionals: readonly string[],
  example: string,
): { readonly word: string; readonly name: string } {
  if (positionals.length === 0) throw new UsageError(`which object? For instance: ${example}`);
  const [target, another] = readTargets(positionals, example);
  if (target?.name === undefined || another !== undefined) {
    throw new UsageError(`one object is needed, as in ${example}, got '${positionals.join(' ')}'`);
  }
  return { word: target.word, name: target.name };
}

/** A resource that the server has, and the name of one of its objects if it was given. */
export interface Found {
  readonly resource: ApiResource;
  readonly name: string | undefined;
}

/** The resources of the arguments. A category, such as `all`, stands for each of its resources. */
export async function findResources(client: Client, wanted: readonly Wanted[], options: Abortable): Promise<Found[]> {
  const found = await Promise.all(
    wanted.map(async ({ word, name }): Promise<Found[]> => {
      const known = await client.apis.resources(options);
      const members = known.filter(({ categories }) => categories.includes(word));
      if (members.length > 0) return preferred(members).map((resource) => ({ resource, name }));
      return [{ resource: await client.resolve(word, options), name }];
    }),
  );
  return found.flat();
}

/** Each resource once, in the version that the server prefers, which comes first. */
export function preferred(resources: readonly ApiResource[]): ApiResource[] {
  const seen = new Map<string, ApiResource>();
  for (const one of resources) {
    const key = `${one.resource}.${one.group}`;
    if (!seen.has(key)) seen.set(key, one);
  }
  return [...seen.values()];
}

/**
 * Each resource once.
 *
 * @param verb what is done with it, for the message
 * @throws UsageError if a resource was asked for with different names
 */
export function withoutRepetitions(found: readonly Found[], verb: string): readonly Found[] {
  const byResource = new Map<string, Found>();
  for (const one of found) {
    const key = printGroupResource(one.resource);
    const before = byResource.get(key);
    if (before !== undefined && before.name !== one.name) {
      throw new UsageError(
        `${key} is there twice: ${verb} all of them, or one object, or those with -l or --field-selector`,
      );
    }
    byResource.set(key, one);
  }
  return [...byResource.values()];
}

/** The field selector; of one object, if there is a name. */
export function fieldsOf(name: string | undefined, { fieldSelector }: Selection): string | undefined {
  if (name === undefined) return fieldSelector;
  return [`metadata.name=${escapeFieldValue(name)}`, fieldSelector].filter((one) => one !== undefined).join(',');
}
