import type { DeepReadonly } from '../../meta/objects.js';
import { requireOneOf } from '../../meta/options/validate.js';
import type { Clock, Timer } from '../../time/clock.js';
import type { ItemView } from '../store/item-view.js';

/**
 * `check` compares objects that were returned with those that were stored, every second, and reports a difference; `freeze`
 * freezes returned objects, so that the line that changes one throws; `off` does nothing.
 */
export type MutationDetectorMode = 'off' | 'check' | 'freeze';

/** Options of a {@link MutationDetector}. */
export interface MutationDetectorOptions {
  /** @default KUBEFLECT_MUTATION_DETECTOR: `1` or `check`, `freeze`, anything else is off */
  readonly mode?: MutationDetectorMode | undefined;
  readonly clock: Clock;
  readonly onMutation: (error: Error) => void;
}

const checkEveryMs = 1_000;
/** A returned object is compared for one to two of these. */
const generationMs = 120_000;

interface HandedOut<I, T> {
  readonly item: I;
  readonly object: DeepReadonly<T>;
  /** A difference is reported once. */
  reported: boolean;
}

/**
 * Finds code that changes objects of a cache, which all readers share. For tests and debugging: it keeps every returned
 * object for minutes and decodes it again every second.
 */
export class MutationDetector<I, T> {
  /** The view it was made with; remembers the objects that `decode` returns. */
  readonly view: ItemView<I, T>;
  readonly #mode: MutationDetectorMode;
  readonly #inner: ItemView<I, T>;
  readonly #options: MutationDetectorOptions;
  #young: HandedOut<I, T>[] = [];
  #old: HandedOut<I, T>[] = [];
  readonly #records = new WeakMap<object, HandedOut<I, T>>();
  #generationSince: number;
  #timer: Timer | undefined;
  #stopped = false;

  /** Returns undefined if the mode is `off`. */
  static create<I, T>(view: ItemView<I, T>, options: MutationDetectorOptions): MutationDetector<I, T> | undefined {
    const mode = options.mode ?? modeOf(process.env['KUBEFLECT_MUTATION_DETECTOR']);
    requireOneOf('mutationDetector', mode, ['off', 'check', 'freeze']);
    return mode === 'off' ? undefined : new MutationDetector(view, mode, options);
  }

  private constructor(view: ItemView<I, T>, mode: MutationDetectorMode, options: MutationDetectorOptions) {
    this.#inner = view;
    this.#mode = mode;
    this.#options = options;
    this.#generationSince = options.clock.monotonicNow();
    this.view = { ...view, decode: (item) => this.#handOut(item) };
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
    this.#young = [];
    this.#old = [];
  }

  /** Compares the objects that a handler was called with, right after the call, so that the report names the handler. */
  inspect(objects: readonly unknown[], handler: string): void {
    for (const object of objects) {
      const record = typeof object === 'object' && object !== null ? this.#records.get(object) : undefined;
      if (record !== undefined) this.#compare(record, ` (found after a call of the handler ${handler})`);
    }
  }

  /** Compares the objects that were returned in the last minutes; a timer calls it every second. */
  check(): void {
    for (const generation of [this.#young, this.#old]) for (const each of generation) this.#compare(each, '');
    this.#young = this.#young.filter(({ reported }) => !reported);
    this.#old = this.#old.filter(({ reported }) => !reported);
    const now = this.#options.clock.monotonicNow();
    if (now - this.#generationSince < generationMs) return;
    this.#generationSince = now;
    this.#old = this.#young;
    this.#young = [];
  }

  #handOut(item: I): DeepReadonly<T> {
    const object = this.#inner.decode(item);
    if (this.#mode === 'freeze') return deepFreeze(object);
    if (this.#stopped) return object;
    // A cache of objects returns what it stores: compare with a copy.
    const original = this.#inner.decodedSlot(item) === undefined ? snapshot(this.#inner, item) : item;
    if (original === undefined) return object;
    const record = { item: original, object, reported: false };
    this.#young.push(record);
    if (typeof object === 'object' && object !== null) this.#records.set(object, record);
    if (this.#timer === undefined) this.#arm();
    return object;
  }

  #arm(): void {
    const { clock } = this.#options;
    this.#timer = clock.setTimer(
      checkEveryMs,
      () => {
        this.check();
        if (this.#young.length + this.#old.length > 0) this.#arm();
        else this.#timer = undefined;
      },
      { keepAlive: false },
    );
  }

  #compare(record: HandedOut<I, T>, whence: string): void {
    if (record.reported) return;
    const path = difference(this.#inner.decode(record.item), record.object);
    if (path === undefined) return;
    record.reported = true;
    const key = this.#inner.accessor.key(record.item);
    this.#options.onMutation(
      new Error(
        `the cached object ${key} was changed at ${path || 'its root'}${whence}: all readers share the objects of a cache; change a mutableCopy() instead`,
      ),
    );
  }
}

function modeOf(text: string | undefined): MutationDetectorMode {
  if (text === '1' || text === 'true' || text === 'check') return 'check';
  return text === 'freeze' ? 'freeze' : 'off';
}

/** An item with a copy of the object; undefined if it cannot be copied: a function, or nested deeper than the stack. */
function snapshot<I, T>(view: ItemView<I, T>, item: I): I | undefined {
  let copy: object;
  try {
    copy = structuredClone(view.decode(item)) as object;
  } catch {
    return undefined;
  }
  return Object.assign(Object.create(Object.getPrototypeOf(item) as object), item, { object: copy }) as I;
}

// Loops instead of recursion: an object may be nested deeper than the stack allows.

function deepFreeze<V>(value: V): V {
  const unfinished: unknown[] = [value];
  while (unfinished.length > 0) {
    const next = unfinished.pop();
    if (typeof next !== 'object' || next === null || Object.isFrozen(next)) continue;
    Object.freeze(next);
    for (const field of Object.values(next)) unfinished.push(field);
  }
  return value;
}

interface Pair {
  readonly a: unknown;
  readonly b: unknown;
  readonly path: string;
}

/** The path of the first difference between two JSON trees; undefined if there is none. */
function difference(first: unknown, second: unknown): string | undefined {
  const unfinished: Pair[] = [{ a: first, b: second, path: '' }];
  for (let pair = unfinished.pop(); pair !== undefined; pair = unfinished.pop()) {
    const { a, b, path } = pair;
    if (Object.is(a, b)) continue;
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return path;
    if (Array.isArray(a) !== Array.isArray(b)) return path;
    const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
    for (const name of names.reverse()) {
      const at = Array.isArray(a) ? `${path}[${name}]` : `${path}.${name}`;
      const isMissing = !Object.hasOwn(a, name) || !Object.hasOwn(b, name);
      if (isMissing) unfinished.push({ a: null, b: undefined, path: at });
      else unfinished.push({ a: a[name as never], b: b[name as never], path: at });
    }
  }
  return undefined;
}
