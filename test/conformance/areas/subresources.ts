import { expect } from 'vitest';
import type { Api } from '../api.js';
import { type Area, defineArea } from '../area.js';
import { deploymentBody, deployments, podBody, pods } from '../bodies.js';
import { at, type Doc } from '../doc.js';
import { configMaps } from '../objects.js';
import { expectStatus } from '../status.js';

async function existing(api: Api): Promise<{ path: string; namespace: string; made: Doc }> {
  const namespace = await api.namespace();
  const made = await api.create(deployments(namespace), deploymentBody('web'));
  return { path: `${deployments(namespace)}/web`, namespace, made };
}

const NO_METHOD = {
  code: 405,
  reason: 'MethodNotAllowed',
  message: 'the server does not allow this method on the requested resource',
} as const;

export const area: Area = defineArea('subresources', (rule) => {
  rule('status can be read and is the whole object', async (api) => {
    const { path, made } = await existing(api);
    expect(await api.get(`${path}/status`)).toEqual(made);
  });

  rule('an update of status changes the status alone, and not the generation', async (api) => {
    const { path } = await existing(api);
    const body = { ...deploymentBody('web', { replicas: 9 }), status: { replicas: 5 } };
    const updated = await api.update(`${path}/status`, body);
    expect(updated.status).toEqual({ replicas: 5 });
    expect(updated.spec['replicas']).toBe(1);
    expect(updated.metadata.generation).toBe(1);
    expect(await api.get(path)).toEqual(updated);
  });

  rule('a patch of status changes the status alone', async (api) => {
    const { path } = await existing(api);
    const patched = await api.patch(`${path}/status`, 'merge', { spec: { replicas: 7 }, status: { replicas: 2 } });
    expect(patched.status).toEqual({ replicas: 2 });
    expect(patched.spec['replicas']).toBe(1);
  });

  rule('an update of status checks the resourceVersion', async (api) => {
    const { path } = await existing(api);
    const body = { ...deploymentBody('web'), metadata: { name: 'web', resourceVersion: '1' }, status: { replicas: 5 } };
    expectStatus(await api.request('PUT', `${path}/status`, { body }), {
      code: 409,
      reason: 'Conflict',
      details: { name: 'web', group: 'apps', kind: 'deployments' },
    });
  });

  rule('conditions are merged by type in a strategic merge patch of status', async (api) => {
    const path = pods(await api.namespace());
    await api.create(path, podBody('one'));
    const condition = (type: string, status: string) => ({ type, status });
    await api.patch(`${path}/one/status`, 'strategic', { status: { conditions: [condition('Ready', 'False')] } });
    const patched = await api.patch(`${path}/one/status`, 'strategic', {
      status: { conditions: [condition('Initialized', 'True'), condition('Ready', 'True')] },
    });
    const conditions = at(patched, 'status.conditions') as { type: string; status: string }[];
    expect(conditions.map(({ type, status }) => `${type}=${status}`).sort()).toEqual([
      'Initialized=True',
      'Ready=True',
    ]);
  });

  rule('a watch sees a change of the status', async (api) => {
    const { path, namespace, made } = await existing(api);
    const watch = await api.watch(deployments(namespace), { resourceVersion: made.metadata.resourceVersion });
    const patched = await api.patch(`${path}/status`, 'merge', { status: { replicas: 2 } });
    expect(await watch.expectNext()).toEqual({ type: 'MODIFIED', object: patched });
  });

  rule('the status of an object that does not exist is NotFound', async (api) => {
    const path = `${deployments(await api.namespace())}/absent/status`;
    expectStatus(await api.request('GET', path), {
      code: 404,
      reason: 'NotFound',
      message: 'deployments.apps "absent" not found',
      details: { name: 'absent', group: 'apps', kind: 'deployments' },
    });
  });

  rule('status can neither be created nor deleted', async (api) => {
    const { path } = await existing(api);
    expectStatus(await api.request('POST', `${path}/status`, { body: deploymentBody('web') }), NO_METHOD);
    expectStatus(await api.request('DELETE', `${path}/status`), NO_METHOD);
  });

  rule('a kind without a status has no such subresource', async (api) => {
    const path = configMaps(await api.namespace());
    await api.create(path, { metadata: { name: 'one' } });
    expectStatus(await api.request('GET', `${path}/one/status`), {
      code: 404,
      reason: 'NotFound',
      message: 'the server could not find the requested resource',
    });
  });

  rule('scale is a view of the replicas under the identity of the object', async (api) => {
    const { path, namespace, made } = await existing(api);
    const { uid, resourceVersion, creationTimestamp } = made.metadata;
    expect(await api.get(`${path}/scale`)).toEqual({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'web', namespace, uid, resourceVersion, creationTimestamp },
      spec: { replicas: 1 },
      status: { replicas: 0, selector: 'app=web' },
    });
  });

  rule('an update of scale sets the replicas and raises the generation', async (api) => {
    const { path, namespace } = await existing(api);
    const scale = await api.update(`${path}/scale`, { metadata: { name: 'web', namespace }, spec: { replicas: 4 } });
    expect(scale).toMatchObject({ kind: 'Scale', spec: { replicas: 4 } });
    const after = await api.get(path);
    expect(after.spec['replicas']).toBe(4);
    expect(after.metadata).toMatchObject({ generation: 2, resourceVersion: scale.metadata.resourceVersion });
  });

  rule('a patch of scale sets the replicas', async (api) => {
    const { path } = await existing(api);
    expect((await api.patch(`${path}/scale`, 'merge', { spec: { replicas: 6 } })).spec['replicas']).toBe(6);
    expect((await api.get(path)).spec['replicas']).toBe(6);
  });

  rule('scale shows what the status says', async (api) => {
    const { path } = await existing(api);
    await api.patch(`${path}/status`, 'merge', { status: { replicas: 3 } });
    expect((await api.get(`${path}/scale`)).status).toMatchObject({ replicas: 3 });
  });

  rule('an update of scale checks the resourceVersion', async (api) => {
    const { path, namespace } = await existing(api);
    const body = { metadata: { name: 'web', namespace, resourceVersion: '1' }, spec: { replicas: 4 } };
    expectStatus(await api.request('PUT', `${path}/scale`, { body }), {
      code: 409,
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on deployments.apps "web": the object has been modified; please apply your changes to the latest version and try again',
    });
  });

  rule('a negative scale is Invalid', async (api) => {
    const { path, namespace } = await existing(api);
    const body = { metadata: { name: 'web', namespace }, spec: { replicas: -1 } };
    expectStatus(await api.request('PUT', `${path}/scale`, { body }), {
      code: 422,
      reason: 'Invalid',
      message:
        'Scale.autoscaling "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
      details: { name: 'web', group: 'autoscaling', kind: 'Scale' },
      causes: [{ reason: 'FieldValueInvalid', field: 'spec.replicas' }],
    });
  });

  rule('another name in a scale is a BadRequest', async (api) => {
    const { path, namespace } = await existing(api);
    const body = { metadata: { name: 'other', namespace }, spec: { replicas: 1 } };
    expectStatus(await api.request('PUT', `${path}/scale`, { body }), {
      code: 400,
      reason: 'BadRequest',
      message: 'the name of the object (other) does not match the name on the URL (web)',
    });
  });

  rule('the scale of an object that does not exist is NotFound', async (api) => {
    expectStatus(await api.request('GET', `${deployments(await api.namespace())}/absent/scale`), {
      code: 404,
      reason: 'NotFound',
      message: 'deployments.apps "absent" not found',
    });
  });

  rule('scale cannot be deleted', async (api) => {
    const { path } = await existing(api);
    expectStatus(await api.request('DELETE', `${path}/scale`), NO_METHOD);
  });

  rule('a subresource that does not exist is NotFound', async (api) => {
    const { path } = await existing(api);
    for (const method of ['GET', 'PUT']) {
      expectStatus(await api.request(method, `${path}/no-such-part`), {
        code: 404,
        reason: 'NotFound',
        message: 'the server could not find the requested resource',
      });
    }
  });

  rule('a binding puts a pod on a node and says that it is scheduled', async (api) => {
    const path = pods(await api.namespace());
    await api.create(path, podBody('one'));
    const answer = await api.create(`${path}/one/binding`, {
      metadata: { name: 'one' },
      target: { kind: 'Node', name: 'somewhere' },
    });
    expect(answer).toEqual({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 });
    const pod = await api.get(`${path}/one`);
    expect(pod.spec['nodeName']).toBe('somewhere');
    expect(at(pod, 'status.conditions')).toEqual([expect.objectContaining({ type: 'PodScheduled', status: 'True' })]);
  });

  rule('a pod that is on a node cannot be bound again', async (api) => {
    const path = pods(await api.namespace());
    await api.create(path, podBody('one', { nodeName: 'somewhere' }));
    const body = { metadata: { name: 'one' }, target: { kind: 'Node', name: 'elsewhere' } };
    expectStatus(await api.request('POST', `${path}/one/binding`, { body }), {
      code: 409,
      reason: 'Conflict',
      message: 'Operation cannot be fulfilled on pods/binding "one": pod one is already assigned to node "somewhere"',
      details: { name: 'one', kind: 'pods/binding' },
    });
    await api.delete(`${path}/one`, { gracePeriodSeconds: 0 });
  });

  rule('the binding of a pod that does not exist is NotFound', async (api) => {
    const body = { metadata: { name: 'absent' }, target: { kind: 'Node', name: 'somewhere' } };
    expectStatus(await api.request('POST', `${pods(await api.namespace())}/absent/binding`, { body }), {
      code: 404,
      reason: 'NotFound',
      message: 'pods "absent" not found',
    });
  });

  rule('a binding cannot be read', async (api) => {
    expectStatus(await api.request('GET', `${pods(await api.namespace())}/one/binding`), NO_METHOD);
  });

  rule('an eviction deletes the pod', async (api) => {
    const path = pods(await api.namespace());
    await api.create(path, podBody('one'));
    const answer = await api.create(`${path}/one/eviction`, { metadata: { name: 'one' } });
    expect(answer).toMatchObject({ kind: 'Status', status: 'Success', code: 201 });
    expect((await api.request('GET', `${path}/one`)).status).toBe(404);
  });

  rule('the log of a pod without a node is empty', async (api) => {
    const path = pods(await api.namespace());
    await api.create(path, podBody('one'));
    const answer = await api.request('GET', `${path}/one/log`);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expectStatus(await api.request('GET', `${path}/one/log`, { query: { container: 'other' } }), {
      code: 400,
      reason: 'BadRequest',
      message: 'container other is not valid for pod one',
    });
    expectStatus(await api.request('GET', `${path}/absent/log`), { code: 404, reason: 'NotFound' });
  });

  rule('a pod without a node cannot be reached', async (api) => {
    const path = pods(await api.namespace());
    await api.create(path, podBody('one'));
    const containers = [
      { name: 'a', image: 'i' },
      { name: 'b', image: 'i' },
    ];
    await api.create(path, { metadata: { name: 'two' }, spec: { containers } });
    for (const part of ['exec', 'attach', 'portforward']) {
      expectStatus(await api.request('POST', `${path}/one/${part}`), {
        code: 400,
        reason: 'BadRequest',
        message: 'pod one does not have a host assigned',
      });
    }
    expectStatus(await api.request('GET', `${path}/two/exec`, { query: { command: 'ls' } }), {
      code: 400,
      reason: 'BadRequest',
      message: 'a container name must be specified for pod two, choose one of: [a b]',
    });
  });
});
