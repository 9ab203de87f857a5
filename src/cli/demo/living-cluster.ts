import type { Client } from '../../client/client.js';
import type { SharedInformerFactory } from '../../informers/shared-informer-factory.js';
import { isAlreadyExists, isConflict, isNotFound } from '../../meta/error-predicates.js';
import { splitKey } from '../../meta/key.js';
import type { DeepReadonly, KubernetesObject, New } from '../../meta/objects.js';
import type { Deployment, ReplicaSet } from '../../resources/types/apps-v1.js';
import type { Pod } from '../../resources/types/core-v1.js';

/** The Deployment that is the user's own: the cluster leaves it alone. */
export const ownDeployment = { namespace: 'default', name: 'web', replicas: 3 } as const;
/** The nodes of the cluster. */
export const nodeNames: readonly string[] = ['worker-1', 'worker-2', 'worker-3'];

const names = ['api', 'cart', 'search', 'mailer', 'pricing', 'images', 'login', 'reports'];
const namespaces = ['shop', 'blog'];
const busiest = { deployments: 6, replicaSets: 3 };

type StoredObject = New<KubernetesObject> & { kind: string };

/** What is there when the cluster begins to live. */
export function initialObjects(): StoredObject[] {
  const nodes = nodeNames.map((name) => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name } },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  }));
  const { namespace, name, replicas } = ownDeployment;
  const deployments = [
    deployment(namespace, name, replicas),
    deployment('shop', 'cart', 2),
    deployment('blog', 'api', 1),
  ];
  return [
    ...nodes,
    ...deployments.map((one) => ({ apiVersion: 'apps/v1', kind: 'Deployment', ...one })),
  ] as StoredObject[];
}

/** Options of a {@link LivingCluster}. */
export interface LivingClusterOptions {
  readonly client: Client;
  readonly factory: SharedInformerFactory;
  /** Decides what happens; the same numbers make the same story. */
  readonly random: () => number;
}

/** The people and programs of a small cluster: they deploy, scale, remove, run batches, and lose a pod now and then. */
export class LivingCluster {
  readonly #options: LivingClusterOptions;
  readonly #deeds: readonly { readonly weight: number; run(signal: AbortSignal): Promise<void> }[] = [
    { weight: 2, run: (signal) => this.#deploy(signal) },
    { weight: 4, run: (signal) => this.#scale(signal) },
    { weight: 1, run: (signal) => this.#undeploy(signal) },
    { weight: 2, run: (signal) => this.#beginBatch(signal) },
    { weight: 2, run: (signal) => this.#endBatch(signal) },
    { weight: 2, run: (signal) => this.#losePod(signal) },
  ];

  constructor(options: LivingClusterOptions) {
    this.#options = options;
  }

  /** One deed after the other until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { client, random } = this.#options;
    await this.#beginBatch(signal);
    const total = this.#deeds.reduce((sum, { weight }) => sum + weight, 0);
    while (!signal.aborted) {
      await client.clock.sleep(500 + random() * 1_500, { signal }).catch(() => {});
      if (signal.aborted) return;
      let at = random() * total;
      const deed = this.#deeds.find(({ weight }) => (at -= weight) < 0);
      try {
        await deed?.run(signal);
      } catch (error) {
        // Somebody with kubectl may be quicker: that is life, too.
        if (!signal.aborted && !isNotFound(error) && !isConflict(error) && !isAlreadyExists(error)) throw error;
      }
    }
  }

  async #deploy(signal: AbortSignal): Promise<void> {
    const { client, factory } = this.#options;
    if (factory.apps.v1.deployments().lister.count() >= busiest.deployments) return;
    const namespace = this.#pick(namespaces) as string;
    const made = deployment(namespace, this.#pick(names) as string, 1 + this.#number(3));
    await client.apps.v1.deployments(namespace).create(made, { signal });
  }

  async #scale(signal: AbortSignal): Promise<void> {
    const chosen = this.#pick(this.#theirDeployments());
    if (chosen === undefined) return;
    const { namespace = '', name } = chosen.metadata;
    const deployments = this.#options.client.apps.v1.deployments(namespace);
    await deployments.subresource('scale').patch(name, { spec: { replicas: this.#number(6) } }, { signal });
  }

  async #undeploy(signal: AbortSignal): Promise<void> {
    const theirs = this.#theirDeployments();
    const chosen = theirs.length < 2 ? undefined : this.#pick(theirs);
    if (chosen === undefined) return;
    await this.#options.client.apps.v1
      .deployments(chosen.metadata.namespace ?? '')
      .delete(chosen.metadata.name, { signal });
  }

  /** A replica set that somebody made by hand, with pods: nobody's business but the garbage collector's. */
  async #beginBatch(signal: AbortSignal): Promise<void> {
    const { client, factory } = this.#options;
    if (factory.apps.v1.replicaSets().lister.count() >= busiest.replicaSets) return;
    const namespace = this.#pick(namespaces) as string;
    const replicas = 1 + this.#number(3);
    const labels = { app: 'batch' };
    const template = { metadata: { labels }, spec: podSpec('batch') };
    const set = await client.apps.v1.replicaSets(namespace).create(
      {
        metadata: { generateName: 'batch-', labels },
        spec: { replicas, selector: { matchLabels: labels }, template },
      },
      { signal },
    );
    const { name, uid } = set.metadata;
    const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name, uid, controller: true }];
    for (let i = 0; i < replicas; i++) {
      const pod: New<Pod> = { metadata: { generateName: `${name}-`, labels, ownerReferences }, spec: podSpec('batch') };
      await client.core.v1.pods(namespace).create(pod, { signal });
    }
    await client.apps.v1.replicaSets(namespace).patchStatus(name, { replicas }, { signal });
  }

  async #endBatch(signal: AbortSignal): Promise<void> {
    const { client, factory } = this.#options;
    const chosen: DeepReadonly<ReplicaSet> | undefined = this.#pick(factory.apps.v1.replicaSets().lister.list());
    if (chosen === undefined) return;
    const { namespace = '', name } = chosen.metadata;
    await client.apps.v1.replicaSets(namespace).delete(name, { signal });
  }

  async #losePod(signal: AbortSignal): Promise<void> {
    const { client, factory } = this.#options;
    const { lister } = factory.core.v1.pods();
    const key = this.#pick(namespaces.flatMap((namespace) => lister.keys({ namespace })));
    if (key === undefined) return;
    const { namespace, name } = splitKey(key);
    await client.core.v1.pods(namespace).delete(name, { signal });
  }

  #theirDeployments(): DeepReadonly<Deployment>[] {
    const all = this.#options.factory.apps.v1.deployments().lister.list();
    return all.filter(({ metadata }) => namespaces.includes(metadata.namespace ?? ''));
  }

  #number(below: number): number {
    return Math.floor(this.#options.random() * below);
  }

  #pick<T>(items: readonly T[]): T | undefined {
    return items[this.#number(items.length)];
  }
}

function deployment(namespace: string, name: string, replicas: number): New<Deployment> {
  const labels = { app: name };
  return {
    metadata: { name, namespace, labels },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec(name) } },
  };
}

function podSpec(name: string): NonNullable<Pod['spec']> {
  return { containers: [{ name, image: `registry.example/${name}:1` }], terminationGracePeriodSeconds: 5 };
}
