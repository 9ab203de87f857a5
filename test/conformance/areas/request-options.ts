import { expect } from 'vitest';
import { type Area, defineArea } from '../area.js';
import { define } from '../definitions.js';
import { configMaps } from '../objects.js';
import { expectStatus } from '../status.js';

/** Options that cannot be read are refused: they are never ignored while the write happens. */
export const area: Area = defineArea('request options', (rule) => {
  for (const [body, message] of [
    ['{"dryRun":"All"}', 'json: cannot unmarshal string into Go struct field DeleteOptions.dryRun of type []string'],
    ['{"dryRun":[5]}', 'json: cannot unmarshal number into Go struct field DeleteOptions.dryRun of type string'],
    ['{"gracePeriodSeconds":1.5}', /cannot unmarshal number 1.5 into Go struct field DeleteOptions.gracePeriodSeconds/],
    ['{"preconditions":5}', /into Go struct field DeleteOptions.preconditions of type v1.Preconditions/],
    ['{"kind":5}', /json: cannot unmarshal number into Go struct field .kind of type string/],
    ['[]', /couldn't get version\/kind; json parse error: json: cannot unmarshal array/],
  ] as const) {
    rule(`a deletion with the options ${body} is refused, and nothing is deleted`, async (api) => {
      const path = configMaps(await api.namespace());
      await api.create(path, { metadata: { name: 'one' } });
      expectStatus(await api.request('DELETE', `${path}/one`, { rawBody: body }), {
        code: 400,
        reason: 'BadRequest',
        message,
      });
      await api.get(`${path}/one`);
    });
  }

  rule('an empty propagationPolicy or dryRun in the query is refused', async (api) => {
    const path = configMaps(await api.namespace());
    await api.create(path, { metadata: { name: 'one' } });
    for (const query of ['propagationPolicy=', 'dryRun=', 'dryRun=All&dryRun=']) {
      expectStatus(await api.request('DELETE', `${path}/one?${query}`), { code: 422, reason: 'Invalid' });
    }
    expectStatus(await api.request('DELETE', `${path}/one?gracePeriodSeconds=`), { code: 400, reason: 'BadRequest' });
    for (const query of ['dryRun=', `fieldManager=${'m'.repeat(129)}`, 'fieldManager=a%07b']) {
      const refused = await api.request('POST', `${path}?${query}`, { body: { metadata: { name: 'two' } } });
      expectStatus(refused, { code: 422, reason: 'Invalid' });
    }
    await api.get(`${path}/one`);
    expect((await api.request('GET', `${path}/two`)).status).toBe(404);
  });

  rule('any text but false and 0 for orphanDependents is true', async (api) => {
    const path = configMaps(await api.namespace());
    await api.create(path, { metadata: { name: 'one' } });
    expect((await api.request('DELETE', `${path}/one?orphanDependents=x`)).status).toBe(200);
    expect((await api.get(`${path}/one`)).metadata.finalizers).toEqual(['orphan']);
    await api.patch(`${path}/one`, 'merge', { metadata: { finalizers: null } });
  });

  rule('a dry run creates an object with a resourceVersion', async (api) => {
    const path = configMaps(await api.namespace());
    const body = { metadata: { name: 'one', resourceVersion: '5' } };
    expect((await api.create(path, body, { dryRun: 'All' })).metadata.resourceVersion).toBe('5');
    expectStatus(await api.request('POST', path, { body }), { code: 500, reason: undefined });
  });

  rule('numbers of lists must be numbers', async (api) => {
    const path = configMaps(await api.namespace());
    for (const query of ['limit=', 'limit=9223372036854775808', 'timeoutSeconds=x']) {
      expectStatus(await api.request('GET', `${path}?${query}`), { code: 400, reason: 'BadRequest' });
    }
    const message = 'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax';
    expectStatus(await api.request('GET', `${path}/one?resourceVersion=abc`), {
      code: 500,
      reason: undefined,
      message,
    });
  });

  rule('a watch with negative timeoutSeconds ends at once', async (api) => {
    const path = configMaps(await api.namespace());
    await api.create(path, { metadata: { name: 'one' } });
    const answer = await api.request('GET', `${path}?watch=1&timeoutSeconds=-1`);
    expect(answer.status).toBe(200);
    // kube-apiserver may notice the deadline before it has begun to watch.
    if (answer.text !== '')
      expect(JSON.parse(answer.text)).toMatchObject({
        type: 'ERROR',
        object: { kind: 'Status', message: expect.stringContaining('context deadline exceeded') },
      });
  });

  rule('metadata of wrong types and values is refused', async (api) => {
    const path = configMaps(await api.namespace());
    const create = (metadata: object): ReturnType<typeof api.request> =>
      api.request('POST', path, { body: { metadata: { name: 'one', ...metadata } } });
    expectStatus(await create({ creationTimestamp: 'yesterday' }), { code: 400, reason: 'BadRequest' });
    expectStatus(await create({ managedFields: 5 }), { code: 400, reason: 'BadRequest' });
    expectStatus(await create({ generation: -1 }), { code: 422, reason: 'Invalid' });
    const owner = { apiVersion: 'a/b/c', kind: 'K', name: 'n', uid: 'u' };
    expectStatus(await create({ ownerReferences: [owner] }), { code: 422, reason: 'Invalid' });
    expect((await create({ labels: { a: null } })).json.metadata.labels).toEqual({ a: '' });
  });

  rule('a patch that gives a label another type is invalid', async (api) => {
    const path = configMaps(await api.namespace());
    await api.create(path, { metadata: { name: 'one' } });
    const patch = (kind: string, body: unknown): ReturnType<typeof api.request> =>
      api.request('PATCH', `${path}/one`, { body, headers: { 'content-type': `application/${kind}+json` } });
    const labels = { metadata: { labels: { a: 5 } } };
    expectStatus(await patch('merge-patch', labels), { code: 422, reason: 'Invalid' });
    const conversion = /"map\[metadata:map\[labels:map\[a:5\]\]\]": cannot convert int64 to string/;
    expectStatus(await patch('strategic-merge-patch', labels), { code: 422, reason: 'Invalid', message: conversion });
    expectStatus(await patch('json-patch', [null]), { code: 422, reason: 'Invalid' });
    expect((await patch('merge-patch', { kind: null })).status).toBe(200);
  });

  rule('a cluster-scoped object has no namespace, whatever an update says', async (api) => {
    const namespace = await api.namespace();
    const patched = await api.patch(`/api/v1/namespaces/${namespace}`, 'merge', { metadata: { namespace: 'other' } });
    expect(patched.metadata.namespace).toBeUndefined();
  });

  rule('custom resources answer HEAD, and have messages of their own for paths and methods', async (api) => {
    const definition = await define(api);
    const collection = definition.collection(await api.namespace());
    const one = definition.widget('one');
    await api.create(collection, one);
    expect((await api.request('HEAD', collection)).status).toBe(200);
    expect((await api.request('HEAD', `${collection}/one`)).status).toBe(200);
    expectStatus(await api.request('POST', `${collection}/one`, { body: one }), { code: 409, reason: 'AlreadyExists' });
    expectStatus(await api.request('PUT', collection, { body: one }), {
      code: 400,
      reason: 'BadRequest',
      message: 'name must be provided',
    });
    const unknown = await api.request('GET', collection.replace(/\/[^/]+$/, '/nothing'));
    expect([unknown.status, unknown.text]).toEqual([404, '404 page not found\n']);
  });

  rule('the service of the API server and the priority classes of the system exist', async (api) => {
    const service = await api.get('/api/v1/namespaces/default/services/kubernetes');
    expect(service.metadata.labels).toMatchObject({ component: 'apiserver', provider: 'kubernetes' });
    const classes = '/apis/scheduling.k8s.io/v1/priorityclasses';
    expect((await api.get(`${classes}/system-node-critical`))['value']).toBe(2000001000);
    expect((await api.get(`${classes}/system-cluster-critical`))['value']).toBe(2000000000);
    await api.get('/apis/networking.k8s.io/v1/servicecidrs/kubernetes');
  });

  rule('a TokenRequest gives a token that a TokenReview accepts', async (api) => {
    const namespace = await api.namespace();
    const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
    const account = await api.create(accounts, { metadata: { name: 'robot' } });
    const { status, spec } = await api.create(`${accounts}/robot/token`, { spec: { expirationSeconds: 700 } });
    expect(spec).toEqual({
      audiences: ['https://kubernetes.default.svc'],
      expirationSeconds: 700,
      boundObjectRef: null,
    });
    const { token } = status as unknown as { token: string };
    const review = await api.create('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token } });
    expect(review.status).toMatchObject({
      authenticated: true,
      user: { username: `system:serviceaccount:${namespace}:robot`, uid: account.metadata.uid },
    });
    expectStatus(await api.request('POST', `${accounts}/robot/token`, { body: { spec: { expirationSeconds: 5 } } }), {
      code: 422,
      reason: 'Invalid',
      causes: [{ field: 'spec.expirationSeconds', message: /may not specify a duration less than 10 minutes/ }],
    });
  });
});
