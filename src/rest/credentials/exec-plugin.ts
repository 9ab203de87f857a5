import { undoOnce } from '../../meta/undo.js';
import type { Credentials, TlsMaterial, TlsSource } from '../http/connection-config.js';
import type { ConfigEnvironment } from './config-environment.js';
import { CredentialsError } from './config-errors.js';
import { type ExecCredential, type ExecPluginConfig, execInfo, parseExecCredential } from './exec-credential.js';
import { bearer } from './fixed-credentials.js';
import { Rotation } from './rotation.js';
import type { ServerSpec } from './server-spec.js';
import { sharedProvider } from './shared-provider.js';
import { SingleFlight } from './single-flight.js';
import { TlsFiles } from './tls-files.js';

type Headers = Readonly<Record<string, string>>;

/** A credential and its headers, which are a new object for each credential, so that they identify it. */
interface Held {
  readonly credential: ExecCredential;
  readonly headers: Headers;
}

/**
 * Credentials from a credential plugin, a command that prints an ExecCredential. It runs for the first request, when the
 * credential has expired, and when the server answers 401; never twice at a time.
 */
export class ExecPlugin implements Credentials {
  readonly #config: ExecPluginConfig;
  /** The server, if the plugin is configured with `provideClusterInfo`. */
  readonly #server: ServerSpec | undefined;
  readonly #ca: TlsFiles;
  readonly #environment: ConfigEnvironment;
  readonly #rotation = new Rotation();
  readonly #running: SingleFlight<Held>;
  readonly #given = new WeakSet<Headers>();
  #held: Held | undefined;

  private constructor(config: ExecPluginConfig, server: ServerSpec | undefined, environment: ConfigEnvironment) {
    this.#config = config;
    this.#server = server;
    this.#ca = new TlsFiles({ ca: server?.ca, clock: environment.clock });
    this.#environment = environment;
    this.#running = new SingleFlight((signal) => this.#run(signal));
  }

  /** Returns the plugin of a configuration, and of a server with `provideClusterInfo`: one for all clients with the same ones. */
  static of(config: ExecPluginConfig, server: ServerSpec, environment: ConfigEnvironment): ExecPlugin {
    const cluster = config.provideClusterInfo ? server : undefined;
    const { env, ...rest } = config;
    const secrets = [
      ...env.values(),
      cluster?.proxyUrl,
      cluster?.ca && 'data' in cluster.ca ? cluster.ca.data : undefined,
    ];
    const { execTimeoutMs } = environment;
    const identity = [
      'exec',
      rest,
      execTimeoutMs,
      [...env.keys()],
      cluster,
      secrets.map((secret) => secret?.reveal() ?? null),
    ];
    return sharedProvider(environment, identity, () => new ExecPlugin(config, cluster, environment));
  }

  headers(signal?: AbortSignal): Headers | Promise<Headers> {
    const held = this.#usable();
    return held !== undefined ? held.headers : this.#running.run(signal).then(({ headers }) => headers);
  }

  async onUnauthorized(used: Headers, signal?: AbortSignal): Promise<boolean> {
    const rejected = this.#held;
    if (rejected !== undefined && this.#isOlder(used, rejected)) return true;
    const { credential } = await this.#running.run(signal);
    const before = rejected?.credential;
    return credential.token !== before?.token || credential.cert !== before?.cert || credential.key !== before?.key;
  }

  /** The TLS settings of `base`, with client certificate and key of the plugin. */
  tls(base: TlsSource): TlsSource {
    return {
      serverName: base.serverName,
      insecureSkipVerify: base.insecureSkipVerify,
      material: async (signal): Promise<TlsMaterial> => {
        const { ca } = await base.material(signal);
        const { cert, key } = (this.#usable() ?? (await this.#running.run(signal))).credential;
        return { ca, cert, key };
      },
      onRotate: (listener) => {
        const undos = [this.#rotation.add(listener), base.onRotate?.(listener)];
        return undoOnce(() => {
          for (const undo of undos) undo?.();
        });
      },
    };
  }

  #usable(): Held | undefined {
    const end = this.#held?.credential.expiresAt;
    return end === undefined || this.#environment.clock.now() <= end ? this.#held : undefined;
  }

  /** Whether a request was sent with headers that have been replaced since. Without a token only their identity shows it. */
  #isOlder(used: Headers, current: Held): boolean {
    if (used === current.headers) return false;
    return this.#given.has(used) || used.authorization !== current.headers.authorization;
  }

  async #run(signal: AbortSignal): Promise<Held> {
    const interactive = this.#isInteractive();
    const spec = this.#server;
    const server = spec && { spec, ca: (await this.#ca.material(signal)).ca };
    const info = execInfo(this.#config.apiVersion, interactive, server);
    // Imported when needed, since few programs use plugins.
    const { runExecPlugin } = await import('./exec-process.js');
    const stdout = await runExecPlugin(this.#config, this.#environment, { info, interactive, signal });
    const credential = parseExecCredential(stdout, this.#config);
    const before = this.#held?.credential;
    const headers = credential.token === undefined ? {} : bearer(credential.token);
    const held: Held = { credential, headers };
    this.#given.add(headers);
    this.#held = held;
    // A new token needs no new connections; a new certificate does.
    if (before !== undefined && (before.cert !== credential.cert || before.key !== credential.key))
      this.#rotation.rotate();
    return held;
  }

  #isInteractive(): boolean {
    const { interactiveMode, command } = this.#config;
    if (interactiveMode === 'Never') return false;
    const isTerminal = this.#environment.isTerminal();
    if (interactiveMode === 'Always' && !isTerminal) {
      throw new CredentialsError(
        `the credential plugin ${JSON.stringify(command)} needs a terminal (interactiveMode: Always), but the standard ` +
          'input is none: run it in a terminal first, or set interactiveMode to IfAvailable or Never',
      );
    }
    return isTerminal;
  }
}
