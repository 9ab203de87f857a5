/**
 * The address of a server, its TLS and the credentials for it: what kubeconfig, in-cluster and explicit configuration are
 * turned into.
 */

/** Certificates and key of a TLS handshake, as PEM texts. */
export interface TlsMaterial {
  /** The certificate authorities to trust. @default the authorities that Node comes with */
  readonly ca?: string | undefined;
  /** The client certificate, with its chain. */
  readonly cert?: string | undefined;
  /** The private key of `cert`. */
  readonly key?: string | undefined;
}

/** TLS settings of a server, and where certificates and key come from. */
export interface TlsSource {
  /** Certificates and key of the next handshake. Called before each one, so an implementation should cache them. */
  material(signal?: AbortSignal): TlsMaterial | Promise<TlsMaterial>;
  /**
   * Calls `listener` when the material has changed, until the returned function is called. The transport then drains its
   * connections: they finish their requests and accept no new ones. Not needed for material that never changes.
   */
  onRotate?(listener: () => void): () => void;
  /** The name that the server's certificate must have, also sent as SNI. @default the host of the server's URL */
  readonly serverName?: string | undefined;
  /** Accepts any certificate of the server. A man in the middle can then read and change everything. @default false */
  readonly insecureSkipVerify?: boolean | undefined;
}

/** Headers that authenticate requests. Client certificates are part of {@link TlsSource}. */
export interface Credentials {
  /**
   * The headers, usually `authorization`; names in lower case. Called before each attempt, so an implementation should cache
   * them, and return them without a promise if it can.
   */
  headers(signal?: AbortSignal): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /**
   * The server answered 401 to a request that was sent with `used`, the object that `headers` returned for it. Resolves to true
   * if `headers` now returns something else, also if that was replaced meanwhile: the request is then sent once more.
   */
  onUnauthorized?(used: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<boolean>;
}

/** The user to act as, with impersonation headers. The server must allow it. */
export interface Impersonation {
  readonly user: string;
  readonly groups?: readonly string[] | undefined;
  readonly uid?: string | undefined;
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** A server, its TLS and the credentials for it. */
export interface ConnectionConfig {
  /** `https://host:port`, with a base path if the server is behind one: `https://rancher.example.com/k8s/clusters/c1`. */
  readonly server: string;
  /** For servers whose URL begins with https. @default Node's own authorities, no client certificate */
  readonly tls?: TlsSource | undefined;
  /**
   * Sends credentials over plain http to other machines, where they can be read on the network.
   * @default false
   */
  readonly allowPlainHttpCredentials?: boolean | undefined;
  /** @default none: the request is anonymous, or authenticated by the client certificate alone */
  readonly credentials?: Credentials | undefined;
  /** Sent with each request as `Impersonate-User` and its relatives. @default none: as the authenticated user */
  readonly impersonate?: Impersonation | undefined;
  /** An HTTP proxy, used with CONNECT: `http://user:password@proxy:3128`. `HTTPS_PROXY` and `NO_PROXY` are not read here. */
  readonly proxyUrl?: string | undefined;
  /** The user and where it is configured, named in the error of a 401: `user "jane" of context "dev" in kubeconfig /a`. */
  readonly identity?: string | undefined;
  /** The User-Agent header. @default name and version of the running program, and the name of this package */
  readonly userAgent?: string | undefined;
}
