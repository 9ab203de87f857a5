import { isJsonObject, type JsonObject } from '../../meta/json-values.js';
import { isStepDue, type Steps } from '../../time/steps.js';
import {
  compareElements,
  compareSortKeys,
  fieldElement,
  type PathElement,
  readElement,
  sortKeyOf,
} from './path-element.js';

/**
 * A node of a set of fields, in the form of fieldsV1: the elements below it in their order. A node belongs to the set itself if
 * it has the element `.`, or if it has no elements (a leaf). Nodes are never changed, so that sets share them.
 */
export interface Fields {
  readonly [element: PathElement]: Fields;
}

/** A set of fields. Undefined is the empty set: an object without elements would be a leaf. */
export type FieldSet = Fields | undefined;

const SELF = '.';

/** The node of a field that belongs to a set, with nothing below it. */
export const LEAF: Fields = Object.freeze({});

/** Elements with their nodes, while a node is built. */
export type Branches = [PathElement, Fields][];

/** The node of these branches, which are sorted; undefined if it has none and does not belong to the set itself. */
export function* fieldsOf(branches: Branches, isMember: boolean): Steps<FieldSet> {
  if (branches.length === 0) return isMember ? LEAF : undefined;
  yield* sortBranches(branches);
  const node: Record<PathElement, Fields> = isMember ? { [SELF]: LEAF } : {};
  for (const [element, below] of branches) {
    node[element] = below;
    if (isStepDue()) yield;
  }
  if (branches.length > LARGE) large.add(node);
  return node;
}

const CHUNK = 512;

function* sortBranches(branches: Branches): Steps<void> {
  let isSorted = true;
  for (let at = 1; at < branches.length && isSorted; at++) {
    isSorted = compareElements(branches[at - 1]![0], branches[at]![0]) < 0;
    if (isStepDue()) yield;
  }
  if (isSorted) return;
  const byElement = ([a]: Branches[number], [b]: Branches[number]): number => compareElements(a, b);
  if (branches.length <= CHUNK) {
    const keyed = branches.map((branch) => ({ branch, key: sortKeyOf(branch[0]) }));
    keyed.sort((a, b) => compareSortKeys(a.key, b.key));
    for (const [at, { branch }] of keyed.entries()) branches[at] = branch;
    return;
  }
  // A merge sort, because the sort of a large array cannot be interrupted.
  const middle = branches.length >> 1;
  const [left, right] = [branches.slice(0, middle), branches.slice(middle)];
  yield* sortBranches(left);
  yield* sortBranches(right);
  for (let at = 0, l = 0, r = 0; at < branches.length; at++) {
    const takesLeft = r >= right.length || (l < left.length && byElement(left[l]!, right[r]!) <= 0);
    branches[at] = takesLeft ? left[l++]! : right[r++]!;
    if (isStepDue()) yield;
  }
}

/** The set of these paths. */
export function setOfPaths(...paths: readonly (readonly string[])[]): FieldSet {
  const build = (below: readonly (readonly string[])[]): Fields => {
    const names = [...new Set(below.filter((path) => path.length > 0).map(([name]) => name!))].sort();
    if (names.length === 0) return LEAF;
    const children = names.map((name) => {
      const deeper = below.filter(([first]) => first === name).map((path) => path.slice(1));
      return [fieldElement(name), build(deeper)] as const;
    });
    const isMember = below.some((path) => path.length === 0);
    return Object.fromEntries([...(isMember ? [[SELF, LEAF] as const] : []), ...children]);
  };
  return paths.length === 0 ? undefined : build(paths);
}

/** Large nodes: a loop over the names of an object lists all of them before it begins. */
const large = new WeakSet<Fields>();
const LARGE = 1024;

function isLeaf(node: Fields): boolean {
  if (node === LEAF) return true;
  if (node[SELF] !== undefined || large.has(node)) return false;
  for (const _ in node) return false;
  return true;
}

/** Whether a node belongs to the set itself. */
export function isMember(node: Fields): boolean {
  return node[SELF] !== undefined || isLeaf(node);
}

/** The elements below a node. */
export function* branchesOf(node: Fields): Steps<Branches> {
  const branches: Branches = [];
  for (const element in node) {
    if (element !== SELF) branches.push([element, node[element]!]);
    if (isStepDue()) yield;
  }
  return branches;
}

/** The fields of either set. */
export function* union(a: FieldSet, b: FieldSet): Steps<FieldSet> {
  if (a === undefined || a === b) return b;
  if (b === undefined) return a;
  if (isLeaf(b)) return isMember(a) ? a : yield* fieldsOf(yield* branchesOf(a), true);
  if (isLeaf(a)) return yield* union(b, a);
  const changed = new Map<PathElement, Fields>();
  for (const element in b) {
    const [mine, other] = [a[element], b[element]!];
    const together = mine === undefined ? other : yield* union(mine, other);
    if (together !== mine) changed.set(element, together!);
    if (isStepDue()) yield;
  }
  return yield* withChanges(a, changed);
}

/** The fields of `a` that are not in `b`. A node stays if fields below it do. */
export function* difference(a: FieldSet, b: FieldSet): Steps<FieldSet> {
  if (a === undefined || b === undefined) return a;
  if (isLeaf(a)) return isMember(b) ? undefined : a;
  if (isLeaf(b)) return a[SELF] === undefined ? a : yield* fieldsOf(yield* branchesOf(a), false);
  const changed = new Map<PathElement, FieldSet>();
  for (const element in b) {
    const mine = a[element];
    if (mine === undefined) continue;
    const left = element === SELF ? undefined : yield* difference(mine, b[element]);
    if (left !== mine) changed.set(element, left);
    if (isStepDue()) yield;
  }
  return yield* withChanges(a, changed);
}

/** The fields of `a` that are neither in `b` nor below a field of `b`. */
export function* differenceBelow(a: FieldSet, b: FieldSet): Steps<FieldSet> {
  if (a === undefined || b === undefined) return a;
  if (isMember(b)) return undefined;
  if (isLeaf(a)) return a;
  const changed = new Map<PathElement, FieldSet>();
  for (const element in b) {
    const mine = a[element];
    if (mine === undefined) continue;
    const left = yield* differenceBelow(mine, b[element]);
    if (left !== mine) changed.set(element, left);
    if (isStepDue()) yield;
  }
  return yield* withChanges(a, changed);
}

/** The fields that are in both sets. */
export function* intersection(a: FieldSet, b: FieldSet): Steps<FieldSet> {
  if (a === undefined || b === undefined) return undefined;
  const branches: Branches = [];
  for (const element in b) {
    const mine = a[element];
    if (mine === undefined || element === SELF) continue;
    const both = yield* intersection(mine, b[element]);
    if (both !== undefined) branches.push([element, both]);
    if (isStepDue()) yield;
  }
  return yield* fieldsOf(branches, isMember(a) && isMember(b));
}

/** Element names, or `*` for any, with what is kept below them; `all`: everything. */
export interface FieldPattern {
  readonly [element: string]: FieldPattern | 'all';
}

/** The fields that a pattern names. */
export function* matching(set: FieldSet, pattern: FieldPattern): Steps<FieldSet> {
  if (set === undefined) return undefined;
  const branches: Branches = [];
  for (const element in set) {
    const below = pattern[element] ?? pattern['*'];
    if (below === undefined || element === SELF) continue;
    const node = set[element]!;
    if (below === 'all') branches.push([element, node]);
    else {
      const kept = yield* matching(node, below);
      if (kept !== undefined) branches.push([element, kept]);
    }
  }
  return yield* fieldsOf(branches, isMember(set));
}

/** A node with other branches; undefined removes one. */
function* withChanges(node: Fields, changed: ReadonlyMap<PathElement, FieldSet>): Steps<FieldSet> {
  if (changed.size === 0) return node;
  const branches: Branches = [];
  for (const element in node) {
    if (element !== SELF && !changed.has(element)) branches.push([element, node[element]!]);
    if (isStepDue()) yield;
  }
  for (const [element, below] of changed) {
    if (element !== SELF && below !== undefined) branches.push([element, below]);
    if (isStepDue()) yield;
  }
  const self = changed.has(SELF) ? changed.get(SELF) : node[SELF];
  return yield* fieldsOf(branches, self !== undefined);
}

/** Whether a path belongs to a set. */
export function hasPath(set: FieldSet, path: readonly PathElement[]): boolean {
  let node = set;
  for (const element of path) node = node?.[element];
  return path.length > 0 && node !== undefined && isMember(node);
}

/** The paths of a set: at each node first the fields that belong to it, then those below them. */
export function* pathsOf(set: FieldSet, above: readonly PathElement[] = []): Generator<readonly PathElement[]> {
  if (set === undefined) return;
  const elements = Object.keys(set).filter((element) => element !== SELF);
  for (const element of elements) if (isMember(set[element]!)) yield [...above, element];
  for (const element of elements) if (!isLeaf(set[element]!)) yield* pathsOf(set[element], [...above, element]);
}

/** Reads fieldsV1 of a client. Throws an Error if it is malformed. */
export function* readFieldsV1(value: unknown): Steps<FieldSet> {
  if (value === undefined || value === null) return undefined;
  if (!isJsonObject(value)) throw new Error('fieldsV1 must be an object');
  const node = yield* readNode(value);
  return isLeaf(node) ? undefined : node[SELF] === undefined ? node : yield* fieldsOf(yield* branchesOf(node), false);
}

function* readNode(value: unknown): Steps<Fields> {
  const branches: Branches = [];
  let belongs = false;
  const given: JsonObject = isJsonObject(value) ? value : {};
  for (const text of Object.keys(given)) {
    if (text === SELF) belongs = true;
    else {
      const element = readElement(text);
      if (element !== undefined) branches.push([element, yield* readNode(given[text])]);
    }
    if (isStepDue()) yield;
  }
  return (yield* fieldsOf(branches, belongs)) ?? LEAF;
}

/** A set of a stored object, whose fieldsV1 is known to be well-formed. */
export function storedFields(fieldsV1: Fields | undefined): FieldSet {
  return fieldsV1 === undefined || isLeaf(fieldsV1) ? undefined : fieldsV1;
}

/** Whether two sets are the same. */
export function* isSameSet(a: FieldSet, b: FieldSet): Steps<boolean> {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  let count = 0;
  for (const element in a) {
    const [mine, other] = [a[element]!, b[element]];
    if (other === undefined) return false;
    // Most nodes are leaves.
    if (mine !== other && !(isLeaf(mine) ? isLeaf(other) : yield* isSameSet(mine, other))) return false;
    count++;
    if (isStepDue()) yield;
  }
  for (const _ in b) count--;
  return count === 0;
}
