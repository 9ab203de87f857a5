/**
 * Collects garbage until these objects are gone, or gives up; returns how many are left.
 *
 * @param settle lets everything happen that is due now
 */
export async function survivors(refs: readonly WeakRef<object>[], settle: () => Promise<unknown>): Promise<number> {
  for (let round = 0; round < 20; round++) {
    // A WeakRef that was dereferenced keeps its target until the turn ends.
    await settle();
    globalThis.gc?.();
    if (refs.every((ref) => ref.deref() === undefined)) return 0;
  }
  return refs.filter((ref) => ref.deref() !== undefined).length;
}
