import { expect, it } from 'vitest';
import { builtinResources, groupProperties } from './catalogue.js';
import { resources } from './resources.js';

it('has every built-in resource as a value, by group, version and name', () => {
  expect(Object.keys(resources)).toEqual(Object.keys(groupProperties));
  const found = Object.values(resources).flatMap((versions) => Object.values(versions).flatMap(Object.values));
  expect(found).toHaveLength(builtinResources.length);
  expect(resources.core.v1.namespaces).toEqual({
    group: '',
    version: 'v1',
    resource: 'namespaces',
    kind: 'Namespace',
    namespaced: false,
  });
  expect(resources.apps.v1.deployments).toMatchObject({ group: 'apps', resource: 'deployments', namespaced: true });
  expect(resources.core).toBe(resources.core);
  expect(Object.isFrozen(resources.core.v1.pods)).toBe(true);
});
