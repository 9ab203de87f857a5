import { valueAt } from '../../meta/json-paths.js';
import type { JsonObject } from '../../meta/json-values.js';
import { dns1123SubdomainErrors } from '../../meta/names.js';
import type { Undo } from '../../meta/undo.js';
import type { Clock } from '../../time/clock.js';
import type { Steps } from '../../time/steps.js';
import type { Collection } from '../storage/storage.js';
import type { Cluster } from './cluster.js';
import type { Causes } from './causes.js';

/** Takes the text of a warning. */
export type Warn = (text: string) => void;

/** The fields that a selector may name, each with a function that reads its value as text. */
export type SelectableFields = Readonly<Record<string, (object: JsonObject) => string>>;

/** The values of the selectable fields of one object. */
export function selectedFields(fields: SelectableFields, object: JsonObject): Record<string, string> {
  const values: Record<string, string> = {};
  for (const field of Object.keys(fields)) values[field] = fields[field]!(object);
  return values;
}

/**
 * The behaviour of one resource that is in no OpenAPI document. Most resources have `defaultStrategy`; `kinds/` and the table
 * in strategies.ts have the exceptions. The conformance suite checks them on a real server.
 *
 * `T` is the type of the objects. They have been read by their schema, so that the fields that are there have their types.
 */
export interface Strategy<T = JsonObject> {
  /** The problems of a name; empty for a valid one. */
  readonly nameErrors: (name: string) => readonly string[];
  /** The selectable fields besides `metadata.name` and `metadata.namespace`. */
  readonly fields: SelectableFields;
  /** Other names of selectable fields, each with its name in `fields` of the stored version. */
  readonly fieldAliases: Readonly<Record<string, string>>;
  /** The message for a field that is not selectable. */
  readonly unknownField: (field: string) => string;
  /** What increments `metadata.generation`: nothing, changes outside metadata and status, or annotations too. */
  readonly generation: 'none' | 'content' | 'contentAndAnnotations';
  /** Whether a PUT creates an object that does not exist. */
  readonly createOnUpdate: boolean;
  /** Whether a PUT needs no resourceVersion. */
  readonly unconditionalUpdate: boolean;
  /** Whether the answer to a completed deletion is the object instead of a Status. */
  readonly returnsDeleted: boolean;
  /** The default propagation policy of deletions; `none`: the kind is never an owner. */
  readonly dependents: 'background' | 'orphan' | 'none';
  /** The metadata that a write to `/status` may change too. */
  readonly statusWrites: 'metadata' | 'metadataButLabels' | 'metadataButOwners' | 'statusOnly';
  /** The grace period of a deletion in seconds, given `gracePeriodSeconds` of the request. Undefined: none. */
  readonly gracePeriod: ((object: JsonObject, asked: number | undefined) => number) | undefined;
  /**
   * Sets what was left out, in every object that is read from a request, and in the result of a patch. The same defaults twice
   * change nothing.
   */
  readonly defaults: (object: T) => Steps<void> | void;
  /** Whether a create keeps the status that was sent. */
  readonly createsStatus: boolean;
  /**
   * Changes or refuses the whole object after its defaults, by other objects of the cluster: what the admission plugins of
   * kube-apiserver do that are on by default. `old` is the state before an update.
   */
  readonly admit: (object: T, old: T | undefined, cluster: Cluster) => void;
  /** Refuses an object that is valid by itself, by other objects of the cluster. */
  readonly approve: (object: T, old: T | undefined, cluster: Cluster) => void;
  /**
   * Sets what no two objects of the kind may share, such as the addresses of a Service. Returns the reservation, which ends
   * with the write: from then on the stored object holds what it got. Throws a StatusError if something is taken.
   */
  readonly allocate: ((object: T, old: T | undefined, context: AllocationContext) => Undo) | undefined;
  /** Sets what the server decides when an object is created, after the defaults. */
  readonly prepareCreate: (object: T) => void;
  /** Sets what the server decides in every write of the whole object; `old` is the state before an update. */
  readonly canonicalize: (object: T, old: T | undefined) => void;
  /** Sets what the server decides in a write of `/status`. */
  readonly prepareStatus: (object: T, old: T) => void;
  /**
   * Causes for an object that is invalid beyond its metadata and schema. `old` is the state before an update, and `subresource`
   * the part that it writes, such as `status`; empty for the whole object. `warn` takes what is only worth a warning.
   */
  readonly causes: (object: T, old: T | undefined, subresource: string, warn: Warn) => Causes;
  /** The group that a 422 names, if it is not that of the resource. */
  readonly statusGroup: string | undefined;
  /** The warning of each answer, for a resource that is deprecated. */
  readonly deprecation: string | undefined;
  /** Warnings about a valid object. */
  readonly warnings: (object: T, old: T | undefined) => Iterable<string>;
  /** For kinds with a termination phase: namespaces and definitions. */
  readonly termination: Termination | undefined;
}

/** What {@link Strategy.allocate} needs to know: the stored objects of the kind, and a source of random numbers. */
export interface AllocationContext {
  readonly collection: Collection;
  readonly clock: Clock;
}

/** The deletion of an object that contains others: a namespace or a definition. */
export interface Termination {
  begin(object: JsonObject, timestamp: string): void;
  isHeld(object: JsonObject): boolean;
}

/** The strategy of a kind whose objects have the type `T`. */
export function strategyFor<T>(strategy: Partial<Strategy<T>>): Partial<Strategy> {
  return strategy as unknown as Partial<Strategy>;
}

/** A scalar as text, as field selectors compare it. */
export function text(value: unknown): string {
  return value === undefined || value === null || typeof value === 'object' ? '' : String(value);
}

/** Selectable fields whose names are their paths. */
export function fields(...names: readonly string[]): SelectableFields {
  return Object.fromEntries(
    names.map((name) => {
      const path = name.split('.');
      return [name, (object: JsonObject) => text(valueAt(object, path))];
    }),
  );
}

/** The message of most kinds for a field that is not selectable. */
export const notSupported = (field: string): string => `field label not supported: ${field}`;

/** The strategy of most resources. */
export const defaultStrategy: Strategy = {
  nameErrors: (name) => dns1123SubdomainErrors(name),
  fields: {},
  fieldAliases: {},
  unknownField: (field) =>
    `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
  generation: 'none',
  createOnUpdate: false,
  unconditionalUpdate: true,
  returnsDeleted: false,
  dependents: 'background',
  statusWrites: 'metadata',
  gracePeriod: undefined,
  admit: () => {},
  approve: () => {},
  defaults: () => {},
  createsStatus: false,
  allocate: undefined,
  prepareCreate: () => {},
  canonicalize: () => {},
  prepareStatus: () => {},
  causes: () => [],
  statusGroup: undefined,
  deprecation: undefined,
  warnings: () => [],
  termination: undefined,
};

/** The strategy of all custom resources. */
export const customResourceStrategy: Strategy = {
  ...defaultStrategy,
  unknownField: notSupported,
  generation: 'content',
  unconditionalUpdate: false,
  statusWrites: 'statusOnly',
};
