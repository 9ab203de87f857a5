import { checkOptions, type OptionNames } from '../../meta/known-options.js';

/**
 * What a transport has to know of a server: where it is, how to trust it and who asks. Configuration (kubeconfig,
 * in-cluster, explicit options) makes one of these; nothing below it knows where the values came from.
 */

/** What a TLS handshake needs, as PEM texts. */
export interface TlsMaterial {
  /** Whose certificates are trusted. Without it: the authorities that Node comes with. */
  readonly ca?: string | undefined;
  /** The client's certificate, with its chain. */
  readonly cert?: string | undefined;
  /** The private key that belongs to `cert`. */
  readonly key?: string | undefined;
}

/** How TLS is spoken with a server, and where its material comes from. */
export interface TlsSource {
  /** The material of the next handshake. Asked before each one, so a provider keeps what is costly to get. */
  material(signal?: AbortSignal): TlsMaterial | Promise<TlsMaterial>;
  /**
   * Calls back whenever the material has changed, until the returned undo is called. Connections made before are then
   * drained: they finish what they carry and take nothing new. Material that never changes needs none of this.
   */
  onRotate?(listener: () => void): () => void;
  /** The name that the server's certificate must have, and that is asked for by SNI. @default the host of the server's URL */
  readonly serverName?: string | undefined;
  /** Accepts whatever certificate the server shows. Anybody on the way can then read and change everything. @default false */
  readonly insecureSkipVerify?: boolean | undefined;
}

/** Who asks, as far as headers say it. Client certificates are part of {@link TlsSource}. */
export interface Credentials {
  /**
   * The headers that say it, most often `authorization`; names in lower case. Asked before each attempt, so a provider
   * keeps what is costly to get and answers without a promise where it can.
   */
  headers(signal?: AbortSignal): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /**
   * The server answered 401 to a request that was sent with `used`, the very object that `headers` gave for it. Resolves to
   * whether there is something better now: the request is then sent once more. Headers that have been replaced since then
   * count as something better.
   */
  onUnauthorized?(used: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<boolean>;
}

/** Whom to act as, if not as oneself. The server must allow it. */
export interface Impersonation {
  readonly user: string;
  readonly groups?: readonly string[] | undefined;
  readonly uid?: string | undefined;
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** A server, and how to speak with it. */
export interface ConnectionConfig {
  /** `https://host:port`, with a base path if the server is behind one: `https://rancher.example.com/k8s/clusters/c1`. */
  readonly server: string;
  /** For servers whose URL begins with https. @default Node's own authorities, no client certificate */
  readonly tls?: TlsSource | undefined;
  /**
   * Sends credentials over plain http to other machines, where everybody on the way can read them.
   * @default false
   */
  readonly allowPlainHttpCredentials?: boolean | undefined;
  /** @default none: the request is anonymous, or authenticated by the client certificate alone */
  readonly credentials?: Credentials | undefined;
  /** Sent with each request as `impersonationHeaders` (config/impersonation.ts) puts it. @default none: as the authenticated user */
  readonly impersonate?: Impersonation | undefined;
  /** An HTTP proxy, asked with CONNECT: `http://user:password@proxy:3128`. Whether one applies is decided before this. */
  readonly proxyUrl?: string | undefined;
  /** Who asks and where that is written, as the error of a 401 says it: `user "jane" of context "dev" in kubeconfig /a`. */
  readonly identity?: string | undefined;
  /** @default the name and version of the running program and of this package, as `userAgent()` puts them together */
  readonly userAgent?: string | undefined;
}

type FixedTlsOptions = TlsMaterial & Pick<TlsSource, 'serverName' | 'insecureSkipVerify'>;

const fixedTlsNames: OptionNames<FixedTlsOptions> = {
  ca: true,
  cert: true,
  key: true,
  serverName: true,
  insecureSkipVerify: true,
};

/** @internal A {@link TlsSource} whose material never changes. */
export function fixedTls(options: FixedTlsOptions): TlsSource {
  const { serverName, insecureSkipVerify, ...material } = checkOptions('fixedTls', options, fixedTlsNames);
  return { serverName, insecureSkipVerify, material: () => material };
}
