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

const withScale = [
  {
    name: 'v1',
    subresources: { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
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

export const area: Area = defineArea('custom resource definitions', (rule) => {
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

  rule('a definition in a group of the Kubernetes community needs its approval', async (api) => {
    expectStatus(await api.request('POST', DEFINITIONS, { body: widgetDefinition('rbac.authorization.k8s.io') }), {
      code: 422,
      reason: 'Invalid',
      causes: [
        {
          field: 'metadata.annotations[api-approved.kubernetes.io]',
          reason: 'FieldValueRequired',
          message:
            /^Required value: protected groups must have approval annotation "api-approved\.kubernetes\.io", see /,
        },
      ],
    });
  });

  rule('a definition has a group with a dot', async (api) => {
    expectStatus(await api.request('POST', DEFINITIONS, { body: widgetDefinition('apps') }), {
      code: 422,
      reason: 'Invalid',
      causes: [{ field: 'spec.group', message: /should be a domain with at least one dot$/ }],
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
