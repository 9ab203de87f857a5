import { expect } from 'vitest';
import type { Api } from '../api.js';
import { type Area, defineArea } from '../area.js';
import { addConfigMaps, configMaps, names } from '../objects.js';
import { expectStatus } from '../status.js';

async function existing(api: Api): Promise<string> {
  const path = configMaps(await api.namespace());
  await addConfigMaps(api, path, ['a', 'b'], { group: '1' });
  await addConfigMaps(api, path, ['c'], { group: '2' });
  return path;
}

export const area: Area = defineArea('delete collection', (rule) => {
  rule('everything is deleted, and answered as the list of what was there', async (api) => {
    const path = await existing(api);
    const answer = await api.delete(path);
    expect(answer).toMatchObject({ kind: 'ConfigMapList', apiVersion: 'v1' });
    expect(names(answer).filter((name) => name.length === 1)).toEqual(['a', 'b', 'c']);
    expect(names(await api.get(path)).filter((name) => name.length === 1)).toEqual([]);
  });

  rule('a label selector narrows it', async (api) => {
    const path = await existing(api);
    expect(names(await api.delete(path, undefined, { labelSelector: 'group=1' }))).toEqual(['a', 'b']);
    expect(names(await api.get(path, { labelSelector: 'group' }))).toEqual(['c']);
  });

  rule('a field selector narrows it', async (api) => {
    const path = await existing(api);
    expect(names(await api.delete(path, undefined, { fieldSelector: 'metadata.name=b' }))).toEqual(['b']);
    expect(names(await api.get(path, { labelSelector: 'group' }))).toEqual(['a', 'c']);
  });

  rule('a selector that fits nothing answers with an empty list', async (api) => {
    const path = await existing(api);
    expect((await api.delete(path, undefined, { labelSelector: 'group=none' })).items).toEqual([]);
    expect(names(await api.get(path, { labelSelector: 'group' }))).toEqual(['a', 'b', 'c']);
  });

  rule('other namespaces are not touched', async (api) => {
    const [here, there] = await Promise.all([existing(api), existing(api)]);
    await api.delete(here);
    expect(names(await api.get(there, { labelSelector: 'group' }))).toEqual(['a', 'b', 'c']);
  });

  rule('dryRun=All keeps everything', async (api) => {
    const path = await existing(api);
    await api.delete(path, undefined, { dryRun: 'All', labelSelector: 'group' });
    expect(names(await api.get(path, { labelSelector: 'group' }))).toEqual(['a', 'b', 'c']);
  });

  rule('objects with finalizers stay, marked', async (api) => {
    const path = await existing(api);
    await api.patch(`${path}/a`, 'merge', { metadata: { finalizers: ['example.com/hold'] } });
    await api.delete(path, undefined, { labelSelector: 'group' });
    const left = await api.get(path, { labelSelector: 'group' });
    expect(names(left)).toEqual(['a']);
    expect(left.items[0]!.metadata.deletionTimestamp).toBeDefined();
    await api.patch(`${path}/a`, 'merge', { metadata: { finalizers: null } });
  });

  rule('propagationPolicy is stored on each', async (api) => {
    const path = await existing(api);
    await api.delete(path, { propagationPolicy: 'Orphan' }, { labelSelector: 'group=1' });
    const left = await api.get(path, { labelSelector: 'group=1' });
    expect(left.items.map((item) => item.metadata.finalizers)).toEqual([['orphan'], ['orphan']]);
    for (const name of names(left)) await api.patch(`${path}/${name}`, 'merge', { metadata: { finalizers: null } });
  });

  rule('a precondition that an object does not meet is a Conflict', async (api) => {
    const answer = await api.request('DELETE', await existing(api), {
      body: { preconditions: { uid: 'another' } },
      query: { labelSelector: 'group' },
    });
    expectStatus(answer, {
      code: 409,
      reason: 'Conflict',
      message: /the UID in the precondition \(another\) does not match/,
    });
  });

  rule('a selector that cannot be read is a BadRequest and deletes nothing', async (api) => {
    const path = await existing(api);
    expectStatus(await api.request('DELETE', path, { query: { labelSelector: 'group===' } }), {
      code: 400,
      reason: 'BadRequest',
      message: "unable to parse requirement: found '=', expected: identifier",
    });
    expect(names(await api.get(path, { labelSelector: 'group' }))).toEqual(['a', 'b', 'c']);
  });

  rule('a watch sees each deletion', async (api) => {
    const path = await existing(api);
    const { metadata } = await api.get(path);
    const watch = await api.watch(path, { resourceVersion: metadata.resourceVersion, labelSelector: 'group' });
    await api.delete(path, undefined, { labelSelector: 'group' });
    const seen = [await watch.expectNext(), await watch.expectNext(), await watch.expectNext()];
    expect(seen.map((event) => event.type)).toEqual(['DELETED', 'DELETED', 'DELETED']);
    expect(seen.map((event) => event.object.metadata.name).sort()).toEqual(['a', 'b', 'c']);
  });

  rule('a collection over all namespaces cannot be deleted', async (api) => {
    expectStatus(
      await api.request('DELETE', '/api/v1/configmaps', { query: { labelSelector: 'no=such', dryRun: 'All' } }),
      {
        code: 405,
        reason: 'MethodNotAllowed',
      },
    );
  });
});
