/**
 * The parameters of requests as they go over the wire (`metav1.ListOptions` and its relatives). The options of clients, with
 * selectors as objects and `dryRun: true`, are turned into these.
 */

/** The selectors of a list or a watch. */
export interface SelectorParameters {
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

/** Parameters of a list. */
export interface ListParameters extends SelectorParameters {
  /** `''`: the newest state; `'0'`: whatever is at hand; else see `resourceVersionMatch`. @default '' */
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan' | undefined;
  /** At most so many items in one answer. @default 0, all of them */
  readonly limit?: number | undefined;
  /** From the metadata of the page before. */
  readonly continue?: string | undefined;
  readonly timeoutSeconds?: number | undefined;
}

/** Parameters of a watch. */
export interface WatchParameters extends SelectorParameters {
  /** Events after this version; `''` or `'0'` begin with an ADDED event for everything that exists. @default '' */
  readonly resourceVersion?: string | undefined;
  /** Only with `sendInitialEvents`, and then it must be `NotOlderThan`. */
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan' | undefined;
  /** Asks for BOOKMARK events: versions reached without anything to tell. @default false */
  readonly allowWatchBookmarks?: boolean | undefined;
  /** Begins with the whole collection, and ends that with a bookmark that says so. */
  readonly sendInitialEvents?: boolean | undefined;
  /** The server ends the watch after so long. */
  readonly timeoutSeconds?: number | undefined;
}

/** What all writes have in common. */
export interface WriteParameters {
  /** Everything short of storing it. */
  readonly dryRun?: readonly 'All'[] | undefined;
  /** Who is to own the fields written. */
  readonly fieldManager?: string | undefined;
  /** @default 'Warn' */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict' | undefined;
}

/** What must be true of an object for its deletion to happen. */
export interface Preconditions {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

/** Parameters of a delete; they go in its body. */
export interface DeleteParameters {
  /** @default whatever the kind says; 0 deletes at once */
  readonly gracePeriodSeconds?: number | undefined;
  readonly preconditions?: Preconditions | undefined;
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground' | undefined;
  readonly dryRun?: readonly 'All'[] | undefined;
}
