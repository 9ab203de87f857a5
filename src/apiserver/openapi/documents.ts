import { createHash } from 'node:crypto';
import { stringifyLarge } from '../../codec/json/large-json.js';
import { isJsonObject, type JsonObject } from '../../meta/json-values.js';
import type { Steps } from '../../time/steps.js';
import type { Discovery } from '../resources/discovery.js';
import type { ApiResource, Registry } from '../resources/registry.js';
import { builtInSchema, builtInType } from './built-in-schemas.js';
import { customSchemas } from './custom-schemas.js';
import { encodeGnostic } from './gnostic.js';
import { openApiV2 } from './openapi-v2.js';
import { openApiV3 } from './openapi-v3.js';
import { discoveryPaths, otherPaths, type PathOperations, versionPaths } from './operations.js';
import type { OpenApiSchema } from './schema.js';
import type { SchemaSource } from './schema-references.js';

/** A document, ready to be sent. */
export interface OpenApiDocument {
  readonly body: Uint8Array;
  /** The hash of its JSON. */
  readonly etag: string;
}

/** A document of OpenAPI 3.0, before it is made. */
interface Section {
  readonly paths: () => readonly PathOperations[];
  /** The group and version, for options that are part of each. */
  readonly of: { readonly group: string; readonly version: string };
  readonly custom: readonly ApiResource[];
}

/** The documents of built-in resources are the same for all servers of a process. */
const builtInDocuments = new Map<string, OpenApiDocument>();
const builtInHashes = new Map<string, string>();

/** Types that every version of every group has. */
const COMMON_TYPES = new Set(['meta/v1.DeleteOptions', 'meta/v1.WatchEvent']);

/**
 * The OpenAPI documents of what a server serves. Each is made when it is first requested; those of custom resources again when
 * a definition has changed.
 */
export class OpenApiDocuments {
  readonly #registry: Registry;
  /** Tells whether resources were added or removed. */
  #served: Discovery | undefined;
  #sections = new Map<string, Section>();
  #customDocuments = new Map<string, OpenApiDocument>();
  #index: Uint8Array | undefined;
  #v2: OpenApiDocument | undefined;
  #v2Protobuf: Uint8Array | undefined;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** The index of all documents of OpenAPI 3.0, with their hashes. */
  *index(): Steps<Uint8Array> {
    this.#refresh();
    if (this.#index !== undefined) return this.#index;
    const paths: Record<string, object> = {};
    const sections = [...this.#sections].sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [path, section] of sections) {
      const hash = yield* this.#hashOf(path, section);
      paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` };
    }
    const index = Buffer.from(JSON.stringify({ paths }));
    if (this.#isCurrent()) this.#index = index;
    return index;
  }

  /** A document of OpenAPI 3.0: `api/v1`, `apis/apps/v1`; undefined if there is none. */
  *v3(path: string): Steps<OpenApiDocument | undefined> {
    this.#refresh();
    const section = this.#sections.get(path);
    if (section === undefined) return undefined;
    const documents = section.custom.length === 0 ? builtInDocuments : this.#customDocuments;
    let document = documents.get(path);
    if (document === undefined) {
      document = yield* this.#make(section);
      documents.set(path, document);
    }
    return document;
  }

  /** The document of OpenAPI 2.0, in JSON. */
  *v2(): Steps<OpenApiDocument> {
    this.#refresh();
    if (this.#v2 !== undefined) return this.#v2;
    const printed = yield* printDocument(yield* this.#makeV2());
    if (this.#isCurrent()) this.#v2 = printed;
    return printed;
  }

  /** The same in protobuf; its etag is that of the JSON. */
  *v2Protobuf(): Steps<OpenApiDocument> {
    const { etag } = yield* this.v2();
    const body = this.#v2Protobuf ?? (yield* encodeGnostic(yield* this.#makeV2()));
    if (this.#isCurrent()) this.#v2Protobuf = body;
    return { body, etag };
  }

  #isCurrent(): boolean {
    return this.#served === this.#registry.discovery;
  }

  #refresh(): void {
    if (this.#isCurrent()) return;
    this.#served = this.#registry.discovery;
    this.#sections = sectionsOf([...this.#registry.served()]);
    this.#customDocuments = new Map();
    this.#index = undefined;
    this.#v2 = undefined;
    this.#v2Protobuf = undefined;
  }

  *#hashOf(path: string, section: Section): Steps<string> {
    if (section.custom.length > 0) return (yield* this.v3(path))?.etag ?? '';
    let hash = builtInHashes.get(path);
    if (hash === undefined) {
      // The document itself is not kept: few clients ask for more than one.
      hash = (builtInDocuments.get(path) ?? (yield* this.#make(section))).etag;
      builtInHashes.set(path, hash);
    }
    return hash;
  }

  *#make({ paths, of, custom }: Section): Steps<OpenApiDocument> {
    const own = yield* this.#customSchemas(custom, 3);
    const groups = of.group === '' ? [] : [of];
    return yield* printDocument(yield* openApiV3(paths(), schemaSource(own, groups)));
  }

  *#makeV2(): Steps<JsonObject> {
    const sections = [...this.#sections.values()];
    const paths = sections.flatMap((section) => section.paths()).sort((a, b) => (a.path < b.path ? -1 : 1));
    const custom = sections.flatMap((section) => section.custom);
    const own = yield* this.#customSchemas(custom, 2);
    const groups = sections.map(({ of }) => of).filter(({ group, version }) => group !== '' && version !== '');
    return (yield* openApiV2(paths, schemaSource(own, groups))) as JsonObject;
  }

  *#customSchemas(resources: readonly ApiResource[], openApi: 2 | 3): Steps<ReadonlyMap<string, OpenApiSchema>> {
    const schemas = new Map<string, OpenApiSchema>();
    const definitions = this.#registry.find('apiextensions.k8s.io', 'v1', 'customresourcedefinitions');
    for (const resource of resources) {
      const definition = definitions?.collection.get(resource.collection.id);
      const schema = definition === undefined ? {} : schemaIn(yield* definition.decodeInSteps(), resource.version);
      for (const [name, own] of customSchemas({ ...resource, schema }, openApi)) schemas.set(name, own);
      yield;
    }
    return schemas;
  }
}

function* printDocument(document: object): Steps<OpenApiDocument> {
  const body = Buffer.from(yield* stringifyLarge(document));
  yield;
  return { body, etag: createHash('sha512').update(body).digest('hex').toUpperCase() };
}

/** The sections by their paths. */
function sectionsOf(resources: readonly ApiResource[]): Map<string, Section> {
  const sections = new Map<string, Section>();
  const none = { group: '', version: '' };
  const addPath = (name: string, path: PathOperations): void => {
    sections.set(name, { paths: () => [path], of: none, custom: [] });
  };
  for (const [name, path] of Object.entries(otherPaths)) addPath(name, path);
  addPath('apis', discoveryPaths(undefined));
  const versions = new Map<string, ApiResource[]>();
  for (const resource of resources) {
    const { group, version, isCustom } = resource;
    const root = group === '' ? 'api' : `apis/${group}`;
    if (!isCustom) addPath(root, discoveryPaths(group));
    const key = `${root}/${version}`;
    const present = versions.get(key);
    if (present === undefined) versions.set(key, [resource]);
    else present.push(resource);
  }
  for (const [key, of] of versions) {
    sections.set(key, { paths: () => versionPaths(of), of: of[0]!, custom: of.filter(({ isCustom }) => isCustom) });
  }
  return sections;
}

/** Finds schemas; `groups` are those whose options are part of a document. */
function schemaSource(own: ReadonlyMap<string, OpenApiSchema>, groups: readonly Section['of'][]): SchemaSource {
  return (name) => {
    const custom = own.get(name);
    if (custom !== undefined) return custom;
    const type = builtInType(name);
    if (type === undefined || !COMMON_TYPES.has(type)) return type === undefined ? undefined : builtInSchema(type);
    const kind = type.slice(type.indexOf('.') + 1);
    const kinds = [{ group: '', version: 'v1' }, ...groups].map(({ group, version }) => ({ group, kind, version }));
    return { ...builtInSchema(type), 'x-kubernetes-group-version-kind': kinds };
  };
}

/** The schema of one version in a CustomResourceDefinition. */
function schemaIn(definition: JsonObject, version: string): JsonObject {
  const spec = definition['spec'] as { versions?: { name?: string; schema?: { openAPIV3Schema?: unknown } }[] };
  const schema = spec.versions?.find(({ name }) => name === version)?.schema?.openAPIV3Schema;
  return isJsonObject(schema) ? schema : { type: 'object' };
}
