import { expect } from 'vitest';
import type { Api } from '../api.js';
import { type Area, defineArea } from '../area.js';
import { deploymentBody, deployments, podBody, pods } from '../bodies.js';
import type { Doc } from '../doc.js';
import { configMaps } from '../objects.js';
import { expectStatus } from '../status.js';

async function existing(api: Api, metadata = {}): Promise<{ path: string; made: Doc }> {
  const collection = configMaps(await api.namespace());
  const made = await api.create(collection, { metadata: { name: 'one', ...metadata } });
  return { path: `${collection}/one`, made };
}

async function release(api: Api, path: string): Promise<void> {
  await api.patch(path, 'merge', { metadata: { finalizers: null } });
}

/** Seconds from the second in which the request was answered to the given time. */
function secondsAhead(doc: Doc, answeredAt: string): number {
  return (Date.parse(doc.metadata.deletionTimestamp ?? '') - Date.parse(answeredAt)) / 1000;
}

export const area: Area = defineArea('delete', (rule) => {
  rule('a deletion that is complete answers with a Success that names resource, name and uid', async (api) => {
    const { path, made } = await existing(api);
    expect(await api.delete(path)).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: 'one', kind: 'configmaps', uid: made.metadata.uid },
    });
    expect((await api.request('GET', path)).status).toBe(404);
  });

  rule('the Success of a resource in a group names the group', async (api) => {
    const path = deployments(await api.namespace());
    await api.create(path, deploymentBody('web'));
    const answer = await api.delete(`${path}/web`, { propagationPolicy: 'Background' });
    expect(answer.details).toMatchObject({ name: 'web', group: 'apps', kind: 'deployments' });
  });

  rule('an object that does not exist is NotFound', async (api) => {
    expectStatus(await api.request('DELETE', `${configMaps(await api.namespace())}/absent`), {
      code: 404,
      reason: 'NotFound',
      message: 'configmaps "absent" not found',
      details: { name: 'absent', kind: 'configmaps' },
    });
  });

  rule('a second deletion is NotFound', async (api) => {
    const { path } = await existing(api);
    await api.delete(path);
    expectStatus(await api.request('DELETE', path), { code: 404, reason: 'NotFound' });
  });

  rule('of many deletions at once exactly one succeeds', async (api) => {
    const { path } = await existing(api);
    const answers = await Promise.all(Array.from({ length: 8 }, () => api.request('DELETE', path)));
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, ...Array<number>(7).fill(404)]);
  });

  rule('a uid as precondition that does not match is a Conflict', async (api) => {
    const { path, made } = await existing(api);
    expectStatus(await api.request('DELETE', path, { body: { preconditions: { uid: 'another' } } }), {
      code: 409,
      reason: 'Conflict',
      message: `Operation cannot be fulfilled on ConfigMap "one": the UID in the precondition (another) does not match the UID in record (${made.metadata.uid}). The object might have been deleted and then recreated`,
      details: { name: 'one', kind: 'ConfigMap' },
    });
    expect(await api.get(path)).toEqual(made);
  });

  rule('a resourceVersion as precondition that does not match is a Conflict', async (api) => {
    const { path, made } = await existing(api);
    expectStatus(await api.request('DELETE', path, { body: { preconditions: { resourceVersion: '1' } } }), {
      code: 409,
      reason: 'Conflict',
      message: `Operation cannot be fulfilled on ConfigMap "one": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (${made.metadata.resourceVersion}). The object might have been modified`,
      details: { name: 'one', kind: 'ConfigMap' },
    });
  });

  rule('uid and resourceVersion of the query are preconditions', async (api) => {
    const { path, made } = await existing(api);
    for (const query of [{ uid: 'another' }, { resourceVersion: '1' }]) {
      expectStatus(await api.request('DELETE', path, { query }), { code: 409, reason: 'Conflict' });
    }
    expect(await api.get(path)).toEqual(made);
  });

  rule('preconditions that match let the deletion happen', async (api) => {
    const { path, made } = await existing(api);
    const { uid, resourceVersion } = made.metadata;
    await api.delete(path, { kind: 'DeleteOptions', apiVersion: 'v1', preconditions: { uid, resourceVersion } });
    expect((await api.request('GET', path)).status).toBe(404);
  });

  rule('dryRun=All answers like a deletion and keeps the object', async (api) => {
    const { path, made } = await existing(api);
    expect((await api.delete(path, undefined, { dryRun: 'All' })).status).toBe('Success');
    expect(await api.get(path)).toEqual(made);
  });

  rule('dryRun may be given in the body', async (api) => {
    const { path, made } = await existing(api);
    await api.delete(path, { dryRun: ['All'] });
    expect(await api.get(path)).toEqual(made);
  });

  rule('an unknown dryRun is Invalid and names DeleteOptions', async (api) => {
    const { path } = await existing(api);
    expectStatus(await api.request('DELETE', path, { query: { dryRun: 'Some' } }), {
      code: 422,
      reason: 'Invalid',
      message: 'DeleteOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"',
      details: { group: 'meta.k8s.io', kind: 'DeleteOptions' },
    });
  });

  rule('malformed options are a BadRequest', async (api) => {
    const { path } = await existing(api);
    expectStatus(await api.request('DELETE', path, { rawBody: '{' }), {
      code: 400,
      reason: 'BadRequest',
      message: /json parse error/,
    });
  });

  rule('a grace period that is no number is a BadRequest', async (api) => {
    const { path } = await existing(api);
    expectStatus(await api.request('DELETE', path, { query: { gracePeriodSeconds: 'abc' } }), {
      code: 400,
      reason: 'BadRequest',
      message: 'strconv.ParseInt: parsing "abc": invalid syntax',
    });
  });

  rule('a kind without graceful deletion goes at once, whatever grace period is asked for', async (api) => {
    const { path } = await existing(api);
    expect((await api.delete(path, { gracePeriodSeconds: 30 })).kind).toBe('Status');
    expect((await api.request('GET', path)).status).toBe(404);
  });

  rule('a finalizer keeps the object and sets deletionTimestamp', async (api) => {
    const { path, made } = await existing(api, { finalizers: ['example.com/hold'] });
    const answer = await api.delete(path);
    expect(answer).toMatchObject({
      kind: 'ConfigMap',
      metadata: { uid: made.metadata.uid, deletionGracePeriodSeconds: 0 },
    });
    expect(answer.metadata.deletionTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(BigInt(answer.metadata.resourceVersion)).toBeGreaterThan(BigInt(made.metadata.resourceVersion));
    expect(await api.get(path)).toEqual(answer);
    await release(api, path);
  });

  rule('deleting again what waits for a finalizer changes nothing', async (api) => {
    const { path } = await existing(api, { finalizers: ['example.com/hold'] });
    const first = await api.delete(path);
    expect(await api.delete(path)).toEqual(first);
    await release(api, path);
  });

  rule('an update without the last finalizer removes the object', async (api) => {
    const { path } = await existing(api, { finalizers: ['example.com/hold'] });
    await api.delete(path);
    expect((await api.update(path, { metadata: { name: 'one' } })).metadata.finalizers).toBeUndefined();
    expect((await api.request('GET', path)).status).toBe(404);
  });

  rule('one finalizer of two may go, and the object stays', async (api) => {
    const { path } = await existing(api, { finalizers: ['example.com/a', 'example.com/b'] });
    await api.delete(path);
    await api.patch(path, 'merge', { metadata: { finalizers: ['example.com/b'] } });
    expect((await api.get(path)).metadata.finalizers).toEqual(['example.com/b']);
    await release(api, path);
  });

  rule('no finalizer can be added to an object that is being deleted', async (api) => {
    const { path } = await existing(api, { finalizers: ['example.com/hold'] });
    await api.delete(path);
    const body = { metadata: { name: 'one', finalizers: ['example.com/hold', 'example.com/more'] } };
    expectStatus(await api.request('PUT', path, { body }), {
      code: 422,
      reason: 'Invalid',
      message:
        'ConfigMap "one" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/more"}',
      causes: [{ reason: 'FieldValueForbidden', field: 'metadata.finalizers' }],
    });
    await release(api, path);
  });

  rule('an object that is being deleted can still be changed', async (api) => {
    const { path } = await existing(api, { finalizers: ['example.com/hold'] });
    const { metadata } = await api.delete(path);
    const changed = await api.patch(path, 'merge', { data: { still: 'here' } });
    expect(changed.data).toEqual({ still: 'here' });
    expect(changed.metadata.deletionTimestamp).toBe(metadata.deletionTimestamp);
    await release(api, path);
  });

  rule('deletionTimestamp cannot be taken back', async (api) => {
    const { path } = await existing(api, { finalizers: ['example.com/hold'] });
    const { metadata } = await api.delete(path);
    const patched = await api.patch(path, 'merge', { metadata: { deletionTimestamp: null } });
    expect(patched.metadata.deletionTimestamp).toBe(metadata.deletionTimestamp);
    await release(api, path);
  });

  for (const [policy, finalizer] of [
    ['Foreground', 'foregroundDeletion'],
    ['Orphan', 'orphan'],
  ] as const) {
    rule(`propagationPolicy ${policy} is stored as the finalizer ${finalizer}`, async (api) => {
      const { path } = await existing(api);
      const answer = await api.delete(path, { propagationPolicy: policy });
      expect(answer.metadata).toMatchObject({ finalizers: [finalizer], deletionGracePeriodSeconds: 0 });
      await release(api, path);
    });
  }

  rule('propagationPolicy Background adds no finalizer', async (api) => {
    const { path } = await existing(api);
    expect((await api.delete(path, { propagationPolicy: 'Background' })).kind).toBe('Status');
  });

  rule('propagationPolicy may be given in the query', async (api) => {
    const { path } = await existing(api);
    const answer = await api.delete(path, undefined, { propagationPolicy: 'Foreground' });
    expect(answer.metadata.finalizers).toEqual(['foregroundDeletion']);
    await release(api, path);
  });

  rule('orphanDependents is the old form of propagationPolicy Orphan', async (api) => {
    const { path } = await existing(api);
    expect((await api.delete(path, { orphanDependents: true })).metadata.finalizers).toEqual(['orphan']);
    await release(api, path);
  });

  rule('propagationPolicy and finalizers of the object are kept together', async (api) => {
    const { path } = await existing(api, { finalizers: ['example.com/hold'] });
    const answer = await api.delete(path, { propagationPolicy: 'Foreground' });
    expect([...(answer.metadata.finalizers ?? [])].sort()).toEqual(['example.com/hold', 'foregroundDeletion']);
    await release(api, path);
  });

  rule('an unknown propagationPolicy is Invalid and the message lists the known ones', async (api) => {
    const { path } = await existing(api);
    expectStatus(await api.request('DELETE', path, { query: { propagationPolicy: 'Nope' } }), {
      code: 422,
      reason: 'Invalid',
      message:
        'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Nope": supported values: "Foreground", "Background", "Orphan", "nil"',
      causes: [{ reason: 'FieldValueNotSupported', field: 'propagationPolicy' }],
    });
  });

  rule('propagationPolicy and orphanDependents together are Invalid', async (api) => {
    const { path } = await existing(api);
    const body = { propagationPolicy: 'Orphan', orphanDependents: true };
    expectStatus(await api.request('DELETE', path, { body }), {
      code: 422,
      reason: 'Invalid',
      message:
        'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set',
    });
  });

  rule('a pod that is on no node goes at once and is answered with its last state', async (api) => {
    const path = pods(await api.namespace());
    await api.create(path, podBody('loose'));
    const answer = await api.delete(`${path}/loose`);
    expect(answer).toMatchObject({ kind: 'Pod', metadata: { name: 'loose', deletionGracePeriodSeconds: 0 } });
    expect((await api.request('GET', `${path}/loose`)).status).toBe(404);
  });

  rule('a pod on a node stays for its grace period, with the time when that ends', async (api) => {
    const path = pods(await api.namespace());
    await api.create(path, podBody('placed', { nodeName: 'nowhere', terminationGracePeriodSeconds: 40 }));
    const answer = await api.request('DELETE', `${path}/placed`);
    expect(answer.json.metadata.deletionGracePeriodSeconds).toBe(40);
    expect(Math.abs(secondsAhead(answer.json, String(answer.headers['date'])) - 40)).toBeLessThanOrEqual(2);
    expect((await api.get(`${path}/placed`)).metadata.deletionTimestamp).toBe(answer.json.metadata.deletionTimestamp);
    await api.delete(`${path}/placed`, { gracePeriodSeconds: 0 });
  });

  rule('the request may shorten the grace period, and later shorten it again', async (api) => {
    const path = pods(await api.namespace());
    await api.create(path, podBody('placed', { nodeName: 'nowhere' }));
    const first = await api.delete(`${path}/placed`, { gracePeriodSeconds: 20 });
    expect(first.metadata.deletionGracePeriodSeconds).toBe(20);
    const second = await api.delete(`${path}/placed`, undefined, { gracePeriodSeconds: 10 });
    expect(second.metadata.deletionGracePeriodSeconds).toBe(10);
    await api.delete(`${path}/placed`, { gracePeriodSeconds: 0 });
  });

  rule('the grace period cannot be lengthened once it runs', async (api) => {
    const path = pods(await api.namespace());
    await api.create(path, podBody('placed', { nodeName: 'nowhere' }));
    const first = await api.delete(`${path}/placed`, { gracePeriodSeconds: 10 });
    expect(await api.delete(`${path}/placed`, { gracePeriodSeconds: 20 })).toEqual(first);
    await api.delete(`${path}/placed`, { gracePeriodSeconds: 0 });
  });

  rule('a grace period of 0 removes a pod at once', async (api) => {
    const path = pods(await api.namespace());
    await api.create(path, podBody('placed', { nodeName: 'nowhere' }));
    expect((await api.delete(`${path}/placed`, { gracePeriodSeconds: 0 })).metadata.deletionGracePeriodSeconds).toBe(0);
    expect((await api.request('GET', `${path}/placed`)).status).toBe(404);
  });

  rule('a deletion raises the generation of a kind that counts them', async (api) => {
    const path = deployments(await api.namespace());
    await api.create(path, deploymentBody('web'));
    const answer = await api.delete(`${path}/web`, { propagationPolicy: 'Foreground' });
    expect(answer.metadata.generation).toBe(2);
    await release(api, `${path}/web`);
  });
});
