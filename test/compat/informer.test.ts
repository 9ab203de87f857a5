import * as official from '@kubernetes/client-node';
import { CoreV1Api, type Informer, KubeConfig, type ObjectCache, type V1ConfigMap } from '@kubernetes/client-node';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ApiServer, startApiServer } from '../../src/apiserver/index.js';
import type { Client } from '../../src/client/client.js';
import * as compat from '../../src/compat/index.js';
import { Journal } from '../support/journal.js';
import { shortenWaits } from '../support/short-waits.js';

/** The type of the official function: ours must be assignable to it. */
type MakeInformer = typeof official.makeInformer;
const makeOurs: MakeInformer = compat.makeInformer;

let api: ApiServer;
let client: Client;
let kubeconfig: KubeConfig;
let running: { stop(): Promise<void> }[];

beforeEach(async () => {
  shortenWaits();
  api = await startApiServer();
  client = api.client();
  kubeconfig = new KubeConfig();
  kubeconfig.loadFromString(api.kubeconfig);
  running = [];
});

afterEach(async () => {
  for (const informer of running) await informer.stop();
  await client.close();
  await api.stop();
  vi.restoreAllMocks();
});

interface Program {
  readonly informer: Informer<V1ConfigMap> & ObjectCache<V1ConfigMap>;
  readonly journal: Journal;
}

const PATH = '/api/v1/namespaces/default/configmaps';

/** A program for the official client; only `makeInformer` is a parameter. */
async function runProgram(makeInformer: MakeInformer, onError?: (program: Program) => void): Promise<Program> {
  const core = kubeconfig.makeApiClient(CoreV1Api);
  const informer = makeInformer(kubeconfig, PATH, () => core.listNamespacedConfigMap({ namespace: 'default' }));
  const journal = new Journal();
  const program = { informer, journal };
  running.push(informer);
  const describeMap = (map: V1ConfigMap): string => `${map.metadata?.name} ${map.data?.['value']}`;
  informer.on('add', (map) => journal.write(`add ${describeMap(map)}`));
  informer.on('update', (map) => journal.write(`update ${describeMap(map)}`));
  informer.on('delete', (map) => journal.write(`delete ${describeMap(map)}`));
  informer.on('connect', () => journal.write('connect'));
  informer.on('error', () => {
    journal.write('error');
    onError?.(program);
  });
  await informer.start();
  return program;
}

const maps = () => client.core.v1.configMaps('default');
const create = (name: string, value = '1') => maps().create({ metadata: { name }, data: { value } });
const put = (name: string, value: string) => maps().patch(name, { data: { value } });

/** Counts the requests that reach the server. */
function countRequests(verb: 'list' | 'watch'): () => number {
  let count = 0;
  api.faults.inject({
    verb,
    resource: 'configmaps',
    times: Number.POSITIVE_INFINITY,
    delayMs: 0,
    when: () => {
      count++;
      return false;
    },
  });
  return () => count;
}

const objectLines = ({ lines }: Journal): string[] => lines.filter((line) => /^(add|update|delete) /.test(line));

describe('a program for the official informer', () => {
  it('gets the same callbacks as with the official client, in the same order', async () => {
    await create('a');
    const programs = [await runProgram(makeOurs), await runProgram(official.makeInformer)];
    for (const { journal } of programs) expect(objectLines(journal)).toEqual(['add a 1']);
    await create('b');
    await put('a', '2');
    await maps().delete('b');
    for (const { journal, informer } of programs) {
      await journal.until('delete b 1');
      expect(objectLines(journal)).toEqual(['add a 1', 'add b 1', 'update a 2', 'delete b 1']);
      expect(informer.list().map(({ data }) => data)).toEqual([{ value: '2' }]);
      expect(informer.list('default')).toHaveLength(1);
      expect(informer.list('elsewhere')).toHaveLength(0);
      expect(informer.get('a', 'default')?.data).toEqual({ value: '2' });
      expect(informer.get('a')).toBeUndefined();
    }
  });

  it('gets objects of one form, from lists and from watches', async () => {
    await create('listed');
    const { informer, journal } = await runProgram(makeOurs);
    await create('watched');
    await journal.until('add watched 1');
    for (const name of ['listed', 'watched']) {
      const map = informer.get(name, 'default');
      expect(map?.metadata?.creationTimestamp, name).toBeInstanceOf(Date);
      expect(map?.kind, name).toBe('ConfigMap');
      expect(map?.apiVersion, name).toBe('v1');
    }
    // With the official client, watched objects have times as strings, and listed ones have no kind.
    const theirs = await runProgram(official.makeInformer);
    await create('watched-too');
    await theirs.journal.until('add watched-too 1');
    expect(theirs.informer.get('watched-too', 'default')?.metadata?.creationTimestamp).toBeTypeOf('string');
    expect(theirs.informer.get('listed', 'default')?.kind).toBeUndefined();
  });

  it('keeps managed fields, in both forms of lists', async () => {
    const managedFields = [{ manager: 'm', operation: 'Update', time: new Date(0) }];
    const items = [{ metadata: { name: 'x', namespace: 'default', resourceVersion: '1', managedFields } }];
    const informer = compat.makeInformer(kubeconfig, PATH, () => Promise.resolve({ items, metadata: {} }));
    running.push(informer);
    await informer.start();
    expect(informer.list()[0]?.metadata.managedFields).toBe(managedFields);
  });

  it('continues when a connection breaks in the middle of an event, where the official one ends', async () => {
    const ours = await runProgram(makeOurs);
    const theirs = await runProgram(official.makeInformer);
    api.faults.inject({ verb: 'watch', resource: 'configmaps', reset: 'midEvent', times: 2 });
    await create('a');
    await ours.journal.until('add a 1');
    await theirs.journal.until('error');
    await create('b');
    await ours.journal.until('add b 1');
    expect(theirs.informer.list()).toEqual([]);
    expect(objectLines(ours.journal)).toEqual(['add a 1', 'add b 1']);
  });

  it('continues when the server fails, on a watch and on a list, where the official one ends', async () => {
    const ours = await runProgram(makeOurs);
    const theirs = await runProgram(official.makeInformer);
    api.faults.inject({ verb: ['watch', 'list'], resource: 'configmaps', respond: { status: 500 }, times: 2 });
    api.faults.dropConnections();
    await create('a').catch(() => create('a'));
    await theirs.journal.until('error');
    await ours.journal.until('add a 1');
    expect(theirs.informer.list()).toEqual([]);
  });

  it('continues after 410 Gone, and reports each missed change once', async () => {
    await create('a');
    await create('b');
    const { journal } = await runProgram(makeOurs);
    const block = api.faults.inject({
      verb: 'watch',
      respond: { status: 503 },
      times: Number.POSITIVE_INFINITY,
    });
    api.faults.inject({ verb: 'watch', errorEvent: { status: 410 } });
    // The watch ends before this event.
    await put('a', '2');
    await maps().delete('b');
    api.compact();
    block[Symbol.dispose]();
    await journal.until('delete b 1');
    await journal.until('update a 2');
    expect(objectLines(journal).sort()).toEqual(['add a 1', 'add b 1', 'delete b 1', 'update a 2']);
  });

  it('continues after a restart of the server, with or without its history', async () => {
    await create('a');
    const { journal, informer } = await runProgram(makeOurs);
    for (const [at, keepHistory] of [true, false].entries()) {
      await api.restart({ keepHistory });
      await put('a', `after ${at}`).catch(() => put('a', `after ${at}`));
      await journal.until(`update a after ${at}`);
    }
    expect(journal.count('add a 1')).toBe(1);
    expect(informer.list()).toHaveLength(1);
  });

  it('may start the informer again at every error, and gets no callback twice', async () => {
    await create('a');
    const lists = countRequests('list');
    const watches = countRequests('watch');
    api.faults.inject({ verb: 'list', resource: 'configmaps', respond: { status: 500 }, times: 2 });
    const { journal } = await runProgram(makeOurs, ({ informer }) => void informer.start());
    expect(journal.lines).toContain('error');
    await journal.until('connect');
    await put('a', '2');
    await journal.until('update a 2');
    expect(objectLines(journal)).toEqual(['add a 1', 'update a 2']);
    expect(lists()).toBe(3);
    expect(watches()).toBe(1);
  });

  it('can call start twice at the same time', async () => {
    const watches = countRequests('watch');
    const { informer, journal } = await runProgram(makeOurs);
    await Promise.all([informer.start(), informer.start()]);
    await create('a');
    await journal.until('add a 1');
    expect(watches()).toBe(1);
    expect(journal.count('connect')).toBe(1);
  });
});

describe('stop', () => {
  it('is followed by no callback, also no error; the next start reports only changes', async () => {
    await create('a');
    await create('b');
    const { informer, journal } = await runProgram(makeOurs);
    await informer.stop();
    await informer.stop();
    const before = [...journal.lines];
    await put('a', '2');
    await maps().delete('b');
    await create('c');
    expect(informer.list()).toHaveLength(2);
    expect(journal.lines).toEqual(before);
    await informer.start();
    expect(objectLines(journal).slice(2).sort()).toEqual(['add c 1', 'delete b 1', 'update a 2']);
    expect(journal.lines).not.toContain('error');
  });

  it('opens no watch when it is called during a list', async () => {
    const watches = countRequests('watch');
    let answer = (_: { items: V1ConfigMap[]; metadata: { resourceVersion: string } }): void => {};
    const informer = compat.makeInformer<V1ConfigMap>(
      kubeconfig,
      PATH,
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    const journal = new Journal();
    informer.on('change', (map) => journal.write(`change ${map.metadata?.name}`));
    informer.on('connect', () => journal.write('connect'));
    informer.on('error', () => journal.write('error'));
    const started = informer.start();
    await Promise.resolve();
    await informer.stop();
    await started;
    answer({ items: [{ metadata: { name: 'late', namespace: 'default' } }], metadata: { resourceVersion: '1' } });
    await create('a');
    expect(journal.lines).toEqual([]);
    expect(watches()).toBe(0);
  });

  it('in a callback leaves the rest of the list for the next start', async () => {
    await create('a');
    await create('b');
    const core = kubeconfig.makeApiClient(CoreV1Api);
    const informer = makeOurs(kubeconfig, PATH, () => core.listNamespacedConfigMap({ namespace: 'default' }));
    running.push(informer);
    const added: string[] = [];
    let isFirst = true;
    informer.on('add', (map) => {
      added.push(map.metadata?.name ?? '');
      if (isFirst) void informer.stop();
      isFirst = false;
    });
    await informer.start();
    expect(informer.list()).toHaveLength(added.length);
    await informer.start();
    expect(added.sort()).toEqual(['a', 'b']);
  });
});

describe('callbacks', () => {
  it('are independent of each other, and the error callbacks get what they throw', async () => {
    const { informer, journal } = await runProgram(makeOurs);
    const errors: unknown[] = [];
    informer.on('add', () => {
      throw new Error('thrown');
    });
    informer.on('add', (async () => {
      throw new Error('rejected');
    }) as () => void);
    informer.on('add', () => journal.write('the last one'));
    informer.on('error', (error: Error) => errors.push(error.message));
    await create('a');
    await journal.until('the last one');
    await journal.until('error', 2);
    expect(errors).toEqual(['thrown', 'rejected']);
    await create('b');
    await journal.until('the last one', 2);
  });

  it('can be removed, and an unknown verb is an error', async () => {
    const { informer, journal } = await runProgram(makeOurs);
    const never = () => journal.write('never');
    informer.on('change', never);
    informer.off('change', never);
    informer.off('add', never);
    expect(() => informer.on('chang' as 'change', never)).toThrow('Unknown verb: chang');
    expect(() => informer.off('chang' as 'change', never)).toThrow('Unknown verb: chang');
    await create('a');
    await journal.until('add a 1');
    expect(journal.lines).not.toContain('never');
  });

  it.each([
    ['a response with the list in its body', { response: {}, body: { metadata: {}, items: [] } }],
    ['nothing', undefined],
  ])('get an error for a list function that returns %s, which is not an empty list', async (_, answer) => {
    await create('a');
    const core = kubeconfig.makeApiClient(CoreV1Api);
    let isList = true;
    const list = () => (isList ? core.listNamespacedConfigMap({ namespace: 'default' }) : Promise.resolve(answer));
    const informer = makeOurs(kubeconfig, PATH, list as () => ReturnType<typeof core.listNamespacedConfigMap>);
    running.push(informer);
    await informer.start();
    await informer.stop();
    isList = false;
    const errors: unknown[] = [];
    informer.on('error', (error) => errors.push(error));
    await informer.start();
    expect(errors).toEqual([
      expect.objectContaining({ message: expect.stringContaining('the list function must return a list') }),
    ]);
    expect(informer.get('a', 'default')).toBeDefined();
  });

  it('get the error of the list function as it was thrown, and start resolves', async () => {
    const failure = Object.assign(new Error('refused'), { code: 403 });
    let failing = true;
    const list = () => (failing ? Promise.reject(failure) : Promise.resolve({ items: [], metadata: {} }));
    const informer = new compat.ListWatch(PATH, new compat.Watch(kubeconfig), list, false, undefined, undefined, {
      backoff: { initialMs: 1 },
    });
    running.push(informer);
    const journal = new Journal();
    const errors: unknown[] = [];
    informer.on('error', (error) => {
      errors.push(error);
      failing = false;
    });
    informer.on('connect', () => journal.write('connect'));
    await informer.start();
    expect(errors).toEqual([failure]);
    await journal.until('connect');
    expect(errors).toEqual([failure]);
  });
});

describe('ListWatch', () => {
  it('starts by itself, selects by labels and fields, and has a resourceVersion', async () => {
    await maps().create({ metadata: { name: 'a', labels: { app: 'web' } } });
    const core = kubeconfig.makeApiClient(CoreV1Api);
    const selection = { labelSelector: 'app=web', fieldSelector: 'metadata.name!=z' };
    const listWatch = new compat.ListWatch<V1ConfigMap>(
      PATH,
      new compat.Watch(kubeconfig),
      () => core.listNamespacedConfigMap({ namespace: 'default', ...selection }),
      true,
      selection.labelSelector,
      selection.fieldSelector,
    );
    running.push(listWatch);
    const journal = new Journal();
    listWatch.on('add', (map) => journal.write(`add ${map.metadata?.name}`));
    await journal.until('add a');
    for (const name of ['z', 'b']) await maps().create({ metadata: { name, labels: { app: 'web' } } });
    const other = await maps().create({ metadata: { name: 'other' } });
    await maps().create({ metadata: { name: 'c', labels: { app: 'web' } } });
    await journal.until('add c');
    expect(journal.lines).toEqual(['add a', 'add b', 'add c']);
    expect(Number(listWatch.latestResourceVersion())).toBeGreaterThan(Number(other.metadata.resourceVersion));
  });

  it('reads the other pages of a list function that returns one page', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await create(name);
    const core = kubeconfig.makeApiClient(CoreV1Api);
    const informer = makeOurs(kubeconfig, PATH, () => core.listNamespacedConfigMap({ namespace: 'default', limit: 2 }));
    running.push(informer);
    await informer.start();
    expect(informer.list().map(({ metadata }) => metadata?.name)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(informer.get('e', 'default')?.metadata?.creationTimestamp).toBeInstanceOf(Date);
  });

  it('refuses to start without a cluster, with the message of the official client', async () => {
    const informer = compat.makeInformer(new KubeConfig(), PATH, () => Promise.resolve({ items: [] }));
    await expect(informer.start()).rejects.toThrow('No currently active cluster');
  });
});

describe('Watch', () => {
  it('calls back for events, bookmarks and its end', async () => {
    await create('a');
    const journal = new Journal();
    await new compat.Watch(kubeconfig).watch(
      PATH,
      { timeoutSeconds: 1, allowWatchBookmarks: true },
      (phase, object, event) => {
        expect(event).toEqual({ type: phase, object });
        journal.write(`${phase} ${object.metadata.name ?? ''}`.trimEnd());
      },
      (error) => journal.write(`done ${error}`),
    );
    await put('a', '2');
    await journal.until('done null');
    expect(journal.lines.filter((line) => line !== 'BOOKMARK')).toEqual(['ADDED a', 'MODIFIED a', 'done null']);
    expect(journal.lines).toContain('BOOKMARK');
  });

  it('calls done with the status when the server rejects it', async () => {
    const errors: { statusCode?: number; code?: unknown }[] = [];
    const controller = await new compat.Watch(kubeconfig).watch(
      '/api/v1/nothings',
      {},
      () => {},
      (error) => errors.push(error),
    );
    expect(controller).toBeInstanceOf(AbortController);
    expect(errors).toMatchObject([{ statusCode: 404, code: 404, name: 'WatchError' }]);
  });

  it('calls done with the code of the system when the connection breaks', async () => {
    const ended = new Promise<{ code?: unknown }>((resolve) => {
      void new compat.Watch(kubeconfig).watch(PATH, {}, () => {}, resolve).then(() => api.faults.dropConnections());
    });
    expect(['ECONNRESET', 'UND_ERR_SOCKET', 'CONNECTION_LOST']).toContain((await ended).code);
  });

  it('ends when its controller is aborted, and calls done once', async () => {
    const ends: { name?: string }[] = [];
    const over = new Promise<void>((resolve) => {
      const done = (error: Error) => {
        ends.push(error);
        resolve();
      };
      void new compat.Watch(kubeconfig).watch(PATH, {}, () => {}, done).then((controller) => controller.abort());
    });
    await over;
    expect(ends).toMatchObject([{ name: 'AbortError' }]);
  });
});
