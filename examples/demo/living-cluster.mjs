// Changes a small cluster at random: creates, scales and deletes Deployments and ReplicaSets, and deletes a pod now and then.
import { isAlreadyExists, isConflict, isNotFound, splitKey } from 'kubeflect';

/** The Deployment that only the user changes. */
export const ownDeployment = { namespace: 'default', name: 'web', replicas: 3 };

/**
 * The simulated cluster: nodes, a scheduler, kubelets and controllers. Deployments are left to examples/controller.mjs, and a
 * container in fifty crashes.
 */
export const workloads = {
  nodes: ['worker-1', 'worker-2', 'worker-3'].map((name) => ({ name })),
  readyAfterMs: 700,
  stopAfterMs: 250,
  controllers: ['scheduler', 'node-lifecycle', 'replicaset'],
  failures: [{ fails: 'crash', afterMs: 3_000, probability: 0.02 }],
};

const names = ['api', 'cart', 'search', 'mailer', 'pricing', 'images', 'login', 'reports'];
const namespaces = ['shop', 'blog'];
const most = { deployments: 6, replicaSets: 3 };

/** The objects at the start. */
export function initialObjects() {
  const { namespace, name, replicas } = ownDeployment;
  return [deployment(namespace, name, replicas), deployment('shop', 'cart', 2), deployment('blog', 'api', 1)];
}

/** Makes one change after another until the signal aborts. `random` chooses them. */
export async function live({ client, factory, random }, signal) {
  const below = (limit) => Math.floor(random() * limit);
  const pick = (items) => items[below(items.length)];
  const deployments = factory.apps.v1.deployments().lister;
  const replicaSets = factory.apps.v1.replicaSets().lister;
  const pods = factory.core.v1.pods().lister;
  const theirDeployments = () => namespaces.flatMap((namespace) => deployments.keys({ namespace }));

  async function deploy() {
    if (deployments.count() >= most.deployments) return;
    const namespace = pick(namespaces);
    await client.apps.v1.deployments(namespace).create(deployment(namespace, pick(names), 1 + below(3)), { signal });
  }

  async function scale() {
    const key = pick(theirDeployments());
    if (key === undefined) return;
    const { namespace, name } = splitKey(key);
    const scales = client.apps.v1.deployments(namespace).subresource('scale');
    await scales.patch(name, { spec: { replicas: below(6) } }, { signal });
  }

  async function undeploy() {
    const keys = theirDeployments();
    if (keys.length < 2) return;
    const { namespace, name } = splitKey(pick(keys));
    await client.apps.v1.deployments(namespace).delete(name, { signal });
  }

  async function beginBatch() {
    if (replicaSets.count() >= most.replicaSets) return;
    const namespace = pick(namespaces);
    const { spec } = deployment(namespace, 'batch', 1 + below(3));
    const labels = spec.selector.matchLabels;
    await client.apps.v1
      .replicaSets(namespace)
      .create({ metadata: { generateName: 'batch-', labels }, spec }, { signal });
  }

  async function endBatch() {
    const key = pick(replicaSets.keys());
    if (key === undefined) return;
    const { namespace, name } = splitKey(key);
    await client.apps.v1.replicaSets(namespace).delete(name, { signal });
  }

  async function losePod() {
    const key = pick(namespaces.flatMap((namespace) => pods.keys({ namespace })));
    if (key === undefined) return;
    const { namespace, name } = splitKey(key);
    await client.core.v1.pods(namespace).delete(name, { signal });
  }

  // Repeated entries are chosen more often.
  const changes = [scale, scale, scale, scale, deploy, deploy, beginBatch, beginBatch, endBatch, endBatch];
  changes.push(losePod, losePod, undeploy);
  await beginBatch();
  while (!signal.aborted) {
    try {
      await client.clock.sleep(500 + random() * 1_500, { signal });
      await pick(changes)();
    } catch (error) {
      // A user with kubectl may have changed the object first.
      if (!signal.aborted && !isNotFound(error) && !isConflict(error) && !isAlreadyExists(error)) throw error;
    }
  }
}

function deployment(namespace, name, replicas) {
  const labels = { app: name };
  const containers = [{ name, image: `registry.example/${name}:1` }];
  const template = { metadata: { labels }, spec: { containers, terminationGracePeriodSeconds: 5 } };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, labels },
    spec: { replicas, selector: { matchLabels: labels }, template },
  };
}
