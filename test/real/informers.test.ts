import { type AddressInfo, createServer, connect as dial, type Server, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { SharedIndexInformer } from '../../src/cache/shared-informer.js';
import { Client } from '../../src/client/client.js';
import { SharedInformerFactory } from '../../src/informers/shared-informer-factory.js';
import type { ConfigMap } from '../../src/resources/types/core-v1.js';
import { ContractObserver } from '../support/contract-observer.js';
import { type RealApiServer, startRealApiServer } from './real-api-server.mjs';

/** Whether the informers keep their promises on the real thing, while it is restarted, killed, compacted and cut off. */
let server: RealApiServer;
beforeAll(async () => {
  server = await startRealApiServer();
});
afterAll(() => server.stop());

const ends: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Waits for what only a real server can bring about; the deadline is for a test that has gone wrong. */
async function eventually(what: string, holds: () => boolean | Promise<boolean>, withinMs = 90_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`waited for ${withinMs} ms, and still not: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

let namespaces = 0;
async function setup(options: { url?: string; http?: object } = {}) {
  const admin = await Client.fromKubeconfig({ text: server.kubeconfig });
  const namespace = `informers-${process.pid}-${++namespaces}`;
  await admin.core.v1.namespaces().create({ metadata: { name: namespace } });
  const text = options.url === undefined ? server.kubeconfig : server.kubeconfig.replaceAll(server.url, options.url);
  const client = await Client.fromKubeconfig({ text }, options.http === undefined ? {} : { http: options.http });
  const factory = new SharedInformerFactory(client, { namespace, onError() {} });
  ends.push(
    () => admin.close(),
    () => client.close(),
    () => factory.stop(),
  );
  const maps = admin.core.v1.configMaps(namespace);
  const observers: ContractObserver[] = [];
  const observe = <T>(informer: SharedIndexInformer<T>) => {
    const observer = new ContractObserver();
    observers.push(observer);
    informer.subscribe(observer.listen);
    return observer;
  };
  const listed = async (labelSelector?: string) => {
    const { items } = await maps.list({ labelSelector });
    return Object.fromEntries(
      items.map(({ metadata }) => [`${namespace}/${metadata.name}`, metadata.resourceVersion]).sort(),
    );
  };
  const cached = (informer: SharedIndexInformer<ConfigMap>) =>
    Object.fromEntries(
      [...informer.lister.entries()].map(({ key, facts }) => [key, facts.resourceVersion] as const).sort(),
    );
  const equal = (informer: SharedIndexInformer<ConfigMap>, labelSelector?: string) =>
    eventually('the cache equals the list', async () => {
      const [list, cache] = [await listed(labelSelector), cached(informer)];
      return JSON.stringify(list) === JSON.stringify(cache);
    });
  const check = async (informer: SharedIndexInformer<ConfigMap>) => {
    await equal(informer);
    for (const { violations } of observers) expect(violations).toEqual([]);
  };
  /** Creates, updates and deletes, in turns; errors of a server that is down are part of it. */
  const churn = async (rounds: number, from = 0) => {
    for (let i = from; i < from + rounds; i++) {
      const name = `cm-${i % 20}`;
      const labels = { app: i % 2 === 0 ? 'even' : 'odd' };
      try {
        if (i % 7 === 3) await maps.delete(name);
        else await maps.patch(name, { metadata: { labels }, data: { round: String(i) } });
      } catch {
        await maps.create({ metadata: { name, labels }, data: { round: String(i) } }).catch(() => {});
      }
    }
  };
  return { admin, client, factory, namespace, maps, observe, check, churn, equal };
}

describe('informers on a real kube-apiserver', () => {
  it('list or stream, watch, select and index, as bytes and as objects', async () => {
    const { factory, observe, check, churn, equal, maps, namespace } = await setup();
    await churn(30);
    const streamed = factory.core.v1.configMaps();
    const listedFirst = factory.core.v1.configMaps({ useWatchList: false, name: 'listed' });
    const objects = factory.core.v1.configMaps({ storage: 'objects', name: 'objects' });
    const even = factory.core.v1.configMaps({ labelSelector: 'app=even', name: 'even' });
    const metadata = factory.metadata({ group: '', version: 'v1', resource: 'configmaps' });
    const byApp = streamed.addIndex('app', ['metadata', 'labels', 'app']);
    for (const informer of [streamed, listedFirst, objects]) observe(informer);
    factory.start();
    await factory.waitForCacheSync({ timeoutMs: 30_000 });
    await churn(100, 30);
    for (const informer of [streamed, listedFirst, objects]) await check(informer);
    await equal(even, 'app=even');
    expect(byApp.count('even')).toBe(even.lister.count());
    expect(metadata.lister.keys().sort()).toEqual(streamed.lister.keys().sort());
    const made = await maps.create({ metadata: { name: 'read-your-writes' }, data: { a: 'b' } });
    await streamed.waitForResourceVersion(made.metadata.resourceVersion, { timeoutMs: 30_000 });
    const read = streamed.lister.getOrThrow({ namespace, name: 'read-your-writes' });
    expect(read.data).toEqual({ a: 'b' });
    expect(read.metadata.managedFields).toBeUndefined();
    expect(objects.lister.get(`${namespace}/read-your-writes`)).toEqual(read);
  });

  it('goes on through a restart, whose watches answer 410 to what they no longer know', async () => {
    const { factory, observe, check, churn } = await setup();
    const maps = factory.core.v1.configMaps();
    const listed = factory.core.v1.configMaps({ useWatchList: false, name: 'listed' });
    observe(maps);
    observe(listed);
    factory.start();
    await factory.waitForCacheSync({ timeoutMs: 30_000 });
    await churn(40);
    await Promise.all([server.restart(), churn(40, 40)]);
    await churn(40, 80);
    await check(maps);
    await check(listed);
  });

  it('goes on through kill -9 under load', async () => {
    const { factory, observe, check, churn } = await setup();
    const maps = factory.core.v1.configMaps();
    const observer = observe(maps);
    factory.start();
    await factory.waitForCacheSync({ timeoutMs: 30_000 });
    const load = churn(150);
    await eventually('the load has begun', () => observer.events > 10);
    await server.kill();
    await server.start();
    await load;
    await churn(30, 150);
    await check(maps);
  });

  it('goes on after compaction, where a watch of events has to start over', async () => {
    const { admin, factory, namespace, observe } = await setup();
    const events = factory.core.v1.events();
    const observer = observe(events);
    factory.start();
    await factory.waitForCacheSync({ timeoutMs: 30_000 });
    const make = (name: string) =>
      admin.core.v1.events(namespace).create({
        metadata: { name },
        involvedObject: { kind: 'Pod', namespace, name: 'x' },
        reason: 'Test',
        message: name,
        type: 'Normal',
      });
    for (let i = 0; i < 20; i++) await make(`before-${i}`);
    await server.compact();
    for (let i = 0; i < 20; i++) await make(`after-${i}`);
    await eventually('all events are cached', () => events.lister.count() === 40);
    expect(observer.violations).toEqual([]);
  });

  it('keeps its promises through a proxy that resets, stalls and refuses', async () => {
    const proxy = await startProxy(server.url);
    ends.push(() => proxy.close());
    const http = { pingAfterMs: 1_000, pingTimeoutMs: 1_000 };
    const { factory, observe, check, churn } = await setup({ url: proxy.url, http });
    const maps = factory.core.v1.configMaps();
    observe(maps);
    factory.start();
    await factory.waitForCacheSync({ timeoutMs: 30_000 });
    await churn(20);
    proxy.reset();
    await churn(20, 20);
    await check(maps);
    proxy.stall();
    await churn(20, 40);
    // Nothing tells the client that its connection is dead: it has to notice, and the proxy lets new ones through.
    proxy.release();
    await check(maps);
    proxy.refuse(true);
    proxy.reset();
    await churn(20, 60);
    proxy.refuse(false);
    await check(maps);
  });
});

/** A TCP proxy that can be told to misbehave. */
async function startProxy(target: string) {
  const { hostname, port } = new URL(target);
  const pairs = new Set<[Socket, Socket]>();
  let refusing = false;
  let stalling = false;
  const listener: Server = createServer((client) => {
    if (refusing) {
      client.destroy();
      return;
    }
    const upstream = dial(Number(port), hostname);
    const pair: [Socket, Socket] = [client, upstream];
    pairs.add(pair);
    const close = () => {
      pairs.delete(pair);
      client.destroy();
      upstream.destroy();
    };
    for (const socket of pair) socket.on('error', close).on('close', close);
    client.on('data', (data) => upstream.write(data));
    upstream.on('data', (data) => client.write(data));
    if (stalling) for (const socket of pair) socket.pause();
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    reset() {
      for (const [client] of pairs) client.resetAndDestroy();
    },
    /** Existing connections go silent for good; those that come after `release` are fine. */
    stall() {
      stalling = true;
      for (const pair of pairs) for (const socket of pair) socket.pause();
    },
    release() {
      stalling = false;
    },
    refuse(on: boolean) {
      refusing = on;
    },
    close() {
      for (const [client] of pairs) client.destroy();
      return new Promise((resolve) => listener.close(resolve));
    },
  };
}
