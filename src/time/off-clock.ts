const inProgress = new Set<Promise<unknown>>();

/**
 * Marks work of this package that takes real time although no clock tracks it, as a module that is loaded: virtual time does not
 * pass before it has ended. Otherwise a test would depend on how fast the disk is.
 */
export function offClock<T>(work: Promise<T>): Promise<T> {
  inProgress.add(work);
  const end = (): void => void inProgress.delete(work);
  work.then(end, end);
  return work;
}

/** Waits for the work that is in progress; undefined if there is none. */
export function offClockWork(): Promise<unknown> | undefined {
  return inProgress.size === 0 ? undefined : Promise.allSettled(inProgress);
}
