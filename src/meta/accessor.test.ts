import { describe, expect, expectTypeOf, it } from 'vitest';
import { type Accessor, objectAccessor as access } from './accessor.js';
import { KeyError } from './key.js';
import type { KubernetesObject } from './objects.js';

interface Pod extends KubernetesObject {
  spec: { nodeName: string };
}

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    namespace: 'default',
    name: 'web',
    uid: 'u1',
    resourceVersion: '7',
    generation: 3,
    creationTimestamp: '2024-01-01T00:00:00Z',
    deletionTimestamp: '2024-01-02T00:00:00Z',
    labels: { app: 'web' },
    annotations: { note: 'x' },
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'r1' }],
  },
  spec: { nodeName: 'n1', replicas: 2, paused: false, list: [1], nothing: null },
};

describe('objectAccessor', () => {
  it('reads every fact', () => {
    expect(access.key(pod)).toBe('default/web');
    expect(access.namespace(pod)).toBe('default');
    expect(access.name(pod)).toBe('web');
    expect(access.uid(pod)).toBe('u1');
    expect(access.resourceVersion(pod)).toBe('7');
    expect(access.generation(pod)).toBe(3);
    expect(access.creationTimestamp(pod)).toBe('2024-01-01T00:00:00Z');
    expect(access.deletionTimestamp(pod)).toBe('2024-01-02T00:00:00Z');
    expect(access.kind(pod)).toBe('Pod');
    expect(access.apiVersion(pod)).toBe('v1');
    expect(access.label(pod, 'app')).toBe('web');
    expect(access.labels(pod)).toBe(pod.metadata.labels);
    expect(access.annotation(pod, 'note')).toBe('x');
    expect(access.ownerReferences(pod)).toBe(pod.metadata.ownerReferences);
    expect(access.decode(pod)).toBe(pod);
  });

  it('returns empty values for missing fields', () => {
    const bare = { metadata: { name: undefined as unknown as string } };
    expect(access.key(bare)).toBe('');
    expect(access.namespace(bare)).toBe('');
    expect(access.name(bare)).toBe('');
    expect(access.uid(bare)).toBe('');
    expect(access.resourceVersion(bare)).toBe('');
    expect(access.generation(bare)).toBeUndefined();
    expect(access.creationTimestamp(bare)).toBeUndefined();
    expect(access.deletionTimestamp(bare)).toBeUndefined();
    expect(access.kind(bare)).toBe('');
    expect(access.apiVersion(bare)).toBe('');
    expect(access.label(bare, 'app')).toBeUndefined();
    expect(access.labels(bare)).toEqual({});
    expect(access.annotation(bare, 'note')).toBeUndefined();
    expect(access.ownerReferences(bare)).toEqual([]);
  });

  it('reads scalars by path, as text', () => {
    expect(access.field(pod, ['spec', 'nodeName'])).toBe('n1');
    expect(access.field(pod, ['spec', 'replicas'])).toBe('2');
    expect(access.field(pod, ['spec', 'paused'])).toBe('false');
    expect(access.field(pod, ['metadata', 'labels', 'app'])).toBe('web');
    for (const path of [
      ['spec'],
      ['spec', 'list'],
      ['spec', 'nothing'],
      ['spec', 'nodeName', 'length'],
      ['no', 'such'],
    ]) {
      expect(access.field(pod, path)).toBeUndefined();
    }
  });

  it('ignores inherited properties of plain objects', () => {
    for (const name of ['constructor', '__proto__', 'toString']) {
      expect(access.label(pod, name)).toBeUndefined();
      expect(access.field(pod, [name, 'name'])).toBeUndefined();
    }
  });

  it('throws a KeyError for objects without metadata', () => {
    for (const item of [undefined, null, {}, { metadata: null }, { metadata: 'x' }]) {
      expect(() => access.key(item as never)).toThrow(KeyError);
      expect(() => access.uid(item as never)).toThrow('it has no metadata');
    }
  });

  it('is assignable to accessors of every type', () => {
    const pods: Accessor<Pod, Pod> = access;
    expectTypeOf(pods.decode).returns.toEqualTypeOf<Pod>();
    expect(pods).toBe(access);
  });
});
