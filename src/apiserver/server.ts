import type { KubernetesObject, New } from '../meta/objects.js';
import { optionError, requireInteger, requireNumber } from '../meta/validate.js';
import type { Clock } from '../time/clock.js';
import { realClock } from '../time/real-clock.js';
import { type AccessCheck, createApiHandler } from './api-handler.js';
import { builtInResources } from './built-in-resources.js';
import type { Controller, ControllerContext } from './controllers/controller.js';
import { startGarbageCollector } from './controllers/garbage-collector.js';
import { startNamespaceLifecycle } from './controllers/namespace-lifecycle.js';
import { startSystemNamespaces } from './controllers/system-namespaces.js';
import { CustomResources } from './custom-resources.js';
import type { ApiHandler } from './exchange.js';
import type { JsonObject } from './json-values.js';
import { type Listener, listen } from './listener.js';
import { ObjectWriter } from './object-writer.js';
import { Registry } from './registry.js';
import { ResourceHandler } from './resource-handler.js';
import { Storage } from './storage.js';

/** The controllers that a server can run inside. */
export type ControllerName = 'garbage-collector' | 'namespace-lifecycle' | 'system-namespaces';

/** How a server is to be. */
export interface ApiServerOptions {
  /** @default realClock */
  readonly clock?: Clock | undefined;
  /**
   * Whether it can be reached over the network. Without, clients talk to it in memory, which a fake clock needs.
   * @default true
   */
  readonly listen?: boolean | undefined;
  /** @default '127.0.0.1' */
  readonly host?: string | undefined;
  /** 0 takes any free one. @default 0 */
  readonly port?: number | undefined;
  /** What is there from the beginning, stored in this order; missing namespaces are made. */
  readonly objects?: readonly (New<KubernetesObject> & { kind: string })[] | undefined;
  /**
   * What the server does by itself: all of it, none of it, or some.
   * @default 'all'
   */
  readonly controllers?: 'all' | 'none' | readonly ControllerName[] | undefined;
  /** How often watches that allow it get a bookmark. @default 5000 */
  readonly bookmarkIntervalMs?: number | undefined;
  /** How many changes of each resource are remembered for watches and for lists of older versions. @default 10000 */
  readonly historyLimit?: number | undefined;
  /** Is told of errors that are bugs of the server. @default process.emitWarning */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** How a server comes back. */
export interface RestartOptions {
  /**
   * Whether it still knows the recent changes. A real server does not: watches that resume from an older version get a
   * 410.
   * @default false
   */
  readonly keepHistory?: boolean | undefined;
}

/** A running server. */
export interface ApiServer extends AsyncDisposable {
  readonly url: string;
  /** Drops history: watches from older versions get 410, and continue tokens expire. */
  compact(): void;
  /** Ends every connection and comes back at the same address with the same objects. */
  restart(options?: RestartOptions): Promise<void>;
  /** Ends every connection and gives everything back. */
  stop(): Promise<void>;
}

const CONTROLLERS: Readonly<Record<ControllerName, (context: ControllerContext) => Controller>> = {
  'system-namespaces': startSystemNamespaces,
  'garbage-collector': startGarbageCollector,
  'namespace-lifecycle': startNamespaceLifecycle,
};

const MAX_BODY_BYTES = 3 * 1024 * 1024;
const MAX_DEPTH = 500;

/**
 * Starts a Kubernetes API server inside this process: all built-in resources, custom ones, list and watch as a real
 * server has them, in memory.
 *
 * @example
 * await using api = await startApiServer();
 * const response = await fetch(`${api.url}/api/v1/namespaces`);
 */
export async function startApiServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  const core = new ServerCore(options);
  const server = new EmbeddedApiServer(core, options);
  await server.start();
  return server;
}

/** The server behind its sockets: everything but the way to reach it. */
class ServerCore {
  readonly clock: Clock;
  readonly storage: Storage;
  readonly registry: Registry;
  readonly writer: ObjectWriter;
  readonly resources: ResourceHandler;
  readonly handler: ApiHandler;
  readonly onError: (error: unknown) => void;
  readonly #controllers: Controller[] = [];

  constructor(options: ApiServerOptions, checkAccess?: AccessCheck) {
    this.clock = options.clock ?? realClock;
    this.onError = options.onError ?? ((error) => process.emitWarning(error instanceof Error ? error : String(error)));
    this.storage = new Storage({ historyLimit: requireInteger('historyLimit', options.historyLimit ?? 10_000, 1) });
    this.registry = new Registry();
    for (const resource of builtInResources(this.storage)) this.registry.add(resource);
    this.writer = new ObjectWriter(this.clock, this.registry);
    this.resources = new ResourceHandler({
      clock: this.clock,
      storage: this.storage,
      writer: this.writer,
      limits: { maxBytes: MAX_BODY_BYTES, maxDepth: MAX_DEPTH },
      bookmarkIntervalMs: requireNumber('bookmarkIntervalMs', options.bookmarkIntervalMs ?? 5000, 1),
    });
    const { clock, storage, registry, writer, resources, onError } = this;
    const endWatches: (collection: Parameters<ResourceHandler['endWatches']>[0]) => void = (collection) =>
      resources.endWatches(collection);
    this.#controllers.push(new CustomResources({ clock, storage, registry, writer, endWatches }));
    for (const name of controllersOf(options.controllers)) {
      this.#controllers.push(CONTROLLERS[name]({ clock, storage, registry, writer, onError }));
    }
    this.handler = createApiHandler({ clock, registry, resources, checkAccess, onError });
    for (const object of options.objects ?? []) this.#seed(object as unknown as JsonObject & { kind: string });
  }

  stop(): void {
    for (const controller of this.#controllers) controller.stop();
    this.resources.endWatches();
  }

  /** Stores one of the objects that are there from the beginning. */
  #seed(object: JsonObject & { kind: string }): void {
    const apiVersion = typeof object['apiVersion'] === 'string' ? object['apiVersion'] : undefined;
    const resource = this.registry.findServed(object.kind, apiVersion);
    if (resource === undefined) {
      const what = `${apiVersion ?? 'any version'}, kind ${object.kind}`;
      throw new TypeError(`objects: no resource of ${what} is served; custom resources are created through a client`);
    }
    const metadata = object['metadata'] as { namespace?: string } | undefined;
    const namespace = resource.namespaced ? (metadata?.namespace ?? 'default') : '';
    const namespaces = this.registry.find('', 'v1', 'namespaces')!;
    if (namespace !== '' && namespaces.collection.get(namespace) === undefined) {
      this.writer.create(namespaces, '', { metadata: { name: namespace } });
    }
    const status = object['status'];
    const { revision } = this.writer.create(resource, namespace, structuredClone(object));
    // What is there from the beginning may well have a status already, though nobody can create one.
    if (status === undefined) return;
    this.writer.update(resource, namespace, revision.name, {
      change: (old) => ({ ...old, status: structuredClone(status) }),
      merge: (_old, next) => next,
    });
  }
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
  // In their own order: namespaces come before what lives in them.
  return all.filter((name) => option.includes(name));
}

class EmbeddedApiServer implements ApiServer {
  readonly #core: ServerCore;
  readonly #options: ApiServerOptions;
  #listener: Listener | undefined;
  #isStopped = false;

  constructor(core: ServerCore, options: ApiServerOptions) {
    this.#core = core;
    this.#options = options;
  }

  async start(): Promise<void> {
    if (this.#options.listen !== false) await this.#listen(this.#options.port);
  }

  async #listen(port: number | undefined): Promise<void> {
    this.#listener = await listen(this.#core.handler, {
      host: this.#options.host,
      port,
      maxBodyBytes: MAX_BODY_BYTES,
      clock: this.#core.clock,
      onError: this.#core.onError,
    });
  }

  get url(): string {
    return this.#listener?.url ?? 'http://kubeflect.invalid';
  }

  compact(): void {
    this.#core.storage.compact();
  }

  async restart(options: RestartOptions = {}): Promise<void> {
    const port = this.#listener?.port;
    this.#core.resources.endWatches();
    await this.#listener?.close();
    if (options.keepHistory !== true) this.#core.storage.forgetChanges();
    if (port !== undefined) await this.#listen(port);
    // Clients in this process have to be given the chance to notice that their connections are gone.
    for (let turn = 0; turn < 3; turn++) await this.#core.clock.yield();
  }

  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#core.stop();
    await this.#listener?.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}
