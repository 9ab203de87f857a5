import { expect } from 'vitest';
import { type Area, defineArea } from '../area.js';
import { addConfigMaps, configMaps, farAhead, names, populate } from '../objects.js';
import { expectStatus } from '../status.js';

export const area: Area = defineArea('list', (rule) => {
  rule('a list is named after its kind and carries a resourceVersion', async (api) => {
    const { path, last } = await populate(api, ['a']);
    const found = await api.get(path);
    expect(found).toMatchObject({ kind: 'ConfigMapList', apiVersion: 'v1' });
    expect(found.metadata.resourceVersion).toMatch(/^[1-9][0-9]*$/);
    expect(BigInt(found.metadata.resourceVersion)).toBeGreaterThanOrEqual(BigInt(last.metadata.resourceVersion));
    expect(found.metadata).not.toHaveProperty('name');
  });

  rule('items of a built-in kind carry neither kind nor apiVersion', async (api) => {
    const { path } = await populate(api, ['a']);
    const [item] = (await api.get(path)).items;
    expect(item).not.toHaveProperty('kind');
    expect(item).not.toHaveProperty('apiVersion');
    expect(item?.metadata.name).toBe('a');
  });

  rule('an item equals what get gives, apart from kind and apiVersion', async (api) => {
    const { path } = await populate(api, ['a']);
    const { kind: _, apiVersion: __, ...alone } = await api.get(`${path}/a`);
    expect((await api.get(path)).items[0]).toEqual(alone);
  });

  rule('an empty list has an empty array of items, not null', async (api) => {
    const found = await api.get(`/api/v1/namespaces/${await api.namespace()}/secrets`);
    expect(found.items).toEqual([]);
    expect(found.metadata.resourceVersion).toMatch(/^[1-9][0-9]*$/);
  });

  rule('a namespace that does not exist has an empty list', async (api) => {
    expect((await api.get(configMaps(api.unique('nowhere')))).items).toEqual([]);
  });

  rule('items come in the order of their names', async (api) => {
    const { path } = await populate(api, ['b', 'a.b', 'c', 'a', 'a-b']);
    expect(names(await api.get(path))).toEqual(['a', 'a-b', 'a.b', 'b', 'c']);
  });

  rule('a list over all namespaces is ordered by namespace, then by name', async (api) => {
    const label = api.unique('shared');
    const [one, two] = [await api.namespace(), await api.namespace()].sort() as [string, string];
    await addConfigMaps(api, configMaps(two), ['a', 'c'], { of: label });
    await addConfigMaps(api, configMaps(one), ['d', 'b'], { of: label });
    const found = await api.get('/api/v1/configmaps', { labelSelector: `of=${label}` });
    expect(found.items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)).toEqual([
      `${one}/b`,
      `${one}/d`,
      `${two}/a`,
      `${two}/c`,
    ]);
  });

  rule('a list of one namespace leaves the others out', async (api) => {
    const { path } = await populate(api, ['mine']);
    await populate(api, ['theirs']);
    expect(names(await api.get(path))).toEqual(['mine']);
  });

  rule('the field metadata.namespace narrows a list over all namespaces', async (api) => {
    const label = api.unique('shared');
    const [one, two] = [await api.namespace(), await api.namespace()];
    await addConfigMaps(api, configMaps(one), ['a'], { of: label });
    await addConfigMaps(api, configMaps(two), ['b'], { of: label });
    const found = await api.get('/api/v1/configmaps', {
      labelSelector: `of=${label}`,
      fieldSelector: `metadata.namespace=${two}`,
    });
    expect(names(found)).toEqual(['b']);
  });

  rule('the field metadata.name selects one item', async (api) => {
    const { path } = await populate(api, ['a', 'b', 'c']);
    expect(names(await api.get(path, { fieldSelector: 'metadata.name=b' }))).toEqual(['b']);
    expect(names(await api.get(path, { fieldSelector: 'metadata.name!=b' }))).toEqual(['a', 'c']);
  });

  rule('a list without a version is the latest: it holds what was written just before', async (api) => {
    const { path } = await populate(api, ['a', 'b']);
    expect(names(await api.get(path))).toEqual(['a', 'b']);
    await api.delete(`${path}/a`);
    expect(names(await api.get(path))).toEqual(['b']);
  });

  rule('the version of a list moves on with every write', async (api) => {
    const { path } = await populate(api, ['a']);
    const before = await api.get(path);
    await addConfigMaps(api, path, ['b']);
    const after = await api.get(path);
    expect(BigInt(after.metadata.resourceVersion)).toBeGreaterThan(BigInt(before.metadata.resourceVersion));
  });

  rule('a list at version N without a match is at least as new as N', async (api) => {
    const { path, last } = await populate(api, ['a', 'b']);
    const found = await api.get(path, { resourceVersion: last.metadata.resourceVersion });
    expect(names(found)).toEqual(['a', 'b']);
    expect(BigInt(found.metadata.resourceVersion)).toBeGreaterThanOrEqual(BigInt(last.metadata.resourceVersion));
  });

  rule('NotOlderThan N gives a state at least as new as N', async (api) => {
    const { path, last } = await populate(api, ['a', 'b', 'c']);
    const found = await api.get(path, {
      resourceVersion: last.metadata.resourceVersion,
      resourceVersionMatch: 'NotOlderThan',
    });
    expect(names(found)).toEqual(['a', 'b', 'c']);
    expect(BigInt(found.metadata.resourceVersion)).toBeGreaterThanOrEqual(BigInt(last.metadata.resourceVersion));
  });

  rule('NotOlderThan an old version gives what is there now', async (api) => {
    const { path, last } = await populate(api, ['a']);
    const newest = await addConfigMaps(api, path, ['b']);
    await api.get(path, { resourceVersion: newest.metadata.resourceVersion, resourceVersionMatch: 'NotOlderThan' });
    const found = await api.get(path, {
      resourceVersion: last.metadata.resourceVersion,
      resourceVersionMatch: 'NotOlderThan',
    });
    expect(names(found)).toEqual(['a', 'b']);
  });

  rule('a list at version 0 gives any state the server has, with its version', async (api) => {
    const { path, last } = await populate(api, ['a']);
    await api.get(path, { resourceVersion: last.metadata.resourceVersion });
    for (const query of [{}, { resourceVersionMatch: 'NotOlderThan' }]) {
      const found = await api.get(path, { resourceVersion: '0', ...query });
      expect(names(found)).toEqual(['a']);
      expect(BigInt(found.metadata.resourceVersion)).toBeGreaterThanOrEqual(BigInt(last.metadata.resourceVersion));
    }
  });

  rule('Exact N gives the state at N: later writes, changes and deletions do not show', async (api) => {
    const { path, last } = await populate(api, ['a', 'b', 'c']);
    await addConfigMaps(api, path, ['d']);
    await api.patch(`${path}/b`, 'merge', { data: { of: 'changed' } });
    await api.delete(`${path}/c`);
    const found = await api.get(path, {
      resourceVersion: last.metadata.resourceVersion,
      resourceVersionMatch: 'Exact',
    });
    expect(found.metadata.resourceVersion).toBe(last.metadata.resourceVersion);
    expect(found.items.map(({ data }) => data['of'])).toEqual(['a', 'b', 'c']);
  });

  rule('Exact applies selectors to the state at that version', async (api) => {
    const { path } = await populate(api, ['other']);
    const last = await addConfigMaps(api, path, ['a', 'b'], { tier: 'web' });
    await api.patch(`${path}/a`, 'merge', { metadata: { labels: { tier: 'db' } } });
    const found = await api.get(path, {
      resourceVersion: last.metadata.resourceVersion,
      resourceVersionMatch: 'Exact',
      labelSelector: 'tier=web',
    });
    expect(names(found)).toEqual(['a', 'b']);
  });

  rule('a match without a version is Invalid', async (api) => {
    const { path } = await populate(api, ['a']);
    const message = 'resourceVersionMatch is forbidden unless resourceVersion is provided';
    expectStatus(await api.request('GET', path, { query: { resourceVersionMatch: 'NotOlderThan' } }), {
      code: 422,
      reason: 'Invalid',
      message: `ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: ${message}`,
      details: { group: 'meta.k8s.io', kind: 'ListOptions' },
      causes: [{ reason: 'FieldValueForbidden', field: 'resourceVersionMatch', message: `Forbidden: ${message}` }],
    });
  });

  rule('an unknown match is Invalid and the message lists the known ones', async (api) => {
    const query = { resourceVersion: '1', resourceVersionMatch: 'Newest' };
    expectStatus(await api.request('GET', '/api/v1/configmaps', { query }), {
      code: 422,
      reason: 'Invalid',
      causes: [
        {
          reason: 'FieldValueNotSupported',
          field: 'resourceVersionMatch',
          message: 'Unsupported value: "Newest": supported values: "Exact", "NotOlderThan", ""',
        },
      ],
    });
  });

  rule('Exact at version 0 is Invalid', async (api) => {
    const query = { resourceVersion: '0', resourceVersionMatch: 'Exact' };
    expectStatus(await api.request('GET', '/api/v1/configmaps', { query }), {
      code: 422,
      reason: 'Invalid',
      causes: [
        {
          reason: 'FieldValueForbidden',
          field: 'resourceVersionMatch',
          message: 'Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
        },
      ],
    });
  });

  rule('every broken rule of the options is a cause of its own', async (api) => {
    const query = { resourceVersionMatch: 'Newest', sendInitialEvents: true };
    const status = expectStatus(await api.request('GET', '/api/v1/configmaps', { query }), {
      code: 422,
      reason: 'Invalid',
      message: /^ListOptions\.meta\.k8s\.io "" is invalid: \[.*, .*\]$/,
    });
    expect(status.details.causes?.map(({ field }) => field)).toEqual([
      'resourceVersionMatch',
      'resourceVersionMatch',
      'sendInitialEvents',
    ]);
  });

  rule('sendInitialEvents is for watches: on a list it is Invalid', async (api) => {
    expectStatus(await api.request('GET', '/api/v1/configmaps', { query: { sendInitialEvents: true } }), {
      code: 422,
      reason: 'Invalid',
      causes: [
        {
          reason: 'FieldValueForbidden',
          field: 'sendInitialEvents',
          message: 'Forbidden: sendInitialEvents is forbidden for list',
        },
      ],
    });
  });

  rule('a version that is not a number is refused', async (api) => {
    expectStatus(await api.request('GET', '/api/v1/configmaps', { query: { resourceVersion: 'abc' } }), {
      code: 400,
      reason: 'BadRequest',
      message: /resourceVersion: Invalid value: "abc"/,
    });
  });

  rule('a version ahead of the server is a Timeout that names its cause and when to retry', async (api) => {
    const { path, last } = await populate(api, ['a']);
    const version = farAhead(last.metadata.resourceVersion);
    const answer = await api.request('GET', path, { query: { resourceVersion: version } });
    expectStatus(answer, {
      code: 504,
      reason: 'Timeout',
      message: new RegExp(`^Timeout: Too large resource version: ${version}, current: [0-9]+$`),
      details: { retryAfterSeconds: 1 },
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    });
    expect(answer.headers['retry-after']).toBe('1');
  });

  rule('Exact at a version ahead of the server is the same Timeout', async (api) => {
    const { path, last } = await populate(api, ['a']);
    const query = { resourceVersion: farAhead(last.metadata.resourceVersion), resourceVersionMatch: 'Exact' };
    expectStatus(await api.request('GET', path, { query }), {
      code: 504,
      reason: 'Timeout',
      causes: [{ reason: 'ResourceVersionTooLarge' }],
    });
  });

  rule('a get at a version ahead of the server is the same Timeout', async (api) => {
    const { path, last } = await populate(api, ['a']);
    const query = { resourceVersion: farAhead(last.metadata.resourceVersion) };
    expectStatus(await api.request('GET', `${path}/a`, { query }), {
      code: 504,
      reason: 'Timeout',
      causes: [{ reason: 'ResourceVersionTooLarge' }],
    });
  });

  rule('a get at version N or 0 gives an object at least as new', async (api) => {
    const { path } = await populate(api, ['a']);
    const changed = await api.patch(`${path}/a`, 'merge', { data: { of: 'changed' } });
    const version = changed.metadata.resourceVersion;
    expect((await api.get(`${path}/a`, { resourceVersion: version })).metadata.resourceVersion).toBe(version);
    expect((await api.get(`${path}/a`, { resourceVersion: '0' })).metadata.resourceVersion).toBe(version);
  });

  rule('timeoutSeconds and unknown parameters do not disturb a list', async (api) => {
    const { path } = await populate(api, ['a']);
    expect(names(await api.get(path, { timeoutSeconds: 5, surprise: 'yes' }))).toEqual(['a']);
  });
});
