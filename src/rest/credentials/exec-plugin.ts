import type { Credentials, TlsMaterial, TlsSource } from '../http/connection-config.js';
import { CredentialsError } from './config-errors.js';
import { type ExecAnswer, type ExecPluginConfig, execInfo, parseExecAnswer } from './exec-credential.js';
import { Rotation } from './rotation.js';
import type { ServerSpec } from './server-and-user.js';
import { SingleFlight } from './single-flight.js';
import { type Surroundings, sharedByIdentity } from './surroundings.js';
import { TlsFiles } from './tls-files.js';
import { bearer } from './token-file.js';

type Headers = Readonly<Record<string, string>>;

/** What a plugin gave, in the forms it is used in. The headers are one object per answer, by which it is told from others. */
interface Held {
  readonly answer: ExecAnswer;
  readonly headers: Headers;
}

/**
 * Credentials from a command, as cloud providers and single sign-on come. The plugin runs when there is nothing yet, when
 * what it gave has expired, and when the server says 401 to it; never twice at a time.
 */
export class ExecPlugin implements Credentials {
  readonly #config: ExecPluginConfig;
  /** The server, for a plugin that wants to be told. */
  readonly #server: ServerSpec | undefined;
  readonly #ca: TlsFiles;
  readonly #around: Surroundings;
  readonly #rotation = new Rotation();
  readonly #running: SingleFlight<Held>;
  readonly #given = new WeakSet<Headers>();
  #held: Held | undefined;

  private constructor(config: ExecPluginConfig, server: ServerSpec | undefined, around: Surroundings) {
    this.#config = config;
    this.#server = server;
    this.#ca = new TlsFiles({ ca: server?.ca, clock: around.clock });
    this.#around = around;
    this.#running = new SingleFlight((signal) => this.#run(signal));
  }

  /** The plugin of this configuration, and of this server if it wants to be told; the same one for all who ask alike. */
  static of(config: ExecPluginConfig, server: ServerSpec, around: Surroundings): ExecPlugin {
    const told = config.provideClusterInfo ? server : undefined;
    const { env, ...rest } = config;
    const secrets = [...env.values(), told?.proxyUrl, told?.ca && 'data' in told.ca ? told.ca.data : undefined];
    const { execTimeoutMs } = around;
    const identity = [
      'exec',
      rest,
      execTimeoutMs,
      [...env.keys()],
      told,
      secrets.map((secret) => secret?.reveal() ?? null),
    ];
    return sharedByIdentity(around, identity, () => new ExecPlugin(config, told, around));
  }

  headers(signal?: AbortSignal): Headers | Promise<Headers> {
    const held = this.#usable();
    return held !== undefined ? held.headers : this.#running.run(signal).then(({ headers }) => headers);
  }

  async onUnauthorized(used: Headers, signal?: AbortSignal): Promise<boolean> {
    const rejected = this.#held;
    if (rejected !== undefined && this.#isOlder(used, rejected)) return true;
    const { answer } = await this.#running.run(signal);
    const before = rejected?.answer;
    return answer.token !== before?.token || answer.cert !== before?.cert || answer.key !== before?.key;
  }

  /** The TLS of a server with the plugin's certificate, if it gives any, in the place of the client's. */
  tls(base: TlsSource): TlsSource {
    return {
      serverName: base.serverName,
      insecureSkipVerify: base.insecureSkipVerify,
      material: async (signal): Promise<TlsMaterial> => {
        const { ca } = await base.material(signal);
        const { cert, key } = (this.#usable() ?? (await this.#running.run(signal))).answer;
        return { ca, cert, key };
      },
      onRotate: (listener) => {
        const undos = [this.#rotation.add(listener), base.onRotate?.(listener)];
        return () => {
          for (const undo of undos) undo?.();
        };
      },
    };
  }

  #usable(): Held | undefined {
    const end = this.#held?.answer.expiresAt;
    return end === undefined || this.#around.clock.now() <= end ? this.#held : undefined;
  }

  /** Whether a request was sent with something that has been replaced since. Without a token only the object tells. */
  #isOlder(used: Headers, current: Held): boolean {
    if (used === current.headers) return false;
    return this.#given.has(used) || used.authorization !== current.headers.authorization;
  }

  async #run(signal: AbortSignal): Promise<Held> {
    const interactive = this.#isInteractive();
    const spec = this.#server;
    const server = spec && { spec, ca: (await this.#ca.material(signal)).ca };
    const info = execInfo(this.#config.apiVersion, interactive, server);
    // Few programs have plugins; those that have none do without what runs them.
    const { runExecPlugin } = await import('./exec-process.js');
    const stdout = await runExecPlugin(this.#config, this.#around, { info, interactive, signal });
    const answer = parseExecAnswer(stdout, this.#config);
    const before = this.#held?.answer;
    const headers = answer.token === undefined ? {} : bearer(answer.token);
    const held: Held = { answer, headers };
    this.#given.add(headers);
    this.#held = held;
    // A new token needs no new connections: only certificates belong to one.
    if (before !== undefined && (before.cert !== answer.cert || before.key !== answer.key)) this.#rotation.rotate();
    return held;
  }

  #isInteractive(): boolean {
    const { interactiveMode, command } = this.#config;
    if (interactiveMode === 'Never') return false;
    const isTerminal = this.#around.isTerminal();
    if (interactiveMode === 'Always' && !isTerminal) {
      throw new CredentialsError(
        `the credential plugin ${JSON.stringify(command)} must be able to ask (interactiveMode: Always), but the standard ` +
          'input is no terminal: run it in one first, or set interactiveMode to IfAvailable or Never',
      );
    }
    return isTerminal;
  }
}
