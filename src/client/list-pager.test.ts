import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StatusError } from '../meta/errors/errors.js';
import { expired } from '../meta/errors/status.js';
import type { ListParameters } from '../meta/options/parameters.js';
import { ListPager, type ListPagerOptions } from './list-pager.js';

interface Request {
  readonly options: ListParameters;
}

/** Serves the numbers from 0 up to `total` in pages; from request `expireAt` on, pages fail with 410. */
function collection(total: number, { expireAt = Number.POSITIVE_INFINITY } = {}) {
  const requests: Request[] = [];
  const listPage = async (options: ListParameters) => {
    requests.push({ options });
    const from = Number(options.continue ?? 0);
    if (options.continue !== undefined && requests.length >= expireAt) throw new StatusError(expired('too old'));
    const to = options.limit ? Math.min(from + options.limit, total) : total;
    const metadata = { resourceVersion: options.resourceVersion || '10' };
    return {
      items: Array.from({ length: to - from }, (_, i) => from + i),
      metadata: to < total ? { ...metadata, continue: String(to) } : metadata,
    };
  };
  const pager = (options: ListPagerOptions = {}) => new ListPager(listPage, { pageSize: 10, ...options });
  return { requests, pager };
}
const numbers = (n: number) => Array.from({ length: n }, (_, i) => i);

describe('ListPager', () => {
  it.each([
    [0, false],
    [9, false],
    [10, false],
    [11, true],
    [21, true],
  ])('[S258] lists %i items', async (total, paginated) => {
    const { pager, requests } = collection(total);
    const list = await pager().list();
    expect(list).toEqual({ items: numbers(total), metadata: { resourceVersion: '10' }, paginated });
    expect(requests).toHaveLength(Math.max(1, Math.ceil(total / 10)));
  });

  it('[S258] an expired page rejects, or leads to one full list', async () => {
    const strict = collection(21, { expireAt: 2 });
    await expect(strict.pager({ fullListIfPageExpired: false }).list()).rejects.toMatchObject({ reason: 'Expired' });
    const lenient = collection(21, { expireAt: 2 });
    const list = await lenient.pager().list({ resourceVersion: '5', resourceVersionMatch: 'NotOlderThan' });
    expect(list.items).toEqual(numbers(21));
    expect(list.paginated).toBe(true);
    expect(lenient.requests.map(({ options }) => [options.limit, options.continue, options.resourceVersion])).toEqual([
      [10, undefined, '5'],
      [10, '10', undefined],
      [0, undefined, '5'],
    ]);
  });

  it('[S258] resourceVersion and resourceVersionMatch are left out from the second page on', async () => {
    const { pager, requests } = collection(11);
    await pager().list({ resourceVersion: '7', resourceVersionMatch: 'Exact', labelSelector: 'a=b' });
    expect(requests.map(({ options }) => options)).toEqual([
      { resourceVersion: '7', resourceVersionMatch: 'Exact', labelSelector: 'a=b', limit: 10 },
      { labelSelector: 'a=b', limit: 10, continue: '10' },
    ]);
  });

  it('[S258] the resourceVersion is that of the first page: a watch from it repeats changes that later pages have', async () => {
    const page = (resourceVersion: string, next?: string) => ({
      items: [resourceVersion],
      metadata: next === undefined ? { resourceVersion } : { resourceVersion, continue: next },
    });
    const pages = [page('10', 'a'), page('11', 'b'), page('12')];
    const list = await new ListPager(async () => pages.shift() as ReturnType<typeof page>).list();
    expect(list).toEqual({ items: ['10', '11', '12'], metadata: { resourceVersion: '10' }, paginated: true });
  });

  it('a limit of the request wins over the page size', async () => {
    const { pager, requests } = collection(6);
    await pager().list({ limit: 3 });
    expect(requests.map(({ options }) => options.limit)).toEqual([3, 3]);
  });

  it.each([0, 9, 10, 11, 21])('[S259] visits %i items in order', async (total) => {
    const seen: number[] = [];
    await collection(total)
      .pager()
      .eachItem((item) => seen.push(item));
    expect(seen).toEqual(numbers(total));
  });

  it('[S259] an expired page rejects after the pages before it', async () => {
    const seen: number[] = [];
    const visiting = collection(21, { expireAt: 2 })
      .pager()
      .eachItem((item) => seen.push(item));
    await expect(visiting).rejects.toMatchObject({ reason: 'Expired' });
    expect(seen).toEqual(numbers(10));
  });

  it('[S259] an error of `visit` rejects at once', async () => {
    const seen: number[] = [];
    const visiting = collection(21)
      .pager()
      .eachItem((item) => {
        seen.push(item);
        if (item === 2) throw new Error('enough');
      });
    await expect(visiting).rejects.toThrow('enough');
    expect(seen).toEqual([0, 1, 2]);
  });

  it('[S259] an abort rejects after the current page', async () => {
    const stop = new AbortController();
    const seen: number[] = [];
    const visiting = collection(21)
      .pager()
      .eachItem(
        (item) => {
          seen.push(item);
          if (item === 2) stop.abort(new Error('stopped'));
        },
        {},
        { signal: stop.signal },
      );
    await expect(visiting).rejects.toThrow('stopped');
    expect(seen).toEqual(numbers(10));
  });

  it.each([
    [1, 1, 0, 1],
    [5, 1, 0, 2],
    [5, 2, 0, 3],
    [5, 5, 0, 5],
    [5, 1, 1, 3],
    [5, 5, 1, 5],
    [5, 1, 10, 5],
  ])(
    '[S260] of %i pages, %i walked through with a buffer of %i: %i requests',
    async (total, walked, pageBufferSize, lists) => {
      const { pager, requests } = collection(total);
      let count = 0;
      for await (const _ of pager({ pageSize: 1, pageBufferSize }).pages()) {
        // Further pages are fetched while this one is read.
        for (let i = 0; i < 100; i++) await Promise.resolve();
        if (++count === walked) break;
      }
      expect(requests).toHaveLength(lists);
    },
  );

  it('an abort before the first page sends no request', async () => {
    const { pager, requests } = collection(5);
    await expect(pager().list({}, { signal: AbortSignal.abort(new Error('no')) })).rejects.toThrow('no');
    expect(requests).toEqual([]);
  });

  it('sends the expected number of requests for any total and page size', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(60), fc.nat(20), fc.nat(4), async (total, pageSize, pageBufferSize) => {
        const { pager, requests } = collection(total);
        const { items, paginated } = await pager({ pageSize, pageBufferSize }).list();
        const pages = pageSize === 0 ? 1 : Math.max(1, Math.ceil(total / pageSize));
        expect(items).toEqual(numbers(total));
        expect(paginated).toBe(pages > 1);
        expect(requests).toHaveLength(pages);
        const visited: number[] = [];
        await pager({ pageSize, pageBufferSize }).eachItem((item) => visited.push(item));
        expect(visited).toEqual(items);
      }),
    );
  });

  it('refuses bad options', () => {
    expect(() => new ListPager(undefined as never)).toThrow('listPage must be a function');
    expect(
      () => new ListPager(async () => ({ items: [], metadata: { resourceVersion: '1' } }), { pageBufferSize: -1 }),
    ).toThrow('pageBufferSize must be a whole number of at least 0, got -1');
  });
});
