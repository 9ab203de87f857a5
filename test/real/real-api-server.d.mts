/** A rule of a Role or ClusterRole, as RBAC writes it. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[] | undefined;
  readonly resources?: readonly string[] | undefined;
  readonly resourceNames?: readonly string[] | undefined;
  readonly nonResourceURLs?: readonly string[] | undefined;
}

export interface RealApiServerOptions {
  /** Further flags of kube-apiserver, such as `--goaway-chance=0.02`. They override those of the launcher. */
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
  /** Called with the progress of a build, if one is needed. @default lines on stderr */
  readonly onProgress?: ((line: string) => void) | undefined;
  /** Called with the log of the server. Without it, the end of the log is in the error when the server fails. */
  readonly onLog?: ((text: string) => void) | undefined;
}

export interface ClientCertificate {
  /** PEM. */
  readonly cert: string;
  /** PEM. */
  readonly key: string;
}

/** The credentials of a request or a kubeconfig. */
export type Credentials = { readonly token: string } | ClientCertificate | { readonly anonymous: true };

export interface RealResponse<T> {
  readonly status: number;
  readonly headers: import('node:http').IncomingHttpHeaders;
  /** Parsed if the answer is JSON, else the text. */
  readonly body: T;
}

/** A real kube-apiserver with etcd: one process, on loopback, with data in a temporary folder. */
export interface RealApiServer extends AsyncDisposable {
  /** Restarts do not change it, nor anything else here. */
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
  /** The folder of the server's data. `stop()` removes it. */
  readonly dataFolder: string;
  /** A kubeconfig for another user than the admin. */
  kubeconfigFor(credentials: Credentials): string;
  /** One HTTPS request, as the admin or with the credentials in `as`. The caller chooses the type of the body. */
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
   * Adds a user and, if there are rules, a role bound to it: a Role in `namespace`, a ClusterRole without one.
   * Resolves with the bearer token of the user when the server accepts both.
   */
  addUser(user: {
    readonly name: string;
    readonly groups?: readonly string[] | undefined;
    readonly rules?: readonly PolicyRule[] | undefined;
    readonly namespace?: string | undefined;
  }): Promise<string>;
  /** A certificate of the user `commonName` with the groups `organizations`. */
  clientCertificate(subject: {
    readonly commonName: string;
    readonly organizations?: readonly string[] | undefined;
  }): Promise<ClientCertificate>;
  /** Compacts etcd at the current revision, and returns it. */
  compact(): Promise<number>;
  /** Stops the process gracefully and starts it again on the same data and port. */
  restart(): Promise<void>;
  /** Stops the process gracefully; `start()` starts it again. */
  shutDown(): Promise<void>;
  /** Sends SIGKILL; `start()` starts it again. */
  kill(): Promise<void>;
  /** Starts the process again after `kill()` or `shutDown()`. */
  start(): Promise<void>;
  /** Ends the process and removes its data. */
  stop(): Promise<void>;
}

/** Builds the server if needed, starts it and resolves when `/readyz` answers ok. */
export function startRealApiServer(options?: RealApiServerOptions): Promise<RealApiServer>;
