import { createHash } from 'node:crypto';
import { getField, isJsonObject, type JsonObject, setField } from '../../meta/json-values.js';
import { apiVersionOf, parseApiVersion, printGroupResource } from '../../meta/resource.js';
import { jsonDifferences } from './json-differences.js';
import type { ConversionDefinition } from './webhook.js';

/** One function between two versions. */
interface Step {
  readonly from: string;
  readonly to: string;
  readonly convert: (object: never) => unknown;
}

/**
 * What a conversion loses: the value at a path that the way back does not restore, and a hash of what the way back makes of
 * it. Stored in an annotation of the converted object. `value` is missing if the way back adds something.
 */
interface Loss {
  readonly path: readonly (string | number)[];
  readonly value?: unknown;
  /** Empty if the way back makes nothing of it. */
  readonly instead: string;
}

/** The annotation with the losses of a version; the version follows. */
const ANNOTATION = 'kubeflect.dev/converted-from-';

/** All conversions of one kind. */
export class Conversions {
  /** `widgets.example.com`. */
  readonly name: string;
  readonly #group: string;
  readonly #kind: string;
  readonly #steps: readonly Step[];

  /** @param definitions of one kind, at least one */
  constructor(definitions: readonly ConversionDefinition[]) {
    const { to } = definitions[0]!;
    this.name = printGroupResource(to);
    this.#group = to.group;
    this.#kind = to.kind;
    this.#steps = definitions.flatMap(({ from: { version: older }, to: { version: newer }, up, down }) => [
      { from: older, to: newer, convert: up },
      { from: newer, to: older, convert: down },
    ]);
  }

  /** The versions that can be converted. */
  get versions(): readonly string[] {
    return [...new Set(this.#steps.map(({ from }) => from))];
  }

  /** The versions that no chain of conversions leads to from the given one. */
  unreachableFrom(version: string): readonly string[] {
    return this.versions.filter((other) => this.#path(version, other) === undefined);
  }

  /**
   * Converts an object to another version. Metadata stays, except for the annotations with what was lost. Throws an Error for
   * an object of another kind or an unknown version, and what a function of the program throws.
   */
  convert(object: unknown, apiVersion: string): JsonObject {
    if (!isJsonObject(object) || typeof object['apiVersion'] !== 'string')
      throw new Error('an object has no apiVersion');
    const from = this.#versionOf(object['apiVersion']);
    const to = this.#versionOf(apiVersion);
    if (object['kind'] !== this.#kind) throw new Error(`the kind must be ${this.#kind}, not ${text(object['kind'])}`);
    if (from === to) return object;
    const path = this.#path(from, to);
    const back = this.#path(to, from);
    if (path === undefined || back === undefined) throw new Error(`no conversion leads from ${from} to ${to}`);
    const { metadata, ...content } = object;
    const { [ANNOTATION + to]: kept, ...annotations } = annotationsOf(metadata);
    const converted = restored(contentOf(this.#walk(path, object)), kept);
    const returned = contentOf(this.#walk(back, this.#whole(converted, to, metadata)));
    const losses = lossesOf(contentOf(content), returned);
    if (losses.length > 0) annotations[ANNOTATION + from] = JSON.stringify(losses);
    else delete annotations[ANNOTATION + from];
    return this.#whole(converted, to, withAnnotations(metadata, annotations));
  }

  #versionOf(apiVersion: string): string {
    const { group, version } = parseApiVersion(apiVersion);
    if (group !== this.#group) throw new Error(`${apiVersion} is no version of ${this.name}`);
    return version;
  }

  #whole(content: JsonObject, version: string, metadata: unknown): JsonObject {
    return { apiVersion: apiVersionOf({ group: this.#group, version }), kind: this.#kind, metadata, ...content };
  }

  #walk(path: readonly Step[], object: JsonObject): JsonObject {
    let current = object;
    for (const { to, convert } of path) {
      const result = convert(current as never);
      if (!isJsonObject(result)) throw new Error(`the conversion to ${to} returned no object`);
      current = this.#whole(contentOf(result), to, object['metadata']);
    }
    return current;
  }

  /** The shortest chain; empty from a version to itself, undefined if there is none. */
  #path(from: string, to: string): readonly Step[] | undefined {
    const paths = new Map<string, readonly Step[]>([[from, []]]);
    for (const [version, path] of paths) {
      if (version === to) return path;
      for (const step of this.#steps)
        if (step.from === version && !paths.has(step.to)) paths.set(step.to, [...path, step]);
    }
    return undefined;
  }
}

/** What functions convert, as plain JSON: all fields except metadata and the type. */
function contentOf(object: JsonObject): JsonObject {
  const { metadata: _metadata, apiVersion: _apiVersion, kind: _kind, ...content } = object;
  return JSON.parse(JSON.stringify(content)) as JsonObject;
}

function annotationsOf(metadata: unknown): JsonObject {
  const annotations = isJsonObject(metadata) ? metadata['annotations'] : undefined;
  return isJsonObject(annotations) ? { ...annotations } : {};
}

function withAnnotations(metadata: unknown, annotations: JsonObject): unknown {
  if (!isJsonObject(metadata)) return metadata;
  const { annotations: _annotations, ...rest } = metadata;
  return Object.keys(annotations).length === 0 ? rest : { ...rest, annotations };
}

function lossesOf(content: JsonObject, returned: JsonObject): Loss[] {
  return [...jsonDifferences(returned, content)].map(({ path, before, after }) => ({
    path,
    ...(after === undefined ? {} : { value: after }),
    instead: hashOf(before),
  }));
}

/** Puts back what an earlier conversion has lost, except where the object was changed since. */
function restored(content: JsonObject, annotation: unknown): JsonObject {
  for (const { path, value, instead } of readLosses(annotation)) {
    const parent = path.slice(0, -1).reduce<unknown>(childOf, content);
    const name = path.at(-1);
    if (name === undefined || hashOf(childOf(parent, name)) !== instead) continue;
    if (Array.isArray(parent) && typeof name === 'number' && value !== undefined) parent[name] = value;
    else if (isJsonObject(parent) && value === undefined) delete parent[String(name)];
    else if (isJsonObject(parent)) setField(parent, String(name), value);
  }
  return content;
}

function childOf(parent: unknown, name: string | number): unknown {
  if (Array.isArray(parent)) return typeof name === 'number' ? parent[name] : undefined;
  return isJsonObject(parent) ? getField(parent, String(name)) : undefined;
}

/** The losses in an annotation. One that was damaged by hand restores nothing. */
function readLosses(annotation: unknown): readonly Loss[] {
  if (typeof annotation !== 'string') return [];
  try {
    const losses: unknown = JSON.parse(annotation);
    return Array.isArray(losses) ? losses.filter(isLoss) : [];
  } catch {
    return [];
  }
}

function isLoss(value: unknown): value is Loss {
  return (
    isJsonObject(value) &&
    typeof value['instead'] === 'string' &&
    Array.isArray(value['path']) &&
    value['path'].every((name) => typeof name === 'string' || typeof name === 'number')
  );
}

/** Empty for a missing value. The order of fields does not count: servers sort them. */
function hashOf(value: unknown): string {
  if (value === undefined) return '';
  return createHash('sha256').update(JSON.stringify(value, sorted)).digest('base64url').slice(0, 16);
}

function sorted(_name: string, value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function text(value: unknown): string {
  return (JSON.stringify(value) ?? 'missing').slice(0, 100);
}
