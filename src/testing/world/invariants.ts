import { requireFunction, requireObject } from '../../meta/options/validate.js';
import { messageOf } from '../../rest/http/request-errors.js';
import type { World, WorldOptions } from './types.js';

/** Why a world has failed: an invariant does not hold, or an actor has rejected. */
export class WorldFailure extends Error {
  constructor(what: string, found: unknown) {
    super(`${what}: ${messageOf(found)}`, found instanceof Error ? { cause: found } : {});
  }
}

/** What must hold in a world at any time. */
export class Invariants {
  readonly #invariants: readonly (readonly [name: string, check: (world: World) => string | void])[];

  constructor(invariants: WorldOptions['invariants'] = {}) {
    this.#invariants = Object.entries(invariants);
  }

  /** The first one that does not hold; undefined if all do. */
  violated(world: World): WorldFailure | undefined {
    for (const [name, check] of this.#invariants) {
      try {
        const found = check(world);
        if (typeof found === 'string') return violation(name, found);
      } catch (error) {
        return violation(name, error);
      }
    }
    return undefined;
  }
}

/** Checks an option that is a record of functions. */
export function requireFunctions(option: string, functions: Readonly<Record<string, unknown>> = {}): void {
  requireObject(option, functions, 'an object with functions');
  for (const [name, value] of Object.entries(functions)) requireFunction(`${option}[${JSON.stringify(name)}]`, value);
}

function violation(name: string, found: unknown): WorldFailure {
  return new WorldFailure(`the invariant ${JSON.stringify(name)} does not hold`, found);
}
