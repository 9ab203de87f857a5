/** A rule of a Role or ClusterRole, as RBAC writes it. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[] | undefined;
  readonly resources?: readonly string[] | undefined;
  readonly resourceNames?: readonly string[] | undefined;
  readonly nonResourceURLs?: readonly string[] | undefined;
}

export interface RealApiServerOptions {
  /** Further flags of kube-apiserver, such as `--goaway-chance=0.02`. A flag given here wins over the launcher's own. */
  readonly flags?: readonly string[] | undefined;
  /**
   * Feature gates to switch. `ListFromCacheSnapshot` is off unless it is named here: with it the watch caches follow a
   * compaction only within 15 s, and tests would have to wait for their 410.
   */
  readonly featureGates?: Readonly<Record<string, boolean>> | undefined;
  /** Bearer token of the admin (user `admin`, group `system:masters`). @default a random one */
  readonly adminToken?: string | undefined;
  /** Port on 127.0.0.1. @default a free one */
  readonly port?: number | undefined;
  /** Hears what the build is doing, where one is needed. @default lines on stderr */
  readonly onProgress?: ((line: string) => void) | undefined;
  /** Hears the server's log as it comes. Without it, its tail is in the error when the server fails. */
  readonly onLog?: ((text: string) => void) | undefined;
}

export interface ClientCertificate {
  /** PEM. */
  readonly cert: string;
  /** PEM. */
  readonly key: string;
}

/** Who a request or a kubeconfig speaks for. */
export type Credentials = { readonly token: string } | ClientCertificate | { readonly anonymous: true };

export interface RealResponse<T> {
  readonly status: number;
  readonly headers: import('node:http').IncomingHttpHeaders;
  /** Parsed where the answer is JSON, otherwise the text. */
  readonly body: T;
}

/** A real kube-apiserver with its own etcd: one process, on loopback, with data in a temporary folder. */
export interface RealApiServer extends AsyncDisposable {
  /** The same over restarts, as is everything else here. */
  readonly url: string;
  /** The certificate authority of the server, PEM. */
  readonly ca: string;
  readonly caPath: string;
  readonly adminToken: string;
  /** YAML text, as admin. */
  readonly kubeconfig: string;
  readonly kubeconfigPath: string;
  /** Process id of the running server, undefined while it is down. */
  readonly pid: number | undefined;
  /** The folder with everything the server keeps. Gone after `stop()`. */
  readonly dataFolder: string;
  /** A kubeconfig for somebody else than the admin. */
  kubeconfigFor(credentials: Credentials): string;
  /** One HTTPS request, as the admin unless told otherwise. What its body is like is the caller's to know. */
  request<T = unknown>(
    method: string,
    path: string,
    options?: {
      readonly body?: unknown;
      readonly headers?: Readonly<Record<string, string>> | undefined;
      readonly as?: Credentials | undefined;
    },
  ): Promise<RealResponse<T>>;
  /**
   * Adds a user and, where rules are given, a role bound to it: a Role in `namespace`, a ClusterRole without one.
   * Resolves with the user's bearer token when the server honours both.
   */
  addUser(user: {
    readonly name: string;
    readonly groups?: readonly string[] | undefined;
    readonly rules?: readonly PolicyRule[] | undefined;
    readonly namespace?: string | undefined;
  }): Promise<string>;
  /** A certificate by which the server knows the user `commonName` with the groups `organizations`. */
  clientCertificate(subject: {
    readonly commonName: string;
    readonly organizations?: readonly string[] | undefined;
  }): Promise<ClientCertificate>;
  /** Makes etcd forget every revision before the current one, and returns that one. */
  compact(): Promise<number>;
  /** Ends the process in the orderly way and starts it again on the same data and port. */
  restart(): Promise<void>;
  /** Ends the process in the orderly way; `start()` brings it back. */
  shutDown(): Promise<void>;
  /** SIGKILL; `start()` brings it back. */
  kill(): Promise<void>;
  /** Starts the process again after `kill()` or `shutDown()`. */
  start(): Promise<void>;
  /** Ends the process and removes its data. */
  stop(): Promise<void>;
}

/** Builds the server where that is still to be done, starts it and resolves when `/readyz` says ok. */
export function startRealApiServer(options?: RealApiServerOptions): Promise<RealApiServer>;
