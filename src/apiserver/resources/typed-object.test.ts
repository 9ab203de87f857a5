import { describe, expect, it } from 'vitest';
import { schemaOf } from '../../resources/schema.js';
import { readTyped, TypeMismatch, zeroOf } from './typed-object.js';

const pod = schemaOf({ group: '', version: 'v1', kind: 'Pod' })!;
const configMap = schemaOf({ group: '', version: 'v1', kind: 'ConfigMap' })!;
const secret = schemaOf({ group: '', version: 'v1', kind: 'Secret' })!;
const lease = schemaOf({ group: 'coordination.k8s.io', version: 'v1', kind: 'Lease' })!;
const event = schemaOf({ group: '', version: 'v1', kind: 'Event' })!;
const replicaSet = schemaOf({ group: 'apps', version: 'v1', kind: 'ReplicaSet' })!;

describe('reading by type', () => {
  it('reads bytes from lists of numbers too, and null among them as none', () => {
    const read = readTyped({ data: { b: [98], a: null, c: [] } }, secret);
    expect(JSON.stringify(read['data'])).toBe('{"a":"","b":"Yg==","c":""}');
    expect(() => readTyped({ data: { a: ['x'] } }, secret)).toThrow(
      'json: cannot unmarshal string into Go struct field Secret.data of type uint8',
    );
  });

  it('drops unknown fields, nulls and zero values of optional fields, and adds the fields that Go always prints', () => {
    const read = readTyped(
      {
        metadata: { anything: 'goes' },
        nonsense: 1,
        spec: {
          hostNetwork: false,
          hostname: '',
          priority: 0,
          nodeName: null,
          nodeSelector: {},
          tolerations: [],
          containers: [{ name: 'c', nonsense: true, env: [] }],
          volumes: [{ name: 'v', emptyDir: {} }],
        },
      },
      pod,
    );
    expect(read).toEqual({
      metadata: {},
      spec: {
        volumes: [{ name: 'v', emptyDir: {} }],
        containers: [{ name: 'c', resources: {} }],
        // A pointer in Go: zero differs from none.
        priority: 0,
      },
      status: {},
    });
    expect(Object.keys(read['spec'] as object)).toEqual(['volumes', 'containers', 'priority']);
    expect(readTyped({}, event)).toEqual({
      metadata: {},
      involvedObject: {},
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
      eventTime: null,
      reportingComponent: '',
      reportingInstance: '',
    });
  });

  it('prints times in UTC, without what Go does not keep', () => {
    const read = readTyped(
      { firstTimestamp: '2024-01-01T00:30:00.9+01:00', lastTimestamp: '0001-01-01T00:00:00Z' },
      event,
    );
    expect(read).toMatchObject({ firstTimestamp: '2023-12-31T23:30:00Z', lastTimestamp: null });
    const renewTime = '2024-01-01T00:30:00.123456+01:00';
    expect(readTyped({ spec: { renewTime } }, lease)).toEqual({
      metadata: {},
      spec: { renewTime: '2023-12-31T23:30:00.123456Z' },
    });
  });

  it('refuses integers that do not fit', () => {
    expect(() => readTyped({ spec: { replicas: 3_000_000_000 } }, replicaSet)).toThrow(
      'json: cannot unmarshal number 3000000000 into Go struct field ReplicaSetSpec.spec.replicas of type int32',
    );
    expect(() => readTyped({ spec: { replicas: 2 ** 31 } }, replicaSet)).toThrow(TypeMismatch);
    expect(readTyped({ spec: { replicas: -(2 ** 31) } }, replicaSet)).toMatchObject({ spec: { replicas: -(2 ** 31) } });
    expect(readTyped({ spec: { terminationGracePeriodSeconds: 3_000_000_000 } }, pod)).toMatchObject({
      spec: { terminationGracePeriodSeconds: 3_000_000_000 },
    });
  });

  it('reads a null in a list as an empty item, so that no list of objects holds anything else', () => {
    const read = readTyped({ spec: { containers: [null], hostAliases: [{ ip: 'a', hostnames: [null] }] } }, pod);
    expect(read['spec']).toEqual({
      containers: [{ name: '', resources: {} }],
      hostAliases: [{ ip: 'a', hostnames: [''] }],
    });
  });

  it('keeps data under any name, and numbers that are quantities as text', () => {
    const data = JSON.parse('{"__proto__":"a","constructor":"b"}');
    expect(Object.entries(readTyped({ data }, configMap)['data'] as object)).toEqual(Object.entries(data));
    const resources = { limits: { cpu: 2, memory: '1Gi' } };
    const read = readTyped({ spec: { containers: [{ name: 'c', resources }] } }, pod);
    expect(read).toMatchObject({ spec: { containers: [{ resources: { limits: { cpu: '2', memory: '1Gi' } } }] } });
  });

  it.each([
    [
      configMap,
      { data: 5 },
      'json: cannot unmarshal number into Go struct field ConfigMap.data of type map[string]string',
    ],
    [configMap, { data: { a: [] } }, 'json: cannot unmarshal array into Go struct field ConfigMap.data of type string'],
    [
      configMap,
      { immutable: 'no' },
      'json: cannot unmarshal string into Go struct field ConfigMap.immutable of type bool',
    ],
    [pod, { spec: [] }, 'json: cannot unmarshal array into Go struct field Pod.spec of type v1.PodSpec'],
    [
      pod,
      { spec: { containers: {} } },
      'json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type []v1.Container',
    ],
    [
      pod,
      { spec: { priority: 1.5 } },
      'json: cannot unmarshal number 1.5 into Go struct field PodSpec.spec.priority of type int32',
    ],
    [secret, { data: { a: 'not base64!' } }, 'illegal base64 data at input byte 3'],
    [
      lease,
      { spec: { renewTime: '2024-01-01T00:00:00Z' } },
      'parsing time "2024-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00"',
    ],
  ])('refuses what is of another type (%#)', (schema, document, message) => {
    expect(() => readTyped(document, schema)).toThrow(TypeMismatch);
    expect(() => readTyped(document, schema)).toThrow(message);
  });

  it('gives the zero value of a status', () => {
    expect(zeroOf(replicaSet.fields.get('status')!.schema)).toEqual({ replicas: 0 });
  });
});
