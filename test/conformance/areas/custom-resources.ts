import { expect } from 'vitest';
import { type Area, defineArea } from '../area.js';
import { define } from '../definitions.js';
import { names } from '../objects.js';
import { expectStatus } from '../status.js';

const withStatus = [{ name: 'v1', subresources: { status: {} } }] as const;
const withScale = [
  {
    name: 'v1',
    subresources: {
      status: {},
      scale: {
        specReplicasPath: '.spec.replicas',
        statusReplicasPath: '.status.replicas',
        labelSelectorPath: '.status.selector',
      },
    },
  },
] as const;

export const area: Area = defineArea('custom resources', (rule) => {
  rule('custom objects are created, read, updated and deleted like others', async (api) => {
    const { collection, widget } = await define(api);
    const path = collection(await api.namespace());
    const made = await api.create(path, widget('a', { spec: { size: 1, deep: { list: [1, 'two', null] } } }));
    expect(made).toMatchObject({ kind: 'Widget', spec: { size: 1, deep: { list: [1, 'two', null] } } });
    expect(made.metadata).toMatchObject({ generation: 1, uid: expect.any(String) });
    expect(await api.get(`${path}/a`)).toEqual(made);
    const changed = await api.update(`${path}/a`, { ...made, spec: { size: 2 } });
    expect(changed.spec).toEqual({ size: 2 });
    expect(await api.delete(`${path}/a`)).toMatchObject({ kind: 'Status', status: 'Success', details: { name: 'a' } });
    expectStatus(await api.request('GET', `${path}/a`), { code: 404, reason: 'NotFound' });
  });

  rule('a missing custom object is NotFound under its full name', async (api) => {
    const { group, collection } = await define(api);
    expectStatus(await api.request('GET', `${collection(await api.namespace())}/absent`), {
      code: 404,
      reason: 'NotFound',
      message: `widgets.${group} "absent" not found`,
      details: { name: 'absent', group, kind: 'widgets' },
    });
  });

  rule('an update of a missing custom object is NotFound even if its kind is another', async (api) => {
    const { collection, widget } = await define(api);
    const path = `${collection(await api.namespace())}/absent`;
    const body = { ...widget('absent'), kind: 'Gadget' };
    expectStatus(await api.request('PUT', path, { body }), { code: 404, reason: 'NotFound' });
  });

  rule('a patch cannot remove the kind of a custom object', async (api) => {
    const { collection, widget } = await define(api);
    const path = collection(await api.namespace());
    await api.create(path, widget('a'));
    const headers = { 'content-type': 'application/merge-patch+json' };
    expectStatus(await api.request('PATCH', `${path}/a`, { body: { kind: null }, headers }), {
      code: 422,
      reason: 'Invalid',
      message: /: Object 'Kind' is missing in '\{/,
    });
  });

  rule('a custom object that exists already is AlreadyExists', async (api) => {
    const { group, collection, widget } = await define(api);
    const path = collection(await api.namespace());
    await api.create(path, widget('a'));
    expectStatus(await api.request('POST', path, { body: widget('a') }), {
      code: 409,
      reason: 'AlreadyExists',
      message: `widgets.${group} "a" already exists`,
    });
  });

  rule('a custom object without kind is a BadRequest', async (api) => {
    const { collection } = await define(api);
    const path = collection(await api.namespace());
    expectStatus(await api.request('POST', path, { body: { metadata: { name: 'a' } } }), {
      code: 400,
      reason: 'BadRequest',
      message: /Object 'Kind' is missing in/,
    });
  });

  rule('a custom object of another kind is Invalid', async (api) => {
    const { collection, widget } = await define(api);
    const path = collection(await api.namespace());
    expectStatus(await api.request('POST', path, { body: { ...widget('a'), kind: 'Gadget' } }), {
      code: 422,
      reason: 'Invalid',
      causes: [{ field: 'kind', message: 'Invalid value: "Gadget": must be Widget' }],
    });
  });

  rule('items of a list of custom objects carry kind and apiVersion', async (api) => {
    const { group, collection, widget } = await define(api);
    const path = collection(await api.namespace());
    const made = await api.create(path, widget('a'));
    const list = await api.get(path);
    expect(list).toMatchObject({ kind: 'WidgetList', apiVersion: `${group}/v1` });
    expect(list.items).toEqual([made]);
  });

  rule('custom objects are paged', async (api) => {
    const { collection, widget } = await define(api);
    const path = collection(await api.namespace());
    for (const name of ['a', 'b', 'c']) await api.create(path, widget(name));
    const first = await api.get(path, { limit: 2 });
    expect(first.metadata.remainingItemCount).toBe(1);
    const second = await api.get(path, { limit: 2, continue: first.metadata.continue ?? '' });
    expect([names(first), names(second)]).toEqual([['a', 'b'], ['c']]);
  });

  rule('custom objects are selected by label', async (api) => {
    const { collection, widget } = await define(api);
    const path = collection(await api.namespace());
    await api.create(path, widget('a', { metadata: { labels: { tier: 'web' } } }));
    await api.create(path, widget('b'));
    expect(names(await api.get(path, { labelSelector: 'tier=web' }))).toEqual(['a']);
    expect(names(await api.get(path, { fieldSelector: 'metadata.name=b' }))).toEqual(['b']);
  });

  rule('custom objects are watched', async (api) => {
    const { collection, widget } = await define(api);
    const path = collection(await api.namespace());
    const stream = await api.watch(path);
    const made = await api.create(path, widget('a'));
    expect(await stream.expectNext()).toEqual({ type: 'ADDED', object: made });
    await api.patch(`${path}/a`, 'merge', { spec: { size: 2 } });
    await api.delete(`${path}/a`);
    expect((await stream.expectNext()).type).toBe('MODIFIED');
    expect((await stream.expectNext()).type).toBe('DELETED');
  });

  rule('a stale resourceVersion on a custom object is a Conflict', async (api) => {
    const { group, collection, widget } = await define(api);
    const path = collection(await api.namespace());
    const made = await api.create(path, widget('a'));
    await api.patch(`${path}/a`, 'merge', { spec: { size: 2 } });
    expectStatus(await api.request('PUT', `${path}/a`, { body: { ...made, spec: { size: 3 } } }), {
      code: 409,
      reason: 'Conflict',
      message: new RegExp(`^Operation cannot be fulfilled on widgets\\.${group} "a": `),
    });
  });

  rule('an update of a custom object needs its resourceVersion', async (api) => {
    const { collection, widget } = await define(api);
    const path = collection(await api.namespace());
    await api.create(path, widget('a'));
    expectStatus(await api.request('PUT', `${path}/a`, { body: widget('a', { spec: { size: 3 } }) }), {
      code: 422,
      reason: 'Invalid',
      causes: [{ field: 'metadata.resourceVersion', message: /must be specified for an update$/ }],
    });
  });

  rule('a strategic merge patch of a custom object is an unsupported media type', async (api) => {
    const { collection, widget } = await define(api);
    const path = collection(await api.namespace());
    await api.create(path, widget('a'));
    expectStatus(await api.tryPatch(`${path}/a`, 'strategic', { spec: {} }), {
      code: 415,
      reason: 'UnsupportedMediaType',
    });
  });

  rule('a JSON patch of a custom object works', async (api) => {
    const { collection, widget } = await define(api);
    const path = collection(await api.namespace());
    await api.create(path, widget('a', { spec: { list: ['a', 'c'] } }));
    const changed = await api.patch(`${path}/a`, 'json', [{ op: 'add', path: '/spec/list/1', value: 'b' }]);
    expect(changed.spec).toEqual({ list: ['a', 'b', 'c'] });
  });

  rule('generation rises with every change outside of metadata', async (api) => {
    const { collection, widget } = await define(api);
    const path = collection(await api.namespace());
    await api.create(path, widget('a', { spec: { size: 1 } }));
    const generation = async (patch: object): Promise<number> =>
      (await api.patch(`${path}/a`, 'merge', patch)).metadata.generation;
    expect(await generation({ metadata: { labels: { a: 'b' } } })).toBe(1);
    expect(await generation({ spec: { size: 2 } })).toBe(2);
    expect(await generation({ spec: { size: 2 } })).toBe(2);
    expect(await generation({ status: { ready: 1 } })).toBe(3);
    expect(await generation({ elsewhere: 1 })).toBe(4);
  });

  rule('with a status subresource the main path ignores the status', async (api) => {
    const { collection, widget } = await define(api, withStatus);
    const path = collection(await api.namespace());
    const made = await api.create(path, widget('a', { spec: { size: 1 }, status: { ready: 1 } }));
    expect(made).not.toHaveProperty('status');
    const changed = await api.patch(`${path}/a`, 'merge', { spec: { size: 2 }, status: { ready: 2 } });
    expect(changed.spec).toEqual({ size: 2 });
    expect(changed).not.toHaveProperty('status');
  });

  rule('the status subresource changes the status alone, and no generation', async (api) => {
    const { collection, widget } = await define(api, withStatus);
    const path = collection(await api.namespace());
    await api.create(path, widget('a', { spec: { size: 1 } }));
    const patch = { spec: { size: 5 }, status: { ready: 1 }, metadata: { labels: { a: 'b' } } };
    const changed = await api.patch(`${path}/a/status`, 'merge', patch);
    expect(changed).toMatchObject({ spec: { size: 1 }, status: { ready: 1 } });
    expect(changed.metadata.generation).toBe(1);
    expect(changed.metadata).not.toHaveProperty('labels');
    expect(await api.get(`${path}/a/status`)).toEqual(changed);
  });

  rule('the status subresource can be replaced by PUT', async (api) => {
    const { collection, widget } = await define(api, withStatus);
    const path = collection(await api.namespace());
    const made = await api.create(path, widget('a', { spec: { size: 1 } }));
    const changed = await api.update(`${path}/a/status`, { ...made, status: { ready: 4 } });
    expect(changed.status).toEqual({ ready: 4 });
  });

  rule('without a status subresource its path does not exist', async (api) => {
    const { collection, widget } = await define(api);
    const path = collection(await api.namespace());
    await api.create(path, widget('a'));
    expect((await api.request('GET', `${path}/a/status`)).status).toBe(404);
    expect((await api.request('GET', `${path}/a/scale`)).status).toBe(404);
  });

  rule('the scale subresource shows the replicas and the selector that its paths point to', async (api) => {
    const { collection, widget } = await define(api, withScale);
    const namespace = await api.namespace();
    const path = collection(namespace);
    const made = await api.create(path, widget('a', { spec: { replicas: 2 } }));
    const { metadata } = await api.patch(`${path}/a/status`, 'merge', { status: { replicas: 1, selector: 'app=a' } });
    expect(await api.get(`${path}/a/scale`)).toEqual({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: {
        name: 'a',
        namespace,
        uid: made.metadata.uid,
        resourceVersion: metadata.resourceVersion,
        creationTimestamp: made.metadata.creationTimestamp,
      },
      spec: { replicas: 2 },
      status: { replicas: 1, selector: 'app=a' },
    });
  });

  rule('the scale subresource writes the replicas, which raises the generation', async (api) => {
    const { collection, widget } = await define(api, withScale);
    const path = collection(await api.namespace());
    await api.create(path, widget('a', { spec: { replicas: 2, other: 'kept' } }));
    const scale = await api.get(`${path}/a/scale`);
    await api.update(`${path}/a/scale`, { ...scale, spec: { replicas: 7 } });
    const changed = await api.get(`${path}/a`);
    expect(changed.spec).toEqual({ replicas: 7, other: 'kept' });
    expect(changed.metadata.generation).toBe(2);
    expect(await api.patch(`${path}/a/scale`, 'merge', { spec: { replicas: 9 } })).toMatchObject({
      kind: 'Scale',
      spec: { replicas: 9 },
    });
  });

  rule('a negative scale is Invalid', async (api) => {
    const { collection, widget } = await define(api, withScale);
    const path = collection(await api.namespace());
    await api.create(path, widget('a', { spec: { replicas: 2 } }));
    expectStatus(await api.tryPatch(`${path}/a/scale`, 'merge', { spec: { replicas: -1 } }), {
      code: 422,
      reason: 'Invalid',
      causes: [{ field: '.spec.replicas', message: 'Invalid value: -1: should be a non-negative integer' }],
    });
  });

  rule('every served version shows the same objects under its own apiVersion', async (api) => {
    const { group, collection, widget } = await define(api, [{ name: 'v1' }, { name: 'v2' }]);
    const namespace = await api.namespace();
    const made = await api.create(collection(namespace, 'v1'), widget('a', { spec: { size: 1 } }));
    const other = await api.get(`${collection(namespace, 'v2')}/a`);
    expect(other.apiVersion).toBe(`${group}/v2`);
    expect(other.metadata.uid).toBe(made.metadata.uid);
    expect(other.metadata.resourceVersion).toBe(made.metadata.resourceVersion);
    expect(other.spec).toEqual({ size: 1 });
    await api.create(collection(namespace, 'v2'), widget('b', {}, 'v2'));
    expect(names(await api.get(collection(namespace, 'v1')))).toEqual(['a', 'b']);
    expect((await api.get(collection(namespace, 'v1'))).items[1]?.apiVersion).toBe(`${group}/v1`);
  });

  rule('a watch of one version sees what is written through another', async (api) => {
    const { group, collection, widget } = await define(api, [{ name: 'v1' }, { name: 'v2' }]);
    const namespace = await api.namespace();
    const stream = await api.watch(collection(namespace, 'v2'));
    await api.create(collection(namespace, 'v1'), widget('a'));
    expect((await stream.expectNext()).object.apiVersion).toBe(`${group}/v2`);
  });

  rule('an object of another version than that of the path is a BadRequest', async (api) => {
    const { group, collection, widget } = await define(api, [{ name: 'v1' }, { name: 'v2' }]);
    const path = collection(await api.namespace(), 'v1');
    expectStatus(await api.request('POST', path, { body: widget('a', {}, 'v2') }), {
      code: 400,
      reason: 'BadRequest',
      message: `the API version in the data (${group}/v2) does not match the expected API version (${group}/v1)`,
    });
  });

  rule('a version that is not served does not exist', async (api) => {
    const { collection } = await define(api, [{ name: 'v1' }, { name: 'v2', served: false }]);
    expect((await api.request('GET', collection(undefined, 'v2'))).status).toBe(404);
  });

  rule('objects of cluster scope have no namespace', async (api) => {
    const { collection, widget } = await define(api, undefined, { scope: 'Cluster' });
    const made = await api.create(collection(), widget('a'));
    expect(made.metadata).not.toHaveProperty('namespace');
    expect(await api.get(`${collection()}/a`)).toEqual(made);
    expect((await api.request('GET', collection('default'))).status).toBe(404);
  });

  rule('custom objects keep finalizers and wait for them', async (api) => {
    const { collection, widget } = await define(api);
    const path = collection(await api.namespace());
    await api.create(path, widget('a', { metadata: { finalizers: ['example.com/hold'] } }));
    const marked = await api.delete(`${path}/a`);
    expect(marked).toMatchObject({ kind: 'Widget', metadata: { deletionTimestamp: expect.any(String) } });
    expect(marked.metadata.generation).toBe(2);
    await api.patch(`${path}/a`, 'merge', { metadata: { finalizers: [] } });
    expectStatus(await api.request('GET', `${path}/a`), { code: 404, reason: 'NotFound' });
  });

  rule('generateName names custom objects too', async (api) => {
    const { group, collection } = await define(api);
    const body = { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { generateName: 'some-' } };
    expect((await api.create(collection(await api.namespace()), body)).metadata.name).toMatch(/^some-[a-z0-9]{5}$/);
  });

  rule('a name that is not a DNS subdomain is Invalid', async (api) => {
    const { collection, widget } = await define(api);
    expectStatus(await api.request('POST', collection(await api.namespace()), { body: widget('No_Good') }), {
      code: 422,
      reason: 'Invalid',
      causes: [{ field: 'metadata.name', reason: 'FieldValueInvalid' }],
    });
  });

  rule('custom objects have a collection to delete', async (api) => {
    const { collection, widget } = await define(api);
    const path = collection(await api.namespace());
    for (const name of ['a', 'b']) await api.create(path, widget(name));
    await api.delete(path);
    expect((await api.get(path)).items).toEqual([]);
  });

  rule('the metadata of custom objects can be had alone', async (api) => {
    const { collection, widget } = await define(api);
    const path = collection(await api.namespace());
    const { metadata } = await api.create(path, widget('a', { spec: { size: 1 } }));
    const headers = { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' };
    expect((await api.request('GET', `${path}/a`, { headers })).json).toEqual({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata,
    });
  });
});
