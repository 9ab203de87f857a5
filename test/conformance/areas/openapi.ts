import { expect } from 'vitest';
import type { Api } from '../api.js';
import { type Area, defineArea } from '../area.js';
import { define } from '../definitions.js';
import { at, type Doc } from '../doc.js';
import type { Answer } from '../http.js';

const V2_PROTOBUF = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
const JSON_TYPE = { accept: 'application/json' };

async function index(api: Api): Promise<Record<string, { serverRelativeURL: string }>> {
  const { text } = await api.request('GET', '/openapi/v3');
  return JSON.parse(text).paths;
}

/** Asks for the document of a custom group until it fulfils a condition: definitions are published a moment later. */
async function published(api: Api, path: string, isDone: (answer: Answer) => boolean): Promise<Answer> {
  for (let i = 0; ; i++) {
    const answer = await api.request('GET', path, { headers: JSON_TYPE });
    if (isDone(answer) || i === 100) return answer;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

const schemaOf = (size: object) => ({
  type: 'object',
  properties: { spec: { type: 'object', properties: { size, port: { 'x-kubernetes-int-or-string': true } } } },
});

export const area: Area = defineArea('openapi', (rule) => {
  rule('the index names a document for each version, with its hash', async (api) => {
    const answer = await api.request('GET', '/openapi/v3');
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
    const paths = await index(api);
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(['api', 'api/v1', 'apis', 'apis/apps', 'apis/apps/v1']));
    expect(paths['api/v1']?.serverRelativeURL).toMatch(/^\/openapi\/v3\/api\/v1\?hash=[0-9A-F]{128}$/);
  });

  rule('a document with its hash may be kept for ever, without one it may not', async (api) => {
    const path = (await index(api))['apis/apps/v1']!.serverRelativeURL;
    const kept = await api.request('GET', path);
    expect(kept.headers).toMatchObject({ 'cache-control': 'public, immutable', vary: 'Accept' });
    expect(kept.headers['etag']).toBe(`"${path.slice(path.indexOf('=') + 1)}"`);
    const fresh = await api.request('GET', '/openapi/v3/apis/apps/v1');
    expect(fresh.headers).toMatchObject({ 'cache-control': 'no-cache, private', etag: kept.headers['etag'] });
  });

  rule('a wrong hash is redirected to the right one', async (api) => {
    const answer = await api.request('GET', '/openapi/v3/apis/apps/v1', { query: { hash: 'ABC' } });
    const right = (await index(api))['apis/apps/v1']!.serverRelativeURL;
    expect([answer.status, answer.headers['location']]).toEqual([301, right]);
  });

  rule('a client that has the document gets 304', async (api) => {
    const path = '/openapi/v3/apis/apps/v1';
    const { headers } = await api.request('GET', path, { headers: JSON_TYPE });
    const again = await api.request('GET', path, {
      headers: { ...JSON_TYPE, 'if-none-match': String(headers['etag']) },
    });
    expect([again.status, again.bytes.length]).toEqual([304, 0]);
  });

  rule('an absent document is a 404 without a body, and a type that is not served a 406', async (api) => {
    const absent = await api.request('GET', '/openapi/v3/apis/absent/v1');
    expect([absent.status, absent.bytes.length]).toEqual([404, 0]);
    for (const path of ['/openapi/v3/apis/apps/v1', '/openapi/v2']) {
      expect((await api.request('GET', path, { headers: { accept: 'text/plain' } })).status).toBe(406);
    }
  });

  rule('a patch declares its kind and the parameters dryRun and fieldValidation', async (api) => {
    const { json } = await api.request('GET', '/openapi/v3/apis/apps/v1', { headers: JSON_TYPE });
    const patch = at(json, 'paths./apis/apps/v1/namespaces/{namespace}/deployments/{name}.patch') as Doc;
    expect(patch['x-kubernetes-group-version-kind']).toEqual({ group: 'apps', kind: 'Deployment', version: 'v1' });
    const names = (patch['parameters'] as Doc[]).map((parameter) => parameter['name']);
    expect(names).toEqual(['dryRun', 'fieldManager', 'fieldValidation', 'force']);
  });

  rule('a schema has the types of its fields, and how lists are merged', async (api) => {
    const { json } = await api.request('GET', '/openapi/v3/api/v1', { headers: JSON_TYPE });
    const schemas = at(json, 'components.schemas') as unknown as Record<string, Doc>;
    expect(schemas['io.k8s.api.core.v1.PodSpec']?.['required']).toEqual(['containers']);
    expect(at(schemas['io.k8s.api.core.v1.PodSpec']!, 'properties.containers')).toMatchObject({
      type: 'array',
      items: { default: {}, allOf: [{ $ref: '#/components/schemas/io.k8s.api.core.v1.Container' }] },
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-patch-merge-key': 'name',
      'x-kubernetes-patch-strategy': 'merge',
    });
  });

  rule('OpenAPI 2 comes as JSON and as protobuf, also under its old name', async (api) => {
    const json = await api.request('GET', '/openapi/v2', { headers: JSON_TYPE });
    expect(json.json).toMatchObject({ swagger: '2.0', info: { title: 'Kubernetes' } });
    for (const accept of [V2_PROTOBUF, V2_PROTOBUF.replace('v2.v1', 'v2@v1')]) {
      const answer = await api.request('GET', '/openapi/v2', { headers: { accept } });
      expect(answer.headers['content-type']).toBe(V2_PROTOBUF);
      // Document.swagger is field 1.
      expect(answer.bytes.subarray(0, 5)).toEqual(Buffer.from('\n\x032.0'));
    }
  });

  rule('OpenAPI 2 is compressed for clients that accept it', async (api) => {
    const headers = { ...JSON_TYPE, 'accept-encoding': 'gzip' };
    expect((await api.request('GET', '/openapi/v2', { headers })).headers['content-encoding']).toBe('gzip');
  });

  rule('a custom kind has a document, which changes with its definition', async (api) => {
    const { group, path } = await define(api, [{ name: 'v1', schema: schemaOf({ type: 'integer' }) }]);
    const name = `${group.split('.').reverse().join('.')}.v1.Widget`;
    const first = await published(api, `/openapi/v3/apis/${group}/v1`, ({ status }) => status === 200);
    const schema = at(first.json, 'components.schemas') as unknown as Record<string, Doc>;
    expect(schema[name]).toMatchObject({
      properties: {
        metadata: { allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }] },
        spec: {
          properties: { size: { type: 'integer' }, port: { anyOf: [{ type: 'integer' }, { type: 'string' }] } },
        },
      },
      'x-kubernetes-group-version-kind': [{ group, kind: 'Widget', version: 'v1' }],
    });
    const replaced = [
      { op: 'replace', path: '/spec/versions/0/schema/openAPIV3Schema', value: schemaOf({ type: 'string' }) },
    ];
    expect((await api.tryPatch(path, 'json', replaced)).status).toBe(200);
    const etag = first.headers['etag'];
    const second = await published(api, `/openapi/v3/apis/${group}/v1`, ({ headers }) => headers['etag'] !== etag);
    expect(second.text).toContain('"size":{"type":"string"}');
  });
});
