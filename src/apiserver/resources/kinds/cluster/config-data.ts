import { ITEMS_PER_STEP } from '../../causes.js';

type Data = Readonly<Record<string, string>> | undefined;

/** Whether two maps of a ConfigMap or Secret have the same entries; yields between steps. */
export function* isSame(data: Data = {}, old: Data = {}): Generator<undefined, boolean, void> {
  const keys = Object.keys(data);
  if (keys.length !== Object.keys(old).length) return false;
  for (const [at, key] of keys.entries()) {
    if (!Object.hasOwn(old, key) || data[key] !== old[key]) return false;
    if (at % ITEMS_PER_STEP === ITEMS_PER_STEP - 1) yield undefined;
  }
  return true;
}

/** The number of bytes that a base64 text stands for. */
export function base64Bytes(text: string): number {
  // A null value of a patch.
  if (text === null) return 0;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  return Math.floor((text.length * 3) / 4) - padding;
}
