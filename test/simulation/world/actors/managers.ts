import type { Collection, Revision } from '../../../../src/apiserver/storage/storage.js';
import { createController } from '../../../../src/controller/controller.js';
import { ControllerManager } from '../../../../src/controller/manager/manager.js';
import { checkManagerOptions, type ManagerOptions } from '../../../../src/controller/manager/manager-options.js';
import { readAssignment } from '../../../../src/controller/shards/shard-records.js';
import type { Controller, ControllerContext, Result } from '../../../../src/controller/types.js';
import { type Client, type DeepReadonly, type KubernetesObject, resources } from '../../../../src/index.js';
import { shardOf } from '../../../../src/informers/shards/sharded-source.js';
import type { Lease } from '../../../../src/resources/types/coordination-v1.js';
import type { ConfigMap } from '../../../../src/resources/types/core-v1.js';
import type { SimCluster } from '../cluster.js';
import { home, type Widget, widgets } from '../objects.js';
import type { SimProcess } from '../process.js';
import type { Program } from '../slot.js';
import { Actor, type ActorBase, isBug, type Stage } from './actor.js';

/** Replicas of a manager with controllers. */
export interface ManagersPlan extends ActorBase {
  readonly kind: 'managers';
  readonly replicas: number;
  /** How many shards they share; 0 if one of them leads. */
  readonly shards: number;
  readonly by: 'uid' | 'namespace';
  /** Whether a controller works on another cluster too. */
  readonly hasOther: boolean;
}

const { configMaps, secrets } = resources.core.v1;
/** A manager that could not start is started again after this time. */
const START_AGAIN_MS = 5000;

/** A run in progress, from the call of reconcile until it ends or its signal aborts. */
interface Running {
  readonly process: SimProcess;
  readonly uid: string;
  readonly signal: AbortSignal;
}

/**
 * Controllers bring every object to its latest state: each ConfigMap with `copy=yes` has a Secret with its value, and each
 * Widget has its size in its status and in a register outside of the cluster, from which it is removed when it is deleted.
 * Runs of an object never overlap, and writes come from the replica that holds the Lease or the shard.
 */
export class ManagersActor extends Actor {
  readonly #plan: ManagersPlan;
  readonly #managers = new Map<SimProcess, ControllerManager>();
  readonly #running = new Map<string, Set<Running>>();
  /**
   * Outside of the cluster: what finalizers are for. No guard protects it from a run that has lost its right meanwhile, so that it
   * takes no change that is based on an older version than the last one.
   */
  readonly #register = new Map<string, { readonly version: number; readonly size: number | undefined }>();

  constructor(name: string, stage: Stage, plan: ManagersPlan) {
    super(name, stage, plan);
    this.#plan = plan;
    for (let i = 0; i < plan.replicas; i++) this.addSlot(`${name}-r${i}`, (process) => this.#begin(process));
  }

  // ── rules ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** A Secret of this manager must be written by the replica that may: `by` is the identity of the writer. */
  override onCommit(cluster: SimCluster, revision: Revision, collection: Collection): void {
    if (collection.id !== 'secrets' || revision.type === 'DELETED') return;
    if (cluster !== this.cluster && cluster !== this.#other) return;
    if (revision.labels['manager'] !== this.name) return;
    const previous = revision.previous?.decode() as { data?: { by?: string } } | undefined;
    const { data = {} } = revision.decode() as { data?: { by?: string; shard?: string } };
    // The garbage collector writes too, and changes nothing of the data.
    if (previous?.data?.by === data.by && revision.isTerminating) return;
    const by = decode(data.by);
    const holder = this.#holderOf(Number(decode(data.shard)));
    this.count('controller writes');
    if (holder !== undefined && by !== holder)
      this.problem(`${by} writes ${revision.key} at version ${revision.version}, but ${holder} holds the right to`);
  }

  /** The identity of the replica that may write; undefined if that is not known. */
  #holderOf(shard: number): string | undefined {
    if (!this.cluster.isUp) return undefined;
    const leases = this.cluster.server.storage.collection('leases.coordination.k8s.io');
    if (this.#plan.shards === 0) {
      return (leases.get(`${home}/${this.name}`)?.decode() as Lease | undefined)?.spec?.holderIdentity ?? '';
    }
    const shared = leases.get(`${home}/${this.name}-shards`)?.decode() as Lease | undefined;
    const session = shared === undefined ? undefined : readAssignment(shared)?.holders[shard];
    const lease = session?.slice(0, session.lastIndexOf('#'));
    if (lease === undefined) return '';
    // A Lease that is gone says nothing about its replica.
    return (leases.get(`${home}/${lease}`)?.decode() as Lease | undefined)?.spec?.holderIdentity ?? undefined;
  }

  override unsettled(): string | undefined {
    return super.unsettled() ?? this.#unreconciled();
  }

  #unreconciled(): string | undefined {
    for (const cluster of [this.cluster, this.#other]) {
      if (cluster === undefined) continue;
      const copies = new Map([...cluster.objects('secrets')].map((revision) => [revision.key, revision]));
      for (const revision of cluster.objects('configmaps')) {
        if (revision.labels['copy'] !== 'yes') continue;
        const { value } = (revision.decode() as { data?: { value?: string } }).data ?? {};
        const copy = copies.get(`${revision.namespace}/${this.name}-${revision.name}`)?.decode();
        const copied = decode((copy as { data?: { value?: string } } | undefined)?.data?.value);
        if (copied !== value) return `${revision.key} of ${cluster.name} is ${value} and its copy is ${copied}`;
      }
    }
    const left = new Set([...this.#register].filter(([, { size }]) => size !== undefined).map(([key]) => key));
    for (const revision of this.cluster.objects('widgets.example.com')) {
      const { spec, status } = revision.decode() as unknown as Widget;
      left.delete(revision.key);
      if (revision.isTerminating) return `${revision.key} is still being deleted`;
      if (status?.size !== spec.size) return `${revision.key} has the size ${spec.size} and the status ${status?.size}`;
      if (this.#register.get(revision.key)?.size !== spec.size) return `${revision.key} is not in the register`;
    }
    return left.size === 0 ? undefined : `${[...left].join(', ')} are left in the register`;
  }

  /** Runs a part of a reconcile, of which no other may be in progress for the same object. */
  async #exclusively(
    process: SimProcess,
    name: string,
    { metadata: { uid } }: DeepReadonly<KubernetesObject>,
    { key, signal }: Pick<ControllerContext<unknown>, 'key' | 'signal'>,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const id = `${name} ${key}`;
    const running = this.#running.get(id) ?? new Set<Running>();
    this.#running.set(id, running);
    for (const other of running) {
      // A blocked process cannot be told that its run must end; its writes are refused.
      const isStopped = other.process.isDead || other.process.isBlocked || other.signal.aborted;
      // An object that was deleted and created again may have got to another shard, and so to another replica.
      const isOtherObject = this.#plan.shards > 0 && this.#plan.by === 'uid' && other.uid !== uid;
      const isInnocent = isStopped || isOtherObject;
      if (other.process === process || !isInnocent)
        this.problem(`runs of ${id} in ${other.process.name} and in ${process.name} overlap`);
    }
    const own = { process, uid, signal };
    running.add(own);
    this.count('controller runs');
    try {
      return await work();
    } finally {
      running.delete(own);
    }
  }

  // ── programs ───────────────────────────────────────────────────────────────────────────────────────────────────────

  get #other(): SimCluster | undefined {
    const { clusters } = this.stage;
    return this.#plan.hasOther && clusters.length > 1 ? clusters[(this.plan.cluster + 1) % clusters.length] : undefined;
  }

  #begin(process: SimProcess): Program {
    const { wire } = this.#plan;
    const client = process.connect(this.cluster.link, this.credentials(), { wire, namespace: home });
    const other = this.#other;
    const otherClient = other && process.connect(other.link, this.credentials(other), { wire });
    const stop = new AbortController();
    const options = this.#options(process, otherClient);
    const running = (async () => {
      while (!stop.signal.aborted) {
        const manager = new ControllerManager(client, options, { onRunError: () => {} });
        this.#managers.set(process, manager);
        await manager.run({ signal: stop.signal }).catch((error: unknown) => {
          if (isBug(error)) this.problem(`a programming error: ${(error as Error).stack}`);
        });
        await process.clock.sleep(START_AGAIN_MS, { signal: stop.signal }).catch(() => {});
      }
    })();
    return {
      unsettled: () => this.#restlessness(process),
      stop: async () => {
        stop.abort();
        await running;
        this.#managers.delete(process);
      },
    };
  }

  #restlessness(process: SimProcess): string | undefined {
    const manager = this.#managers.get(process);
    if (manager === undefined) return 'the manager has not started';
    const { shardRestlessness } = manager;
    if (shardRestlessness !== undefined) return shardRestlessness;
    for (const { instance } of manager.active) {
      const { queued, stale, running, withoutWorker } = instance.activity;
      if (!instance.hasSynced) return `caches of ${instance.name} have not synced`;
      if (queued + stale + running + withoutWorker > 0) return `${instance.name} is busy`;
    }
    return undefined;
  }

  #options(process: SimProcess, other: Client | undefined): ManagerOptions {
    const { shards, by } = this.#plan;
    const onError = (error: Error): void => {
      if (isBug(error)) this.problem(`a programming error: ${error.stack}`);
    };
    const identity = process.name;
    return checkManagerOptions('createManager', {
      name: this.name,
      namespace: home,
      controllers: [
        this.#copies(process, 'copies', undefined),
        this.#sizes(process),
        ...(other === undefined ? [] : [this.#copies(process, 'other-copies', other)]),
      ],
      definitions: 'ignore',
      port: false,
      drainMs: 5000,
      onError,
      ...(shards === 0 ? { election: { identity } } : { sharding: { shards, by } }),
    });
  }

  /** Copies ConfigMaps to Secrets. */
  #copies(process: SimProcess, name: string, client: Client | undefined): Controller<ConfigMap> {
    return createController<ConfigMap>({
      name,
      for: configMaps,
      cache: { labelSelector: 'copy=yes' },
      owns: [secrets],
      client,
      workers: 2,
      onError: () => {},
      reconcile: (object, context) =>
        this.#exclusively(process, name, object, context, async () => {
          const ending = await this.#behave(process, context.signal);
          const { metadata, data } = object;
          await context.apply(secrets, {
            metadata: { name: `${this.name}-${metadata.name}`, labels: { manager: this.name } },
            stringData: { value: data?.['value'] ?? '', ...this.#signature(process, object) },
          });
          return ending;
        }),
    });
  }

  /** Shows the size of Widgets in their status, and registers them. */
  #sizes(process: SimProcess): Controller<Widget> {
    return createController<Widget>({
      name: 'sizes',
      for: widgets,
      // Not the same as that of another manager in this world.
      finalizer: `example.com/${this.name}`,
      onError: () => {},
      reconcile: (object, context) =>
        this.#exclusively(process, 'sizes', object, context, async () => {
          const ending = await this.#behave(process, context.signal);
          const { size = 0 } = object.spec;
          this.#enter(object, size);
          context.status({ size });
          return ending;
        }),
      finalize: (object, context) =>
        this.#exclusively(process, 'sizes', object, context, async () => {
          const ending = await this.#behave(process, context.signal);
          if (ending === undefined) this.#enter(object, undefined);
          return ending;
        }),
    });
  }

  #enter({ metadata }: DeepReadonly<Widget>, size: number | undefined): void {
    const key = `${metadata.namespace}/${metadata.name}`;
    const version = Number(metadata.resourceVersion);
    if (version >= (this.#register.get(key)?.version ?? 0)) this.#register.set(key, { version, size });
  }

  /** What a reconcile does besides its work: it takes time, ignores its signal, fails, or is not done yet. */
  async #behave(process: SimProcess, signal: AbortSignal): Promise<Result> {
    const { random } = this;
    const choice = random();
    if (choice < 0.4) await process.clock.sleep(random() * 3000, { signal });
    else if (choice < 0.5) await process.clock.sleep(random() * 20_000);
    if (choice > 0.92) throw new Error('a reconcile fails');
    if (choice > 0.88) return { waiting: 'something else' };
    return choice > 0.85 ? { requeueAfterMs: 3000 } : undefined;
  }

  /** Which replica writes, and by which right. */
  #signature(process: SimProcess, { metadata }: DeepReadonly<KubernetesObject>): Record<string, string> {
    const { shards, by } = this.#plan;
    const manager = this.#managers.get(process);
    const value = by === 'uid' ? (metadata.uid ?? '') : (metadata.namespace ?? '');
    return { by: manager?.identity ?? '', shard: String(shards === 0 ? 0 : shardOf({ count: shards }, value)) };
  }
}

function decode(text: string | undefined): string | undefined {
  return text === undefined ? undefined : Buffer.from(text, 'base64').toString();
}
