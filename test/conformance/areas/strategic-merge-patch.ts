import { expect } from 'vitest';
import { type Api, PATCH } from '../api.js';
import { type Area, defineArea } from '../area.js';
import { deploymentBody, deployments } from '../bodies.js';
import { at, type Doc } from '../doc.js';
import { configMaps } from '../objects.js';
import { expectStatus } from '../status.js';

async function existing(api: Api): Promise<string> {
  const path = deployments(await api.namespace());
  const spec = {
    volumes: [{ name: 'scratch', emptyDir: {} }],
    nodeSelector: { disk: 'ssd' },
    tolerations: [{ key: 'old', operator: 'Exists' }],
    containers: [
      {
        name: 'first',
        image: 'example.com/first:1',
        args: ['x', 'y'],
        env: [
          { name: 'A', value: '1' },
          { name: 'B', value: '2' },
        ],
        ports: [{ containerPort: 80, protocol: 'TCP' }],
      },
      { name: 'second', image: 'example.com/second:1' },
    ],
  };
  await api.create(path, deploymentBody('web', { template: { metadata: { labels: { app: 'web' } }, spec } }));
  return `${path}/web`;
}

/** A patch of the pod template's spec, and the spec after it. */
async function patchPodSpec(api: Api, spec: object): Promise<Doc['spec']> {
  const patched = await api.patch(await existing(api), 'strategic', { spec: { template: { spec } } });
  return at(patched, 'spec.template.spec') as Doc['spec'];
}

export const area: Area = defineArea('strategic merge patch', (rule) => {
  rule('maps are merged, and null removes', async (api) => {
    const spec = await patchPodSpec(api, { nodeSelector: { zone: 'a', disk: null } });
    expect(spec['nodeSelector']).toEqual({ zone: 'a' });
  });

  rule('a list with a merge key is merged by it', async (api) => {
    const spec = await patchPodSpec(api, { containers: [{ name: 'second', image: 'example.com/second:2' }] });
    expect(spec['containers']).toMatchObject([
      { name: 'first', image: 'example.com/first:1' },
      { name: 'second', image: 'example.com/second:2' },
    ]);
  });

  rule('an item with a new key is put before those that were there', async (api) => {
    const spec = await patchPodSpec(api, { containers: [{ name: 'third', image: 'example.com/third:1' }] });
    expect(spec['containers']).toMatchObject([{ name: 'third' }, { name: 'first' }, { name: 'second' }]);
  });

  rule('lists inside merged items are merged by their own keys', async (api) => {
    const env = [
      { name: 'B', value: 'new' },
      { name: 'C', value: '3' },
    ];
    const spec = await patchPodSpec(api, { containers: [{ name: 'first', env }] });
    expect(at(spec, 'containers.0.env')).toEqual(
      expect.arrayContaining([
        { name: 'A', value: '1' },
        { name: 'B', value: 'new' },
        { name: 'C', value: '3' },
      ]),
    );
  });

  rule('the merge key is that of the field: ports are merged by containerPort', async (api) => {
    const spec = await patchPodSpec(api, {
      containers: [{ name: 'first', ports: [{ containerPort: 81, protocol: 'TCP' }] }],
    });
    expect(at(spec, 'containers.0.ports')).toEqual([
      { containerPort: 81, protocol: 'TCP' },
      { containerPort: 80, protocol: 'TCP' },
    ]);
  });

  rule('a list without a merge key is replaced', async (api) => {
    const spec = await patchPodSpec(api, {
      tolerations: [{ key: 'new', operator: 'Exists' }],
      containers: [{ name: 'first', args: ['only'] }],
    });
    expect(spec['tolerations']).toEqual([{ key: 'new', operator: 'Exists' }]);
    expect(at(spec, 'containers.0.args')).toEqual(['only']);
  });

  rule('$patch: delete removes the item with that key', async (api) => {
    const spec = await patchPodSpec(api, { containers: [{ name: 'second', $patch: 'delete' }] });
    expect(spec['containers']).toMatchObject([{ name: 'first' }]);
    expect(at(spec, 'containers.1')).toBeUndefined();
  });

  rule('$patch: delete of a key that is not there changes nothing', async (api) => {
    const spec = await patchPodSpec(api, { containers: [{ name: 'absent', $patch: 'delete' }] });
    expect(spec['containers']).toMatchObject([{ name: 'first' }, { name: 'second' }]);
  });

  rule('$patch: delete works inside merged items too', async (api) => {
    const spec = await patchPodSpec(api, { containers: [{ name: 'first', env: [{ name: 'A', $patch: 'delete' }] }] });
    expect(at(spec, 'containers.0.env')).toEqual([{ name: 'B', value: '2' }]);
  });

  rule('$patch: delete of a map removes it', async (api) => {
    expect((await patchPodSpec(api, { nodeSelector: { $patch: 'delete' } }))['nodeSelector']).toBeUndefined();
  });

  rule('$patch: replace puts the rest of a map in place of what was there', async (api) => {
    const spec = await patchPodSpec(api, { nodeSelector: { $patch: 'replace', only: 'this' } });
    expect(spec['nodeSelector']).toEqual({ only: 'this' });
  });

  rule('$patch: replace as an item puts the other items in place of the list', async (api) => {
    const containers = [{ $patch: 'replace' }, { name: 'fresh', image: 'example.com/fresh:1' }];
    const spec = await patchPodSpec(api, { containers });
    expect(spec['containers']).toMatchObject([{ name: 'fresh' }]);
    expect(at(spec, 'containers.1')).toBeUndefined();
  });

  rule('$setElementOrder orders a list of items', async (api) => {
    const spec = await patchPodSpec(api, {
      '$setElementOrder/containers': [{ name: 'second' }, { name: 'first' }],
      containers: [{ name: 'first', image: 'example.com/first:2' }],
    });
    expect(spec['containers']).toMatchObject([{ name: 'second' }, { name: 'first', image: 'example.com/first:2' }]);
  });

  rule('$setElementOrder places a new item', async (api) => {
    const spec = await patchPodSpec(api, {
      '$setElementOrder/containers': [{ name: 'first' }, { name: 'between' }, { name: 'second' }],
      containers: [{ name: 'between', image: 'example.com/between:1' }],
    });
    expect(spec['containers']).toMatchObject([{ name: 'first' }, { name: 'between' }, { name: 'second' }]);
  });

  rule('$retainKeys drops the members of a map that it does not name', async (api) => {
    const path = await existing(api);
    const patched = await api.patch(path, 'strategic', {
      spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } },
    });
    expect(at(patched, 'spec.strategy')).toEqual({ type: 'Recreate' });
  });

  rule('$retainKeys changes which kind of volume an item is', async (api) => {
    const spec = await patchPodSpec(api, {
      volumes: [{ name: 'scratch', $retainKeys: ['name', 'configMap'], configMap: { name: 'settings' } }],
    });
    expect(at(spec, 'volumes.0')).toMatchObject({ name: 'scratch', configMap: { name: 'settings' } });
    expect(at(spec, 'volumes.0.emptyDir')).toBeUndefined();
  });

  rule('a list of plain values marked for merging is merged as a set', async (api) => {
    const path = await existing(api);
    await api.patch(path, 'strategic', { metadata: { finalizers: ['example.com/a', 'example.com/b'] } });
    const patched = await api.patch(path, 'strategic', {
      metadata: { finalizers: ['example.com/c', 'example.com/a'] },
    });
    expect([...(patched.metadata.finalizers ?? [])].sort()).toEqual([
      'example.com/a',
      'example.com/b',
      'example.com/c',
    ]);
    await api.patch(path, 'merge', { metadata: { finalizers: null } });
  });

  rule('$deleteFromPrimitiveList removes plain values', async (api) => {
    const path = await existing(api);
    await api.patch(path, 'strategic', { metadata: { finalizers: ['example.com/a', 'example.com/b'] } });
    const patched = await api.patch(path, 'strategic', {
      metadata: { '$deleteFromPrimitiveList/finalizers': ['example.com/a'] },
    });
    expect(patched.metadata.finalizers).toEqual(['example.com/b']);
    await api.patch(path, 'merge', { metadata: { finalizers: null } });
  });

  rule('a label is set without touching others', async (api) => {
    const path = await existing(api);
    await api.patch(path, 'strategic', { metadata: { labels: { one: '1' } } });
    const patched = await api.patch(path, 'strategic', { metadata: { labels: { two: '2' } } });
    expect(patched.metadata.labels).toEqual({ one: '1', two: '2' });
  });

  rule('an item without its merge key is refused', async (api) => {
    const patch = { spec: { template: { spec: { containers: [{ image: 'example.com/nameless:1' }] } } } };
    expectStatus(await api.tryPatch(await existing(api), 'strategic', patch), {
      code: 500,
      reason: undefined,
      message: /does not contain declared merge key: name$/,
    });
  });

  rule('an unknown directive is refused', async (api) => {
    expectStatus(await api.tryPatch(await existing(api), 'strategic', { spec: { $patch: 'frob' } }), {
      code: 500,
      reason: undefined,
      message: /^unknown patch type: frob in map: /,
    });
  });

  rule('a value of the wrong type is Invalid with the cause at "patch"', async (api) => {
    expectStatus(await api.tryPatch(await existing(api), 'strategic', { spec: { replicas: 'many' } }), {
      code: 422,
      reason: 'Invalid',
      message: /^ "" is invalid: patch: Invalid value: /,
      causes: [{ reason: 'FieldValueInvalid', field: 'patch' }],
    });
  });

  for (const [what, rawBody] of [
    ['malformed JSON', '{'],
    ['a list', '[]'],
  ] as const) {
    rule(`${what} is a BadRequest`, async (api) => {
      const path = await existing(api);
      const answer = await api.request('PATCH', path, { rawBody, headers: { 'content-type': PATCH.strategic } });
      expectStatus(answer, { code: 400, reason: 'BadRequest' });
    });
  }

  rule('an old resourceVersion in the patch is a Conflict', async (api) => {
    const patch = { metadata: { resourceVersion: '1' }, spec: { replicas: 2 } };
    expectStatus(await api.tryPatch(await existing(api), 'strategic', patch), {
      code: 409,
      reason: 'Conflict',
      details: { name: 'web', group: 'apps', kind: 'deployments' },
    });
  });

  rule('a kind without merge keys takes it like a merge patch', async (api) => {
    const path = configMaps(await api.namespace());
    await api.create(path, { metadata: { name: 'one' }, data: { a: '1', b: '2' } });
    expect((await api.patch(`${path}/one`, 'strategic', { data: { a: null, c: '3' } })).data).toEqual({
      b: '2',
      c: '3',
    });
  });
});
