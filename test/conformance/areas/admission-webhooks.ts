import { expect } from 'vitest';
import type { Api } from '../api.js';
import { type Area, defineArea } from '../area.js';
import type { Cause, Doc } from '../doc.js';
import type { Answer } from '../http.js';
import { configMaps } from '../objects.js';
import { type HookAnswer, HookServer, patchWith, type ReviewedRequest, sendReview } from '../webhook-server.js';

const CONFIG_MAPS = [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }];
const POD = { spec: { containers: [{ name: 'c', image: 'i' }] } };

/** A webhook for the ConfigMaps of a new namespace. */
async function withHook(
  api: Api,
  kind: 'mutating' | 'validating',
  fields: object = {},
): Promise<{ hooks: HookServer; path: string }> {
  const hooks = await HookServer.start(api);
  await hooks.configure(kind, [hooks.hook('h', { rules: CONFIG_MAPS, ...fields })]);
  return { hooks, path: configMaps(hooks.namespace) };
}

/** A webhook of each kind for everything in a new namespace. */
async function withBoth(api: Api): Promise<HookServer> {
  const hooks = await HookServer.start(api);
  // What has no metadata, such as PodExecOptions, is selected by an empty selector only.
  await hooks.configure('mutating', [hooks.hook('m', { objectSelector: {} })]);
  await hooks.configure('validating', [hooks.hook('v', { objectSelector: {} })]);
  return hooks;
}

function post(api: Api, path: string, body: object, query: Record<string, string> = {}): Promise<Answer> {
  return api.request('POST', path, { body, query });
}

/** The Status of a failure inside the server. */
function internal(message: string): object {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `Internal error occurred: ${message}`,
    reason: 'InternalError',
    details: { causes: [{ message }] },
    code: 500,
  };
}

const failedCall = (why: string): object => internal(`failed calling webhook "h.example.com": ${why}`);
const invalidResponse = (why: string): object => failedCall(`received invalid webhook response: ${why}`);
const callProblem = (why: string): object => failedCall(`failed to call webhook: ${why}`);
const raw =
  (code: number, text: string, headers: Record<string, string> = {}): HookAnswer =>
  (_call, response) =>
    void response.writeHead(code, { 'content-type': 'application/json', ...headers }).end(text);
const review =
  (answer: object, top: object = {}): HookAnswer =>
  (call, response) =>
    sendReview(response, call.review, answer, top);

/** What the server says of an answer; `UID` stands for the uid of the request, `URL` for the address of the webhook. */
const ANSWERS: readonly (readonly [title: string, answer: HookAnswer, status: object])[] = [
  ['with another uid', review({ uid: 'x' }), invalidResponse('expected response.uid="UID", got "x"')],
  ['without a uid', review({ uid: undefined }), invalidResponse('expected response.uid="UID", got ""')],
  [
    'of another version',
    review({}, { apiVersion: 'admission.k8s.io/v1beta1' }),
    callProblem('converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion'),
  ],
  [
    'of another group',
    review({}, { apiVersion: 'foo/v1' }),
    callProblem('no kind "AdmissionReview" is registered for version "foo/v1" in scheme "pkg/runtime/scheme.go:111"'),
  ],
  [
    'of another kind',
    review({}, { kind: 'Foo' }),
    callProblem('no kind "Foo" is registered for version "admission.k8s.io/v1" in scheme "pkg/runtime/scheme.go:111"'),
  ],
  [
    'without kind and apiVersion',
    review({}, { kind: undefined, apiVersion: undefined }),
    invalidResponse('expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind='),
  ],
  [
    'without apiVersion',
    review({}, { apiVersion: undefined }),
    invalidResponse(
      'expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind=AdmissionReview',
    ),
  ],
  ['without a response', review({}, { response: undefined }), invalidResponse('webhook response was absent')],
  ['that is null', raw(200, 'null'), invalidResponse('webhook response was absent')],
  [
    'that is a page',
    raw(200, '<html>', { 'content-type': 'text/html' }),
    callProblem(
      'couldn\'t get version/kind; json parse error: json: cannot unmarshal string into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }',
    ),
  ],
  [
    'that is a list',
    raw(200, '[1]'),
    callProblem(
      'couldn\'t get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }',
    ),
  ],
  [
    'that is cut off',
    raw(200, '{"a":'),
    callProblem("couldn't get version/kind; json parse error: unexpected end of JSON input"),
  ],
  [
    'that is empty',
    raw(200, ''),
    callProblem('0-length response with status code: 200 and content type: application/json'),
  ],
  [
    'with a field of another type',
    review({ allowed: 'yes' }),
    callProblem('json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool'),
  ],
  [
    'with code 500',
    raw(500, 'boom', { 'content-type': 'text/plain' }),
    callProblem('an error on the server ("boom") has prevented the request from succeeding'),
  ],
  [
    'with code 500 and a Status',
    raw(500, '{"kind":"Status","apiVersion":"v1","status":"Failure","message":"mine","code":500}'),
    callProblem('mine'),
  ],
  ['with code 404', raw(404, 'nope'), callProblem('the server could not find the requested resource')],
  ['with code 400', raw(400, 'bad'), callProblem('the server rejected our request for an unknown reason')],
  ['with code 401', raw(401, 'x'), callProblem('the server has asked for the client to provide credentials')],
  ['with code 503', raw(503, 'x'), callProblem('the server is currently unable to handle the request')],
  [
    'that redirects to itself',
    (call, response) => void response.writeHead(307, { location: call.request.url! }).end(),
    callProblem('Post "PATH": stopped after 10 redirects'),
  ],
  ['that ends the connection', (call) => void call.request.socket.destroy(), callProblem('Post "URL?timeout=1s": EOF')],
  ['that never comes', () => {}, callProblem('Post "URL?timeout=1s": context deadline exceeded')],
  [
    'whose body never ends',
    (_call, response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('{'),
    callProblem('unexpected error when reading response body. Please retry. Original error: context deadline exceeded'),
  ],
  [
    'whose body is cut off',
    (call, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write('{"a"', () => {
        call.request.socket.destroy();
      });
    },
    callProblem('unexpected error when reading response body. Please retry. Original error: unexpected EOF'),
  ],
];

const VALIDATING: typeof ANSWERS = [
  [
    'with a patch',
    patchWith({ op: 'add', path: '/data/y', value: '2' }),
    invalidResponse('validating webhook may not return response.patch'),
  ],
  [
    'with a patchType',
    { patchType: 'JSONPatch' },
    invalidResponse('validating webhook may not return response.patchType'),
  ],
];

const replace = (path: string, value: unknown): HookAnswer => patchWith({ op: 'replace', path, value });
const MUTATING: typeof ANSWERS = [
  [
    'with a patch, but no patchType',
    { patch: patchWith({ op: 'test', path: '', value: 1 })['patch'] },
    invalidResponse('webhook returned response.patch but not response.patchType'),
  ],
  [
    'with a patchType, but no patch',
    { patchType: 'JSONPatch' },
    invalidResponse('webhook returned response.patchType but not response.patch'),
  ],
  [
    'with an empty patchType',
    { ...patchWith(), patchType: '' },
    invalidResponse('webhook returned invalid response.patchType of ""'),
  ],
  [
    'with another patchType',
    { ...patchWith({ op: 'add', path: '/data/y', value: '2' }), patchType: 'Merge' },
    failedCall('unsupported patch type "Merge"'),
  ],
  [
    'with a patch that is no list',
    { patch: Buffer.from('{"a":1}').toString('base64'), patchType: 'JSONPatch' },
    failedCall(
      'received undecodable patch in webhook response: json: cannot unmarshal object into Go value of type jsonpatch.Patch',
    ),
  ],
  [
    'with a patch that is a bool',
    { patch: Buffer.from('true').toString('base64'), patchType: 'JSONPatch' },
    failedCall(
      'received undecodable patch in webhook response: json: cannot unmarshal bool into Go value of type jsonpatch.Patch',
    ),
  ],
  [
    'with a patch that is no JSON',
    { patch: Buffer.from('[x]').toString('base64'), patchType: 'JSONPatch' },
    failedCall("received undecodable patch in webhook response: invalid character 'x' looking for beginning of value"),
  ],
  [
    'with a patch that is no base64',
    { patch: '###', patchType: 'JSONPatch' },
    callProblem('illegal base64 data at input byte 0'),
  ],
  [
    'with a test that fails',
    patchWith({ op: 'test', path: '/data/x', value: '9' }),
    internal('testing value /data/x failed: test failed'),
  ],
  [
    'that removes what is not there',
    patchWith({ op: 'remove', path: '/data/zz' }),
    internal("error in remove for path: '/data/zz': Unable to remove nonexistent key: zz: missing value"),
  ],
  [
    'that adds to what is not there',
    patchWith({ op: 'add', path: '/foo/bar', value: 1 }),
    internal('add operation does not apply: doc is missing path: "/foo/bar": missing value'),
  ],
  ['with an unknown operation', patchWith({ op: 'frob', path: '/foo' }), internal('Unexpected kind: frob')],
  [
    'that gives a map the value of a list',
    replace('/data', [1]),
    internal('json: cannot unmarshal array into Go struct field ConfigMap.data of type map[string]string'),
  ],
  [
    'that gives a text the value of a number',
    patchWith({ op: 'add', path: '/data/n', value: 1 }),
    internal('json: cannot unmarshal number into Go struct field ConfigMap.data of type string'),
  ],
  [
    'that changes apiVersion',
    replace('/apiVersion', 'v2'),
    internal('no kind "ConfigMap" is registered for version "v2" in scheme "pkg/runtime/scheme.go:111"'),
  ],
];

/** The request of a review without what differs from run to run. */
function comparable({ request }: { readonly request: ReviewedRequest }): Partial<ReviewedRequest> {
  const { uid, userInfo, ...rest } = request;
  expect(uid).toMatch(/^[0-9a-f-]{36}$/);
  expect(userInfo.groups).toContain('system:masters');
  return JSON.parse(JSON.stringify(rest), (key, value: unknown) => {
    if (key === 'managedFields') return undefined;
    if (['uid', 'resourceVersion', 'creationTimestamp', 'deletionTimestamp'].includes(key)) return 'SET';
    return value;
  }) as Partial<ReviewedRequest>;
}

/** The first cause of a refusal. */
function firstCause(answer: Answer): Partial<Cause> {
  return answer.json.details?.causes?.[0] ?? {};
}

export const area: Area = defineArea('admission webhooks', (rule) => {
  rule('a create is reviewed before and after the server completes the object', async (api) => {
    const hooks = await withBoth(api);
    const path = configMaps(hooks.namespace);
    await post(api, path, { metadata: { generateName: 'g-' }, data: { x: '1' } }, { fieldManager: 'me' });
    const [before, after] = hooks.calls.map(({ review: asked }) => comparable(asked));
    const kind = { group: '', version: 'v1', kind: 'ConfigMap' };
    const resource = { group: '', version: 'v1', resource: 'configmaps' };
    const common = {
      kind,
      resource,
      requestKind: kind,
      requestResource: resource,
      namespace: hooks.namespace,
      operation: 'CREATE',
      oldObject: null,
      dryRun: false,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'me' },
    };
    const object = { kind: 'ConfigMap', apiVersion: 'v1', data: { x: '1' } };
    const metadata = { generateName: 'g-', namespace: hooks.namespace };
    expect(before).toEqual({ ...common, object: { ...object, metadata } });
    const complete = { ...metadata, name: after?.name, uid: 'SET', creationTimestamp: 'SET' };
    expect(after).toEqual({
      ...common,
      name: expect.stringMatching(/^g-\w{5}$/),
      object: { ...object, metadata: complete },
    });
  });

  rule('an update is reviewed as it was sent, then complete, with the state before', async (api) => {
    const hooks = await withBoth(api);
    const path = configMaps(hooks.namespace);
    await post(api, path, { metadata: { name: 'a' }, data: { x: '1' } });
    hooks.take();
    await api.update(`${path}/a`, { metadata: { name: 'a' }, data: { x: '2' } }, { dryRun: 'All' });
    const [before, after] = hooks.take() as [ReviewedRequest, ReviewedRequest];
    expect(before.object.metadata.uid).toBeUndefined();
    expect(after.object.metadata.uid).toBe(after.oldObject?.metadata.uid);
    for (const request of [before, after]) {
      expect(request).toMatchObject({ operation: 'UPDATE', name: 'a', dryRun: true });
      expect(request.object.data).toEqual({ x: '2' });
      expect(request.oldObject?.data).toEqual({ x: '1' });
      expect(request.options).toEqual({ kind: 'UpdateOptions', apiVersion: 'meta.k8s.io/v1', dryRun: ['All'] });
    }
  });

  rule('a patch is an UPDATE, or a CREATE if it creates the object by apply', async (api) => {
    const hooks = await withBoth(api);
    const path = configMaps(hooks.namespace);
    const document = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' }, data: { x: '3' } };
    const query = { fieldManager: 'me', force: 'true' };
    await api.tryPatch(`${path}/b`, 'apply', document, { query });
    expect(hooks.take().map(({ operation, options }) => [operation, options])).toEqual(
      ['CREATE', 'CREATE'].map((operation) => [
        operation,
        { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'me' },
      ]),
    );
    await api.patch(`${path}/b`, 'merge', { data: { x: '4' } });
    expect(hooks.take().map(({ operation, options }) => [operation, options?.kind])).toEqual([
      ['UPDATE', 'UpdateOptions'],
      ['UPDATE', 'UpdateOptions'],
    ]);
  });

  rule(
    'a stale update is reviewed by mutating webhooks only, as is an invalid one; one of nothing by none',
    async (api) => {
      const hooks = await withBoth(api);
      const path = configMaps(hooks.namespace);
      await post(api, path, { metadata: { name: 'a' } });
      const asked = async (name: string, body: object, code: number): Promise<string[]> => {
        hooks.take();
        expect((await api.request('PUT', `${path}/${name}`, { body })).status).toBe(code);
        const called = hooks.calls.map(({ hook }) => hook);
        return called;
      };
      expect(await asked('a', { metadata: { name: 'a', resourceVersion: '1' } }, 409)).toEqual(['m']);
      expect(await asked('a', { metadata: { name: 'a' }, data: { 'x y': '' } }, 422)).toEqual(['m']);
      expect(await asked('z', { metadata: { name: 'z' } }, 404)).toEqual([]);
      expect(await asked('a', { metadata: { name: 'a' } }, 200)).toEqual(['m', 'v']);
    },
  );

  rule('a deletion is reviewed with the state before, and its options', async (api) => {
    const hooks = await withBoth(api);
    const path = configMaps(hooks.namespace);
    await post(api, path, { metadata: { name: 'a' }, data: { x: '1' } });
    hooks.take();
    await api.delete(`${path}/a`, undefined, { gracePeriodSeconds: 5, propagationPolicy: 'Background' });
    const requests = hooks.take();
    expect(requests).toHaveLength(2);
    for (const request of requests) {
      expect(request).toMatchObject({ operation: 'DELETE', name: 'a', object: null, dryRun: false });
      expect(request.oldObject?.data).toEqual({ x: '1' });
      expect(request.options).toEqual({
        kind: 'DeleteOptions',
        apiVersion: 'meta.k8s.io/v1',
        gracePeriodSeconds: 5,
        propagationPolicy: 'Background',
      });
    }
    expect((await api.request('DELETE', `${path}/a`)).status).toBe(404);
    expect(hooks.take()).toEqual([]);
  });

  rule('a pod that is deleted at once is reviewed twice, one that waits once', async (api) => {
    const hooks = await withBoth(api);
    const path = `/api/v1/namespaces/${hooks.namespace}/pods`;
    await post(api, path, { metadata: { name: 'now' }, ...POD });
    await post(api, path, { metadata: { name: 'held', finalizers: ['example.com/hold'] }, ...POD });
    hooks.take();
    const called = async (name: string): Promise<string[]> => {
      await api.delete(`${path}/${name}`, undefined, { gracePeriodSeconds: 0 });
      const hooksCalled = hooks.calls.map(({ hook }) => hook);
      hooks.take();
      return hooksCalled;
    };
    // A kube-apiserver starts over if it has begun with a state that is not the latest.
    expect((await called('now')).slice(-4)).toEqual(['m', 'v', 'm', 'v']);
    expect(await called('held')).toEqual(['m', 'v']);
    await api.patch(`${path}/held`, 'merge', { metadata: { finalizers: null } });
    expect(hooks.take().map(({ operation }) => operation)).toEqual(['UPDATE', 'UPDATE']);
  });

  rule('the objects of a collection are reviewed one by one, without names', async (api) => {
    const hooks = await withBoth(api);
    const path = configMaps(hooks.namespace);
    for (const name of ['a', 'b']) await post(api, path, { metadata: { name, labels: { mine: '' } } });
    hooks.take();
    await api.delete(path, undefined, { labelSelector: 'mine' });
    const requests = hooks.take('v');
    expect(requests.map(({ name, oldObject }) => [name, oldObject?.metadata.name]).sort()).toEqual([
      [undefined, 'a'],
      [undefined, 'b'],
    ]);
  });

  rule('subresources are reviewed with their own kinds', async (api) => {
    const hooks = await withBoth(api);
    const pods = `/api/v1/namespaces/${hooks.namespace}/pods`;
    const accounts = `/api/v1/namespaces/${hooks.namespace}/serviceaccounts`;
    const deployments = `/apis/apps/v1/namespaces/${hooks.namespace}/deployments`;
    const labels = { a: 'b' };
    const template = { metadata: { labels }, ...POD };
    await post(api, pods, { metadata: { name: 'p' }, ...POD });
    await post(api, accounts, { metadata: { name: 'sa' } });
    await post(api, deployments, { metadata: { name: 'd' }, spec: { selector: { matchLabels: labels }, template } });
    hooks.take();
    const seen = async (work: Promise<unknown>): Promise<unknown[]> => {
      await work;
      return hooks.take('m').map((request) => {
        const { operation, name, kind, subResource, object, oldObject, options } = request;
        return [operation, name, kind.kind, subResource, object.kind, oldObject?.kind, options?.kind];
      });
    };
    const status = { status: { phase: 'Running' } };
    expect(await seen(api.patch(`${pods}/p/status`, 'merge', status))).toEqual([
      ['UPDATE', 'p', 'Pod', 'status', 'Pod', 'Pod', 'UpdateOptions'],
    ]);
    expect(await seen(api.patch(`${deployments}/d/scale`, 'merge', { spec: { replicas: 3 } }))).toEqual([
      ['UPDATE', 'd', 'Scale', 'scale', 'Scale', 'Scale', 'UpdateOptions'],
    ]);
    const binding = { metadata: { name: 'p' }, target: { name: 'n' } };
    expect(await seen(post(api, `${pods}/p/binding`, binding))).toEqual([
      ['CREATE', 'p', 'Binding', 'binding', 'Binding', undefined, 'CreateOptions'],
    ]);
    expect(await seen(post(api, `${accounts}/sa/token`, { spec: {} }))).toEqual([
      ['CREATE', 'sa', 'TokenRequest', 'token', 'TokenRequest', undefined, 'CreateOptions'],
    ]);
    expect(await seen(api.request('GET', `${pods}/p/exec`, { query: { command: 'ls', container: 'c' } }))).toEqual([
      ['CONNECT', 'p', 'PodExecOptions', 'exec', 'PodExecOptions', undefined, undefined],
    ]);
    expect(await seen(api.request('GET', `${pods}/p/portforward`, { query: { ports: 80 } }))).toEqual([
      ['CONNECT', 'p', 'PodPortForwardOptions', 'portforward', 'PodPortForwardOptions', undefined, undefined],
    ]);
    expect(await seen(api.request('GET', `${pods}/p/log`))).toEqual([]);
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } };
    expect(await seen(post(api, `${pods}/p/eviction`, eviction))).toEqual([
      ['CREATE', 'p', 'Eviction', 'eviction', 'Eviction', undefined, 'CreateOptions'],
    ]);
  });

  rule('a mutating webhook changes a Scale', async (api) => {
    const hooks = await HookServer.start(api);
    const rules = [{ operations: ['*'], apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments/scale'] }];
    await hooks.configure('mutating', [hooks.hook('m', { rules })]);
    hooks.answer('m', replace('/spec/replicas', 7));
    const deployments = `/apis/apps/v1/namespaces/${hooks.namespace}/deployments`;
    const labels = { a: 'b' };
    const template = { metadata: { labels }, ...POD };
    await api.create(deployments, { metadata: { name: 'd' }, spec: { selector: { matchLabels: labels }, template } });
    const scale = await api.patch(`${deployments}/d/scale`, 'merge', { spec: { replicas: 3 } });
    expect(scale.spec.replicas).toBe(7);
    expect((await api.get(`${deployments}/d`)).spec.replicas).toBe(7);
  });

  rule('a request that a webhook refuses gets its Status', async (api) => {
    const { hooks, path } = await withHook(api, 'validating');
    const refused = async (response: object): Promise<object> => {
      hooks.answer('h', { allowed: false, ...response });
      return (await post(api, path, { metadata: { name: 'a' } })).json;
    };
    const denied = 'admission webhook "h.example.com" denied the request';
    const failure = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' };
    expect(await refused({})).toEqual({ ...failure, message: `${denied} without explanation`, code: 400 });
    const details = { causes: [{ message: 'x' }] };
    expect(await refused({ status: { code: 418, message: 'no tea', reason: 'Teapot', details } })).toEqual({
      ...failure,
      message: `${denied}: no tea`,
      reason: 'Teapot',
      details,
      code: 418,
    });
    const reason = 'Because';
    expect(await refused({ status: { reason } })).toEqual({
      ...failure,
      message: `${denied}: ${reason}`,
      reason,
      code: 400,
    });
    expect(await refused({ status: { code: 200, status: 'Success', message: 'm' } })).toEqual({
      ...failure,
      message: `${denied}: m`,
      code: 400,
    });
    expect((await api.request('GET', `${path}/a`)).status).toBe(404);
  });

  rule('a webhook can refuse deletions, also of a collection', async (api) => {
    const { hooks, path } = await withHook(api, 'validating');
    await post(api, path, { metadata: { name: 'a' } });
    hooks.answer('h', { allowed: false, status: { message: 'keep it', code: 403 } });
    for (const target of [`${path}/a`, path]) {
      const answer = await api.request('DELETE', target);
      expect([answer.status, answer.json.message]).toEqual([
        403,
        'admission webhook "h.example.com" denied the request: keep it',
      ]);
    }
    await api.get(`${path}/a`);
  });

  for (const [kind, answers] of [
    ['validating', [...ANSWERS, ...VALIDATING]],
    ['mutating', MUTATING],
  ] as const) {
    for (const [title, answer, status] of answers) {
      rule(`an answer ${title} fails the request of a ${kind} webhook`, async (api) => {
        const { hooks, path } = await withHook(api, kind, { timeoutSeconds: 1 });
        hooks.answer('h', answer);
        const failed = await post(api, path, { metadata: { name: 'a' }, data: { x: '1' } });
        const uid = String(hooks.calls[0]?.review.request.uid);
        const url = `${hooks.url}/h`;
        const said = failed.text
          .replaceAll(uid, 'UID')
          .replaceAll(url, 'URL')
          .replaceAll(/"\/[^" ]*h\?timeout=1s/g, '"PATH');
        expect(JSON.parse(said.replaceAll(/\\"\/[^" ]*h\?timeout=1s\\"/g, '\\"PATH\\"'))).toEqual(status);
        expect((await api.request('GET', `${path}/a`)).status).toBe(404);
      });
    }
  }

  rule('with failurePolicy Ignore a webhook that fails is passed over, but not one that refuses', async (api) => {
    for (const kind of ['mutating', 'validating'] as const) {
      const { hooks, path } = await withHook(api, kind, { failurePolicy: 'Ignore' });
      hooks.answer('h', raw(500, ''));
      expect((await post(api, path, { metadata: { name: 'a' } })).status).toBe(201);
      hooks.answer('h', { allowed: false });
      expect((await post(api, path, { metadata: { name: 'b' } })).status).toBe(400);
    }
  });

  rule('a webhook that cannot be reached fails the request', async (api) => {
    const { hooks, path } = await withHook(api, 'validating', { clientConfig: { url: 'https://127.0.0.1:1/x' } });
    const refused = await post(api, path, { metadata: { name: 'a' } });
    expect(refused.json).toEqual(
      callProblem('Post "https://127.0.0.1:1/x?timeout=30s": dial tcp 127.0.0.1:1: connect: connection refused'),
    );
    const untrusted = await withHook(api, 'validating', { clientConfig: { url: `${hooks.url}/h` } });
    const unverified = await post(api, untrusted.path, { metadata: { name: 'a' } });
    expect(unverified.json).toEqual(
      callProblem(
        `Post "${hooks.url}/h?timeout=30s": tls: failed to verify certificate: x509: certificate signed by unknown authority`,
      ),
    );
    const service = { namespace: hooks.namespace, name: 'none', path: '/x' };
    const unknown = await withHook(api, 'validating', { clientConfig: { service } });
    expect((await post(api, unknown.path, { metadata: { name: 'a' } })).json).toEqual(
      callProblem(`Post "https://none.${hooks.namespace}.svc:443/x?timeout=30s": service "none" not found`),
    );
  });

  rule(
    'mutating webhooks are called in the order of their names, each after the changes of the others',
    async (api) => {
      const hooks = await HookServer.start(api);
      const append =
        (text: string): HookAnswer =>
        (call, response) =>
          sendReview(
            response,
            call.review,
            patchWith({ op: 'replace', path: '/data/x', value: `${call.review.request.object.data['x']}${text}` }),
          );
      for (const name of ['b', 'c', 'a', 'd']) hooks.answer(name, append(name));
      const hook = (name: string): object => hooks.hook(name, { rules: CONFIG_MAPS });
      await hooks.configure('mutating', [hook('b'), hook('c')], 'second');
      await hooks.configure('mutating', [hook('d'), hook('a')], 'first');
      const created = await api.create(configMaps(hooks.namespace), { metadata: { name: 'm' }, data: { x: '' } });
      expect(created.data).toEqual({ x: 'dabc' });
    },
  );

  rule(
    'a webhook with reinvocationPolicy IfNeeded is called again after others have changed the object',
    async (api) => {
      const hooks = await HookServer.start(api);
      const hook = (name: string, reinvocationPolicy?: string): object =>
        hooks.hook(name, { rules: CONFIG_MAPS, ...(reinvocationPolicy && { reinvocationPolicy }) });
      await hooks.configure('mutating', [hook('a', 'IfNeeded'), hook('b'), hook('c', 'IfNeeded'), hook('d', 'Never')]);
      const called = async (changing: readonly string[]): Promise<string> => {
        for (const name of ['a', 'b', 'c', 'd']) {
          hooks.answer(
            name,
            changing.includes(name) ? patchWith({ op: 'add', path: `/data/${name}`, value: 'x' }) : {},
          );
        }
        hooks.take();
        await api.create(configMaps(hooks.namespace), { metadata: { name: api.unique('m') }, data: { o: 'x' } });
        return hooks.calls.map((call) => call.hook).join('');
      };
      expect(await called([])).toBe('abcd');
      expect(await called(['b'])).toBe('abcda');
      expect(await called(['a'])).toBe('abcd');
      expect(await called(['d'])).toBe('abcdac');
      expect(await called(['c'])).toBe('abcda');
    },
  );

  rule('what a webhook adds gets defaults, is validated, and has no manager', async (api) => {
    const hooks = await HookServer.start(api);
    await hooks.configure('mutating', [
      hooks.hook('m', {
        rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods', 'configmaps'] }],
      }),
    ]);
    hooks.answer('m', patchWith({ op: 'add', path: '/spec/containers/-', value: { name: 'side', image: 'x' } }));
    const pod = await api.create(`/api/v1/namespaces/${hooks.namespace}/pods`, { metadata: { name: 'p' }, ...POD });
    expect((pod.spec['containers'] as Doc[])[1]).toMatchObject({ name: 'side', imagePullPolicy: 'Always' });
    expect(JSON.stringify(pod.metadata.managedFields)).not.toContain('side');
    hooks.answer('m', patchWith({ op: 'add', path: '/data/a b', value: 'x' }));
    const body = { metadata: { name: 'c' }, data: { x: '1' } };
    const refused = await post(api, configMaps(hooks.namespace), body);
    expect([refused.status, firstCause(refused).field]).toEqual([422, 'data[a b]']);
  });

  rule('a webhook cannot move an object or give it system fields', async (api) => {
    const { hooks, path } = await withHook(api, 'mutating');
    const create = async (answer: HookAnswer, name: string): Promise<Answer> => {
      hooks.answer('h', answer);
      return post(api, path, { metadata: { name }, data: { x: '1' } });
    };
    const moved = await create(replace('/metadata/namespace', 'default'), 'a');
    expect([moved.status, moved.json.message]).toEqual([
      400,
      'the namespace of the provided object does not match the namespace sent on the request',
    ]);
    const versioned = await create(patchWith({ op: 'add', path: '/metadata/resourceVersion', value: '77' }), 'a');
    expect([versioned.status, versioned.json.message]).toEqual([
      500,
      'resourceVersion should not be set on objects to be created',
    ]);
    expect((await create(replace('/metadata/name', 'renamed'), 'a')).json.metadata.name).toBe('renamed');
    const forged = await create(patchWith({ op: 'add', path: '/metadata/uid', value: 'mine' }), 'b');
    expect(forged.json.metadata.uid).not.toBe('mine');
    expect((await create(patchWith({ op: 'add', path: '/foo', value: 1 }), 'c')).json.foo).toBeUndefined();
    const unnamed = await create(replace('', {}), 'd');
    expect([unnamed.status, firstCause(unnamed).message]).toEqual([
      422,
      'Required value: name or generateName is required',
    ]);
    hooks.answer('h', replace('/metadata/name', 'other'));
    const update = await api.tryPatch(`${path}/b`, 'merge', { data: { y: '1' } });
    expect([update.status, firstCause(update).field]).toEqual([422, 'metadata.name']);
    hooks.answer('h', patchWith({ op: 'add', path: '/data/y', value: '2' }));
    expect((await api.request('DELETE', `${path}/b`)).json).toEqual(
      internal(
        'admission webhook "h.example.com" attempted to modify the object, which is not supported for this operation',
      ),
    );
  });

  rule('managedFields that a webhook breaks are restored, with a warning', async (api) => {
    const { hooks, path } = await withHook(api, 'mutating');
    hooks.answer(
      'h',
      patchWith({ op: 'add', path: '/metadata/managedFields', value: [{ manager: 'x', operation: 'Foo' }] }),
    );
    const created = await post(api, path, { metadata: { name: 'a' }, data: { x: '1' } }, { fieldManager: 'me' });
    expect(created.json.metadata.managedFields).toMatchObject([{ manager: 'me', operation: 'Update' }]);
    expect(created.headers.warning).toBe(
      '299 - ".metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: operation must be `Apply` or `Update`"',
    );
  });

  rule('warnings of webhooks reach the client, also those of a refusal', async (api) => {
    for (const kind of ['mutating', 'validating'] as const) {
      const { hooks, path } = await withHook(api, kind);
      const warnings = ['first', 'with "quotes"', '\u0001bad', ''];
      hooks.answer('h', { warnings, auditAnnotations: { a: 'b', 'no key!': 'x' } });
      const created = await post(api, path, { metadata: { name: 'a' } });
      expect([created.status, created.headers.warning]).toEqual([201, '299 - "first", 299 - "with \\"quotes\\""']);
      hooks.answer('h', { allowed: false, warnings: ['so'] });
      const refused = await post(api, path, { metadata: { name: 'b' } });
      expect([refused.status, refused.headers.warning]).toEqual([400, '299 - "so"']);
    }
  });

  rule('rules choose operations, resources, subresources and scopes', async (api) => {
    const hooks = await HookServer.start(api);
    const hook = (name: string, rule: object): object =>
      hooks.hook(name, { rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], ...rule }] });
    await hooks.configure('mutating', [
      hook('all', { resources: ['*/*'] }),
      hook('main', { resources: ['*'] }),
      hook('parts', { resources: ['pods/*'] }),
      hook('status', { resources: ['*/status'] }),
      hook('creates', { operations: ['CREATE'], resources: ['pods'] }),
      hook('apps', { apiGroups: ['apps'], resources: ['*'] }),
      hook('cluster', { scope: 'Cluster', resources: ['*/*'] }),
      hook('namespaced', { scope: 'Namespaced', resources: ['*/*'] }),
    ]);
    const called = async (work: Promise<unknown>): Promise<string[]> => {
      hooks.take();
      await work;
      return hooks.calls.map((call) => call.hook).sort();
    };
    const pods = `/api/v1/namespaces/${hooks.namespace}/pods`;
    const created = await called(api.create(pods, { metadata: { name: 'p' }, ...POD }));
    expect(created).toEqual(['all', 'creates', 'main', 'namespaced', 'parts']);
    const labelled = await called(api.patch(`${pods}/p`, 'merge', { metadata: { labels: { a: 'b' } } }));
    expect(labelled).toEqual(['all', 'main', 'namespaced', 'parts']);
    const ran = await called(api.patch(`${pods}/p/status`, 'merge', { status: { phase: 'Running' } }));
    expect(ran).toEqual(['all', 'namespaced', 'parts', 'status']);
    const own = await called(
      api.patch(`/api/v1/namespaces/${hooks.namespace}`, 'merge', { metadata: { labels: { a: 'b' } } }),
    );
    expect(own).toEqual(['all', 'cluster', 'main']);
  });

  rule('matchPolicy Equivalent reviews a request in the version of the rule, Exact does not', async (api) => {
    const hooks = await HookServer.start(api);
    const rules = [
      { operations: ['*'], apiGroups: ['autoscaling'], apiVersions: ['v1'], resources: ['horizontalpodautoscalers'] },
    ];
    await hooks.configure('mutating', [
      hooks.hook('equivalent', { rules }),
      hooks.hook('exact', { rules, matchPolicy: 'Exact' }),
    ]);
    hooks.answer('equivalent', patchWith({ op: 'replace', path: '/spec/targetCPUUtilizationPercentage', value: 33 }));
    const path = `/apis/autoscaling/v2/namespaces/${hooks.namespace}/horizontalpodautoscalers`;
    const scaleTargetRef = { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' };
    const target = { type: 'Utilization', averageUtilization: 50 };
    const metrics = [{ type: 'Resource', resource: { name: 'cpu', target } }];
    const created = await api.create(path, {
      metadata: { name: 'a' },
      spec: { scaleTargetRef, maxReplicas: 3, metrics },
    });
    expect(hooks.calls.map((call) => call.hook)).toEqual(['equivalent']);
    const [request] = hooks.take();
    expect(request).toMatchObject({
      kind: { group: 'autoscaling', version: 'v1', kind: 'HorizontalPodAutoscaler' },
      resource: { group: 'autoscaling', version: 'v1', resource: 'horizontalpodautoscalers' },
      requestKind: { version: 'v2' },
      requestResource: { version: 'v2' },
      object: { apiVersion: 'autoscaling/v1', spec: { targetCPUUtilizationPercentage: 50 } },
    });
    expect(created.spec['metrics']).toMatchObject([{ resource: { target: { averageUtilization: 33 } } }]);
  });

  rule('an objectSelector looks at the state before and after', async (api) => {
    const { hooks, path } = await withHook(api, 'validating', { objectSelector: { matchLabels: { watched: 'yes' } } });
    const called = async (work: Promise<unknown>): Promise<number> => {
      await work;
      return hooks.take().length;
    };
    const label = (watched: string | null): object => ({ metadata: { labels: { watched } } });
    expect(await called(api.create(path, { metadata: { name: 'a' } }))).toBe(0);
    expect(await called(api.patch(`${path}/a`, 'merge', { data: { x: '1' } }))).toBe(0);
    expect(await called(api.patch(`${path}/a`, 'merge', label('yes')))).toBe(1);
    expect(await called(api.patch(`${path}/a`, 'merge', label(null)))).toBe(1);
    expect(await called(api.patch(`${path}/a`, 'merge', label('yes')))).toBe(1);
    expect(await called(api.delete(`${path}/a`))).toBe(1);
  });

  rule('matchConditions decide with CEL; one that fails refuses the request', async (api) => {
    const asked = async (expressions: readonly string[], fields: object = {}): Promise<[number, number, string]> => {
      const matchConditions = expressions.map((expression, at) => ({ name: `c${at}`, expression }));
      const { hooks, path } = await withHook(api, 'validating', { matchConditions, ...fields });
      const answer = await post(api, path, { metadata: { name: 'a', labels: { k: 'v' } }, data: { x: '1' } });
      return [answer.status, hooks.calls.length, answer.status === 201 ? '' : answer.json.message];
    };
    const yes = [
      'object.metadata.labels.k == "v" && oldObject == null',
      'request.operation == "CREATE" && request.kind.kind == "ConfigMap" && request.name == "a"',
      'request.userInfo.groups.exists(g, g == "system:masters") && !request.dryRun',
      'authorizer.group("").resource("pods").namespace("default").check("get").allowed()',
      'authorizer.requestResource.check("create").allowed() && authorizer.path("/healthz").check("get").allowed()',
      '!has(request.subResource) && size(object.data) == 1 && "x" in object.data',
    ];
    expect(await asked(yes)).toEqual([201, 1, '']);
    expect(await asked(['request.userInfo.username == "stranger"', 'object.foo.bar == 1'])).toEqual([201, 0, '']);
    expect(await asked(['object.data.zz == "1"', 'true'])).toEqual([
      403,
      0,
      'configmaps "a" is forbidden: expression \'object.data.zz == "1"\' resulted in error: no such key: zz',
    ]);
    expect(await asked(['object.data.zz == "1"', 'object.data.yy == "1"'])).toEqual([
      403,
      0,
      'configmaps "a" is forbidden: [expression \'object.data.zz == "1"\' resulted in error: no such key: zz, expression \'object.data.yy == "1"\' resulted in error: no such key: yy]',
    ]);
    expect(await asked(['object.data.zz == "1"'], { failurePolicy: 'Ignore' })).toEqual([201, 0, '']);
  });

  rule('no validating webhook is called if the matchConditions of one fail', async (api) => {
    const hooks = await HookServer.start(api);
    const matchConditions = [{ name: 'c', expression: 'object.data.zz == "1"' }];
    await hooks.configure('validating', [hooks.hook('first'), hooks.hook('second', { matchConditions })]);
    const answer = await post(api, `/api/v1/namespaces/${hooks.namespace}/configmaps`, {
      metadata: { name: 'a' },
      data: {},
    });
    expect([answer.status, hooks.calls.length]).toEqual([403, 0]);
  });

  rule('a matchCondition must be an expression about the request, with the value of a bool', async (api) => {
    const hooks = await HookServer.start(api);
    const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
    const causes = async (expression: string): Promise<string[]> => {
      const webhook = hooks.hook('h', { matchConditions: [{ name: 'c', expression }] });
      const answer = await post(
        api,
        path,
        { metadata: { name: api.unique('c') }, webhooks: [webhook] },
        { dryRun: 'All' },
      );
      expect(answer.status).toBe(422);
      return (answer.json.details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`);
    };
    const field = 'webhooks[0].matchConditions[0].expression';
    expect(await causes('object.foo')).toEqual([
      `${field}: Invalid value: "object.foo": must evaluate to bool but got dyn`,
    ]);
    expect(await causes('params.x == 1')).toEqual([
      `${field}: Invalid value: "params.x == 1": compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container '')\n | params.x == 1\n | ^`,
    ]);
    expect(await causes('request.nothing == 1')).toEqual([
      `${field}: Invalid value: "request.nothing == 1": compilation failed: ERROR: <input>:1:8: undefined field 'nothing'\n | request.nothing == 1\n | .......^`,
    ]);
  });

  rule('webhook configurations are never reviewed', async (api) => {
    const hooks = await HookServer.start(api);
    const rules = [
      { operations: ['*'], apiGroups: ['admissionregistration.k8s.io'], apiVersions: ['*'], resources: ['*/*'] },
    ];
    await hooks.configure('validating', [hooks.hook('all', { rules })]);
    const name = await hooks.configure('mutating', [hooks.hook('m')]);
    const path = `/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/${name}`;
    await api.patch(path, 'merge', { metadata: { labels: { a: 'b' } } });
    expect(hooks.foreign.filter(({ hook }) => hook === 'all')).toHaveLength(0);
  });

  rule('a custom resource is reviewed, changed and refused as others are', async (api) => {
    const hooks = await HookServer.start(api);
    const group = `${api.unique('g')}.example.com`;
    const definition = {
      metadata: { name: `things.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural: 'things', kind: 'Thing' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: {
                  spec: {
                    type: 'object',
                    properties: { size: { type: 'integer' }, color: { type: 'string', default: 'red' } },
                  },
                },
              },
            },
          },
        ],
      },
    };
    await api.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
    api.remove(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.${group}`);
    const path = `/apis/${group}/v1/namespaces/${hooks.namespace}/things`;
    await api.whenAnswer(path, (status) => status === 200);
    await hooks.configure('mutating', [
      hooks.hook('m', {
        rules: [{ operations: ['*'], apiGroups: [group], apiVersions: ['v1'], resources: ['things'] }],
      }),
    ]);
    hooks.answer('m', patchWith({ op: 'add', path: '/spec', value: { size: 5 } }));
    const thing = { apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name: 't' } };
    const created = await api.create(path, thing);
    expect(created.spec).toEqual({ size: 5, color: 'red' });
    hooks.answer('m', patchWith({ op: 'add', path: '/spec', value: { size: 'large' } }));
    const refused = await post(api, path, { ...thing, metadata: { name: 'u' } });
    expect([refused.status, firstCause(refused).field]).toEqual([422, 'spec.size']);
  });
});
