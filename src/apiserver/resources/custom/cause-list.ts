import type { StatusCause } from '../../../meta/errors/status.js';

/** More than an answer lists. */
const MAX_KEPT = 500;

/** Collects causes: counts all, and keeps the first ones. */
export class CauseList {
  readonly causes: StatusCause[] = [];
  count = 0;

  add(cause: StatusCause): void {
    this.count++;
    if (this.causes.length < MAX_KEPT) this.causes.push(cause);
  }

  addAll(causes: Iterable<StatusCause>): void {
    for (const cause of causes) this.add(cause);
  }
}
