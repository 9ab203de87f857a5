import {
  CelError,
  type CelList,
  elementsOf,
  isList,
  isMap,
  isOpaque,
  Optional,
  sizeOf,
  type Value,
} from '../eval/values.js';
import { NamedFormat } from '../functions/named-formats.js';

const perCharacter = 0.1;
const perPatternCharacter = 0.25;
const listCreation = 10;
/** What a question to the authorizer costs. */
const ACCESS_CHECK = 350_000;

/** What a call costs, by the sizes of its arguments: the numbers are those of kube-apiserver. */
export type CallCost = (args: readonly Value[]) => number;

const one: CallCost = () => 1;

/** The size of a value; an optional counts as what is in it. */
function size(value: Value | undefined): number {
  if (value instanceof Optional) return value.value === undefined ? 1 : size(value.value);
  return value === undefined || value instanceof CelError ? 1 : sizeOf(value);
}

/** The cost of reading the first argument once. */
const traversal: CallCost = ([text]) => Math.ceil(size(text) * perCharacter);
const twoTraversals: CallCost = ([text]) => Math.ceil(size(text) * 2 * perCharacter);

const bothSides: CallCost = ([left, right]) => Math.ceil(Math.min(size(left), size(right)) * perCharacter);
const joined: CallCost = ([left, right]) => Math.ceil((size(left) + size(right)) * perCharacter);

const matching: CallCost = ([text, pattern]) =>
  Math.ceil((1 + size(text)) * perCharacter) * Math.ceil(size(pattern) * perPatternCharacter);

/** The cost of reading all elements, and all that they contain. */
function treeCost(value: Value): number {
  if (typeof value === 'string') return Math.floor(Buffer.byteLength(value) * perCharacter);
  if (value instanceof Uint8Array) return Math.floor(value.length * perCharacter);
  if (isList(value)) {
    let cost = 0;
    for (const element of elementsOf(value)) cost += treeCost(element);
    return cost;
  }
  if (!isMap(value)) return 1;
  return value.keys().reduce<number>((cost, key) => cost + treeCost(key) + treeCost(value.find(key) as Value), 0);
}

const listTraversal: CallCost = ([list]) => (list === undefined ? 0 : treeCost(list));

function joinedSize(list: Value | undefined, separator: Value | undefined): number {
  if (list === undefined || !isList(list)) return 1;
  let total = separator === undefined ? 0 : Math.max(0, list.listSize - 1) * size(separator);
  for (const element of elementsOf(list)) total += size(element);
  return total;
}

function selfCompare(list: Value | undefined): number {
  if (list === undefined || !isList(list)) return 1;
  const count = list.listSize;
  const first = count === 0 ? undefined : (list as CelList).at(0);
  const factor = typeof first === 'string' || first instanceof Uint8Array ? 2 + perCharacter : 2;
  return Math.floor(count * count * factor) + 1 + listCreation;
}

function sets(factor: number): CallCost {
  return ([left, right]) => 1 + Math.floor(size(left) * size(right) * factor);
}

const byFunction: ReadonlyMap<string, CallCost> = new Map<string, CallCost>([
  ...['isSorted', 'sum', 'max', 'min', 'indexOf', 'lastIndexOf'].map((name) => [name, listTraversal] as const),
  ...[
    'url',
    'lowerAscii',
    'upperAscii',
    'substring',
    'trim',
    'cidr',
    'isIP',
    'isCIDR',
    'quantity',
    'isQuantity',
    'semver',
    'isSemver',
  ].map((name) => [name, traversal] as const),
  ...['replace', 'split', 'ip.isCanonical'].map((name) => [name, twoTraversals] as const),
  ...['find', 'findAll'].map((name) => [name, matching] as const),
  ['check', () => ACCESS_CHECK],
  ['join', ([list, separator]) => Math.ceil(joinedSize(list, separator) * 2 * perCharacter)],
  [
    'validate',
    ([format, text]) =>
      format instanceof NamedFormat
        ? Math.ceil((1 + size(text)) * perCharacter) * Math.ceil(format.patternSize * perPatternCharacter)
        : 1,
  ],
]);

const slice: CallCost = ([list, start, end]) => {
  const isValid = Number(start) >= 0 && Number(end) >= Number(start) && Number(end) <= size(list);
  return (isValid ? Number(end) - Number(start) : 1) + 1 + listCreation;
};

/** Costs that need to know which overload a call is: not if arguments are dyn. */
const byOverload: ReadonlyMap<string, CallCost> = new Map<string, CallCost>([
  ...[
    '.startsWith(string,string)',
    '.endsWith(string,string)',
    'bytes(string)',
    'string(bytes)',
    'strings.quote(string)',
    '.format(string,list(dyn))',
  ].map((id) => [id, traversal] as const),
  ['@in(A,list(A))', ([, list]) => size(list)],
  ...['_<_', '_<=_', '_>_', '_>=_'].flatMap((name) => [
    [`${name}(string,string)`, bothSides] as const,
    [`${name}(bytes,bytes)`, bothSides] as const,
  ]),
  ['_+_(string,string)', joined],
  ['_+_(bytes,bytes)', joined],
  ['.matches(string,string)', matching],
  [
    '.contains(string,string)',
    ([text, part]) => Math.ceil(size(text) * perCharacter) * Math.ceil(size(part) * perCharacter),
  ],
  ['.slice(list(T),int,int)', slice],
  ['lists.range(int)', ([count]) => Math.max(0, Number(count)) + 1 + listCreation],
  ['.reverse(list(T))', ([list]) => size(list) + 1 + listCreation],
  ['.flatten(list(list(T)))', ([list]) => size(list) + 1 + listCreation],
  // Costs have 64 bits in Go, which makes 2⁶³ of larger ones.
  ['.flatten(list(dyn),int)', ([list, depth]) => Math.min(size(list) * Number(depth), 2 ** 63) + 1 + listCreation],
  ['.distinct(list(T))', ([list]) => selfCompare(list)],
  ['sets.contains(list(T),list(T))', sets(1)],
  ['sets.intersects(list(T),list(T))', sets(1)],
  ['sets.equivalent(list(T),list(T))', sets(2)],
  ['ip(string)', traversal],
  [
    '.containsIP(cidr,string)',
    ([cidr, ip]) => Math.ceil(2 * size(cidr) * perCharacter) + Math.ceil(size(ip) * perCharacter),
  ],
  ['.containsIP(cidr,ip)', ([cidr]) => Math.ceil(2 * size(cidr) * perCharacter)],
  ['.containsCIDR(cidr,string)', ([cidr, other]) => cidrInCidr(cidr) + Math.ceil(size(other) * perCharacter)],
  ['.containsCIDR(cidr,cidr)', ([cidr]) => cidrInCidr(cidr)],
]);

function cidrInCidr(cidr: Value | undefined): number {
  return Math.ceil(2 * size(cidr) * perCharacter) + Math.ceil(size(cidr) * perCharacter) + 1;
}

/** The cost of `==` and `!=`. */
export const equalityCost: CallCost = (args) => {
  const [left] = args;
  return left !== undefined && isOpaque(left) ? 1 : bothSides(args);
};

/** The cost of calls of a function. `overloads` are those that fit its arguments. */
export function callCostOf(name: string, overloads: readonly string[]): CallCost {
  const known = byFunction.get(name);
  if (known !== undefined) return known;
  const [id] = overloads;
  if (id === undefined || overloads.length > 1) return one;
  if (id.startsWith('.sort(')) return ([list]) => selfCompare(list);
  if (id.startsWith('.@sortByAssociatedKeys(')) return ([, keys]) => selfCompare(keys);
  return byOverload.get(id) ?? one;
}
