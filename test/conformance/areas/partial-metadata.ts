import { expect } from 'vitest';
import type { Api } from '../api.js';
import { type Area, defineArea } from '../area.js';
import { configMaps } from '../objects.js';
import { expectStatus } from '../status.js';

const ONE = { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' };
const LIST = { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' };

async function existing(api: Api): Promise<string> {
  const path = configMaps(await api.namespace());
  await api.create(path, { metadata: { name: 'one', labels: { a: 'b' } }, data: { a: 'b' } });
  return path;
}

export const area: Area = defineArea('partial metadata', (rule) => {
  rule('an object can be had as its metadata alone', async (api) => {
    const path = await existing(api);
    const { metadata } = await api.get(`${path}/one`);
    expect((await api.request('GET', `${path}/one`, { headers: ONE })).json).toEqual({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata,
    });
  });

  rule('a list can be had as metadata alone; its items carry kind and apiVersion', async (api) => {
    const path = await existing(api);
    const { json } = await api.request('GET', path, { headers: LIST, query: { labelSelector: 'a=b' } });
    expect(json).toMatchObject({ kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' });
    expect(json.metadata.resourceVersion).toMatch(/^\d+$/);
    expect(json.items).toEqual([
      {
        kind: 'PartialObjectMetadata',
        apiVersion: 'meta.k8s.io/v1',
        metadata: (await api.get(`${path}/one`)).metadata,
      },
    ]);
  });

  rule('a watch can be had as metadata alone', async (api) => {
    const path = await existing(api);
    const watch = await api.watch(path, { resourceVersion: '0', labelSelector: 'a=b' }, { headers: ONE });
    expect(await watch.expectNext()).toEqual({
      type: 'ADDED',
      object: {
        kind: 'PartialObjectMetadata',
        apiVersion: 'meta.k8s.io/v1',
        metadata: (await api.get(`${path}/one`)).metadata,
      },
    });
  });

  rule('create, update and patch can be answered with the metadata alone', async (api) => {
    const path = await existing(api);
    const made = await api.request('POST', path, {
      body: { metadata: { name: 'two' }, data: { a: 'b' } },
      headers: ONE,
    });
    expect([made.status, made.json.kind, made.json.data]).toEqual([201, 'PartialObjectMetadata', undefined]);
    const updated = await api.request('PUT', `${path}/two`, { body: { metadata: { name: 'two' } }, headers: ONE });
    expect([updated.status, updated.json.kind]).toEqual([200, 'PartialObjectMetadata']);
    const patched = await api.tryPatch(`${path}/two`, 'merge', { data: { c: 'd' } }, { headers: ONE });
    expect([patched.status, patched.json.kind]).toEqual([200, 'PartialObjectMetadata']);
    expect((await api.get(`${path}/two`)).data).toEqual({ c: 'd' });
  });

  rule('a Status stays a Status', async (api) => {
    const path = await existing(api);
    expectStatus(await api.request('GET', `${path}/absent`, { headers: ONE }), { code: 404, reason: 'NotFound' });
    const deleted = await api.request('DELETE', `${path}/one`, { headers: ONE });
    expect(deleted.json).toMatchObject({ kind: 'Status', status: 'Success' });
  });

  rule('the form for one object on a list is NotAcceptable, and the other way round', async (api) => {
    const path = await existing(api);
    expectStatus(await api.request('GET', path, { headers: ONE }), {
      code: 406,
      reason: 'NotAcceptable',
      message: /^you requested PartialObjectMetadata, but the requested object is a list/,
    });
    expectStatus(await api.request('GET', `${path}/one`, { headers: LIST }), {
      code: 406,
      reason: 'NotAcceptable',
      message: /^you requested PartialObjectMetadataList, but the requested object is not a list/,
    });
  });

  rule('a watch as lists is accepted, and ends with its first event', async (api) => {
    const path = await existing(api);
    const query = { watch: true, resourceVersion: 0, timeoutSeconds: 5 };
    const answer = await api.request('GET', path, { headers: LIST, query });
    expect([answer.status, answer.text]).toEqual([200, '']);
  });
});
