import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type Answer, MemoryClient } from '../../test/apiserver/memory-client.js';
import { CertificateAuthority } from '../certificates/certificate-authority.js';
import { FakeClock } from '../time/fake-clock.js';
import { realClock } from '../time/real-clock.js';
import {
  type ApiServer,
  type ApiServerOptions,
  startApiServer,
  type WebhookHandler,
  type WebhookReview,
} from './index.js';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

let clock: FakeClock;
let api: ApiServer;
let client: MemoryClient;

async function start(options: ApiServerOptions = {}): Promise<void> {
  clock = new FakeClock();
  api = await startApiServer({ clock, listen: false, onError: (error) => expect.fail(String(error)), ...options });
  client = new MemoryClient(api);
}

afterEach(async () => {
  await api.stop();
  await clock.runUntilIdle();
  expect(clock.pendingTimers).toEqual([]);
});

function configuration(kind: 'Mutating' | 'Validating', fields: object = {}): { kind: string; metadata: object } {
  const webhook = {
    name: 'hook.example.com',
    clientConfig: { service: { namespace: 'hooks', name: 'hook', path: '/review' } },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    timeoutSeconds: 5,
    rules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
    ...fields,
  };
  return {
    kind: `${kind}WebhookConfiguration`,
    apiVersion: 'admissionregistration.k8s.io/v1',
    metadata: { name: `hooks-${kind.toLowerCase()}` },
    webhooks: [webhook],
  } as { kind: string; metadata: object };
}

/** The review with a response that allows the request. */
function allow({ request, ...review }: WebhookReview, response: object = {}): WebhookReview {
  return { ...review, response: { uid: request!['uid'], allowed: true, ...response } };
}

function patch(...operations: object[]): object {
  return { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(operations)).toString('base64') };
}

/** Sends a request and lets virtual time pass until it is answered. */
async function settled(request: Promise<Answer>, stepMs = 0): Promise<Answer> {
  let answer: Answer | undefined;
  void request.then((got) => {
    answer = got;
  });
  for (let i = 0; i < 50 && answer === undefined; i++) await clock.advance(stepMs);
  return answer ?? expect.fail('no answer');
}

describe('webhooks that are functions', () => {
  it('change and refuse objects, on virtual time', async () => {
    const paths: string[] = [];
    await start({
      objects: [configuration('Mutating'), configuration('Validating')],
      webhooks: {
        'hooks/hook': (review, { path }) => {
          paths.push(path);
          const { object } = review.request as { object: { data?: Record<string, string> } };
          if (object.data?.['seen'] === undefined)
            return allow(review, patch({ op: 'add', path: '/data', value: { seen: 'yes' } }));
          return allow(review, { allowed: object.data['seen'] === 'yes', status: { message: 'not seen' } });
        },
      },
    });
    const created = await settled(client.post(CONFIG_MAPS, { metadata: { name: 'a' } }));
    expect([created.status, created.json['data']]).toEqual([201, { seen: 'yes' }]);
    expect(paths).toEqual(['/review', '/review']);
    const refused = await settled(client.post(CONFIG_MAPS, { metadata: { name: 'b' }, data: { seen: 'no' } }));
    expect([refused.status, refused.json['message']]).toEqual([
      400,
      'admission webhook "hook.example.com" denied the request: not seen',
    ]);
  });

  it('get copies: what they keep or change does not change the object', async () => {
    const kept: { data?: object }[] = [];
    await start({
      objects: [configuration('Validating')],
      webhooks: {
        'hooks/hook': (review) => {
          const { object } = review.request as { object: { data?: object } };
          object.data = { changed: 'yes' };
          kept.push(object);
          return allow(review);
        },
      },
    });
    const { json } = await settled(client.post(CONFIG_MAPS, { metadata: { name: 'a' }, data: { x: '1' } }));
    expect(json['data']).toEqual({ x: '1' });
  });

  it.each<[string, WebhookHandler, string]>([
    ['throws', () => Promise.reject(new Error('broken')), 'broken'],
    [
      'returns nothing',
      () => undefined as never,
      '0-length response with status code: 200 and content type: application/json',
    ],
  ])('that %s is a failed call', async (_what, handler, message) => {
    await start({ objects: [configuration('Validating')], webhooks: { 'hooks/hook:443': handler } });
    const { status, json } = await settled(client.post(CONFIG_MAPS, { metadata: { name: 'a' } }));
    expect(status).toBe(500);
    expect(String(json['message'])).toContain(`failed calling webhook "hook.example.com": failed to call webhook: `);
    expect(String(json['message'])).toContain(message);
  });

  it('that never answer fail after timeoutSeconds, and delay no other request', async () => {
    const signals: AbortSignal[] = [];
    await start({
      objects: [configuration('Validating', { objectSelector: { matchLabels: { slow: '' } } })],
      webhooks: {
        'hooks/hook': (_review, { signal }) => {
          signals.push(signal);
          return new Promise(() => {});
        },
      },
    });
    let slow: Answer | undefined;
    void client.post(CONFIG_MAPS, { metadata: { name: 'slow', labels: { slow: '' } } }).then((answer) => {
      slow = answer;
    });
    await clock.advance(4999);
    expect(slow).toBeUndefined();
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    expect((await client.post(CONFIG_MAPS, { metadata: { name: 'fast' } })).status).toBe(201);
    await clock.advance(1);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(slow?.json['message']).toBe(
      'Internal error occurred: failed calling webhook "hook.example.com": failed to call webhook: Post "https://hook.hooks.svc:443/review?timeout=5s": context deadline exceeded',
    );
  });

  it('are called again if another write was committed while they were asked', async () => {
    const seen: unknown[] = [];
    let release: (() => void) | undefined;
    await start({
      objects: [
        configuration('Mutating', {
          rules: [{ operations: ['UPDATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
          matchConditions: [{ name: 'slow', expression: 'object.data.by == "slow"' }],
        }),
      ],
      webhooks: {
        'hooks/hook': async (review) => {
          const { oldObject } = review.request as { oldObject: { data: object } };
          seen.push(oldObject.data);
          if (seen.length === 1) await new Promise<void>((resolve) => (release = resolve));
          return allow(review);
        },
      },
    });
    await client.post(CONFIG_MAPS, { metadata: { name: 'a' }, data: { by: 'first' } });
    const slow = client.patch(`${CONFIG_MAPS}/a`, { data: { by: 'slow' } });
    await clock.runUntilIdle();
    await client.patch(`${CONFIG_MAPS}/a`, { data: { by: 'other' } });
    release!();
    expect((await settled(slow)).json['data']).toEqual({ by: 'slow' });
    expect(seen).toEqual([{ by: 'first' }, { by: 'other' }]);
  });

  it('of services that are not named say what to do', async () => {
    const service = {
      kind: 'Service',
      metadata: { name: 'hook', namespace: 'hooks' },
      spec: { ports: [{ port: 443 }] },
    };
    await start({ objects: [service, configuration('Validating')] });
    const { json } = await settled(client.post(CONFIG_MAPS, { metadata: { name: 'a' } }));
    expect(json['message']).toMatch(/this server has no cluster network: .* hooks\/hook with the option webhooks$/);
  });

  it('are refused by name if the option is wrong', async () => {
    await start();
    const attempt = (webhooks: object): Promise<ApiServer> =>
      startApiServer({ listen: false, webhooks: webhooks as never });
    await expect(attempt({ hook: () => {} })).rejects.toThrow(/^webhooks must be/);
    await expect(attempt({ 'a/b': 'http://127.0.0.1' })).rejects.toThrow(/^webhooks\["a\/b"\] must be/);
    await expect(startApiServer({ listen: false, admissionPlugins: { Nothing: true } as never })).rejects.toThrow(
      /^admissionPlugins must be/,
    );
  });

  it('convert custom resources', async () => {
    const version = (name: string, storage: boolean): object => ({
      name,
      storage,
      served: true,
      schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    });
    const clientConfig = { service: { namespace: 'hooks', name: 'convert' } };
    const definition = {
      kind: 'CustomResourceDefinition',
      metadata: { name: 'things.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Cluster',
        names: { plural: 'things', kind: 'Thing' },
        versions: [version('v1', true), version('v2', false)],
        conversion: { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig } },
      },
    };
    const batches: number[] = [];
    await start({
      objects: [definition],
      webhooks: {
        'hooks/convert': ({ request, ...review }) => {
          const { uid, objects, desiredAPIVersion } = request as {
            uid: string;
            objects: object[];
            desiredAPIVersion: string;
          };
          batches.push(objects.length);
          const convertedObjects = objects.map((object) => ({
            ...object,
            apiVersion: desiredAPIVersion,
            now: desiredAPIVersion,
          }));
          return { ...review, response: { uid, result: { status: 'Success' }, convertedObjects } };
        },
      },
    });
    for (const name of ['a', 'b', 'c']) {
      const body = { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name } };
      expect((await client.post('/apis/example.com/v1/things', body)).status).toBe(201);
    }
    expect(batches).toEqual([]);
    const list = await settled(client.get('/apis/example.com/v2/things'));
    expect((list.json['items'] as { now: string }[]).map(({ now }) => now)).toEqual(Array(3).fill('example.com/v2'));
    expect(batches).toEqual([3]);
    const again = await settled(client.get('/apis/example.com/v2/things/b'));
    expect([again.json['now'], batches]).toEqual(['example.com/v2', [3]]);
  });
});

describe('a webhook behind an address', () => {
  it('is a service that the option resolves, with the name of the service in its certificate', async () => {
    const authority = new CertificateAuthority(realClock);
    const pair = authority.issueServer(['hook.hooks.svc']);
    const served = createServer({ key: pair.key, cert: pair.certificate }, (request, response) => {
      let text = '';
      request.on('data', (chunk) => (text += chunk));
      request.on('end', () => {
        const answer = allow(JSON.parse(text) as WebhookReview, {
          warnings: [`${request.headers.host} ${request.url}`],
        });
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
      });
    });
    await new Promise<void>((resolve) => served.listen(0, '127.0.0.1', resolve));
    const { port } = served.address() as AddressInfo;
    const caBundle = Buffer.from(authority.certificate).toString('base64');
    const service = { namespace: 'hooks', name: 'hook', path: '/review' };
    await start({
      objects: [configuration('Validating', { clientConfig: { service, caBundle } })],
      webhooks: { 'hooks/hook': `https://127.0.0.1:${port}` },
    });
    const { status, headers } = await client.post(CONFIG_MAPS, { metadata: { name: 'a' } });
    expect([status, headers['warning']]).toEqual([201, '299 - "hook.hooks.svc:443 /review?timeout=5s"']);
    served.closeAllConnections();
    await new Promise((resolve) => served.close(resolve));
  });
});

describe('the plugin ResourceQuota', () => {
  const QUOTAS = '/api/v1/namespaces/default/resourcequotas';
  const quota = {
    metadata: { name: 'q' },
    spec: { hard: { 'count/configmaps': '2', pods: '1', 'requests.cpu': '1' } },
  };
  const pod = (name: string, cpu?: string): object => ({
    metadata: { name },
    spec: { containers: [{ name: 'c', image: 'i', ...(cpu && { resources: { requests: { cpu } } }) }] },
  });

  it('refuses what exceeds a quota, whose status a controller keeps', async () => {
    await start();
    await client.post(CONFIG_MAPS, { metadata: { name: 'before' } });
    await client.post(QUOTAS, quota);
    await clock.runUntilIdle();
    const status = async (): Promise<unknown> => (await client.get(`${QUOTAS}/q`)).json['status'];
    const hard = quota.spec.hard;
    expect(await status()).toEqual({ hard, used: { 'count/configmaps': '1', pods: '0', 'requests.cpu': '0' } });
    expect((await client.post(CONFIG_MAPS, { metadata: { name: 'a' } })).status).toBe(201);
    const refused = await client.post(CONFIG_MAPS, { metadata: { name: 'b' } });
    expect([refused.status, refused.json['message']]).toEqual([
      403,
      'configmaps "b" is forbidden: exceeded quota: q, requested: count/configmaps=1, used: count/configmaps=2, limited: count/configmaps=2',
    ]);
    await client.request('DELETE', `${CONFIG_MAPS}/a`);
    await clock.runUntilIdle();
    expect((await client.post(CONFIG_MAPS, { metadata: { name: 'b' } })).status).toBe(201);
    const pods = '/api/v1/namespaces/default/pods';
    expect((await client.post(pods, pod('p'))).json['message']).toBe(
      'pods "p" is forbidden: failed quota: q: must specify requests.cpu for: c',
    );
    expect((await client.post(pods, pod('p', '2'))).json['message']).toBe(
      'pods "p" is forbidden: exceeded quota: q, requested: requests.cpu=2, used: requests.cpu=0, limited: requests.cpu=1',
    );
    expect((await client.post(pods, pod('p', '600m'))).status).toBe(201);
    await clock.runUntilIdle();
    expect(await status()).toEqual({ hard, used: { 'count/configmaps': '2', pods: '1', 'requests.cpu': '600m' } });
  });

  it('admits no more of many requests at once than the quota allows', async () => {
    await start();
    await client.post(QUOTAS, { metadata: { name: 'q' }, spec: { hard: { 'count/configmaps': '5' } } });
    await clock.runUntilIdle();
    const requests = Array.from({ length: 20 }, (_, i) => client.post(CONFIG_MAPS, { metadata: { name: `c${i}` } }));
    const statuses = (await Promise.all(requests)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(5);
  });

  it('can be switched off', async () => {
    await start({ admissionPlugins: { ResourceQuota: false } });
    await client.post(QUOTAS, { metadata: { name: 'q' }, spec: { hard: { 'count/configmaps': '0' } } });
    await clock.runUntilIdle();
    expect((await client.post(CONFIG_MAPS, { metadata: { name: 'a' } })).status).toBe(201);
  });
});

describe('the plugin ServiceAccount', () => {
  const PODS = '/api/v1/namespaces/default/pods';
  const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } };

  it('is off unless it is switched on', async () => {
    await start();
    const { spec } = (await client.post(PODS, pod)).json as { spec: Record<string, unknown> };
    expect([spec['serviceAccountName'], spec['volumes']]).toEqual([undefined, undefined]);
  });

  it('gives pods the token of their ServiceAccount, which must exist', async () => {
    await start({ admissionPlugins: { ServiceAccount: true } });
    const refused = await client.post(PODS, pod);
    expect([refused.status, refused.json['message']]).toEqual([
      403,
      'pods "p" is forbidden: error looking up service account default/default: serviceaccount "default" not found',
    ]);
    const accounts = '/api/v1/namespaces/default/serviceaccounts';
    await client.post(accounts, { metadata: { name: 'default' }, imagePullSecrets: [{ name: 'pull' }] });
    await client.post(accounts, { metadata: { name: 'quiet' }, automountServiceAccountToken: false });
    const { spec } = (await client.post(PODS, pod)).json as { spec: Record<string, unknown> };
    expect(spec).toMatchObject({
      serviceAccountName: 'default',
      serviceAccount: 'default',
      imagePullSecrets: [{ name: 'pull' }],
      volumes: [
        {
          name: expect.stringMatching(/^kube-api-access-\w{5}$/),
          projected: {
            defaultMode: 420,
            sources: [{ serviceAccountToken: { expirationSeconds: 3607, path: 'token' } }, {}, {}],
          },
        },
      ],
      containers: [{ volumeMounts: [{ readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }] }],
    });
    const quiet = { metadata: { name: 'q' }, spec: { ...pod.spec, serviceAccountName: 'quiet' } };
    expect((await client.post(PODS, quiet)).json).toMatchObject({ spec: { serviceAccountName: 'quiet' } });
    expect((await client.get(`${PODS}/q`)).json).not.toHaveProperty('spec.volumes');
  });
});

describe('a validating admission policy', () => {
  const group = '/apis/admissionregistration.k8s.io/v1';

  async function createPolicy(expressions: readonly string[]): Promise<void> {
    const metadata = { name: 'costly' };
    const rules = [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }];
    const validations = expressions.map((expression) => ({ expression }));
    const spec = { failurePolicy: 'Fail', matchConstraints: { resourceRules: rules }, validations };
    const binding = { policyName: 'costly', validationActions: ['Deny'] };
    for (const [plural, fields] of [
      ['validatingadmissionpolicies', spec],
      ['validatingadmissionpolicybindings', binding],
    ] as const)
      expect((await client.request('POST', `${group}/${plural}`, { metadata, spec: fields })).status).toBe(201);
    await clock.runUntilIdle();
  }

  it('refuses a request when its expressions together cost more than their budget', async () => {
    await start();
    // To look through a megabyte costs 100,000; an expression may cost 1,000,000, all of them 10,000,000.
    const costly = Array.from({ length: 9 }, () => "!object.data.large.contains('y')").join(' && ');
    await createPolicy(Array.from({ length: 12 }, () => costly));
    const body = (bytes: number) => ({ metadata: { name: `of-${bytes}` }, data: { large: 'x'.repeat(bytes) } });
    expect((await client.request('POST', CONFIG_MAPS, body(1000))).status).toBe(201);
    const refused = await client.request('POST', CONFIG_MAPS, body(1_000_000));
    expect(refused.status).toBe(422);
    expect(refused.json['message']).toContain('running out of cost budget');
  });
});
