import { expect } from 'vitest';
import type { Api } from '../api.js';
import { type Area, defineArea } from '../area.js';
import { addConfigMaps, addEvents, configMaps, farAhead, populate } from '../objects.js';
import { expectStatus, expectStatusDoc } from '../status.js';
import type { WatchEvent } from '../watch-stream.js';

const END = 'k8s.io/initial-events-end';
const initial = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true } as const;
const isBookmark = ({ type }: WatchEvent): boolean => type === 'BOOKMARK';
const brief = ({ type, object }: WatchEvent): string => `${type} ${object.metadata.name}`;

/** Long enough for the bookmark two seconds before the end of a watch. */
const BOOKMARK_SECONDS = 4;

export const area: Area = defineArea('watch start', (rule) => {
  rule('a watch from version N sends what happened after N, and only that', async (api) => {
    const { path, last } = await populate(api, ['a']);
    await addConfigMaps(api, path, ['b', 'c']);
    const stream = await api.watch(path, { resourceVersion: last.metadata.resourceVersion });
    expect([await stream.expectNext(), await stream.expectNext()].map(brief)).toEqual(['ADDED b', 'ADDED c']);
    await api.delete(`${path}/a`);
    expect(brief(await stream.expectNext())).toBe('DELETED a');
  });

  rule('a watch from the version of a list continues without a gap', async (api) => {
    const { path } = await populate(api, ['a']);
    const { metadata } = await api.get(path);
    await addConfigMaps(api, path, ['b']);
    const stream = await api.watch(path, { resourceVersion: metadata.resourceVersion });
    expect(brief(await stream.expectNext())).toBe('ADDED b');
  });

  rule('a watch resumed at the version of its last event repeats and loses nothing', async (api) => {
    const { path, last } = await populate(api, ['a']);
    const first = await api.watch(path, { resourceVersion: last.metadata.resourceVersion });
    await addConfigMaps(api, path, ['b', 'c']);
    const { object } = await first.expectNext();
    first.close();
    await addConfigMaps(api, path, ['d']);
    const second = await api.watch(path, { resourceVersion: object.metadata.resourceVersion });
    expect([await second.expectNext(), await second.expectNext()].map(brief)).toEqual(['ADDED c', 'ADDED d']);
  });

  for (const [what, query] of [
    ['without a version', {}],
    ['from version 0', { resourceVersion: '0' }],
  ] as const) {
    rule(`a watch ${what} begins with what is there as ADDED, then goes on`, async (api) => {
      const { path, last } = await populate(api, ['a', 'b']);
      await api.get(path, { resourceVersion: last.metadata.resourceVersion });
      const stream = await api.watch(path, query);
      const seen = [await stream.expectNext(), await stream.expectNext()];
      expect(seen.map(brief).sort()).toEqual(['ADDED a', 'ADDED b']);
      await api.patch(`${path}/a`, 'merge', { data: { v: '1' } });
      expect(brief(await stream.expectNext())).toBe('MODIFIED a');
    });

    rule(`a watch ${what} that allows bookmarks is told where the initial events end`, async (api) => {
      const { path, last } = await populate(api, ['a']);
      await api.get(path, { resourceVersion: last.metadata.resourceVersion });
      const stream = await api.watch(path, { ...query, allowWatchBookmarks: true });
      expect(brief(await stream.expectNext())).toBe('ADDED a');
      expect(await stream.expectNext()).toMatchObject({
        type: 'BOOKMARK',
        object: { metadata: { annotations: { [END]: 'true' } } },
      });
    });
  }

  rule('the ADDED of what is there carries the object as it is, with its own version', async (api) => {
    const { path } = await populate(api, ['a']);
    const now = await api.patch(`${path}/a`, 'merge', { data: { v: '1' } });
    expect(await (await api.watch(path)).expectNext()).toEqual({ type: 'ADDED', object: now });
  });

  rule('the initial ADDED obey the selectors', async (api) => {
    const { path } = await populate(api, ['a']);
    await addConfigMaps(api, path, ['b'], { tier: 'web' });
    const stream = await api.watch(path, { labelSelector: 'tier=web' });
    expect(brief(await stream.expectNext())).toBe('ADDED b');
  });

  rule('sendInitialEvents sends what is there, then a bookmark that says so', async (api) => {
    const { path, last } = await populate(api, ['a', 'b', 'c']);
    const stream = await api.watch(path, initial);
    const seen = await stream.until(isBookmark);
    expect(seen.slice(0, -1).map(brief).sort()).toEqual(['ADDED a', 'ADDED b', 'ADDED c']);
    const { object } = seen.at(-1) as WatchEvent;
    expect(object).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1' });
    expect(object.metadata.annotations).toEqual({ [END]: 'true' });
    expect(BigInt(object.metadata.resourceVersion)).toBeGreaterThanOrEqual(BigInt(last.metadata.resourceVersion));
    expect(object.metadata).not.toHaveProperty('name');
    expect(object.metadata).not.toHaveProperty('uid');
  });

  rule('sendInitialEvents on an empty collection sends the bookmark alone', async (api) => {
    const stream = await api.watch(configMaps(await api.namespace()), initial);
    expect(await stream.expectNext()).toMatchObject({
      type: 'BOOKMARK',
      object: { metadata: { annotations: { [END]: 'true' } } },
    });
  });

  rule('after the initial events the stream goes on as a watch', async (api) => {
    const { path } = await populate(api, ['a']);
    const stream = await api.watch(path, initial);
    await stream.until(isBookmark);
    await addConfigMaps(api, path, ['b']);
    await api.delete(`${path}/a`);
    expect([await stream.expectNext(), await stream.expectNext()].map(brief)).toEqual(['ADDED b', 'DELETED a']);
  });

  rule('the version of the end bookmark resumes without a gap', async (api) => {
    const { path } = await populate(api, ['a']);
    const first = await api.watch(path, initial);
    const end = (await first.until(isBookmark)).at(-1) as WatchEvent;
    first.close();
    await addConfigMaps(api, path, ['b']);
    const second = await api.watch(path, { resourceVersion: end.object.metadata.resourceVersion });
    expect(brief(await second.expectNext())).toBe('ADDED b');
  });

  rule('sendInitialEvents from version N shows a state at least as new as N', async (api) => {
    const { path, last } = await populate(api, ['a', 'b']);
    const stream = await api.watch(path, { ...initial, resourceVersion: last.metadata.resourceVersion });
    const seen = await stream.until(isBookmark);
    expect(seen.slice(0, -1).map(brief).sort()).toEqual(['ADDED a', 'ADDED b']);
    const end = BigInt(seen.at(-1)?.object.metadata.resourceVersion ?? 0);
    expect(end).toBeGreaterThanOrEqual(BigInt(last.metadata.resourceVersion));
  });

  rule('sendInitialEvents from version 0 shows any state the server has', async (api) => {
    const { path, last } = await populate(api, ['a']);
    await api.get(path, { resourceVersion: last.metadata.resourceVersion });
    const stream = await api.watch(path, { ...initial, resourceVersion: '0' });
    const seen = await stream.until(isBookmark);
    expect(seen.slice(0, -1).map(brief)).toEqual(['ADDED a']);
    expect(seen.at(-1)?.object.metadata.annotations).toEqual({ [END]: 'true' });
  });

  rule('sendInitialEvents obeys the selectors', async (api) => {
    const { path } = await populate(api, ['a']);
    await addConfigMaps(api, path, ['b'], { tier: 'web' });
    const seen = await (await api.watch(path, { ...initial, labelSelector: 'tier=web' })).until(isBookmark);
    expect(seen.slice(0, -1).map(brief)).toEqual(['ADDED b']);
  });

  rule('sendInitialEvents works with metadata only, end bookmark included', async (api) => {
    const { path } = await populate(api, ['a']);
    const headers = { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' };
    const seen = await (await api.watch(path, initial, { headers })).until(isBookmark);
    expect(seen.map(({ type, object }) => `${type} ${object.kind}`)).toEqual([
      'ADDED PartialObjectMetadata',
      'BOOKMARK PartialObjectMetadata',
    ]);
    expect(seen.at(-1)?.object.metadata.annotations).toEqual({ [END]: 'true' });
  });

  rule('sendInitialEvents without bookmarks sends no end', async (api) => {
    const { path } = await populate(api, ['a']);
    const query = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', timeoutSeconds: 1 };
    expect((await (await api.watch(path, query)).rest()).map(brief)).toEqual(['ADDED a']);
  });

  rule('sendInitialEvents=false without a version begins with the next change', async (api) => {
    const { path } = await populate(api, ['a']);
    const query = { sendInitialEvents: false, resourceVersionMatch: 'NotOlderThan' };
    const stream = await api.watch(path, query);
    await addConfigMaps(api, path, ['b']);
    expect(brief(await stream.expectNext())).toBe('ADDED b');
  });

  const refused: readonly (readonly [what: string, query: Record<string, string | boolean>, causes: string[]])[] = [
    [
      'sendInitialEvents without a match',
      { sendInitialEvents: true },
      ['Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'],
    ],
    [
      'sendInitialEvents with Exact',
      { sendInitialEvents: true, resourceVersionMatch: 'Exact' },
      [
        'Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
        'Unsupported value: "Exact": supported values: "NotOlderThan"',
      ],
    ],
    [
      'a match without sendInitialEvents',
      { resourceVersionMatch: 'NotOlderThan', resourceVersion: '1' },
      ['Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'],
    ],
    [
      'sendInitialEvents with a continue token',
      { ...initial, continue: 'token' },
      ['Forbidden: resourceVersionMatch is forbidden when continue is provided'],
    ],
  ];
  for (const [what, query, causes] of refused) {
    rule(`${what} is Invalid, before any stream begins`, async (api) => {
      const status = expectStatus(
        await api.request('GET', '/api/v1/configmaps', { query: { watch: true, ...query } }),
        {
          code: 422,
          reason: 'Invalid',
          message: /^ListOptions\.meta\.k8s\.io "" is invalid: /,
          details: { group: 'meta.k8s.io', kind: 'ListOptions' },
        },
      );
      expect(status.details.causes?.map(({ message }) => message)).toEqual(causes);
      expect(status.details.causes?.map(({ field }) => field)).toEqual(causes.map(() => 'resourceVersionMatch'));
    });
  }

  rule('a version that is not a number fails before any stream begins', async (api) => {
    const answer = await api.request('GET', '/api/v1/configmaps', { query: { watch: true, resourceVersion: 'abc' } });
    expectStatus(answer, { code: 500, reason: undefined, message: /resourceVersion: Invalid value: "abc"/ });
  });

  rule('a bookmark comes before the watch times out, and says no more than a version', async (api) => {
    const { path, last } = await populate(api, ['a']);
    const stream = await api.watch(path, {
      resourceVersion: last.metadata.resourceVersion,
      allowWatchBookmarks: true,
      timeoutSeconds: BOOKMARK_SECONDS,
    });
    const { type, object } = await stream.expectNext();
    expect(type).toBe('BOOKMARK');
    expect(object).toEqual({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { resourceVersion: expect.stringMatching(/^[0-9]+$/) },
    });
    expect(BigInt(object.metadata.resourceVersion)).toBeGreaterThanOrEqual(BigInt(last.metadata.resourceVersion));
  });

  rule('a bookmark is at least as new as the events before it, and resumes after them', async (api) => {
    const { path, last } = await populate(api, ['a']);
    const stream = await api.watch(path, {
      resourceVersion: last.metadata.resourceVersion,
      allowWatchBookmarks: true,
      timeoutSeconds: BOOKMARK_SECONDS,
    });
    const made = await addConfigMaps(api, path, ['b']);
    const seen = await stream.until(isBookmark);
    expect(seen.slice(0, -1).map(brief)).toEqual(['ADDED b']);
    const { resourceVersion } = (seen.at(-1) as WatchEvent).object.metadata;
    expect(BigInt(resourceVersion)).toBeGreaterThanOrEqual(BigInt(made.metadata.resourceVersion));
    await addConfigMaps(api, path, ['c']);
    expect(brief(await (await api.watch(path, { resourceVersion })).expectNext())).toBe('ADDED c');
  });

  rule('a watch whose selector matches nothing gets bookmarks all the same', async (api) => {
    const { path, last } = await populate(api, ['a']);
    const stream = await api.watch(path, {
      resourceVersion: last.metadata.resourceVersion,
      labelSelector: 'tier=none',
      allowWatchBookmarks: true,
      timeoutSeconds: BOOKMARK_SECONDS,
    });
    expect((await stream.expectNext()).type).toBe('BOOKMARK');
  });

  rule('a watch that does not allow bookmarks gets none', async (api) => {
    const { path, last } = await populate(api, ['a']);
    const stream = await api.watch(path, {
      resourceVersion: last.metadata.resourceVersion,
      timeoutSeconds: BOOKMARK_SECONDS,
    });
    expect(await stream.rest()).toEqual([]);
  });

  rule('a watch from a version ahead of the server sends nothing until that version', async (api) => {
    const { path, last } = await populate(api, ['a']);
    const stream = await api.watch(path, {
      resourceVersion: farAhead(last.metadata.resourceVersion),
      timeoutSeconds: 1,
    });
    await addConfigMaps(api, path, ['b']);
    expect(await stream.rest()).toEqual([]);
  });

  rule(
    'sendInitialEvents from a version ahead of the server is the Timeout of lists, as an ERROR event',
    async (api) => {
      const { path, last } = await populate(api, ['a']);
      const stream = await api.watch(path, { ...initial, resourceVersion: farAhead(last.metadata.resourceVersion) });
      const { type, object } = await stream.expectNext();
      expect(type).toBe('ERROR');
      expectStatusDoc(object, {
        code: 504,
        reason: 'Timeout',
        message: /^Timeout: Too large resource version: [0-9]+, current: [0-9]+$/,
        details: { retryAfterSeconds: 1 },
        causes: [{ reason: 'ResourceVersionTooLarge' }],
      });
      expect(await stream.next()).toBeUndefined();
    },
  );

  rule(
    'a watch from a compacted version is a 200 with an Expired ERROR in the stream, which ends',
    async (api) => {
      const { path, last } = await addEvents(api, ['a']);
      await addEvents(api, ['b', 'c'], path);
      await api.target.control?.compact?.();
      await expectExpired(api, path, last.metadata.resourceVersion);
    },
    { needs: ['compact'], alone: true },
  );

  rule(
    'a watch without a version is not affected by a compaction',
    async (api) => {
      const { path } = await addEvents(api, ['a']);
      await api.target.control?.compact?.();
      expect(brief(await (await api.watch(path)).expectNext())).toBe('ADDED a');
    },
    { needs: ['compact'], alone: true },
  );

  rule(
    'an open watch continues through a compaction',
    async (api) => {
      const { path, last } = await addEvents(api, ['a']);
      const stream = await api.watch(path, { resourceVersion: last.metadata.resourceVersion });
      await addEvents(api, ['b'], path);
      await api.target.control?.compact?.();
      await addEvents(api, ['c'], path);
      expect([await stream.expectNext(), await stream.expectNext()].map(brief)).toEqual(['ADDED b', 'ADDED c']);
    },
    { needs: ['compact'], alone: true },
  );

  rule(
    'a restarted server has no history but keeps the objects, and versions continue to rise',
    async (api) => {
      const { path, last } = await populate(api, ['a']);
      const newest = await api.patch(`${path}/a`, 'merge', { data: { v: '1' } });
      await api.target.control?.restart?.();
      expect(await api.get(`${path}/a`)).toEqual(newest);
      await expectExpired(api, path, last.metadata.resourceVersion);
      const made = await addConfigMaps(api, path, ['b']);
      expect(BigInt(made.metadata.resourceVersion)).toBeGreaterThan(BigInt(newest.metadata.resourceVersion));
    },
    { needs: ['restart'], alone: true },
  );
});

async function expectExpired(api: Api, path: string, resourceVersion: string): Promise<void> {
  const stream = await api.watch(path, { resourceVersion });
  const { type, object } = await stream.expectNext();
  expect(type).toBe('ERROR');
  expectStatusDoc(object, { code: 410, reason: 'Expired', message: /too old/ });
  expect(await stream.next()).toBeUndefined();
}
