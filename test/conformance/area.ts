import type { Api } from './api.js';
import type { Need } from './target.js';

/** How a case wants to be run. */
export interface CaseOptions {
  /** What the target must offer; otherwise the case is left out with that reason. */
  readonly needs?: readonly Need[] | undefined;
  /**
   * Runs while no other case runs: for those that disturb the whole server.
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

/** A noun of the API and its rules; also the unit that a target can leave out. */
export interface Area {
  readonly name: string;
  readonly cases: readonly Case[];
}

/** Adds a rule to an area. */
export type Rule = (title: string, check: (api: Api) => Promise<void>, options?: CaseOptions) => void;

/**
 * Declares an area.
 *
 * A case makes its own namespace or unique names, so that neither the order nor an earlier run on the same server matters.
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
