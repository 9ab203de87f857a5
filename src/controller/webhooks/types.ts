import type { DeepReadonly, Lister, ObjectName, Resource } from '../../index.js';
import type { LabelSelector } from '../../meta/objects.js';

/** The request that a webhook decides about. The functions do not use `this`, so that they can be destructured. */
export interface AdmissionRequest<T> {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  /** The stored object, for UPDATE and DELETE. */
  readonly old: DeepReadonly<T> | undefined;
  /** Empty if the server generates it. */
  readonly name: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly user: { readonly name: string; readonly groups: readonly string[] };
  /** Whether nothing will be stored: a webhook with side effects must not have them then. */
  readonly dryRun: boolean;
  /** Aborts shortly before the API server stops waiting. */
  readonly signal: AbortSignal;
  /**
   * The cache of a kind in `reads`. Throws a TypeError for any other. It may be behind the server: of two requests at the same
   * time neither sees the other.
   */
  lister<U>(resource: Resource<U>): Lister<U>;
  /** Adds a warning to the answer, which kubectl prints. The server shows 4096 characters of all warnings together. */
  warn(text: string): void;
}

/** Nothing: the request is allowed. Otherwise all that is wrong with the object, by field where there is one. */
export type Verdict = void | string | readonly (string | { readonly field: string; readonly message: string })[];

/** When a webhook is called. */
export interface WebhookOptions {
  /** @default type, version and resource: `validate.v1.widgets.example.com` */
  readonly name?: string | undefined;
  /** @default ['CREATE', 'UPDATE'] */
  readonly operations?: readonly AdmissionRequest<unknown>['operation'][] | undefined;
  /** @default none: the object itself */
  readonly subresource?: string | undefined;
  /** Kinds that it looks up: they are cached before it answers. @default [] */
  readonly reads?: readonly Resource<unknown>[] | undefined;
  /** What the server does if it gets no answer. @default 'Fail' for kinds that `defineResource` made from fields; required for others */
  readonly failurePolicy?: 'Fail' | 'Ignore' | undefined;
  /** How long the server waits for an answer, up to 30 s; it counts in whole seconds. @default 5000 */
  readonly timeoutMs?: number | undefined;
  /**
   * CEL expressions by name, which must all be true of a request. The webhook is never called for an object that is being
   * deleted. @default none: all requests
   */
  readonly conditions?: Readonly<Record<string, string>> | undefined;
  /** @default all; for kinds that are not your own all except `kube-system` and the namespace of the manager */
  readonly namespaceSelector?: LabelSelector | undefined;
  /** @default all objects */
  readonly objectSelector?: LabelSelector | undefined;
}

/** A webhook that a manager can serve. It is a value: it has no state and has started nothing. */
export interface Webhook {
  readonly name: string;
  readonly type: 'validate' | 'mutate' | 'convert';
}

/** How a manager serves webhooks. */
export interface WebhookServerOptions {
  /** @default 9443 */
  readonly port?: number | undefined;
  /** The Service in front of it. @default the manager's name in its namespace, port 443 */
  readonly service?: (ObjectName & { readonly port?: number | undefined }) | undefined;
  /**
   * `'managed'`: the manager makes certificates, keeps them in a Secret that all replicas share, writes the authority into the
   * webhook configurations and definitions, and renews them. Files are read again when they change; without `caFile` the
   * configurations are left to whatever issues the certificates.
   * @default 'managed'
   */
  readonly certificates?:
    | 'managed'
    | { readonly certFile: string; readonly keyFile: string; readonly caFile?: string | undefined }
    | undefined;
}
