import { expect } from 'vitest';
import type { Api } from '../api.js';
import { type Area, defineArea } from '../area.js';
import { deploymentBody, deployments } from '../bodies.js';
import type { Doc } from '../doc.js';
import { configMaps } from '../objects.js';
import { expectStatus } from '../status.js';

async function existing(api: Api, metadata = {}): Promise<{ path: string; made: Doc }> {
  const collection = configMaps(await api.namespace());
  const made = await api.create(collection, { metadata: { name: 'one', ...metadata }, data: { a: '1' } });
  return { path: `${collection}/one`, made };
}

const MODIFIED =
  'Operation cannot be fulfilled on configmaps "one": the object has been modified; please apply your changes to the latest version and try again';

export const area: Area = defineArea('update', (rule) => {
  rule('an update replaces the object and raises its resourceVersion', async (api) => {
    const { path, made } = await existing(api, { labels: { old: 'yes' } });
    const { resourceVersion } = made.metadata;
    const updated = await api.update(path, { metadata: { name: 'one', resourceVersion }, data: { b: '2' } });
    expect(updated.data).toEqual({ b: '2' });
    expect(updated.metadata.labels).toBeUndefined();
    expect(BigInt(updated.metadata.resourceVersion)).toBeGreaterThan(BigInt(resourceVersion));
    expect(await api.get(path)).toEqual(updated);
  });

  rule('an old resourceVersion is a Conflict and changes nothing', async (api) => {
    const { path, made } = await existing(api);
    const { resourceVersion } = made.metadata;
    const first = await api.update(path, { metadata: { name: 'one', resourceVersion }, data: { a: '2' } });
    const body = { metadata: { name: 'one', resourceVersion }, data: { a: '3' } };
    expectStatus(await api.request('PUT', path, { body }), {
      code: 409,
      reason: 'Conflict',
      message: MODIFIED,
      details: { name: 'one', kind: 'configmaps' },
    });
    expect(await api.get(path)).toEqual(first);
  });

  rule('a resourceVersion ahead of the object is a Conflict too', async (api) => {
    const { path, made } = await existing(api);
    const resourceVersion = String(BigInt(made.metadata.resourceVersion) + 1_000_000n);
    const body = { metadata: { name: 'one', resourceVersion }, data: { a: '3' } };
    expectStatus(await api.request('PUT', path, { body }), { code: 409, reason: 'Conflict', message: MODIFIED });
  });

  rule('without a resourceVersion the update is unconditional', async (api) => {
    const { path } = await existing(api);
    await api.update(path, { metadata: { name: 'one' }, data: { a: '2' } });
    expect((await api.update(path, { metadata: { name: 'one' }, data: { a: '3' } })).data).toEqual({ a: '3' });
  });

  rule('resourceVersion 0 is unconditional', async (api) => {
    const { path } = await existing(api);
    const body = { metadata: { name: 'one', resourceVersion: '0' }, data: { a: '2' } };
    expect((await api.update(path, body)).data).toEqual({ a: '2' });
  });

  rule('an update that changes nothing keeps the resourceVersion', async (api) => {
    const { path, made } = await existing(api);
    const again = await api.update(path, { metadata: { name: 'one' }, data: { a: '1' } });
    expect(again.metadata.resourceVersion).toBe(made.metadata.resourceVersion);
  });

  rule('of many updates at the same resourceVersion exactly one succeeds', async (api) => {
    const { path, made } = await existing(api);
    const { resourceVersion } = made.metadata;
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        api.request('PUT', path, { body: { metadata: { name: 'one', resourceVersion }, data: { n: String(n) } } }),
      ),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, ...Array<number>(9).fill(409)]);
  });

  rule('uid, creationTimestamp and namespace stay, also when the body leaves them out', async (api) => {
    const { path, made } = await existing(api);
    const { metadata } = await api.update(path, { metadata: { name: 'one' }, data: { a: '2' } });
    const { uid, creationTimestamp, namespace } = made.metadata;
    expect(metadata).toMatchObject({ uid, creationTimestamp, namespace });
  });

  rule('another creationTimestamp is ignored', async (api) => {
    const { path, made } = await existing(api);
    const body = { metadata: { name: 'one', creationTimestamp: '2001-01-01T00:00:00Z' }, data: { a: '2' } };
    expect((await api.update(path, body)).metadata.creationTimestamp).toBe(made.metadata.creationTimestamp);
  });

  rule('another uid is a Conflict: the object was replaced meanwhile', async (api) => {
    const { path, made } = await existing(api);
    const body = { metadata: { name: 'one', uid: 'another' }, data: { a: '2' } };
    const status = expectStatus(await api.request('PUT', path, { body }), {
      code: 409,
      reason: 'Conflict',
      message:
        /^Operation cannot be fulfilled on configmaps "one": .*UID in precondition: another, UID in object meta: /,
      details: { name: 'one', kind: 'configmaps' },
    });
    expect(status.message).toContain(made.metadata.uid);
  });

  rule('a deletionTimestamp cannot be set by an update', async (api) => {
    const { path } = await existing(api);
    const body = { metadata: { name: 'one', deletionTimestamp: '2001-01-01T00:00:00Z' }, data: { a: '2' } };
    expectStatus(await api.request('PUT', path, { body }), {
      code: 422,
      reason: 'Invalid',
      message:
        'ConfigMap "one" is invalid: metadata.deletionTimestamp: Invalid value: "2001-01-01T00:00:00Z": field is immutable',
      causes: [{ reason: 'FieldValueInvalid', field: 'metadata.deletionTimestamp' }],
    });
  });

  rule('another name than that of the URL is a BadRequest', async (api) => {
    const { path } = await existing(api);
    expectStatus(await api.request('PUT', path, { body: { metadata: { name: 'two' } } }), {
      code: 400,
      reason: 'BadRequest',
      message: 'the name of the object (two) does not match the name on the URL (one)',
    });
  });

  rule('a missing name is a BadRequest', async (api) => {
    const { path } = await existing(api);
    expectStatus(await api.request('PUT', path, { body: { data: { a: '2' } } }), {
      code: 400,
      reason: 'BadRequest',
      message: 'the name of the object (one based on URL) was undeterminable: name must be provided',
    });
  });

  rule('another namespace than that of the URL is a BadRequest', async (api) => {
    const { path } = await existing(api);
    expectStatus(await api.request('PUT', path, { body: { metadata: { name: 'one', namespace: 'elsewhere' } } }), {
      code: 400,
      reason: 'BadRequest',
      message: 'the namespace of the provided object does not match the namespace sent on the request',
    });
  });

  rule('an object that does not exist is NotFound: an update creates nothing', async (api) => {
    const path = `${configMaps(await api.namespace())}/absent`;
    expectStatus(await api.request('PUT', path, { body: { metadata: { name: 'absent' } } }), {
      code: 404,
      reason: 'NotFound',
      message: 'configmaps "absent" not found',
      details: { name: 'absent', kind: 'configmaps' },
    });
  });

  rule('a resourceVersion that is no number is refused', async (api) => {
    const { path } = await existing(api);
    const body = { metadata: { name: 'one', resourceVersion: 'abc' } };
    expectStatus(await api.request('PUT', path, { body }), {
      code: 500,
      reason: undefined,
      message: 'strconv.ParseUint: parsing "abc": invalid syntax',
    });
  });

  rule('dryRun=All answers with the new object and keeps the old one', async (api) => {
    const { path, made } = await existing(api);
    const answer = await api.update(path, { metadata: { name: 'one' }, data: { a: '2' } }, { dryRun: 'All' });
    expect(answer.data).toEqual({ a: '2' });
    expect(answer.metadata.resourceVersion).toBe(made.metadata.resourceVersion);
    expect(await api.get(path)).toEqual(made);
  });

  rule('dryRun=All still checks the resourceVersion', async (api) => {
    const { path } = await existing(api);
    const body = { metadata: { name: 'one', resourceVersion: '1' }, data: { a: '2' } };
    expectStatus(await api.request('PUT', path, { body, query: { dryRun: 'All' } }), { code: 409, reason: 'Conflict' });
  });

  rule('an unknown dryRun is Invalid and names UpdateOptions', async (api) => {
    const { path } = await existing(api);
    const answer = await api.request('PUT', path, { body: { metadata: { name: 'one' } }, query: { dryRun: 'Some' } });
    expectStatus(answer, {
      code: 422,
      reason: 'Invalid',
      message: 'UpdateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All"',
      details: { group: 'meta.k8s.io', kind: 'UpdateOptions' },
    });
  });

  rule('generation counts changes of the spec, not of metadata', async (api) => {
    const path = deployments(await api.namespace());
    await api.create(path, deploymentBody('web'));
    expect((await api.update(`${path}/web`, deploymentBody('web', { replicas: 2 }))).metadata.generation).toBe(2);
    const labelled = { ...deploymentBody('web', { replicas: 2 }), metadata: { name: 'web', labels: { a: 'b' } } };
    expect((await api.update(`${path}/web`, labelled)).metadata.generation).toBe(2);
  });

  rule('another generation in the body is ignored', async (api) => {
    const path = deployments(await api.namespace());
    await api.create(path, deploymentBody('web'));
    const body = { ...deploymentBody('web'), metadata: { name: 'web', generation: 9 } };
    expect((await api.update(`${path}/web`, body)).metadata.generation).toBe(1);
  });

  rule('the status in the body is ignored by a kind that has the subresource', async (api) => {
    const path = deployments(await api.namespace());
    await api.create(path, deploymentBody('web'));
    await api.patch(`${path}/web/status`, 'merge', { status: { replicas: 3 } });
    const updated = await api.update(`${path}/web`, { ...deploymentBody('web'), status: { replicas: 7 } });
    expect(updated.status).toEqual({ replicas: 3 });
  });
});
