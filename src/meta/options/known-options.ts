import type { Abortable } from '../objects.js';
import { nearNames } from './nearest-names.js';
import { optionError } from './validate.js';

/**
 * The names of all options of `O`, or of all members of a union. Adding an option to the type without its name here is a
 * compile error.
 */
export type OptionNames<O> = { readonly [K in O extends unknown ? keyof O : never]: true };

export const abortableNames: OptionNames<Abortable> = { signal: true };

/**
 * Throws a TypeError for an unknown option and suggests similar names: in plain JavaScript a misspelt selector would
 * otherwise select everything. An option with the value undefined is checked as well.
 *
 * @param call - the name of the call in errors: `deleteCollection`, `new Client`
 */
export function checkOptions<O extends object>(call: string, options: O, names: OptionNames<NoInfer<O>>): O {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw optionError(`the options of ${call}`, 'an object', options);
  }
  for (const name in options) {
    if (!Object.hasOwn(names, name)) throw unknownOption(call, name, Object.keys(names));
  }
  return options;
}

/** The options in `names`, for passing on to a call that takes fewer. */
export function pickOptions<O extends object>(options: O, names: OptionNames<O>): O {
  return Object.fromEntries(Object.entries(options).filter(([name]) => Object.hasOwn(names, name))) as O;
}

function unknownOption(call: string, name: string, names: readonly string[]): TypeError {
  const meant = suggestions(name, names).map((one) => `'${one}'`);
  const hint = meant.length === 0 ? '' : `; did you mean ${meant.join(' or ')}?`;
  return new TypeError(
    `${call} has no option ${JSON.stringify(name)}${hint || '.'} Its options are ${[...names].sort().join(', ')}`,
  );
}

/** Similar names or, without any, names that contain the word or are contained in it: `labelSelector` for `selector`. */
function suggestions(name: string, names: readonly string[]): string[] {
  const near = nearNames(name, names);
  if (near.length > 0) return near;
  const word = name.toLowerCase();
  return names.filter((one) => word.includes(one.toLowerCase()) || one.toLowerCase().includes(word)).slice(0, 3);
}
