import { setTimeout as sleep } from 'node:timers/promises';
import { channels, listen } from '../../src/observe/channels.js';
import { seededRandom } from '../../src/time/seeded-random.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { type Torment, torment } from '../support/tormentor.js';
import { type Footprint, footprint, growthOf } from './footprint.js';
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
  /** How often all connections stall at once in the end, to measure how soon that is noticed. @default 0 */
  readonly stalls?: number | undefined;
  readonly onProgress?: ((line: string) => void) | undefined;
}

/** The report of a run. */
export interface SoakReport {
  readonly writes: number;
  readonly lists: number;
  readonly watches: number;
  readonly protocols: Readonly<Record<string, ProtocolReport>>;
  /** Before the faults, and after the caches have become equal. */
  readonly footprint: { readonly first: Footprint; readonly last: Footprint };
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
  /** For each stall of all connections, the time until every cache had what was written after it. */
  readonly stallsMs: readonly number[];
}

/** A stall must be noticed within this time. */
const STALL_LIMIT_MS = 20_000;

const everyTorment: readonly Torment[] = ['reset', 'resetAll', 'stall', 'pause', 'halfClose', 'trickle', 'refuse'];

/**
 * Runs informers of all kinds behind proxies that disturb their connections, while objects are written and etcd is
 * compacted now and then. Resolves when every cache equals the server's list, and rejects if one does not, if a call of a handler
 * broke the contract, if a stall was noticed too late, or if the process holds more than before.
 */
export async function soak(server: RealApiServer, options: SoakOptions): Promise<SoakReport> {
  const { seed, durationMs, settleWithinMs, stalls = 0, onProgress } = options;
  const counted = { lists: 0, watches: 0, writes: 0 };
  const undo = [
    listen(channels.reflectorList, () => counted.lists++),
    listen(channels.reflectorWatch, () => counted.watches++),
  ];
  await using http2 = await Protocol.start(server, { http2: true });
  await using http1 = await Protocol.start(server, { http2: false, namespace: http2.rig.namespace });
  const first = footprint();
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
    onProgress?.(`${left} s left: ${JSON.stringify(counted)}, ${JSON.stringify(footprint())}`);
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
  for (const protocol of [http2, http1]) await protocol.settle(settleWithinMs);
  for (let stall = 0; stall < stalls; stall++) for (const protocol of [http2, http1]) await protocol.stall();
  for (const stop of undo) stop();
  const last = await lastFootprint(first);
  const report = {
    ...counted,
    protocols: { 'HTTP/2': http2.report(), 'HTTP/1.1': http1.report() },
    footprint: { first, last },
  };
  const problems = growthOf(first, last);
  for (const [protocol, { stallsMs }] of Object.entries(report.protocols)) {
    const late = stallsMs.filter((ms) => ms > STALL_LIMIT_MS);
    if (late.length > 0) problems.push(`stalls on ${protocol} were noticed after ${late.join(', ')} ms`);
  }
  if (problems.length > 0) throw new Error(`${problems.join('; ')}\n${JSON.stringify(report, undefined, 2)}`);
  return report;
}

/** Waits for what is only about to end: closed sockets, and timers of requests that are over. */
async function lastFootprint(first: Footprint): Promise<Footprint> {
  let last = footprint();
  for (let seconds = 0; seconds < 60 && growthOf(first, last).length > 0; seconds++) {
    await sleep(1000);
    last = footprint();
  }
  return last;
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
  #settledMs = 0;
  readonly #stallsMs: number[] = [];

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

  /** Waits until the caches have what is written now. The proxy keeps stalled connections, also those that the client has given up. */
  async settle(withinMs: number): Promise<void> {
    const from = performance.now();
    // Without a write a cache may equal the server while its informer waits to connect again.
    await this.rig.churn(7, Math.round(from));
    await this.rig.check(withinMs);
    this.#settledMs ||= Math.round(performance.now() - from);
    for (const connection of this.#proxy.connections) if (connection.isStalled) connection.destroy();
  }

  /** Stalls every connection, and waits until the caches have what is written then. All informers have to be connected. */
  async stall(): Promise<void> {
    await this.settle(10 * STALL_LIMIT_MS);
    const stalled = this.#proxy.connections;
    for (const connection of stalled) connection.stall();
    const from = performance.now();
    await this.rig.churn(7, Math.round(from));
    await this.rig.check(10 * STALL_LIMIT_MS);
    this.#stallsMs.push(Math.round(performance.now() - from));
    for (const connection of stalled) connection.destroy();
  }

  report(): ProtocolReport {
    const survived: Record<string, number> = {};
    for (const { reason = 'other' } of this.rig.survived) survived[reason] = (survived[reason] ?? 0) + 1;
    const sum = (of: 'events' | 'missedDeletions') => this.rig.observers.reduce((total, one) => total + one[of], 0);
    return {
      torments: this.#torments,
      connections: this.#proxy.accepted,
      events: sum('events'),
      missedDeletions: sum('missedDeletions'),
      survived,
      settledMs: this.#settledMs,
      stallsMs: this.#stallsMs,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.rig[Symbol.asyncDispose]();
    await this.#proxy.close();
  }
}
