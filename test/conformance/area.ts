import type { Api } from './api.js';
import type { Need } from './target.js';

/** Options of a case. */
export interface CaseOptions {
  /** Needs of the case; a target without one of them skips it. */
  readonly needs?: readonly Need[] | undefined;
  /**
   * Runs while no other case runs: for cases that disturb the whole server.
   *
   * @default false
   */
  readonly alone?: boolean | undefined;
}

/** One rule of the API and the code that checks it. */
export interface Case extends CaseOptions {
  /** Names the rule, unique in its area. */
  readonly title: string;
  readonly check: (api: Api) => Promise<void>;
}

/** A part of the API and its rules; a target can leave it out. */
export interface Area {
  readonly name: string;
  readonly cases: readonly Case[];
}

/** Adds a rule to an area. */
export type Rule = (title: string, check: (api: Api) => Promise<void>, options?: CaseOptions) => void;

/**
 * Declares an area.
 *
 * A case creates its own namespace or unique names, so that neither the order nor an earlier run on the server matters.
 *
 * @example
 * export const area: Area = defineArea('get', (rule) => {
 *   rule('an object that does not exist is NotFound', async (api) => { … });
 * });
 */
export function defineArea(name: string, declare: (rule: Rule) => void): Area {
  const cases = new Map<string, Case>();
  declare((title, check, options) => {
    if (cases.has(title)) throw new TypeError(`area ${name} has two cases called "${title}"`);
    cases.set(title, { title, check, ...options });
  });
  return { name, cases: [...cases.values()] };
}
