/**
 * The options of requests as they go over the wire: what `metav1` calls GetOptions, ListOptions and so on. Clients offer
 * friendlier ones (selectors as objects, `dryRun: true`) and turn them into these.
 */

/** How a `resourceVersion` is meant: exactly this state, or one that is at least as new. */
export type ResourceVersionMatch = 'Exact' | 'NotOlderThan';

/** Options of a get. */
export interface GetOptions {
  /** `''`: the newest state; `'0'`: whatever is at hand; else a state at least as new. @default '' */
  readonly resourceVersion?: string | undefined;
}

/** What a list and a watch select by. */
export interface SelectorOptions {
  /** Selects objects by their labels. @default none: every object is selected */
  readonly labelSelector?: string | undefined;
  /** Selects objects by their fields. @default none: every object is selected */
  readonly fieldSelector?: string | undefined;
}

/** Options of a list. */
export interface ListOptions extends SelectorOptions {
  /** `''`: the newest state; `'0'`: whatever is at hand; else see `resourceVersionMatch`. @default '' */
  readonly resourceVersion?: string | undefined;
  /** What `resourceVersion` means. @default none: the server decides; at least as new, for most lists */
  readonly resourceVersionMatch?: ResourceVersionMatch | undefined;
  /** At most so many items in one answer. @default 0, all of them */
  readonly limit?: number | undefined;
  /** The `metadata.continue` of the page before. @default none: the first page */
  readonly continue?: string | undefined;
  /** The server ends the request after so long. @default the server's own limit */
  readonly timeoutSeconds?: number | undefined;
}

/** Options of a watch. */
export interface WatchOptions extends SelectorOptions {
  /** Events after this version; `''` or `'0'` begin with an ADDED event for everything that exists. @default '' */
  readonly resourceVersion?: string | undefined;
  /** Required with `sendInitialEvents`, and then `NotOlderThan`; refused otherwise. @default none */
  readonly resourceVersionMatch?: ResourceVersionMatch | undefined;
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

/** What the server does with fields it does not know: nothing, a warning, or a refusal. */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** What all writes have in common. */
export interface ModifyOptions {
  /** `['All']` does everything except storing the result. @default none: the result is stored */
  readonly dryRun?: readonly 'All'[] | undefined;
  /** The owner of the fields that are written. @default chosen by the server, from the user agent */
  readonly fieldManager?: string | undefined;
  /** @default 'Warn' */
  readonly fieldValidation?: FieldValidation | undefined;
}

/** Options of a create. */
export interface CreateOptions extends ModifyOptions {}

/** Options of an update. */
export interface UpdateOptions extends ModifyOptions {}

/** Options of a patch and of an apply. */
export interface PatchOptions extends ModifyOptions {
  /** Takes fields away from their owners; for server-side apply only. @default false */
  readonly force?: boolean | undefined;
}

/** What becomes of an object's dependents: left alone, deleted later, or deleted before it. */
export type PropagationPolicy = 'Orphan' | 'Background' | 'Foreground';

/** What must be true of an object for its deletion to happen. */
export interface Preconditions {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

/** Options of a delete; they go in its body. */
export interface DeleteOptions {
  /** @default chosen by the server for each kind; 0 deletes at once */
  readonly gracePeriodSeconds?: number | undefined;
  /** What must be true of the object; the server answers 409 otherwise. @default none */
  readonly preconditions?: Preconditions | undefined;
  /** What becomes of the object's dependents. @default chosen by the server for each kind, usually 'Background' */
  readonly propagationPolicy?: PropagationPolicy | undefined;
  /** `['All']` does everything except deleting the object. @default none: it is deleted */
  readonly dryRun?: readonly 'All'[] | undefined;
}
