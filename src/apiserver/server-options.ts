import type { OptionNames } from '../meta/known-options.js';
import type { KubernetesObject, New } from '../meta/objects.js';
import type { Clock } from '../time/clock.js';
import type { TokenUser } from './access/authentication.js';
import type { ConnectionTimeouts } from './wire/connection-guard.js';
import type { ListenerTls } from './wire/http-listener.js';

/** The controllers that a server can run inside. */
type ControllerName = 'garbage-collector' | 'namespace-lifecycle' | 'system-namespaces';

/** How a server is to be. */
export interface ApiServerOptions extends ConnectionTimeouts {
  /** @default realClock */
  readonly clock?: Clock | undefined;
  /**
   * Whether it can be reached over the network. Without, clients talk to it in memory, which a fake clock needs.
   * @default true
   */
  readonly listen?: boolean | undefined;
  /** @default '127.0.0.1' */
  readonly host?: string | undefined;
  /**
   * Other names by which clients may call the server over plain http. Without TLS it answers only to loopback addresses,
   * `localhost`, `host` and these, so that no web page can reach it under a name of its own (DNS rebinding); with
   * `0.0.0.0` or `::` among them it answers to any address, but still to no other name. With and without TLS it
   * refuses requests that a browser sends for a page of another origin.
   * @default []
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /** 0 takes any free one. @default 0 */
  readonly port?: number | undefined;
  /** Whether connections are encrypted, with certificates made for the occasion or with your own. @default false */
  readonly tls?: boolean | ListenerTls | undefined;
  /** Bearer tokens and whose they are. @default none; without `authorization` either, no request is authenticated */
  readonly tokens?: Readonly<Record<string, TokenUser>> | undefined;
  /** Whether requests without credentials go on as `system:anonymous`, where credentials count. @default true */
  readonly anonymous?: boolean | undefined;
  /** Whether everybody who is known may do everything, or what stored roles and bindings allow them. @default 'none' */
  readonly authorization?: 'none' | 'rbac' | undefined;
  /** What is there from the beginning, stored in this order; missing namespaces are made. @default [] */
  readonly objects?: readonly (New<KubernetesObject> & { kind: string })[] | undefined;
  /**
   * What the server does by itself: all of it, none of it, or some.
   * @default 'all'
   */
  readonly controllers?: 'all' | 'none' | readonly ControllerName[] | undefined;
  /** How often watches that allow it get a bookmark. @default 5000 */
  readonly bookmarkIntervalMs?: number | undefined;
  /** How many changes of each resource are remembered for watches and for lists of older versions. @default 10000 */
  readonly historyLimit?: number | undefined;
  /**
   * How many bytes of former states the server remembers, of all resources together. Beyond it the resource with the
   * most of them forgets its oldest change; each keeps its latest.
   * @default 67108864
   */
  readonly historyBytes?: number | undefined;
  /**
   * Makes uids, generated names and faults repeatable. Tokens and keys never are: they are secrets.
   * @default the clock's random numbers
   */
  readonly seed?: number | undefined;
  /** Whether faults, compaction and restarts can be asked for under `/kubeflect/`. @default false */
  readonly admin?: boolean | undefined;
  /** Is told of errors that are bugs of the server. @default process.emitWarning */
  readonly onError?: ((error: unknown) => void) | undefined;
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
  bookmarkIntervalMs: true,
  historyLimit: true,
  historyBytes: true,
  headersTimeoutMs: true,
  bodyTimeoutMs: true,
  idleTimeoutMs: true,
  seed: true,
  admin: true,
  onError: true,
};
