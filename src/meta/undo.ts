/**
 * Undoes the registration of the call that returned it: `undo()`, or `using undo = …`. Calling it again does nothing. Every
 * call whose registration can be undone synchronously returns this; one that must be awaited has a method of its own, as
 * `Subscription.remove()`.
 */
export type Undo = (() => void) & Disposable;

/** Makes an {@link Undo} that calls the function at most once. */
export function undoOnce(undo: () => void): Undo {
  let done = false;
  const once = (): void => {
    if (done) return;
    done = true;
    undo();
  };
  return Object.assign(once, { [Symbol.dispose]: once });
}
