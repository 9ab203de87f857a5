import type { FieldPath } from '../raw.js';
import {
  AT_ROOT,
  CONTEXT,
  DEPTH_LIMIT,
  EDGE_COUNT,
  EDGES,
  FIRST_SLOT,
  IN_ARRAY,
  LITERALS,
  MAX_DEPTH,
  MAX_EDGES,
  NODES,
  NOWHERE,
  PATH_KEYS,
  PATH_KEYS_SIZE,
  SINGLE,
  SLOTS,
  STATE,
  STATE_SIZE,
} from './scan-layout.js';

/** The tag of the emission of a watch event or a list item. */
export const TAG_ITEM = 1;
export const TAG_LIST_KIND = 2;
export const TAG_LIST_API_VERSION = 3;
const TAG_LIST_METADATA = 4;

/** The fields that a scanner looks for: its initial state, and the slot of each field. */
export interface ScanProgram {
  /** The state of a scanner before the first byte. */
  readonly start: Uint8Array;
  readonly slotCount: number;
  /** `type` and `object` of a watch event; -1 in other streams. */
  readonly type: number;
  readonly object: number;
  readonly kind: number;
  readonly apiVersion: number;
  readonly metadata: number;
  readonly name: number;
  readonly namespace: number;
  readonly uid: number;
  readonly ownerReferences: number;
  readonly resourceVersion: number;
  readonly drop: readonly number[];
  /** The slot of each path of `paths`; -1 for paths that the scanner cannot look for. `drop` likewise. */
  readonly paths: readonly number[];
}

/** Fields of metadata that every scan looks for, so that it detects duplicates of them. */
export const scannedMetadata: ReadonlySet<string> = new Set([
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'labels',
  'annotations',
  'ownerReferences',
]);

interface Edge {
  readonly key: Buffer;
  readonly child: Node;
  slot: number;
  tag: number;
}

interface Node {
  readonly edges: Map<string, Edge>;
  /** When this stands for an array: the tag of its elements (0: none) and their node. */
  readonly each: { readonly tag: number; readonly node: Node } | undefined;
}

const objectNode = (): Node => ({ edges: new Map(), each: undefined });

function edgeOf(node: Node, name: string, child?: Node): Edge {
  let edge = node.edges.get(name);
  if (edge === undefined) {
    edge = { key: Buffer.from(name), child: child ?? objectNode(), slot: -1, tag: 0 };
    node.edges.set(name, edge);
  }
  return edge;
}

function addPath(node: Node, path: FieldPath): Edge {
  const [first = '', ...rest] = path;
  const edge = edgeOf(node, first);
  return rest.length === 0 ? edge : addPath(edge.child, rest);
}

/** Names that may be indexes or the length of an array: the scanner looks into objects only. */
const arrayNames = /^(0|[1-9]\d*|length)$/;

/** Whether the scanner can look for the path: no name is too long for the key buffer, and none may be of an array. */
function isScannable(path: FieldPath): boolean {
  return path.length > 0 && path.every((part) => Buffer.byteLength(part) <= 512 && !arrayNames.test(part));
}

/**
 * Compiles the fields that a decoder needs of a stream.
 *
 * @throws RangeError if there are more paths than a scanner can look for.
 */
export function compileScanProgram(
  stream: 'list' | 'watch' | 'object',
  drop: readonly FieldPath[],
  paths: readonly FieldPath[],
): ScanProgram {
  const item = objectNode();
  const root: Node = objectNode();
  let top: Node;
  let own: Edge[] = [];
  if (stream === 'list') {
    for (const [name, tag] of [
      ['kind', TAG_LIST_KIND],
      ['apiVersion', TAG_LIST_API_VERSION],
      ['metadata', TAG_LIST_METADATA],
    ] as const) {
      edgeOf(root, name).tag = tag;
    }
    edgeOf(root, 'items', { edges: new Map(), each: { tag: TAG_ITEM, node: item } });
    top = { edges: new Map(), each: { tag: 0, node: root } };
  } else if (stream === 'watch') {
    own = [edgeOf(root, 'type'), edgeOf(root, 'object', item)];
    top = { edges: new Map(), each: { tag: TAG_ITEM, node: root } };
  } else {
    top = { edges: new Map(), each: { tag: TAG_ITEM, node: item } };
  }

  const meta = (name: string): Edge => addPath(item, ['metadata', name]);
  const facts = {
    kind: edgeOf(item, 'kind'),
    apiVersion: edgeOf(item, 'apiVersion'),
    metadata: edgeOf(item, 'metadata'),
    name: meta('name'),
    namespace: meta('namespace'),
    uid: meta('uid'),
    ownerReferences: meta('ownerReferences'),
    resourceVersion: meta('resourceVersion'),
  };
  // `readPath` takes the first one of these, which is correct only if the scan finds no duplicates.
  for (const name of scannedMetadata) meta(name);
  const dropped = drop.map((path) => (isScannable(path) ? addPath(item, path) : undefined));
  const wanted = paths.map((path) => (isScannable(path) ? addPath(item, path) : undefined));

  const { start, slotCount } = layOut(top, stream);
  return {
    start,
    slotCount,
    type: own[0]?.slot ?? -1,
    object: own[1]?.slot ?? -1,
    kind: facts.kind.slot,
    apiVersion: facts.apiVersion.slot,
    metadata: facts.metadata.slot,
    name: facts.name.slot,
    namespace: facts.namespace.slot,
    uid: facts.uid.slot,
    ownerReferences: facts.ownerReferences.slot,
    resourceVersion: facts.resourceVersion.slot,
    drop: dropped.map((edge) => edge?.slot ?? -1),
    paths: wanted.map((edge) => edge?.slot ?? -1),
  };
}

/** Writes the graph into a new state, breadth first, so that the edges of a node are contiguous. */
function layOut(top: Node, stream: string): { start: Uint8Array; slotCount: number } {
  const start = new Uint8Array(STATE_SIZE);
  const words = new Int32Array(start.buffer);
  const numbers = new Map<Node, number>([[top, 1]]);
  const order = [top];
  const numberOf = (node: Node): number => {
    // A node without edges and elements is left out.
    if (node.each === undefined && node.edges.size === 0) return 0;
    let number = numbers.get(node);
    if (number === undefined) {
      order.push(node);
      number = order.length;
      numbers.set(node, number);
    }
    return number;
  };

  let slot = 0;
  let keyAt = PATH_KEYS;
  for (const node of order) {
    const at = NODES + (numbers.get(node) ?? 0) * 4;
    words[at] = slot;
    words[at + 1] = node.edges.size;
    if (node.each !== undefined) {
      words[at + 2] = node.each.tag + 1;
      words[at + 3] = numberOf(node.each.node);
    }
    for (const edge of node.edges.values()) {
      if (slot >= MAX_EDGES || order.length >= MAX_EDGES - 1 || keyAt + edge.key.length > PATH_KEYS + PATH_KEYS_SIZE) {
        throw new RangeError(`too many paths: a decoder can look for about ${MAX_EDGES - 20} fields of an object`);
      }
      start.set(edge.key, keyAt);
      words.set([keyAt, edge.key.length, numberOf(edge.child), edge.tag === 0 ? 0 : edge.tag + 1], EDGES + slot * 4);
      keyAt += edge.key.length;
      edge.slot = slot++;
    }
  }
  words.fill(NOWHERE, SLOTS, SLOTS + slot * 3);
  words[STATE] = AT_ROOT;
  words[CONTEXT] = 1;
  words[IN_ARRAY] = 1;
  words[EDGE_COUNT] = slot;
  words[SINGLE] = stream === 'watch' ? 0 : 1;
  words[DEPTH_LIMIT] = MAX_DEPTH + (stream === 'list' ? 2 : stream === 'watch' ? 1 : 0);
  // The first four slots belong to the list and are not cleared for each item.
  words[FIRST_SLOT] = stream === 'list' ? 4 : 0;
  start.set(Buffer.from('rue\0alse\0ull\0'), LITERALS);
  return { start, slotCount: slot };
}
