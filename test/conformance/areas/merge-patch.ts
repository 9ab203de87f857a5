import { expect } from 'vitest';
import { type Api, PATCH } from '../api.js';
import { type Area, defineArea } from '../area.js';
import { deploymentBody, deployments } from '../bodies.js';
import { at, type Doc } from '../doc.js';
import { configMaps } from '../objects.js';
import { expectStatus } from '../status.js';

async function existing(api: Api): Promise<{ path: string; made: Doc }> {
  const collection = configMaps(await api.namespace());
  const made = await api.create(collection, {
    metadata: { name: 'one', labels: { x: 'y' } },
    data: { a: '1', b: '2' },
  });
  return { path: `${collection}/one`, made };
}

export const area: Area = defineArea('merge patch', (rule) => {
  rule('members are merged, and null removes', async (api) => {
    const { path } = await existing(api);
    const patched = await api.patch(path, 'merge', { data: { a: null, c: '3' }, metadata: { labels: { n: 'm' } } });
    expect(patched.data).toEqual({ b: '2', c: '3' });
    expect(patched.metadata.labels).toEqual({ x: 'y', n: 'm' });
    expect(await api.get(path)).toEqual(patched);
  });

  rule('null removes a whole object', async (api) => {
    const { path } = await existing(api);
    expect((await api.patch(path, 'merge', { metadata: { labels: null } })).metadata.labels).toBeUndefined();
  });

  rule('a list is replaced as a whole, also where a merge key is known', async (api) => {
    const path = deployments(await api.namespace());
    await api.create(path, deploymentBody('web'));
    const containers = [{ name: 'other', image: 'example.com/other:1' }];
    const patched = await api.patch(`${path}/web`, 'merge', { spec: { template: { spec: { containers } } } });
    expect(at(patched, 'spec.template.spec.containers.0.name')).toBe('other');
    expect(at(patched, 'spec.template.spec.containers.1')).toBeUndefined();
  });

  rule('an empty patch changes nothing', async (api) => {
    const { path, made } = await existing(api);
    expect(await api.patch(path, 'merge', {})).toEqual(made);
  });

  rule('a patch that changes nothing keeps the resourceVersion', async (api) => {
    const { path, made } = await existing(api);
    const patched = await api.patch(path, 'merge', { data: { a: '1', absent: null } });
    expect(patched.metadata.resourceVersion).toBe(made.metadata.resourceVersion);
  });

  rule('a patch of the spec raises the generation, one of a label does not', async (api) => {
    const path = deployments(await api.namespace());
    await api.create(path, deploymentBody('web'));
    expect((await api.patch(`${path}/web`, 'merge', { spec: { replicas: 3 } })).metadata.generation).toBe(2);
    expect((await api.patch(`${path}/web`, 'merge', { metadata: { labels: { a: 'b' } } })).metadata.generation).toBe(2);
  });

  rule('the current resourceVersion in the patch holds as a precondition', async (api) => {
    const { path, made } = await existing(api);
    const { resourceVersion } = made.metadata;
    expect((await api.patch(path, 'merge', { metadata: { resourceVersion }, data: { a: '5' } })).data['a']).toBe('5');
  });

  rule('an old resourceVersion in the patch is a Conflict', async (api) => {
    const { path } = await existing(api);
    expectStatus(await api.tryPatch(path, 'merge', { metadata: { resourceVersion: '1' }, data: { a: '5' } }), {
      code: 409,
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on configmaps "one": the object has been modified; please apply your changes to the latest version and try again',
      details: { name: 'one', kind: 'configmaps' },
    });
  });

  rule('without a resourceVersion patches at once all succeed', async (api) => {
    const { path } = await existing(api);
    const fields = Array.from({ length: 8 }, (_, n) => `field${n}`);
    await Promise.all(fields.map((field) => api.patch(path, 'merge', { data: { [field]: 'set' } })));
    expect(Object.keys((await api.get(path)).data)).toEqual(expect.arrayContaining(fields));
  });

  rule('another name is a BadRequest', async (api) => {
    const { path } = await existing(api);
    expectStatus(await api.tryPatch(path, 'merge', { metadata: { name: 'two' } }), {
      code: 400,
      reason: 'BadRequest',
      message: 'the name of the object (two) does not match the name on the URL (one)',
    });
  });

  rule('another namespace is a BadRequest', async (api) => {
    const { path } = await existing(api);
    expectStatus(await api.tryPatch(path, 'merge', { metadata: { namespace: 'elsewhere' } }), {
      code: 400,
      reason: 'BadRequest',
      message: 'the namespace of the provided object does not match the namespace sent on the request',
    });
  });

  rule('another uid is Invalid: it cannot change', async (api) => {
    const { path } = await existing(api);
    expectStatus(await api.tryPatch(path, 'merge', { metadata: { uid: 'another' } }), {
      code: 422,
      reason: 'Invalid',
      message: 'ConfigMap "one" is invalid: metadata.uid: Invalid value: "another": field is immutable',
      details: { name: 'one', kind: 'ConfigMap' },
      causes: [
        { reason: 'FieldValueInvalid', field: 'metadata.uid', message: 'Invalid value: "another": field is immutable' },
      ],
    });
  });

  rule('an object that does not exist is NotFound', async (api) => {
    const path = `${configMaps(await api.namespace())}/absent`;
    expectStatus(await api.tryPatch(path, 'merge', { data: { a: '1' } }), {
      code: 404,
      reason: 'NotFound',
      message: 'configmaps "absent" not found',
      details: { name: 'absent', kind: 'configmaps' },
    });
  });

  rule('a value of the wrong type is Invalid with the cause at "patch"', async (api) => {
    const { path } = await existing(api);
    expectStatus(await api.tryPatch(path, 'merge', { data: { a: 5 } }), {
      code: 422,
      reason: 'Invalid',
      message: /^ "" is invalid: patch: Invalid value: /,
      causes: [{ reason: 'FieldValueInvalid', field: 'patch' }],
    });
  });

  for (const [what, rawBody] of [
    ['malformed JSON', '{'],
    ['an empty body', ''],
    ['a list', '[]'],
    ['a string', '"x"'],
  ] as const) {
    rule(`${what} is a BadRequest`, async (api) => {
      const { path } = await existing(api);
      const answer = await api.request('PATCH', path, { rawBody, headers: { 'content-type': PATCH.merge } });
      expectStatus(answer, { code: 400, reason: 'BadRequest', message: /^error decoding patch: / });
    });
  }

  rule('dryRun=All answers with the result and keeps the object', async (api) => {
    const { path, made } = await existing(api);
    const answer = await api.patch(path, 'merge', { data: { a: 'dry' } }, { dryRun: 'All' });
    expect(answer.data['a']).toBe('dry');
    expect(await api.get(path)).toEqual(made);
  });

  rule('an unknown dryRun is Invalid and names PatchOptions', async (api) => {
    const { path } = await existing(api);
    expectStatus(await api.tryPatch(path, 'merge', {}, { query: { dryRun: 'Some' } }), {
      code: 422,
      reason: 'Invalid',
      message: 'PatchOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"',
      details: { group: 'meta.k8s.io', kind: 'PatchOptions' },
    });
  });

  rule('force is only for apply', async (api) => {
    const { path } = await existing(api);
    expectStatus(await api.tryPatch(path, 'merge', {}, { query: { force: true } }), {
      code: 422,
      reason: 'Invalid',
      message: 'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
      causes: [{ reason: 'FieldValueForbidden', field: 'force' }],
    });
  });

  for (const type of ['application/json', 'text/plain']) {
    rule(`a patch as ${type} is an UnsupportedMediaType`, async (api) => {
      const { path } = await existing(api);
      const answer = await api.request('PATCH', path, { body: {}, headers: { 'content-type': type } });
      expectStatus(answer, { code: 415, reason: 'UnsupportedMediaType' });
    });
  }

  rule('a collection cannot be patched', async (api) => {
    expectStatus(await api.tryPatch(configMaps(await api.namespace()), 'merge', {}), {
      code: 405,
      reason: 'MethodNotAllowed',
      message: 'the server does not allow this method on the requested resource',
    });
  });

  rule(
    'removing the last finalizer of a deleted object removes the object, and answers with its last state',
    async (api) => {
      const { path } = await existing(api);
      await api.patch(path, 'merge', { metadata: { finalizers: ['example.com/hold'] } });
      await api.delete(path);
      const last = await api.patch(path, 'merge', { metadata: { finalizers: null } });
      expect(last.metadata.name).toBe('one');
      expect(last.metadata.deletionTimestamp).toBeDefined();
      expect((await api.request('GET', path)).status).toBe(404);
    },
  );
});
