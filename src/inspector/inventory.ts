import type { SharedInformer } from '../cache/informer/shared-informer.js';
import type { HandlerSubscription } from '../cache/informer/subscription.js';
import type { Client } from '../client/client.js';
import type { ControllerManager } from '../controller/manager/manager.js';
import type { SharedInformerFactory } from '../informers/shared-informer-factory.js';
import { printGroupResource } from '../meta/resource.js';

/** A work queue, as the inspector sees it. */
export interface InspectedQueue {
  /** That of its messages. */
  readonly name: string;
  readonly length: number;
  readonly processing: number | null;
}

/** An informer that is inspected. */
export interface InformerSubject {
  readonly id: string;
  readonly informer: SharedInformer<object, unknown>;
  readonly client: Client;
}

/** A handler of an informer that is inspected. */
export interface HandlerSubject {
  readonly id: string;
  /** The id of its informer. */
  readonly informer: string;
  readonly subscription: HandlerSubscription<object, unknown>;
}

/** A controller of a manager that is inspected. */
export interface ControllerSubject {
  readonly id: string;
  readonly manager: ControllerManager;
  readonly member: ControllerManager['members'][number];
}

/** A work queue that is inspected. */
export interface QueueSubject {
  readonly id: string;
  readonly queue: InspectedQueue;
  /** The id of its controller; undefined for a queue of the program. */
  readonly controller: string | undefined;
}

/** What was given to the inspector. */
export interface Inspected {
  readonly factories: readonly SharedInformerFactory[];
  readonly managers: readonly ControllerManager[];
  readonly queues: readonly QueueLike[];
}

/** The properties of a work queue that the inspector reads. Only queues with a name publish what they do. */
export interface QueueLike {
  readonly name: string | undefined;
  readonly length: number;
}

/** The host and port of a cluster, as in the messages of requests: without the path that its URL may have. */
export function hostOf(client: Client): string {
  const { host } = client.rest;
  const slash = host.indexOf('/');
  return slash < 0 ? host : host.slice(0, slash);
}

/** Finds the informers, handlers, queues and controllers of what was given to the inspector, and gives each an id for its life. */
export class Inventory {
  readonly managers: readonly ControllerManager[];
  readonly #factories: readonly SharedInformerFactory[];
  readonly #queues: readonly QueueLike[];
  readonly #ids = new WeakMap<object, string>();
  readonly #counts = new Map<string, number>();

  constructor({ factories, managers, queues }: Inspected) {
    this.#factories = factories;
    this.managers = managers;
    this.#queues = queues;
  }

  get informers(): readonly InformerSubject[] {
    const found = new Map<SharedInformer<object, unknown>, Client>();
    for (const { informers, client } of this.#factories) for (const informer of informers) found.set(informer, client);
    for (const { caches } of this.managers)
      for (const { informer, client } of caches.informers)
        found.set(informer as SharedInformer<object, unknown>, client);
    return Array.from(found, ([informer, client]) => ({ id: this.#idOf('informer', informer), informer, client }));
  }

  handlersOf({ id, informer }: InformerSubject): readonly HandlerSubject[] {
    return Array.from(informer.internals.handlers, (subscription) => ({
      id: this.#idOf('handler', subscription),
      informer: id,
      subscription,
    }));
  }

  get controllers(): readonly ControllerSubject[] {
    return this.managers.flatMap((manager) =>
      manager.members.map((member) => ({ id: this.#idOf('controller', member.instance), manager, member })),
    );
  }

  get queues(): readonly QueueSubject[] {
    const ofProgram = this.#queues.map((queue): QueueSubject => {
      const processing = (queue as { readonly processing?: unknown }).processing;
      const inspected: InspectedQueue = {
        name: queue.name ?? '',
        length: queue.length,
        processing: typeof processing === 'number' ? processing : null,
      };
      return { id: this.queueId(queue), queue: inspected, controller: undefined };
    });
    const ofControllers = this.controllers.map(({ id, member }): QueueSubject => {
      const { name, queue } = member.instance;
      const { length, processing } = queue;
      return { id: this.queueId(queue), queue: { name, length, processing }, controller: id };
    });
    return [...ofProgram, ...ofControllers];
  }

  /** The id of a queue, whether it is inspected or not. */
  queueId(queue: object): string {
    return this.#idOf('queue', queue);
  }

  /** @param host that of requests */
  serverId(host: string): string {
    return `server/${host}`;
  }

  /** The handler that a subscription is, if it has an id. */
  handlerId(subscription: object): string | undefined {
    return this.#ids.get(subscription);
  }

  informer(id: string): InformerSubject | undefined {
    return this.informers.find((subject) => subject.id === id);
  }

  /** The informers of a resource on a server; `resource` with its group, as in the writes of runs. */
  informersOf(resource: string, host: string): readonly InformerSubject[] {
    return this.informers.filter(
      ({ informer, client }) => hostOf(client) === host && printGroupResource(informer.resource) === resource,
    );
  }

  #idOf(kind: string, subject: object): string {
    let id = this.#ids.get(subject);
    if (id === undefined) {
      const number = (this.#counts.get(kind) ?? 0) + 1;
      this.#counts.set(kind, number);
      id = `${kind}/${number}`;
      this.#ids.set(subject, id);
    }
    return id;
  }
}
