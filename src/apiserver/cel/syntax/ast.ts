import type { CelType } from '../check/types.js';
import type { Value } from '../eval/values.js';

interface NodeBase {
  /** Where messages about it point to. */
  readonly offset: number;
  /** Set by the checker. */
  type?: CelType;
}

export interface LiteralNode extends NodeBase {
  readonly kind: 'literal';
  readonly value: Value;
}

export interface IdentNode extends NodeBase {
  readonly kind: 'ident';
  readonly name: string;
}

export interface SelectNode extends NodeBase {
  readonly kind: 'select';
  readonly operand: Node;
  readonly field: string;
  /** `has(operand.field)` */
  readonly test: boolean;
}

export interface CallNode extends NodeBase {
  readonly kind: 'call';
  name: string;
  target: Node | undefined;
  readonly args: readonly Node[];
  /** The overloads that fit the types of the arguments, set by the checker: more than one if some types are dyn. */
  overloads?: readonly string[];
}

export interface ListNode extends NodeBase {
  readonly kind: 'list';
  readonly elements: readonly Node[];
  /** Positions of elements that are written with `?`. */
  readonly optionals: ReadonlySet<number>;
}

export interface MapEntry {
  readonly key: Node;
  readonly value: Node;
  readonly optional: boolean;
}

export interface MapNode extends NodeBase {
  readonly kind: 'map';
  readonly entries: readonly MapEntry[];
}

/** `Name{field: value}`. No type of an object can be made in a rule, so that it is always an error. */
export interface StructNode extends NodeBase {
  readonly kind: 'struct';
  readonly name: string;
}

/**
 * A loop: `accumulator` begins as `init`, and becomes `step` for each element while `condition` is not false; then the value is
 * `result`. With `second`, `first` is the index or key and `second` the value.
 */
export interface ComprehensionNode extends NodeBase {
  readonly kind: 'comprehension';
  readonly range: Node;
  readonly first: string;
  readonly second: string | undefined;
  readonly accumulator: string;
  readonly init: Node;
  readonly condition: Node;
  readonly step: Node;
  readonly result: Node;
}

/** A node of an expression. */
export type Node =
  | LiteralNode
  | IdentNode
  | SelectNode
  | CallNode
  | ListNode
  | MapNode
  | StructNode
  | ComprehensionNode;

/** A copy, because the checker writes types into nodes, and one that a macro uses twice can have two. */
export function copyNode(node: Node): Node {
  switch (node.kind) {
    case 'literal':
    case 'ident':
    case 'struct':
      return { ...node };
    case 'select':
      return { ...node, operand: copyNode(node.operand) };
    case 'call':
      return { ...node, target: node.target && copyNode(node.target), args: node.args.map(copyNode) };
    case 'list':
      return { ...node, elements: node.elements.map(copyNode) };
    case 'map':
      return {
        ...node,
        entries: node.entries.map((entry) => ({ ...entry, key: copyNode(entry.key), value: copyNode(entry.value) })),
      };
    case 'comprehension':
      return {
        ...node,
        range: copyNode(node.range),
        init: copyNode(node.init),
        condition: copyNode(node.condition),
        step: copyNode(node.step),
        result: copyNode(node.result),
      };
  }
}

/** The parts of a node, in the order in which the source has them. */
export function childrenOf(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'select':
      return [node.operand];
    case 'call':
      return node.target === undefined ? node.args : [node.target, ...node.args];
    case 'list':
      return node.elements;
    case 'map':
      return node.entries.flatMap((entry) => [entry.key, entry.value]);
    case 'comprehension':
      return [node.range, node.init, node.condition, node.step, node.result];
    default:
      return [];
  }
}
