import { expect } from 'vitest';
import { PATCH } from '../api.js';
import { type Area, defineArea } from '../area.js';
import { configMaps } from '../objects.js';
import { expectStatus } from '../status.js';

const LIMIT = 3 * 1024 * 1024;
const TOO_LARGE = {
  code: 413,
  reason: 'RequestEntityTooLarge',
  message: `Request entity too large: limit is ${LIMIT}`,
} as const;

function oversized(): string {
  return JSON.stringify({ metadata: { name: 'one' }, data: { a: 'x'.repeat(LIMIT) } });
}

export const area: Area = defineArea('bodies', (rule) => {
  for (const [what, rawBody] of [
    ['an unfinished object', '{"metadata":{"name":"one"'],
    ['something that is not JSON', 'not json'],
    ['a list', '[]'],
    ['a string', '"one"'],
    ['an empty body', ''],
    ['text behind the object', '{"metadata":{"name":"one"}} more'],
    ['an object nested too deeply', `{"x":${'['.repeat(20_000)}${']'.repeat(20_000)}}`],
  ] as const) {
    rule(`${what} is a BadRequest that names the expected kind`, async (api) => {
      const answer = await api.request('POST', configMaps(await api.namespace()), { rawBody });
      expectStatus(answer, {
        code: 400,
        reason: 'BadRequest',
        message:
          /^the object provided is unrecognized \(must be of type ConfigMap\): couldn't get version\/kind; json parse error: /,
      });
    });
  }

  rule('malformed JSON is shown with its beginning', async (api) => {
    const rawBody = '{"metadata":{"name":"a-name-to-be-seen"}, "data"';
    const status = (await api.request('POST', configMaps(await api.namespace()), { rawBody })).json;
    expect(status.message).toMatch(/\(\{"metadata":\{"name":"a-nam.* \.\.\.\)$/);
  });

  rule('malformed JSON in an update is a BadRequest', async (api) => {
    const path = configMaps(await api.namespace());
    await api.create(path, { metadata: { name: 'one' } });
    expectStatus(await api.request('PUT', `${path}/one`, { rawBody: '{"metadata"' }), {
      code: 400,
      reason: 'BadRequest',
      message: /^the object provided is unrecognized \(must be of type ConfigMap\): /,
    });
  });

  rule('a value of the wrong type is a BadRequest', async (api) => {
    const body = { metadata: { name: 'one' }, data: { a: 1 } };
    expectStatus(await api.request('POST', configMaps(await api.namespace()), { body }), {
      code: 400,
      reason: 'BadRequest',
      message: /^ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into /,
    });
  });

  rule('a name of the wrong type is a BadRequest', async (api) => {
    expectStatus(await api.request('POST', configMaps(await api.namespace()), { body: { metadata: { name: 5 } } }), {
      code: 400,
      reason: 'BadRequest',
      message:
        /^ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into .*metadata\.name of type string$/,
    });
  });

  rule('another kind than that of the resource is a BadRequest', async (api) => {
    const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'one' } };
    expectStatus(await api.request('POST', configMaps(await api.namespace()), { body }), {
      code: 400,
      reason: 'BadRequest',
      message: /^Secret in version "v1" cannot be handled as a ConfigMap: /,
    });
  });

  rule('another kind in an update is a BadRequest', async (api) => {
    const path = configMaps(await api.namespace());
    await api.create(path, { metadata: { name: 'one' } });
    const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'one' } };
    expectStatus(await api.request('PUT', `${path}/one`, { body }), {
      code: 400,
      reason: 'BadRequest',
      message: /^Secret in version "v1" cannot be handled as a ConfigMap: /,
    });
  });

  rule('an unknown kind is a BadRequest', async (api) => {
    const body = { apiVersion: 'v1', kind: 'NoSuchKind', metadata: { name: 'one' } };
    expectStatus(await api.request('POST', configMaps(await api.namespace()), { body }), {
      code: 400,
      reason: 'BadRequest',
      message:
        /^NoSuchKind in version "v1" cannot be handled as a ConfigMap: no kind "NoSuchKind" is registered for version "v1"/,
    });
  });

  rule('another apiVersion is a BadRequest', async (api) => {
    const body = { apiVersion: 'apps/v1', kind: 'ConfigMap', metadata: { name: 'one' } };
    expectStatus(await api.request('POST', configMaps(await api.namespace()), { body }), {
      code: 400,
      reason: 'BadRequest',
      message:
        /^ConfigMap in version "v1" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "apps\/v1"/,
    });
  });

  rule('an apiVersion that is none is a BadRequest', async (api) => {
    const body = { apiVersion: 'a/b/c', kind: 'ConfigMap', metadata: { name: 'one' } };
    expectStatus(await api.request('POST', configMaps(await api.namespace()), { body }), {
      code: 400,
      reason: 'BadRequest',
      message: /unexpected GroupVersion string: a\/b\/c/,
    });
  });

  rule('null members count as left out', async (api) => {
    const body = { metadata: { name: 'one', labels: null, annotations: null }, data: null };
    const created = await api.create(configMaps(await api.namespace()), body);
    expect([created.metadata.labels, created.data]).toEqual([undefined, undefined]);
  });

  rule('a body of more than 3 MiB is a RequestEntityTooLarge', async (api) => {
    const path = configMaps(await api.namespace());
    expectStatus(await api.request('POST', path, { rawBody: oversized() }), TOO_LARGE);
  });

  rule('an update of more than 3 MiB is a RequestEntityTooLarge', async (api) => {
    const path = configMaps(await api.namespace());
    await api.create(path, { metadata: { name: 'one' } });
    expectStatus(await api.request('PUT', `${path}/one`, { rawBody: oversized() }), TOO_LARGE);
  });

  rule('a patch of more than 3 MiB is a RequestEntityTooLarge', async (api) => {
    const path = configMaps(await api.namespace());
    await api.create(path, { metadata: { name: 'one' } });
    const headers = { 'content-type': PATCH.merge };
    expectStatus(await api.request('PATCH', `${path}/one`, { rawBody: oversized(), headers }), TOO_LARGE);
  });

  rule('a body of almost 1 MiB is taken and comes back whole', async (api) => {
    const path = configMaps(await api.namespace());
    const text = 'ä'.repeat(500_000);
    await api.create(path, { metadata: { name: 'one' }, data: { text } });
    expect((await api.get(`${path}/one`)).data['text']).toBe(text);
  });

  rule('keys such as __proto__ are keys like any other', async (api) => {
    const path = configMaps(await api.namespace());
    const rawBody = '{"metadata":{"name":"one"},"data":{"__proto__":"a","constructor":"b","toString":"c"}}';
    const created = await api.request('POST', path, { rawBody });
    expect(created.status).toBe(201);
    const entries = [...Object.entries(JSON.parse('{"__proto__":"a","constructor":"b","toString":"c"}'))].sort();
    expect(Object.entries((await api.get(`${path}/one`)).data).sort()).toEqual(entries);
  });

  rule('keys such as __proto__ can be patched', async (api) => {
    const path = configMaps(await api.namespace());
    await api.create(path, { metadata: { name: 'one' }, data: { a: '1' } });
    const merged = await api.request('PATCH', `${path}/one`, {
      rawBody: '{"data":{"__proto__":"set"}}',
      headers: { 'content-type': PATCH.merge },
    });
    expect(Object.entries(merged.json.data).sort()).toEqual([
      ['__proto__', 'set'],
      ['a', '1'],
    ]);
    const patched = await api.patch(`${path}/one`, 'json', [{ op: 'remove', path: '/data/__proto__' }]);
    expect(Object.entries(patched.data)).toEqual([['a', '1']]);
  });

  rule('text of every kind comes back as it was', async (api) => {
    const path = configMaps(await api.namespace());
    const data = {
      quotes: '"\\/\b\f\n\r\t',
      markup: '<a href="x">&amp;</a>',
      signs: '\u2028\u2029\u0000\u001f',
      wide: 'ß€😀',
    };
    await api.create(path, { metadata: { name: 'one' }, data });
    expect((await api.get(`${path}/one`)).data).toEqual(data);
  });
});
