import { expect } from 'vitest';
import { type Area, defineArea } from '../area.js';
import { deployments } from '../bodies.js';
import { configMaps } from '../objects.js';
import { expectStatus } from '../status.js';

export const area: Area = defineArea('get', (rule) => {
  rule('an object reads as it was answered when it was made', async (api) => {
    const path = configMaps(await api.namespace());
    const created = await api.create(path, { metadata: { name: 'one', labels: { a: 'b' } }, data: { a: 'b' } });
    expect(await api.get(`${path}/one`)).toEqual(created);
  });

  rule('an object carries its kind and apiVersion', async (api) => {
    const path = configMaps(await api.namespace());
    await api.create(path, { metadata: { name: 'one' } });
    const answer = await api.request('GET', `${path}/one`);
    expect(answer.json).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
    expect(answer.headers['content-type']).toBe('application/json');
  });

  rule('an object that does not exist is NotFound, naming resource and name', async (api) => {
    const answer = await api.request('GET', `${configMaps(await api.namespace())}/absent`);
    expectStatus(answer, {
      code: 404,
      reason: 'NotFound',
      message: 'configmaps "absent" not found',
      details: { name: 'absent', kind: 'configmaps' },
    });
  });

  rule('a missing object of a group is NotFound with the group', async (api) => {
    const answer = await api.request('GET', `${deployments(await api.namespace())}/absent`);
    expectStatus(answer, {
      code: 404,
      reason: 'NotFound',
      message: 'deployments.apps "absent" not found',
      details: { name: 'absent', group: 'apps', kind: 'deployments' },
    });
  });

  rule('an object of a namespace that does not exist is NotFound as such', async (api) => {
    expectStatus(await api.request('GET', `${configMaps(api.unique('absent'))}/one`), {
      code: 404,
      reason: 'NotFound',
      message: 'configmaps "one" not found',
    });
  });

  rule('an object is not found in another namespace', async (api) => {
    const [here, there] = await Promise.all([api.namespace(), api.namespace()]);
    await api.create(configMaps(here), { metadata: { name: 'one' } });
    expect((await api.request('GET', `${configMaps(there)}/one`)).status).toBe(404);
  });

  rule('reading does not change the object', async (api) => {
    const path = configMaps(await api.namespace());
    const created = await api.create(path, { metadata: { name: 'one' } });
    await api.get(`${path}/one`);
    expect((await api.get(`${path}/one`)).metadata.resourceVersion).toBe(created.metadata.resourceVersion);
  });

  rule('a read sees the write that was answered before it', async (api) => {
    const path = configMaps(await api.namespace());
    await api.create(path, { metadata: { name: 'one' }, data: { n: '0' } });
    for (let n = 1; n <= 10; n++) {
      const written = await api.update(`${path}/one`, { metadata: { name: 'one' }, data: { n: String(n) } });
      expect(await api.get(`${path}/one`)).toEqual(written);
    }
  });

  rule('every answer has an Audit-Id and may not be cached', async (api) => {
    const { headers } = await api.request('GET', configMaps(await api.namespace()));
    expect(headers['audit-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers['cache-control']).toBe('no-cache, private');
  });
});
