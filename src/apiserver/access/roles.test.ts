import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../meta/json-values.js';
import { builtInResources } from '../resources/built-in-resources.js';
import { Registry } from '../resources/registry.js';
import { Storage } from '../storage/storage.js';
import { RbacAuthorizer } from './authorization.js';
import { storedRoles } from './roles.js';

const ada = { name: 'ada', groups: ['system:authenticated'] };
const wanted = { verb: 'get', group: '', resource: 'pods', subresource: '', namespace: 'n', name: 'a' };

describe('stored roles', () => {
  it('that are malformed allow nothing and fail no request', () => {
    const storage = new Storage({ historyLimit: 100 });
    const registry = new Registry();
    for (const resource of builtInResources(storage)) registry.add(resource);
    const put = (resource: string, namespace: string, object: JsonObject): void => {
      const { name } = object['metadata'] as { name: string };
      storage.collection(`${resource}.rbac.authorization.k8s.io`).put({ namespace, name, object, fields: {} });
    };
    const authorizer = new RbacAuthorizer(storedRoles(storage, registry));
    const subject = { kind: 'User', name: 'ada' };
    const nonsense: JsonObject[] = [
      { subjects: [null], roleRef: { kind: 'ClusterRole', name: 'cluster-admin' } },
      { subjects: 'ada', roleRef: { kind: 'ClusterRole', name: 'cluster-admin' } },
      { subjects: [{ kind: 'User', name: ['ada'] }, 5, []], roleRef: { kind: 'ClusterRole', name: 'cluster-admin' } },
      { subjects: [subject], roleRef: null },
      { subjects: [subject], roleRef: { kind: 'Role', name: 7 } },
      { subjects: [subject], roleRef: { kind: 'Role', name: 'bad' } },
      { subjects: [subject] },
    ];
    for (const [at, binding] of nonsense.entries()) {
      put('clusterrolebindings', '', { metadata: { name: `b${at}` }, ...binding });
      put('rolebindings', 'n', { metadata: { name: `b${at}`, namespace: 'n' }, ...binding });
    }
    const rules = [null, 'pods', { verbs: 'get', apiGroups: [''], resources: ['pods'] }, { verbs: [null, 'get'] }];
    put('roles', 'n', { metadata: { name: 'bad', namespace: 'n' }, rules });
    put('clusterroles', '', { metadata: { name: 'bad' }, rules: 'all' });
    expect(authorizer.mayUse(ada, wanted).allowed).toBe(false);
    expect(authorizer.mayVisit(ada, { verb: 'get', path: '/metrics' }).allowed).toBe(false);

    put('roles', 'n', {
      metadata: { name: 'bad', namespace: 'n' },
      rules: [...rules, { verbs: ['get'], apiGroups: [''], resources: ['pods'] }],
    });
    expect(authorizer.mayUse(ada, wanted).allowed).toBe(true);
  });
});
