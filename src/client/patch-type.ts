import { optionError, requireOneOf } from '../meta/validate.js';
import type { PatchType } from '../rest/request/request.js';
import type { PatchOptions } from './options.js';

/** How a patch is meant: an array is a JSON patch, an object a merge patch unless the options say strategic. */
export function patchTypeOf(patch: unknown, options: PatchOptions): PatchType {
  if (Array.isArray(patch)) return 'json';
  if (typeof patch !== 'object' || patch === null) throw optionError('patch', 'an object or an array', patch);
  return requireOneOf('type', options.type ?? 'merge', ['merge', 'strategic']);
}
