import { describe, expect, it } from 'vitest';
import { type Form, forms, thing } from '../../../test/support/forms.js';
import { expired, reflectorRig } from '../../../test/support/reflector-rig.js';
import { StatusError } from '../../meta/errors/errors.js';
import * as status from '../../meta/errors/status.js';

describe.each(forms)('Reflector, lists, on $name', (form: Form<unknown>) => {
  const { list, pod, setup } = reflectorRig(form);

  /** Answers with pages of `limit` items, named by their number. */
  const paged =
    (total: number, version: string) => (options: { limit?: number | undefined; continue?: string | undefined }) => {
      const from = Number(options.continue ?? 0);
      const to = options.limit ? Math.min(total, from + options.limit) : total;
      const items = Array.from({ length: to - from }, (_, i) => pod(`p${from + i}`, version));
      return {
        items,
        metadata: to < total ? { resourceVersion: version, continue: String(to) } : { resourceVersion: version },
      };
    };
  const failingWatch = () => {
    throw new Error('no watch');
  };

  it('[S14] [S47] lists, then watches from the resourceVersion of the list', async () => {
    const { clock, source, reflector, stop, contents } = setup();
    source.onList = () => list('1', pod('foo', '1'));
    const running = reflector.run(stop.signal);
    await clock.runUntilIdle();
    source.lastWatch.modified(pod('foo', '2'));
    source.lastWatch.added(pod('bar', '3'));
    expect(contents()).toEqual({ foo: '2', bar: '3' });
    expect(source.lists).toEqual([{ resourceVersion: '0', limit: 500 }]);
    expect(source.lastWatch.options).toMatchObject({ resourceVersion: '1', allowWatchBookmarks: true });
    expect(source.lastWatch.options).not.toHaveProperty('sendInitialEvents');
    stop.abort();
    await running;
  });

  it('[S22] requests every page with pageSize', async () => {
    const { source, round, store } = setup({ pageSize: 4 });
    source.onList = paged(10, '10');
    source.onWatch = failingWatch;
    await round().catch(() => {});
    expect(source.lists.map(({ limit }) => limit)).toEqual([4, 4, 4]);
    expect(store.size).toBe(10);
  });

  it('[S23] [S25] the second list asks for the last resourceVersion, without pages', async () => {
    const { source, round, store } = setup();
    source.onWatch = failingWatch;
    source.onList = () => paged(4, '10')({});
    await round().catch(() => {});
    expect(store.size).toBe(4);
    source.onList = () => paged(8, '12')({});
    await round().catch(() => {});
    expect(store.size).toBe(8);
    expect(source.lists).toEqual([
      { resourceVersion: '0', limit: 500 },
      { resourceVersion: '10', limit: 0 },
    ]);
  });

  it('[S24] keeps listing in pages after a list at "0" came in pages', async () => {
    const { source, round, store } = setup();
    source.onWatch = failingWatch;
    source.onList = paged(510, '10');
    await round().catch(() => {});
    await round().catch(() => {});
    expect(source.lists.map(({ limit, resourceVersion }) => [limit, resourceVersion])).toEqual([
      [500, '0'],
      [500, undefined],
      [500, '10'],
      [500, undefined],
    ]);
    expect(store.size).toBe(510);
  });

  it('[S26] lists at "" after 410 Gone', async () => {
    const { source, round, store } = setup();
    source.onWatch = failingWatch;
    source.onList = ({ resourceVersion }) => {
      if (resourceVersion === '0') return list('10', pod('a', '1'));
      if (resourceVersion === '10') throw expired();
      return list('11', pod('a', '1'), pod('b', '11'));
    };
    await round().catch(() => {});
    await round().catch(() => {});
    expect(source.lists.map(({ resourceVersion }) => resourceVersion)).toEqual(['0', '10', '']);
    expect(store.size).toBe(2);
  });

  it('[S24] does not keep listing in pages after a list at "" came in pages', async () => {
    const { source, round, store } = setup();
    source.onWatch = failingWatch;
    source.onList = (options, count) => {
      if (count === 1) throw expired();
      return paged(510, '10')(options);
    };
    await round().catch(() => {});
    await round().catch(() => {});
    expect(source.lists.map(({ limit, resourceVersion }) => [limit, resourceVersion])).toEqual([
      [500, '0'],
      [500, ''],
      [500, undefined],
      // The server's watch cache answers a list of a known resourceVersion, without pages.
      [0, '10'],
    ]);
    expect(store.size).toBe(510);
  });

  it('[S26] the list at "" has the limit of the list that 410 was the answer to', async () => {
    const { source, round } = setup();
    source.onWatch = failingWatch;
    let fails: (resourceVersion: string) => boolean = (resourceVersion) => resourceVersion === '0';
    source.onList = ({ resourceVersion = '' }) => {
      if (fails(resourceVersion)) throw expired();
      return list('10');
    };
    await round().catch(() => {});
    fails = () => true;
    await round().catch(() => {});
    fails = () => false;
    await round().catch(() => {});
    expect(source.lists).toEqual([
      { resourceVersion: '0', limit: 500 },
      { resourceVersion: '', limit: 500 },
      { resourceVersion: '10', limit: 0 },
      { resourceVersion: '', limit: 0 },
      // A round that begins at "" lists in pages.
      { resourceVersion: '', limit: 500 },
    ]);
  });

  it('[S27] lists without pages after 410 for a later page', async () => {
    const { source, round, store } = setup({ pageSize: 4 });
    source.onWatch = failingWatch;
    source.onList = (options) => {
      if (options.resourceVersion === '0') return list('10', pod('p0', '1'));
      if (options.continue !== undefined) throw expired();
      return paged(8, '11')(options);
    };
    await round().catch(() => {});
    await round().catch(() => {});
    expect(source.lists.map((each) => [each.resourceVersion, each.limit, each.continue])).toEqual([
      ['0', 4, undefined],
      ['10', 4, undefined],
      [undefined, 4, '4'],
      ['10', 0, undefined],
    ]);
    expect(store.size).toBe(8);
  });

  it('[S28] lists at "" after "too large resource version", in all three forms', async () => {
    const { source, round } = setup();
    source.onWatch = failingWatch;
    const timeout = (details: object, message = 'Timeout') =>
      new StatusError({ ...status.timeout(message), details: details as never, message });
    const tooLarge: Record<string, StatusError> = {
      '20': new StatusError(status.tooLargeResourceVersion('20', '10')),
      '30': timeout({ causes: [{ message: 'Too large resource version' }] }),
      '40': timeout({ causes: [{ message: '' }] }, 'Too large resource version: 40, current: 10'),
    };
    let next = 10;
    source.onList = ({ resourceVersion }) => {
      const error = tooLarge[resourceVersion ?? ''];
      if (error !== undefined) throw error;
      next += 10;
      return list(String(next));
    };
    for (let i = 0; i < 4; i++) await round().catch(() => {});
    expect(source.lists.map(({ resourceVersion }) => resourceVersion)).toEqual(['0', '20', '', '30', '', '40', '']);
  });

  it('[S33] an object of the store does not keep its page alive', async () => {
    const { source, round, store } = setup({ pageSize: 100 });
    const references: WeakRef<object>[] = [];
    source.onWatch = failingWatch;
    source.onList = (options) => {
      const page = paged(500, '10')(options);
      references.push(new WeakRef(page.items[0] as object));
      return page;
    };
    await round().catch(() => {});
    for (const [index, key] of store.listKeys().entries()) if (index % 100 !== 50) store.delete(form.make(thing(key)));
    for (let i = 0; i < 30 && references.some((reference) => reference.deref() !== undefined); i++) {
      await new Promise((resolve) => setImmediate(resolve));
      (globalThis as { gc?: () => void }).gc?.();
    }
    expect(store.size).toBe(5);
    expect(references.map((reference) => reference.deref())).toEqual(Array(5).fill(undefined));
  });

  it('[S34] deletes an object that the server cannot read with the next list', async () => {
    const { clock, source, reflector, stop, contents } = setup();
    source.onList = (_, count) =>
      count === 1
        ? list('3', pod('foo', '1'), pod('a', '1'), pod('b', '2'), pod('c', '3'))
        : list('5', pod('a', '1'), pod('b', '2'), pod('c', '3'));
    source.onWatch = (watch, count) => {
      if (count > 1) return;
      watch.added(pod('foo', '4'));
      watch.error({ ...status.internal('data from the storage is not transformable'), reason: 'StorageReadError' });
    };
    const running = reflector.run(stop.signal);
    await clock.until(() => source.watches.length === 2, { withinMs: 60_000 });
    expect(contents()).toEqual({ a: '1', b: '2', c: '3' });
    expect(reflector.lastSyncResourceVersion).toBe('5');
    stop.abort();
    await running;
  });

  it.each([
    ['meta.k8s.io/v1', true],
    ['meta.k8s.io/v1beta1', true],
    ['custom.group/v1', false],
  ])('[S36] rejects a Table of %s: %s', async (apiVersion, rejected) => {
    const { source, round, contents, errors } = setup();
    source.onWatch = (watch) => {
      watch.added(form.make({ apiVersion, kind: 'Table', metadata: { name: 't', resourceVersion: '2' } }));
      watch.error(status.internal('end'));
    };
    await round();
    expect(contents()).toEqual(rejected ? {} : { t: '2' });
    expect(errors.some(({ message }) => message.includes('a table'))).toBe(rejected);
    source.onList = () => ({ items: [], metadata: { resourceVersion: '1' }, kind: 'Table', apiVersion });
    if (rejected) await expect(round()).rejects.toThrow('unsupported list gvk');
    else await round();
  });

  it('relists at the last resourceVersion after a 410 event', async () => {
    const { clock, source, reflector, stop, reasons } = setup();
    source.onList = (_, count) => list(String(count * 10));
    source.onWatch = (watch, count) => {
      if (count === 1) {
        watch.bookmark('15');
        watch.error(status.expired('too old'));
      }
    };
    const running = reflector.run(stop.signal);
    await clock.until(() => source.lists.length === 2, { withinMs: 60_000 });
    expect(source.lists.map(({ resourceVersion }) => resourceVersion)).toEqual(['0', '15']);
    expect(reasons()).toEqual(['expired']);
    stop.abort();
    await running;
  });

  it('writes nothing of a list that is complete when the signal has aborted', async () => {
    const { clock, source, reflector, stop, contents } = setup();
    source.onList = () => list('1', pod('a', '1'));
    const answer = source.list.bind(source);
    source.list = (options, sink, signal) => {
      const flow = answer(options, sink, signal);
      // The last byte and the abort come at the same time.
      const done = flow.done.then((head) => {
        stop.abort();
        return head;
      });
      return { resume() {}, done };
    };
    const running = reflector.run(stop.signal);
    await clock.runUntilIdle();
    await running;
    expect(contents()).toEqual({});
    expect(source.watches).toEqual([]);
  });

  it('aborts a list that receives nothing for 90 s, and lists again', async () => {
    const { clock, source, reflector, stop, contents, errors } = setup();
    source.onList = (_, count) => (count === 1 ? new Promise(() => {}) : list('2', pod('a', '1')));
    // An aborted request rejects, although the server never answers.
    const answer = source.list.bind(source);
    source.list = (options, sink, signal) => {
      const flow = answer(options, sink, signal);
      const gone = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      return { resume() {}, done: Promise.race([flow.done, gone]) };
    };
    const running = reflector.run(stop.signal);
    await clock.until(() => source.watches.length === 1, { withinMs: 150_000 });
    expect(contents()).toEqual({ a: '1' });
    expect(errors).toEqual([{ reason: 'list', message: expect.stringContaining('received nothing for 90 s') }]);
    stop.abort();
    await running;
  });

  it('leaves out and reports an object of a list that cannot be read', async () => {
    const { source, round, contents, errors } = setup();
    source.onList = () =>
      list('9', pod('a', '1'), form.make({ apiVersion: 'example.com/v1', kind: 'Thing' } as never), pod('b', '2'));
    source.onWatch = failingWatch;
    await round().catch(() => {});
    expect(contents()).toEqual({ a: '1', b: '2' });
    expect(errors).toEqual([{ reason: 'skipped', message: expect.stringContaining('cannot be read') }]);
  });

  it('takes a list without a resourceVersion as ""', async () => {
    const { clock, source, reflector, stop } = setup();
    source.onList = () => ({ items: [], metadata: {} as never });
    const running = reflector.run(stop.signal);
    await clock.runUntilIdle();
    expect(reflector.status).toMatchObject({ state: 'watching', resourceVersion: '' });
    expect(source.lastWatch.options.resourceVersion).toBe('');
    stop.abort();
    await running;
  });
});
