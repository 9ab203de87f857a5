import type { ApiServer } from '../../src/apiserver/index.js';
import { startApiServer } from '../../src/apiserver/index.js';
import { CachePool, type CachePoolOptions } from '../../src/controller/caches.js';
import { createController } from '../../src/controller/controller.js';
import type { ControllerEnvironment, RunRecord } from '../../src/controller/environment.js';
import { ControllerInstance } from '../../src/controller/instance.js';
import type { ControllerOptions } from '../../src/controller/types.js';
import { EventBroadcaster } from '../../src/events/index.js';
import { type Client, defineResource, type KubernetesObject, type ResourceClient } from '../../src/index.js';
import type { Condition } from '../../src/meta/objects.js';
import { FakeClock } from '../../src/time/fake-clock.js';

export interface Widget extends KubernetesObject {
  spec: { size?: number; config?: string };
  status?: { size?: number; note?: string; others?: string; conditions?: Condition[] };
}

export const widgets = defineResource<Widget>({
  group: 'example.com',
  version: 'v1',
  resource: 'widgets',
  kind: 'Widget',
  namespaced: true,
});

export interface Gadget extends KubernetesObject {
  spec: { size?: number };
}

/** A cluster-scoped kind. */
export const gadgets = defineResource<Gadget>({
  group: 'example.com',
  version: 'v1',
  resource: 'gadgets',
  kind: 'Gadget',
  namespaced: false,
});

const text = { type: 'string' };
const number = { type: 'integer' };
const condition = {
  type: 'object',
  required: ['type', 'status'],
  properties: {
    type: text,
    status: text,
    reason: text,
    message: text,
    lastTransitionTime: text,
    observedGeneration: number,
  },
};

function definition(plural: string, kind: string, scope: string) {
  const conditions = {
    type: 'array',
    items: condition,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['type'],
  };
  const schema = {
    type: 'object',
    properties: {
      spec: { type: 'object', properties: { size: number, config: text } },
      status: { type: 'object', properties: { size: number, note: text, others: text, conditions } },
    },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: 'example.com',
      scope,
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [
        { name: 'v1', served: true, storage: true, subresources: { status: {} }, schema: { openAPIV3Schema: schema } },
      ],
    },
  };
}

/** One replica: a controller that runs with an environment of its own. */
export interface Replica<T extends KubernetesObject> {
  readonly instance: ControllerInstance<T>;
  readonly records: RunRecord[];
  /** Keys of runs that have ended, in that order. */
  readonly keys: () => string[];
  readonly skipped: string[];
  readonly stale: string[];
  /** What the environment's `onError` was called with. */
  readonly errors: string[];
  /** What the controller's `onError` was called with, unless the options have one. */
  readonly failures: { readonly error: unknown; readonly key: string }[];
  readonly caches: CachePool;
  readonly environment: ControllerEnvironment;
}

/** An embedded server in memory, on a fake clock, with the kinds Widget and Gadget. */
export async function controllerRig(options: { readonly seed?: number } = {}) {
  const clock = new FakeClock({ seed: options.seed ?? 7 });
  const api: ApiServer = await startApiServer({
    clock,
    listen: false,
    objects: [definition('widgets', 'Widget', 'Namespaced'), definition('gadgets', 'Gadget', 'Cluster')],
  });
  const client: Client = api.client();
  const ends: (() => Promise<void>)[] = [];
  let managers = 0;

  /** Lets virtual time pass until the promise settles. */
  async function drive<R>(promise: Promise<R>): Promise<R> {
    let isSettled = false;
    const settle = () => void (isSettled = true);
    promise.then(settle, settle);
    await clock.until(() => isSettled, { withinMs: 600_000 });
    return promise;
  }

  /** Starts a controller, as the only one of its manager unless an environment is given. */
  function start<T extends KubernetesObject>(
    controllerOptions: ControllerOptions<T>,
    how: {
      readonly standby?: boolean;
      readonly pool?: CachePoolOptions;
      readonly environment?: Partial<ControllerEnvironment>;
    } = {},
  ): Replica<T> {
    const records: RunRecord[] = [];
    const skipped: string[] = [];
    const stale: string[] = [];
    const errors: string[] = [];
    const failures: { error: unknown; key: string }[] = [];
    const own = api.client();
    const caches = how.environment?.caches ?? new CachePool({ onError: () => {}, ...how.pool });
    const broadcaster = new EventBroadcaster({ client: own });
    const environment: ControllerEnvironment = {
      manager: `manager-${managers++}`,
      client: own,
      clock,
      caches,
      guard: (one) => one,
      recorder: (component) => broadcaster.recorder({ component }),
      onError: (error) => void errors.push(error.message),
      observer: {
        runEnded: (record) => void records.push(record),
        applySkipped: (_, key) => void skipped.push(key),
        staleWait: (_, key) => void stale.push(key),
      },
      ...how.environment,
    };
    const controller = createController({
      onError: (error, key) => void failures.push({ error, key }),
      ...controllerOptions,
    });
    const instance = new ControllerInstance(controller, environment);
    instance.openCaches();
    if (how.standby !== true) instance.resume();
    ends.push(async () => {
      await drive(instance.suspend({ drainMs: 0, reason: new Error('the test has ended'), graceMs: 0 }));
      await drive(instance.close());
      await drive(broadcaster.close());
      await caches.stop();
      await own.close();
    });
    const keys = () => records.map(({ key }) => key);
    return { instance, records, keys, skipped, stale, errors, failures, caches, environment };
  }

  /** Ends everything that was started. */
  async function stop(): Promise<void> {
    for (const end of ends.splice(0).reverse()) await end();
    await client.close();
    await api.stop();
  }

  const sites: ResourceClient<Widget> = client.forResource(widgets, 'default');
  const create = (name: string, spec: Widget['spec'] = {}, labels: Record<string, string> = {}) =>
    sites.create({ metadata: { name, labels }, spec });
  return { clock, api, client, widgets: sites, create, start, stop, drive };
}

/** A promise that a test settles. */
export function gate<V = void>(): { readonly promise: Promise<V>; resolve(value: V): void } {
  let resolve: (value: V) => void = () => {};
  const promise = new Promise<V>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

export type ControllerRig = Awaited<ReturnType<typeof controllerRig>>;
