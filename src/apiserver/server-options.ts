import type { KubernetesObject, New } from '../meta/objects.js';
import type { OptionNames } from '../meta/options/known-options.js';
import type { Clock } from '../time/clock.js';
import type { TokenUser } from './access/authentication.js';
import type { WebhookHandler } from './admission/webhooks/webhook-client.js';
import type { WorkloadOptions } from './controllers/workloads/options.js';
import type { Kubelet } from './request/streams/kubelet.js';
import type { AdmissionPlugin } from './resources/admission.js';
import type { ConnectionTimeouts } from './wire/connection-guard.js';
import type { ListenerTls } from './wire/http-listener.js';

/** The controllers that the server can run. */
type ControllerName =
  | 'garbage-collector'
  | 'namespace-lifecycle'
  | 'resource-quota'
  | 'role-aggregation'
  | 'system-namespaces'
  | 'volume-protection';

/** What to replay of a recording. */
interface ReplayOptions {
  /** The path of the file. */
  readonly file: string | URL;
  /** How many recorded seconds pass in a second; `'max'`: as fast as watches can send. @default 1 */
  readonly speed?: number | 'max' | undefined;
  /**
   * The recorded moment to begin at: a time, or milliseconds after the start of the recording. All changes before it are made at once.
   * @default when each resource has been listed
   */
  readonly from?: Date | number | undefined;
}

export const replayNames: OptionNames<ReplayOptions> = { file: true, speed: true, from: true };

/** Options of `startApiServer`. */
export interface ApiServerOptions extends ConnectionTimeouts {
  /** @default realClock */
  readonly clock?: Clock | undefined;
  /**
   * Whether the server listens on a port. If false, clients reach it in memory, which a fake clock needs.
   * @default true
   */
  readonly listen?: boolean | undefined;
  /** @default '127.0.0.1' */
  readonly host?: string | undefined;
  /**
   * More values of the `Host` header that are accepted over plain http. Without TLS the server accepts only loopback
   * addresses, `localhost`, `host` and these, which prevents DNS rebinding by web pages; `0.0.0.0` or `::` among them
   * accepts any address, but no other name. With and without TLS, requests with an `Origin` of another site are refused.
   * @default []
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /** 0 takes any free port. @default the last port of the `data` directory if it is free, otherwise 0 */
  readonly port?: number | undefined;
  /** `true` generates certificates for this server; or your own. @default false */
  readonly tls?: boolean | ListenerTls | undefined;
  /** The user of each bearer token. @default none; without `authorization` either, no request is authenticated */
  readonly tokens?: Readonly<Record<string, TokenUser>> | undefined;
  /** Whether requests without credentials are those of `system:anonymous`, if requests are authenticated. @default true */
  readonly anonymous?: boolean | undefined;
  /** `'rbac'`: stored roles and bindings decide; `'none'`: every user may do everything. @default 'none' */
  readonly authorization?: 'none' | 'rbac' | undefined;
  /**
   * Objects to store before the server starts, with their status: namespaces first, then definitions, then the others in this
   * order. Missing namespaces are created. Each object gets defaults and is validated, as in a create; an invalid one rejects
   * with a TypeError.
   * @default []
   */
  readonly objects?: readonly (New<KubernetesObject> & { kind: string })[] | undefined;
  /**
   * The controllers that the server runs.
   * @default 'all'
   */
  readonly controllers?: 'all' | 'none' | readonly ControllerName[] | undefined;
  /**
   * Whether workloads come alive on simulated nodes: Deployments, StatefulSets, DaemonSets, Jobs and Services have their
   * controllers, pods are scheduled, become ready after a second and end. Nodes, delays and failures are options. The
   * server's `seed` makes every run the same.
   * @default false
   */
  readonly workloads?: boolean | WorkloadOptions | undefined;
  /**
   * Answers `exec`, `attach`, `log`, `portforward` and `proxy` of pods that are bound to a node.
   * @default {}: they are refused with 501, except `log` with `workloads`
   */
  readonly kubelet?: Kubelet | undefined;
  /**
   * The webhooks behind the services that webhook configurations and definitions refer to, by `namespace/name` or
   * `namespace/name:port`: a function that takes a review and returns one with the response, or the https address that takes the
   * place of the service, such as `https://127.0.0.1:9443`. Its certificate must be for `name.namespace.svc`. Webhooks with
   * a `url` need no entry.
   * @default {}
   */
  readonly webhooks?: Readonly<Record<string, WebhookHandler | string>> | undefined;
  /**
   * Admission plugins to switch on or off, by the names that kube-apiserver has for them. `ServiceAccount` needs a
   * ServiceAccount `default` in each namespace with pods, which no controller of this server creates.
   * @default { LimitRanger: true, Priority: true, ResourceQuota: true, ServiceAccount: false }
   */
  readonly admissionPlugins?: Readonly<Partial<Record<AdmissionPlugin, boolean>>> | undefined;
  /**
   * Whether `shardSelector` limits lists, watches and deletions of collections to a shard, as the feature gate
   * `ShardedListAndWatch` of kube-apiserver. If false, the parameter is ignored.
   * @default false
   */
  readonly shardedLists?: boolean | undefined;
  /** How often a watch with `allowWatchBookmarks` gets a bookmark. @default 5000 */
  readonly bookmarkIntervalMs?: number | undefined;
  /**
   * The resourceVersion of the empty server. A server that takes the place of another one at the same address needs a higher
   * resourceVersion than that one had: a watch from a resourceVersion that the server has not reached waits for it, as on a
   * kube-apiserver, and its informer misses all changes until then. `kubeflect serve` derives it from the time.
   * @default 1
   */
  readonly firstResourceVersion?: number | undefined;
  /**
   * A directory that keeps all objects, their history, and the credentials of the server, so that it goes on where it was after it
   * was stopped or killed. A write is answered, and visible to others, once it is on the disk. The directory is created
   * if it does not exist; one server uses it at a time. Objects of `objects` that exist already are left as they are, and
   * `firstResourceVersion` counts for a new directory only.
   * @default objects are kept in memory only
   */
  readonly data?: string | undefined;
  /**
   * Serves a recording of `kubeflect record` instead of stored objects: its path, or what to replay of it. Its resources can be read and
   * watched as they were at the replayed moment; all writes are refused. On a fake clock the recorded time passes in virtual time.
   * `objects`, `data`, `controllers`, `workloads`, `kubelet`, `webhooks`, `admissionPlugins`, `authorization` and
   * `firstResourceVersion` have no meaning then, and are refused.
   * @default none
   */
  readonly replay?: string | URL | ReplayOptions | undefined;
  /** How many changes of each resource are kept for watches and for lists of older versions. @default 10000 */
  readonly historyLimit?: number | undefined;
  /**
   * How many bytes of former states are kept, of all resources together. Beyond it the resource with the most bytes
   * drops its oldest change; each keeps its latest.
   * @default 67108864
   */
  readonly historyBytes?: number | undefined;
  /**
   * Makes uids, generated names and faults repeatable. Tokens and keys are never repeatable.
   * @default the clock's random numbers
   */
  readonly seed?: number | undefined;
  /** Whether `/kubeflect/` serves faults, compaction and restarts over HTTP. @default false */
  readonly admin?: boolean | undefined;
  /** Called with errors that are bugs of the server. @default process.emitWarning */
  readonly onError?: ((error: unknown) => void) | undefined;
  /**
   * Called with what the operator of `data` should know: what a crash has left was cut off, the disk is full, it can be
   * written again.
   * @default process.emitWarning
   */
  readonly onWarning?: ((message: string) => void) | undefined;
}

export const apiServerNames: OptionNames<ApiServerOptions> = {
  clock: true,
  listen: true,
  host: true,
  port: true,
  allowedHosts: true,
  tls: true,
  tokens: true,
  anonymous: true,
  authorization: true,
  objects: true,
  controllers: true,
  webhooks: true,
  admissionPlugins: true,
  workloads: true,
  kubelet: true,
  shardedLists: true,
  bookmarkIntervalMs: true,
  firstResourceVersion: true,
  data: true,
  replay: true,
  historyLimit: true,
  historyBytes: true,
  headersTimeoutMs: true,
  bodyTimeoutMs: true,
  idleTimeoutMs: true,
  seed: true,
  admin: true,
  onError: true,
  onWarning: true,
};
