import { CertificateAuthority, type KeyPair } from '../certificates/certificate-authority.js';
import { Client, type ClientOptions } from '../client/client.js';
import { checkOptions } from '../meta/options/known-options.js';
import { requireString } from '../meta/options/validate.js';
import { MemoryTransport } from '../rest/http/memory-transport.js';
import { ownHosts } from '../rest/http/own-hosts.js';
import { realClock } from '../time/real-clock.js';
import { seededRandom } from '../time/seeded-random.js';
import type { Workloads } from './controllers/workloads/workloads.js';
import { newToken } from './credentials.js';
import { withAdmin } from './faults/admin-handler.js';
import { createFaults, type FaultInjector, type Faults } from './faults/faults.js';
import { SkewedClock } from './faults/skewed-clock.js';
import { writeKubeconfig } from './kubeconfig.js';
import type { Player } from './replay/player.js';
import type { Recording } from './replay/recording-file.js';
import { withReplay } from './replay/replay-gate.js';
import { replayedResources } from './replay/replayed-resources.js';
import { expiredContinue } from './request/list.js';
import { BODY_LIMITS, createStorage, ServerCore } from './server-core.js';
import { openDirectory, openServerData, type ServerData } from './server-data.js';
import { type ApiServerOptions, apiServerNames } from './server-options.js';
import { createPlayer, planReplay, type ReplayPlan } from './server-replay.js';
import { DataError, type DataFiles } from './storage/disk/data-files.js';
import type { Storage } from './storage/storage.js';
import { StorageUnavailableError } from './storage/storage-unavailable.js';
import type { ApiHandler } from './wire/exchange.js';
import { withHostCheck } from './wire/host-check.js';
import { type HttpListener, type ListenerTls, listen } from './wire/http-listener.js';
import { connectInMemory, type MemoryConnection } from './wire/memory-connection.js';

/** Options of {@link ApiServer.restart}. */
interface RestartOptions {
  /**
   * Whether watches can resume from older versions. On a restarted kube-apiserver they get 410 Gone.
   * @default false
   */
  readonly keepHistory?: boolean | undefined;
}

/** A recording that is replayed. All times are recorded ones, in ms since 1970. */
interface Replay {
  readonly start: number;
  readonly end: number;
  /** The moment that is replayed now. */
  readonly position: number;
  /** Whether all changes were made. */
  readonly isAtEnd: boolean;
}

/** A running server. */
export interface ApiServer extends AsyncDisposable {
  /** The URL of the server; with `listen: false` one that does not resolve. */
  readonly url: string;
  /** A kubeconfig for a user of `system:masters`, as YAML. */
  readonly kubeconfig: string;
  /** The bearer token of that user; undefined if requests are not authenticated. */
  readonly token: string | undefined;
  /** The authority that clients have to trust, as PEM; undefined without TLS, or with your own certificates. */
  readonly certificateAuthority: string | undefined;
  /** @internal Sends requests without a socket, whether or not the server listens. */
  readonly connection: MemoryConnection;
  /** @internal The stored objects, for a world, which has to know what changes. */
  readonly storage: Storage;
  readonly faults: Faults;
  /** The simulated cluster of the option `workloads`; undefined without it. */
  readonly workloads: Workloads | undefined;
  /** The recording of the option `replay`; undefined without it. */
  readonly replay: Replay | undefined;
  /**
   * A client of a user of `system:masters`; `options` may replace the credentials and everything else. It has the clock of
   * the server, and needs no socket with `listen: false`. The caller closes it.
   */
  client(options?: Partial<ClientOptions>): Client;
  /** Drops history: watches from older versions get 410 Gone, and continue tokens expire. */
  compact(): void;
  /** Skews the server's wall clock by `ms`; 0 sets it right again. */
  skewClock(ms: number): void;
  /** Closes every connection and listens again at the same address, with the same objects. */
  restart(options?: RestartOptions): Promise<void>;
  /** Closes every connection and stops the server. */
  stop(): Promise<void>;
}

/**
 * Starts a Kubernetes API server inside this process: all built-in resources and custom ones, list and watch as on
 * kube-apiserver, in memory, or with `data` on disk.
 *
 * @example
 * await using api = await startApiServer();
 * const namespaces = await (await fetch(`${api.url}/api/v1/namespaces`)).json();
 */
export function startApiServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  return startServer(options);
}

/** @internal Like {@link startApiServer}, with the files of the data directory given, for tests of disks that fail. */
export async function startServer(given: ApiServerOptions, files?: DataFiles): Promise<ApiServer> {
  const options = checkOptions('startApiServer', given, apiServerNames);
  if (options.data !== undefined) requireString('data', options.data);
  const { seed } = options;
  let random = seed === undefined ? undefined : seededRandom(seed);
  const clock = new SkewedClock(options.clock ?? realClock, random && (() => random!()));
  const warn = options.onWarning ?? ((message: string) => process.emitWarning(message));
  const replay = await planReplay(options, warn);
  const storage = createStorage(options, clock);
  const first = storage.version;
  let data: ServerData | undefined;
  if (files !== undefined) data = await openServerData(files, { storage, clock, warn });
  else if (options.data !== undefined) data = await openDirectory(options.data, { storage, clock, warn });
  // With the same numbers again, new objects would get the uids of objects that exist.
  if (seed !== undefined && storage.version !== first) random = seededRandom((seed + storage.version) >>> 0);
  let server: EmbeddedApiServer | undefined;
  try {
    server = new EmbeddedApiServer(options, clock, storage, data, replay, warn);
    await server.start();
    return server;
  } catch (error) {
    if (server === undefined) {
      await data?.stop();
      replay?.recording.close();
    } else await server.stop();
    // The objects of every server could not be written.
    throw error instanceof StorageUnavailableError ? new DataError(error.message, { cause: error }) : error;
  }
}

function replayState(player: Player, { start, end }: Recording): Replay {
  return {
    start,
    end,
    get position() {
      return player.position;
    },
    get isAtEnd() {
      return player.isAtEnd;
    },
  };
}

/** The options of a client that are credentials. */
const identifyingOptions = ['token', 'tokenFile', 'username', 'cert', 'certFile'] as const;

class EmbeddedApiServer implements ApiServer {
  readonly faults: FaultInjector;
  readonly connection: MemoryConnection;
  readonly token: string | undefined;
  readonly certificateAuthority: string | undefined;
  readonly #options: ApiServerOptions;
  readonly #data: ServerData | undefined;
  readonly #warn: (message: string) => void;
  readonly #core: ServerCore;
  readonly #player: Player | undefined;
  readonly replay: Replay | undefined;
  readonly #handler: ApiHandler;
  /** The handler of the listener: with the host check, since browsers can reach a port. */
  readonly #listenerHandler: ApiHandler;
  readonly #tls: ListenerTls | undefined;
  readonly #adminCertificate: KeyPair | undefined;
  #listener: HttpListener | undefined;
  #isStopped = false;
  /** True while a restart has closed the listener. */
  #isDown = false;
  #restarting: Promise<void> | undefined;

  constructor(
    options: ApiServerOptions,
    clock: SkewedClock,
    storage: Storage,
    data: ServerData | undefined,
    replay: ReplayPlan | undefined,
    warn: (message: string) => void,
  ) {
    const token = data?.credentials.token ?? newToken();
    this.#options = options;
    this.#data = data;
    this.#warn = warn;
    const replayed = replay && replayedResources(storage, replay.recording.header.resources);
    this.#core = new ServerCore(options, clock, storage, { token, signingKey: data?.credentials.signingKey }, replayed);
    this.#player = replayed && createPlayer(replay, replayed, this.#core, clock);
    this.replay = this.#player && replayState(this.#player, replay!.recording);
    this.token = options.tokens === undefined && (options.authorization ?? 'none') === 'none' ? undefined : token;
    this.faults = createFaults({ clock, seed: options.seed, expiredContinue });
    const { handler, served } = this.#core;
    const own =
      this.#player === undefined ? handler : withReplay(handler, this.#player, served, replay!.recording.path);
    const limited = this.faults.wrap(own);
    this.#handler = options.admin === true ? withAdmin(limited, this.#adminActions(), BODY_LIMITS) : limited;
    const isOwnHost = ownHosts(options);
    this.#listenerHandler = withHostCheck(this.#handler, options.tls ? undefined : isOwnHost);
    this.connection = connectInMemory(this.#handler, clock, this.#core.onError);
    if (options.tls === true) {
      const authority = new CertificateAuthority(clock, { kept: data?.credentials.authority });
      const hosts = new Set(['localhost', '127.0.0.1', '::1', options.host ?? '127.0.0.1']);
      this.#tls = { ...authority.issueServer([...hosts]), clientAuthority: authority.certificate };
      this.#adminCertificate = authority.issueClient({
        commonName: 'kubernetes-admin',
        organizations: ['system:masters'],
      });
      this.certificateAuthority = authority.certificate;
    } else if (typeof options.tls === 'object') this.#tls = options.tls;
    this.faults.attach({
      refuse: () => {
        this.connection.refuse();
        this.#listener?.refuse();
      },
      accept: () => {
        this.connection.accept();
        return this.#isDown ? undefined : this.#listener?.accept();
      },
      dropConnections: () => {
        this.connection.dropConnections();
        this.#listener?.dropConnections();
      },
    });
  }

  async start(): Promise<void> {
    await this.#core.storage.serve();
    await this.#player?.begin();
    if (this.#options.listen !== false) await this.#listenFirst();
    this.#player?.start();
  }

  /** Listens at the port of the options, or at the last one of the data directory. */
  async #listenFirst(): Promise<void> {
    const { port } = this.#options;
    const lastPort = this.#data?.credentials.port;
    if (port !== undefined || lastPort === undefined) await this.#listen(port);
    else {
      try {
        await this.#listen(lastPort);
      } catch (error) {
        await this.#listen(0);
        this.#warn(`the last port could not be used again (${(error as Error).message}): clients need the new address`);
      }
    }
    await this.#data?.rememberPort(this.#listener!.port);
  }

  get storage(): Storage {
    return this.#core.storage;
  }

  get workloads(): Workloads | undefined {
    return this.#core.workloads;
  }

  get url(): string {
    return this.#listener?.url ?? 'http://kubeflect.invalid';
  }

  get kubeconfig(): string {
    return writeKubeconfig({
      server: this.url,
      certificateAuthority: this.certificateAuthority,
      token: this.#adminCertificate === undefined ? this.token : undefined,
      clientCertificate: this.#adminCertificate,
    });
  }

  client(options: Partial<ClientOptions> = {}): Client {
    return new Client({
      server: this.url,
      clock: this.#options.clock,
      ca: this.certificateAuthority,
      transport: this.#listener === undefined ? new MemoryTransport(this.connection) : undefined,
      // No proxy of the environment: the server is in this process.
      env: {},
      // Safe even if the host is no loopback address: the server is in this process.
      allowPlainHttpCredentials: true,
      ...(identifyingOptions.some((name) => options[name] !== undefined) ? {} : this.#admin),
      ...options,
    });
  }

  /** The credentials of a user of `system:masters`. */
  get #admin(): Pick<ClientOptions, 'token' | 'cert' | 'key'> {
    const pair = this.#adminCertificate;
    return pair === undefined ? { token: this.token } : { cert: pair.certificate, key: pair.key };
  }

  compact(): void {
    this.#core.storage.compact();
  }

  skewClock(ms: number): void {
    this.#core.clock.skewMs = ms;
  }

  async restart(options: RestartOptions = {}): Promise<void> {
    checkOptions('restart', options, { keepHistory: true });
    while (this.#restarting !== undefined) await this.#restarting.catch(() => {});
    this.#restarting = this.#restart(options).finally(() => {
      this.#restarting = undefined;
    });
    await this.#restarting;
  }

  async #restart(options: RestartOptions): Promise<void> {
    const port = this.#listener?.port;
    this.#isDown = true;
    this.#core.resources.endWatches();
    this.connection.dropConnections();
    await this.#listener?.close();
    if (options.keepHistory !== true) this.#core.storage.forgetChanges();
    if (port !== undefined && !this.#isStopped) await this.#listen(port);
    // Clients in this process need turns to notice that their connections are closed.
    for (let turn = 0; turn < 3; turn++) await this.#core.clock.yield();
  }

  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.faults.clear();
    this.#player?.stop();
    this.#core.stop();
    await this.#restarting?.catch(() => {});
    await Promise.all([this.#listener?.close(), this.connection.close()]);
    await this.#data?.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #listen(port: number | undefined): Promise<void> {
    const { host, headersTimeoutMs, bodyTimeoutMs, idleTimeoutMs } = this.#options;
    this.#listener = await listen(this.#listenerHandler, {
      host,
      port,
      tls: this.#tls,
      maxBodyBytes: BODY_LIMITS.maxBytes,
      headersTimeoutMs,
      bodyTimeoutMs,
      idleTimeoutMs,
      clock: this.#core.clock,
      onError: this.#core.onError,
    });
    this.#isDown = false;
    if (this.faults.isRefusing) this.#listener.refuse();
  }

  #adminActions(): Parameters<typeof withAdmin>[1] {
    const { clock, onError } = this.#core;
    return {
      faults: this.faults,
      compact: () => this.compact(),
      // In a turn of its own, after the request has been answered.
      restart: (keepHistory) => void clock.defer(() => void this.restart({ keepHistory }).catch(onError)),
    };
  }
}
