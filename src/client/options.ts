import { abortableNames, checkOptions, type OptionNames } from '../meta/known-options.js';
import type { Abortable, DeepReadonly, LabelSelector } from '../meta/objects.js';
import type {
  DeleteParameters,
  ListParameters,
  Preconditions,
  SelectorParameters,
  WatchParameters,
  WriteParameters,
} from '../meta/parameters.js';
import { toLabelSelector } from '../meta/selectors/label-selector.js';

/** Which objects of a collection are meant. */
export interface SelectorOptions {
  /** A selector as kubectl takes it (`app=web,tier!=cache`), or as objects write it. @default all objects */
  readonly labelSelector?: string | DeepReadonly<LabelSelector> | undefined;
  /** Such as `spec.nodeName=worker-1`; which fields can be named depends on the kind. @default all objects */
  readonly fieldSelector?: string | undefined;
}

export const selectorNames: OptionNames<SelectorOptions> = { labelSelector: true, fieldSelector: true };

/** Options of a get. */
export interface GetOptions extends Abortable {
  /** `''`: the newest state; `'0'`: whatever the server has at hand; else a state at least as new. @default '' */
  readonly resourceVersion?: string | undefined;
}

export const getNames: OptionNames<GetOptions> = { ...abortableNames, resourceVersion: true };

/** Options of a list. */
export interface ListOptions extends SelectorOptions, Abortable {
  /** At most so many objects in one answer. @default all of them; pages of 500 for `listAll` */
  readonly limit?: number | undefined;
  /** The `metadata.continue` of the page before. @default none: the first page */
  readonly continue?: string | undefined;
  /** `''`: the newest state; `'0'`: whatever the server has at hand; else see `resourceVersionMatch`. @default '' */
  readonly resourceVersion?: string | undefined;
  /** @default 'NotOlderThan' where `resourceVersion` is given, as the server takes it */
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan' | undefined;
  /** The server gives up after so long. @default the server's own limit */
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
  /** Whether bookmarks are asked for and yielded: versions reached with nothing to tell. @default false */
  readonly allowWatchBookmarks?: boolean | undefined;
  /**
   * Begins with the whole collection, and ends that with a bookmark that says so to who has `allowWatchBookmarks`.
   * @default as `resourceVersion` says
   */
  readonly sendInitialEvents?: boolean | undefined;
  /** The server ends the watch after so long. @default the server's own limit, from half an hour to an hour */
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
  /** Everything short of storing it. @default false */
  readonly dryRun?: boolean | undefined;
  /** Who is to own the fields written. @default what the server makes of the User-Agent */
  readonly fieldManager?: string | undefined;
  /** What the server does with fields it does not know: nothing, a warning, or a refusal. @default 'Warn' */
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
   * How an object is meant: a strategic patch merges lists of built-in kinds by their keys, custom resources have none. An
   * array is always a JSON patch.
   * @default 'merge'
   */
  readonly type?: 'merge' | 'strategic' | undefined;
}

export const patchNames: OptionNames<PatchOptions> = { ...writeNames, type: true };

/** Options of a server-side apply. */
export interface ApplyOptions extends WriteOptions {
  /** Whose opinion the object is. Each manager owns what it applied last; what it leaves out next time is removed. */
  readonly fieldManager: string;
  /** Takes fields that others own away from them, instead of failing with a conflict. @default false */
  readonly force?: boolean | undefined;
}

export const applyNames: OptionNames<ApplyOptions> = { ...writeNames, force: true };

/** Options of a deletion. */
export interface DeleteOptions extends Pick<WriteOptions, 'dryRun' | 'signal'> {
  /** What must be true of the object for its deletion to happen. @default nothing */
  readonly preconditions?: Preconditions | undefined;
  /** 0 deletes at once. @default chosen by the server for each kind */
  readonly gracePeriodSeconds?: number | undefined;
  /** What becomes of the objects it owns. @default chosen by the server for each kind, usually 'Background' */
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

/** Selectors as they go over the wire. A text is the server's to judge: a newer one may know more than this library. */
export function wireSelectors(options: SelectorOptions): SelectorParameters {
  const { labelSelector, fieldSelector } = options;
  const labels = typeof labelSelector === 'string' ? labelSelector : toLabelSelector(labelSelector).toString();
  return { labelSelector: labels || undefined, fieldSelector: fieldSelector || undefined };
}

/** As it goes over the wire. */
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

/** As it goes over the wire. */
export function wireWatchOptions(options: WatchOptions): WatchParameters {
  const { sendInitialEvents } = options;
  // Servers refuse the one without the other.
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

/** As it goes over the wire. */
export function wireWriteOptions(options: WriteOptions): WriteParameters {
  return {
    dryRun: options.dryRun ? ['All'] : undefined,
    fieldManager: options.fieldManager || undefined,
    fieldValidation: options.fieldValidation,
  };
}

/** The body of a deletion, or undefined when there is nothing to say. */
export function deleteBody(
  options: DeleteOptions | DeleteCollectionOptions,
): (DeleteParameters & { readonly kind: 'DeleteOptions'; readonly apiVersion: 'v1' }) | undefined {
  const { dryRun, gracePeriodSeconds, propagationPolicy } = options;
  const preconditions = 'preconditions' in options ? options.preconditions : undefined;
  if (preconditions !== undefined) checkOptions('preconditions', preconditions, preconditionNames);
  const said = {
    gracePeriodSeconds,
    propagationPolicy,
    preconditions,
    dryRun: dryRun ? (['All'] as const) : undefined,
  };
  if (Object.values(said).every((value) => value === undefined)) return undefined;
  return { kind: 'DeleteOptions', apiVersion: 'v1', ...said };
}
