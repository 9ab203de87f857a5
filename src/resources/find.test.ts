import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type GroupVersionKind, printGroupResource, printResource } from '../meta/resource.js';
import { builtinResources, groupProperties, kubernetesVersion } from './catalogue.js';
import { findResource, matchResource } from './find.js';

const findByName = (name: string) => matchResource(name, builtinResources);
const printKind = ({ kind, version, group }: GroupVersionKind) => [kind, version, group].filter(Boolean).join('.');

describe('the catalogue', () => {
  it('has the built-in resources', () => {
    expect(kubernetesVersion).toBe('v1.36.3');
    expect(builtinResources.length).toBeGreaterThan(60);
    expect(findResource({ group: 'apps', version: 'v1', resource: 'deployments' })).toMatchObject({
      kind: 'Deployment',
      singular: 'deployment',
      property: 'deployments',
      namespaced: true,
      shortNames: ['deploy'],
      categories: ['all'],
    });
    expect(findResource({ group: '', version: 'v1', resource: 'nodes' })).toMatchObject({
      kind: 'Node',
      namespaced: false,
    });
    expect(findResource({ group: 'apps', version: 'v1', resource: 'pods' })).toBeUndefined();
  });

  it('has the kinds of subresources', () => {
    const { subresources } = findByName('deployments')!;
    expect(subresources).toEqual([
      { name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: ['get', 'patch', 'update'] },
      { name: 'status', kind: 'Deployment', verbs: ['get', 'patch', 'update'] },
    ]);
  });

  it('marks one preferred version per group', () => {
    for (const group of Object.values(groupProperties)) {
      const preferred = builtinResources.filter((entry) => entry.group === group && entry.preferred);
      expect(new Set(preferred.map((entry) => entry.version)).size, group).toBe(1);
    }
    expect(findByName('hpa')?.version).toBe('v2');
  });

  it('spells properties in camel case', () => {
    const spelling = (name: string) => findByName(name)?.property;
    expect(['cm', 'netpol', 'csidrivers', 'ip', 'servicecidrs', 'apiservices', 'crd'].map(spelling)).toEqual([
      'configMaps',
      'networkPolicies',
      'csiDrivers',
      'ipAddresses',
      'serviceCIDRs',
      'apiServices',
      'customResourceDefinitions',
    ]);
  });

  it('has no group whose property is a member of clients or factories', () => {
    const taken = [
      'acquire',
      'clock',
      'close',
      'constructor',
      'forResource',
      'metadata',
      'resolve',
      'start',
      'stop',
      'then',
      'waitForCacheSync',
    ];
    expect(Object.keys(groupProperties).filter((property) => taken.includes(property))).toEqual([]);
  });
});

describe('matchResource on the catalogue', () => {
  it.each([
    ['pods', 'Pod.v1'],
    ['pod', 'Pod.v1'],
    ['po', 'Pod.v1'],
    ['POD', 'Pod.v1'],
    ['pods.v1', 'Pod.v1'],
    ['pods.v1.', 'Pod.v1'],
    ['deployments.apps', 'Deployment.v1.apps'],
    ['deploy.v1.apps', 'Deployment.v1.apps'],
    ['ingress.networking', 'Ingress.v1.networking.k8s.io'],
    ['events', 'Event.v1'],
    ['events.events.k8s.io', 'Event.v1.events.k8s.io'],
    ['horizontalpodautoscalers.v1.autoscaling', 'HorizontalPodAutoscaler.v1.autoscaling'],
  ])('finds %s as %s', (name, kind) => {
    expect(printKind(findByName(name)!)).toBe(kind);
  });

  it.each(['', '.', 'widgets', 'pods.apps', 'pods.v2', 'deployments.v2.apps', '.apps'])(
    'finds nothing for %j',
    (name) => {
      expect(findByName(name)).toBeUndefined();
    },
  );

  it('finds every resource by its full name', () => {
    fc.assert(
      fc.property(fc.constantFrom(...builtinResources), (entry) => {
        expect(findByName(printResource(entry))).toBe(entry);
        expect(findByName(printKind(entry))).toBe(entry);
        if (entry.preferred) expect(findByName(printGroupResource(entry))?.kind).toBe(entry.kind);
      }),
    );
  });
});

describe('matchResource', () => {
  it('prefers a name to a short name, and the first of several', () => {
    const resource = (group: string, plural: string, shortNames: string[] = []) => ({
      group,
      version: 'v1',
      resource: plural,
      kind: plural,
      shortNames,
    });
    const list = [resource('a.io', 'things', ['no']), resource('b.io', 'no'), resource('c.io', 'things')];
    expect(matchResource('no', list)?.group).toBe('b.io');
    expect(matchResource('things', list)?.group).toBe('a.io');
    expect(matchResource('things.c', list)?.group).toBe('c.io');
    expect(matchResource('no.a.io', list)?.resource).toBe('things');
  });
});
