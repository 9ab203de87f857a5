import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { ParseError } from './errors/errors.js';
import type { KubernetesObject, Unstructured } from './objects.js';
import {
  apiVersionOf,
  defineResource,
  groupVersionKindOf,
  parseApiVersion,
  printGroupKind,
  printGroupResource,
  printResource,
  type Resource,
} from './resource.js';

interface Widget extends KubernetesObject {
  spec: { size: number };
}

describe('apiVersion', () => {
  it('is parsed into group and version', () => {
    expect(parseApiVersion('v1')).toEqual({ group: '', version: 'v1' });
    expect(parseApiVersion('apps/v1')).toEqual({ group: 'apps', version: 'v1' });
    expect(groupVersionKindOf({ apiVersion: 'apps/v1', kind: 'Deployment' })).toEqual({
      group: 'apps',
      version: 'v1',
      kind: 'Deployment',
    });
  });

  it.each([
    ['', 0],
    ['/', 0],
    ['/v1', 0],
    ['apps/', 5],
    ['apps/v1/x', 7],
  ])('is rejected with the position of the error: %j', (text, position) => {
    expect(() => parseApiVersion(text)).toThrow(ParseError);
    expect(() => parseApiVersion(text)).toThrow(expect.objectContaining({ position, input: text, code: 'PARSE' }));
  });

  it('prints the text that it was parsed from', () => {
    const word = fc.stringMatching(/^[a-z][a-z0-9.]{0,9}$/);
    fc.assert(
      fc.property(fc.option(word, { nil: '' }), word, (group, version) => {
        expect(parseApiVersion(apiVersionOf({ group, version }))).toEqual({ group, version });
      }),
    );
  });
});

describe('printing', () => {
  it.each([
    ['', 'pods.v1', 'pods', 'Pod'],
    ['apps', 'pods.v1.apps', 'pods.apps', 'Pod.apps'],
  ])('of group %j', (group, resource, groupResource, groupKind) => {
    const all = { group, version: 'v1', resource: 'pods', kind: 'Pod' };
    expect(printResource(all)).toBe(resource);
    expect(printGroupResource(all)).toBe(groupResource);
    expect(printGroupKind(all)).toBe(groupKind);
  });
});

describe('defineResource', () => {
  const widgets = { group: 'example.com', version: 'v1', resource: 'widgets', kind: 'Widget', namespaced: true };

  it('returns a frozen copy of its argument', () => {
    const resource = defineResource<Widget>(widgets);
    expect(resource).toEqual(widgets);
    expect(Object.isFrozen(resource)).toBe(true);
    expect(defineResource<Widget>({ ...widgets, group: '' }).group).toBe('');
  });

  it('has the type of its objects', () => {
    const resource = defineResource<Widget>(widgets);
    expectTypeOf(resource).toEqualTypeOf<Resource<Widget>>();
    expectTypeOf<Resource>().toEqualTypeOf<Resource<Unstructured>>();
    const use = <T>(_resource: Resource<T>): T | undefined => undefined;
    expectTypeOf(use(resource)).toEqualTypeOf<Widget | undefined>();
    // @ts-expect-error resources of different types are not assignable
    const other: Resource<{ other: true }> = resource;
    expect(other).toBe(resource);
  });

  it.each([
    ['group', 'Example'],
    ['group', undefined],
    ['version', ''],
    ['version', '1'],
    ['resource', 'Widgets'],
    ['resource', 7],
    ['kind', ''],
    ['namespaced', 'yes'],
  ])('throws a TypeError that names the option: %s %j', (option, value) => {
    expect(() => defineResource<Widget>({ ...widgets, [option]: value } as never)).toThrow(TypeError);
    expect(() => defineResource<Widget>({ ...widgets, [option]: value } as never)).toThrow(`${option} must be`);
  });
});
