import { expect } from 'vitest';
import { type Area, defineArea } from '../area.js';
import { deploymentBody, deployments } from '../bodies.js';
import { configMaps } from '../objects.js';
import { expectStatus } from '../status.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const SECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

export const area: Area = defineArea('create', (rule) => {
  rule('a new object is answered with 201 and everything the server has set', async (api) => {
    const namespace = await api.namespace();
    const created = await api.create(configMaps(namespace), { metadata: { name: 'one' }, data: { a: 'b' } });
    expect(created).toMatchObject({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: 'one',
        namespace,
        uid: expect.stringMatching(UUID),
        resourceVersion: expect.stringMatching(/^[1-9]\d*$/),
        creationTimestamp: expect.stringMatching(SECONDS),
      },
      data: { a: 'b' },
    });
  });

  rule('kind and apiVersion of the body may be left out', async (api) => {
    const path = configMaps(await api.namespace());
    expect(await api.create(path, { metadata: { name: 'bare' } })).toMatchObject({
      apiVersion: 'v1',
      kind: 'ConfigMap',
    });
  });

  rule('two objects have different uids, also one after the other under the same name', async (api) => {
    const path = configMaps(await api.namespace());
    const first = await api.create(path, { metadata: { name: 'again' } });
    await api.delete(`${path}/again`);
    const second = await api.create(path, { metadata: { name: 'again' } });
    expect(second.metadata.uid).not.toBe(first.metadata.uid);
    expect(BigInt(second.metadata.resourceVersion)).toBeGreaterThan(BigInt(first.metadata.resourceVersion));
  });

  rule('resourceVersions grow over all resources', async (api) => {
    const namespace = await api.namespace();
    const one = await api.create(configMaps(namespace), { metadata: { name: 'one' } });
    const two = await api.create(`/api/v1/namespaces/${namespace}/secrets`, { metadata: { name: 'two' } });
    expect(BigInt(two.metadata.resourceVersion)).toBeGreaterThan(BigInt(one.metadata.resourceVersion));
  });

  rule('the server sets uid and creationTimestamp itself, whatever the body says', async (api) => {
    const path = configMaps(await api.namespace());
    const metadata = { name: 'own', uid: 'mine', creationTimestamp: '2001-01-01T00:00:00Z', selfLink: '/mine' };
    const created = await api.create(path, { metadata });
    expect(created.metadata.uid).toMatch(UUID);
    expect(created.metadata.creationTimestamp).not.toBe('2001-01-01T00:00:00Z');
    expect(created.metadata.selfLink).toBeUndefined();
  });

  rule('an object cannot be created with a deletionTimestamp', async (api) => {
    const path = configMaps(await api.namespace());
    const created = await api.create(path, {
      metadata: { name: 'young', deletionTimestamp: '2001-01-01T00:00:00Z', deletionGracePeriodSeconds: 30 },
    });
    expect(created.metadata.deletionTimestamp).toBeUndefined();
    expect(created.metadata.deletionGracePeriodSeconds).toBeUndefined();
  });

  rule('an object whose kind counts generations starts at 1', async (api) => {
    const created = await api.create(deployments(await api.namespace()), deploymentBody('first'));
    expect(created.metadata.generation).toBe(1);
  });

  rule('a kind without generations has none', async (api) => {
    const created = await api.create(configMaps(await api.namespace()), { metadata: { name: 'plain' } });
    expect(created.metadata.generation).toBeUndefined();
  });

  rule('a status in the body is dropped by a kind that has the subresource', async (api) => {
    const body = { ...deploymentBody('fresh'), status: { replicas: 5 } };
    const created = await api.create(deployments(await api.namespace()), body);
    expect(created.status).toEqual({});
  });

  rule('labels, annotations, finalizers and owners are kept', async (api) => {
    const path = configMaps(await api.namespace());
    const metadata = {
      name: 'full',
      labels: { 'example.com/app': 'web', empty: '' },
      annotations: { 'example.com/note': 'any text, of any form!' },
      finalizers: ['example.com/hold'],
      ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: 'a-uid', controller: true }],
    };
    const created = await api.create(path, { metadata });
    expect(created.metadata).toMatchObject(metadata);
    await api.patch(`${path}/full`, 'merge', { metadata: { finalizers: null } });
  });

  rule('generateName makes a name of the prefix and five random characters', async (api) => {
    const path = configMaps(await api.namespace());
    const [one, two] = await Promise.all([
      api.create(path, { metadata: { generateName: 'made-' } }),
      api.create(path, { metadata: { generateName: 'made-' } }),
    ]);
    expect(one.metadata.name).toMatch(/^made-[a-z0-9]{5}$/);
    expect(one.metadata.generateName).toBe('made-');
    expect(two.metadata.name).not.toBe(one.metadata.name);
  });

  rule('a given name wins over generateName', async (api) => {
    const path = configMaps(await api.namespace());
    const created = await api.create(path, { metadata: { name: 'given', generateName: 'made-' } });
    expect(created.metadata).toMatchObject({ name: 'given', generateName: 'made-' });
  });

  rule('a long generateName is cut, so that the name has no more than 63 characters', async (api) => {
    const path = configMaps(await api.namespace());
    const created = await api.create(path, { metadata: { generateName: 'x'.repeat(100) } });
    expect(created.metadata.name).toMatch(/^x{58}[a-z0-9]{5}$/);
  });

  rule('the namespace of the URL is put into the object', async (api) => {
    const namespace = await api.namespace();
    expect((await api.create(configMaps(namespace), { metadata: { name: 'here' } })).metadata.namespace).toBe(
      namespace,
    );
  });

  rule('an object of the cluster has no namespace', async (api) => {
    const name = api.unique('cluster-role');
    const path = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
    api.remove(`${path}/${name}`);
    expect((await api.create(path, { metadata: { name }, rules: [] })).metadata.namespace).toBeUndefined();
  });

  rule('a name that is taken is AlreadyExists, naming resource and name', async (api) => {
    const path = configMaps(await api.namespace());
    await api.create(path, { metadata: { name: 'taken' } });
    expectStatus(await api.request('POST', path, { body: { metadata: { name: 'taken' } } }), {
      code: 409,
      reason: 'AlreadyExists',
      message: 'configmaps "taken" already exists',
      details: { name: 'taken', kind: 'configmaps' },
    });
  });

  rule('the resource in a message carries its group', async (api) => {
    const path = deployments(await api.namespace());
    await api.create(path, deploymentBody('taken'));
    expectStatus(await api.request('POST', path, { body: deploymentBody('taken') }), {
      code: 409,
      reason: 'AlreadyExists',
      message: 'deployments.apps "taken" already exists',
      details: { name: 'taken', group: 'apps', kind: 'deployments' },
    });
  });

  rule('the same name may be used in another namespace and by another resource', async (api) => {
    const [one, two] = await Promise.all([api.namespace(), api.namespace()]);
    await api.create(configMaps(one), { metadata: { name: 'same' } });
    await api.create(configMaps(two), { metadata: { name: 'same' } });
    await api.create(`/api/v1/namespaces/${one}/secrets`, { metadata: { name: 'same' } });
  });

  rule('a name that is taken by an object being deleted says so', async (api) => {
    const path = configMaps(await api.namespace());
    await api.create(path, { metadata: { name: 'going', finalizers: ['example.com/hold'] } });
    await api.delete(`${path}/going`);
    expectStatus(await api.request('POST', path, { body: { metadata: { name: 'going' } } }), {
      code: 409,
      reason: 'AlreadyExists',
      message: 'object is being deleted: configmaps "going" already exists',
      details: { name: 'going', kind: 'configmaps' },
    });
    await api.patch(`${path}/going`, 'merge', { metadata: { finalizers: null } });
  });

  rule('a namespace that does not exist is NotFound, naming the namespace', async (api) => {
    const absent = api.unique('absent');
    expectStatus(await api.request('POST', configMaps(absent), { body: { metadata: { name: 'x' } } }), {
      code: 404,
      reason: 'NotFound',
      message: `namespaces "${absent}" not found`,
      details: { name: absent, kind: 'namespaces' },
    });
  });

  rule('another namespace in the body than in the URL is a BadRequest', async (api) => {
    const path = configMaps(await api.namespace());
    expectStatus(await api.request('POST', path, { body: { metadata: { name: 'x', namespace: 'elsewhere' } } }), {
      code: 400,
      reason: 'BadRequest',
      message: 'the namespace of the provided object does not match the namespace sent on the request',
    });
  });

  rule('a resourceVersion in the body is refused', async (api) => {
    const path = configMaps(await api.namespace());
    expectStatus(await api.request('POST', path, { body: { metadata: { name: 'x', resourceVersion: '5' } } }), {
      code: 500,
      reason: undefined,
      message: 'resourceVersion should not be set on objects to be created',
    });
  });

  rule('dryRun=All answers like a create, without a resourceVersion, and keeps nothing', async (api) => {
    const path = configMaps(await api.namespace());
    const answer = await api.create(path, { metadata: { name: 'dry' } }, { dryRun: 'All' });
    expect(answer.metadata.uid).toMatch(UUID);
    expect(answer.metadata.resourceVersion).toBeUndefined();
    expect((await api.request('GET', `${path}/dry`)).status).toBe(404);
  });

  rule('dryRun=All fails where the create would fail', async (api) => {
    const path = configMaps(await api.namespace());
    await api.create(path, { metadata: { name: 'taken' } });
    const answer = await api.request('POST', path, { body: { metadata: { name: 'taken' } }, query: { dryRun: 'All' } });
    expectStatus(answer, { code: 409, reason: 'AlreadyExists' });
  });

  rule('dryRun knows nothing but All', async (api) => {
    const path = configMaps(await api.namespace());
    const answer = await api.request('POST', path, { body: { metadata: { name: 'x' } }, query: { dryRun: 'Some' } });
    expectStatus(answer, {
      code: 422,
      reason: 'Invalid',
      message: 'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"',
      details: { group: 'meta.k8s.io', kind: 'CreateOptions' },
      causes: [
        {
          reason: 'FieldValueNotSupported',
          message: 'Unsupported value: ["Some"]: supported values: "All"',
          field: 'dryRun',
        },
      ],
    });
  });

  rule('pretty=true indents the answer', async (api) => {
    const path = configMaps(await api.namespace());
    const answer = await api.request('POST', path, { body: { metadata: { name: 'x' } }, query: { pretty: true } });
    expect(answer.text).toMatch(/^\{\n {2}"kind": "ConfigMap",\n {2}"apiVersion": "v1",/);
  });

  rule('of many creates of one name at once exactly one succeeds', async (api) => {
    const path = configMaps(await api.namespace());
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => api.request('POST', path, { body: { metadata: { name: 'race' } } })),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, ...Array<number>(9).fill(409)]);
  });
});
