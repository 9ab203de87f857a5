import { isDeepStrictEqual } from 'node:util';
import { StatusError } from '../../../meta/errors/errors.js';
import type { JsonObject } from '../../../meta/json-values.js';
import type { KubernetesObject, OwnerReference } from '../../../meta/objects.js';
import type {
  ControllerRevision,
  DaemonSet,
  Deployment,
  ReplicaSet,
  StatefulSet,
} from '../../../resources/types/apps-v1.js';
import type { CronJob, Job } from '../../../resources/types/batch-v1.js';
import type { Lease } from '../../../resources/types/coordination-v1.js';
import type {
  Endpoints,
  Node,
  PersistentVolumeClaim,
  Pod,
  ReplicationController,
  Service,
} from '../../../resources/types/core-v1.js';
import type { EndpointSlice } from '../../../resources/types/discovery-v1.js';
import type { PodDisruptionBudget } from '../../../resources/types/policy-v1.js';
import type { Clock } from '../../../time/clock.js';
import type { Steps } from '../../../time/steps.js';
import { timestamp } from '../../../time/timestamps.js';
import type { ApiResource } from '../../resources/registry.js';
import { mergeOf } from '../../resources/subresources.js';
import { evictPod } from '../../resources/write/eviction.js';
import { type Deletion, ifPresent } from '../../resources/write/object-writer.js';
import type { Collection, Revision } from '../../storage/storage.js';
import { ControllerQueue } from '../controller-queue.js';
import { CONTROLLER_MANAGER, type ServerControllerContext } from '../server-controller.js';
import { DueItems } from './due-items.js';
import { EventRecorder, type Occurrence } from './event-recorder.js';
import { ObjectView } from './object-view.js';

/** The resources that the controllers of workloads read, with their groups; all of version v1. */
const GROUPS = {
  pods: '',
  nodes: '',
  services: '',
  endpoints: '',
  persistentvolumeclaims: '',
  replicationcontrollers: '',
  replicasets: 'apps',
  deployments: 'apps',
  statefulsets: 'apps',
  daemonsets: 'apps',
  controllerrevisions: 'apps',
  jobs: 'batch',
  cronjobs: 'batch',
  endpointslices: 'discovery.k8s.io',
  poddisruptionbudgets: 'policy',
  leases: 'coordination.k8s.io',
} as const;

interface Kinds {
  pods: Pod;
  nodes: Node;
  services: Service;
  endpoints: Endpoints;
  persistentvolumeclaims: PersistentVolumeClaim;
  replicationcontrollers: ReplicationController;
  replicasets: ReplicaSet;
  deployments: Deployment;
  statefulsets: StatefulSet;
  daemonsets: DaemonSet;
  controllerrevisions: ControllerRevision;
  jobs: Job;
  cronjobs: CronJob;
  endpointslices: EndpointSlice;
  poddisruptionbudgets: PodDisruptionBudget;
  leases: Lease;
}

type Views = { readonly [R in keyof Kinds]: ObjectView<Kinds[R]> };

/** One of the controllers of workloads. */
export interface WorkloadController {
  /** Names its items in the queue, and its events. */
  readonly name: string;
  /** Brings one object closer to what its spec asks for. */
  reconcile(key: string): Steps<void>;
  /** Whether its later items come without end, as heartbeats and schedules do: a cluster with them is at rest. @default false */
  readonly isPeriodic?: boolean | undefined;
}

/** An object with a status that a controller writes. */
type WithStatus = KubernetesObject & { status?: unknown };

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 60_000;

/**
 * What the controllers of workloads share: the objects, one queue of items to reconcile, later items, writes and events.
 *
 * All controllers have one queue, in which an item waits once. A thousand pods that become ready at the same moment are
 * therefore a thousand items of the kubelet and one of their ReplicaSet, which comes after them.
 */
export class World {
  readonly clock: Clock;
  readonly views: Views;
  readonly #context: ServerControllerContext;
  readonly #controllers = new Map<string, WorkloadController>();
  readonly #viewOf = new Map<Collection, ObjectView<KubernetesObject>>();
  readonly #listeners = new Map<Collection, ((revision: Revision) => void)[]>();
  readonly #queue: ControllerQueue;
  readonly #due: DueItems;
  readonly #retries = new Map<string, number>();
  readonly #recorder: EventRecorder;
  #unsubscribe: () => void = () => {};

  constructor(context: ServerControllerContext) {
    const { clock, registry, writer } = context;
    this.#context = context;
    this.clock = clock;
    const views: Partial<Record<keyof Kinds, ObjectView<KubernetesObject>>> = {};
    for (const name of Object.keys(GROUPS) as (keyof Kinds)[]) {
      const view = new ObjectView<KubernetesObject>(registry.find(GROUPS[name], 'v1', name)!);
      views[name] = view;
      this.#viewOf.set(view.resource.collection, view);
    }
    this.views = views as unknown as Views;
    this.#queue = new ControllerQueue(clock, 'workloads', (item) => this.#reconcile(item), context.onError);
    this.#due = new DueItems(clock, (item) => this.#queue.add(item));
    this.#recorder = new EventRecorder(clock, writer, registry.find('', 'v1', 'events')!);
  }

  add(controller: WorkloadController): void {
    this.#controllers.set(controller.name, controller);
  }

  /** Calls `listener` within each commit of a resource, and with each object that is stored when the world starts. */
  on(resource: keyof Kinds, listener: (revision: Revision) => void): void {
    const { collection } = this.views[resource].resource;
    const listeners = this.#listeners.get(collection);
    if (listeners === undefined) this.#listeners.set(collection, [listener]);
    else listeners.push(listener);
  }

  /** Queues each object of a resource for a controller when it changes. */
  follow(resource: keyof Kinds, controller: WorkloadController): void {
    this.on(resource, ({ key }) => this.enqueue(controller, key));
  }

  /** Begins with the stored objects, as if they had just been created. */
  start(): void {
    this.#unsubscribe = this.#context.storage.subscribe((revision, collection) => this.#notice(revision, collection));
    const stored: [Revision, Collection][] = [];
    for (const collection of this.#viewOf.keys()) {
      collection.scan(Number.POSITIVE_INFINITY, '', '', (revision) => {
        stored.push([revision, collection]);
        return true;
      });
    }
    for (const [revision, collection] of stored) this.#viewOf.get(collection)!.note(revision);
    for (const [revision, collection] of stored) this.#call(revision, collection);
  }

  stop(): void {
    this.#unsubscribe();
    this.#queue.stop();
    this.#due.stop();
  }

  enqueue(controller: WorkloadController, key: string, inMs = 0): void {
    const item = `${controller.name} ${key}`;
    if (inMs > 0) this.#due.add(item, inMs);
    else this.#queue.add(item);
  }

  /** How soon something happens by itself, in ms, apart from heartbeats and schedules; Infinity if nothing does. */
  get nextDueInMs(): number {
    return this.#due.nextInMs((item) => this.#controllers.get(item.slice(0, item.indexOf(' ')))?.isPeriodic !== true);
  }

  /** The time as objects have it. */
  timestamp(inMs = 0): string {
    return timestamp(this.clock.now() + inMs);
  }

  /** Milliseconds since a time in an object. */
  since(time: string | undefined): number {
    return time === undefined ? 0 : this.clock.now() - Date.parse(time);
  }

  *create<T extends KubernetesObject>(
    view: ObjectView<T>,
    namespace: string,
    object: JsonObject,
    manager: string = CONTROLLER_MANAGER,
  ): Steps<T> {
    const { writer } = this.#context;
    const track = writer.fields.update(view.resource, '', manager);
    const { revision } = yield* writer.create(view.resource, namespace, object, { track });
    return view.parse(revision);
  }

  /** Changes an object unless it is gone, or was created again. `change` may be called more than once. */
  *update<T extends KubernetesObject>(
    view: ObjectView<T>,
    object: T,
    change: (latest: T) => void,
    manager: string = CONTROLLER_MANAGER,
  ): Steps<void> {
    yield* this.#write(view.resource, object, '', change as (latest: KubernetesObject) => void, manager);
  }

  /** Replaces the status of an object, unless it has that status. The caller must not change `status` afterwards. */
  *writeStatus<T extends WithStatus>(
    view: ObjectView<T>,
    object: T,
    status: NonNullable<T['status']>,
    manager: string = CONTROLLER_MANAGER,
  ): Steps<void> {
    if (isDeepStrictEqual(object.status, status)) return;
    const change = (latest: KubernetesObject): void => {
      (latest as WithStatus).status = status;
    };
    yield* this.#write(view.resource, object, 'status', change, manager);
  }

  /** Changes an object by its subresource `status`, which takes the metadata as well. */
  *updateStatus<T extends KubernetesObject>(
    view: ObjectView<T>,
    object: T,
    change: (latest: T) => void,
    manager: string = CONTROLLER_MANAGER,
  ): Steps<void> {
    yield* this.#write(view.resource, object, 'status', change as (latest: KubernetesObject) => void, manager);
  }

  *#write(
    resource: ApiResource,
    { metadata: { namespace = '', name, uid } }: KubernetesObject,
    subresource: '' | 'status',
    change: (latest: KubernetesObject) => void,
    manager: string,
  ): Steps<void> {
    const { writer } = this.#context;
    const update = writer.update(resource, namespace, name, {
      change(old) {
        const latest = old as unknown as KubernetesObject;
        if (latest.metadata.uid === uid) change(latest);
        return old;
      },
      ...(subresource === 'status' && { subresource, merge: mergeOf(resource, subresource) }),
      track: writer.fields.update(resource, subresource, manager),
    });
    yield* ifPresent(update);
  }

  /** Assigns a pod to a node. */
  *bind(pod: Pod, change: (latest: JsonObject) => JsonObject): Steps<void> {
    const { writer } = this.#context;
    const { resource } = this.views.pods;
    const { namespace = '', name } = pod.metadata;
    const update = writer.update(resource, namespace, name, {
      change,
      merge: (_old, next) => next,
      subresource: 'binding',
      keepsGeneration: true,
    });
    yield* ifPresent(update);
  }

  /** Deletes an object unless it is gone, or was created again. */
  *remove(view: ObjectView<KubernetesObject>, object: KubernetesObject, options: Partial<Deletion> = {}): Steps<void> {
    const { uid, namespace = '', name } = object.metadata;
    const deletion = { dryRun: false, ...options, preconditions: { uid } };
    try {
      yield* this.#context.writer.delete(view.resource, namespace, name, deletion);
    } catch (error) {
      if (!(error instanceof StatusError && (error.status === 404 || error.status === 409))) throw error;
    }
  }

  /** Evicts a pod, unless a budget forbids it. Returns whether it did. */
  *evict(pod: Pod): Steps<boolean> {
    const { registry, writer } = this.#context;
    const { namespace = '', name, uid } = pod.metadata;
    const deletion = { dryRun: false, preconditions: { uid } };
    try {
      yield* evictPod(writer, registry, this.views.pods.resource, namespace, name, deletion);
      return true;
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      return error.status === 404 || error.status === 409;
    }
  }

  *record(occurrence: Occurrence): Steps<void> {
    try {
      yield* this.#recorder.record(occurrence);
    } catch (error) {
      // An event is dropped when its namespace is terminating; its controller goes on.
      if (!(error instanceof StatusError)) throw error;
    }
  }

  #notice(revision: Revision, collection: Collection): void {
    const view = this.#viewOf.get(collection);
    if (view === undefined) return;
    view.note(revision);
    this.#call(revision, collection);
  }

  #call(revision: Revision, collection: Collection): void {
    for (const listener of this.#listeners.get(collection) ?? []) listener(revision);
  }

  *#reconcile(item: string): Steps<void> {
    const at = item.indexOf(' ');
    const controller = this.#controllers.get(item.slice(0, at));
    try {
      yield* controller!.reconcile(item.slice(at + 1));
      this.#retries.delete(item);
    } catch (error) {
      // The server refused a write, because of other objects or of a concurrent change: it is tried again.
      if (!(error instanceof StatusError)) throw error;
      const retries = this.#retries.get(item) ?? 0;
      this.#retries.set(item, retries + 1);
      this.#due.add(item, Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** retries));
    }
  }
}

/** The reference of what a controller creates for an object. */
export function controllerReference(owner: KubernetesObject): OwnerReference {
  const { apiVersion, kind, metadata } = owner;
  const { name, uid } = metadata;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** The key of an object in its collection. */
export function keyOfObject({ metadata: { namespace, name } }: KubernetesObject): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}
