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
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

/** Options of a list. */
export interface ListOptions extends SelectorOptions {
  /** `''`: the newest state; `'0'`: whatever is at hand; else see `resourceVersionMatch`. @default '' */
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: ResourceVersionMatch | undefined;
  /** At most so many items in one answer. @default 0, all of them */
  readonly limit?: number | undefined;
  /** From the metadata of the page before. */
  readonly continue?: string | undefined;
  readonly timeoutSeconds?: number | undefined;
}

/** Options of a watch. */
export interface WatchOptions extends SelectorOptions {
  /** Events after this version; `''` or `'0'` begin with an ADDED event for everything that exists. @default '' */
  readonly resourceVersion?: string | undefined;
  /** Only with `sendInitialEvents`, and then it must be `NotOlderThan`. */
  readonly resourceVersionMatch?: ResourceVersionMatch | undefined;
  /** Asks for BOOKMARK events: versions reached without anything to tell. @default false */
  readonly allowWatchBookmarks?: boolean | undefined;
  /** Begins with the whole collection, and ends that with a bookmark that says so. */
  readonly sendInitialEvents?: boolean | undefined;
  /** The server ends the watch after so long. */
  readonly timeoutSeconds?: number | undefined;
}

/** What the server does with fields it does not know: nothing, a warning, or a refusal. */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** What all writes have in common. */
export interface ModifyOptions {
  /** Everything short of storing it. */
  readonly dryRun?: readonly 'All'[] | undefined;
  /** Who is to own the fields written. */
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
  /** @default whatever the kind says; 0 deletes at once */
  readonly gracePeriodSeconds?: number | undefined;
  readonly preconditions?: Preconditions | undefined;
  readonly propagationPolicy?: PropagationPolicy | undefined;
  readonly dryRun?: readonly 'All'[] | undefined;
}
