import { afterEach, describe, expect, it } from 'vitest';
import type { Doc } from '../../../../../test/apiserver/memory-client.js';
import { deployment, startWorld, type TestWorld, template } from '../../../../../test/apiserver/test-world.js';

let world: TestWorld;
afterEach(() => world.stop());

const PODS = '/api/v1/namespaces/default/pods';
const SETS = '/apis/apps/v1/namespaces/default/replicasets';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const WEB = `${DEPLOYMENTS}/web`;
const REVISION = 'deployment.kubernetes.io/revision';

const conditionsOf = ({ status }: Doc): string[][] =>
  status.conditions.map((one: Doc) => [one.type, one.status, one.reason]);

const withImage = (image: string): object => ({ spec: { template: template('web', image) } });

/** The sizes of all ReplicaSets, by the image of their pods. */
async function sizes(): Promise<Record<string, number>> {
  const sets = await world.list(SETS);
  return Object.fromEntries(sets.map(({ spec }) => [spec.template.spec.containers[0].image, spec.replicas]));
}

/** How many pods are available after each commit, and how many there are. */
function countPods(): { least: number; most: number; stop(): void } {
  const watch = world.client.watch(`${PODS}?watch=1&labelSelector=app=web`);
  return {
    get least() {
      return extremes().least;
    },
    get most() {
      return extremes().most;
    },
    stop: () => watch.abort(),
  };
  function extremes(): { least: number; most: number } {
    const ready = new Map<string, boolean>();
    const result = { least: Number.POSITIVE_INFINITY, most: 0 };
    for (const { type, object } of watch.events) {
      const isOver = type === 'DELETED' || object.metadata.deletionTimestamp !== undefined;
      if (isOver) ready.delete(object.metadata.uid);
      else {
        const conditions: Doc[] = object.status.conditions ?? [];
        ready.set(object.metadata.uid, conditions.some((one) => one.type === 'Ready' && one.status === 'True'));
      }
      result.least = Math.min(result.least, [...ready.values()].filter(Boolean).length);
      result.most = Math.max(result.most, ready.size);
    }
    return result;
  }
}

describe('a Deployment', () => {
  it('is available after a virtual second', async () => {
    world = await startWorld();
    await world.create(DEPLOYMENTS, deployment('web', 3));
    await world.settle(999);
    const starting = await world.get(WEB);
    expect(starting.status).toMatchObject({ replicas: 3, updatedReplicas: 3, unavailableReplicas: 3 });
    expect(conditionsOf(starting)).toEqual([
      ['Available', 'False', 'MinimumReplicasUnavailable'],
      ['Progressing', 'True', 'ReplicaSetUpdated'],
    ]);
    await world.settle(1);
    const web = await world.get(WEB);
    expect(web.status).toMatchObject({ observedGeneration: 1, replicas: 3, readyReplicas: 3, availableReplicas: 3 });
    expect(web.status).not.toHaveProperty('unavailableReplicas');
    expect(conditionsOf(web)).toEqual([
      ['Available', 'True', 'MinimumReplicasAvailable'],
      ['Progressing', 'True', 'NewReplicaSetAvailable'],
    ]);
    expect(web.metadata.annotations).toEqual({ [REVISION]: '1' });
    const pods = await world.list(PODS);
    expect(new Set(pods.map(({ spec }) => spec.nodeName)).size).toBe(3);
    const [set] = await world.list(SETS);
    const hash = set.metadata.labels['pod-template-hash'];
    expect(set.metadata.name).toBe(`web-${hash}`);
    for (const { metadata } of pods) {
      expect(metadata.name).toMatch(new RegExp(`^web-${hash}-[a-z0-9]{5}$`));
      expect(metadata.labels).toEqual({ app: 'web', 'pod-template-hash': hash });
      expect(metadata.ownerReferences[0]).toMatchObject({ kind: 'ReplicaSet', uid: set.metadata.uid, controller: true });
    }
  });

  it.each([
    [{ maxSurge: 1, maxUnavailable: 0 }, { least: 4, most: 5 }],
    [{ maxSurge: 0, maxUnavailable: 2 }, { least: 2, most: 4 }],
    [{ maxSurge: '50%', maxUnavailable: '25%' }, { least: 3, most: 6 }],
  ])('with %o rolls within its bounds', async (rollingUpdate, bounds) => {
    world = await startWorld();
    await world.create(DEPLOYMENTS, deployment('web', 4, { strategy: { rollingUpdate } }));
    await world.settle(1000);
    const count = countPods();
    await world.settle();
    await world.patch(WEB, withImage('app:2'));
    await world.settle(10_000);
    expect(await sizes()).toEqual({ 'app:1': 0, 'app:2': 4 });
    expect(count.most).toBe(bounds.most);
    // The events before the rollout list the four pods one by one.
    expect((await world.get(WEB)).status).toMatchObject({ updatedReplicas: 4, availableReplicas: 4 });
    count.stop();
  });

  it('never has fewer available pods than its bounds allow, whatever the step', async () => {
    world = await startWorld({ readyAfterMs: 700 });
    await world.create(DEPLOYMENTS, deployment('web', 5, { strategy: { rollingUpdate: { maxSurge: 2, maxUnavailable: 1 } } }));
    await world.settle(1000);
    await world.patch(WEB, withImage('app:2'));
    for (let step = 0; step < 60; step++) {
      const pods = (await world.list(PODS)).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      const ready = pods.filter(({ status }) => status.conditions?.some((one: Doc) => one.type === 'Ready' && one.status === 'True'));
      expect(ready.length).toBeGreaterThanOrEqual(4);
      expect(pods.length).toBeLessThanOrEqual(7);
      await world.settle(100);
    }
    expect(await sizes()).toEqual({ 'app:1': 0, 'app:2': 5 });
  });

  it('of the strategy Recreate has no old pod left before it starts a new one', async () => {
    world = await startWorld({ stopAfterMs: 5000 });
    await world.create(DEPLOYMENTS, deployment('web', 2, { strategy: { type: 'Recreate' } }));
    await world.settle(1000);
    await world.patch(WEB, withImage('app:2'));
    await world.settle(4999);
    const old = await world.list(PODS);
    expect(old.map(({ spec, metadata }) => [spec.containers[0].image, metadata.deletionTimestamp !== undefined])).toEqual([
      ['app:1', true],
      ['app:1', true],
    ]);
    await world.settle(1001);
    expect(await sizes()).toEqual({ 'app:1': 0, 'app:2': 2 });
    expect((await world.get(WEB)).status.availableReplicas).toBe(2);
  });

  it('rolls back to a former ReplicaSet, which gets the next revision', async () => {
    world = await startWorld();
    await world.create(DEPLOYMENTS, deployment('web', 1));
    for (const image of ['app:2', 'app:3', 'app:1']) {
      await world.settle(3000);
      await world.patch(WEB, withImage(image));
    }
    await world.settle(3000);
    const sets = await world.list(SETS);
    const revisions = sets.map(({ metadata, spec }) => [
      spec.template.spec.containers[0].image,
      metadata.annotations[REVISION],
      metadata.annotations['deployment.kubernetes.io/revision-history'],
    ]);
    expect(revisions.sort()).toEqual([
      ['app:1', '4', '1'],
      ['app:2', '2', undefined],
      ['app:3', '3', undefined],
    ]);
    expect((await world.get(WEB)).metadata.annotations[REVISION]).toBe('4');
  });

  it('keeps as many old ReplicaSets as revisionHistoryLimit says', async () => {
    world = await startWorld();
    await world.create(DEPLOYMENTS, deployment('web', 1, { revisionHistoryLimit: 1 }));
    for (const image of ['app:2', 'app:3', 'app:4']) {
      await world.settle(3000);
      await world.patch(WEB, withImage(image));
    }
    await world.settle(3000);
    expect(await sizes()).toEqual({ 'app:3': 0, 'app:4': 1 });
  });

  it('that is paused scales and does not roll', async () => {
    world = await startWorld();
    await world.create(DEPLOYMENTS, deployment('web', 1));
    await world.settle(1000);
    await world.patch(WEB, { spec: { paused: true, template: template('web', 'app:2') } });
    await world.patch(WEB, { spec: { replicas: 3 } });
    await world.settle(2000);
    expect(await sizes()).toEqual({ 'app:1': 3 });
    expect(conditionsOf(await world.get(WEB))).toContainEqual(['Progressing', 'Unknown', 'DeploymentPaused']);
    await world.patch(WEB, { spec: { paused: false } });
    await world.settle(5000);
    expect(await sizes()).toEqual({ 'app:1': 0, 'app:2': 3 });
    expect(conditionsOf(await world.get(WEB))).toContainEqual(['Progressing', 'True', 'NewReplicaSetAvailable']);
  });

  it('that makes no progress fails after its deadline, and recovers', async () => {
    world = await startWorld({ failures: [{ fails: 'imagePull', labels: { broken: 'yes' } }] });
    await world.create(DEPLOYMENTS, deployment('web', 2, { progressDeadlineSeconds: 60 }));
    await world.settle(1000);
    const broken = template('web', 'app:2');
    broken.metadata.labels.broken = 'yes';
    await world.patch(WEB, { spec: { template: broken } });
    await world.settle(59_000);
    expect(conditionsOf(await world.get(WEB))).toContainEqual(['Progressing', 'True', 'ReplicaSetUpdated']);
    await world.settle(3000);
    const failed = await world.get(WEB);
    expect(conditionsOf(failed)).toContainEqual(['Progressing', 'False', 'ProgressDeadlineExceeded']);
    expect(conditionsOf(failed)).toContainEqual(['Available', 'True', 'MinimumReplicasAvailable']);
    await world.patch(WEB, { spec: { template: { metadata: { labels: { broken: null } } } } });
    await world.settle(5000);
    expect(conditionsOf(await world.get(WEB))).toContainEqual(['Progressing', 'True', 'NewReplicaSetAvailable']);
  });

  it('in the middle of a rollout scales in proportion', async () => {
    world = await startWorld({ failures: [{ fails: 'readiness', labels: { version: '2' } }] });
    await world.create(DEPLOYMENTS, deployment('web', 10, { strategy: { rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } } }));
    await world.settle(1000);
    const next = template('web', 'app:2');
    next.metadata.labels.version = '2';
    await world.patch(WEB, { spec: { template: next } });
    await world.settle(5000);
    expect(await sizes()).toEqual({ 'app:1': 8, 'app:2': 5 });
    await world.patch(WEB, { spec: { replicas: 15 } });
    await world.settle(5000);
    expect(await sizes()).toEqual({ 'app:1': 11, 'app:2': 7 });
  });

  it('adopts orphans of its selector, and its ReplicaSet releases a pod that is labelled otherwise', async () => {
    world = await startWorld();
    const labels = { app: 'web' };
    const containers = [{ name: 'app', image: 'app:1' }];
    await world.create(SETS, { metadata: { name: 'left', labels }, spec: { replicas: 1, selector: { matchLabels: labels }, template: template('web') } });
    await world.create(DEPLOYMENTS, deployment('web', 2));
    await world.settle(1000);
    const [left, ...others] = await world.list(SETS);
    expect(left.metadata.ownerReferences[0]).toMatchObject({ kind: 'Deployment', name: 'web' });
    expect(others).toEqual([]);
    await world.create(PODS, { metadata: { name: 'stray', labels }, spec: { containers } });
    await world.settle(1000);
    expect(await world.list(PODS)).toHaveLength(2);
    const [pod] = await world.list(PODS);
    await world.patch(`${PODS}/${pod.metadata.name}`, { metadata: { labels: { app: 'debug' } } });
    await world.settle(1000);
    expect((await world.get(`${PODS}/${pod.metadata.name}`)).metadata.ownerReferences).toBeUndefined();
    expect(await world.list(`${PODS}?labelSelector=app=web`)).toHaveLength(2);
  });

  it('waits for minReadySeconds before pods count as available', async () => {
    world = await startWorld();
    await world.create(DEPLOYMENTS, deployment('web', 2, { minReadySeconds: 30 }));
    await world.settle(30_000);
    expect((await world.get(WEB)).status).toMatchObject({ readyReplicas: 2, unavailableReplicas: 2 });
    await world.settle(1000);
    expect((await world.get(WEB)).status.availableReplicas).toBe(2);
  });

  it('is deleted with its ReplicaSets and pods', async () => {
    world = await startWorld();
    await world.create(DEPLOYMENTS, deployment('web', 3));
    await world.settle(1000);
    await world.delete(WEB, { propagationPolicy: 'Foreground' });
    await world.settle(1000);
    expect([...(await world.list(DEPLOYMENTS)), ...(await world.list(SETS)), ...(await world.list(PODS))]).toEqual([]);
  });
});
