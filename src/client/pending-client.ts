/** Names that a promise itself answers to, or that are asked of any object. */
const ofPromise: ReadonlySet<PropertyKey> = new Set(['constructor', 'then', 'catch', 'finally']);

/**
 * A promise that says so when it is taken for the client it will bring: without this, `client.core.v1` of a forgotten `await`
 * fails with "Cannot read properties of undefined".
 *
 * @param call what was called, for the message: `Client.fromDefault()`
 * @param members the names of the client
 */
export function pendingClient<C>(call: string, promise: Promise<C>, members: Iterable<PropertyKey>): Promise<C> {
  for (const member of members) {
    if (ofPromise.has(member)) continue;
    Reflect.defineProperty(promise, member, {
      configurable: true,
      get() {
        throw new TypeError(
          `${call} is a promise of a client, and ${String(member)} was asked of the promise: write await ${call}`,
        );
      },
    });
  }
  return promise;
}
