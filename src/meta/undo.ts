/**
 * Undoes what the call that returned it has set up: `undo()`, or `using undo = …`. Calling it again does nothing. This is
 * the one shape of every call that registers something and can take it back at once; what has to be awaited has a method
 * of its own, as `Subscription.remove()`.
 */
export type Undo = (() => void) & Disposable;

/** Makes an {@link Undo} of a function, which is called at most once. */
export function undoOnce(undo: () => void): Undo {
  let done = false;
  const once = (): void => {
    if (done) return;
    done = true;
    undo();
  };
  return Object.assign(once, { [Symbol.dispose]: once });
}
