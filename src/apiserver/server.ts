import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { Client, type ClientOptions } from '../client/client.js';
import { checkOptions } from '../meta/known-options.js';
import { optionError } from '../meta/validate.js';
import { hostOf, isLoopback } from '../rest/http/host.js';
import { MemoryTransport } from '../rest/http/memory-transport.js';
import { realClock } from '../time/real-clock.js';
import { seededRandom } from '../time/seeded-random.js';
import { withAdmin } from './faults/admin-handler.js';
import { createFaults, type FaultInjector, type Faults } from './faults/faults.js';
import { SkewedClock } from './faults/skewed-clock.js';
import { writeKubeconfig } from './kubeconfig.js';
import { expiredContinue } from './request/list.js';
import { BODY_LIMITS, ServerCore } from './server-core.js';
import { type ApiServerOptions, apiServerNames } from './server-options.js';
import { CertificateAuthority, type KeyPair } from './wire/certificates.js';
import type { ApiHandler } from './wire/exchange.js';
import { withHostCheck } from './wire/host-check.js';
import { type Listener, type ListenerTls, listen } from './wire/listener.js';
import { connectInMemory, type MemoryConnection } from './wire/memory-connection.js';

/** How a server comes back. */
interface RestartOptions {
  /**
   * Whether it still knows the recent changes. A real server does not: watches that resume from an older version get a
   * 410.
   * @default false
   */
  readonly keepHistory?: boolean | undefined;
}

/** A running server. */
export interface ApiServer extends AsyncDisposable {
  /** Where it is; with `listen: false` a name that leads nowhere. */
  readonly url: string;
  /** A kubeconfig of somebody who may do everything, as YAML. */
  readonly kubeconfig: string;
  /** The bearer token in it; undefined where nobody is asked who they are. */
  readonly token: string | undefined;
  /** PEM: whom clients have to trust; undefined without TLS, or with certificates of your own. */
  readonly certificateAuthority: string | undefined;
  /** @internal The way to the server without a socket; it exists whether or not the server listens. */
  readonly connection: MemoryConnection;
  readonly faults: Faults;
  /**
   * A client of somebody who may do everything; who asks, and everything else, can be replaced. It shares the server's
   * clock, and needs no socket with `listen: false`. It is yours to close.
   */
  client(options?: Partial<ClientOptions>): Client;
  /** Drops history: watches from older versions get 410, and continue tokens expire. */
  compact(): void;
  /** Sets the server's wall clock wrong by so much; zero sets it right again. */
  skewClock(ms: number): void;
  /** Ends every connection and comes back at the same address with the same objects. */
  restart(options?: RestartOptions): Promise<void>;
  /** Ends every connection and gives everything back. */
  stop(): Promise<void>;
}

/**
 * Starts a Kubernetes API server inside this process: all built-in resources and custom ones, list and watch as a real
 * server has them, in memory.
 *
 * @example
 * await using api = await startApiServer();
 * const namespaces = await (await fetch(`${api.url}/api/v1/namespaces`)).json();
 */
export async function startApiServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  const server = new EmbeddedApiServer(checkOptions('startApiServer', options, apiServerNames));
  await server.start();
  return server;
}

/** The options of a client by which it says who asks. */
const identifyingOptions = ['token', 'tokenFile', 'username', 'cert', 'certFile'] as const;

class EmbeddedApiServer implements ApiServer {
  readonly faults: FaultInjector;
  readonly connection: MemoryConnection;
  readonly token: string | undefined;
  readonly certificateAuthority: string | undefined;
  readonly #options: ApiServerOptions;
  readonly #core: ServerCore;
  readonly #handler: ApiHandler;
  /** What is behind sockets, which browsers can reach as well. */
  readonly #listenerHandler: ApiHandler;
  readonly #tls: ListenerTls | undefined;
  readonly #adminCertificate: KeyPair | undefined;
  #listener: Listener | undefined;
  #isStopped = false;
  /** Between the end of one listener and the beginning of the next. */
  #isDown = false;
  #restarting: Promise<void> | undefined;

  constructor(options: ApiServerOptions) {
    const clock = new SkewedClock(
      options.clock ?? realClock,
      options.seed === undefined ? undefined : seededRandom(options.seed),
    );
    // A secret never comes from the clock: its chance can be seeded, and every uid and audit-id shows some of it.
    const token = randomBytes(32).toString('base64url');
    this.#options = options;
    this.#core = new ServerCore(options, clock, token);
    this.token = options.tokens === undefined && (options.authorization ?? 'none') === 'none' ? undefined : token;
    this.faults = createFaults({ clock, seed: options.seed, expiredContinue });
    const limited = this.faults.wrap(this.#core.handler);
    this.#handler = options.admin === true ? withAdmin(limited, this.#adminActions(), BODY_LIMITS) : limited;
    const isOwnHost = ownHosts(options);
    this.#listenerHandler = withHostCheck(this.#handler, options.tls ? undefined : isOwnHost);
    this.connection = connectInMemory(this.#handler, clock, this.#core.onError);
    if (options.tls === true) {
      const authority = new CertificateAuthority(clock);
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
    if (this.#options.listen !== false) await this.#listen(this.#options.port);
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
      // A proxy that the environment names has nothing to do with a server inside this process.
      env: {},
      // Its address may be that of another interface, or a name that leads nowhere: the server is in this process.
      allowPlainHttpCredentials: true,
      ...(identifyingOptions.some((name) => options[name] !== undefined) ? {} : this.#admin),
      ...options,
    });
  }

  /** Who may do everything, as the options of a client say it. */
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
    // Clients in this process have to be given the chance to notice that their connections are gone.
    for (let turn = 0; turn < 3; turn++) await this.#core.clock.yield();
  }

  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.faults.clear();
    this.#core.stop();
    await this.#restarting?.catch(() => {});
    await Promise.all([this.#listener?.close(), this.connection.close()]);
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
      // In a turn of its own, so that whoever asked for it gets an answer first.
      restart: (keepHistory) => void clock.defer(() => void this.restart({ keepHistory }).catch(onError)),
    };
  }
}

/** Whether a server may be called by a host name, as the hostname of a URL. */
function ownHosts({ host = '127.0.0.1', allowedHosts = [] }: ApiServerOptions): (host: string) => boolean {
  if (!Array.isArray(allowedHosts)) throw optionError('allowedHosts', 'an array of host names', allowedHosts);
  const names = new Set([urlHost('host', host), ...allowedHosts.map((name) => urlHost('allowedHosts', name))]);
  const isEverywhere = names.has('0.0.0.0') || names.has('::');
  return (name) => {
    const bare = name.startsWith('[') ? name.slice(1, -1) : name;
    return names.has(bare) || isLoopback(bare) || (isEverywhere && isIP(bare) !== 0);
  };
}

/** A host name or address as URLs have it: in lower case, and in one of the many forms of an address. */
function urlHost(option: string, host: string): string {
  // The zone of an address means nothing to other machines.
  const [address = ''] = String(host).split('%', 1);
  const url = `http://${isIP(address) === 6 ? `[${address}]` : address}`;
  if ((isIP(address) === 6 || /^[^:/?#@]+$/.test(address)) && URL.canParse(url)) return hostOf(new URL(url));
  throw optionError(option, 'host names or addresses, without a port', host);
}
