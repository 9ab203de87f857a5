import type { Client } from '../../client/client.js';
import type { SharedInformerFactory } from '../../informers/shared-informer-factory.js';
import { isConflict, isNotFound } from '../../meta/error-predicates.js';
import { splitKey } from '../../meta/key.js';
import type { DeepReadonly } from '../../meta/objects.js';
import type { Pod } from '../../resources/types/core-v1.js';
import { processQueue, type ReconcileResult } from '../../workqueue/process-queue.js';
import { RateLimitingQueue } from '../../workqueue/rate-limiting-queue.js';

/** Options of a {@link PodAgent}. */
export interface PodAgentOptions {
  readonly client: Client;
  readonly factory: SharedInformerFactory;
  readonly nodes: readonly string[];
  readonly random: () => number;
}

/**
 * Plays the scheduler and the kubelets of a cluster that has none: pods get a node, start after a while, and end when they
 * are deleted. It is a controller like any other: a queue of keys, and one step towards the goal per look.
 */
export class PodAgent {
  readonly #options: PodAgentOptions;
  /** When the next step of a pod is due, on the monotonic clock: containers take their time. */
  readonly #due = new Map<string, number>();

  constructor(options: PodAgentOptions) {
    this.#options = options;
  }

  /** Looks after the pods until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { client, factory } = this.#options;
    const pods = factory.core.v1.pods();
    const queue = new RateLimitingQueue({ clock: client.clock });
    const subscription = pods.enqueueInto(queue, { name: 'pod agent' });
    try {
      await processQueue(queue, {
        workers: 4,
        signal,
        reconcile: (key) => this.#step(key, pods.lister.get(key), signal),
        // Others delete and change pods at the same time; the next look sees what they did.
        onError: () => {},
      });
    } finally {
      await subscription.remove();
      await queue.shutDown();
    }
  }

  async #step(key: string, pod: DeepReadonly<Pod> | undefined, signal: AbortSignal): Promise<ReconcileResult> {
    const { namespace, name } = splitKey(key);
    const api = this.#options.client.core.v1.pods(namespace);
    if (pod === undefined) {
      this.#due.delete(`${key} starts`);
      this.#due.delete(`${key} ends`);
      return undefined;
    }
    try {
      if (pod.metadata.deletionTimestamp !== undefined) {
        const waitMs = this.#waitMs(`${key} ends`, 150, 400);
        if (waitMs > 0) return { requeueAfterMs: waitMs };
        await api.delete(name, { gracePeriodSeconds: 0, signal });
      } else if (!pod.spec?.nodeName) {
        const target = { apiVersion: 'v1', kind: 'Node', name: this.#pick(this.#options.nodes) };
        await api.subresource('binding').create(name, { target }, { signal });
      } else if (pod.status?.phase === 'Pending') {
        const waitMs = this.#waitMs(`${key} starts`, 300, 1_200);
        if (waitMs > 0) return { requeueAfterMs: waitMs };
        await api.patchStatus(name, this.#running(pod), { signal });
      }
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
    return undefined;
  }

  /** How long to wait for something that takes a random while, asked again and again; 0 once it is over. */
  #waitMs(what: string, atLeastMs: number, atMostMs: number): number {
    const { client, random } = this.#options;
    const now = client.clock.monotonicNow();
    const due = this.#due.get(what) ?? now + atLeastMs + random() * (atMostMs - atLeastMs);
    if (due > now) this.#due.set(what, due);
    else this.#due.delete(what);
    return Math.max(0, due - now);
  }

  #running(pod: DeepReadonly<Pod>): NonNullable<Pod['status']> {
    const { client, random } = this.#options;
    const now = new Date(client.clock.now()).toISOString();
    const scheduled = (pod.status?.conditions ?? []).map((condition) => ({ ...condition }));
    const octet = () => 1 + Math.floor(random() * 254);
    return {
      phase: 'Running',
      startTime: now,
      podIP: `10.244.${octet()}.${octet()}`,
      conditions: [...scheduled, { type: 'Ready', status: 'True', lastTransitionTime: now }],
      containerStatuses: (pod.spec?.containers ?? []).map(({ name, image = '' }) => ({
        name,
        image,
        imageID: '',
        ready: true,
        restartCount: 0,
        state: { running: { startedAt: now } },
      })),
    };
  }

  #pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.#options.random() * items.length)] as T;
  }
}
