/**
 * One step of a path, as fieldsV1 writes it: `f:NAME` is a field or the key of a map, `k:{"name":"web"}` an item of a list by its
 * keys, `v:"a"` an item of a set by its value, `i:0` an item by its index.
 */
export type PathElement = string;

/** The element of a field of an object, or of an entry of a map. */
export function fieldElement(name: string): PathElement {
  return `f:${name}`;
}

/** The element of a list's item by its keys. */
export function keyElement(keys: readonly (readonly [name: string, value: unknown])[]): PathElement {
  const sorted = keys.length < 2 ? keys : [...keys].sort(([a], [b]) => compareText(a, b));
  return `k:{${sorted.map(([name, value]) => `${goJson(name)}:${goJson(value)}`).join(',')}}`;
}

/** The element of a set's item. */
export function valueElement(value: unknown): PathElement {
  return `v:${goJson(value)}`;
}

function goJson(value: unknown): string {
  const text = JSON.stringify(value);
  return typeof value === 'string' ? escapeHtml(text) : text;
}

/** A JSON text as Go's encoder writes it, with the characters of HTML and two line separators escaped. */
export function escapeHtml(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * The element that a text of a client means, in its one valid notation. Undefined: a kind of element of a newer Kubernetes,
 * to be ignored. Throws if it cannot be read.
 */
export function readElement(text: string): PathElement | undefined {
  if (text[1] !== ':') throw new Error(`missing colon: ${text}`);
  const rest = text.slice(2);
  switch (text[0]) {
    case 'f':
      return text;
    case 'k':
      return keyElement(Object.entries(JSON.parse(rest) as object));
    case 'v':
      return valueElement(JSON.parse(rest));
    case 'i':
      if (!/^[+-]?\d+$/.test(rest)) throw new Error(`strconv.Atoi: parsing ${JSON.stringify(rest)}: invalid syntax`);
      return `i:${Number(rest)}`;
    default:
      return undefined;
  }
}

const RANKS: Readonly<Record<string, number>> = { '.': 0, f: 1, k: 2, v: 3, i: 4 };

/** The order of elements in fieldsV1: the node itself (`.`), fields, keys, values, indexes. */
export function compareElements(a: PathElement, b: PathElement): number {
  // Most elements are fields.
  if (a[0] === 'f' && b[0] === 'f') return compareText(a, b);
  return compareSortKeys(sortKeyOf(a), sortKeyOf(b));
}

/** An element in a form that is compared faster. */
export interface SortKey {
  readonly rank: number;
  readonly value: unknown;
}

export function sortKeyOf(element: PathElement): SortKey {
  const rank = RANKS[element[0]!]!;
  const rest = element.slice(2);
  return { rank, value: rank === 1 ? rest : rank === 0 ? null : JSON.parse(rest) };
}

export function compareSortKeys(a: SortKey, b: SortKey): number {
  return a.rank - b.rank || compareValues(a.value, b.value);
}

function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Numbers come before texts, texts before booleans, lists before maps; maps are compared as lists of their entries. */
function compareValues(a: unknown, b: unknown): number {
  const kind = valueRank(a);
  if (kind !== valueRank(b)) return kind - valueRank(b);
  if (typeof a === 'string') return compareText(a, b as string);
  if (typeof a !== 'object') return Number(a) - Number(b);
  if (a === null) return 0;
  const [left, right] = [Object.entries(a), Object.entries(b as object)];
  for (const [at, [name, value]] of left.entries()) {
    const other = right[at];
    if (other === undefined) return 1;
    const order = (Array.isArray(a) ? 0 : compareText(name, other[0])) || compareValues(value, other[1]);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function valueRank(value: unknown): number {
  if (value === null) return 5;
  if (Array.isArray(value)) return 3;
  return { number: 0, string: 1, boolean: 2, object: 4 }[typeof value as string] ?? 6;
}

/** An element as messages show it: `.spec`, `[name="web"]`, `[="a"]`, `[0]`. */
export function printElement(element: PathElement): string {
  const rest = element.slice(2);
  switch (element[0]) {
    case 'f':
      return `.${rest}`;
    case 'k': {
      const keys = Object.entries(JSON.parse(rest) as object);
      return `[${keys.map(([name, value]) => `${name}=${printValue(value)}`).join(',')}]`;
    }
    case 'v':
      return `[=${printValue(JSON.parse(rest))}]`;
    default:
      return `[${rest}]`;
  }
}

function printValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(printValue).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return Object.entries(value)
    .map(([name, item]) => `${name}=${printValue(item)}`)
    .join('');
}
