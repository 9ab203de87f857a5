import { expect } from 'vitest';
import { type Area, defineArea } from '../area.js';
import { configMaps } from '../objects.js';
import { expectStatus } from '../status.js';

const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const QUALIFIED =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

/** Metadata of a config map with one mistake, and the message that the server must answer. */
interface Wrong {
  readonly title: string;
  readonly metadata: Record<string, unknown>;
  readonly field: string;
  readonly reason: string;
  readonly says: string;
}

const wrongs: readonly Wrong[] = [
  {
    title: 'a name with other characters than those of a DNS subdomain',
    metadata: { name: 'A_b' },
    field: 'metadata.name',
    reason: 'FieldValueInvalid',
    says: `Invalid value: "A_b": ${SUBDOMAIN}`,
  },
  {
    title: 'a name of more than 253 characters',
    metadata: { name: 'a'.repeat(254) },
    field: 'metadata.name',
    reason: 'FieldValueInvalid',
    says: `Invalid value: "${'a'.repeat(254)}": must be no more than 253 characters`,
  },
  {
    title: 'neither name nor generateName',
    metadata: {},
    field: 'metadata.name',
    reason: 'FieldValueRequired',
    says: 'Required value: name or generateName is required',
  },
  {
    title: 'a label key with other characters',
    metadata: { name: 'x', labels: { 'bad key!': 'v' } },
    field: 'metadata.labels',
    reason: 'FieldValueInvalid',
    says: `Invalid value: "bad key!": ${QUALIFIED}`,
  },
  {
    title: 'a label value with other characters',
    metadata: { name: 'x', labels: { key: 'bad value!' } },
    field: 'metadata.labels',
    reason: 'FieldValueInvalid',
    says: `Invalid value: "bad value!": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
  },
  {
    title: 'a label value of more than 63 characters',
    metadata: { name: 'x', labels: { key: 'v'.repeat(64) } },
    field: 'metadata.labels',
    reason: 'FieldValueInvalid',
    says: `Invalid value: "${'v'.repeat(64)}": must be no more than 63 bytes`,
  },
  {
    title: 'an annotation key with other characters',
    metadata: { name: 'x', annotations: { 'bad key!': 'v' } },
    field: 'metadata.annotations',
    reason: 'FieldValueInvalid',
    says: `Invalid value: "bad key!": ${QUALIFIED}`,
  },
  {
    title: 'annotations of more than 256 KiB together',
    metadata: { name: 'x', annotations: { a: 'v'.repeat(270_000) } },
    field: 'metadata.annotations',
    reason: 'FieldValueTooLong',
    says: 'Too long: may not be more than 262144 bytes',
  },
  {
    title: 'a finalizer that is not qualified by a domain',
    metadata: { name: 'x', finalizers: ['unqualified'] },
    field: 'metadata.finalizers[0]',
    reason: 'FieldValueInvalid',
    says: 'Invalid value: "unqualified": name is neither a standard finalizer name nor is it fully qualified',
  },
  {
    title: 'an owner without a uid',
    metadata: { name: 'x', ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'owner' }] },
    field: 'metadata.ownerReferences.uid',
    reason: 'FieldValueInvalid',
    says: 'Invalid value: "": must not be empty',
  },
];

export const area: Area = defineArea('metadata validation', (rule) => {
  for (const { title, metadata, field, reason, says } of wrongs) {
    rule(`${title}: Invalid, with the field and what is wrong as a cause`, async (api) => {
      const path = configMaps(await api.namespace());
      const name = (metadata['name'] ?? '') as string;
      const status = expectStatus(await api.request('POST', path, { body: { metadata } }), {
        code: 422,
        reason: 'Invalid',
        message: `ConfigMap "${name}" is invalid: ${field}: ${says}`,
        causes: [{ reason, field, message: says }],
      });
      expect(status.details.kind).toBe('ConfigMap');
      expect(status.details.name ?? '').toBe(name);
    });
  }

  rule('several mistakes are listed in brackets in the message, each a cause', async (api) => {
    const path = configMaps(await api.namespace());
    const body = { metadata: { name: 'A_b', labels: { 'bad key!': 'v' } } };
    const status = expectStatus(await api.request('POST', path, { body }), {
      code: 422,
      reason: 'Invalid',
      message:
        /^ConfigMap "A_b" is invalid: \[metadata\.name: Invalid value: .*, metadata\.labels: Invalid value: .*\]$/,
      causes: [{ field: 'metadata.name' }, { field: 'metadata.labels' }],
    });
    expect(status.details.causes).toHaveLength(2);
  });

  rule('a generateName that cannot begin a name is Invalid', async (api) => {
    const path = configMaps(await api.namespace());
    expectStatus(await api.request('POST', path, { body: { metadata: { generateName: 'Bad_' } } }), {
      code: 422,
      reason: 'Invalid',
      causes: [
        { reason: 'FieldValueInvalid', field: 'metadata.generateName', message: `Invalid value: "Bad_": ${SUBDOMAIN}` },
      ],
    });
  });

  rule('some kinds allow nearly any path segment as a name', async (api) => {
    const path = `/apis/rbac.authorization.k8s.io/v1/namespaces/${await api.namespace()}/roles`;
    const created = await api.create(path, { metadata: { name: 'System:Reader_1' }, rules: [] });
    expect(created.metadata.name).toBe('System:Reader_1');
    expect((await api.get(`${path}/System:Reader_1`)).metadata.uid).toBe(created.metadata.uid);
  });

  rule('labels are checked on update too', async (api) => {
    const path = configMaps(await api.namespace());
    await api.create(path, { metadata: { name: 'x' } });
    const body = { metadata: { name: 'x', labels: { 'bad key!': 'v' } } };
    expectStatus(await api.request('PUT', `${path}/x`, { body }), {
      code: 422,
      reason: 'Invalid',
      causes: [{ reason: 'FieldValueInvalid', field: 'metadata.labels' }],
    });
  });

  rule('labels are checked after a patch too', async (api) => {
    const path = configMaps(await api.namespace());
    await api.create(path, { metadata: { name: 'x' } });
    expectStatus(await api.tryPatch(`${path}/x`, 'merge', { metadata: { labels: { key: 'bad value!' } } }), {
      code: 422,
      reason: 'Invalid',
      message: /^ConfigMap "x" is invalid: metadata\.labels: Invalid value: "bad value!"/,
    });
  });
});
