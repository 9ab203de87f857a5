import type { JsonObject } from '../../meta/json-values.js';
import type { GroupVersionKind } from '../../meta/resource.js';
import type { Steps } from '../../time/steps.js';
import type { ApiResource } from './registry.js';
import type { Warn } from './strategy.js';

/** The built-in admission plugins that can be switched on and off, by the names that kube-apiserver has for them. */
export type AdmissionPlugin = 'LimitRanger' | 'Priority' | 'ResourceQuota' | 'ServiceAccount';

/** Those that are on unless an option says otherwise. */
export const DEFAULT_PLUGINS: readonly AdmissionPlugin[] = ['LimitRanger', 'Priority', 'ResourceQuota'];

/** What a request does, in the words of admission. */
export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** The user of a request, as admission sees it. */
export interface Requester {
  readonly name: string;
  readonly groups: readonly string[];
  readonly uid?: string | undefined;
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** A user as `userInfo` of a review: what it does not have is left out. */
export function userInfo({ name, uid = '', groups, extra = {} }: Requester): JsonObject {
  return {
    username: name,
    ...(uid === '' ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

/** The request that a write comes from. */
export interface Origin {
  readonly user: Requester;
  /** The options of the request besides `dryRun`, such as `fieldManager`. */
  readonly options?: JsonObject | undefined;
}

/** A request as admission sees it. */
export interface AdmissionRequest {
  readonly operation: Operation;
  readonly resource: ApiResource;
  /** Empty for the main resource. */
  readonly subresource: string;
  /** The kind of `object`, if it is not that of the resource: a Scale, an Eviction, PodExecOptions. */
  readonly kind?: GroupVersionKind | undefined;
  /** Empty for a cluster-scoped object; the name of a Namespace for itself. */
  readonly namespace: string;
  /** Empty if it is generated, and for the objects of a collection that is deleted. */
  readonly name: string;
  /** The new state; undefined for DELETE. */
  readonly object: JsonObject | undefined;
  /** The state before; undefined for CREATE and CONNECT. */
  readonly old: JsonObject | undefined;
  /** `CreateOptions`, `UpdateOptions` or `DeleteOptions`; undefined for CONNECT. */
  readonly options: JsonObject | undefined;
  readonly dryRun: boolean;
  readonly user: Requester;
  readonly warn: Warn;
}

/**
 * Webhooks, policies and quota: what decides about a request beyond the rules of its kind. Both methods return undefined if
 * nothing is configured that could apply, so that most writes pay nothing, and throw a StatusError if they refuse the request.
 */
export interface Admission {
  /** The built-in plugins that are on. */
  readonly plugins: ReadonlySet<AdmissionPlugin>;
  /**
   * Returns the object as mutating webhooks have changed it.
   *
   * @param replug has the built-in plugins look at the object again, after a webhook has changed it
   */
  mutate(request: AdmissionRequest, replug: (object: JsonObject) => void): Steps<JsonObject | undefined> | undefined;
  /** Refuses an object that is valid by the rules of its kind. */
  validate(request: AdmissionRequest): Steps<void> | undefined;
}

/** The document of the options of a request. */
export function optionsDocument(kind: string, dryRun: boolean, options: JsonObject | undefined): JsonObject {
  return { kind, apiVersion: 'meta.k8s.io/v1', ...(dryRun ? { dryRun: ['All'] } : {}), ...options };
}
