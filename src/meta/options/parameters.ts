/**
 * The query parameters and bodies of requests (`metav1.ListOptions`, `DeleteOptions` and so on). The options of clients, which
 * have selectors as objects and `dryRun: true`, are converted to these.
 */

/** The selectors of a list or a watch. */
export interface SelectorParameters {
  /** Selects objects by their labels. @default none: every object is selected */
  readonly labelSelector?: string | undefined;
  /** Selects objects by their fields. @default none: every object is selected */
  readonly fieldSelector?: string | undefined;
  /**
   * Selects objects by the hash of their uid or namespace. Servers without the feature gate `ShardedListAndWatch` ignore it.
   * @default none: every object is selected
   */
  readonly shardSelector?: string | undefined;
}

/** Parameters of a list. */
export interface ListParameters extends SelectorParameters {
  /** `''`: the newest state; `'0'`: any cached state; otherwise see `resourceVersionMatch`. @default '' */
  readonly resourceVersion?: string | undefined;
  /** How `resourceVersion` is matched. @default none: the server decides, usually as with 'NotOlderThan' */
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan' | undefined;
  /** The most items in one page. @default 0: all items */
  readonly limit?: number | undefined;
  /** The `metadata.continue` of the previous page. @default none: the first page */
  readonly continue?: string | undefined;
  /** The server ends the request after this time. @default the server's own limit */
  readonly timeoutSeconds?: number | undefined;
}

/** Parameters of a watch. */
export interface WatchParameters extends SelectorParameters {
  /** Events after this version; `''` and `'0'` start with an ADDED event for every existing object. @default '' */
  readonly resourceVersion?: string | undefined;
  /** Must be `NotOlderThan` with `sendInitialEvents`, and absent otherwise. @default none */
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan' | undefined;
  /** Requests BOOKMARK events, which report the current resourceVersion of a quiet watch. @default false */
  readonly allowWatchBookmarks?: boolean | undefined;
  /**
   * Starts with the whole collection as ADDED events, and a bookmark with the annotation `k8s.io/initial-events-end`.
   * @default false; a `resourceVersion` of '' or '0' starts with the collection too, but without that bookmark
   */
  readonly sendInitialEvents?: boolean | undefined;
  /** The server ends the watch after this time. @default chosen by the server: 30 to 60 minutes */
  readonly timeoutSeconds?: number | undefined;
}

/** Parameters of all writes. */
export interface WriteParameters {
  /** `['All']` does everything except storing the result. @default none */
  readonly dryRun?: readonly 'All'[] | undefined;
  /** The owner of the fields that are written. @default chosen by the server, from the user agent */
  readonly fieldManager?: string | undefined;
  /** @default 'Warn' */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict' | undefined;
}

/** The object is deleted only if these fields match. */
export interface Preconditions {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

/** The body of a delete request. */
export interface DeleteParameters {
  /** 0 deletes at once. @default chosen by the server for each kind */
  readonly gracePeriodSeconds?: number | undefined;
  /** Fields that must match; the server answers 409 Conflict otherwise. @default none */
  readonly preconditions?: Preconditions | undefined;
  /** What happens to the object's dependents. @default chosen by the server for each kind, usually 'Background' */
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground' | undefined;
  /** `['All']` does everything except deleting the object. @default none */
  readonly dryRun?: readonly 'All'[] | undefined;
}
