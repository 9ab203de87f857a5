import { PendingWrites } from './wakes/pending-writes.js';
import { isAtLeast } from './wakes/used-cache.js';

/** What a controller remembers of one of its objects between runs. It goes with the object. */
export class ObjectState {
  readonly uid: string;
  /** The version of the object that the last run has read. */
  readVersion = '';
  /** What the caches may not have yet. */
  readonly writes: PendingWrites = new PendingWrites();
  /** The objects that its runs applied, each with a digest of what was applied and of the version it led to; made by the first apply. */
  applied: Map<string, string> | undefined;
  /** The digest of the status that was applied last. */
  statusDigest: string | undefined;
  /** The versions of own writes of status and finalizers whose events have not arrived. */
  #echoes: string[] | undefined;

  constructor(uid: string) {
    this.uid = uid;
  }

  expectEcho(resourceVersion: string): void {
    this.#echoes ??= [];
    this.#echoes.push(resourceVersion);
  }

  /** Whether the last run has read this version of the object, or a newer one. */
  hasRead(resourceVersion: string): boolean {
    return isAtLeast(this.readVersion, resourceVersion);
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
