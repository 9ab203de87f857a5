import { describe, expect, it, onTestFinished } from 'vitest';
import { startApiServer } from '../../src/apiserver/index.js';
import { EventBroadcaster } from '../../src/events/index.js';
import {
  Client,
  defineResource,
  LeaderElector,
  processQueue,
  RateLimitingQueue,
  SharedInformerFactory,
} from '../../src/index.js';
import { FakeClock } from '../../src/testing/index.js';

/** Calls without type checks. */
type Untyped = (...args: unknown[]) => unknown;
const make = (what: unknown, ...args: unknown[]): unknown => Reflect.construct(what as new () => unknown, args);

async function setup() {
  const api = await startApiServer({ clock: new FakeClock(), listen: false });
  onTestFinished(() => api.stop());
  const client = api.client();
  const factory = new SharedInformerFactory(client);
  onTestFinished(() => factory.stop());
  return { client, factory, pods: factory.core.v1.pods() };
}

describe('wrong arguments of untyped callers throw an error that names them', () => {
  it.each<[string, (around: Awaited<ReturnType<typeof setup>>) => unknown, string]>([
    ['a factory without a client', () => make(SharedInformerFactory), 'client must be a Client, got undefined'],
    [
      'a factory with a namespace as options',
      ({ client }) => make(SharedInformerFactory, client, 'default'),
      'the options of new SharedInformerFactory must be an object, got "default"',
    ],
    [
      'an informer with a namespace as options',
      ({ factory }) => (factory.core.v1.pods as Untyped)('default'),
      'options must be an object such as { namespace, labelSelector }, got "default"',
    ],
    [
      'a number as namespace',
      ({ factory }) => (factory.core.v1.pods as Untyped)({ namespace: 3 }),
      'namespace must be one or more names, got 3',
    ],
    [
      'a read with a namespace as options',
      ({ pods }) => (pods.lister.list as Untyped).call(pods.lister, 'default'),
      'options must be an object such as { namespace, labelSelector }, got "default"',
    ],
    [
      'a count with a namespace as options',
      ({ pods }) => (pods.lister.count as Untyped).call(pods.lister, 'default'),
      'options must be an object such as { namespace, labelSelector }, got "default"',
    ],
    [
      'a handler with wrong names of callbacks',
      ({ pods }) => pods.addEventHandler({ add() {} } as never),
      'handler must be an object with onAdd, onUpdate or onDelete, got an object with add',
    ],
    [
      'a function as handler',
      ({ pods }) => pods.addEventHandler((() => {}) as never),
      'handler must be an object with onAdd, onUpdate or onDelete, got function (anonymous)',
    ],
    [
      'enqueueInto without a queue',
      ({ pods }) => (pods.enqueueInto as Untyped).call(pods),
      'queue must be a queue with add(item), got undefined',
    ],
    [
      'an elector without a lease',
      ({ client }) => make(LeaderElector, client),
      'options must be an object with namespace and name, got undefined',
    ],
    [
      'a broadcaster without options',
      () => make(EventBroadcaster),
      'options must be an object with a client, got undefined',
    ],
    [
      'a broadcaster with a client as options',
      ({ client }) => make(EventBroadcaster, client),
      'client must be a Client, got undefined',
    ],
    [
      'defineResource without arguments',
      () => (defineResource as Untyped)(),
      'resource must be an object with group, version, kind, and spec or resource and namespaced, got undefined',
    ],
    [
      'a factory with a promise as client',
      ({ client }) => make(SharedInformerFactory, Promise.resolve(client)),
      'client must be a Client, not a promise of one: await it',
    ],
    [
      'an elector with a promise as client',
      ({ client }) => make(LeaderElector, Promise.resolve(client), { namespace: 'default', name: 'boss' }),
      'client must be a Client, not a promise of one: await it',
    ],
    [
      'a number as rateLimit',
      () => make(Client, { server: 'http://127.0.0.1:1', rateLimit: 3 }),
      'rateLimit must be { qps, burst } or a limiter, got 3',
    ],
  ])('%s', async (_, call, message) => {
    const around = await setup();
    expect(() => call(around)).toThrow(new TypeError(message));
  });

  it.each<[string, () => Promise<unknown>, string]>([
    ['fromDefault', () => Client.fromDefault(), 'Client.fromDefault()'],
    ['fromKubeconfig', () => Client.fromKubeconfig({ text: '' }), 'Client.fromKubeconfig(…)'],
  ])('a missing await of %s', async (_, call, name) => {
    const pending = call() as Promise<unknown> & Client;
    // Without a cluster the promise rejects, which is not tested here.
    void pending.catch(() => {});
    const message = (member: string) =>
      `${name} is a promise of a client, and ${member} was asked of the promise: write await ${name}`;
    expect(() => pending.core.v1.pods()).toThrow(new TypeError(message('core')));
    expect(() => pending.forResource({} as never)).toThrow(new TypeError(message('forResource')));
    expect(() => pending.rest).toThrow(new TypeError(message('rest')));
    expect(() => pending.close()).toThrow(new TypeError(message('close')));
  });

  it.each<[string, () => Promise<unknown>, string]>([
    [
      'processQueue without a queue',
      () => (processQueue as (...args: unknown[]) => Promise<void>)(),
      'queue must be a queue such as RateLimitingQueue, got undefined',
    ],
    [
      'processQueue without options',
      () => (processQueue as (...args: unknown[]) => Promise<void>)(new RateLimitingQueue()),
      'options must be an object with reconcile, got undefined',
    ],
    [
      'a string as kubeconfig',
      () => Client.fromKubeconfig('/etc/kubeconfig' as never),
      'source must be { path }, { text } or a KubeConfig, got "/etc/kubeconfig"',
    ],
  ])('%s', async (_, call, message) => {
    await expect(call()).rejects.toThrow(new TypeError(message));
  });
});
