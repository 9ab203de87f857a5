import type { Steps } from '../../../time/steps.js';
import { ITEMS_PER_STEP } from '../causes.js';

/** Sets the fields that are missing to their defaults, which must be scalars: objects would be shared. */
export function fill<T extends object>(object: T, defaults: { readonly [K in keyof T]?: T[K] & Scalar }): void {
  for (const field in defaults) object[field] ??= defaults[field]!;
}

type Scalar = string | number | boolean;

/** Fills in each item of a list. A missing list has none. */
export function* fillEach<T>(items: readonly T[] | null | undefined, fillItem: (item: T) => void): Steps<void> {
  if (items === undefined || items === null) return;
  for (let at = 0; at < items.length; at++) {
    fillItem(items[at]!);
    if (at % ITEMS_PER_STEP === ITEMS_PER_STEP - 1) yield;
  }
}

/** Copies the entries that a map does not have from another one. */
export function addMissing(
  map: Record<string, string> | undefined,
  from: Readonly<Record<string, string>>,
): Record<string, string> {
  return { ...from, ...map };
}
