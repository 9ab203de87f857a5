import { expect } from 'vitest';
import { type Area, defineArea } from '../area.js';
import { expectStatus } from '../status.js';

export const area: Area = defineArea('get', (rule) => {
  rule('an object carries its kind, apiVersion and the metadata the server sets', async (api) => {
    const namespace = await api.namespace();
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const created = await api.create(path, { metadata: { name: 'one' }, data: { a: 'b' } });
    const read = await api.get(`${path}/one`);
    expect(read).toEqual(created);
    expect(read).toMatchObject({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'one', namespace },
      data: { a: 'b' },
    });
  });

  rule('an object that does not exist is NotFound, naming resource and name', async (api) => {
    const namespace = await api.namespace();
    const answer = await api.request('GET', `/api/v1/namespaces/${namespace}/configmaps/absent`);
    expectStatus(answer, {
      code: 404,
      reason: 'NotFound',
      message: 'configmaps "absent" not found',
      details: { name: 'absent', kind: 'configmaps' },
    });
  });
});
