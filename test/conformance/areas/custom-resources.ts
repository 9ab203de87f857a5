import { expect } from 'vitest';
import type { Api } from '../api.js';
import { type Area, defineArea } from '../area.js';
import {
  condition,
  DEFINITIONS,
  define,
  whenDefinition,
  whenEstablished,
  whenGone,
  whenServed,
  widgetDefinition,
} from '../definitions.js';
import { at, type Doc } from '../doc.js';
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

async function discovered(api: Api, path: string, fits: (document: Doc) => boolean): Promise<Doc> {
  await whenServed(api, path);
  for (let tries = 0; tries < 2_000; tries++) {
    const document = await api.get(path);
    if (fits(document)) return document;
  }
  throw new Error(`${path} never showed what the case waited for: ${JSON.stringify(await api.get(path))}`);
}

export const area: Area = defineArea('custom-resources', (rule) => {
  rule('a definition is given the names it leaves out and conversion None', async (api) => {
    const group = `${api.unique('g')}.example.com`;
    const made = await api.create(DEFINITIONS, widgetDefinition(group));
    api.remove(`${DEFINITIONS}/widgets.${group}`);
    expect(made.spec).toMatchObject({
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      conversion: { strategy: 'None' },
    });
    expect(made.metadata.generation).toBe(1);
    expect(at(made, 'status.storedVersions')).toEqual(['v1']);
  });

  rule('a definition becomes NamesAccepted and Established, with its names in the status', async (api) => {
    const { path } = await define(api);
    const definition = await api.get(path);
    expect(at(definition, 'status.conditions')).toMatchObject([
      { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' },
      { type: 'Established', status: 'True', reason: 'InitialNamesAccepted' },
    ]);
    expect(at(definition, 'status.acceptedNames')).toEqual({
      plural: 'widgets',
      singular: 'widget',
      kind: 'Widget',
      listKind: 'WidgetList',
      shortNames: ['wd'],
      categories: ['toys'],
    });
  });

  rule('a definition must be called after its plural and group', async (api) => {
    const group = `${api.unique('g')}.example.com`;
    const body = { ...widgetDefinition(group), metadata: { name: `others.${group}` } };
    expectStatus(await api.request('POST', DEFINITIONS, { body }), {
      code: 422,
      reason: 'Invalid',
      causes: [{ field: 'metadata.name', message: /must be spec\.names\.plural\+"\."\+spec\.group$/ }],
    });
  });

  rule('a definition needs exactly one storage version', async (api) => {
    const group = `${api.unique('g')}.example.com`;
    const body = widgetDefinition(group, [
      { name: 'v1', storage: false },
      { name: 'v2', storage: false },
    ]);
    expectStatus(await api.request('POST', DEFINITIONS, { body }), {
      code: 422,
      reason: 'Invalid',
      causes: [{ field: 'spec.versions', message: /must have exactly one version marked as storage version$/ }],
    });
  });

  rule('a definition needs a schema for each version', async (api) => {
    const group = `${api.unique('g')}.example.com`;
    const definition = widgetDefinition(group, [{ name: 'v1' }]) as { spec: { versions: object[] } };
    const body = {
      ...definition,
      spec: { ...definition.spec, versions: [{ name: 'v1', served: true, storage: true }] },
    };
    expectStatus(await api.request('POST', DEFINITIONS, { body }), {
      code: 422,
      reason: 'Invalid',
      causes: [{ field: 'spec.versions[0].schema.openAPIV3Schema', reason: 'FieldValueRequired' }],
    });
  });

  rule('the scope of a definition cannot change', async (api) => {
    const { path } = await define(api);
    expectStatus(await api.tryPatch(path, 'merge', { spec: { scope: 'Cluster' } }), {
      code: 422,
      reason: 'Invalid',
      causes: [{ field: 'spec.scope', message: /field is immutable$/ }],
    });
  });

  rule('a definition whose kind is taken in its group is neither accepted nor served', async (api) => {
    const { group } = await define(api);
    const path = `${DEFINITIONS}/gadgets.${group}`;
    await api.create(DEFINITIONS, {
      ...widgetDefinition(group, undefined, { names: { plural: 'gadgets', kind: 'Widget' } }),
      metadata: { name: `gadgets.${group}` },
    });
    api.remove(path);
    const definition = await whenDefinition(api, path, (one) => condition(one, 'NamesAccepted') !== undefined);
    expect(condition(definition, 'NamesAccepted')).toBe('False');
    expect(condition(definition, 'Established')).toBe('False');
    expect(at(definition, 'status.acceptedNames.plural')).toBe('gadgets');
    expect(at(definition, 'status.acceptedNames.kind')).toBe('');
    expect((await api.request('GET', `/apis/${group}/v1/gadgets`)).status).toBe(404);
  });

  rule('the group and its resources appear in discovery', async (api) => {
    const { group } = await define(api, withScale);
    const found = await discovered(api, `/apis/${group}/v1`, ({ resources }) => (resources as unknown[]).length === 3);
    expect(found).toMatchObject({ kind: 'APIResourceList', groupVersion: `${group}/v1` });
    const resources = found['resources'] as { name: string; verbs: string[] }[];
    const [widgets, scale, status] = resources.sort((a, b) => a.name.localeCompare(b.name));
    expect(widgets).toMatchObject({
      name: 'widgets',
      singularName: 'widget',
      namespaced: true,
      kind: 'Widget',
      shortNames: ['wd'],
      categories: ['toys'],
    });
    expect(widgets?.verbs.sort()).toEqual([
      'create',
      'delete',
      'deletecollection',
      'get',
      'list',
      'patch',
      'update',
      'watch',
    ]);
    expect(status).toMatchObject({ name: 'widgets/status', kind: 'Widget', namespaced: true });
    expect(scale).toMatchObject({ name: 'widgets/scale', group: 'autoscaling', version: 'v1', kind: 'Scale' });
  });

  rule('the group lists its served versions, the highest first', async (api) => {
    const { group } = await define(api, [{ name: 'v1beta1' }, { name: 'v1' }, { name: 'v2alpha1', served: false }]);
    const found = await discovered(api, `/apis/${group}`, ({ versions }) => (versions as unknown[]).length === 2);
    expect(found).toMatchObject({
      kind: 'APIGroup',
      name: group,
      versions: [
        { groupVersion: `${group}/v1`, version: 'v1' },
        { groupVersion: `${group}/v1beta1`, version: 'v1beta1' },
      ],
      preferredVersion: { version: 'v1' },
    });
  });

  rule('the group appears in the list of all groups', async (api) => {
    const { group } = await define(api);
    const found = await discovered(api, '/apis', ({ groups }) =>
      (groups as { name: string }[]).some(({ name }) => name === group),
    );
    expect((found['groups'] as { name: string }[]).filter(({ name }) => name === group)).toHaveLength(1);
  });

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

  rule('a version added later is served, and one withdrawn is not any more', async (api) => {
    const { group, path, collection, widget } = await define(api);
    const namespace = await api.namespace();
    await api.create(collection(namespace), widget('a'));
    const now = await api.get(path);
    const [first] = now.spec['versions'] as object[];
    await api.patch(path, 'merge', { spec: { versions: [first, { ...first, name: 'v2', storage: false }] } });
    await whenServed(api, collection(undefined, 'v2'));
    expect((await api.get(`${collection(namespace, 'v2')}/a`)).apiVersion).toBe(`${group}/v2`);
    await api.patch(path, 'merge', { spec: { versions: [first] } });
    await whenGone(api, collection(undefined, 'v2'));
    await whenServed(api, collection(namespace));
    expect(names(await api.get(collection(namespace)))).toEqual(['a']);
  });

  rule('a new storage version is added to status.storedVersions', async (api) => {
    const { path } = await define(api, [{ name: 'v1' }, { name: 'v2' }]);
    const [one, two] = (await api.get(path)).spec['versions'] as object[];
    const changed = await api.patch(path, 'merge', {
      spec: {
        versions: [
          { ...one, storage: false },
          { ...two, storage: true },
        ],
      },
    });
    expect(at(changed, 'status.storedVersions')).toEqual(['v1', 'v2']);
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

  rule('deleting a definition deletes its objects, ends its watches and takes its paths away', async (api) => {
    const { path, collection, widget } = await define(api);
    const namespace = await api.namespace();
    await api.create(collection(namespace), widget('a'));
    const stream = await api.watch(collection(namespace));
    expect((await stream.expectNext()).type).toBe('ADDED');
    await api.delete(path);
    expect((await stream.expectNext()).type).toBe('DELETED');
    expect(await stream.next()).toBeUndefined();
    await whenGone(api, path);
    await whenGone(api, collection(namespace));
  });

  rule('a definition made again starts without the objects of the old one', async (api) => {
    const { group, path, collection, widget } = await define(api);
    const namespace = await api.namespace();
    await api.create(collection(namespace), widget('a'));
    await api.delete(path);
    await whenGone(api, path);
    await api.create(DEFINITIONS, widgetDefinition(group));
    await whenEstablished(api, path);
    await whenServed(api, collection(namespace));
    expect((await api.get(collection(namespace))).items).toEqual([]);
  });

  rule('a definition on its way out says so, until the objects that hold it are gone', async (api) => {
    const { path, collection, widget } = await define(api);
    const target = collection(await api.namespace());
    await api.create(target, widget('a', { metadata: { finalizers: ['example.com/hold'] } }));
    await api.delete(path);
    const ending = await whenDefinition(api, path, (one) => condition(one, 'Terminating') === 'True');
    expect(ending.metadata.finalizers).toContain('customresourcecleanup.apiextensions.k8s.io');
    expect(ending.metadata.deletionTimestamp).toMatch(/Z$/);
    expectStatus(await api.request('POST', target, { body: widget('b') }), {
      code: 403,
      reason: 'Forbidden',
      message: /create not allowed while custom resource definition is terminating$/,
    });
    await api.patch(`${target}/a`, 'merge', { metadata: { finalizers: null } });
    await whenGone(api, path);
  });
});
