/**
 * The parameters of requests as they go over the wire (`metav1.ListOptions` and its relatives). The options of clients, with
 * selectors as objects and `dryRun: true`, are turned into these.
 */

/** The selectors of a list or a watch. */
export interface SelectorParameters {
  /** Selects objects by their labels. @default none: every object is selected */
  readonly labelSelector?: string | undefined;
  /** Selects objects by their fields. @default none: every object is selected */
  readonly fieldSelector?: string | undefined;
}

/** Parameters of a list. */
export interface ListParameters extends SelectorParameters {
  /** `''`: the newest state; `'0'`: whatever is at hand; else see `resourceVersionMatch`. @default '' */
  readonly resourceVersion?: string | undefined;
  /** What `resourceVersion` means. @default none: the server decides; at least as new, for most lists */
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan' | undefined;
  /** At most so many items in one answer. @default 0, all of them */
  readonly limit?: number | undefined;
  /** The `metadata.continue` of the page before. @default none: the first page */
  readonly continue?: string | undefined;
  /** The server ends the request after so long. @default the server's own limit */
  readonly timeoutSeconds?: number | undefined;
}

/** Parameters of a watch. */
export interface WatchParameters extends SelectorParameters {
  /** Events after this version; `''` or `'0'` begin with an ADDED event for everything that exists. @default '' */
  readonly resourceVersion?: string | undefined;
  /** Required with `sendInitialEvents`, and then `NotOlderThan`; refused otherwise. @default none */
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan' | undefined;
  /** Asks for BOOKMARK events: versions reached without anything to tell. @default false */
  readonly allowWatchBookmarks?: boolean | undefined;
  /**
   * Begins with the whole collection as ADDED events, ended by a bookmark that is annotated so.
   * @default false, unless `resourceVersion` is '' or '0', which begin with the collection but without that bookmark
   */
  readonly sendInitialEvents?: boolean | undefined;
  /** The server ends the watch after so long. @default chosen by the server: 30 to 60 minutes */
  readonly timeoutSeconds?: number | undefined;
}

/** What all writes have in common. */
export interface WriteParameters {
  /** `['All']` does everything except storing the result. @default none: the result is stored */
  readonly dryRun?: readonly 'All'[] | undefined;
  /** The owner of the fields that are written. @default chosen by the server, from the user agent */
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
  /** @default chosen by the server for each kind; 0 deletes at once */
  readonly gracePeriodSeconds?: number | undefined;
  /** What must be true of the object; the server answers 409 otherwise. @default none */
  readonly preconditions?: Preconditions | undefined;
  /** What becomes of the object's dependents. @default chosen by the server for each kind, usually 'Background' */
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground' | undefined;
  /** `['All']` does everything except deleting the object. @default none: it is deleted */
  readonly dryRun?: readonly 'All'[] | undefined;
}
