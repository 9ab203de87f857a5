import { expect } from 'vitest';
import type { Api } from '../api.js';
import { type Area, defineArea } from '../area.js';
import { deploymentBody, deployments } from '../bodies.js';
import type { Answer } from '../http.js';
import { configMaps } from '../objects.js';
import { expectStatus } from '../status.js';

const ODD = { metadata: { name: 'one', extra: 1 }, bogus: { a: 1 }, data: { a: 'b' } };
const STRICT =
  'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "metadata.extra", unknown field "bogus"';
const WARNINGS = '299 - "unknown field \\"metadata.extra\\"", 299 - "unknown field \\"bogus\\""';

function post(api: Api, path: string, body: unknown, fieldValidation?: string): Promise<Answer> {
  return api.request('POST', path, { body, query: fieldValidation === undefined ? {} : { fieldValidation } });
}

async function existing(api: Api): Promise<string> {
  const path = configMaps(await api.namespace());
  await api.create(path, { metadata: { name: 'one' }, data: { a: 'b' } });
  return `${path}/one`;
}

export const area: Area = defineArea('field validation', (rule) => {
  rule('Strict refuses unknown fields and names each by its path', async (api) => {
    const path = configMaps(await api.namespace());
    expectStatus(await post(api, path, ODD, 'Strict'), { code: 400, reason: 'BadRequest', message: STRICT });
    expect((await api.request('GET', `${path}/one`)).status).toBe(404);
  });

  rule('Warn takes the object without the unknown fields and warns of each', async (api) => {
    const answer = await post(api, configMaps(await api.namespace()), ODD, 'Warn');
    expect(answer.status).toBe(201);
    expect(answer.headers['warning']).toBe(WARNINGS);
    expect(answer.json['bogus']).toBeUndefined();
    expect(answer.json.data).toEqual({ a: 'b' });
  });

  rule('Warn is the default', async (api) => {
    const answer = await post(api, configMaps(await api.namespace()), ODD);
    expect([answer.status, answer.headers['warning']]).toEqual([201, WARNINGS]);
  });

  rule('Ignore drops unknown fields without a warning', async (api) => {
    const answer = await post(api, configMaps(await api.namespace()), ODD, 'Ignore');
    expect([answer.status, answer.headers['warning']]).toEqual([201, undefined]);
    expect(answer.json['bogus']).toBeUndefined();
  });

  rule('an unknown mode is Invalid and the message lists the known ones', async (api) => {
    expectStatus(await post(api, configMaps(await api.namespace()), ODD, 'Nope'), {
      code: 422,
      reason: 'Invalid',
      message:
        'CreateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "Nope": supported values: "", "Ignore", "Strict", "Warn"',
      details: { group: 'meta.k8s.io', kind: 'CreateOptions' },
      causes: [{ reason: 'FieldValueNotSupported', field: 'fieldValidation' }],
    });
  });

  rule('Strict refuses duplicate fields', async (api) => {
    const answer = await api.request('POST', configMaps(await api.namespace()), {
      rawBody: '{"metadata":{"name":"one"},"data":{"a":"b","a":"c"},"data":{"z":"z"}}',
      query: { fieldValidation: 'Strict' },
    });
    expectStatus(answer, {
      code: 400,
      reason: 'BadRequest',
      message:
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: duplicate field "data.a", duplicate field "data"',
    });
  });

  rule('Warn takes the last of duplicate fields', async (api) => {
    const answer = await api.request('POST', configMaps(await api.namespace()), {
      rawBody: '{"metadata":{"name":"one"},"data":{"a":"b","a":"c"}}',
      query: { fieldValidation: 'Warn' },
    });
    expect([answer.status, answer.json.data]).toEqual([201, { a: 'c' }]);
    expect(answer.headers['warning']).toBe('299 - "duplicate field \\"data.a\\""');
  });

  rule('the path of an unknown field goes through lists by index', async (api) => {
    const body = deploymentBody('web', {
      replica: 2,
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'main', image: 'example.com/main:1', imagee: 'typo' }] },
      },
    });
    expectStatus(await post(api, deployments(await api.namespace()), body, 'Strict'), {
      code: 400,
      reason: 'BadRequest',
      message:
        'Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "spec.template.spec.containers[0].imagee", unknown field "spec.replica"',
    });
  });

  rule('an update is judged like a create', async (api) => {
    const path = await existing(api);
    const strict = await api.request('PUT', path, { body: ODD, query: { fieldValidation: 'Strict' } });
    expectStatus(strict, { code: 400, reason: 'BadRequest', message: STRICT });
    const warned = await api.request('PUT', path, { body: ODD, query: { fieldValidation: 'Warn' } });
    expect([warned.status, warned.headers['warning']]).toEqual([200, WARNINGS]);
  });

  for (const [kind, patch] of [
    ['merge', { bogus: 1 }],
    ['strategic', { bogus: 1 }],
    ['json', [{ op: 'add', path: '/bogus', value: 1 }]],
  ] as const) {
    rule(`a ${kind} patch that adds an unknown field: Strict makes it Invalid, Warn warns`, async (api) => {
      const path = await existing(api);
      expectStatus(await api.tryPatch(path, kind, patch, { query: { fieldValidation: 'Strict' } }), {
        code: 422,
        reason: 'Invalid',
        message: /^ "" is invalid: patch: Invalid value: .*: strict decoding error: unknown field "bogus"$/,
        causes: [{ reason: 'FieldValueInvalid', field: 'patch' }],
      });
      const warned = await api.tryPatch(path, kind, patch, { query: { fieldValidation: 'Warn' } });
      expect([warned.status, warned.headers['warning']]).toEqual([200, '299 - "unknown field \\"bogus\\""']);
    });
  }

  rule('an unknown mode on a patch names PatchOptions', async (api) => {
    const answer = await api.tryPatch(await existing(api), 'merge', {}, { query: { fieldValidation: 'Nope' } });
    expectStatus(answer, { code: 422, reason: 'Invalid', details: { group: 'meta.k8s.io', kind: 'PatchOptions' } });
  });
});
