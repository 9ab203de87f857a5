import type { DeepReadonly, KubernetesObject, New, Resource } from '../../index.js';
import type { CustomResource } from '../../kinds/define-resource.js';
import { dns1123SubdomainErrors, labelKeyErrors } from '../../meta/names.js';
import type { LabelSelector } from '../../meta/objects.js';
import { checkOptions, type OptionNames } from '../../meta/options/known-options.js';
import {
  optionError,
  requireFunction,
  requireNumber,
  requireObject,
  requireOneOf,
  requireString,
} from '../../meta/options/validate.js';
import { printGroupResource } from '../../meta/resource.js';
import { toLabelSelector } from '../../meta/selectors/label-selector.js';
import { type KnownResource, knownResource } from '../controller.js';
import type { AdmissionRequest, Verdict, Webhook, WebhookOptions } from './types.js';

type Operation = AdmissionRequest<unknown>['operation'];

/** The checked options of `validate` and `mutate`, with their defaults. */
export interface AdmissionDefinition {
  readonly type: 'validate' | 'mutate';
  readonly name: string;
  readonly resource: KnownResource<unknown>;
  /** Whether the kind was made by `defineResource` from fields. */
  readonly isOwnKind: boolean;
  readonly operations: readonly Operation[];
  readonly subresource: string | undefined;
  readonly reads: readonly KnownResource<unknown>[];
  readonly failurePolicy: 'Fail' | 'Ignore';
  readonly timeoutMs: number;
  readonly conditions: Readonly<Record<string, string>>;
  readonly namespaceSelector: LabelSelector | undefined;
  readonly objectSelector: LabelSelector | undefined;
  /** `check` or `change`. */
  call(object: never, request: AdmissionRequest<never>): Verdict | Promise<Verdict>;
}

/** A conversion between two versions of a kind. */
export interface ConversionDefinition {
  readonly type: 'convert';
  readonly name: string;
  readonly from: CustomResource<KubernetesObject>;
  readonly to: CustomResource<KubernetesObject>;
  up(object: never): object;
  down(object: never): object;
}

export type WebhookDefinition = AdmissionDefinition | ConversionDefinition;

const optionNames: OptionNames<WebhookOptions> = {
  name: true,
  operations: true,
  subresource: true,
  reads: true,
  failurePolicy: true,
  timeoutMs: true,
  conditions: true,
  namespaceSelector: true,
  objectSelector: true,
};

const OPERATIONS: readonly Operation[] = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'];
/** The most that a webhook configuration can have; the manager adds one condition of its own. */
const MOST_CONDITIONS = 63;

const definitions = new WeakMap<Webhook, WebhookDefinition>();

/**
 * Refuses objects: `check` returns what is wrong with one. For DELETE it gets the object that is deleted. A throw is no
 * verdict: the request fails or passes by `failurePolicy`.
 *
 * @example
 * validate(widgets, {
 *   check: ({ spec }) => (spec.size > 10 ? [{ field: 'spec.size', message: 'must be at most 10' }] : []),
 * });
 */
export function validate<T extends KubernetesObject>(
  resource: Resource<T>,
  options: WebhookOptions & {
    check(object: DeepReadonly<T>, request: AdmissionRequest<T>): Verdict | Promise<Verdict>;
  },
): Webhook {
  requireObject('options', options, 'an object with check');
  const { check, ...common } = options;
  requireFunction('check', check);
  return admission('validate', resource, common, check.bind(options));
}

/**
 * Changes objects before they are stored: what `change` does to the object becomes a patch, or it returns what is wrong.
 * The server may call it again for the same object: called twice it must do the same as once.
 *
 * @example
 * mutate(widgets, { change: (widget) => void (widget.spec.size ??= 3) });
 */
export function mutate<T extends KubernetesObject>(
  resource: Resource<T>,
  options: WebhookOptions & { change(object: New<T>, request: AdmissionRequest<T>): Verdict | Promise<Verdict> },
): Webhook {
  requireObject('options', options, 'an object with change');
  const { change, ...common } = options;
  requireFunction('change', change);
  if (common.operations?.includes('DELETE') === true)
    throw new TypeError('mutate cannot change an object that is deleted: use validate for DELETE');
  return admission('mutate', resource, common, change.bind(options));
}

/**
 * Converts between two versions of a kind. Conversions are chained, metadata stays, and what one version cannot express is
 * kept in an annotation until the object is converted back.
 *
 * @example
 * convert(beta, widgets, {
 *   up: ({ spec: { count } }) => ({ spec: { size: count } }),
 *   down: ({ spec: { size } }) => ({ spec: { count: size } }),
 * });
 */
export function convert<A extends KubernetesObject, B extends KubernetesObject>(
  from: CustomResource<A>,
  to: CustomResource<B>,
  functions: {
    up(object: DeepReadonly<A>): Omit<New<B>, 'metadata'>;
    down(object: DeepReadonly<B>): Omit<New<A>, 'metadata'>;
  },
): Webhook {
  for (const [option, resource] of Object.entries({ from, to }))
    if (!isOwnKind(resource)) throw optionError(option, 'a resource that defineResource made from fields', resource);
  requireObject('functions', functions, 'an object with up and down');
  checkOptions('convert', functions, { up: true, down: true });
  const { up, down } = functions;
  requireFunction('up', up);
  requireFunction('down', down);
  if (printGroupResource(from) !== printGroupResource(to) || from.kind !== to.kind)
    throw new TypeError(`convert needs two versions of one kind, not ${from.kind} and ${to.kind}`);
  if (from.version === to.version) throw new TypeError(`convert needs two versions, not ${from.version} twice`);
  const name = `convert.${from.version}.${to.version}.${printGroupResource(to)}`;
  return define({
    type: 'convert',
    name,
    from,
    to,
    up: up.bind(functions) as ConversionDefinition['up'],
    down: down.bind(functions) as ConversionDefinition['down'],
  });
}

/** The definition of a webhook. Throws a TypeError for a value that `validate`, `mutate` or `convert` has not returned. */
export function webhookDefinition(webhook: Webhook): WebhookDefinition {
  const definition = typeof webhook === 'object' && webhook !== null ? definitions.get(webhook) : undefined;
  if (definition === undefined) throw optionError('webhooks[]', 'what validate, mutate or convert returned', webhook);
  return definition;
}

/** Whether a resource has a definition: `defineResource` has made it from fields. */
function isOwnKind(resource: unknown): boolean {
  return (resource as { readonly definition?: unknown } | undefined)?.definition !== undefined;
}

function define(definition: WebhookDefinition): Webhook {
  const { name, type } = definition;
  const webhook: Webhook = Object.freeze({ name, type });
  definitions.set(webhook, definition);
  return webhook;
}

function admission(
  type: 'validate' | 'mutate',
  given: Resource<unknown>,
  options: WebhookOptions,
  call: (object: never, request: never) => Verdict | Promise<Verdict>,
): Webhook {
  const resource = knownResource('resource', given);
  checkOptions(type, options, optionNames);
  const { subresource, namespaceSelector, objectSelector } = options;
  if (subresource !== undefined) requireString('subresource', subresource);
  const name = options.name ?? defaultName(type, resource, subresource);
  if (dns1123SubdomainErrors(requireString('name', name)).length > 0 || name.split('.').length < 3)
    throw optionError('name', "a name with at least two dots, as 'hosts.example.com'", name);
  for (const selector of [namespaceSelector, objectSelector]) toLabelSelector(selector);
  return define({
    type,
    name,
    resource,
    isOwnKind: isOwnKind(given),
    operations: operationsOf(options),
    subresource,
    reads: readsOf(options),
    failurePolicy: failurePolicyOf(type, given, options),
    timeoutMs: requireNumber('timeoutMs', options.timeoutMs ?? 5000, 1, 30_000),
    conditions: conditionsOf(options),
    namespaceSelector,
    objectSelector,
    call,
  });
}

function defaultName(type: string, resource: Resource<unknown>, subresource: string | undefined): string {
  const { group, version } = resource;
  const plural = subresource === undefined ? resource.resource : `${resource.resource}-${subresource}`;
  return `${type}.${version}.${printGroupResource({ group, resource: plural })}`.toLowerCase();
}

function operationsOf({ operations = ['CREATE', 'UPDATE'] }: WebhookOptions): readonly Operation[] {
  if (!Array.isArray(operations) || operations.length === 0)
    throw optionError('operations', `some of ${OPERATIONS.join(', ')}`, operations);
  for (const operation of operations) requireOneOf('operations[]', operation, OPERATIONS);
  return [...new Set(operations)];
}

function readsOf({ reads = [] }: WebhookOptions): readonly KnownResource<unknown>[] {
  if (!Array.isArray(reads)) throw optionError('reads', 'an array of resources', reads);
  return reads.map((one, i) => knownResource<unknown>(`reads[${i}]`, one));
}

function failurePolicyOf(type: string, resource: Resource<unknown>, options: WebhookOptions): 'Fail' | 'Ignore' {
  const { failurePolicy } = options;
  if (failurePolicy === undefined && !isOwnKind(resource)) {
    const what = `${type} of ${printGroupResource(resource)}, which is not a kind of your own, needs failurePolicy`;
    throw new TypeError(`${what}: 'Ignore', or 'Fail' if nothing may be written while no replica answers`);
  }
  return requireOneOf('failurePolicy', failurePolicy ?? 'Fail', ['Fail', 'Ignore']);
}

function conditionsOf({ conditions = {} }: WebhookOptions): Readonly<Record<string, string>> {
  requireObject('conditions', conditions, 'an object with a CEL expression by name');
  const entries = Object.entries(conditions);
  if (entries.length > MOST_CONDITIONS)
    throw optionError('conditions', `at most ${MOST_CONDITIONS} expressions`, entries.length);
  for (const [name, expression] of entries) {
    if (labelKeyErrors(name).length > 0 || name === BEING_DELETED)
      throw optionError('conditions', "an object with names such as 'is-kept'", name);
    requireString(`conditions[${JSON.stringify(name)}]`, expression);
  }
  return conditions;
}

/** The name of the condition that every webhook has: objects that are being deleted must lose their finalizers. */
export const BEING_DELETED = 'kubeflect.dev/not-being-deleted';
