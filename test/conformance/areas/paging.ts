import { expect } from 'vitest';
import type { Api } from '../api.js';
import { type Area, defineArea } from '../area.js';
import type { Doc } from '../doc.js';
import type { RequestOptions } from '../http.js';
import { addConfigMaps, addEvents, configMaps, names, populate } from '../objects.js';
import { expectStatus } from '../status.js';

/** Follows continue tokens to the end and returns all pages. */
async function pages(api: Api, path: string, query: NonNullable<RequestOptions['query']>): Promise<Doc[]> {
  const seen = [await api.get(path, query)];
  const { resourceVersion: _, resourceVersionMatch: __, ...rest } = query;
  for (let token = seen[0]?.metadata.continue; token !== undefined; token = seen.at(-1)?.metadata.continue) {
    seen.push(await api.get(path, { ...rest, continue: token }));
  }
  return seen;
}

function encodeToken(token: unknown): string {
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

export const area: Area = defineArea('paging', (rule) => {
  rule('a limit cuts the list into pages, of which the last has no continue', async (api) => {
    const { path } = await populate(api, ['a', 'b', 'c', 'd', 'e']);
    const seen = await pages(api, path, { limit: 2 });
    expect(seen.map(names)).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
    expect(seen.map(({ kind }) => kind)).toEqual(Array(3).fill('ConfigMapList'));
    expect(seen[2]?.metadata).not.toHaveProperty('continue');
  });

  rule('remainingItemCount says how many follow, and is missing on the last page', async (api) => {
    const { path } = await populate(api, ['a', 'b', 'c', 'd', 'e']);
    const seen = await pages(api, path, { limit: 2 });
    expect(seen.map((page) => page.metadata.remainingItemCount)).toEqual([3, 1, undefined]);
  });

  rule('all pages carry the version of the first', async (api) => {
    const { path } = await populate(api, ['a', 'b', 'c']);
    const first = await api.get(path, { limit: 1 });
    await addConfigMaps(api, path, ['d']);
    const second = await api.get(path, { limit: 1, continue: first.metadata.continue ?? '' });
    expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
  });

  rule('a limit that the list just fills gives one page', async (api) => {
    const { path } = await populate(api, ['a', 'b']);
    const found = await api.get(path, { limit: 2 });
    expect(names(found)).toEqual(['a', 'b']);
    expect(found.metadata).not.toHaveProperty('continue');
    expect(found.metadata).not.toHaveProperty('remainingItemCount');
  });

  rule('limit 0 means no limit', async (api) => {
    const { path } = await populate(api, ['a', 'b']);
    expect(names(await api.get(path, { limit: 0 }))).toEqual(['a', 'b']);
  });

  rule('later pages show the state of the first: creations, changes and deletions in between stay out', async (api) => {
    const { path } = await populate(api, ['a', 'c', 'e', 'g']);
    const first = await api.get(path, { limit: 1 });
    await addConfigMaps(api, path, ['b', 'd', 'z']);
    await api.patch(`${path}/c`, 'merge', { data: { of: 'changed' } });
    await api.delete(`${path}/e`);
    const rest = await api.get(path, { continue: first.metadata.continue ?? '' });
    expect(rest.items.map(({ data }) => data['of'])).toEqual(['c', 'e', 'g']);
  });

  rule('the limit may change from page to page, or end', async (api) => {
    const { path } = await populate(api, ['a', 'b', 'c', 'd', 'e', 'f']);
    const first = await api.get(path, { limit: 1 });
    const second = await api.get(path, { limit: 3, continue: first.metadata.continue ?? '' });
    expect(names(second)).toEqual(['b', 'c', 'd']);
    expect(second.metadata.remainingItemCount).toBe(2);
    expect(names(await api.get(path, { continue: second.metadata.continue ?? '' }))).toEqual(['e', 'f']);
  });

  rule('a continue token can be used again', async (api) => {
    const { path } = await populate(api, ['a', 'b', 'c']);
    const token = (await api.get(path, { limit: 1 })).metadata.continue ?? '';
    const [once, twice] = [await api.get(path, { continue: token }), await api.get(path, { continue: token })];
    expect(twice).toEqual(once);
  });

  rule('pages through a selector hold matches only, and leave remainingItemCount out', async (api) => {
    const { path } = await populate(api, ['a', 'c', 'e']);
    await addConfigMaps(api, path, ['b', 'd', 'f'], { tier: 'web' });
    const seen = await pages(api, path, { limit: 2, labelSelector: 'tier=web' });
    expect(seen.flatMap(names)).toEqual(['b', 'd', 'f']);
    expect(names(seen[0] as Doc)).toEqual(['b', 'd']);
    for (const page of seen) expect(page.metadata).not.toHaveProperty('remainingItemCount');
  });

  rule('pages go on from one namespace into the next', async (api) => {
    const label = api.unique('shared');
    const [one, two] = [await api.namespace(), await api.namespace()].sort() as [string, string];
    await addConfigMaps(api, configMaps(one), ['a', 'b'], { of: label });
    await addConfigMaps(api, configMaps(two), ['a', 'b'], { of: label });
    const seen = await pages(api, '/api/v1/configmaps', { limit: 3, labelSelector: `of=${label}` });
    expect(seen.flatMap((page) => page.items).map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)).toEqual([
      `${one}/a`,
      `${one}/b`,
      `${two}/a`,
      `${two}/b`,
    ]);
  });

  rule('lists of metadata only page like others', async (api) => {
    const { path } = await populate(api, ['a', 'b', 'c']);
    const headers = { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' };
    const first = (await api.request('GET', path, { headers, query: { limit: 2 } })).json;
    expect(first).toMatchObject({ kind: 'PartialObjectMetadataList', metadata: { remainingItemCount: 1 } });
    const query = { limit: 2, continue: first.metadata.continue ?? '' };
    const second = (await api.request('GET', path, { headers, query })).json;
    expect([...names(first), ...names(second)]).toEqual(['a', 'b', 'c']);
    expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
  });

  const malformed: readonly (readonly [what: string, token: string, message: RegExp])[] = [
    ['that is not base64', '!!!', /continue key is not valid: illegal base64 data/],
    ['that is not JSON inside', Buffer.from('abc').toString('base64url'), /continue key is not valid/],
    [
      'of an unknown format version',
      encodeToken({ v: 'v9', rv: 1, start: 'a' }),
      /continue key is not valid: server does not recognize this encoded version/,
    ],
    [
      'without a version',
      encodeToken({ v: 'meta.k8s.io/v1', start: 'a' }),
      /continue key is not valid: incorrect encoded start resourceVersion/,
    ],
    [
      'without a start',
      encodeToken({ v: 'meta.k8s.io/v1', rv: 1 }),
      /continue key is not valid: encoded start key empty/,
    ],
    [
      'that climbs out of its collection',
      encodeToken({ v: 'meta.k8s.io/v1', rv: 1, start: '../secrets' }),
      /continue key is not valid: \.\.\/secrets/,
    ],
  ];
  for (const [what, token, message] of malformed) {
    rule(`a continue token ${what} is a BadRequest`, async (api) => {
      const { path } = await populate(api, ['a']);
      expectStatus(await api.request('GET', path, { query: { limit: 1, continue: token } }), {
        code: 400,
        reason: 'BadRequest',
        message,
      });
    });
  }

  rule('a match beside a continue token is Invalid', async (api) => {
    const { path } = await populate(api, ['a', 'b']);
    const first = await api.get(path, { limit: 1 });
    const query = {
      continue: first.metadata.continue ?? '',
      resourceVersion: '1',
      resourceVersionMatch: 'NotOlderThan',
    };
    expectStatus(await api.request('GET', path, { query }), {
      code: 422,
      reason: 'Invalid',
      causes: [{ message: 'Forbidden: resourceVersionMatch is forbidden when continue is provided' }],
    });
  });

  rule('a version beside a continue token is a BadRequest', async (api) => {
    const { path } = await populate(api, ['a', 'b']);
    const first = await api.get(path, { limit: 1 });
    const query = {
      limit: 1,
      continue: first.metadata.continue ?? '',
      resourceVersion: first.metadata.resourceVersion,
    };
    expectStatus(await api.request('GET', path, { query }), {
      code: 400,
      reason: 'BadRequest',
      message: 'specifying resource version is not allowed when using continue',
    });
  });

  rule('version 0 beside a continue token is tolerated', async (api) => {
    const { path } = await populate(api, ['a', 'b']);
    const first = await api.get(path, { limit: 1 });
    const query = { continue: first.metadata.continue ?? '', resourceVersion: '0' };
    expect(names(await api.get(path, query))).toEqual(['b']);
  });

  rule('Exact with a limit pages through the state at that version', async (api) => {
    const { path, last } = await populate(api, ['a', 'b', 'c']);
    await api.delete(`${path}/b`);
    const seen = await pages(api, path, {
      resourceVersion: last.metadata.resourceVersion,
      resourceVersionMatch: 'Exact',
      limit: 1,
    });
    expect(seen.map(names)).toEqual([['a'], ['b'], ['c']]);
    expect(seen.map((page) => page.metadata.resourceVersion)).toEqual(Array(3).fill(last.metadata.resourceVersion));
  });

  rule('NotOlderThan N honours a limit and pages on from the state it chose', async (api) => {
    const { path, last } = await populate(api, ['a', 'b', 'c']);
    const seen = await pages(api, path, {
      resourceVersion: last.metadata.resourceVersion,
      resourceVersionMatch: 'NotOlderThan',
      limit: 2,
    });
    expect(seen.map(names)).toEqual([['a', 'b'], ['c']]);
    expect(new Set(seen.map((page) => page.metadata.resourceVersion)).size).toBe(1);
  });

  rule('a list at version 0 comes whole, whatever the limit', async (api) => {
    const { path, last } = await populate(api, ['a', 'b', 'c']);
    await api.get(path, { resourceVersion: last.metadata.resourceVersion });
    const found = await api.get(path, { resourceVersion: '0', limit: 1 });
    expect(names(found)).toEqual(['a', 'b', 'c']);
    expect(found.metadata).not.toHaveProperty('continue');
    expect(found.metadata).not.toHaveProperty('remainingItemCount');
  });

  rule('a limit with version N and no match means Exact', async (api) => {
    const { path, last } = await populate(api, ['a', 'b']);
    await addConfigMaps(api, path, ['c']);
    const found = await api.get(path, { resourceVersion: last.metadata.resourceVersion, limit: 10 });
    expect(names(found)).toEqual(['a', 'b']);
    expect(found.metadata.resourceVersion).toBe(last.metadata.resourceVersion);
  });

  rule('a limit that is not a number is a BadRequest', async (api) => {
    expectStatus(await api.request('GET', '/api/v1/configmaps', { query: { limit: 'many' } }), {
      code: 400,
      reason: 'BadRequest',
    });
  });

  rule(
    'a continue token from before a compaction is Expired, and the answer carries a token for the rest as it is now',
    async (api) => {
      const { path } = await addEvents(api, ['a', 'b', 'c']);
      const first = await api.get(path, { limit: 1 });
      await api.delete(`${path}/b`);
      await addEvents(api, ['d'], path);
      await api.target.control?.compact?.();
      const query = { limit: 1, continue: first.metadata.continue ?? '' };
      const status = expectStatus(await api.request('GET', path, { query }), {
        code: 410,
        reason: 'Expired',
        message:
          /^The provided continue parameter is too old to display a consistent list result\. .*inconsistent list/,
      });
      expect(status.metadata.continue).toMatch(/./);
      const rest = await pages(api, path, { limit: 1, continue: status.metadata.continue ?? '' });
      expect(rest.map(names)).toEqual([['c'], ['d']]);
      expect(BigInt(rest[0]?.metadata.resourceVersion ?? 0)).toBeGreaterThan(BigInt(first.metadata.resourceVersion));
    },
    { needs: ['compact'], alone: true },
  );

  rule(
    'Exact at a compacted version is Expired',
    async (api) => {
      const { path, last } = await addEvents(api, ['a']);
      await addEvents(api, ['b'], path);
      await api.target.control?.compact?.();
      const query = { resourceVersion: last.metadata.resourceVersion, resourceVersionMatch: 'Exact' };
      const status = expectStatus(await api.request('GET', path, { query }), {
        code: 410,
        reason: 'Expired',
        message: 'The resourceVersion for the provided list is too old.',
      });
      expect(status.metadata).not.toHaveProperty('continue');
    },
    { needs: ['compact'], alone: true },
  );

  rule(
    'a limit with a compacted version and no match is Expired too',
    async (api) => {
      const { path, last } = await addEvents(api, ['a']);
      await addEvents(api, ['b'], path);
      await api.target.control?.compact?.();
      const query = { resourceVersion: last.metadata.resourceVersion, limit: 5 };
      expectStatus(await api.request('GET', path, { query }), { code: 410, reason: 'Expired' });
    },
    { needs: ['compact'], alone: true },
  );

  rule(
    'NotOlderThan a compacted version gives what is there now',
    async (api) => {
      const { path, last } = await addEvents(api, ['a']);
      await addEvents(api, ['b'], path);
      await api.target.control?.compact?.();
      const query = { resourceVersion: last.metadata.resourceVersion, resourceVersionMatch: 'NotOlderThan' };
      expect(names(await api.get(path, query))).toEqual(['a', 'b']);
    },
    { needs: ['compact'], alone: true },
  );

  rule(
    'a list that begins after a compaction pages on undisturbed',
    async (api) => {
      const { path } = await addEvents(api, ['a', 'b', 'c']);
      await api.target.control?.compact?.();
      expect((await pages(api, path, { limit: 1 })).flatMap(names)).toEqual(['a', 'b', 'c']);
    },
    { needs: ['compact'], alone: true },
  );
});
