import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Api } from '../api.js';
import { type Area, defineArea } from '../area.js';
import { at, type Doc } from '../doc.js';
import { expectStatus } from '../status.js';

const TOKEN_REVIEWS = '/apis/authentication.k8s.io/v1/tokenreviews';
const SELF_REVIEWS = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const ISSUER = 'https://kubernetes.default.svc';

interface Account {
  readonly namespace: string;
  readonly path: string;
  readonly uid: string;
}

async function account(api: Api): Promise<Account> {
  const namespace = await api.namespace();
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  const { metadata } = await api.create(path, { metadata: { name: 'robot' } });
  return { namespace, path: `${path}/robot`, uid: metadata.uid };
}

async function tokenOf(api: Api, { path }: Account, spec: object = {}): Promise<string> {
  return String(at(await api.create(`${path}/token`, { spec }), 'status.token'));
}

async function reviewed(api: Api, token: string, audiences?: readonly string[]): Promise<Record<string, unknown>> {
  const review: Doc = await api.create(TOKEN_REVIEWS, { spec: { token, audiences } });
  return at(review, 'status') as unknown as Record<string, unknown>;
}

/**
 * The review of the first token whose review is as wanted. A real server notices changes a moment later, and remembers its answer
 * to a token for ten seconds: each try has a token of its own.
 */
async function reviewedUntil(
  api: Api,
  tokens: readonly string[],
  isWanted: (status: Record<string, unknown>) => boolean,
): Promise<Record<string, unknown>> {
  let status: Record<string, unknown> = {};
  for (const [at, token] of tokens.entries()) {
    if (at > 0) await sleep(50 * at);
    status = await reviewed(api, token);
    if (isWanted(status)) break;
  }
  return status;
}

const isRefused = ({ authenticated }: Record<string, unknown>): boolean => authenticated !== true;

const POD = { spec: { serviceAccountName: 'robot', containers: [{ name: 'c', image: 'i' }] } };

export const area: Area = defineArea('tokens of service accounts', (rule) => {
  rule('a token is a credential of its account', async (api) => {
    const robot = await account(api);
    const token = await tokenOf(api, robot);
    const answer = await api.request('POST', SELF_REVIEWS, { body: {}, token });
    expect(at(answer.json, 'status.userInfo')).toEqual({
      username: `system:serviceaccount:${robot.namespace}:robot`,
      uid: robot.uid,
      groups: ['system:serviceaccounts', `system:serviceaccounts:${robot.namespace}`, 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': [expect.stringMatching(/^JTI=[0-9a-f-]{36}$/)] },
    });
    expectStatus(await api.request('GET', '/api/v1/nodes', { token }), {
      code: 403,
      reason: 'Forbidden',
      message: `nodes is forbidden: User "system:serviceaccount:${robot.namespace}:robot" cannot list resource "nodes" in API group "" at the cluster scope`,
    });
  });

  rule('a token for another audience is no credential here', async (api) => {
    const robot = await account(api);
    const token = await tokenOf(api, robot, { audiences: ['a', 'b'] });
    expectStatus(await api.request('POST', SELF_REVIEWS, { body: {}, token }), { code: 401, reason: 'Unauthorized' });
    expect(await reviewed(api, token)).toEqual({
      user: {},
      error: `[invalid bearer token, token audiences ["a" "b"] is invalid for the target audiences ["${ISSUER}"]]`,
    });
    expect(await reviewed(api, token, ['b', 'c'])).toMatchObject({ authenticated: true, audiences: ['b'] });
  });

  rule('a token ends with its account', async (api) => {
    const robot = await account(api);
    const tokens = await Promise.all(Array.from({ length: 17 }, () => tokenOf(api, robot)));
    await api.delete(robot.path);
    const gone = await reviewedUntil(api, tokens.slice(0, 8), isRefused);
    expect(gone).toEqual({ user: {}, error: '[invalid bearer token, serviceaccounts "robot" not found]' });
    const token = tokens[16];
    expectStatus(await api.request('POST', SELF_REVIEWS, { body: {}, token }), { code: 401, reason: 'Unauthorized' });
    const { metadata } = await api.create(robot.path.replace(/\/robot$/, ''), { metadata: { name: 'robot' } });
    const mismatch = `service account UID (${metadata.uid}) does not match claim (${robot.uid})`;
    const other = await reviewedUntil(api, tokens.slice(8, 16), ({ error }) => !String(error).includes('not found'));
    expect(other).toEqual({ user: {}, error: `[invalid bearer token, ${mismatch}]` });
  });

  rule('a token that is bound to a pod names it, and its node', async (api) => {
    const robot = await account(api);
    const node = api.unique('node');
    const pods = `/api/v1/namespaces/${robot.namespace}/pods`;
    const nodeUid = (await api.create('/api/v1/nodes', { metadata: { name: node } })).metadata.uid;
    api.remove(`/api/v1/nodes/${node}`);
    const pod = await api.create(pods, { metadata: { name: 'p' }, spec: { ...POD.spec, nodeName: node } });
    const boundObjectRef = { kind: 'Pod', apiVersion: 'v1', name: 'p' };
    const token = await tokenOf(api, robot, { boundObjectRef });
    expect(at((await api.request('POST', SELF_REVIEWS, { body: {}, token })).json, 'status.userInfo.extra')).toEqual({
      'authentication.kubernetes.io/credential-id': [expect.any(String)],
      'authentication.kubernetes.io/node-name': [node],
      'authentication.kubernetes.io/node-uid': [nodeUid],
      'authentication.kubernetes.io/pod-name': ['p'],
      'authentication.kubernetes.io/pod-uid': [pod.metadata.uid],
    });
  });

  for (const [kind, resource, body] of [
    ['Pod', 'pods', POD],
    ['Secret', 'secrets', {}],
  ] as const) {
    rule(`a token that is bound to a ${kind} ends with it`, async (api) => {
      const robot = await account(api);
      const path = `/api/v1/namespaces/${robot.namespace}/${resource}`;
      await api.create(path, { metadata: { name: 'bound' }, ...body });
      const spec = { boundObjectRef: { kind, apiVersion: 'v1', name: 'bound' } };
      const tokens = await Promise.all(Array.from({ length: 8 }, () => tokenOf(api, robot, spec)));
      await api.delete(`${path}/bound`, { gracePeriodSeconds: 0 });
      expect(await reviewedUntil(api, tokens, isRefused)).toEqual({
        user: {},
        error: '[invalid bearer token, service account token has been invalidated]',
      });
    });
  }

  rule('a token is bound only to a pod of its account', async (api) => {
    const robot = await account(api);
    await api.create(`/api/v1/namespaces/${robot.namespace}/pods`, {
      metadata: { name: 'p' },
      spec: { ...POD.spec, serviceAccountName: 'other' },
    });
    const ask = (boundObjectRef: object) =>
      api.request('POST', `${robot.path}/token`, { body: { spec: { boundObjectRef } } });
    expectStatus(await ask({ kind: 'Pod', apiVersion: 'v1', name: 'p' }), {
      code: 400,
      reason: 'BadRequest',
      message: 'cannot bind token for serviceaccount "robot" to pod running with different serviceaccount name.',
    });
    expectStatus(await ask({ kind: 'Pod', apiVersion: 'v1', name: 'q' }), {
      code: 404,
      reason: 'NotFound',
      message: 'pods "q" not found',
    });
    expectStatus(await ask({ kind: 'Deployment', apiVersion: 'apps/v1', name: 'q' }), {
      code: 400,
      reason: 'BadRequest',
      message: 'cannot bind token to object of type apps/v1, Kind=Deployment',
    });
  });

  rule('TokenReview knows the tokens of users', async (api) => {
    const { token } = api.target;
    expect(await reviewed(api, token)).toMatchObject({
      authenticated: true,
      user: { groups: expect.arrayContaining(['system:masters', 'system:authenticated']) },
      audiences: [ISSUER],
    });
    expect(await reviewed(api, token, ['other'])).toEqual({ user: {}, error: 'invalid bearer token' });
    expect(await reviewed(api, 'no-such-token')).toEqual({ user: {}, error: 'invalid bearer token' });
    expectStatus(await api.request('POST', TOKEN_REVIEWS, { body: { spec: {} } }), {
      code: 400,
      reason: 'BadRequest',
      message: 'token is required for TokenReview in authentication',
    });
  });

  rule('the issuer publishes the key of the tokens', async (api) => {
    const token = await tokenOf(api, await account(api));
    const { kid } = JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString());
    const path = '/openid/v1/jwks';
    const { json } = await api.request('GET', path, { headers: { accept: 'application/jwk-set+json' } });
    const { keys } = json as unknown as { keys: Record<string, string>[] };
    expect(keys).toContainEqual(expect.objectContaining({ kid, use: 'sig', kty: 'EC', crv: 'P-256', alg: 'ES256' }));
    expectStatus(await api.request('GET', path), {
      code: 406,
      reason: 'NotAcceptable',
      message: '406: Not Acceptable\n\nAvailable representations: application/jwk-set+json',
    });
  });
});
