import type { DeepReadonly } from '../../meta/objects.js';
import { requireOneOf } from '../../meta/validate.js';
import type { Clock, Timer } from '../../time/clock.js';
import type { ItemView } from '../store/item-view.js';

/**
 * `off`; `check`: compare what was handed out with what was stored, now and then, and report a difference; `freeze`: make
 * what is handed out throw when it is changed, which shows the line that does it.
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
/** What was handed out is watched for one to two of these. */
const generationMs = 120_000;

interface HandedOut<I, T> {
  readonly item: I;
  readonly object: DeepReadonly<T>;
  /** Once is enough. */
  reported: boolean;
}

/**
 * Finds those who change objects of a cache, which everybody shares. For tests and for hunting: it keeps everything that was
 * handed out for minutes and decodes it again and again.
 */
export class MutationDetector<I, T> {
  /** Looks at items as the view it was made from, and remembers what it hands out. */
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

  /** A detector, or undefined where none is wanted. */
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

  /** Compares objects that a handler was handed, right after its call: so that a change has a name beside it. */
  inspect(objects: readonly unknown[], handler: string): void {
    for (const object of objects) {
      const record = typeof object === 'object' && object !== null ? this.#records.get(object) : undefined;
      if (record !== undefined) this.#compare(record, ` (found after a call of the handler ${handler})`);
    }
  }

  /** Compares everything that was handed out lately; called by itself every second. */
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
    // An object that is stored as such is its own original: a copy of it has to stand in.
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
        `the cached object ${key} was changed at ${path || 'its root'}${whence}: what a cache hands out is everybody's; change a mutableCopy() of it`,
      ),
    );
  }
}

function modeOf(text: string | undefined): MutationDetectorMode {
  if (text === '1' || text === 'true' || text === 'check') return 'check';
  return text === 'freeze' ? 'freeze' : 'off';
}

/** A copy that stays as it is; undefined of what cannot be copied, as a function or a tree deeper than the stack. */
function snapshot<I, T>(view: ItemView<I, T>, item: I): I | undefined {
  let copy: object;
  try {
    copy = structuredClone(view.decode(item)) as object;
  } catch {
    return undefined;
  }
  return Object.assign(Object.create(Object.getPrototypeOf(item) as object), item, { object: copy }) as I;
}

// Neither of these is recursive: an object may be nested deeper than the stack is.

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

/** Where two JSON trees differ first, as a path; undefined if they do not. */
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
