import type { Json, Part, Replay } from '../part.js';

/*
 * What a kube-controller-manager wrote beside the server, with a pretended scheduler and kubelet: compared with what the
 * simulated workloads write. The states between creation and readiness are taken from watches.
 */

const NAMESPACE = 'sim';
const CORE = `/api/v1/namespaces/${NAMESPACE}`;
const APPS = `/apis/apps/v1/namespaces/${NAMESPACE}`;
const GONE_AFTER_MS = 20_000;

/** A change of an object, as a watch told it. */
interface Change {
  readonly type: string;
  readonly object: Json;
}

const collected = new Map<string, Json>();

export const controllers: Part = {
  name: 'controllers',
  workloads: { nodes: [{ name: 'sim-n1' }], readyAfterMs: 50, finishAfterMs: 50 },
  prepare,
  async run(replay, { id, object }) {
    if (!collected.has(id)) return replay.differs('the case is not known');
    replay.same('', settled(collected.get(id)), settled(object));
  },
};

const containers = (image: string): Json => [{ name: 'c', image }];
const template = (app: string, image = 'i:1'): Json => ({
  metadata: { labels: { a: app } },
  spec: { containers: containers(image) },
});
const selector = (app: string): Json => ({ matchLabels: { a: app } });

async function prepare(replay: Replay): Promise<void> {
  const { metadata } = await replay.create('/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  const from: string = metadata.resourceVersion;
  await replay.create(`/apis/policy/v1/namespaces/${NAMESPACE}/poddisruptionbudgets`, {
    metadata: { name: 'web' },
    spec: { minAvailable: 1, selector: selector('web') },
  });
  await replay.create(`${CORE}/services`, {
    metadata: { name: 'web' },
    spec: { selector: { a: 'web' }, ports: [{ port: 80 }] },
  });
  await replay.create(`${APPS}/deployments`, {
    metadata: { name: 'web' },
    spec: { replicas: 2, selector: selector('web'), template: template('web') },
  });
  const accessModes = ['ReadWriteOnce'];
  const resources = { requests: { storage: '1Gi' } };
  await replay.create(`${APPS}/statefulsets`, {
    metadata: { name: 'db' },
    spec: {
      replicas: 2,
      serviceName: 'db',
      selector: selector('db'),
      template: template('db'),
      volumeClaimTemplates: [{ metadata: { name: 'd' }, spec: { accessModes, resources } }],
    },
  });
  await replay.create(`${APPS}/daemonsets`, {
    metadata: { name: 'agent' },
    spec: { selector: selector('agent'), template: template('agent') },
  });
  await replay.create(`/apis/batch/v1/namespaces/${NAMESPACE}/jobs`, {
    metadata: { name: 'once' },
    spec: {
      completions: 2,
      template: {
        metadata: { labels: { a: 'once' } },
        spec: { restartPolicy: 'Never', containers: containers('i:1') },
      },
    },
  });
  const get = async (path: string): Promise<Json> => (await replay.request({ path })).json;
  const web = `${APPS}/deployments/web`;
  await until(async () => (await get(web)).status.availableReplicas === 2);
  await until(async () => (await get(`${APPS}/statefulsets/db`)).status.readyReplicas === 2);
  await until(async () => (await get(`${APPS}/daemonsets/agent`)).status.numberReady === 1);
  const slices = async (): Promise<Json> =>
    (await get(`/apis/discovery.k8s.io/v1/namespaces/${NAMESPACE}/endpointslices`)).items[0];
  await until(async () => (await slices()).endpoints?.filter((one: Json) => one.conditions.ready).length === 2);
  const job = `/apis/batch/v1/namespaces/${NAMESPACE}/jobs/once`;
  await until(async () => (await get(job)).status.completionTime !== undefined);
  const budget = `/apis/policy/v1/namespaces/${NAMESPACE}/poddisruptionbudgets/web`;
  await until(async () => (await get(budget)).status.currentHealthy === 2);

  const pods = await changes(replay, `${CORE}/pods`, from);
  for (const app of ['web', 'db', 'once']) {
    const first = pods.find(({ type, object }) => type === 'ADDED' && object.metadata.labels.a === app);
    collected.set(`first pod of ${app}`, withoutType(first?.object));
  }
  const sets = await changes(replay, `${APPS}/replicasets`, from);
  const starting = sets.findLast(({ object }) => object.status.replicas === 2 && !object.status.readyReplicas);
  collected.set('replicaset', withoutType(starting?.object));
  collected.set('apps/v1/daemonsets agent ready', await get(`${APPS}/daemonsets/agent`));
  collected.set('policy/v1/poddisruptionbudgets web ready', await get(budget));
  const slice = withoutType(await slices());
  collected.set('endpointslice', slice);
  const claims: Json[] = (await get(`${CORE}/persistentvolumeclaims`)).items;
  collected.set('persistentvolumeclaims', claims.map((claim) => claim.metadata));
  await collectRollout(replay, web);
  collected.set('events', await eventsOf(replay));
}

async function collectRollout(replay: Replay, web: string): Promise<void> {
  const body = { spec: { template: template('web', 'i:2') } };
  const contentType = 'application/merge-patch+json';
  const { json } = await replay.request({ method: 'PATCH', path: web, contentType, body });
  const from: string = json.metadata.resourceVersion;
  const get = async (path: string): Promise<Json> => (await replay.request({ path })).json;
  const old: Json = (await get(`${APPS}/replicasets`)).items.find((set: Json) => imageOf(set) === 'i:1');
  await until(async () => {
    const { conditions, observedGeneration } = (await get(web)).status;
    const isDone = conditions.some((one: Json) => one.reason === 'NewReplicaSetAvailable');
    return isDone && observedGeneration === 2 && (await get(`${CORE}/pods?labelSelector=a=web`)).items.length === 2;
  });
  await until(async () => (await get(`${APPS}/replicasets/${old.metadata.name}`)).status.observedGeneration === 3);
  const sets = await changes(replay, `${APPS}/replicasets`, from);
  const isMiddle = ({ object }: Change): boolean =>
    imageOf(object) === 'i:2' && object.spec.replicas === 1 && object.status.replicas === 1 && !object.status.readyReplicas;
  const middle = sets.findLast(isMiddle)?.object;
  collected.set('rollout: replicasets in the middle', [middle, old].map(summary));
  const after: Json[] = (await get(`${APPS}/replicasets`)).items;
  after.sort((a, b) => imageOf(b).localeCompare(imageOf(a)));
  collected.set('rollout: replicasets afterwards', after.map(summary));
  collected.set('rollout: deployment afterwards', await get(web));
}

function imageOf(set: Json): string {
  return set.spec.template.spec.containers[0].image;
}

function summary(set: Json): Json {
  const { metadata, spec, status } = set ?? { metadata: {}, spec: {} };
  return { name: metadata.name, annotations: metadata.annotations, replicas: spec.replicas, status };
}

/** One event of each kind and reason, of those that were recorded. */
async function eventsOf(replay: Replay): Promise<Json> {
  const { items } = (await replay.request({ path: `${CORE}/events` })).json as { items: Json[] };
  const found = (kind: string, reason: string, message: RegExp): Json => {
    const event = items.find(
      (one) => one.involvedObject.kind === kind && one.reason === reason && message.test(one.message),
    );
    if (event === undefined) return `no ${reason} of a ${kind}`;
    const { type, message: text, source, reportingComponent } = event;
    return { type, reason, message: text, kind, component: source.component, reportingComponent };
  };
  return [
    found('DaemonSet', 'SuccessfulCreate', /Created pod/),
    found('StatefulSet', 'SuccessfulCreate', /Claim d-db-0/),
    found('Job', 'SuccessfulCreate', /Created pod/),
    found('Job', 'Completed', /./),
    found('ReplicaSet', 'SuccessfulCreate', /Created pod/),
    found('ReplicaSet', 'SuccessfulDelete', /Deleted pod/),
    found('Deployment', 'ScalingReplicaSet', /from 0 to 2/),
    found('PodDisruptionBudget', 'NoPods', /./),
  ];
}

/** All changes of a resource since a version. */
async function changes(replay: Replay, path: string, resourceVersion: string): Promise<Change[]> {
  const { text } = await replay.request({ path, query: { watch: 1, resourceVersion, timeoutSeconds: 1 } });
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Change);
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + GONE_AFTER_MS;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error('the workloads did not reach their state');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Items of a list have no type. */
function withoutType(object: Json): Json {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object ?? {};
  return rest;
}

/**
 * Replaces what differs between two runs of a kube-controller-manager, and what this one does not have: hashes of templates,
 * generated names, addresses of pods, the name of the program, how often a slice was written, and the pods of one Job or
 * slice, whose order is that of their names.
 */
function settled(value: Json): Json {
  const text = JSON.stringify(value)
    .replace(/\b(web|db)-[bcdf4-9]{8,10}\b/g, '$1-<hash>')
    .replace(/"pod-template-hash":"[bcdf4-9]{8,10}"/g, '"pod-template-hash":"<hash>"')
    .replace(/\b(web-<hash>|web|once|agent)-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, '$1-<random>')
    .replace(/"manager":"kube-controller-manager"/g, '"manager":"kcm"')
    .replace(/\b10\.(9|244)\.\d+\.\d+\b/g, '<pod ip>')
    .replace(/("generateName":"web-".*?"generation":)\d+/g, '$1"<generation>"');
  return JSON.parse(text);
}
