import * as official from '@kubernetes/client-node';
import { ObjectSerializer } from '@kubernetes/client-node/dist/serializer.js';
import { describe, expect, it } from 'vitest';
import { isModelList, modelName, toModelForm } from './model-form.js';

interface ModelClass {
  getAttributeTypeMap(): readonly { readonly name: string; readonly baseName: string }[];
}

const isModelClass = (value: unknown): value is ModelClass =>
  typeof value === 'function' && typeof (value as Partial<ModelClass>).getAttributeTypeMap === 'function';

describe('the form of the model classes', () => {
  it('has the field names of all model classes', () => {
    const classes = Object.values<unknown>(official).filter(isModelClass);
    expect(classes.length).toBeGreaterThan(500);
    for (const model of classes) {
      for (const { name, baseName } of model.getAttributeTypeMap()) expect(modelName(baseName)).toBe(name);
    }
  });

  it('is the result of the serializer of the official client', () => {
    const time = '2026-01-02T03:04:05Z';
    const meta = { name: 'x', creationTimestamp: time, managedFields: [{ manager: 'm', time }], labels: { from: 'a' } };
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...meta, deletionTimestamp: time },
      spec: { containers: [{ name: 'c', image: 'i' }] },
      status: { startTime: time, containerStatuses: [{ name: 'c', state: { running: { startedAt: time } } }] },
    };
    const policy = {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: meta,
      spec: { podSelector: {}, ingress: [{ from: [{ podSelector: { matchLabels: { int: 'b' } } }] }] },
    };
    const lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: meta,
      spec: { renewTime: '2026-01-02T03:04:05.678901Z' },
    };
    for (const [type, object] of Object.entries({ V1Pod: pod, V1NetworkPolicy: policy, V1Lease: lease })) {
      const theirs = ObjectSerializer.deserialize(structuredClone(object), type);
      expect(toModelForm(structuredClone(object)), type).toEqual({ ...theirs });
    }
  });

  it('of a custom resource converts only its metadata', () => {
    const time = '2026-01-02T03:04:05Z';
    const metadata: object = { creationTimestamp: time };
    const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata, spec: { time } };
    expect(toModelForm(structuredClone(widget))).toEqual({
      ...widget,
      metadata: { creationTimestamp: new Date(time) },
    });
  });

  it('is recognized by a list, also an empty one', () => {
    expect(isModelList(new official.V1PodList())).toBe(true);
    expect(isModelList({ items: [] })).toBe(false);
    expect(isModelList({ items: [{ metadata: { creationTimestamp: '2026-01-02T03:04:05Z' } as object }] })).toBe(false);
    expect(isModelList({ items: [{ metadata: { creationTimestamp: new Date(0) } as object }] })).toBe(true);
  });
});
