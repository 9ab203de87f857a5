// A controller that gives each Deployment the pods it asks for. `npm start` runs it.
import { resources } from 'kubeflect';
import { createController, createManager } from 'kubeflect/controller';

const { deployments } = resources.apps.v1;
const { pods } = resources.core.v1;

const controller = createController({
  name: 'deployments',
  for: deployments,
  owns: [pods], // cached and indexed by owner; a change of a pod wakes its Deployment
  async reconcile({ metadata: { name, generation }, spec }, { apply, owned, prune, status, event }) {
    const { replicas = 1, template } = spec;
    const before = owned(pods).filter((pod) => !pod.metadata.deletionTimestamp).length;
    const made = [];
    for (let i = 0; i < replicas; i++) {
      const metadata = { name: `${name}-${i}`, labels: template.metadata?.labels };
      made.push(await apply(pods, { metadata, spec: template.spec })); // sends nothing if nothing would change
    }
    await prune(); // deletes the pods that this run has not applied
    const message = `scaled from ${before} to ${replicas}`;
    if (before !== replicas) event({ type: 'Normal', reason: 'Scaled', message });
    status({ replicas, readyReplicas: made.filter(isReady).length, observedGeneration: generation });
  },
});

const isReady = (pod) => pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True');

/** `run` of it runs until its signal aborts. One replica leads; the others keep their caches ready. */
export function makeManager(client) {
  const options = { name: 'deployment-controller', namespace: 'default', controllers: [controller], port: false };
  return createManager(client, options);
}
