import { gunzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { type Area, defineArea } from '../area.js';
import type { Doc } from '../doc.js';
import { configMaps } from '../objects.js';

/** Other encodings than plain JSON. */
export const area: Area = defineArea('yaml and gzip', (rule) => {
  rule('Accept application/yaml is answered with YAML', async (api) => {
    const path = configMaps(await api.namespace());
    await api.create(path, { metadata: { name: 'one' }, data: { a: 'b' } });
    const answer = await api.request('GET', `${path}/one`, { headers: { accept: 'application/yaml' } });
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/yaml']);
    expect(answer.text).toMatch(/^apiVersion: v1\ndata:\n {2}a: b\nkind: ConfigMap\nmetadata:\n/);
  });

  rule('a body as YAML is taken', async (api) => {
    const answer = await api.request('POST', configMaps(await api.namespace()), {
      rawBody: 'metadata:\n  name: yaml\ndata:\n  a: "1"\n',
      headers: { 'content-type': 'application/yaml' },
    });
    expect([answer.status, answer.json.metadata.name, answer.json.data]).toEqual([201, 'yaml', { a: '1' }]);
  });

  rule('a large answer is compressed for a client that accepts gzip', async (api) => {
    const path = configMaps(await api.namespace());
    await api.create(path, { metadata: { name: 'big' }, data: { a: 'x'.repeat(300_000) } });
    const answer = await api.request('GET', `${path}/big`, { headers: { 'accept-encoding': 'gzip' } });
    expect(answer.headers['content-encoding']).toBe('gzip');
    const unpacked = JSON.parse(gunzipSync(answer.bytes).toString('utf8')) as Doc;
    expect(unpacked).toEqual(await api.get(`${path}/big`));
  });
});
