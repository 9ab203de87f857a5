import { expect } from 'vitest';
import { apply, configMap, containers, deployment, entry, tryApply } from '../applying.js';
import { type Area, defineArea } from '../area.js';
import { at, type Doc } from '../doc.js';
import { configMaps } from '../objects.js';
import { expectStatus } from '../status.js';

export const area: Area = defineArea('server-side apply of structures', (rule) => {
  rule('lists with keys are merged item by item', async (api) => {
    const path = `/apis/apps/v1/namespaces/${await api.namespace()}/deployments/a`;
    await apply(api, path, 'one', deployment([{ name: 'main', image: 'm:1' }]));
    const now = await apply(api, path, 'two', deployment([{ name: 'side', image: 's:1' }]));
    expect(containers(now).map(({ name, image }) => `${name} ${image}`)).toEqual(['main m:1', 'side s:1']);
  });

  rule('the fields of an item with a key are owned under its key', async (api) => {
    const path = `/apis/apps/v1/namespaces/${await api.namespace()}/deployments/a`;
    const made = await apply(api, path, 'one', deployment([{ name: 'main', image: 'm:1' }]));
    expect(at(entry(made, 'one'), 'fieldsV1.f:spec.f:template.f:spec.f:containers')).toEqual({
      'k:{"name":"main"}': { '.': {}, 'f:name': {}, 'f:image': {} },
    });
  });

  rule('a conflict inside an item names its key', async (api) => {
    const path = `/apis/apps/v1/namespaces/${await api.namespace()}/deployments/a`;
    await apply(api, path, 'one', deployment([{ name: 'main', image: 'm:1' }]));
    expectStatus(await tryApply(api, path, 'two', deployment([{ name: 'main', image: 'm:2' }])), {
      code: 409,
      reason: 'Conflict',
      causes: [{ field: '.spec.template.spec.containers[name="main"].image', message: 'conflict with "one"' }],
    });
  });

  rule('an item that its only owner no longer applies is removed', async (api) => {
    const path = `/apis/apps/v1/namespaces/${await api.namespace()}/deployments/a`;
    const both = [
      { name: 'main', image: 'm:1' },
      { name: 'side', image: 's:1' },
    ];
    await apply(api, path, 'one', deployment(both));
    const now = await apply(api, path, 'one', deployment(both.slice(0, 1)));
    expect(containers(now).map(({ name }) => name)).toEqual(['main']);
  });

  rule('another owner adds a field to an item, and takes it away again', async (api) => {
    const path = `/apis/apps/v1/namespaces/${await api.namespace()}/deployments/a`;
    await apply(api, path, 'one', deployment([{ name: 'main', image: 'm:1' }]));
    const added = await apply(api, path, 'two', deployment([{ name: 'main', workingDir: '/srv' }]));
    expect(containers(added)[0]).toMatchObject({ name: 'main', image: 'm:1', workingDir: '/srv' });
    const { spec: _, ...nothing } = deployment([]) as Doc;
    const removed = await apply(api, path, 'two', nothing);
    expect(containers(removed)[0]).toMatchObject({ name: 'main', image: 'm:1' });
    expect(containers(removed)[0]).not.toHaveProperty('workingDir');
  });

  rule('an item is known by all its keys', async (api) => {
    const path = `/apis/apps/v1/namespaces/${await api.namespace()}/deployments/a`;
    const ports = [
      { containerPort: 53, protocol: 'TCP' },
      { containerPort: 53, protocol: 'UDP' },
    ];
    const made = await apply(api, path, 'one', deployment([{ name: 'main', image: 'm:1', ports }]));
    expect(containers(made)[0]?.['ports']).toEqual(ports);
    const now = await apply(api, path, 'one', deployment([{ name: 'main', image: 'm:1', ports: ports.slice(1) }]));
    expect(containers(now)[0]?.['ports']).toEqual(ports.slice(1));
  });

  rule('a key may come from a default', async (api) => {
    const path = `/apis/apps/v1/namespaces/${await api.namespace()}/deployments/a`;
    const made = await apply(
      api,
      path,
      'one',
      deployment([{ name: 'main', image: 'm:1', ports: [{ containerPort: 80 }] }]),
    );
    const fields = at(entry(made, 'one'), 'fieldsV1.f:spec.f:template.f:spec.f:containers') as Record<string, object>;
    expect(at(fields['k:{"name":"main"}'], 'f:ports')).toHaveProperty(['k:{"containerPort":80,"protocol":"TCP"}']);
  });

  rule('two items with the same key are refused', async (api) => {
    const path = `/apis/apps/v1/namespaces/${await api.namespace()}/deployments/a`;
    const twice = [
      { name: 'main', image: 'm:1' },
      { name: 'main', image: 'm:2' },
    ];
    expectStatus(await tryApply(api, path, 'one', deployment(twice)), {
      code: 500,
      reason: undefined,
      message: /\.spec\.template\.spec\.containers: duplicate entries for key \[name="main"\]$/,
    });
  });

  rule('sets are merged value by value', async (api) => {
    const path = `${configMaps(await api.namespace())}/a`;
    await apply(api, path, 'one', configMap({ x: '1' }, { finalizers: ['example.com/one'] }));
    const both = await apply(api, path, 'two', configMap({ y: '1' }, { finalizers: ['example.com/two'] }));
    expect(both.metadata.finalizers).toEqual(['example.com/one', 'example.com/two']);
    expect(at(entry(both, 'two'), 'fieldsV1.f:metadata')).toEqual({ 'f:finalizers': { 'v:"example.com/two"': {} } });
    const { metadata } = await apply(api, path, 'one', configMap({ x: '1' }));
    expect(metadata.finalizers).toEqual(['example.com/two']);
    await api.patch(path, 'merge', { metadata: { finalizers: null } });
  });

  rule('an atomic list belongs to one owner as a whole', async (api) => {
    const path = `/apis/apps/v1/namespaces/${await api.namespace()}/deployments/a`;
    const made = await apply(api, path, 'one', deployment([{ name: 'main', image: 'm:1', args: ['a', 'b'] }]));
    const fields = at(entry(made, 'one'), 'fieldsV1.f:spec.f:template.f:spec.f:containers') as Record<string, object>;
    expect(at(fields['k:{"name":"main"}'], 'f:args')).toEqual({});
    expectStatus(await tryApply(api, path, 'two', deployment([{ name: 'main', args: ['c'] }])), {
      code: 409,
      reason: 'Conflict',
      causes: [{ field: '.spec.template.spec.containers[name="main"].args' }],
    });
    const now = await apply(api, path, 'two', deployment([{ name: 'main', args: ['c'] }]), { force: true });
    expect(containers(now)[0]?.['args']).toEqual(['c']);
  });

  rule('an atomic map is owned as a whole', async (api) => {
    const path = `/apis/apps/v1/namespaces/${await api.namespace()}/deployments/a`;
    const made = await apply(api, path, 'one', deployment([{ name: 'main', image: 'm:1' }]));
    expect(at(entry(made, 'one'), 'fieldsV1.f:spec.f:selector')).toEqual({});
  });

  rule('defaults have no owner', async (api) => {
    const path = `/apis/apps/v1/namespaces/${await api.namespace()}/deployments/a`;
    const made = await apply(api, path, 'one', deployment([{ name: 'main', image: 'm:1' }]));
    expect(at(made, 'spec.replicas')).toBe(1);
    expect(at(entry(made, 'one'), 'fieldsV1.f:spec')).not.toHaveProperty('f:replicas');
    const now = await apply(api, path, 'two', deployment([{ name: 'main' }], { replicas: 3 }));
    expect(at(now, 'spec.replicas')).toBe(3);
  });

  rule('a field that its owner no longer applies returns to its default', async (api) => {
    const path = `/apis/apps/v1/namespaces/${await api.namespace()}/deployments/a`;
    await apply(api, path, 'one', deployment([{ name: 'main', image: 'm:1' }], { replicas: 3 }));
    const now = await apply(api, path, 'one', deployment([{ name: 'main', image: 'm:1' }]));
    expect(at(now, 'spec.replicas')).toBe(1);
  });

  rule('a change by apply raises the generation, an apply of the same does not', async (api) => {
    const path = `/apis/apps/v1/namespaces/${await api.namespace()}/deployments/a`;
    const body = deployment([{ name: 'main', image: 'm:1' }]);
    expect((await apply(api, path, 'one', body)).metadata.generation).toBe(1);
    expect((await apply(api, path, 'one', body)).metadata.generation).toBe(1);
    const other = deployment([{ name: 'main', image: 'm:2' }]);
    expect((await apply(api, path, 'one', other)).metadata.generation).toBe(2);
  });
});
