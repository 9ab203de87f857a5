import { describe, expect, it } from 'vitest';
import { finish } from '../../time/steps.js';
import { patchSchemaOf } from './built-in-patch-schema.js';
import { applyStrategicMergePatch } from './strategic-merge-patch.js';

const deployment = patchSchemaOf({ group: 'apps', version: 'v1', kind: 'Deployment' });

function inPod(spec: object): Record<string, unknown> {
  return { spec: { template: { spec } } };
}

describe('patchSchemaOf', () => {
  it('merges containers by name, ports by number and volumes by name, and replaces arguments', () => {
    const before = inPod({
      containers: [{ name: 'a', image: '1', args: ['x'], ports: [{ containerPort: 1, name: 'p' }] }],
      volumes: [{ name: 'v', emptyDir: {} }],
    });
    const patch = inPod({
      containers: [{ name: 'a', args: ['y'], ports: [{ containerPort: 1, name: 'q' }] }],
      volumes: [{ $retainKeys: ['name', 'hostPath'], name: 'v', hostPath: { path: '/' } }],
    });
    expect(finish(applyStrategicMergePatch(before, patch, deployment))).toEqual(
      inPod({
        containers: [{ name: 'a', image: '1', args: ['y'], ports: [{ containerPort: 1, name: 'q' }] }],
        volumes: [{ name: 'v', hostPath: { path: '/' } }],
      }),
    );
  });

  it('merges maps, and lists of scalars that are sets', () => {
    const before = { metadata: { labels: { a: '1' }, finalizers: ['x'] } };
    const patch = { metadata: { labels: { b: '2' }, finalizers: ['y'] } };
    expect(finish(applyStrategicMergePatch(before, patch, deployment))).toEqual({
      metadata: { labels: { a: '1', b: '2' }, finalizers: ['y', 'x'] },
    });
  });

  it('knows nothing of other kinds', () => {
    expect(patchSchemaOf({ group: 'example.com', version: 'v1', kind: 'Widget' })).toBeUndefined();
  });
});
