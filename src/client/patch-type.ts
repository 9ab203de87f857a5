import { optionError, requireOneOf } from '../meta/options/validate.js';
import type { PatchType } from '../rest/request/request.js';
import type { PatchOptions } from './options.js';

/** The type of a patch: `json` for an array, else `type` of the options. */
export function patchTypeOf(patch: unknown, options: PatchOptions): PatchType {
  if (Array.isArray(patch)) return 'json';
  if (typeof patch !== 'object' || patch === null) throw optionError('patch', 'an object or an array', patch);
  return requireOneOf('type', options.type ?? 'merge', ['merge', 'strategic']);
}
