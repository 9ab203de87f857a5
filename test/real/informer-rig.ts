import { expect } from 'vitest';
import type { SharedIndexInformer } from '../../src/cache/informer/shared-informer.js';
import { Client } from '../../src/client/client.js';
import { type FactoryOptions, SharedInformerFactory } from '../../src/informers/shared-informer-factory.js';
import type { ConfigMap } from '../../src/resources/types/core-v1.js';
import type { HttpTransportOptions } from '../../src/rest/http/http-transport.js';
import { ContractObserver } from '../support/contract-observer.js';
import { eventually } from '../support/eventually.js';
import { withWire } from '../support/wire.js';
import type { RealApiServer } from './real-api-server.mjs';

let namespaces = 0;

interface RigOptions {
  /** The address for the informers; changes and comparisons go to the server itself. */
  readonly url?: string;
  /** The client of the informers. @default one of the admin */
  readonly client?: Client;
  /** An existing namespace. @default a new one */
  readonly namespace?: string;
  readonly http?: HttpTransportOptions;
  readonly factory?: FactoryOptions;
}

/** A failure that an informer recovered from. */
interface Survived {
  /** Not the error itself, whose stack keeps the connection that failed in memory. */
  readonly message: string;
  readonly reason: string | undefined;
  /** The time, of `performance.now()`. */
  readonly at: number;
}

/** A namespace on a real server, informers of it, and continuous changes in it. */
export class InformerRig implements AsyncDisposable {
  readonly admin: Client;
  readonly client: Client;
  readonly namespace: string;
  readonly factory: SharedInformerFactory;
  readonly survived: Survived[] = [];
  readonly #observed = new Map<SharedIndexInformer<unknown>, ContractObserver>();

  static async start(server: RealApiServer, options: RigOptions = {}): Promise<InformerRig> {
    const { http } = options;
    const admin = await Client.fromKubeconfig({ text: server.kubeconfig }, withWire);
    const namespace = options.namespace ?? `informers-${process.pid}-${++namespaces}`;
    if (options.namespace === undefined) await admin.core.v1.namespaces().create({ metadata: { name: namespace } });
    const text = server.kubeconfig.replaceAll(server.url, options.url ?? server.url);
    const client = options.client ?? (await Client.fromKubeconfig({ text }, { ...withWire, http }));
    return new InformerRig(admin, client, namespace, options.factory);
  }

  private constructor(admin: Client, client: Client, namespace: string, options: FactoryOptions = {}) {
    this.admin = admin;
    this.client = client;
    this.namespace = namespace;
    const onError = ({ message }: Error, { reason }: { readonly reason?: string }) =>
      this.survived.push({ message, reason, at: performance.now() });
    this.factory = new SharedInformerFactory(client, { namespace, onError, ...options });
  }

  /** The config maps of the namespace, read and written without the proxy of the informers. */
  get maps() {
    return this.admin.core.v1.configMaps(this.namespace);
  }

  /** Checks the contract of the informer from now on. */
  observe<T extends SharedIndexInformer<ConfigMap>>(informer: T): T {
    const observer = new ContractObserver(informer.lister);
    this.#observed.set(informer, observer);
    informer.subscribe(observer.listen);
    return informer;
  }

  observer(informer: SharedIndexInformer<ConfigMap>): ContractObserver {
    return this.#observed.get(informer) as ContractObserver;
  }

  get observers(): readonly ContractObserver[] {
    return [...this.#observed.values()];
  }

  async sync(): Promise<void> {
    this.factory.start();
    await this.factory.waitForCacheSync({ timeoutMs: 300_000 });
  }

  /** Creates, updates and deletes alternately; ignores errors of a server that is down. */
  async churn(rounds: number, from = 0): Promise<void> {
    for (let i = from; i < from + rounds; i++) {
      const name = `cm-${i % 20}`;
      const labels = { app: i % 2 === 0 ? 'even' : 'odd' };
      try {
        if (i % 7 === 3) await this.maps.delete(name);
        else await this.maps.patch(name, { metadata: { labels }, data: { round: String(i) } });
      } catch {
        await this.maps.create({ metadata: { name, labels }, data: { round: String(i) } }).catch(() => {});
      }
    }
  }

  /** The objects of the server: key and resourceVersion. */
  async listed(labelSelector?: string): Promise<Record<string, string>> {
    const resource = { group: '', version: 'v1', resource: 'configmaps' };
    const { items } = await this.admin.metadata(resource, this.namespace).list({ labelSelector });
    return Object.fromEntries(
      items.map(({ metadata }) => [`${this.namespace}/${metadata.name}`, metadata.resourceVersion]).sort(),
    );
  }

  /** Waits until the cache equals the server's list. */
  async equal(informer: SharedIndexInformer<ConfigMap>, labelSelector?: string, withinMs = 300_000): Promise<void> {
    await eventually(
      'the cache equals the list',
      async () => JSON.stringify(await this.listed(labelSelector)) === JSON.stringify(cached(informer)),
      { withinMs, explain: () => ({ status: informer.status, cached: cached(informer) }) },
    );
  }

  /** Waits until every observed cache equals the server's list; throws if a call of a handler broke the contract. */
  async check(withinMs?: number): Promise<void> {
    for (const [informer, observer] of this.#observed as Map<SharedIndexInformer<ConfigMap>, ContractObserver>) {
      await this.equal(informer, undefined, withinMs);
      await eventually('the handler knows what the cache has', () => {
        return JSON.stringify(observer.state) === JSON.stringify(cached(informer));
      });
      expect(observer.violations).toEqual([]);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.factory.stop();
    await this.client.close();
    await this.admin.close();
  }
}

function cached(informer: SharedIndexInformer<ConfigMap>): Record<string, string> {
  return Object.fromEntries(
    [...informer.lister.entries()].map(({ key, facts }) => [key, facts.resourceVersion] as const).sort(),
  );
}
