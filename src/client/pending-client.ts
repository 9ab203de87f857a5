/** Members that promises have, or that are read from any object. */
const ofPromise: ReadonlySet<PropertyKey> = new Set(['constructor', 'then', 'catch', 'finally']);

/**
 * Adds getters to a promise that throw a TypeError about a missing `await`. Without them `client.core.v1` on the promise
 * fails with "Cannot read properties of undefined".
 *
 * @param call the call that returned the promise, for the message: `Client.fromDefault()`
 * @param members the members of the client
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
