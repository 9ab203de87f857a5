import { PendingWrites } from './pending-writes.js';
import { isAtLeast } from './used-cache.js';

/** The last apply of an object by a run. */
export interface AppliedObject {
  /** Of what was sent. */
  readonly hash: string;
  /** Of the answer. */
  readonly resourceVersion: string;
}

/** What a controller remembers of one of its objects between runs. It goes with the object. */
export class ObjectState {
  readonly uid: string;
  /** What the caches may not have yet. */
  readonly writes: PendingWrites = new PendingWrites();
  /** The objects that its runs applied; made by the first apply. */
  applied: Map<string, AppliedObject> | undefined;
  /** The hash of the status that was applied last. */
  statusHash: string | undefined;
  /** The versions of own writes of status and finalizers whose events have not arrived. */
  #echoes: string[] | undefined;

  constructor(uid: string) {
    this.uid = uid;
  }

  expectEcho(resourceVersion: string): void {
    this.#echoes ??= [];
    this.#echoes.push(resourceVersion);
  }

  /** Whether an event with this version is the echo of an own write. Forgets the echoes of older writes. */
  isEcho(resourceVersion: string, isFromList: boolean): boolean {
    const echoes = this.#echoes;
    if (echoes === undefined) return false;
    const isOwn = echoes.includes(resourceVersion);
    const later = echoes.filter((version) => !isAtLeast(resourceVersion, version));
    this.#echoes = later.length === 0 ? undefined : later;
    // A list shows the last of several states: another client's change may be among those that it leaves out.
    return isOwn && !isFromList;
  }
}
