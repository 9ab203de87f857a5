import type { WebhookHandler } from '../../../src/apiserver/admission/webhooks/webhook-client.js';
import { CREDENTIALS_FILE } from '../../../src/apiserver/credentials.js';
import type { Fault } from '../../../src/apiserver/faults/fault.js';
import { type ApiServer, startServer } from '../../../src/apiserver/server.js';
import type { ApiServerOptions } from '../../../src/apiserver/server-options.js';
import { DataError } from '../../../src/apiserver/storage/disk/data-files.js';
import { openDataStore } from '../../../src/apiserver/storage/disk/data-store.js';
import { type Collection, type Revision, Storage } from '../../../src/apiserver/storage/storage.js';
import { connectInMemory, type MemoryConnection } from '../../../src/apiserver/wire/memory-connection.js';
import type { Client } from '../../../src/client/client.js';
import { bearer, FixedCredentials } from '../../../src/rest/credentials/fixed-credentials.js';
import type { Timer } from '../../../src/time/clock.js';
import type { FakeClock } from '../../../src/time/fake-clock.js';
import { FakeDisk } from '../../support/fake-disk.js';
import { accessBinding, namespaces, widgetDefinition } from './objects.js';
import { SimProcess } from './process.js';

/** What is special about a cluster. */
export interface ClusterPlan {
  /** Whether its server keeps its objects on a disk, which can fail and lose power. */
  readonly hasDisk: boolean;
  /** Whether its server supports shard selectors. */
  readonly shardedLists: boolean;
}

/** What goes wrong with a disk. */
export type DiskFault = 'full' | 'slow' | 'failing';

const HISTORY = { historyLimit: 200, historyBytes: 1 << 20 } as const;
const USER_TOKEN = 'sim-token';
const ADMIN_TOKEN = 'admin-token';
/** How long a start that the disk prevented waits for the next one. */
const START_AGAIN_MS = 1000;
/** A crash that waits for an operation of an idle disk comes after this time. */
const CRASH_WITHIN_MS = 2000;
/** The shortest that the server issues. */
const TOKEN_SECONDS = 600;

/** A file with keys takes milliseconds to make: the servers of all worlds have the same one. */
let credentialsFile: Buffer | undefined;

/**
 * A cluster of the world: an embedded server, in memory or on a fake disk, that restarts, crashes and loses its power. The
 * connections of processes go to whichever server runs.
 */
export class SimCluster {
  readonly name: string;
  readonly problems: string[] = [];
  readonly link: Pick<MemoryConnection, 'send'>;
  /** A client that may do everything, in a process that nothing happens to. */
  readonly admin: Client;
  /** Called within every commit. */
  onCommit: ((revision: Revision, collection: Collection) => void) | undefined;
  /** The webhooks behind services, by `namespace/name`; actors add theirs. */
  readonly webhooks: Record<string, WebhookHandler> = {};
  crashes = 0;
  readonly #plan: ClusterPlan;
  readonly #seed: number;
  readonly #clock: FakeClock;
  readonly #random: () => number;
  readonly #down: MemoryConnection;
  readonly #operator: SimProcess;
  #server: ApiServer | undefined;
  #starting: Promise<void> | undefined;
  #disk: FakeDisk | undefined;
  /** A crash that waits for an operation of the disk. */
  #crash: Timer | undefined;
  /** The commits of this life of the server, after the state that it began with. */
  #began = new Map<string, Revision>();
  #commits: { readonly id: string; readonly revision: Revision }[] = [];
  #lastVisible = 0;
  #lives = 0;
  #isOver = false;

  constructor(name: string, plan: ClusterPlan, seed: number, clock: FakeClock, random: () => number) {
    this.name = name;
    this.#plan = plan;
    this.#seed = seed;
    this.#clock = clock;
    this.#random = random;
    this.#down = connectInMemory(() => Promise.resolve(), clock);
    this.#down.refuse();
    this.link = { send: (request, reader) => (this.#server?.connection ?? this.#down).send(request, reader) };
    this.#operator = new SimProcess(`operator of ${name}`, clock, { rate: 1, wallMs: 0 });
    this.admin = this.#operator.connect(this.link, new FixedCredentials(bearer(ADMIN_TOKEN)), { wire: 'json' });
  }

  /** Credentials of the processes. They never change; {@link RotatingToken} has ones that expire. */
  readonly fixed: FixedCredentials = new FixedCredentials(bearer(USER_TOKEN));

  get isUp(): boolean {
    return this.#server !== undefined;
  }

  /** The latest version that clients can have seen. */
  get visibleVersion(): number {
    return this.#server?.storage.version ?? this.#lastVisible;
  }

  /** The running server. */
  get server(): ApiServer {
    if (this.#server === undefined) throw new Error(`the server of ${this.name} is down`);
    return this.#server;
  }

  async begin(): Promise<void> {
    if (this.#plan.hasDisk) {
      const entries = credentialsFile === undefined ? [] : [[CREDENTIALS_FILE, credentialsFile] as const];
      this.#disk = new FakeDisk(this.#random, new Map(entries));
    }
    await this.#start();
    credentialsFile ??= this.#disk?.content.get(CREDENTIALS_FILE);
  }

  /** The state of a collection that clients see; empty while the server is down. */
  *objects(id: string): Iterable<Revision> {
    if (this.#server === undefined) return;
    const found: Revision[] = [];
    const { storage } = this.#server;
    storage.collection(id).scan(storage.version, '', '', (revision) => found.push(revision) > 0);
    yield* found;
  }

  inject(fault: Fault): void {
    this.#server?.faults.inject(fault);
  }

  refuse(forMs: number): void {
    this.#server?.faults.refuseConnections({ forMs });
  }

  drop(): void {
    this.#server?.faults.dropConnections();
  }

  compact(): void {
    this.#server?.compact();
  }

  skew(ms: number): void {
    this.#server?.skewClock(ms);
  }

  /** Restarts the server with the objects that it has in memory. */
  async restart(keepHistory: boolean): Promise<void> {
    await this.#server?.restart({ keepHistory });
  }

  /** Ends the server at some operation of its disk: by a power failure, or by a kill of its process. */
  crash(afterOperations: number, how: 'power' | 'kill', backInMs: number): void {
    const disk = this.#disk;
    const server = this.#server;
    if (disk === undefined || server === undefined) return;
    const go = (): void => {
      timer.cancel();
      if (this.#server === server) this.#crashNow(disk, how, backInMs);
    };
    const timer = this.#clock.setTimer(CRASH_WITHIN_MS, go);
    this.#crash?.cancel();
    this.#crash = timer;
    if (how === 'power') {
      disk.operationsLeft = afterOperations;
      void disk.off.then(go);
    } else go();
  }

  /** Makes the disk fail for some time. */
  disturbDisk(fault: DiskFault, forMs: number): void {
    const disk = this.#disk;
    if (disk === undefined) return;
    if (fault === 'full') disk.free = Math.floor(this.#random() * 2000);
    else if (fault === 'slow') disk.delay = () => this.#clock.sleep(this.#random() * 400);
    else disk.fault = (call) => (call !== 'read' && this.#random() < 0.4 ? 'EIO' : undefined);
    this.#clock.setTimer(forMs, () => heal(disk));
  }

  /** Ends all faults and starts the server if it is down. */
  heal(): void {
    this.#server?.faults.clear();
    this.#server?.skewClock(0);
    this.#crash?.cancel();
    if (this.#disk !== undefined) heal(this.#disk);
    if (this.#server === undefined) this.#startSoon(0);
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#starting;
    await this.admin.close();
    await this.#server?.stop();
  }

  /** A new token of the ServiceAccount of the processes. */
  async issueToken(): Promise<string> {
    const { status } = await this.admin.rest
      .post()
      .namespace('blue')
      .resource('serviceaccounts')
      .name('sim')
      .subresource('token')
      .body({
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { expirationSeconds: TOKEN_SECONDS },
      })
      .do<{ status: { token: string } }>();
    return status.token;
  }

  // ── lives of the server ────────────────────────────────────────────────────────────────────────────────────────────

  async #start(): Promise<void> {
    const life = this.#lives++;
    const options: ApiServerOptions = {
      ...HISTORY,
      clock: this.#clock,
      listen: false,
      seed: this.#seed + life,
      authorization: 'rbac',
      tokens: {
        [USER_TOKEN]: { name: 'sim' },
        [ADMIN_TOKEN]: { name: 'admin', groups: ['system:masters'] },
      },
      controllers: ['system-namespaces', 'garbage-collector'],
      shardedLists: this.#plan.shardedLists,
      webhooks: this.webhooks,
      // Seldom, to save turns, but before a watch without events is taken for dead.
      bookmarkIntervalMs: 10_000,
      objects: life === 0 ? firstObjects() : [],
      onError: (error) => {
        if (this.#server === server) this.problems.push(`${this.name}: the server has a bug: ${String(error)}`);
      },
      onWarning: () => {},
    };
    const server: ApiServer = await startServer(options, this.#disk);
    const { storage } = server;
    this.#began = new Map();
    this.#commits = [];
    for (const [key, revision] of statesOf(storage)) this.#began.set(key, revision);
    storage.subscribe((revision, collection) => {
      this.#commits.push({ id: collection.id, revision });
      if (this.#server === server) this.onCommit?.(revision, collection);
    });
    this.#server = server;
  }

  #startSoon(ms: number): void {
    if (this.#isOver || this.#starting !== undefined) return;
    this.#starting = this.#clock
      .sleep(ms)
      .then(() => this.#start())
      .then(
        () => {
          this.#starting = undefined;
        },
        (error: unknown) => {
          this.#starting = undefined;
          if (!(error instanceof DataError) && !String(error).includes('injected')) {
            this.problems.push(`${this.name}: the server does not start: ${String(error)}`);
          } else this.#startSoon(START_AGAIN_MS);
        },
      );
  }

  #crashNow(disk: FakeDisk, how: 'power' | 'kill', backInMs: number): void {
    const server = this.#server as ApiServer;
    const { version } = server.storage;
    this.crashes++;
    this.#lastVisible = version;
    this.#server = undefined;
    server.connection.refuse();
    server.connection.dropConnections();
    // Its disk does not answer any more, so that this never ends.
    server.stop().catch(() => {});
    this.#disk = how === 'power' ? disk.crash() : disk.kill();
    this.#starting = this.#checkRecovery(new FakeDisk(this.#random, this.#disk.content), version).then(() => {
      this.#starting = undefined;
      this.#startSoon(backInMs);
    });
  }

  /** What was visible to clients before the crash must be what a recovery of the disk finds, and perhaps a little more. */
  async #checkRecovery(copy: FakeDisk, published: number): Promise<void> {
    const storage = new Storage(HISTORY);
    const head = this.#commits.at(-1)?.revision.version ?? published;
    try {
      await openDataStore({ files: copy, storage, clock: this.#clock, warn: () => {} });
    } catch (error) {
      this.problems.push(`${this.name}: what a crash has left cannot be read: ${String(error)}`);
      return;
    }
    const { version } = storage;
    if (version < published)
      this.problems.push(`${this.name}: version ${published} was visible, and ${version} is left`);
    if (version > head) this.problems.push(`${this.name}: version ${version} is found, but ${head} was the last one`);
    const expected = new Map(this.#began);
    for (const { id, revision } of this.#commits) {
      if (revision.version > version) break;
      if (revision.type === 'DELETED') expected.delete(`${id} ${revision.key}`);
      else expected.set(`${id} ${revision.key}`, revision);
    }
    const found = statesOf(storage);
    for (const [key, revision] of expected) {
      const other = found.get(key);
      if (other?.version !== revision.version || !Buffer.from(other.line).equals(revision.line)) {
        this.problems.push(`${this.name}: ${key} was at ${revision.version}, and is found at ${other?.version}`);
      }
    }
    for (const key of found.keys()) if (!expected.has(key)) this.problems.push(`${this.name}: ${key} was deleted`);
  }
}

function heal(disk: FakeDisk): void {
  disk.operationsLeft = Number.POSITIVE_INFINITY;
  disk.free = Number.POSITIVE_INFINITY;
  disk.fault = undefined;
  disk.delay = undefined;
}

function statesOf(storage: Storage): Map<string, Revision> {
  const states = new Map<string, Revision>();
  for (const collection of storage.collections()) {
    collection.scan(storage.version, '', '', (revision) => {
      states.set(`${collection.id} ${revision.key}`, revision);
      return true;
    });
  }
  return states;
}

function firstObjects(): NonNullable<ApiServerOptions['objects']> {
  const names = namespaces.map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'sim', namespace: 'blue' } };
  return [...names, account, accessBinding, widgetDefinition];
}

/** A token of a ServiceAccount that expires after ten minutes, and is replaced when the server refuses it. */
export class RotatingToken {
  readonly #cluster: SimCluster;
  #headers: Readonly<Record<string, string>> = bearer('expired');
  #fetching: Promise<boolean> | undefined;

  constructor(cluster: SimCluster) {
    this.#cluster = cluster;
  }

  headers(): Readonly<Record<string, string>> {
    return this.#headers;
  }

  async onUnauthorized(used: Readonly<Record<string, string>>): Promise<boolean> {
    if (used !== this.#headers) return true;
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #fetch(): Promise<boolean> {
    try {
      this.#headers = bearer(await this.#cluster.issueToken());
      return true;
    } catch {
      return false;
    }
  }
}
