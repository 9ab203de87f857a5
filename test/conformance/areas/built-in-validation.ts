import { expect } from 'vitest';
import { type Area, defineArea } from '../area.js';
import { deploymentBody, deployments, podBody, pods } from '../bodies.js';
import { at } from '../doc.js';
import { configMaps } from '../objects.js';
import { expectStatus } from '../status.js';

/** Rules of single built-in kinds, beyond metadata: required, forbidden and immutable fields, and defaults. */
export const area: Area = defineArea('built-in validation', (rule) => {
  rule('a key of a config map with other characters is Invalid', async (api) => {
    const body = { metadata: { name: 'one' }, data: { 'bad key': 'v' } };
    expectStatus(await api.request('POST', configMaps(await api.namespace()), { body }), {
      code: 422,
      reason: 'Invalid',
      message:
        /^ConfigMap "one" is invalid: data\[bad key\]: Invalid value: "bad key": a valid config key must consist of /,
      causes: [{ reason: 'FieldValueInvalid', field: 'data[bad key]' }],
    });
  });

  rule('a config map of more than 1 MiB is Invalid', async (api) => {
    const body = { metadata: { name: 'one' }, data: { a: 'x'.repeat(1_100_000) } };
    expectStatus(await api.request('POST', configMaps(await api.namespace()), { body }), {
      code: 422,
      reason: 'Invalid',
      message: 'ConfigMap "one" is invalid: []: Too long: may not be more than 1048576 bytes',
      causes: [{ reason: 'FieldValueTooLong' }],
    });
  });

  rule('an immutable config map keeps its data', async (api) => {
    const path = configMaps(await api.namespace());
    await api.create(path, { metadata: { name: 'one' }, immutable: true, data: { a: 'b' } });
    expectStatus(await api.tryPatch(`${path}/one`, 'merge', { data: { a: 'c' } }), {
      code: 422,
      reason: 'Invalid',
      message: 'ConfigMap "one" is invalid: data: Forbidden: field is immutable when `immutable` is set',
      causes: [{ reason: 'FieldValueForbidden', field: 'data' }],
    });
  });

  rule('an immutable config map stays immutable, but its labels may change', async (api) => {
    const path = configMaps(await api.namespace());
    await api.create(path, { metadata: { name: 'one' }, immutable: true, data: { a: 'b' } });
    expectStatus(await api.tryPatch(`${path}/one`, 'merge', { immutable: false }), {
      code: 422,
      reason: 'Invalid',
      message: 'ConfigMap "one" is invalid: immutable: Forbidden: field is immutable when `immutable` is set',
    });
    expect((await api.patch(`${path}/one`, 'merge', { metadata: { labels: { a: 'b' } } })).metadata.labels).toEqual({
      a: 'b',
    });
  });

  rule('the selector of a deployment cannot change', async (api) => {
    const path = deployments(await api.namespace());
    await api.create(path, deploymentBody('web'));
    const patch = {
      spec: {
        selector: { matchLabels: { app: null, other: 'x' } },
        template: { metadata: { labels: { other: 'x' } } },
      },
    };
    expectStatus(await api.tryPatch(`${path}/web`, 'merge', patch), {
      code: 422,
      reason: 'Invalid',
      message:
        'Deployment.apps "web" is invalid: spec.selector: Invalid value: {"matchLabels":{"other":"x"}}: field is immutable',
      details: { name: 'web', group: 'apps', kind: 'Deployment' },
      causes: [{ reason: 'FieldValueInvalid', field: 'spec.selector' }],
    });
  });

  rule('a deployment needs a selector, labels that fit it and containers', async (api) => {
    const body = { metadata: { name: 'web' }, spec: {} };
    expectStatus(await api.request('POST', deployments(await api.namespace()), { body }), {
      code: 422,
      reason: 'Invalid',
      message: /^Deployment\.apps "web" is invalid: \[/,
      details: { name: 'web', group: 'apps', kind: 'Deployment' },
      causes: [
        { reason: 'FieldValueRequired', message: 'Required value', field: 'spec.selector' },
        { reason: 'FieldValueRequired', message: 'Required value', field: 'spec.template.spec.containers' },
      ],
    });
  });

  rule('a deployment is filled in with its defaults', async (api) => {
    const created = await api.create(
      deployments(await api.namespace()),
      deploymentBody('web', { replicas: undefined }),
    );
    expect(created.spec).toMatchObject({
      replicas: 1,
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
    });
    expect(at(created, 'spec.template.spec')).toMatchObject({
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
    });
  });

  rule('a pod is filled in with its defaults and starts Pending', async (api) => {
    const created = await api.create(pods(await api.namespace()), podBody('one'));
    expect(created.spec).toMatchObject({ restartPolicy: 'Always', schedulerName: 'default-scheduler' });
    expect(at(created, 'spec.containers.0')).toMatchObject({
      imagePullPolicy: 'IfNotPresent',
      terminationMessagePath: '/dev/termination-log',
    });
    expect(created.status).toMatchObject({ phase: 'Pending', qosClass: 'BestEffort' });
  });

  rule('most of the spec of a pod cannot change', async (api) => {
    const path = pods(await api.namespace());
    await api.create(path, podBody('one'));
    expectStatus(await api.tryPatch(`${path}/one`, 'merge', { spec: { hostNetwork: true } }), {
      code: 422,
      reason: 'Invalid',
      message: /^Pod "one" is invalid: spec: Forbidden: pod updates may not change fields other than /,
      causes: [{ reason: 'FieldValueForbidden', field: 'spec' }],
    });
  });

  rule('the message for a changed pod shows the lines that differ', async (api) => {
    const path = pods(await api.namespace());
    await api.create(path, podBody('one'));
    const patch = { spec: { containers: [{ name: 'other', image: 'example.com/main:1' }] } };
    expectStatus(await api.tryPatch(`${path}/one`, 'merge', patch), {
      code: 422,
      reason: 'Invalid',
      message: /\n@@ -\d+,7 \+\d+,7 @@\n(.*\n){3}- {3}"name": "main",\n\+ {3}"name": "other",\n(.*\n){3}$/i,
    });
  });

  rule('the image of a container can change', async (api) => {
    const path = pods(await api.namespace());
    await api.create(path, podBody('one'));
    const patch = { spec: { containers: [{ name: 'main', image: 'example.com/main:2' }] } };
    const patched = await api.patch(`${path}/one`, 'strategic', patch);
    expect(at(patched, 'spec.containers.0.image')).toBe('example.com/main:2');
  });

  rule('the data of a secret must be base64', async (api) => {
    const body = { metadata: { name: 'one' }, data: { a: 'not base64!' } };
    expectStatus(await api.request('POST', `/api/v1/namespaces/${await api.namespace()}/secrets`, { body }), {
      code: 400,
      reason: 'BadRequest',
      message: /^Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte 3$/,
    });
  });

  rule('stringData of a secret is written into its data', async (api) => {
    const path = `/api/v1/namespaces/${await api.namespace()}/secrets`;
    const created = await api.create(path, { metadata: { name: 'one' }, stringData: { a: 'text' } });
    expect(created.data).toEqual({ a: Buffer.from('text').toString('base64') });
    expect(created['stringData']).toBeUndefined();
    expect(created['type']).toBe('Opaque');
  });

  rule('a service is given an address, which it keeps', async (api) => {
    const path = `/api/v1/namespaces/${await api.namespace()}/services`;
    const created = await api.create(path, { metadata: { name: 'web' }, spec: { ports: [{ port: 80 }] } });
    expect(created.spec).toMatchObject({ type: 'ClusterIP', clusterIP: expect.stringMatching(/^\d+\.\d+\.\d+\.\d+$/) });
    const patched = await api.patch(`${path}/web`, 'merge', { spec: { selector: { app: 'web' } } });
    expect(patched.spec['clusterIP']).toBe(created.spec['clusterIP']);
    await api.delete(`${path}/web`);
  });

  rule('the rules of a role binding cannot point to another role', async (api) => {
    const path = `/apis/rbac.authorization.k8s.io/v1/namespaces/${await api.namespace()}/rolebindings`;
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
    await api.create(path, { metadata: { name: 'one' }, roleRef });
    expectStatus(await api.tryPatch(`${path}/one`, 'merge', { roleRef: { name: 'edit' } }), {
      code: 422,
      reason: 'Invalid',
      message: /cannot change roleRef$/,
      causes: [{ reason: 'FieldValueInvalid', field: 'roleRef' }],
    });
  });
});
