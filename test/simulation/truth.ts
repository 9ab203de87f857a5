import type { Tier } from './plan.js';

/** One state of an object on the server. */
export interface State {
  readonly key: string;
  readonly uid: string;
  /** In ms since 1970. */
  readonly createdAt: number;
  readonly version: number;
  readonly tier: Tier;
  readonly value: string;
}

/** Whether an informer selects an object in this state. */
export type Sees = (state: State) => boolean;

/**
 * The history of the server, recorded by the code that writes to it. Caches and handlers are compared with it.
 */
export class Truth {
  /** The states of each object in order; undefined stands for a deletion. */
  readonly #lives = new Map<string, (State | undefined)[]>();
  /** Every write, in the order of the server. */
  readonly states: State[] = [];

  wrote(state: State): void {
    this.#life(state.key).push(state);
    this.states.push(state);
  }

  deleted(key: string): void {
    this.#life(key).push(undefined);
  }

  /** The current state; undefined if the object does not exist. */
  current(key: string): State | undefined {
    return this.#lives.get(key)?.at(-1);
  }

  /** Keys and versions of the current objects that `sees` selects. */
  collection(sees: Sees): Map<string, number> {
    const found = new Map<string, number>();
    for (const [key, life] of this.#lives) {
      const state = life.at(-1);
      if (state !== undefined && sees(state)) found.set(key, state.version);
    }
    return found;
  }

  /** The state with this version; undefined if there never was one. */
  at(key: string, version: number): State | undefined {
    return this.#lives.get(key)?.find((state) => state?.version === version);
  }

  /** Whether the object was deleted, or left the selection, after this version. */
  wentAfter(key: string, version: number, sees: Sees): boolean {
    const life = this.#lives.get(key) ?? [];
    const at = life.findIndex((state) => state?.version === version);
    return life.slice(at + 1).some((state) => state === undefined || !sees(state));
  }

  #life(key: string): (State | undefined)[] {
    let life = this.#lives.get(key);
    if (life === undefined) {
      life = [];
      this.#lives.set(key, life);
    }
    return life;
  }
}
