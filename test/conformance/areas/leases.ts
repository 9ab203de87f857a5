import { expect } from 'vitest';
import type { Api } from '../api.js';
import { type Area, defineArea } from '../area.js';
import { expectStatus } from '../status.js';

const spec = {
  holderIdentity: 'one',
  leaseDurationSeconds: 15,
  acquireTime: '2024-01-02T03:04:05.123456Z',
  renewTime: '2024-01-02T03:04:05.123456Z',
  leaseTransitions: 0,
};

async function leases(api: Api): Promise<string> {
  return `/apis/coordination.k8s.io/v1/namespaces/${await api.namespace()}/leases`;
}

export const area: Area = defineArea('leases', (rule) => {
  rule('a lease keeps its holder and its times to the microsecond', async (api) => {
    const path = await leases(api);
    const made = await api.create(path, { metadata: { name: 'a' }, spec });
    expect(made).toMatchObject({ kind: 'Lease', apiVersion: 'coordination.k8s.io/v1' });
    expect(made.spec).toEqual(spec);
    expect(made.metadata).not.toHaveProperty('generation');
  });

  rule('of two updates from the same version one wins and the other is a Conflict', async (api) => {
    const path = await leases(api);
    const made = await api.create(path, { metadata: { name: 'a' }, spec });
    const take = (holderIdentity: string): Promise<{ status: number; json: { spec: Record<string, unknown> } }> =>
      api.request('PUT', `${path}/a`, { body: { ...made, spec: { ...spec, holderIdentity } } });
    const answers = await Promise.all(['two', 'three', 'four', 'five'].map(take));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    const winner = answers.find(({ status }) => status === 200);
    expect((await api.get(`${path}/a`)).spec).toEqual(winner?.json.spec);
  });

  rule('a stale version is a Conflict that says what to do', async (api) => {
    const path = await leases(api);
    const made = await api.create(path, { metadata: { name: 'a' }, spec });
    await api.update(`${path}/a`, { ...made, spec: { ...spec, holderIdentity: 'two' } });
    expectStatus(await api.request('PUT', `${path}/a`, { body: made }), {
      code: 409,
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on leases.coordination.k8s.io "a": the object has been modified; please apply your changes to the latest version and try again',
      details: { name: 'a', group: 'coordination.k8s.io', kind: 'leases' },
    });
  });

  rule('an update of a lease that exists needs its version', async (api) => {
    const path = await leases(api);
    await api.create(path, { metadata: { name: 'a' }, spec });
    expectStatus(await api.request('PUT', `${path}/a`, { body: { metadata: { name: 'a' }, spec } }), {
      code: 422,
      reason: 'Invalid',
      message:
        'leases.coordination.k8s.io "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
      causes: [{ reason: 'FieldValueInvalid', field: 'metadata.resourceVersion' }],
    });
  });

  rule('an update of a lease that does not exist creates it, with 201', async (api) => {
    const path = await leases(api);
    const answer = await api.request('PUT', `${path}/a`, { body: { metadata: { name: 'a' }, spec } });
    expect(answer.status).toBe(201);
    expect((await api.get(`${path}/a`)).metadata.uid).toBe(answer.json.metadata.uid);
  });

  rule('of several creations one wins and the others are AlreadyExists', async (api) => {
    const path = await leases(api);
    const answers = await Promise.all(
      ['one', 'two', 'three'].map((holderIdentity) =>
        api.request('POST', path, { body: { metadata: { name: 'a' }, spec: { ...spec, holderIdentity } } }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    const loser = answers.find(({ status }) => status === 409);
    expect(loser?.json.reason).toBe('AlreadyExists');
  });

  rule('a duration must be positive, and transitions not negative', async (api) => {
    const path = await leases(api);
    const body = { metadata: { name: 'a' }, spec: { leaseDurationSeconds: 0, leaseTransitions: -1 } };
    expectStatus(await api.request('POST', path, { body }), {
      code: 422,
      reason: 'Invalid',
      causes: [
        { field: 'spec.leaseDurationSeconds', message: 'Invalid value: 0: must be greater than 0' },
        { field: 'spec.leaseTransitions', message: 'Invalid value: -1: must be greater than or equal to 0' },
      ],
    });
  });

  for (const [what, renewTime] of [
    ['that is none', 'soon'],
    ['with less than six digits of a second', '2024-01-02T03:04:05.1Z'],
  ] as const) {
    rule(`a time ${what} is a BadRequest`, async (api) => {
      const path = await leases(api);
      expectStatus(await api.request('POST', path, { body: { metadata: { name: 'a' }, spec: { renewTime } } }), {
        code: 400,
        reason: 'BadRequest',
        message: new RegExp(`^Lease in version "v1" cannot be handled as a Lease: parsing time "${renewTime}" as `),
      });
    });
  }

  rule('a renewal is seen by a watcher', async (api) => {
    const path = await leases(api);
    const made = await api.create(path, { metadata: { name: 'a' }, spec });
    const stream = await api.watch(path, { resourceVersion: made.metadata.resourceVersion });
    const renewTime = '2024-01-02T03:04:10.000001Z';
    await api.update(`${path}/a`, { ...made, spec: { ...spec, renewTime } });
    const { type, object } = await stream.expectNext();
    expect(type).toBe('MODIFIED');
    expect(object.spec).toEqual({ ...spec, renewTime });
  });
});
