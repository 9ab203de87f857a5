import type { Clock } from '../../time/clock.js';
import { type ConfigOptions, configEnvironment } from '../credentials/config-environment.js';
import { ConfigError, CredentialsError } from '../credentials/config-errors.js';
import { basic } from '../credentials/fixed-credentials.js';
import { checkProxyUrl, environmentProxy } from '../credentials/proxy-environment.js';
import { Rotation } from '../credentials/rotation.js';
import { SingleFlight } from '../credentials/single-flight.js';
import type { Credentials, TlsMaterial, TlsSource } from '../http/connection-config.js';
import { checkServer } from './build-config.js';
import { LoadedConfig } from './loaded-config.js';

type Headers = Readonly<Record<string, string>>;

/** The methods used of a `KubeConfig` of `@kubernetes/client-node`, which is no dependency. */
export interface KubeConfigLike {
  getCurrentCluster(): { readonly server: string } | null;
  // biome-ignore lint/suspicious/noExplicitAny: its parameter is another type in each version of that package
  applyToHTTPSOptions(options: any): Promise<void>;
}

/** Those of the options which a KubeConfig sets that are used. */
interface AppliedOptions {
  headers?: Readonly<Record<string, unknown>>;
  auth?: unknown;
  ca?: unknown;
  cert?: unknown;
  key?: unknown;
  pfx?: unknown;
  servername?: unknown;
  rejectUnauthorized?: unknown;
}

/** Headers and TLS settings that a KubeConfig has set. */
interface Applied {
  readonly headers: Headers;
  readonly material: TlsMaterial;
  readonly serverName: string | undefined;
  readonly insecure: boolean;
}

/** How long the result of `applyToHTTPSOptions` is used, which reads files and refreshes tokens. */
const FRESH_MS = 50_000;

/** Whether a value has the methods of a KubeConfig. */
export function isKubeConfigLike(value: unknown): value is KubeConfigLike {
  const { getCurrentCluster, applyToHTTPSOptions } = (value ?? {}) as Partial<KubeConfigLike>;
  return typeof getCurrentCluster === 'function' && typeof applyToHTTPSOptions === 'function';
}

/** Options of {@link loadKubeConfigLike}. */
export interface KubeConfigLikeOptions extends ConfigOptions {
  /** @default the context's */
  readonly namespace?: string | undefined;
}

/** Makes a configuration of a KubeConfig of the official client, which keeps providing the credentials. */
export async function loadKubeConfigLike(
  kubeconfig: KubeConfigLike,
  options: KubeConfigLikeOptions = {},
): Promise<LoadedConfig> {
  const environment = configEnvironment(options);
  const cluster = kubeconfig.getCurrentCluster() as { server: string; proxyUrl?: string } | null;
  if (cluster === null) {
    throw new ConfigError('the KubeConfig has no current cluster: load one, or call its setCurrentContext()');
  }
  const provider = new KubeConfigCredentials(kubeconfig, environment.clock);
  const url = checkServer(cluster.server, 'KubeConfig');
  const isTls = url.protocol === 'https:';
  return new LoadedConfig({
    server: url.href.replace(/\/$/, ''),
    tls: isTls ? await provider.tls() : undefined,
    credentials: provider,
    allowPlainHttpCredentials: environment.allowPlainHttpCredentials,
    proxyUrl: cluster.proxyUrl ? checkProxyUrl(cluster.proxyUrl, 'KubeConfig') : environmentProxy(url, environment.env),
    namespace: options.namespace ?? namespaceOf(kubeconfig),
    source: 'KubeConfig',
    userAgent: options.userAgent,
  });
}

/** Credentials and TLS settings that a KubeConfig provides. */
class KubeConfigCredentials implements Credentials {
  readonly #kubeconfig: KubeConfigLike;
  readonly #clock: Clock;
  readonly #rotation = new Rotation();
  readonly #applying: SingleFlight<Applied>;
  #applied: Applied | undefined;
  #freshUntil = Number.NEGATIVE_INFINITY;

  constructor(kubeconfig: KubeConfigLike, clock: Clock) {
    this.#kubeconfig = kubeconfig;
    this.#clock = clock;
    this.#applying = new SingleFlight(() => this.#apply());
  }

  headers(signal?: AbortSignal): Headers | Promise<Headers> {
    const applied = this.#fresh();
    return applied !== undefined ? applied.headers : this.#applying.run(signal).then(({ headers }) => headers);
  }

  async onUnauthorized(used: Headers, signal?: AbortSignal): Promise<boolean> {
    if (used.authorization !== this.#applied?.headers.authorization) return true;
    const { headers } = await this.#applying.run(signal);
    return used.authorization !== headers.authorization;
  }

  async tls(): Promise<TlsSource> {
    const { serverName, insecure } = await this.#applying.run();
    return {
      serverName,
      insecureSkipVerify: insecure || undefined,
      material: async (signal) => (this.#fresh() ?? (await this.#applying.run(signal))).material,
      onRotate: (listener) => this.#rotation.add(listener),
    };
  }

  #fresh(): Applied | undefined {
    return this.#clock.monotonicNow() < this.#freshUntil ? this.#applied : undefined;
  }

  async #apply(): Promise<Applied> {
    const askedAt = this.#clock.monotonicNow();
    const options: AppliedOptions = { headers: {} };
    try {
      await this.#kubeconfig.applyToHTTPSOptions(options);
    } catch (error) {
      throw new CredentialsError(`the KubeConfig failed to provide credentials: ${(error as Error).message}`, {
        cause: error,
      });
    }
    if (options.pfx !== undefined)
      throw new CredentialsError('the KubeConfig sets a PFX archive, which is not supported: use PEM');
    const before = this.#applied?.material;
    const material = { ca: text(options.ca), cert: text(options.cert), key: text(options.key) };
    const applied: Applied = {
      headers: headersOf(options),
      material,
      serverName: text(options.servername),
      insecure: options.rejectUnauthorized === false,
    };
    this.#applied = applied;
    this.#freshUntil = askedAt + FRESH_MS;
    if (before !== undefined && (['ca', 'cert', 'key'] as const).some((part) => before[part] !== material[part])) {
      this.#rotation.rotate();
    }
    return applied;
  }
}

function headersOf(options: AppliedOptions): Headers {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    if (value !== undefined && value !== null) headers[name.toLowerCase()] = String(value);
  }
  const auth = text(options.auth);
  if (auth !== undefined) {
    const colon = auth.indexOf(':');
    Object.assign(headers, basic(auth.slice(0, colon), auth.slice(colon + 1)));
  }
  return headers;
}

/** PEM texts come as buffers, strings or lists of them. */
function text(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  return Array.isArray(value) ? value.map(String).join('\n') : String(value);
}

function namespaceOf(kubeconfig: KubeConfigLike): string | undefined {
  const { getCurrentContext, getContextObject } = kubeconfig as Partial<{
    getCurrentContext(): string;
    getContextObject(name: string): { readonly namespace?: string } | null;
  }>;
  if (getCurrentContext === undefined || getContextObject === undefined) return undefined;
  return getContextObject.call(kubeconfig, getCurrentContext.call(kubeconfig))?.namespace;
}
