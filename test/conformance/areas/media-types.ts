import { expect } from 'vitest';
import type { Api } from '../api.js';
import { type Area, defineArea } from '../area.js';
import { configMaps } from '../objects.js';
import { expectStatus } from '../status.js';

async function existing(api: Api): Promise<string> {
  const path = configMaps(await api.namespace());
  await api.create(path, { metadata: { name: 'one' }, data: { a: 'b' } });
  return `${path}/one`;
}

export const area: Area = defineArea('media types', (rule) => {
  for (const accept of ['*/*', 'text/html, application/json;q=0.5', undefined]) {
    rule(`Accept ${accept ?? 'left out'} is answered with JSON`, async (api) => {
      const answer = await api.request('GET', await existing(api), { headers: { accept } });
      expect([answer.status, answer.headers['content-type'], answer.json.kind]).toEqual([
        200,
        'application/json',
        'ConfigMap',
      ]);
    });
  }

  rule('people get indented JSON: objects, lists and Tables, unless pretty says otherwise', async (api) => {
    const path = configMaps(await api.namespace());
    for (const name of ['one', 'two']) await api.create(path, { metadata: { name }, data: { a: 'b' } });
    const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
    const asked = [
      await api.request('GET', `${path}/one`, { headers: { 'user-agent': 'curl/8.0' } }),
      await api.request('GET', path, { headers: { 'user-agent': 'Mozilla/5.0 (X11)' } }),
      await api.request('GET', path, { headers: { 'user-agent': 'Wget/1.2', ...table } }),
      await api.request('GET', path, { query: { labelSelector: 'no=one' }, headers: { 'user-agent': 'curl/8.0' } }),
      await api.request('GET', path, { query: { pretty: true } }),
    ];
    for (const { text, json } of asked) expect(text).toBe(JSON.stringify(json, undefined, 2));
    const plain = await api.request('GET', path, { query: { pretty: false }, headers: { 'user-agent': 'curl/8.0' } });
    expect(plain.text).toBe(`${JSON.stringify(plain.json)}\n`);
  });

  rule('a range of media types is NotAcceptable', async (api) => {
    const answer = await api.request('GET', await existing(api), { headers: { accept: 'application/*' } });
    expectStatus(answer, { code: 406, reason: 'NotAcceptable', message: /^406: Not Acceptable\n\nAvailable/ });
  });

  rule('an Accept that the server does not know is NotAcceptable, answered as JSON', async (api) => {
    const answer = await api.request('GET', await existing(api), { headers: { accept: 'text/html' } });
    expectStatus(answer, {
      code: 406,
      reason: 'NotAcceptable',
      message: /application\/json/,
    });
  });

  rule('an unknown transformation is NotAcceptable', async (api) => {
    const accept = 'application/json;as=Frob;v=v1;g=meta.k8s.io';
    expectStatus(await api.request('GET', await existing(api), { headers: { accept } }), {
      code: 406,
      reason: 'NotAcceptable',
      message: /^only the following media types are accepted: application\/json/,
    });
  });

  rule('a body without a content type is taken as JSON', async (api) => {
    const answer = await api.request('POST', configMaps(await api.namespace()), {
      body: { metadata: { name: 'untyped' } },
      headers: { 'content-type': undefined },
    });
    expect(answer.status).toBe(201);
  });

  rule('a content type with a charset is taken', async (api) => {
    const answer = await api.request('POST', configMaps(await api.namespace()), {
      body: { metadata: { name: 'one' }, data: { a: 'ä€😀' } },
      headers: { 'content-type': 'application/json; charset=utf-8' },
    });
    expect([answer.status, answer.json.data]).toEqual([201, { a: 'ä€😀' }]);
  });

  rule('a body of another content type is an UnsupportedMediaType', async (api) => {
    const answer = await api.request('POST', configMaps(await api.namespace()), {
      body: { metadata: { name: 'one' } },
      headers: { 'content-type': 'text/plain' },
    });
    expectStatus(answer, {
      code: 415,
      reason: 'UnsupportedMediaType',
      message: /^the body of the request was in an unknown format - accepted media types include: application\/json/,
    });
  });

  rule('a client that does not ask for compression gets none', async (api) => {
    const path = configMaps(await api.namespace());
    await api.create(path, { metadata: { name: 'big' }, data: { a: 'x'.repeat(300_000) } });
    const answer = await api.request('GET', `${path}/big`, { headers: { 'accept-encoding': undefined } });
    expect([answer.headers['content-encoding'], answer.json.data['a']?.length]).toEqual([undefined, 300_000]);
  });
});
