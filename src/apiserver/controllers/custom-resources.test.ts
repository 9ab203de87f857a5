import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Doc, MemoryClient } from '../../../test/apiserver/memory-client.js';
import { FakeClock } from '../../time/fake-clock.js';
import { type ApiServer, startApiServer } from '../index.js';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };

let clock: FakeClock;
let api: ApiServer;
let client: MemoryClient;

beforeEach(async () => {
  clock = new FakeClock();
  api = await startApiServer({ clock, listen: false, onError: (error) => expect.fail(String(error)) });
  client = new MemoryClient(api);
});

afterEach(() => api.stop());

async function define(versions: readonly object[]): Promise<void> {
  const { status } = await client.post(DEFINITIONS, {
    metadata: { name: 'widgets.example.com' },
    spec: { group: 'example.com', scope: 'Namespaced', names: { plural: 'widgets', kind: 'Widget' }, versions },
  });
  expect(status).toBe(201);
  await clock.runUntilIdle();
}

const widgets = (version = 'v1'): string => `/apis/example.com/${version}/namespaces/default/widgets`;
const widget = (name: string, version = 'v1'): Doc => ({
  apiVersion: `example.com/${version}`,
  kind: 'Widget',
  metadata: { name },
});

describe('custom resources', () => {
  it('begin and end with their definition, watches included', async () => {
    expect((await client.get(widgets())).json).toBe('404 page not found\n');
    await define([{ name: 'v1', served: true, storage: true, schema }]);
    await client.post(widgets(), widget('a'));
    const watch = client.watch(`${widgets()}?watch=1`);
    await clock.runUntilIdle();
    await client.delete(`${DEFINITIONS}/widgets.example.com`);
    await clock.runUntilIdle();
    expect(watch.events.map((event) => event.type)).toEqual(['ADDED', 'DELETED']);
    expect(watch.end).toBe('ended');
    expect((await client.get(widgets())).status).toBe(404);
    expect((await client.get(`${DEFINITIONS}/widgets.example.com`)).status).toBe(404);

    await define([{ name: 'v1', served: true, storage: true, schema }]);
    expect((await client.get(widgets())).json.items).toEqual([]);
  });

  it('cannot be patched deeper than they could be created', async () => {
    await define([{ name: 'v1', served: true, storage: true, schema }]);
    const depth = 400;
    const spec: unknown = JSON.parse(`${'{"a":'.repeat(depth)}{}${'}'.repeat(depth)}`);
    expect((await client.post(widgets(), { ...widget('deep'), spec })).status).toBe(201);
    await client.post(widgets(), widget('other'));
    const path = `/spec${'/a'.repeat(depth + 1)}`;
    const copy = [{ op: 'copy', from: '/spec', path }];
    const headers = { 'content-type': 'application/json-patch+json' };
    const refused = await client.request('PATCH', `${widgets()}/deep`, copy, headers);
    expect([refused.status, refused.json.message]).toEqual([400, 'exceeded max depth']);
    expect((await client.patch(`${widgets()}/deep`, { metadata: { labels: { a: 'b' } } })).status).toBe(200);
    expect((await client.get(widgets())).json.items).toHaveLength(2);
  });

  it('are watched in the version asked for, whatever version they were written in', async () => {
    await define([
      { name: 'v1', served: true, storage: true, schema },
      { name: 'v2', served: true, storage: false, schema },
    ]);
    const watch = client.watch(`${widgets('v2')}?watch=1&labelSelector=keep`);
    const labels = { keep: 'yes' };
    await client.post(widgets(), { ...widget('a'), metadata: { name: 'a', labels } });
    await clock.runUntilIdle();
    await client.patch(`${widgets()}/a`, { metadata: { labels: null } });
    await clock.runUntilIdle();
    expect(watch.events.map(({ type, object }) => [type, object.apiVersion])).toEqual([
      ['ADDED', 'example.com/v2'],
      ['DELETED', 'example.com/v2'],
    ]);
  });

  it('keep their objects when the storage version changes', async () => {
    const versions = (storage: string) =>
      ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === storage, schema }));
    await define(versions('v1'));
    await client.post(widgets(), widget('a'));
    await client.patch(`${DEFINITIONS}/widgets.example.com`, { spec: { versions: versions('v2') } });
    await clock.runUntilIdle();
    const definition = (await client.get(`${DEFINITIONS}/widgets.example.com`)).json;
    expect(definition.status.storedVersions).toEqual(['v1', 'v2']);
    for (const version of ['v1', 'v2']) {
      expect((await client.get(`${widgets(version)}/a`)).json.apiVersion).toBe(`example.com/${version}`);
    }
  });

  it('are stored in a new storage version by any write, and the old version cannot be removed before', async () => {
    const version = (name: string, storage: boolean) => ({ name, served: true, storage, schema });
    const definition = `${DEFINITIONS}/widgets.example.com`;
    const onlyV2 = { spec: { versions: [version('v2', true)] } };
    await define([version('v1', true)]);
    const { json: made } = await client.post(widgets(), widget('a'));
    await client.patch(definition, { spec: { versions: [version('v1', false), version('v2', true)] } });
    await clock.runUntilIdle();
    expect((await client.patch(definition, onlyV2)).json).toMatchObject({
      code: 422,
      details: { causes: [{ field: 'status.storedVersions[0]' }] },
    });
    const { json: stored } = await client.put(`${widgets()}/a`, made);
    expect(stored.metadata.resourceVersion).not.toBe(made.metadata.resourceVersion);
    expect((await client.put(`${widgets()}/a`, stored)).json).toEqual(stored);
    await client.patch(`${definition}/status`, { status: { storedVersions: ['v2'] } });
    expect((await client.patch(definition, onlyV2)).status).toBe(200);
    await clock.runUntilIdle();
    expect((await client.get(`${widgets('v2')}/a`)).json.apiVersion).toBe('example.com/v2');
  });

  it('can be selected by fields that became selectable after they were stored', async () => {
    const properties = { spec: { type: 'object', properties: { color: { type: 'string' } } } };
    const colored = { openAPIV3Schema: { type: 'object', properties } };
    const version = { name: 'v1', served: true, storage: true, schema: colored };
    await define([version]);
    await client.post(widgets(), { ...widget('a'), spec: { color: 'red' } });
    const { resourceVersion } = (await client.get(widgets())).json.metadata;
    const versions = [{ ...version, selectableFields: [{ jsonPath: '.spec.color' }] }];
    await client.patch(`${DEFINITIONS}/widgets.example.com`, { spec: { versions } });
    await clock.runUntilIdle();
    const selection = 'fieldSelector=spec.color=red';
    expect((await client.get(`${widgets()}?${selection}`)).json.items).toHaveLength(1);
    const watch = client.watch(`${widgets()}?watch=1&resourceVersion=${resourceVersion}&${selection}`);
    await client.patch(`${widgets()}/a`, { spec: { color: 'blue' } });
    await clock.runUntilIdle();
    expect(watch.events.map(({ type }) => type)).toEqual(['DELETED']);
  });

  it('keep their kind whatever a patch says, and have a scale only with its paths', async () => {
    const version = { name: 'v1', served: true, storage: true, schema };
    await define([version]);
    await client.post(widgets(), widget('a'));
    expect((await client.patch(`${widgets()}/a`, { kind: 'Gadget' })).json).toMatchObject({
      code: 422,
      details: { causes: [{ field: 'kind' }] },
    });
    const versions = [{ ...version, subresources: { scale: { specReplicasPath: '.spec.replicas' } } }];
    expect((await client.patch(`${DEFINITIONS}/widgets.example.com`, { spec: { versions } })).json).toMatchObject({
      code: 422,
      details: { causes: [{ field: 'spec.subresources.scale.statusReplicasPath' }] },
    });
  });

  it('send every deletion to their watches, however many there are at once', async () => {
    await define([{ name: 'v1', served: true, storage: true, schema }]);
    for (let n = 0; n < 700; n++) await client.post(widgets(), widget(`w-${n}`));
    const watch = client.watch(`${widgets()}?watch=1`);
    await clock.runUntilIdle();
    await client.delete(`${DEFINITIONS}/widgets.example.com`);
    await clock.runUntilIdle();
    expect(watch.end).toBe('ended');
    expect(watch.events.filter(({ type }) => type === 'DELETED')).toHaveLength(700);
  });

  it('get their names once other definitions no longer have them', async () => {
    const make = (plural: string, kind: string): Promise<unknown> =>
      client.post(DEFINITIONS, {
        metadata: { name: `${plural}.example.com` },
        spec: {
          group: 'example.com',
          scope: 'Namespaced',
          names: { plural, kind, shortNames: ['w'] },
          versions: [{ name: 'v1', served: true, storage: true, schema }],
        },
      });
    for (const [plural, kind] of [
      ['widgets', 'Widget'],
      ['wagons', 'Wagon'],
      ['wheels', 'Wheel'],
    ] as const) {
      await make(plural, kind);
      await clock.runUntilIdle();
    }
    const status = async (plural: string): Promise<number> =>
      (await client.get(`/apis/example.com/v1/${plural}`)).status;
    expect([await status('wagons'), await status('wheels')]).toEqual([404, 404]);
    await client.delete(`${DEFINITIONS}/widgets.example.com`);
    await clock.runUntilIdle();
    expect([await status('wagons'), await status('wheels')]).toEqual([200, 404]);
    await client.patch(`${DEFINITIONS}/wagons.example.com`, { spec: { names: { shortNames: null } } });
    await clock.runUntilIdle();
    expect([await status('wagons'), await status('wheels')]).toEqual([200, 200]);
  });

  it('of a version that is stored and not served are hidden, and are deleted with their namespace', async () => {
    await define([
      { name: 'v1', served: true, storage: false, schema },
      { name: 'v2', served: false, storage: true, schema },
    ]);
    await client.post('/api/v1/namespaces', { metadata: { name: 'web' } });
    const path = '/apis/example.com/v1/namespaces/web/widgets';
    expect((await client.post(path, widget('a'))).status).toBe(201);
    expect((await client.get(widgets('v2'))).status).toBe(404);
    await client.delete('/api/v1/namespaces/web');
    await clock.runUntilIdle();
    expect((await client.get(path)).json.items).toEqual([]);
    expect((await client.get('/api/v1/namespaces/web')).status).toBe(404);
  });
});

describe('a definition in a group of Kubernetes', () => {
  const APPROVED = 'api-approved.kubernetes.io';
  const BINDINGS = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
  const URL = 'https://github.com/kubernetes/kubernetes/pull/1';

  function definition(plural: string, kind: string, group: string, annotation?: string): Doc {
    return {
      metadata: {
        name: `${plural}.${group}`,
        ...(annotation === undefined ? {} : { annotations: { [APPROVED]: annotation } }),
      },
      spec: {
        group,
        scope: 'Cluster',
        names: { plural, kind },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    };
  }

  it.each([
    [undefined, 'Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see'],
    ['yes', 'Invalid value: "yes": protected groups must have approval annotation'],
    ['/just/a/path', 'Invalid value'],
  ])('is refused with the annotation %s', async (annotation, message) => {
    for (const group of ['rbac.authorization.k8s.io', 'new.k8s.io', 'kubernetes.io']) {
      const { status, json } = await client.post(DEFINITIONS, definition('widgets', 'Widget', group, annotation));
      expect([status, json.reason]).toEqual([422, 'Invalid']);
      expect(json.details.causes).toEqual([
        expect.objectContaining({
          field: `metadata.annotations[${APPROVED}]`,
          message: expect.stringContaining(message),
        }),
      ]);
    }
    expect((await client.post(DEFINITIONS, definition('widgets', 'Widget', 'notk8s.io'))).status).toBe(201);
  });

  it.each(['apps', 'autoscaling', 'Example.com'])('cannot have the group %s', async (group) => {
    const { status, json } = await client.post(DEFINITIONS, definition('deployments', 'Deployment', group));
    expect(status).toBe(422);
    expect(json.details.causes).toContainEqual(expect.objectContaining({ field: 'spec.group' }));
  });

  it.each([
    [URL, 'True', 'ApprovedAnnotation', `approved in ${URL}`],
    ['unapproved, a trial', 'False', 'UnapprovedAnnotation', 'not approved: "unapproved, a trial"'],
  ])(
    'says in its status what %s means, and is served where nothing is built in',
    async (annotation, status, reason, message) => {
      await client.post(DEFINITIONS, definition('widgets', 'Widget', 'new.k8s.io', annotation));
      await clock.runUntilIdle();
      const { json } = await client.get(`${DEFINITIONS}/widgets.new.k8s.io`);
      expect(json.status.conditions).toContainEqual(
        expect.objectContaining({ type: 'KubernetesAPIApprovalPolicyConformant', status, reason, message }),
      );
      expect((await client.get('/apis/new.k8s.io/v1/widgets')).json.items).toEqual([]);
    },
  );

  it('does not replace a built-in kind of its name, and removes nothing of it when it is deleted', async () => {
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
    await client.post(BINDINGS, { metadata: { name: 'mine' }, roleRef });
    const watch = client.watch(`${BINDINGS}?watch=1&fieldSelector=metadata.name=mine`);
    const discovered = (await client.get('/apis/rbac.authorization.k8s.io/v1')).json;
    const name = 'clusterrolebindings.rbac.authorization.k8s.io';
    const body = definition('clusterrolebindings', 'ClusterRoleBinding', 'rbac.authorization.k8s.io', URL);
    expect((await client.post(DEFINITIONS, body)).status).toBe(201);
    await clock.runUntilIdle();
    const { conditions } = (await client.get(`${DEFINITIONS}/${name}`)).json.status;
    const states = Object.fromEntries(conditions.map((condition: Doc) => [condition.type, condition.status]));
    expect(states).toEqual({
      NamesAccepted: 'True',
      Established: 'True',
      KubernetesAPIApprovalPolicyConformant: 'True',
    });

    const isServed = async (): Promise<void> => {
      expect((await client.get(`${BINDINGS}/mine`)).json.roleRef).toEqual(roleRef);
      expect((await client.post(BINDINGS, { metadata: { name: 'bad' }, roleRef: {} })).status).toBe(422);
      expect((await client.get('/apis/rbac.authorization.k8s.io/v1')).json).toEqual(discovered);
      expect(watch.end).toBe('open');
    };
    await isServed();
    expect((await client.patch(`${DEFINITIONS}/${name}`, { spec: { names: { shortNames: ['crb'] } } })).status).toBe(
      200,
    );
    await clock.runUntilIdle();
    await isServed();
    await client.delete(`${DEFINITIONS}/${name}`);
    await clock.runUntilIdle();
    expect((await client.get(`${DEFINITIONS}/${name}`)).status).toBe(404);
    await isServed();
    expect(watch.events.map((event) => event.type)).toEqual(['ADDED']);
  });

  it('adds no version and no resource to a group that is built in', async () => {
    await client.post(DEFINITIONS, definition('widgets', 'Widget', 'rbac.authorization.k8s.io', URL));
    await clock.runUntilIdle();
    expect((await client.get('/apis/rbac.authorization.k8s.io/v1/widgets')).status).toBe(404);
    expect((await client.delete(`${DEFINITIONS}/widgets.rbac.authorization.k8s.io`)).status).toBe(200);
    await clock.runUntilIdle();
    expect((await client.get(BINDINGS)).status).toBe(200);
  });
});
