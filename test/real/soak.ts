import { setTimeout as sleep } from 'node:timers/promises';
import { channels, listen } from '../../src/observe/channels.js';
import { seededRandom } from '../../src/time/seeded-random.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { type Torment, torment } from '../support/tormentor.js';
import { InformerRig } from './informer-rig.js';
import type { RealApiServer } from './real-api-server.mjs';

export interface SoakOptions {
  readonly seed: number;
  /** The duration of faults and changes; after it the caches must become equal to the server. */
  readonly durationMs: number;
  /** How often the server is killed and started again, so that versions expire and informers relist. @default never */
  readonly killEveryMs?: number | undefined;
  /** The time limit for the caches to become equal. */
  readonly settleWithinMs: number;
  readonly onProgress?: ((line: string) => void) | undefined;
}

/** The report of a run. */
export interface SoakReport {
  readonly writes: number;
  readonly lists: number;
  readonly watches: number;
  readonly protocols: Readonly<Record<string, ProtocolReport>>;
  /** Before and after: resident memory, and used heap after a garbage collection if `gc` is exposed. */
  readonly memoryMb: { readonly first: Memory; readonly last: Memory };
}

interface Memory {
  readonly rss: number;
  readonly heap: number;
  readonly buffers: number;
}

interface ProtocolReport {
  readonly torments: Readonly<Record<string, number>>;
  readonly connections: number;
  readonly events: number;
  readonly missedDeletions: number;
  /** The number of failures of informers, by kind. */
  readonly survived: Readonly<Record<string, number>>;
  /** The time until the caches were equal. */
  readonly settledMs: number;
}

const everyTorment: readonly Torment[] = ['reset', 'resetAll', 'stall', 'pause', 'halfClose', 'trickle', 'refuse'];

/**
 * Runs informers of all kinds behind proxies that disturb their connections, while objects are written and etcd is
 * compacted now and then. Resolves when every cache equals the server's list, and rejects if one does not, or if a call of a
 * handler broke the contract.
 */
export async function soak(server: RealApiServer, options: SoakOptions): Promise<SoakReport> {
  const { seed, durationMs, settleWithinMs, onProgress } = options;
  const counted = { lists: 0, watches: 0, writes: 0 };
  const undo = [
    listen(channels.reflectorList, () => counted.lists++),
    listen(channels.reflectorWatch, () => counted.watches++),
  ];
  await using http2 = await Protocol.start(server, { http2: true });
  await using http1 = await Protocol.start(server, { http2: false, namespace: http2.rig.namespace });
  const first = memoryMb();
  const over = new AbortController();
  const torments = Promise.all([
    http2.torment(everyTorment, seededRandom(seed), over.signal),
    http1.torment(everyTorment, seededRandom(seed + 1), over.signal),
  ]);
  const end = performance.now() + durationMs;
  const compact = every(10_000, () => server.compact());
  const kill = every(options.killEveryMs ?? Number.POSITIVE_INFINITY, async () => {
    await server.kill();
    await server.start();
  });
  const tell = every(30_000, async () => {
    const left = Math.round((end - performance.now()) / 1000);
    onProgress?.(`${left} s left: ${JSON.stringify(counted)}, ${JSON.stringify(memoryMb())} MB`);
  });
  while (performance.now() < end) {
    await http2.rig.churn(10, counted.writes);
    counted.writes += 10;
    await sleep(50);
    await compact();
    await kill();
    await tell();
  }
  over.abort();
  await torments;
  const protocols = { 'HTTP/2': await http2.settle(settleWithinMs), 'HTTP/1.1': await http1.settle(settleWithinMs) };
  for (const stop of undo) stop();
  return { ...counted, protocols, memoryMb: { first, last: memoryMb() } };
}

/** Returns a function that calls `action` if the interval has passed since the last call; to be called often. */
function every(ms: number, action: () => Promise<unknown>): () => Promise<void> {
  let due = performance.now() + ms;
  return async () => {
    if (performance.now() < due) return;
    due += ms;
    await action();
  };
}

/** The informers of one version of HTTP, and their proxy. */
class Protocol implements AsyncDisposable {
  readonly rig: InformerRig;
  readonly #proxy: TcpProxy;
  #torments: Record<string, number> = {};

  static async start(server: RealApiServer, options: { http2: boolean; namespace?: string }): Promise<Protocol> {
    const proxy = await TcpProxy.start(server.url);
    const { http2, namespace } = options;
    const rig = await InformerRig.start(server, { url: proxy.url, http: { http2 }, ...(namespace && { namespace }) });
    const { v1 } = rig.factory.core;
    rig.observe(v1.configMaps());
    rig.observe(v1.configMaps({ useWatchList: false, name: 'listed' }));
    rig.observe(v1.configMaps({ storage: 'objects', name: 'objects' }));
    await rig.sync();
    return new Protocol(rig, proxy);
  }

  private constructor(rig: InformerRig, proxy: TcpProxy) {
    this.rig = rig;
    this.#proxy = proxy;
  }

  async torment(kinds: readonly Torment[], random: () => number, signal: AbortSignal): Promise<void> {
    this.#torments = await torment(this.#proxy, { kinds, random, signal, everyMs: 3_000 });
  }

  async settle(withinMs: number): Promise<ProtocolReport> {
    const from = performance.now();
    await this.rig.check(withinMs);
    const survived: Record<string, number> = {};
    for (const { reason = 'other' } of this.rig.survived) survived[reason] = (survived[reason] ?? 0) + 1;
    const sum = (of: 'events' | 'missedDeletions') => this.rig.observers.reduce((total, one) => total + one[of], 0);
    return {
      torments: this.#torments,
      connections: this.#proxy.accepted,
      events: sum('events'),
      missedDeletions: sum('missedDeletions'),
      survived,
      settledMs: Math.round(performance.now() - from),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.rig[Symbol.asyncDispose]();
    await this.#proxy.close();
  }
}

function memoryMb(): Memory {
  globalThis.gc?.();
  const { rss, heapUsed, arrayBuffers } = process.memoryUsage();
  const [rssMb, heap, buffers] = [rss, heapUsed, arrayBuffers].map((bytes) => Math.round(bytes / 1024 / 1024));
  return { rss: rssMb as number, heap: heap as number, buffers: buffers as number };
}
