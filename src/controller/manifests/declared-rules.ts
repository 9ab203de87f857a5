import type { Client, KubernetesObject, Resource } from '../../index.js';
import { printGroupResource } from '../../meta/resource.js';
import { findResource } from '../../resources/find.js';
import type { PolicyRule } from '../../resources/types/rbac-v1.js';
import { type ControllerDefinition, definitionOf, type KnownResource } from '../controller.js';
import type { ManagerOptions } from '../manager/manager-options.js';
import type { CacheOptions } from '../types.js';
import { secretNameOf } from '../webhooks/certificates/certificate-secret.js';
import { bundleTargetsOf } from '../webhooks/configurations.js';
import { webhookDefinition } from '../webhooks/webhook.js';
import { customDefinitions } from './custom-definitions.js';
import { RuleSet } from './rule-set.js';

/** Rights of a manager in one namespace, or in the whole cluster. */
export interface ScopedRules {
  /** Undefined for the whole cluster. */
  readonly namespace: string | undefined;
  /** The client of another cluster that they are used with; undefined for the manager's. */
  readonly client: Client | undefined;
  readonly rules: RuleSet;
}

const READ = ['get', 'list', 'watch'];
const OWN = [...READ, 'create', 'patch', 'delete'];

/**
 * The rights that follow from the options of a manager and of its controllers. `manifests` grants those in the manager's
 * cluster; a manager checks all of them when it starts.
 *
 * @param home the namespace of the manager itself
 */
export function declaredRules(options: ManagerOptions, home: string): ScopedRules[] {
  const scopes = new Scopes();
  for (const controller of options.controllers ?? []) addController(scopes, options, definitionOf(controller));
  const { election = true } = options;
  if (election !== false) {
    const lease = { group: 'coordination.k8s.io', resource: 'leases' };
    const name = (election === true ? undefined : election.name) ?? options.name;
    const rules = scopes.of(home, undefined);
    // The path of a create has no name that a rule could be limited to.
    rules.add({ ...lease, verb: 'create' });
    for (const verb of ['get', 'update']) rules.add({ ...lease, verb, name });
  }
  addWebhooks(scopes, options, home);
  const { definitions = 'check' } = options;
  const verbs = { apply: ['get', 'create', 'patch'], check: ['get'], ignore: [] }[definitions];
  for (const { definition, client } of customDefinitions(options, home)) {
    const name = definition.metadata?.name ?? '';
    const target = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions', name };
    for (const verb of verbs) scopes.of(undefined, client).add({ ...target, verb });
  }
  return scopes.all();
}

/** Caches that webhooks read, the Secret of their certificates, and the objects that hold the authority. */
function addWebhooks(scopes: Scopes, options: ManagerOptions, home: string): void {
  const definitions = (options.webhooks ?? []).map(webhookDefinition);
  if (definitions.length === 0) return;
  for (const definition of definitions) {
    for (const resource of definition.type === 'convert' ? [] : definition.reads) {
      const namespaces = resource.namespaced ? namespacesOf(sharedCacheOptions(options, resource)) : [undefined];
      scopes.add({ resource, namespaces, client: undefined }, READ);
    }
  }
  const { certificates = 'managed' } = options.webhookServer ?? {};
  if (certificates === 'managed') {
    const secrets = { group: '', resource: 'secrets' };
    const rules = scopes.of(home, undefined);
    rules.add({ ...secrets, verb: 'create' });
    for (const verb of [...READ, 'update']) rules.add({ ...secrets, verb, name: secretNameOf(options.name) });
  }
  if (certificates !== 'managed' && certificates.caFile === undefined) return;
  for (const { resource, name } of bundleTargetsOf(definitions, options.name)) {
    const { group, resource: plural } = resource;
    for (const verb of [...READ, 'patch']) scopes.of(undefined, undefined).add({ group, resource: plural, verb, name });
  }
}

/** The sets of rules, by cluster and namespace. */
class Scopes {
  readonly #scopes: ScopedRules[] = [];

  of(namespace: string | undefined, client: Client | undefined): RuleSet {
    const known = this.#scopes.find((scope) => scope.namespace === namespace && scope.client === client);
    if (known !== undefined) return known.rules;
    const rules = new RuleSet();
    this.#scopes.push({ namespace, client, rules });
    return rules;
  }

  /** Verbs on a kind, in each of the namespaces. */
  add(kind: KindUse, verbs: readonly string[], subresource?: string): void {
    const { group, resource } = kind.resource;
    const full = subresource === undefined ? resource : `${resource}/${subresource}`;
    for (const namespace of kind.namespaces) {
      const rules = this.of(namespace, kind.client);
      for (const verb of verbs) rules.add({ group, resource: full, verb });
    }
  }

  all(): ScopedRules[] {
    return this.#scopes.filter(({ rules }) => rules.size > 0);
  }
}

/** A kind that a controller uses, and where. */
interface KindUse {
  readonly resource: Resource<unknown>;
  readonly namespaces: readonly (string | undefined)[];
  readonly client: Client | undefined;
}

function addController(
  scopes: Scopes,
  options: ManagerOptions,
  definition: ControllerDefinition<KubernetesObject>,
): void {
  const { client } = definition;
  const use = (resource: KnownResource<unknown>, cache?: CacheOptions, other = client): KindUse => ({
    resource,
    namespaces: resource.namespaced ? namespacesOf(cache ?? sharedCacheOptions(options, resource)) : [undefined],
    client: other,
  });
  const main = use(definition.for, definition.cache);
  scopes.add(main, READ);
  if (hasStatus(definition.for)) scopes.add(main, ['patch'], 'status');
  if (definition.finalize !== undefined) {
    scopes.add(main, ['patch']);
    // Clusters with the admission plugin OwnerReferencesPermissionEnforcement ask for it: owned objects block the deletion.
    scopes.add(main, ['update'], 'finalizers');
  }
  for (const resource of definition.owns) scopes.add(use(resource), OWN);
  for (const { resource, options: watch } of definition.watches)
    scopes.add(use(resource, watch.cache, watch.client ?? client), READ);
  // Events about objects without a namespace are stored in `default`.
  const events = { group: '', version: 'v1', resource: 'events' };
  const namespaces = definition.for.namespaced ? main.namespaces : ['default'];
  scopes.add({ resource: events, namespaces, client }, ['create', 'patch']);
  for (const rule of definition.permissions) addRule(scopes, main, rule);
}

/** A rule of the option `permissions`: in the namespaces of the controller's objects, unless it is about the cluster. */
function addRule(scopes: Scopes, { namespaces, client }: KindUse, rule: PolicyRule): void {
  const { apiGroups = [], resources = [] } = rule;
  const isOfCluster =
    rule.nonResourceURLs !== undefined ||
    apiGroups.some((group) => resources.some((resource) => isClusterScoped(group, resource)));
  for (const namespace of isOfCluster ? [undefined] : namespaces) scopes.of(namespace, client).addRule(rule);
}

function isClusterScoped(group: string, resource: string): boolean {
  const [plural = ''] = resource.split('/');
  return ['v1', 'v1beta1', 'v1alpha1'].some(
    (version) => findResource({ group, version, resource: plural })?.namespaced === false,
  );
}

/** The options of the cache of a resource that all controllers of a manager share. */
function sharedCacheOptions(options: ManagerOptions, resource: Resource<unknown>): CacheOptions {
  return options.cacheOf?.[printGroupResource(resource)] ?? options.cache ?? {};
}

function namespacesOf({ namespace }: CacheOptions): readonly (string | undefined)[] {
  if (namespace === undefined || namespace === '') return [undefined];
  return typeof namespace === 'string' ? [namespace] : namespace;
}

/** False only for a custom resource whose definition says so. */
function hasStatus(resource: Resource<unknown>): boolean {
  const { definition } = resource as Partial<CustomDefinitionLike>;
  const version = definition?.spec.versions.find(({ name }) => name === resource.version);
  return version === undefined || version.subresources?.status !== undefined;
}

interface CustomDefinitionLike {
  readonly definition: {
    readonly spec: {
      readonly versions: readonly {
        readonly name: string;
        readonly subresources?: { readonly status?: unknown } | undefined;
      }[];
    };
  };
}
