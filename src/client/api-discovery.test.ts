import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Discovery, type ServedResource } from '../apiserver/resources/discovery.js';
import { isNotFound } from '../meta/errors/error-predicates.js';
import { StatusError } from '../meta/errors/errors.js';
import { editDistance, nearNames } from '../meta/options/nearest-names.js';
import { builtinResources } from '../resources/catalogue.js';
import { FakeClock } from '../time/fake-clock.js';
import { realClock } from '../time/real-clock.js';
import { ApiDiscovery } from './api-discovery.js';

const widget: ServedResource = {
  group: 'example.com',
  version: 'v1',
  resource: 'widgets',
  singular: 'widget',
  kind: 'Widget',
  namespaced: true,
  verbs: ['get', 'list', 'watch'],
  shortNames: ['wd'],
  subresources: [{ name: 'status', kind: 'Widget', verbs: ['get'] }],
};

/** A server that answers with the discovery documents of these resources, aggregated or not. */
function server(options: { form?: 'aggregated' | 'old'; resources?: readonly ServedResource[] } = {}) {
  const clock = new FakeClock();
  const asked: string[] = [];
  const state = { resources: options.resources ?? builtinResources, broken: new Map<string, Error>() };
  const discovery = new ApiDiscovery(clock, async (path, accept, signal) => {
    asked.push(path);
    signal.throwIfAborted();
    const error = state.broken.get(path);
    if (error !== undefined) throw error;
    const document = new Discovery(state.resources).find(path, options.form === 'old' ? 'application/json' : accept);
    if (document === undefined || document === 'notAcceptable') throw StatusError.fromResponse(404, '', {});
    return JSON.parse(Buffer.from(document.body).toString());
  });
  return { clock, discovery, asked, state };
}

describe.each(['aggregated', 'old'] as const)('discovery in the %s form', (form) => {
  it('describes every built-in resource as the catalogue does', async () => {
    const { discovery } = server({ form });
    const expected = builtinResources.map(({ property: _, ...resource }) => resource);
    expect(await discovery.resources()).toEqual(expect.arrayContaining(expected));
    expect(await discovery.resources()).toHaveLength(expected.length);
  });

  it('names the groups, the core group first, the preferred version first', async () => {
    const { discovery } = server({ form });
    const groups = await discovery.groups();
    expect(groups[0]).toEqual({ name: '', versions: ['v1'], preferredVersion: 'v1' });
    expect(groups.find((group) => group.name === 'autoscaling')).toEqual({
      name: 'autoscaling',
      versions: ['v2', 'v1'],
      preferredVersion: 'v2',
    });
  });

  it.each([
    ['po', 'pods.v1.'],
    ['Pod', 'pods.v1.'],
    ['deployments.apps', 'deployments.v1.apps'],
    ['deploy', 'deployments.v1.apps'],
    ['hpa', 'horizontalpodautoscalers.v2.autoscaling'],
    ['horizontalpodautoscalers.v1.autoscaling', 'horizontalpodautoscalers.v1.autoscaling'],
    ['events', 'events.v1.'],
    ['ev.events.k8s.io', 'events.v1.events.k8s.io'],
    ['widgets.v1.example.com', 'widgets.v1.example.com'],
    ['wd', 'widgets.v1.example.com'],
  ])('resolves %s', async (name, expected) => {
    const { discovery } = server({ form, resources: [...builtinResources, widget] });
    const { resource, version, group } = await discovery.resolve(name);
    expect(`${resource}.${version}.${group}`).toBe(expected);
  });

  it('sends one request for any number of calls', async () => {
    const { discovery, asked } = server({ form });
    await Promise.all([discovery.resolve('po'), discovery.groups(), discovery.resourceOf({ group: '', kind: 'Node' })]);
    await discovery.resources();
    expect(asked.filter((path) => path === '/api' || path === '/apis')).toEqual(['/api', '/apis']);
    if (form === 'aggregated') expect(asked).toHaveLength(2);
  });
});

describe('resolving', () => {
  it('reads discovery again when it finds nothing, and finds a resource that was defined since', async () => {
    const { discovery, state, asked } = server();
    await discovery.resolve('po');
    state.resources = [...builtinResources, widget];
    expect(await discovery.resolve('Widget')).toMatchObject({
      resource: 'widgets',
      namespaced: true,
      shortNames: ['wd'],
    });
    expect(asked).toHaveLength(4);
  });

  it('reads discovery once per call', async () => {
    const { discovery, asked } = server();
    await expect(discovery.resolve('gadgets')).rejects.toSatisfy(isNotFound);
    expect(asked).toHaveLength(2);
  });

  it('names the missing resource and similar ones', async () => {
    const { discovery } = server();
    await expect(discovery.resolve('pdos')).rejects.toThrow('no resource for "pdos"; did you mean pods');
    await expect(discovery.resolve('deployment.extensions')).rejects.toThrow('did you mean deployments.apps?');
    await expect(discovery.resolve('xylophone')).rejects.toThrow(/no resource for "xylophone" \(404/);
    await expect(discovery.resourceOf({ group: 'apps', version: 'v1', kind: 'Deploymet' })).rejects.toThrow(
      'no resource for apps/v1, kind Deploymet.apps; did you mean Deployment.apps?',
    );
    await expect(discovery.describe({ group: '', version: 'v9', resource: 'pods' })).rejects.toThrow(
      'pods of version v9',
    );
  });

  it('maps kinds to resources and back', async () => {
    const { discovery } = server();
    const hpa = { group: 'autoscaling', kind: 'HorizontalPodAutoscaler' };
    expect(await discovery.resourceOf(hpa)).toMatchObject({ resource: 'horizontalpodautoscalers', version: 'v2' });
    expect(await discovery.resourceOf({ ...hpa, version: 'v1' })).toMatchObject({ version: 'v1' });
    const deployments = await discovery.describe({ group: 'apps', resource: 'deployments' });
    expect(deployments).toMatchObject({ kind: 'Deployment', version: 'v1', namespaced: true });
    expect(deployments.subresources).toContainEqual(
      expect.objectContaining({ name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1' }),
    );
  });

  it('keeps a result for ten minutes', async () => {
    const { discovery, clock, asked } = server();
    await discovery.groups();
    await clock.advance(600_000);
    await discovery.groups();
    expect(asked).toHaveLength(2);
    await clock.advance(1);
    await discovery.groups();
    expect(asked).toHaveLength(4);
    discovery.invalidate();
    await discovery.groups();
    expect(asked).toHaveLength(6);
  });

  it('works without a group whose server is down, and names that group when a lookup fails', async () => {
    const { discovery, state } = server({ form: 'old', resources: [...builtinResources, widget] });
    state.broken.set(
      '/apis/example.com/v1',
      new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, code: 503 }),
    );
    expect(await discovery.resolve('pods')).toMatchObject({ kind: 'Pod' });
    await expect(discovery.resolve('widgets')).rejects.toThrow('these could not be read: example.com/v1');
    expect(await discovery.failures()).toMatchObject([{ group: 'example.com', version: 'v1' }]);
    state.broken.clear();
    expect(await discovery.resolve('widgets')).toMatchObject({ kind: 'Widget' });
  });

  it('reports a version with freshness Stale as a failure', async () => {
    const stale = { version: 'v1', freshness: 'Stale', resources: [] };
    const items = [{ metadata: { name: 'metrics.example.com' }, versions: [stale] }];
    const discovery = new ApiDiscovery(new FakeClock(), async (path) => ({
      kind: 'APIGroupDiscoveryList',
      items: path === '/apis' ? items : [],
    }));
    await expect(discovery.resolve('top')).rejects.toThrow('these could not be read: metrics.example.com/v1');
  });

  it('rejects with the error of the server, and sends a new request at the next call', async () => {
    const { discovery, state } = server();
    state.broken.set('/apis', new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, code: 403 }));
    await expect(discovery.resolve('po')).rejects.toMatchObject({ status: 403 });
    state.broken.clear();
    expect(await discovery.resolve('po')).toMatchObject({ kind: 'Pod' });
  });

  it('aborts one caller without the others', async () => {
    const { discovery } = server();
    const gone = new AbortController();
    const first = discovery.resolve('po', { signal: gone.signal });
    const second = discovery.resolve('po');
    gone.abort(new Error('enough'));
    await expect(first).rejects.toThrow('enough');
    expect(await second).toMatchObject({ kind: 'Pod' });
    await expect(discovery.groups({ signal: gone.signal })).rejects.toThrow('enough');
  });

  it('gets the version of the server', async () => {
    expect(await server().discovery.version()).toMatchObject({ major: '1', minor: '36' });
  });
});

describe('near names', () => {
  it('counts edits as the recursive definition does', () => {
    const slow = (a: string, b: string): number => {
      if (a === '' || b === '') return a.length + b.length;
      const same = a[0] === b[0] ? 0 : 1;
      const swaps = a.length > 1 && a[0] === b[1] && a[1] === b[0] ? [slow(a.slice(2), b.slice(2)) + 1] : [];
      return Math.min(slow(a.slice(1), b.slice(1)) + same, slow(a.slice(1), b) + 1, slow(a, b.slice(1)) + 1, ...swaps);
    };
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 5 });
    fc.assert(fc.property(word, word, (a, b) => editDistance(a, b) === slow(a, b)));
  });

  it('leaves out names that differ too much, and sorts by distance', () => {
    expect(nearNames('pods', ['nodes', 'pod', 'pods2', 'services'])).toEqual(['pod', 'pods2']);
    expect(nearNames('x', ['pods'])).toEqual([]);
  });
});

describe('a call during another read', () => {
  /** A server that holds back its answers; each has the resources that were served when the request came. */
  function slowServer() {
    let resources: readonly ServedResource[] = builtinResources;
    const held: (() => void)[] = [];
    const discovery = new ApiDiscovery(new FakeClock(), async (path, accept) => {
      const document = new Discovery(resources).find(path, accept);
      await new Promise<void>((resolve) => held.push(resolve));
      if (document === undefined || document === 'notAcceptable') throw StatusError.fromResponse(404, '', {});
      return JSON.parse(Buffer.from(document.body).toString());
    });
    const define = (): void => {
      resources = [...builtinResources, widget];
    };
    const answer = async (): Promise<void> => {
      for (const letThrough of held.splice(0)) letThrough();
      for (let i = 0; i < 3; i++) await realClock.yield();
    };
    return { discovery, define, answer };
  }

  it('starts a new read if the resource is not in the running one', async () => {
    const { discovery, define, answer } = slowServer();
    const pods = discovery.resolve('po');
    define();
    const widgets = discovery.resolve('wd');
    await answer();
    await answer();
    expect((await pods).resource).toBe('pods');
    expect((await widgets).resource).toBe('widgets');
  });

  it('does not keep the result after invalidate', async () => {
    const { discovery, define, answer } = slowServer();
    const before = discovery.resources();
    define();
    discovery.invalidate();
    const after = discovery.resources();
    await answer();
    await answer();
    expect((await before).some(({ kind }) => kind === 'Widget')).toBe(false);
    expect((await after).some(({ kind }) => kind === 'Widget')).toBe(true);
  });
});
