import type { JsonObject } from '../meta/json-values.js';
import { checkOptions } from '../meta/options/known-options.js';
import { optionError, requireFunction, requireInteger, requireNumber } from '../meta/options/validate.js';
import { finish } from '../time/steps.js';
import { type AccessCheck, createAccessCheck } from './access/access-check.js';
import { accessOracle } from './access/access-oracle.js';
import { AccountTokens } from './access/account-tokens.js';
import { createAuthenticator, type TokenUser, tokenUsers, type User } from './access/authentication.js';
import { RbacAuthorizer } from './access/authorization.js';
import { storedRoles } from './access/roles.js';
import { storedTokenObjects } from './access/token-objects.js';
import { AdmissionChain } from './admission/admission-chain.js';
import { WebhookClient } from './admission/webhooks/webhook-client.js';
import { checkedWebhooks, unresolvedService } from './admission/webhooks/webhook-services.js';
import { CustomResources } from './controllers/custom-resources.js';
import { storeDefaultPolicy } from './controllers/default-policy.js';
import { startEventExpiry } from './controllers/event-expiry.js';
import { startGarbageCollector } from './controllers/garbage-collector.js';
import { startNamespaceLifecycle } from './controllers/namespace-lifecycle.js';
import { startResourceQuota } from './controllers/resource-quota.js';
import { startRoleAggregation } from './controllers/role-aggregation.js';
import type { ServerController, ServerControllerContext } from './controllers/server-controller.js';
import { startSystemObjects } from './controllers/system-objects.js';
import { startVolumeProtection } from './controllers/volume-protection.js';
import { simulationOf } from './controllers/workloads/options.js';
import { startWorkloads, type Workloads } from './controllers/workloads/workloads.js';
import type { SkewedClock } from './faults/skewed-clock.js';
import { createApiHandler } from './request/api-handler.js';
import type { BodyLimits } from './request/body/request-body.js';
import { ResourceHandler } from './request/resource-handler.js';
import type { ReviewContext } from './request/review/reviews.js';
import { type Kubelet, kubeletNames } from './request/streams/kubelet.js';
import { startLog } from './request/streams/start-log.js';
import { type AdmissionPlugin, DEFAULT_PLUGINS } from './resources/admission.js';
import { builtInResources } from './resources/built-in-resources.js';
import { restoredFields } from './resources/custom/custom-resource.js';
import { type ApiResource, Registry } from './resources/registry.js';
import { typed } from './resources/typed-resource.js';
import { ObjectWriter } from './resources/write/object-writer.js';
import type { ApiServerOptions } from './server-options.js';
import { type Collection, keyOf, Storage } from './storage/storage.js';
import type { ApiHandler } from './wire/exchange.js';

/** Limits of request bodies: the size is that of kube-apiserver. */
export const BODY_LIMITS: BodyLimits = { maxBytes: 3 * 1024 * 1024, maxDepth: 500 };

/** The user of the admin token, and of all requests if they are not authenticated. */
const ADMIN: User = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };

type ControllerName = Exclude<ApiServerOptions['controllers'], string | undefined>[number];

const CONTROLLERS: Readonly<Record<ControllerName, (context: ServerControllerContext) => ServerController>> = {
  'system-namespaces': startSystemObjects,
  'garbage-collector': startGarbageCollector,
  'namespace-lifecycle': startNamespaceLifecycle,
  'volume-protection': startVolumeProtection,
  'resource-quota': startResourceQuota,
  'role-aggregation': startRoleAggregation,
};

/** The storage that the options ask for, empty. */
export function createStorage(options: ApiServerOptions, clock: SkewedClock): Storage {
  return new Storage({
    historyLimit: requireInteger('historyLimit', options.historyLimit ?? 10_000, 1),
    historyBytes: requireInteger('historyBytes', options.historyBytes ?? 64 * 1024 * 1024),
    firstVersion: requireInteger('firstResourceVersion', options.firstResourceVersion ?? 1, 1),
    now: () => clock.now(),
    ownVersions: options.replay !== undefined,
  });
}

/** The server without its listener and connections. */
export class ServerCore {
  readonly clock: SkewedClock;
  readonly storage: Storage;
  readonly resources: ResourceHandler;
  /** The resources that requests can name. */
  readonly served: Registry;
  readonly handler: ApiHandler;
  readonly onError: (error: unknown) => void;
  /** The simulated cluster; undefined without the option. */
  readonly workloads: Workloads | undefined;
  readonly #registry: Registry;
  readonly #writer: ObjectWriter;
  readonly #webhooks: WebhookClient;
  readonly #controllers: ServerController[] = [];

  /**
   * @param storage empty, or with the objects of a data directory
   * @param credentials of a user of `system:masters`, if requests are authenticated, and of ServiceAccounts
   * @param replayed the resources that are served instead of the built-in ones; nothing of them is written
   */
  constructor(
    options: ApiServerOptions,
    clock: SkewedClock,
    storage: Storage,
    credentials: { readonly token: string; readonly signingKey: string | undefined },
    replayed?: readonly ApiResource[],
  ) {
    this.clock = clock;
    this.onError = options.onError ?? ((error) => process.emitWarning(error instanceof Error ? error : String(error)));
    const { onError } = this;
    const restoredVersion = storage.version;
    const registry = new Registry();
    for (const resource of builtInResources(storage)) registry.add(resource);
    this.storage = storage;
    this.#registry = registry;
    this.served = replayed === undefined ? registry : new Registry();
    for (const resource of replayed ?? []) this.served.add(resource);
    const { served } = this;

    const accountTokens = new AccountTokens(clock, storedTokenObjects(registry), credentials.signingKey);
    const access = accessOf(options, credentials.token, storage, registry, accountTokens);
    const webhooks = new WebhookClient({
      clock,
      services: checkedWebhooks(options.webhooks ?? {}),
      unresolved: unresolvedService(registry),
    });
    this.#webhooks = webhooks;
    const admission = new AdmissionChain({
      clock,
      registry,
      caller: webhooks,
      oracleOf: ({ user }) => accessOracle(access.authorizer, user),
      plugins: pluginsOf(options.admissionPlugins),
      writer: () => writer,
    });
    const writer: ObjectWriter = new ObjectWriter(clock, registry, admission);
    this.#writer = writer;
    this.resources = new ResourceHandler({
      clock,
      storage,
      registry: served,
      writer,
      admission,
      limits: BODY_LIMITS,
      accountTokens,
      kubelet: kubeletOf(options, registry.find('', 'v1', 'pods')!.collection),
      bookmarkIntervalMs: requireNumber('bookmarkIntervalMs', options.bookmarkIntervalMs ?? 5000, 1),
      reviews: access,
      shardedLists: options.shardedLists === true,
    });
    const { resources } = this;
    this.handler = createApiHandler({
      clock,
      registry: served,
      resources,
      checkAccess: access.check,
      accountTokens,
      onError,
    });
    // A recording changes by itself only.
    if (replayed !== undefined) return;
    const customResources = new CustomResources({
      clock,
      storage,
      registry,
      writer,
      onError,
      endWatches: (collection) => resources.concludeWatches(collection),
      caller: webhooks,
    });
    // A data directory may be older than the selectable fields that this server knows.
    for (const resource of registry.stored()) {
      const fields = Object.keys(resource.storedFields);
      resource.collection.completeFields(fields, (object) => restoredFields(resource, object));
    }
    customResources.restore();
    this.#controllers.push(customResources);
    this.#controllers.push(startEventExpiry({ clock, storage, registry, writer, onError }));
    if (access.authorizer !== undefined) storeDefaultPolicy({ clock, storage, registry, writer, onError });
    for (const name of controllersOf(options.controllers)) {
      this.#controllers.push(CONTROLLERS[name]({ clock, storage, registry, writer, onError }));
    }
    const seeded = new Set<string>();
    for (const { object, at } of inOrder(options.objects ?? [])) {
      try {
        this.#seed(object, customResources, restoredVersion, seeded);
      } catch (error) {
        throw new TypeError(`objects[${at}]: ${(error as Error).message}`, { cause: error });
      }
    }
    const simulation = simulationOf(options.workloads);
    if (simulation !== undefined) {
      const workloads = startWorkloads({ clock, storage, registry, writer, onError }, simulation);
      this.workloads = workloads;
      this.#controllers.push(workloads);
    }
  }

  stop(): void {
    for (const controller of this.#controllers) controller.stop();
    this.resources.endWatches();
    this.#webhooks.close();
  }

  /**
   * Stores one of `options.objects`. An object of a data directory stays as it is; one that the server has created itself at this
   * start is replaced.
   */
  #seed(given: SeedObject, customResources: CustomResources, restoredVersion: number, seeded: Set<string>): void {
    const apiVersion = typeof given['apiVersion'] === 'string' ? given['apiVersion'] : undefined;
    const resource = this.#registry.findServed(given.kind, apiVersion);
    if (resource === undefined) {
      const what = `${apiVersion ?? 'any version'}, kind ${given.kind}`;
      throw new TypeError(`no resource of ${what} is served, and no definition among the objects defines it`);
    }
    const object = finish(typed(structuredClone(given), resource, Number.POSITIVE_INFINITY));
    const metadata = object['metadata'] as { namespace?: string; name?: string } | undefined;
    const namespace = resource.namespaced ? (metadata?.namespace ?? 'default') : '';
    const { collection } = resource;
    const existing = collection.get(keyOf(namespace, metadata?.name ?? ''));
    if (existing !== undefined && existing.version <= restoredVersion) return;
    const namespaces = this.#registry.find('', 'v1', 'namespaces')!;
    if (namespace !== '' && namespaces.collection.get(namespace) === undefined) {
      finish(this.#writer.create(namespaces, '', { metadata: { name: namespace } }));
    }
    const status = given['status'];
    const { revision } = finish(
      existing !== undefined && !seeded.has(`${collection.id} ${existing.key}`)
        ? this.#writer.update(resource, namespace, existing.name, { change: () => object })
        : this.#writer.create(resource, namespace, object),
    );
    seeded.add(`${collection.id} ${revision.key}`);
    if (resource.resource === 'customresourcedefinitions') customResources.serve(revision.name);
    // A create drops the status, so that it is written by an update.
    if (status === undefined) return;
    const update = this.#writer.update(resource, namespace, revision.name, {
      change: (old) => ({ ...old, status: structuredClone(status) }),
      merge: (_old, next) => next,
      subresource: 'status',
    });
    finish(update);
  }
}

type SeedObject = JsonObject & { kind: string };

/** The kinds that others depend on come first. */
const FIRST_KINDS: readonly string[] = ['Namespace', 'CustomResourceDefinition'];

function inOrder(objects: NonNullable<ApiServerOptions['objects']>): { object: SeedObject; at: number }[] {
  return objects
    .map((object, at) => ({ object: object as unknown as SeedObject, at }))
    .sort((a, b) => rankOf(a.object.kind) - rankOf(b.object.kind) || a.at - b.at);
}

/** The place of a kind in the order in which objects are stored. */
function rankOf(kind: string): number {
  const at = FIRST_KINDS.indexOf(kind);
  return at < 0 ? FIRST_KINDS.length : at;
}

function accessOf(
  options: ApiServerOptions,
  adminToken: string,
  storage: Storage,
  registry: Registry,
  accountTokens: AccountTokens,
): ReviewContext & { check: AccessCheck } {
  const authorization = options.authorization ?? 'none';
  if (authorization !== 'none' && authorization !== 'rbac') {
    throw optionError('authorization', "'none' or 'rbac'", authorization);
  }
  const isOpen = options.tokens === undefined && authorization === 'none';
  const tokens: Record<string, TokenUser> = { ...options.tokens, [adminToken]: ADMIN };
  const authenticate = isOpen
    ? () => ADMIN
    : createAuthenticator({ tokens, anonymous: options.anonymous, accountTokens });
  const authorizer = authorization === 'rbac' ? new RbacAuthorizer(storedRoles(storage, registry)) : undefined;
  const check = createAccessCheck({ authenticate, authorizer });
  return { check, tokenUsers: tokenUsers(tokens), authorizer, accountTokens };
}

/** The functions of the option; throws a TypeError for an unknown one. */
function kubeletOf({ kubelet = {}, workloads = false }: ApiServerOptions, pods: Collection): Kubelet {
  checkOptions('kubelet', kubelet, kubeletNames);
  for (const [name, value] of Object.entries(kubelet)) {
    if (value !== undefined) requireFunction(`kubelet.${name}`, value);
  }
  return workloads === false ? kubelet : { log: startLog(pods), ...kubelet };
}

function pluginsOf(option: ApiServerOptions['admissionPlugins'] = {}): ReadonlySet<AdmissionPlugin> {
  const plugins = new Set<AdmissionPlugin>(DEFAULT_PLUGINS);
  const known: readonly string[] = [...DEFAULT_PLUGINS, 'ServiceAccount'];
  for (const [name, isOn] of Object.entries(option)) {
    if (!known.includes(name)) {
      throw optionError('admissionPlugins', `an object with keys among ${known.join(', ')}`, name);
    }
    if (typeof isOn !== 'boolean') throw optionError(`admissionPlugins.${name}`, 'true or false', isOn);
    if (isOn) plugins.add(name as AdmissionPlugin);
    else plugins.delete(name as AdmissionPlugin);
  }
  return plugins;
}

function controllersOf(option: ApiServerOptions['controllers']): readonly ControllerName[] {
  const all = Object.keys(CONTROLLERS) as ControllerName[];
  if (option === undefined || option === 'all') return all;
  if (option === 'none') return [];
  if (!Array.isArray(option) || !option.every((name) => all.includes(name))) {
    throw optionError(
      'controllers',
      `'all', 'none' or an array of ${all.map((name) => `'${name}'`).join(', ')}`,
      option,
    );
  }
  // In the order of the table: the namespaces come first.
  return all.filter((name) => option.includes(name));
}
