import { describe, expect, it } from 'vitest';
import type { OwnerReference } from '../../meta/objects.js';
import type { ObjectFacts } from '../store/item-view.js';
import { ownerKeys } from './owner-keys.js';

const owner = (apiVersion: string, kind: string, name: string): OwnerReference => ({
  apiVersion,
  kind,
  name,
  uid: name,
});
const facts = (...ownerReferences: OwnerReference[]): ObjectFacts =>
  ({ namespace: 'default', name: 'x', ownerReferences }) as unknown as ObjectFacts;

describe('ownerKeys', () => {
  it('returns the owners of the kind in any version, of the new and the old state, each once', () => {
    const keys = ownerKeys({ group: 'apps', kind: 'Deployment' });
    const now = facts(owner('apps/v1', 'Deployment', 'web'), owner('apps/v1', 'ReplicaSet', 'rs'));
    const before = facts(owner('apps/v1beta1', 'Deployment', 'old'), owner('apps/v1', 'Deployment', 'web'));
    expect([...keys({ facts: now })]).toEqual(['default/web']);
    expect([...keys({ facts: now, oldFacts: before })]).toEqual(['default/web', 'default/old']);
    expect([...keys({ facts: facts(owner('other.io/v1', 'Deployment', 'web')) })]).toEqual([]);
  });

  it('the key of a cluster-scoped owner has no namespace', () => {
    const keys = ownerKeys({ group: 'example.com', kind: 'Tenant', namespaced: false });
    expect([...keys({ facts: facts(owner('example.com/v1', 'Tenant', 'acme')) })]).toEqual(['acme']);
  });
});
