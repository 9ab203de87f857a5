import type { Tier } from './plan.js';

/** One state of an object on the server. */
export interface State {
  readonly key: string;
  readonly uid: string;
  readonly version: number;
  readonly tier: Tier;
  readonly value: string;
}

/** Which part of the collection somebody sees. */
export type Sees = (state: State) => boolean;

/**
 * What really happened on the server, written down by whoever made it happen: what caches and handlers are measured by.
 */
export class Truth {
  /** By key: its states in order; undefined where it was deleted. */
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

  /** What is there now. */
  current(key: string): State | undefined {
    return this.#lives.get(key)?.at(-1);
  }

  /** Key and version of all that is there and seen. */
  collection(sees: Sees): Map<string, number> {
    const found = new Map<string, number>();
    for (const [key, life] of this.#lives) {
      const state = life.at(-1);
      if (state !== undefined && sees(state)) found.set(key, state.version);
    }
    return found;
  }

  /** The state of this version, if there ever was one. */
  at(key: string, version: number): State | undefined {
    return this.#lives.get(key)?.find((state) => state?.version === version);
  }

  /** Whether the object went, or went out of sight, at some time after this version. */
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
