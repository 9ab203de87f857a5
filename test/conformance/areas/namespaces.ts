import { expect } from 'vitest';
import type { Api } from '../api.js';
import { type Area, defineArea } from '../area.js';
import { addConfigMaps, configMaps, names } from '../objects.js';
import { expectStatus } from '../status.js';

const NAMESPACES = '/api/v1/namespaces';
const HOLD = 'example.com/hold';

/**
 * Makes a namespace with a finalizer of the case, so that no controller can finish its deletion: the rules then hold
 * on a server without controllers and on a whole cluster.
 */
async function held(api: Api): Promise<string> {
  const name = api.unique('conformance');
  await api.create(NAMESPACES, { metadata: { name }, spec: { finalizers: [HOLD] } });
  return name;
}

/** Removes all finalizers of the spec, as controllers do when a namespace is empty. */
function finalize(api: Api, name: string): Promise<unknown> {
  return api.update(`${NAMESPACES}/${name}/finalize`, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
}

export const area: Area = defineArea('namespaces', (rule) => {
  rule('a new namespace is Active, with the finalizer kubernetes and its name as a label', async (api) => {
    const name = await api.namespace();
    const made = await api.get(`${NAMESPACES}/${name}`);
    expect(made).toMatchObject({ spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } });
    expect(made.metadata.labels).toEqual({ 'kubernetes.io/metadata.name': name });
    expect(made.metadata).not.toHaveProperty('namespace');
  });

  rule('finalizers given at creation stay beside kubernetes', async (api) => {
    const name = await held(api);
    expect((await api.get(`${NAMESPACES}/${name}`)).spec).toEqual({ finalizers: [HOLD, 'kubernetes'] });
    await api.delete(`${NAMESPACES}/${name}`);
    await finalize(api, name);
  });

  rule('the label with the name cannot be taken away or changed', async (api) => {
    const name = await api.namespace();
    for (const value of [null, 'other']) {
      const patch = { metadata: { labels: { 'kubernetes.io/metadata.name': value, mine: 'too' } } };
      const { metadata } = await api.patch(`${NAMESPACES}/${name}`, 'merge', patch);
      expect(metadata.labels).toEqual({ 'kubernetes.io/metadata.name': name, mine: 'too' });
    }
  });

  rule('a plain write changes neither the finalizers of the spec nor the status', async (api) => {
    const name = await api.namespace();
    const patch = { spec: { finalizers: [] }, status: { phase: 'Terminating' } };
    expect(await api.patch(`${NAMESPACES}/${name}`, 'merge', patch)).toMatchObject({
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
  });

  rule('a name must be a DNS label, without dots', async (api) => {
    expectStatus(await api.request('POST', NAMESPACES, { body: { metadata: { name: 'a.b' } } }), {
      code: 422,
      reason: 'Invalid',
      causes: [{ field: 'metadata.name', message: /must not contain dots/ }],
    });
  });

  rule('namespaces have no collection to delete', async (api) => {
    expectStatus(await api.request('DELETE', NAMESPACES), { code: 405, reason: 'MethodNotAllowed' });
  });

  for (const name of ['default', 'kube-system', 'kube-public']) {
    rule(`the namespace ${name} exists and may not be deleted`, async (api) => {
      expect((await api.get(`${NAMESPACES}/${name}`)).status).toEqual({ phase: 'Active' });
      expectStatus(await api.request('DELETE', `${NAMESPACES}/${name}`), {
        code: 403,
        reason: 'Forbidden',
        message: `namespaces "${name}" is forbidden: this namespace may not be deleted`,
        details: { name, kind: 'namespaces' },
      });
    });
  }

  rule('a deleted namespace is Terminating as long as it has finalizers', async (api) => {
    const name = await held(api);
    const marked = await api.delete(`${NAMESPACES}/${name}`);
    expect(marked).toMatchObject({ kind: 'Namespace', status: { phase: 'Terminating' } });
    expect(marked.metadata.deletionTimestamp).toMatch(/Z$/);
    expect(marked.spec['finalizers']).toContain(HOLD);
    expect((await api.get(`${NAMESPACES}/${name}`)).status).toMatchObject({ phase: 'Terminating' });
    await finalize(api, name);
  });

  rule('deleting a Terminating namespace again keeps its deletionTimestamp', async (api) => {
    const name = await held(api);
    const first = await api.delete(`${NAMESPACES}/${name}`);
    const second = await api.delete(`${NAMESPACES}/${name}`);
    expect(second.metadata.deletionTimestamp).toBe(first.metadata.deletionTimestamp);
    await finalize(api, name);
  });

  rule('nothing is created in a Terminating namespace: Forbidden, with the cause', async (api) => {
    const name = await held(api);
    await api.delete(`${NAMESPACES}/${name}`);
    expectStatus(await api.request('POST', configMaps(name), { body: { metadata: { name: 'a' } } }), {
      code: 403,
      reason: 'Forbidden',
      message: `configmaps "a" is forbidden: unable to create new content in namespace ${name} because it is being terminated`,
      details: { name: 'a', kind: 'configmaps' },
      causes: [
        {
          reason: 'NamespaceTerminating',
          message: `namespace ${name} is being terminated`,
          field: 'metadata.namespace',
        },
      ],
    });
    await finalize(api, name);
  });

  rule('what is in a Terminating namespace can still be changed', async (api) => {
    const name = await held(api);
    const path = configMaps(name);
    await api.create(path, { metadata: { name: 'a', finalizers: [HOLD] } });
    await api.delete(`${NAMESPACES}/${name}`);
    expect((await api.patch(`${path}/a`, 'merge', { data: { v: '1' } })).data).toEqual({ v: '1' });
    await api.patch(`${path}/a`, 'merge', { metadata: { finalizers: null } });
    await finalize(api, name);
  });

  rule('the finalize subresource sets the finalizers of a live namespace', async (api) => {
    const name = await api.namespace();
    const now = await api.update(`${NAMESPACES}/${name}/finalize`, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name },
      spec: { finalizers: ['kubernetes', HOLD] },
    });
    expect(now.spec).toEqual({ finalizers: ['kubernetes', HOLD] });
    expect(now.status).toEqual({ phase: 'Active' });
    await finalize(api, name);
  });

  rule('a Terminating namespace is gone when its last finalizer is', async (api) => {
    const name = await held(api);
    await api.delete(`${NAMESPACES}/${name}`);
    await finalize(api, name);
    expectStatus(await api.request('GET', `${NAMESPACES}/${name}`), { code: 404, reason: 'NotFound' });
  });

  rule('finalizers of the metadata hold a namespace as well', async (api) => {
    const name = api.unique('conformance');
    const path = `${NAMESPACES}/${name}`;
    await api.create(NAMESPACES, { metadata: { name, finalizers: [HOLD] } });
    const marked = await api.delete(path);
    await api.update(`${path}/finalize`, { ...marked, spec: {} });
    expect((await api.get(path)).spec).toEqual({});
    await api.patch(path, 'merge', { metadata: { finalizers: null } });
    expectStatus(await api.request('GET', path), { code: 404, reason: 'NotFound' });
  });

  rule('a watch sees a namespace MODIFIED into Terminating, then DELETED', async (api) => {
    const name = await held(api);
    const { metadata } = await api.get(`${NAMESPACES}/${name}`);
    const stream = await api.watch(NAMESPACES, {
      resourceVersion: metadata.resourceVersion,
      fieldSelector: `metadata.name=${name}`,
    });
    await api.delete(`${NAMESPACES}/${name}`);
    const ending = await stream.expectNext();
    expect(ending).toMatchObject({ type: 'MODIFIED', object: { status: { phase: 'Terminating' } } });
    await finalize(api, name);
    expect((await stream.until(({ type }) => type === 'DELETED')).at(-1)?.object.metadata.name).toBe(name);
  });

  rule('namespaces are selected by status.phase', async (api) => {
    const [living, ending] = [await api.namespace(), await held(api)];
    await api.delete(`${NAMESPACES}/${ending}`);
    const found = names(await api.get(NAMESPACES, { fieldSelector: 'status.phase=Terminating' }));
    expect(found).toContain(ending);
    expect(found).not.toContain(living);
    await finalize(api, ending);
  });

  rule('nothing is created in a namespace that does not exist: NotFound', async (api) => {
    const name = api.unique('nowhere');
    expectStatus(await api.request('POST', configMaps(name), { body: { metadata: { name: 'a' } } }), {
      code: 404,
      reason: 'NotFound',
      message: `namespaces "${name}" not found`,
      details: { name, kind: 'namespaces' },
    });
  });

  rule('a namespace can be used as soon as its creation is answered', async (api) => {
    const name = await api.namespace();
    expect((await addConfigMaps(api, configMaps(name), ['a'])).metadata.namespace).toBe(name);
  });

  rule('a namespace in the body that differs from that of the path is a BadRequest', async (api) => {
    const name = await api.namespace();
    expectStatus(
      await api.request('POST', configMaps(name), { body: { metadata: { name: 'a', namespace: 'other' } } }),
      {
        code: 400,
        reason: 'BadRequest',
        message: 'the namespace of the provided object does not match the namespace sent on the request',
      },
    );
  });
});
