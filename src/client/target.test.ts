import { describe, expect, it } from 'vitest';
import { Target } from './target.js';

const pods = { group: '', version: 'v1', resource: 'pods' };
const nodes = { group: '', version: 'v1', resource: 'nodes' };
const widgets = { group: 'example.com', version: 'v1', resource: 'widgets' };

describe('Target', () => {
  it('knows built-in resources by their group, version and plural', () => {
    expect(new Target(pods, 'default')).toMatchObject({ kind: 'Pod', resource: { namespaced: true } });
    expect(new Target(nodes, undefined)).toMatchObject({ kind: 'Node', resource: { namespaced: false } });
    expect(new Target(widgets, undefined)).toMatchObject({ kind: undefined, namespace: undefined });
    expect(new Target({ ...widgets, kind: 'Widget' }, 'a').kind).toBe('Widget');
    expect(String(new Target(widgets, 'a'))).toBe('widgets.example.com');
  });

  it('takes an empty namespace for none', () => {
    expect(new Target(nodes, '').namespace).toBeUndefined();
    expect(() => new Target(pods, '').checkName('web', 'get')).toThrow(
      "get pods needs a namespace, as in pods('default')",
    );
  });

  it.each([
    ['', 'the name of pods must be a string that is not empty, got ""'],
    [undefined, 'the name of pods must be a string that is not empty, got undefined'],
    ['a/b', 'the name of pods may not contain \'/\', got "a/b"'],
    ['a%2fb', 'the name of pods may not contain \'%\', got "a%2fb"'],
    ['..', 'the name of pods may not be \'..\', got ".."'],
  ])('refuses %j as a name', (name, message) => {
    expect(() => new Target(pods, 'default').checkName(name, 'get')).toThrow(new TypeError(message));
  });

  it('refuses a namespace for a cluster-scoped resource, and one that is no URL segment', () => {
    expect(() => new Target(nodes, 'default')).toThrow(new TypeError('nodes has no namespaces, got "default"'));
    expect(() => new Target(pods, 'a/b')).toThrow(TypeError);
    expect(() => new Target(pods, 7 as unknown as string)).toThrow('namespace must be a string, got 7');
  });

  it('refuses a value that is no resource', () => {
    expect(() => new Target(undefined as never, undefined)).toThrow('resource.resource must be a string');
    expect(() => new Target({ resource: 'pods', group: '' } as never, undefined)).toThrow('resource.version');
    expect(() => new Target({ resource: 'pods', version: 'v1' } as never, undefined)).toThrow('resource.group');
  });

  it('does not check the namespace of a resource whose scope is unknown', () => {
    expect(new Target(widgets, undefined).checkName('w', 'get')).toBe('w');
  });

  it('refuses objects of another namespace', () => {
    const target = new Target(pods, 'default');
    target.checkNamespaceOf({ metadata: { name: 'a' } }, 'create');
    target.checkNamespaceOf({ metadata: { name: 'a', namespace: 'default' } }, 'create');
    expect(() => target.checkNamespaceOf({ metadata: { namespace: 'other' } }, 'create')).toThrow(
      'an object of namespace "other" was given to a client of pods in namespace "default"',
    );
    expect(() => target.checkNamespaceOf({ data: {} }, 'create')).toThrow(
      new TypeError(
        "create pods needs an object with metadata, as in { metadata: { name: 'a' } }; got an object with data",
      ),
    );
    expect(() => target.checkNamespaceOf(null, 'update')).toThrow('update pods needs an object with metadata');
  });

  it('needs no metadata for access reviews', () => {
    const reviews = new Target({ group: 'authentication.k8s.io', version: 'v1', resource: 'tokenreviews' }, undefined);
    expect(reviews.metadataOf({ spec: {} }, 'create')).toEqual({});
    expect(() => reviews.metadataOf(undefined, 'create')).toThrow('needs an object with metadata');
    expect(new Target(pods, 'default').isRequest).toBe(false);
    expect(new Target(widgets, 'default').isRequest).toBe(false);
  });
});
