import { describe, expect, it } from 'vitest';
import { schemaOf } from '../../resources/schema.js';
import { readTyped, TypeMismatch, zeroOf } from './typed-object.js';

const pod = schemaOf({ group: '', version: 'v1', kind: 'Pod' })!;
const configMap = schemaOf({ group: '', version: 'v1', kind: 'ConfigMap' })!;
const secret = schemaOf({ group: '', version: 'v1', kind: 'Secret' })!;
const lease = schemaOf({ group: 'coordination.k8s.io', version: 'v1', kind: 'Lease' })!;
const replicaSet = schemaOf({ group: 'apps', version: 'v1', kind: 'ReplicaSet' })!;

describe('reading by type', () => {
  it('drops unknown fields, nulls, and empty optional fields', () => {
    const read = readTyped(
      {
        metadata: { anything: 'goes' },
        nonsense: 1,
        spec: {
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
      metadata: { anything: 'goes' },
      spec: { containers: [{ name: 'c' }], volumes: [{ name: 'v', emptyDir: {} }] },
    });
  });

  it('reads a null in a list as an empty item, so that no list of objects holds anything else', () => {
    const read = readTyped({ spec: { containers: [null], hostAliases: [{ ip: 'a', hostnames: [null] }] } }, pod);
    expect(read).toEqual({ spec: { containers: [{ name: '' }], hostAliases: [{ ip: 'a', hostnames: [''] }] } });
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
