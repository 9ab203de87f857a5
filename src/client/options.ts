import type { Abortable, DeepReadonly, LabelSelector } from '../meta/objects.js';
import { abortableNames, checkOptions, type OptionNames } from '../meta/options/known-options.js';
import type {
  DeleteParameters,
  ListParameters,
  Preconditions,
  SelectorParameters,
  WatchParameters,
  WriteParameters,
} from '../meta/options/parameters.js';
import { toLabelSelector } from '../meta/selectors/label-selector.js';

/** Selects objects of a collection. */
export interface SelectorOptions {
  /** A selector as kubectl takes it (`app=web,tier!=cache`), or a LabelSelector object. @default all objects */
  readonly labelSelector?: string | DeepReadonly<LabelSelector> | undefined;
  /** A field selector such as `spec.nodeName=worker-1`. Servers support a few fields of each kind. @default all objects */
  readonly fieldSelector?: string | undefined;
}

export const selectorNames: OptionNames<SelectorOptions> = { labelSelector: true, fieldSelector: true };

/** Options of a get. */
export interface GetOptions extends Abortable {
  /** `''`: the newest state; `'0'`: any state in the server's cache; else a state at least as new. @default '' */
  readonly resourceVersion?: string | undefined;
}

export const getNames: OptionNames<GetOptions> = { ...abortableNames, resourceVersion: true };

/** Options of a list. */
export interface ListOptions extends SelectorOptions, Abortable {
  /** The maximal number of objects in one answer. @default all of them; pages of 500 for `listAll` */
  readonly limit?: number | undefined;
  /** The `metadata.continue` of the page before. @default none: the first page */
  readonly continue?: string | undefined;
  /** `''`: the newest state; `'0'`: any state in the server's cache; else see `resourceVersionMatch`. @default '' */
  readonly resourceVersion?: string | undefined;
  /** @default `'NotOlderThan'` by the server, if `resourceVersion` is set */
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan' | undefined;
  /** The server aborts the request after this time. @default the server's own limit */
  readonly timeoutSeconds?: number | undefined;
}

export const listNames: OptionNames<ListOptions> = {
  ...abortableNames,
  ...selectorNames,
  limit: true,
  continue: true,
  resourceVersion: true,
  resourceVersionMatch: true,
  timeoutSeconds: true,
};

/** Options of a watch. */
export interface WatchOptions extends SelectorOptions, Abortable {
  /** Events after this version; `''` and `'0'` begin with an ADDED event for everything that exists. @default '' */
  readonly resourceVersion?: string | undefined;
  /** Only with `sendInitialEvents`, and then it must be `NotOlderThan`. @default 'NotOlderThan' with `sendInitialEvents`, none without */
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan' | undefined;
  /** Whether to request and yield BOOKMARK events: a resourceVersion without an object. @default false */
  readonly allowWatchBookmarks?: boolean | undefined;
  /**
   * Begins with an ADDED event for every object. With `allowWatchBookmarks`, a bookmark with the annotation
   * `k8s.io/initial-events-end` follows them.
   * @default `true` if `resourceVersion` is `''` or `'0'`, without that bookmark
   */
  readonly sendInitialEvents?: boolean | undefined;
  /** The server ends the watch after this time. @default the server's own limit, from half an hour to an hour */
  readonly timeoutSeconds?: number | undefined;
}

export const watchNames: OptionNames<WatchOptions> = {
  ...abortableNames,
  ...selectorNames,
  resourceVersion: true,
  resourceVersionMatch: true,
  allowWatchBookmarks: true,
  sendInitialEvents: true,
  timeoutSeconds: true,
};

/** Options of every write. */
export interface WriteOptions extends Abortable {
  /** The server validates and answers, but stores nothing. @default false */
  readonly dryRun?: boolean | undefined;
  /** The owner of the written fields in `managedFields`. @default derived from the User-Agent by the server */
  readonly fieldManager?: string | undefined;
  /** What the server does with unknown and duplicate fields: ignore, warn, or refuse with 400. @default 'Warn' */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict' | undefined;
}

export const writeNames: OptionNames<WriteOptions> = {
  ...abortableNames,
  dryRun: true,
  fieldManager: true,
  fieldValidation: true,
};

/** Options of a patch. */
export interface PatchOptions extends WriteOptions {
  /**
   * How an object is sent. A strategic merge patch merges lists of built-in kinds by their keys; custom resources do not
   * support it. An array is always a JSON patch.
   * @default 'merge'
   */
  readonly type?: 'merge' | 'strategic' | undefined;
}

export const patchNames: OptionNames<PatchOptions> = { ...writeNames, type: true };

/** Options of a server-side apply. */
export interface ApplyOptions extends WriteOptions {
  /** The owner of the applied fields. Fields that a manager applied before and leaves out now are removed. */
  readonly fieldManager: string;
  /** Takes over fields that other managers own, instead of failing with 409. @default false */
  readonly force?: boolean | undefined;
}

export const applyNames: OptionNames<ApplyOptions> = { ...writeNames, force: true };

/** Options of a deletion. */
export interface DeleteOptions extends Pick<WriteOptions, 'dryRun' | 'signal'> {
  /** The uid and resourceVersion that the object must have; 409 otherwise. @default none */
  readonly preconditions?: Preconditions | undefined;
  /** 0 deletes at once. @default chosen by the server for each kind */
  readonly gracePeriodSeconds?: number | undefined;
  /** Whether and when the garbage collector deletes the objects it owns. @default chosen by the server for each kind, usually 'Background' */
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground' | undefined;
}

export const deleteNames: OptionNames<DeleteOptions> = {
  ...abortableNames,
  dryRun: true,
  preconditions: true,
  gracePeriodSeconds: true,
  propagationPolicy: true,
};

const preconditionNames: OptionNames<Preconditions> = { uid: true, resourceVersion: true };

/** Options of the deletion of a collection: which objects, and how. */
export interface DeleteCollectionOptions extends Omit<DeleteOptions, 'preconditions'>, ListOptions {}

export const deleteCollectionNames: OptionNames<DeleteCollectionOptions> = {
  ...listNames,
  dryRun: true,
  gracePeriodSeconds: true,
  propagationPolicy: true,
};

/** Selectors as query parameters. A string is sent as it is: a newer server may support more than this library parses. */
export function wireSelectors(options: SelectorOptions): SelectorParameters {
  const { labelSelector, fieldSelector } = options;
  const labels = typeof labelSelector === 'string' ? labelSelector : toLabelSelector(labelSelector).toString();
  return { labelSelector: labels || undefined, fieldSelector: fieldSelector || undefined };
}

/** The query parameters of a list. */
export function wireListOptions(options: ListOptions): ListParameters {
  return {
    ...wireSelectors(options),
    limit: options.limit || undefined,
    continue: options.continue || undefined,
    resourceVersion: options.resourceVersion || undefined,
    resourceVersionMatch: options.resourceVersionMatch,
    timeoutSeconds: options.timeoutSeconds,
  };
}

/** The query parameters of a watch. */
export function wireWatchOptions(options: WatchOptions): WatchParameters {
  const { sendInitialEvents } = options;
  // Servers refuse `sendInitialEvents` without `resourceVersionMatch`.
  const resourceVersionMatch = options.resourceVersionMatch ?? (sendInitialEvents ? 'NotOlderThan' : undefined);
  return {
    ...wireSelectors(options),
    resourceVersion: options.resourceVersion || undefined,
    resourceVersionMatch,
    allowWatchBookmarks: options.allowWatchBookmarks || undefined,
    sendInitialEvents: resourceVersionMatch === undefined ? undefined : sendInitialEvents,
    timeoutSeconds: options.timeoutSeconds,
  };
}

/** The query parameters of a write. */
export function wireWriteOptions(options: WriteOptions): WriteParameters {
  return {
    dryRun: options.dryRun ? ['All'] : undefined,
    fieldManager: options.fieldManager || undefined,
    fieldValidation: options.fieldValidation,
  };
}

/** The body of a DELETE request; undefined if no option is set. */
export function deleteBody(
  options: DeleteOptions | DeleteCollectionOptions,
): (DeleteParameters & { readonly kind: 'DeleteOptions'; readonly apiVersion: 'v1' }) | undefined {
  const { dryRun, gracePeriodSeconds, propagationPolicy } = options;
  const preconditions = 'preconditions' in options ? options.preconditions : undefined;
  if (preconditions !== undefined) checkOptions('preconditions', preconditions, preconditionNames);
  const given = {
    gracePeriodSeconds,
    propagationPolicy,
    preconditions,
    dryRun: dryRun ? (['All'] as const) : undefined,
  };
  if (Object.values(given).every((value) => value === undefined)) return undefined;
  return { kind: 'DeleteOptions', apiVersion: 'v1', ...given };
}
