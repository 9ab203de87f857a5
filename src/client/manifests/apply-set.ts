import { createHash } from 'node:crypto';
import { isNotFound } from '../../meta/errors/error-predicates.js';
import type { PartialObjectMetadata } from '../../meta/objects.js';
import { checkOptions, type OptionNames } from '../../meta/options/known-options.js';
import { requireOneOf, requireString } from '../../meta/options/validate.js';
import { type GroupKind, printGroupKind, type Resource } from '../../meta/resource.js';
import { builtinResources } from '../../resources/catalogue.js';
import type { Client } from '../client.js';
import type { ApiResource } from '../discovery-documents.js';
import { ManifestError, type ObjectReference } from './manifest-error.js';
import type { ManifestObject } from './resolve-objects.js';

/**
 * The object that remembers which kinds, in which namespaces, belong together: the parent of an ApplySet, as kubectl has them
 * (KEP-3659). It is created by the first apply.
 */
export interface ApplySet {
  /** The name of the parent. */
  readonly name: string;
  /** The namespace of the parent. @default the `namespace` of the call */
  readonly namespace?: string | undefined;
  /** The kind of the parent. @default 'Secret' */
  readonly kind?: 'Secret' | 'ConfigMap' | undefined;
}

const applySetNames: OptionNames<ApplySet> = { name: true, namespace: true, kind: true };

const PREFIX = 'applyset.kubernetes.io';
const ID_LABEL = `${PREFIX}/id`;
const MEMBER_LABEL = `${PREFIX}/part-of`;
const TOOLING = `${PREFIX}/tooling`;
const KINDS = `${PREFIX}/contains-group-kinds`;
const NAMESPACES = `${PREFIX}/additional-namespaces`;
/** The tool, and the version of what it writes. Other tools leave its sets alone, as this leaves theirs. */
const TOOL = 'kubeflect';
const TOOL_VERSION = `${TOOL}/v1`;
const FIELD_MANAGER = `${TOOL}-applyset`;

/** The kinds, as printed by `printGroupKind`, and the namespaces of a set's objects. */
interface Extent {
  readonly kinds: ReadonlySet<string>;
  readonly namespaces: ReadonlySet<string>;
}

/** An object of the set that is not in the manifest any more. */
export interface Leftover extends ObjectReference, GroupKind {
  readonly resource: Resource;
}

/** Tracks the objects of one ApplySet through one apply. */
export class AppliedSet {
  readonly #client: Client;
  readonly #parent: Resource;
  readonly #kind: string;
  readonly #name: string;
  readonly #after: Extent;
  #before: Extent = { kinds: new Set(), namespaces: new Set() };
  /** The namespace of the parent. */
  readonly namespace: string;
  /** The value of the label of its objects. */
  readonly id: string;

  constructor(client: Client, set: ApplySet, namespace: string, objects: readonly ManifestObject[]) {
    checkOptions('prune', set, applySetNames);
    const { kind = 'Secret' } = set;
    this.#client = client;
    this.#name = requireString('prune.name', set.name);
    this.#kind = requireOneOf('prune.kind', kind, ['Secret', 'ConfigMap']);
    this.namespace = set.namespace ?? namespace;
    this.#parent = builtinResources.find((one) => one.group === '' && one.kind === kind) as Resource;
    const hash = createHash('sha256').update(`${this.#name}.${this.namespace}.${kind}.`).digest('base64url');
    this.id = `applyset-${hash}-v1`;
    this.#after = {
      kinds: new Set(objects.map((object) => printGroupKind(object))),
      namespaces: new Set(objects.flatMap((object) => object.namespace ?? [])),
    };
  }

  /** The label that its objects get. */
  get label(): Readonly<Record<string, string>> {
    return { [MEMBER_LABEL]: this.id };
  }

  /** Checks that the object has no such label yet: it would belong to another set. */
  static checkLabels(object: object): void {
    const labels = (object as { readonly metadata?: { readonly labels?: object } }).metadata?.labels;
    if (labels !== undefined && labels !== null && MEMBER_LABEL in labels) {
      throw new Error(`it has the label ${MEMBER_LABEL}, which prune sets: remove it`);
    }
  }

  /** Reads the parent: which kinds and namespaces the set had. Refuses one that belongs to something else. */
  async read(signal: AbortSignal | undefined): Promise<void> {
    let parent: PartialObjectMetadata;
    try {
      parent = await this.#client.metadata(this.#parent, this.namespace).get(this.#name, { signal });
    } catch (error) {
      if (isNotFound(error)) return;
      throw error;
    }
    const { labels = {}, annotations = {} } = parent.metadata;
    const fail = (why: string): never => {
      const what = `${this.#kind} ${this.namespace}/${this.#name}`;
      throw new ManifestError(`the ApplySet of ${what} cannot be used: ${why}`, []);
    };
    const tool = annotations[TOOLING];
    if (tool === undefined) fail(`it exists and is no ApplySet: it has no annotation ${TOOLING}`);
    if (tool?.replace(/\/[^/]*$/, '') !== TOOL) fail(`it belongs to ${tool}`);
    if (labels[ID_LABEL] !== this.id) fail(`its label ${ID_LABEL} is ${labels[ID_LABEL] ?? 'missing'}, not ${this.id}`);
    const namespaces = new Set(split(annotations[NAMESPACES]));
    namespaces.add(this.namespace);
    this.#before = { kinds: new Set(split(annotations[KINDS])), namespaces };
  }

  /** Writes to the parent what the set had and will have, so that an apply that is cut short forgets no object. */
  announce(dryRun: boolean, signal: AbortSignal | undefined): Promise<void> {
    const kinds = new Set([...this.#before.kinds, ...this.#after.kinds]);
    const namespaces = new Set([...this.#before.namespaces, ...this.#after.namespaces]);
    return this.#write({ kinds, namespaces }, dryRun, signal);
  }

  /** Writes to the parent what the set has now. */
  conclude(dryRun: boolean, signal: AbortSignal | undefined): Promise<void> {
    return this.#write(this.#after, dryRun, signal);
  }

  /** The objects of the set before that are not among those with these uids. */
  async leftovers(uids: ReadonlySet<string>, signal: AbortSignal | undefined): Promise<Leftover[]> {
    const found: Leftover[] = [];
    for (const kind of this.#before.kinds) {
      const resource = await this.#resourceOf(kind, signal);
      if (resource === undefined) continue;
      const namespaces = resource.namespaced ? this.#before.namespaces : [undefined];
      for (const namespace of namespaces) {
        const members = this.#client.metadata(resource, namespace);
        const selection = { labelSelector: `${MEMBER_LABEL}=${this.id}`, signal };
        for await (const { metadata } of members.listAll(selection)) {
          if (uids.has(metadata.uid as string)) continue;
          const { group, version, kind: itsKind } = resource;
          const apiVersion = group === '' ? version : `${group}/${version}`;
          found.push({ apiVersion, group, kind: itsKind, namespace, name: metadata.name as string, resource });
        }
      }
    }
    return found;
  }

  /** Undefined if the kind is not served any more: then it has no objects. */
  async #resourceOf(printed: string, signal: AbortSignal | undefined): Promise<ApiResource | undefined> {
    const [kind = '', ...group] = printed.split('.');
    try {
      return await this.#client.apis.resourceOf({ kind, group: group.join('.') }, { signal });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async #write({ kinds, namespaces }: Extent, dryRun: boolean, signal: AbortSignal | undefined): Promise<void> {
    const others = [...namespaces].filter((one) => one !== this.namespace);
    const parent = {
      metadata: {
        name: this.#name,
        labels: { [ID_LABEL]: this.id },
        annotations: {
          [TOOLING]: TOOL_VERSION,
          [KINDS]: [...kinds].sort().join(','),
          [NAMESPACES]: others.sort().join(','),
        },
      },
    };
    const options = { fieldManager: FIELD_MANAGER, force: true, dryRun, signal };
    await this.#client.forResource(this.#parent, this.namespace).apply(parent, options);
  }
}

function split(list: string | undefined): string[] {
  return list === undefined || list === '' ? [] : list.split(',');
}
