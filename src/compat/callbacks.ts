import { ADD, CHANGE, CONNECT, DELETE, ERROR, type ErrorCallback, type ObjectCallback, UPDATE } from './informer.js';

// biome-ignore lint/suspicious/noExplicitAny: one list holds callbacks of objects and of errors
type Callback = (value?: any) => unknown;
type Verb = ADD | UPDATE | DELETE | ERROR | CONNECT;

/**
 * The callbacks of an informer by verb. If a callback throws or rejects, the `error` callbacks get that error, and the other
 * callbacks are called nevertheless. Promises are not awaited.
 */
export class Callbacks<T> {
  readonly #byVerb = new Map<string, Callback[]>([ADD, UPDATE, DELETE, ERROR, CONNECT].map((verb) => [verb, []]));

  on(verb: string, callback: ObjectCallback<T> | ErrorCallback): void {
    for (const list of this.#listsOf(verb)) list.push(callback);
  }

  off(verb: string, callback: ObjectCallback<T> | ErrorCallback): void {
    for (const list of this.#listsOf(verb)) {
      const at = list.indexOf(callback);
      if (at >= 0) list.splice(at, 1);
    }
  }

  call(verb: ADD | UPDATE | DELETE, object: T): void {
    this.#call(verb, object, (error) => this.fail(error));
  }

  connected(): void {
    this.#call(CONNECT, undefined, (error) => this.fail(error));
  }

  /** Calls the `error` callbacks; without one the error becomes a process warning. */
  fail(error: unknown): void {
    if (this.#byVerb.get(ERROR)?.length === 0) warn(error);
    else this.#call(ERROR, error, warn);
  }

  #listsOf(verb: string): readonly Callback[][] {
    if (verb === CHANGE) return [ADD, UPDATE, DELETE].flatMap((each) => this.#listsOf(each));
    const list = this.#byVerb.get(verb);
    if (list === undefined) throw new Error(`Unknown verb: ${verb}`);
    return [list];
  }

  #call(verb: Verb, value: unknown, onFailure: (error: unknown) => void): void {
    // A copy: callbacks that a callback adds or removes take effect with the next call.
    for (const callback of [...(this.#byVerb.get(verb) ?? [])]) {
      try {
        const result = callback(value);
        if (result instanceof Promise) result.catch(onFailure);
      } catch (error) {
        onFailure(error);
      }
    }
  }
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error), 'KubeflectInformerWarning');
}
