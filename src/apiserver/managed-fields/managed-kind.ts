import type { JsonObject } from '../../meta/json-values.js';
import type { Steps } from '../../time/steps.js';
import { type Comparison, compare } from './compare.js';
import type { OwnedType } from './owned-type.js';
import type { ResetFields } from './reset-fields.js';

/** One version of a kind, as far as its managed fields are concerned. */
export interface ManagedVersion {
  readonly type: OwnedType;
  /** Converts an object of the kind, in any version. Does not change it. */
  readonly convert: (object: JsonObject) => JsonObject;
}

/** A kind in the version of a request, for writes to the main resource or a subresource. */
export interface ManagedKind {
  readonly kind: string;
  readonly apiVersion: string;
  /** Empty for the main resource. */
  readonly subresource: string;
  readonly type: OwnedType;
  readonly isCustom: boolean;
  readonly resets: ResetFields;
  /** The state that an object is compared with when it is created. */
  readonly zero: JsonObject;
  /** A version of the kind; undefined if there is none of that name (any more). */
  readonly version: (apiVersion: string) => ManagedVersion | undefined;
}

/** The name of a manager with the moment of its write. */
export interface Writer {
  readonly manager: string;
  readonly time: string;
}

/** Compares two states of an object in the version of each manager. */
export class VersionedComparison {
  readonly #kind: ManagedKind;
  readonly #before: JsonObject;
  readonly #after: JsonObject;
  /** In the version of the request, which most managers use. */
  #own: Comparison | undefined;
  readonly #others = new Map<string, Comparison | undefined>();

  constructor(kind: ManagedKind, before: JsonObject, after: JsonObject) {
    this.#kind = kind;
    this.#before = before;
    this.#after = after;
  }

  /** The differences in a version, without reset fields; undefined if there is no such version. */
  *in(apiVersion: string): Steps<Comparison | undefined> {
    if (apiVersion === this.#kind.apiVersion) return (this.#own ??= yield* this.#compare(apiVersion));
    if (!this.#others.has(apiVersion)) this.#others.set(apiVersion, yield* this.#compare(apiVersion));
    return this.#others.get(apiVersion);
  }

  *#compare(apiVersion: string): Steps<Comparison | undefined> {
    const version = this.#kind.version(apiVersion);
    if (version === undefined) return undefined;
    const { type, convert } = version;
    const { added, modified, removed } = yield* compare(type, convert(this.#before), convert(this.#after));
    const { resets } = this.#kind;
    return {
      added: added && (yield* resets(added)),
      modified: modified && (yield* resets(modified)),
      removed: removed && (yield* resets(removed)),
    };
  }
}
