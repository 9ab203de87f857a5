import { describe, expect, it } from 'vitest';
import { RuleSet } from './rule-set.js';

const configMaps = { group: '', resource: 'configmaps' };

describe('RuleSet', () => {
  it('puts resources with the same verbs into one rule, reading verbs first', () => {
    const rules = new RuleSet();
    for (const verb of ['watch', 'get', 'list']) {
      rules.add({ ...configMaps, verb });
      rules.add({ group: '', resource: 'secrets', verb });
    }
    rules.add({ group: 'apps', resource: 'deployments', verb: 'patch' });
    rules.add({ group: 'apps', resource: 'deployments', verb: 'get' });
    rules.add({ group: 'apps', resource: 'deployments', verb: 'get' });
    expect(rules.toRules()).toEqual([
      { apiGroups: [''], resources: ['configmaps', 'secrets'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: ['apps'], resources: ['deployments'], verbs: ['get', 'patch'] },
    ]);
  });

  it('keeps rules about single objects and about paths apart', () => {
    const rules = new RuleSet();
    rules.add({ ...configMaps, verb: 'get' });
    rules.add({ ...configMaps, verb: 'update', name: 'mine' });
    rules.addRule({ nonResourceURLs: ['/metrics'], verbs: ['get'] });
    expect(rules.toRules()).toEqual([
      { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] },
      { apiGroups: [''], resources: ['configmaps'], resourceNames: ['mine'], verbs: ['update'] },
      { nonResourceURLs: ['/metrics'], verbs: ['get'] },
    ]);
  });

  it('finds what no request needed, and reads * as RBAC does', () => {
    const rules = new RuleSet();
    rules.addRule({ apiGroups: [''], resources: ['configmaps', 'secrets'], verbs: ['get', 'delete'] });
    rules.addRule({ apiGroups: ['*'], resources: ['*/status'], verbs: ['*'] });
    rules.addRule({ apiGroups: [''], resources: ['pods'], resourceNames: ['a'], verbs: ['get'] });
    const unused = rules.unusedBy([
      { ...configMaps, verb: 'get', name: 'any' },
      { group: 'apps', resource: 'deployments/status', verb: 'patch', name: 'web' },
      { group: '', resource: 'pods', verb: 'get', name: 'b' },
    ]);
    expect(unused.toRules()).toEqual([
      { apiGroups: [''], resources: ['configmaps'], verbs: ['delete'] },
      { apiGroups: [''], resources: ['pods'], resourceNames: ['a'], verbs: ['get'] },
      { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'delete'] },
    ]);
  });
});
