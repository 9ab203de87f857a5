/**
 * The options of requests as they go over the wire: what `metav1` calls GetOptions, ListOptions and so on. Clients offer
 * friendlier ones (selectors as objects, `dryRun: true`) and turn them into these.
 */
import { fieldForbidden, fieldNotSupported } from './field-cause.js';
import type { StatusCause } from './status.js';

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

/** What a server finds wrong in a combination of list or watch options; nothing is an empty array. */
export function listOptionCauses(options: ListOptions & WatchOptions, isWatch: boolean): StatusCause[] {
  return isWatch ? watchCauses(options) : listCauses(options);
}

const matchField = 'resourceVersionMatch';
const withContinue = 'resourceVersionMatch is forbidden when continue is provided';

function listCauses(options: ListOptions & WatchOptions): StatusCause[] {
  const causes: StatusCause[] = [];
  const match: string | undefined = options.resourceVersionMatch;
  if (match) {
    if (!options.resourceVersion) {
      const why = 'resourceVersionMatch is forbidden unless resourceVersion is provided';
      causes.push(fieldForbidden(matchField, why));
    }
    if (options.continue) causes.push(fieldForbidden(matchField, withContinue));
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      causes.push(fieldNotSupported(matchField, match, ['Exact', 'NotOlderThan', '']));
    }
    if (match === 'Exact' && options.resourceVersion === '0') {
      causes.push(fieldForbidden(matchField, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (options.sendInitialEvents !== undefined) {
    causes.push(fieldForbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  }
  return causes;
}

function watchCauses(options: ListOptions & WatchOptions): StatusCause[] {
  const causes: StatusCause[] = [];
  const match: string | undefined = options.resourceVersionMatch;
  if (options.sendInitialEvents !== undefined && match !== 'NotOlderThan') {
    const why = 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan';
    causes.push(fieldForbidden(matchField, why));
  }
  if (match) {
    if (options.sendInitialEvents === undefined) {
      const why = 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided';
      causes.push(fieldForbidden(matchField, why));
    }
    if (match !== 'NotOlderThan') causes.push(fieldNotSupported(matchField, match, ['NotOlderThan']));
    if (options.continue) causes.push(fieldForbidden(matchField, withContinue));
  }
  return causes;
}
