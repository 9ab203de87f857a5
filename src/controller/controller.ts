import type { Client, KubernetesObject, Resource } from '../index.js';
import { labelKeyErrors } from '../meta/names.js';
import { checkOptions, type OptionNames } from '../meta/options/known-options.js';
import {
  optionError,
  requireFunction,
  requireInteger,
  requireNumber,
  requireObject,
  requireOneOf,
  requireString,
} from '../meta/options/validate.js';
import { printGroupResource } from '../meta/resource.js';
import { findResource } from '../resources/find.js';
import type { PolicyRule } from '../resources/types/rbac-v1.js';
import type { RateLimiter } from '../workqueue/index.js';
import type { CacheOptions, Controller, ControllerOptions, ControllerWatch, ControllerWatchOptions } from './types.js';

/** A resource whose kind and scope are known: from itself, or from the catalogue of built-in kinds. */
export interface KnownResource<T> extends Resource<T> {
  readonly kind: string;
  readonly namespaced: boolean;
}

/** One watch of a controller. */
export interface WatchDefinition<T> {
  readonly resource: KnownResource<unknown>;
  readonly options: ControllerWatchOptions<T, unknown>;
}

/** The checked options of a controller, with their defaults. What a manager, `manifests` and permissions read. */
export interface ControllerDefinition<T extends KubernetesObject> {
  readonly name: string;
  readonly for: KnownResource<T>;
  readonly owns: readonly KnownResource<unknown>[];
  readonly watches: readonly WatchDefinition<T>[];
  readonly when: ControllerOptions<T>['when'];
  readonly reconcile: ControllerOptions<T>['reconcile'];
  /** Undefined: the controller has no finalizer, and removes one that an earlier version of it has left. */
  readonly finalize: ControllerOptions<T>['finalize'];
  readonly gone: ControllerOptions<T>['gone'];
  /** Set also without `finalize`: that finalizer is removed where it is found. */
  readonly finalizer: string;
  readonly readyCondition: string | undefined;
  readonly workers: number;
  readonly timeoutMs: number;
  readonly everyMs: number;
  readonly limiter: RateLimiter<string> | undefined;
  /** Undefined: as the manager does, on shards or on the leader. */
  readonly runsOn: 'leader' | 'shards' | 'all' | undefined;
  readonly client: Client | undefined;
  readonly cache: CacheOptions | undefined;
  readonly permissions: readonly PolicyRule[];
  readonly onError: ControllerOptions<T>['onError'];
}

const controllerNames: OptionNames<ControllerOptions<never>> = {
  name: true,
  for: true,
  owns: true,
  watches: true,
  when: true,
  reconcile: true,
  finalize: true,
  gone: true,
  finalizer: true,
  readyCondition: true,
  workers: true,
  timeoutMs: true,
  everyMs: true,
  limiter: true,
  runsOn: true,
  client: true,
  cache: true,
  permissions: true,
  onError: true,
};

const watchNames: OptionNames<ControllerWatchOptions<never, never>> = {
  requests: true,
  references: true,
  when: true,
  client: true,
  metadataOnly: true,
  sharded: true,
  cache: true,
};

/** The group of finalizers of controllers of built-in kinds: the groups of Kubernetes belong to Kubernetes. */
const ownGroup = 'kubeflect.dev';
/** A field manager has at most 128 characters, and contains the names of manager and controller. */
const longestName = 63;

const definitions = new WeakMap<Controller<KubernetesObject>, ControllerDefinition<never>>();
const watchDefinitions = new WeakMap<ControllerWatch<never>, WatchDefinition<never>>();

/**
 * Makes a controller, for `createManager`. Throws a TypeError for options that cannot work.
 *
 * @example
 * const { configMaps } = resources.core.v1;
 * const controller = createController({
 *   name: 'widgets',
 *   for: widgets,
 *   owns: [configMaps],
 *   async reconcile({ metadata: { name }, spec: { size } }, { apply, status }) {
 *     await apply(configMaps, { metadata: { name }, data: { size: `${size}` } });
 *     status({ size });
 *   },
 * });
 */
export function createController<T extends KubernetesObject>(options: ControllerOptions<T>): Controller<T> {
  requireObject('options', options, 'an object with name, for and reconcile');
  checkOptions('createController', options, controllerNames as OptionNames<ControllerOptions<T>>);
  const name = requireString('name', options.name);
  if (name.length > longestName || labelKeyErrors(name).length > 0 || name.includes('/'))
    throw optionError('name', `a name of up to ${longestName} letters, digits, '-', '_' and '.'`, name);
  const resource = knownResource<T>('for', options.for);
  requireFunction('reconcile', options.reconcile);
  for (const optional of ['finalize', 'gone', 'when', 'watches', 'onError'] as const)
    if (options[optional] !== undefined) requireFunction(optional, options[optional]);
  const finalizer = options.finalizer ?? `${finalizerGroup(resource)}/${name}`;
  if (!finalizer.includes('/') || labelKeyErrors(finalizer).length > 0)
    throw optionError('finalizer', "a name with a group, as 'example.com/websites'", finalizer);
  if (options.readyCondition !== undefined) requireString('readyCondition', options.readyCondition);
  if (options.runsOn !== undefined) requireOneOf('runsOn', options.runsOn, ['leader', 'shards', 'all']);
  const definition: ControllerDefinition<T> = {
    name,
    for: resource,
    owns: (options.owns ?? []).map((one, i) => knownResource(`owns[${i}]`, one)),
    watches: watchesOf(options),
    when: options.when,
    reconcile: options.reconcile.bind(options),
    finalize: options.finalize?.bind(options),
    gone: options.gone?.bind(options),
    finalizer,
    readyCondition: options.readyCondition,
    workers: requireInteger('workers', options.workers ?? 4, 1, 100_000),
    timeoutMs: requireNumber('timeoutMs', options.timeoutMs ?? 300_000, 1),
    everyMs: requireNumber('everyMs', options.everyMs ?? 36_000_000),
    limiter: options.limiter,
    runsOn: options.runsOn,
    client: options.client,
    cache: options.cache,
    permissions: options.permissions ?? [],
    onError: options.onError,
  };
  const controller: Controller<T> = Object.freeze({ name, for: resource });
  definitions.set(controller, definition as unknown as ControllerDefinition<never>);
  return controller;
}

/** The definition of a controller. Throws a TypeError for a value that createController has not returned. */
export function definitionOf<T extends KubernetesObject>(controller: Controller<T>): ControllerDefinition<T> {
  const definition = typeof controller === 'object' && controller !== null ? definitions.get(controller) : undefined;
  if (definition === undefined) throw optionError('controller', 'what createController returned', controller);
  return definition as unknown as ControllerDefinition<T>;
}

/** Checks a watch: of the option `watches`, or one that is added to a running controller. */
export function watchDefinition<T>(
  resource: Resource<unknown>,
  options: ControllerWatchOptions<T, never>,
): WatchDefinition<T> {
  const known = knownResource('resource', resource);
  requireObject('options', options, 'an object with requests or references');
  checkOptions(`the watch of ${printGroupResource(known)}`, options, watchNames);
  const { requests, references, when } = options;
  if ((requests === undefined) === (references === undefined))
    throw new TypeError(`the watch of ${printGroupResource(known)} needs one of requests and references`);
  for (const [option, value] of Object.entries({ requests, references, when }))
    if (value !== undefined) requireFunction(option, value);
  return { resource: known, options: options as unknown as ControllerWatchOptions<T, unknown> };
}

function watchesOf<T extends KubernetesObject>(options: ControllerOptions<T>): readonly WatchDefinition<T>[] {
  const watch = <U>(resource: Resource<U>, watchOptions: ControllerWatchOptions<T, U>): ControllerWatch<T> => {
    const definition = watchDefinition<T>(resource, watchOptions as unknown as ControllerWatchOptions<T, never>);
    const value: ControllerWatch<T> = Object.freeze({ resource: definition.resource });
    watchDefinitions.set(value as ControllerWatch<never>, definition as unknown as WatchDefinition<never>);
    return value;
  };
  return (options.watches?.(watch) ?? []).map((value) => {
    const definition = watchDefinitions.get(value as ControllerWatch<never>);
    if (definition === undefined) throw optionError('watches', 'a function that returns what watch() returned', value);
    return definition as unknown as WatchDefinition<T>;
  });
}

/** Adds kind and scope from the catalogue; without them no owner reference and no request can be made. */
export function knownResource<T>(option: string, resource: Resource<T>): KnownResource<T> {
  requireObject(option, resource, 'a resource, from resources or defineResource');
  if (resource.kind !== undefined && resource.namespaced !== undefined) return resource as KnownResource<T>;
  const builtin = findResource(resource);
  const kind = resource.kind ?? builtin?.kind;
  const namespaced = resource.namespaced ?? builtin?.namespaced;
  if (kind === undefined || namespaced === undefined)
    throw optionError(option, 'a resource with kind and namespaced: make it with defineResource', resource);
  return { ...resource, kind, namespaced };
}

function finalizerGroup(resource: Resource<unknown>): string {
  return findResource(resource) === undefined && resource.group !== '' ? resource.group : ownGroup;
}
