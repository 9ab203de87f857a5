import { describe, expect, it } from 'vitest';
import type { OwnerReference } from '../meta/objects.js';
import { controllerKeys, controllerOf, ownerReference } from './owners.js';

const owner = {
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'web', namespace: 'default', uid: 'u1' },
} as never;

const reference = (fields: Partial<OwnerReference>): OwnerReference => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  name: 'web',
  uid: 'u1',
  ...fields,
});

describe('ownerReference', () => {
  it('refers to a controller that blocks its deletion, unless the options say otherwise', () => {
    const plain = { apiVersion: 'example.com/v1', kind: 'Widget', name: 'web', uid: 'u1' };
    expect(ownerReference(owner)).toEqual({ ...plain, controller: true, blockOwnerDeletion: true });
    expect(ownerReference(owner, { controller: false })).toEqual({
      ...plain,
      controller: false,
      blockOwnerDeletion: true,
    });
    expect(ownerReference(owner, { blockOwnerDeletion: false }).blockOwnerDeletion).toBe(false);
  });

  it.each([
    ['apiVersion', { kind: 'Widget', metadata: { name: 'web', uid: 'u1' } }],
    ['kind', { apiVersion: 'v1', metadata: { name: 'web', uid: 'u1' } }],
    ['metadata', { apiVersion: 'v1', kind: 'Widget' }],
    ['name', { apiVersion: 'v1', kind: 'Widget', metadata: { uid: 'u1' } }],
    ['uid', { apiVersion: 'v1', kind: 'Widget', metadata: { name: 'web' } }],
  ])('refuses an owner without %s', (_, incomplete) => {
    expect(() => ownerReference(incomplete as never)).toThrow(TypeError);
  });
});

describe('controllerOf', () => {
  it('finds the one reference with controller: true', () => {
    const controller = reference({ controller: true });
    expect(controllerOf([reference({ uid: 'u2' }), reference({ controller: false }), controller])).toBe(controller);
    expect(controllerOf([reference({}), reference({ controller: false })])).toBeUndefined();
    expect(controllerOf([])).toBeUndefined();
    expect(controllerOf(undefined)).toBeUndefined();
  });
});

describe('controllerKeys', () => {
  const widgets = { group: 'example.com', version: 'v1', resource: 'widgets', kind: 'Widget', namespaced: true };
  const controller = reference({ controller: true });
  const keyOf = (ownerReferences: readonly OwnerReference[], namespace = 'default') =>
    controllerKeys(widgets)({ namespace, ownerReferences });

  it('finds the controller in the namespace of the object, in any version of its group', () => {
    const of = controllerKeys(widgets);
    for (const apiVersion of ['example.com/v1', 'example.com/v1beta1', 'example.com/v1'])
      expect(of({ namespace: 'default', ownerReferences: [{ ...controller, apiVersion }] })).toBe('default/web');
  });

  it('passes over references without controller, of other kinds and of other groups', () => {
    expect(keyOf([reference({}), reference({ controller: false })])).toBeUndefined();
    expect(keyOf([{ ...controller, kind: 'Gadget' }])).toBeUndefined();
    expect(keyOf([{ ...controller, apiVersion: 'other.com/v1' }])).toBeUndefined();
    expect(keyOf([{ ...controller, apiVersion: '' }])).toBeUndefined();
    expect(keyOf([{ ...controller, kind: 'Gadget' }, controller])).toBe('default/web');
    expect(keyOf([])).toBeUndefined();
  });

  it('knows that a cluster-scoped controller has no namespace', () => {
    const gadgets = { ...widgets, resource: 'gadgets', kind: 'Gadget', namespaced: false };
    const ownerReferences = [reference({ controller: true, kind: 'Gadget' })];
    expect(controllerKeys(gadgets)({ namespace: 'default', ownerReferences })).toBe('web');
    expect(controllerKeys(gadgets)({ namespace: '', ownerReferences })).toBe('web');
  });
});
