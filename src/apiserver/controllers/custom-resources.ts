import { setValueAt } from '../../meta/json-paths.js';
import type { JsonObject } from '../../meta/json-values.js';
import { randomUid } from '../../time/random-uid.js';
import { finish, type Steps } from '../../time/steps.js';
import { approvalCondition } from '../resources/api-approval.js';
import { isConditionTrue, setCondition } from '../resources/conditions.js';
import { customResources, restoredFields } from '../resources/custom/custom-resource.js';
import { type Definition, readDefinition } from '../resources/custom/definition/definition.js';
import { CLEANUP_FINALIZER } from '../resources/custom/definition/definition-strategy.js';
import type { ConversionCalls } from '../resources/custom/webhook-conversion.js';
import { metadataOf } from '../resources/object-meta.js';
import type { ApiResource, Registry } from '../resources/registry.js';
import type { WebhookCaller } from '../resources/webhook-caller.js';
import { type Deletion, ifPresent, type ObjectWriter } from '../resources/write/object-writer.js';
import type { Collection, Revision, Storage } from '../storage/storage.js';
import { ControllerQueue } from './controller-queue.js';
import { API_SERVER, type ServerController, type ServerControllerContext } from './server-controller.js';

/** What {@link CustomResources} needs of the server. */
export interface CustomResourcesOptions extends ServerControllerContext {
  /** Ends the watches of a collection whose resource has changed or gone. */
  readonly endWatches: (collection: Collection) => void;
  /** Calls conversion webhooks. */
  readonly caller: WebhookCaller;
}

const DEFINITIONS = ['apiextensions.k8s.io', 'v1', 'customresourcedefinitions'] as const;
const DELETION: Deletion = { preconditions: {}, dryRun: false };

/** A definition that is served. */
interface Served {
  readonly definition: Definition;
  readonly generation: number;
  /** The storage version of its resource. */
  readonly storage: ApiResource;
}

/**
 * Serves the resources that CustomResourceDefinitions define, and writes the conditions of their status. It runs after the
 * write of a definition has been answered, so that a new resource is served a moment later, as on kube-apiserver.
 */
export class CustomResources implements ServerController {
  readonly #storage: Storage;
  readonly #registry: Registry;
  readonly #writer: ObjectWriter;
  readonly #endWatches: (collection: Collection) => void;
  readonly #conversionCalls: ConversionCalls;
  readonly #definitions: ApiResource;
  /** The served definitions by name. */
  readonly #served = new Map<string, Served>();
  readonly #queue: ControllerQueue;
  readonly #unsubscribe: () => void;

  constructor(options: CustomResourcesOptions) {
    this.#storage = options.storage;
    this.#registry = options.registry;
    this.#writer = options.writer;
    this.#endWatches = options.endWatches;
    this.#conversionCalls = { caller: options.caller, newUid: () => randomUid(options.clock) };
    const definitions = options.registry.find(...DEFINITIONS);
    if (definitions === undefined)
      throw new Error('the registry has no resource customresourcedefinitions.apiextensions.k8s.io');
    this.#definitions = definitions;
    this.#queue = new ControllerQueue(
      options.clock,
      'custom-resources',
      (name) => this.#reconcile(name),
      options.onError,
    );
    this.#unsubscribe = options.storage.subscribe((revision, collection) => this.#onCommit(revision, collection));
  }

  /** Serves the resources of a definition at once: for the objects that the server starts with. */
  serve(name: string): void {
    finish(this.#reconcile(name));
  }

  stop(): void {
    this.#unsubscribe();
    this.#queue.stop();
  }

  #onCommit(revision: Revision, collection: Collection): void {
    // Clients see what follows from a definition, so that it has to be published before.
    const add = (name: string): void => this.#storage.afterPublish(() => this.#queue.add(name));
    if (collection === this.#definitions.collection) add(revision.name);
    // A terminating definition waits for its last object.
    else if (revision.type === 'DELETED' && this.#served.has(collection.id)) add(collection.id);
  }

  /** Serves the resources of the definitions that the storage has at the start: first those whose names were accepted. */
  restore(): void {
    const accepted: { readonly object: JsonObject; readonly version: number }[] = [];
    this.#definitions.collection.scan(this.#storage.version, '', '', (revision) => {
      const object = revision.decode();
      if (isConditionTrue(object, 'Established') && isConditionTrue(object, 'NamesAccepted')) {
        accepted.push({ object, version: revision.version });
      } else this.#queue.add(revision.name);
      return true;
    });
    for (const { object } of accepted.sort((a, b) => a.version - b.version)) {
      const definition = readDefinition(object);
      if (this.#registry.isBuiltInGroup(definition.group)) continue;
      const { storage } = this.#serve(definition, metadataOf(object).generation ?? 0);
      storage.collection.completeFields(Object.keys(storage.storedFields), (stored) => restoredFields(storage, stored));
      this.#queue.add(definition.name);
    }
  }

  *#reconcile(name: string): Steps<void> {
    const revision = this.#definitions.collection.get(name);
    if (revision === undefined) return this.#withdraw(name);
    const object = yield* revision.decodeInSteps();
    yield* revision.isTerminating ? this.#finalize(name, object) : this.#accept(name, object);
  }

  /** Serves the resources of a definition unless its names conflict, and writes the conditions of its status. */
  *#accept(name: string, object: JsonObject): Steps<void> {
    const definition = readDefinition(object);
    const generation = metadataOf(object).generation ?? 0;
    const conflicts = this.#conflictsOf(definition);
    const update = this.#writer.update(this.#definitions, '', name, {
      change: (old) => accepted(old, definition, conflicts, this.#writer.timestamp()),
      merge: (_old, next) => next,
      subresource: 'status',
      track: this.#writer.fields.update(this.#definitions, 'status', API_SERVER),
    });
    if ((yield* ifPresent(update)) === undefined) return;
    // As on kube-apiserver, a definition adds nothing to a built-in group.
    if (conflicts.size > 0 || this.#registry.isBuiltInGroup(definition.group)) return;
    if (this.#served.get(name)?.generation !== generation) this.#serve(definition, generation);
  }

  /** The names of a definition that other definitions of its group have, each with its field. */
  #conflictsOf(definition: Definition): Map<string, string> {
    const conflicts = new Map<string, string>();
    const wanted: [string, string][] = [
      ['Plural', definition.plural],
      ['Singular', definition.singular],
      ...definition.shortNames.map((name): [string, string] => ['ShortNames', name]),
      ['Kind', definition.kind],
      ['ListKind', definition.listKind],
    ];
    for (const resource of this.#registry.stored()) {
      if (!resource.isCustom || resource.group !== definition.group) continue;
      if (resource.collection.id === definition.name) continue;
      const names = [resource.resource, resource.singular, ...(resource.shortNames ?? [])];
      const kinds = [resource.kind, resource.listKind];
      for (const [what, name] of wanted) {
        if ((what.endsWith('Kind') ? kinds : names).includes(name)) conflicts.set(name, what);
      }
    }
    return conflicts;
  }

  #serve(definition: Definition, generation: number): Served {
    const collection = this.#storage.collection(definition.name);
    const isRevised = this.#served.has(definition.name);
    const isClosed = (): boolean => this.#definitions.collection.get(definition.name)?.isTerminating === true;
    const conversionCalls = this.#conversionCalls;
    const resources = customResources(definition, collection, { isRevised, isClosed, conversionCalls });
    if (isRevised) {
      this.#registry.remove({ group: definition.group, resource: definition.plural });
      this.#endWatches(collection);
      this.#recheckNames(definition);
    }
    for (const resource of resources) this.#registry.add(resource);
    const storage = resources.find((resource) => resource.isStorageVersion)!;
    if (isRevised) collection.refield((object) => restoredFields(storage, object));
    const served: Served = { definition, generation, storage };
    this.#served.set(definition.name, served);
    return served;
  }

  /** Deletes the objects of a terminating definition; after the last one removes the finalizer. */
  *#finalize(name: string, object: JsonObject): Steps<void> {
    const { finalizers } = metadataOf(object);
    if (!finalizers?.includes(CLEANUP_FINALIZER)) return;
    const served = this.#served.get(name);
    const collection = this.#storage.collection(name);
    if (served !== undefined && collection.size > 0) {
      const revisions: Revision[] = [];
      yield* collection.scanInSteps(Number.POSITIVE_INFINITY, '', '', (revision) => {
        if (!revision.isTerminating) revisions.push(revision);
        return true;
      });
      for (const { namespace, name: objectName } of revisions) {
        yield* ifPresent(this.#writer.delete(served.storage, namespace, objectName, DELETION));
        yield;
      }
      if (collection.size > 0) return;
    }
    const update = this.#writer.update(this.#definitions, '', name, {
      change(old) {
        metadataOf(old).finalizers = finalizers.filter((finalizer) => finalizer !== CLEANUP_FINALIZER);
        return old;
      },
      subresource: 'status',
      track: this.#writer.fields.update(this.#definitions, 'status', API_SERVER),
    });
    yield* ifPresent(update);
  }

  #withdraw(name: string): void {
    const served = this.#served.get(name);
    if (served === undefined) return;
    this.#served.delete(name);
    const { group, plural: resource } = served.definition;
    this.#registry.remove({ group, resource });
    const collection = this.#storage.collection(name);
    this.#endWatches(collection);
    collection.compact(this.#storage.version);
    this.#recheckNames(served.definition);
  }

  /** Queues the other definitions of the group, whose names may be free now. */
  #recheckNames({ name, group }: Definition): void {
    this.#definitions.collection.scan(this.#storage.version, '', '', (revision) => {
      if (revision.name !== name && revision.name.endsWith(`.${group}`)) this.#queue.add(revision.name);
      return true;
    });
  }
}

/** Sets the conditions and acceptedNames of a definition. */
function accepted(
  object: JsonObject,
  definition: Definition,
  conflicts: ReadonlyMap<string, string>,
  timestamp: string,
): JsonObject {
  const [conflict] = conflicts;
  setCondition(
    object,
    timestamp,
    conflict === undefined
      ? { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }
      : {
          type: 'NamesAccepted',
          status: 'False',
          reason: `${conflict[1]}Conflict`,
          message: `${JSON.stringify(conflict[0])} is already in use`,
        },
  );
  if (conflict === undefined) {
    const message = 'the initial names have been accepted';
    setCondition(object, timestamp, { type: 'Established', status: 'True', reason: 'InitialNamesAccepted', message });
  } else if (!isConditionTrue(object, 'Established')) {
    const message = 'not all names are accepted';
    setCondition(object, timestamp, { type: 'Established', status: 'False', reason: 'NotAccepted', message });
  }
  const approval = approvalCondition(object);
  if (approval !== undefined) setCondition(object, timestamp, approval);
  const free = (name: string): string => (conflicts.has(name) ? '' : name);
  const shortNames = definition.shortNames.filter((name) => !conflicts.has(name));
  setValueAt(object, ['status', 'acceptedNames'], {
    plural: free(definition.plural),
    singular: free(definition.singular),
    ...(shortNames.length > 0 ? { shortNames } : {}),
    kind: free(definition.kind),
    listKind: free(definition.listKind),
    ...(definition.categories.length > 0 ? { categories: definition.categories } : {}),
  });
  return object;
}
