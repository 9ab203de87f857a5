import { describe, expect, it } from 'vitest';
import { FieldOwners } from './field-managers.js';

const managed = [
  {
    manager: 'kubectl',
    operation: 'Apply',
    time: '2026-01-01T00:00:00Z',
    fieldsV1: {
      'f:spec': {
        'f:replicas': {},
        'f:containers': { 'k:{"name":"app"}': { '.': {}, 'f:image': {} } },
        'f:args': {},
      },
    },
  },
  {
    manager: 'autoscaler',
    operation: 'Update',
    subresource: 'scale',
    time: '2026-01-02T00:00:00Z',
    fieldsV1: { 'f:spec': { 'f:replicas': {} } },
  },
];

describe('FieldOwners', () => {
  it('finds the manager that owns a field, the newest first', () => {
    const owners = new FieldOwners(managed);
    expect(owners.ownerOf(['spec', 'replicas'])).toBe('autoscaler');
    expect(owners.ownerOf(['spec', 'containers', { field: 'name', value: 'app' }, 'image'])).toBe('kubectl');
    expect(owners.ownerOf(['spec', 'containers', { field: 'name', value: 'log' }, 'image'])).toBeUndefined();
    // An atomic list belongs to its owner as a whole.
    expect(owners.ownerOf(['spec', 'args', 0])).toBe('kubectl');
    expect(owners.ownerOf(['status'])).toBeUndefined();
  });

  it('lists the managers with the number of their fields', () => {
    expect(new FieldOwners(managed).managers).toEqual([
      { manager: 'autoscaler', operation: 'Update', subresource: 'scale', at: Date.UTC(2026, 0, 2), fields: 1 },
      { manager: 'kubectl', operation: 'Apply', subresource: null, at: Date.UTC(2026, 0, 1), fields: 3 },
    ]);
  });

  it('names the managers whose entries have changed', () => {
    const before = new FieldOwners(managed.slice(0, 1));
    expect(new FieldOwners(managed).changedSince(before)).toEqual(['autoscaler']);
    expect(new FieldOwners(managed).changedSince(new FieldOwners(managed))).toEqual([]);
  });

  it('reads anything that a server may send', () => {
    for (const wrong of [undefined, 'x', [null, 3, { fieldsV1: 'x', time: 'never' }, { fieldsV1: { 'k:{': {} } }]])
      expect(new FieldOwners(wrong).ownerOf(['spec', { field: 'name', value: 'a' }])).toBeUndefined();
  });
});
