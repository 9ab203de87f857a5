import type { Client } from '../../client/client.js';
import type { ApiResource } from '../../client/discovery-documents.js';
import { isNotFound } from '../../meta/errors/error-predicates.js';
import type { StatusError } from '../../meta/errors/errors.js';
import type { KubernetesObject, PartialObjectMetadata, Unstructured } from '../../meta/objects.js';
import { printGroupResource } from '../../meta/resource.js';
import { CommandError } from '../command.js';
import { readTable, readTables, type Table } from '../table/server-table.js';
import { type Found, namespaceIn, type Selection } from '../targets.js';
import type { SyncingInformer } from '../terminal/sync-progress.js';

/** A resource, and the names of its objects that were asked for. */
export interface Asked {
  readonly resource: ApiResource;
  /** Undefined for all objects that are selected. */
  readonly names: readonly string[] | undefined;
}

/** Reads the objects that a command asks for, in one of several forms. */
export class Reader {
  readonly asked: readonly Asked[];
  /** The objects that were named and do not exist. */
  readonly missing: StatusError[] = [];
  /** How many objects were read so far, by resource. */
  readonly progress: ReadonlyMap<string, Counter>;
  readonly #client: Client;
  readonly #selection: Selection;
  readonly #signal: AbortSignal;

  constructor(client: Client, found: readonly Found[], selection: Selection, signal: AbortSignal) {
    this.asked = byResource(found);
    this.progress = new Map(this.asked.map(({ resource }) => [printGroupResource(resource), new Counter()]));
    this.#client = client;
    this.#selection = selection;
    this.#signal = signal;
  }

  /** How many objects were read. */
  get count(): number {
    return [...this.progress.values()].reduce((sum, { status }) => sum + status.listed, 0);
  }

  /** Whether one object was asked for by its name. */
  get isOne(): boolean {
    const [first, second] = this.asked;
    return second === undefined && first?.names?.length === 1;
  }

  /** The objects of all resources, without managedFields. */
  async *objects(): AsyncGenerator<Unstructured, void> {
    for (const asked of this.asked) {
      const client = this.#client.forResource<Unstructured>(asked.resource, this.#namespace(asked));
      for await (const object of this.#each(asked, client)) {
        const { managedFields: _, ...metadata } = object.metadata;
        yield { ...object, metadata };
      }
    }
  }

  /** The metadata of the objects of all resources. */
  async *metadata(): AsyncGenerator<{ readonly resource: ApiResource; readonly object: PartialObjectMetadata }, void> {
    for (const asked of this.asked) {
      const client = this.#client.metadata(asked.resource, this.#namespace(asked));
      for await (const object of this.#each(asked, client)) yield { resource: asked.resource, object };
    }
  }

  /** The objects of one resource as Tables: one for each page, or for each name. */
  async *tables(asked: Asked): AsyncGenerator<Table, void> {
    const { selector: labelSelector, fieldSelector } = this.#selection;
    const namespace = this.#namespace(asked);
    const client = this.#client;
    const signal = this.#signal;
    const read = async function* (name: string | undefined): AsyncGenerator<Table, void> {
      if (name !== undefined) yield await readTable(client, asked.resource, { namespace, name }, { signal });
      else yield* readTables(client, asked.resource, { namespace, labelSelector, fieldSelector }, { signal });
    };
    for (const name of asked.names ?? [undefined]) {
      yield* this.#counted(asked, this.#existing(read(name)), ({ rows }) => rows.length);
    }
  }

  async *#each<T extends KubernetesObject>(
    asked: Asked,
    client: {
      get(name: string, options: { readonly signal: AbortSignal }): Promise<T>;
      listAll(options: object): AsyncIterable<T>;
    },
  ): AsyncGenerator<T, void> {
    const { selector: labelSelector, fieldSelector } = this.#selection;
    const signal = this.#signal;
    const read = async function* (name: string | undefined): AsyncGenerator<T, void> {
      if (name === undefined) yield* client.listAll({ labelSelector, fieldSelector, signal });
      else yield await client.get(name, { signal });
    };
    for (const name of asked.names ?? [undefined]) {
      yield* this.#counted(asked, this.#existing(read(name)), () => 1);
    }
  }

  async *#counted<V>(
    { resource }: Asked,
    values: AsyncIterable<V>,
    size: (value: V) => number,
  ): AsyncGenerator<V, void> {
    const counter = this.progress.get(printGroupResource(resource)) as Counter;
    for await (const value of values) {
      counter.status.listed += size(value);
      yield value;
    }
    counter.hasSynced = true;
  }

  /** Passes values on, and notes an object that does not exist. */
  async *#existing<V>(values: AsyncIterable<V>): AsyncGenerator<V, void> {
    try {
      yield* values;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      this.missing.push(error);
    }
  }

  #namespace({ resource, names }: Asked): string | undefined {
    const verb = names === undefined ? 'list' : 'get';
    if (!resource.verbs.includes(verb)) {
      throw new CommandError(`${printGroupResource(resource)} cannot be shown: the server has no ${verb} for it`);
    }
    return namespaceIn(resource, this.#selection, this.#client);
  }
}

/** The progress of one resource. */
class Counter implements SyncingInformer {
  hasSynced = false;
  readonly status = { state: 'listing' as const, listed: 0 };
}

/** Joins the names of each resource, in the order of the arguments. */
function byResource(found: readonly Found[]): readonly Asked[] {
  const asked = new Map<string, { readonly resource: ApiResource; names: string[] | undefined }>();
  for (const { resource, name } of found) {
    const key = printGroupResource(resource);
    const before = asked.get(key);
    if (before === undefined) asked.set(key, { resource, names: name === undefined ? undefined : [name] });
    else if (name === undefined) before.names = undefined;
    else before.names?.push(name);
  }
  return [...asked.values()];
}
