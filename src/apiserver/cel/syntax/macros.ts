import type { Value } from '../eval/values.js';
import {
  type CallNode,
  copyNode,
  type IdentNode,
  type ListNode,
  type LiteralNode,
  type MapNode,
  type Node,
} from './ast.js';

/** A problem of a macro's arguments. */
export class MacroError {
  constructor(
    readonly offset: number,
    readonly message: string,
  ) {}
}

/** The hidden variable in which loops collect their result: expressions cannot name it. */
export const accumulatorName = '@result';

/** The result of a call that is a macro; undefined if it is a function. `offset` is that of the call. */
export function expandMacro(
  name: string,
  target: Node | undefined,
  args: readonly Node[],
  offset: number,
): Node | MacroError | undefined {
  // `.map(…)` without a target is a function that is looked up from the outermost container, and never a macro.
  if (target === undefined && name.startsWith('.')) return undefined;
  const expand = macros.get(`${target === undefined ? '' : '.'}${name}/${args.length}`);
  return expand?.(new NodeFactory(offset), args, target as Node);
}

type Expander = (make: NodeFactory, args: readonly Node[], target: Node) => Node | MacroError;

class NodeFactory {
  constructor(readonly offset: number) {}

  literal(value: Value): LiteralNode {
    return { kind: 'literal', value, offset: this.offset };
  }
  ident(name: string): IdentNode {
    return { kind: 'ident', name, offset: this.offset };
  }
  accumulator(): IdentNode {
    return this.ident(accumulatorName);
  }
  list(...elements: Node[]): ListNode {
    return { kind: 'list', elements, optionals: new Set(), offset: this.offset };
  }
  map(): MapNode {
    return { kind: 'map', entries: [], offset: this.offset };
  }
  call(name: string, ...args: Node[]): CallNode {
    return { kind: 'call', name, target: undefined, args, offset: this.offset };
  }
  member(name: string, target: Node, ...args: Node[]): CallNode {
    return { kind: 'call', name, target, args, offset: this.offset };
  }
  append(element: Node): CallNode {
    return this.call('_+_', this.accumulator(), this.list(element));
  }
  onlyIf(filter: Node | undefined, step: Node): Node {
    return filter === undefined ? step : this.call('_?_:_', filter, step, this.accumulator());
  }

  loop(
    range: Node,
    [first, second]: readonly [string, string?],
    parts: { init: Node; condition?: Node; step: Node; result?: Node },
  ): Node {
    const { init, condition = this.literal(true), step, result = this.accumulator() } = parts;
    const accumulator = accumulatorName;
    return {
      kind: 'comprehension',
      range,
      first,
      second,
      accumulator,
      init,
      condition,
      step,
      result,
      offset: this.offset,
    };
  }

  /** Evaluates `value` once, for `body` to use under a name. */
  bind(name: string, value: Node, body: Node): Node {
    return {
      kind: 'comprehension',
      range: this.list(),
      first: '#unused',
      second: undefined,
      accumulator: name,
      init: value,
      condition: this.literal(false),
      step: this.ident(name),
      result: body,
      offset: this.offset,
    };
  }
}

const notOverwriting = 'iteration variable overwrites accumulator variable';

function variable(argument: Node, problem: string): string | MacroError {
  if (argument.kind !== 'ident') return new MacroError(argument.offset, problem);
  if (argument.name === accumulatorName || argument.name === '__result__')
    return new MacroError(argument.offset, notOverwriting);
  return argument.name;
}

/** A macro with one variable before its other arguments. */
function oneVariable(
  problem: string,
  expand: (make: NodeFactory, names: readonly [string], rest: readonly Node[], target: Node) => Node,
): Expander {
  return (make, args, target) => {
    const name = variable(args[0] as Node, problem);
    return name instanceof MacroError ? name : expand(make, [name], args.slice(1), target);
  };
}

/** A macro with two variables before its other arguments. */
function twoVariables(
  expand: (make: NodeFactory, names: readonly [string, string], rest: readonly Node[], target: Node) => Node,
): Expander {
  return (make, args, target) => {
    const [first, second] = args as unknown as [Node, Node];
    for (const argument of [first, second])
      if (argument.kind !== 'ident') return new MacroError(argument.offset, 'argument must be a simple name');
    const names = [(first as IdentNode).name, (second as IdentNode).name] as const;
    if (names[0] === names[1]) return new MacroError(second.offset, `duplicate variable name: ${names[0]}`);
    for (const argument of [first, second]) {
      const name = variable(argument, '');
      if (name instanceof MacroError) return name;
    }
    return expand(make, names, args.slice(2), target);
  };
}

type Names = readonly [string, string?];

function all(make: NodeFactory, names: Names, [predicate]: readonly Node[], target: Node): Node {
  return make.loop(target, names, {
    init: make.literal(true),
    condition: make.call('@not_strictly_false', make.accumulator()),
    step: make.call('_&&_', make.accumulator(), predicate as Node),
  });
}

function exists(make: NodeFactory, names: Names, [predicate]: readonly Node[], target: Node): Node {
  return make.loop(target, names, {
    init: make.literal(false),
    condition: make.call('@not_strictly_false', make.call('!_', make.accumulator())),
    step: make.call('_||_', make.accumulator(), predicate as Node),
  });
}

function existsOne(make: NodeFactory, names: Names, [predicate]: readonly Node[], target: Node): Node {
  return make.loop(target, names, {
    init: make.literal(0n),
    step: make.onlyIf(predicate, make.call('_+_', make.accumulator(), make.literal(1n))),
    result: make.call('_==_', make.accumulator(), make.literal(1n)),
  });
}

function toList(make: NodeFactory, names: Names, rest: readonly Node[], target: Node): Node {
  return make.loop(target, names, {
    init: make.list(),
    step: make.onlyIf(rest.length === 2 ? rest[0] : undefined, make.append(rest.at(-1) as Node)),
  });
}

function toMap(make: NodeFactory, names: readonly [string, string], rest: readonly Node[], target: Node): Node {
  const insert = make.call('cel.@mapInsert', make.accumulator(), make.ident(names[0]), rest.at(-1) as Node);
  return make.loop(target, names, {
    init: make.map(),
    step: make.onlyIf(rest.length === 2 ? rest[0] : undefined, insert),
  });
}

function toMapEntry(make: NodeFactory, names: readonly [string, string], rest: readonly Node[], target: Node): Node {
  const insert = make.call('cel.@mapInsert', make.accumulator(), rest.at(-1) as Node);
  return make.loop(target, names, {
    init: make.map(),
    step: make.onlyIf(rest.length === 2 ? rest[0] : undefined, insert),
  });
}

function filter(make: NodeFactory, names: readonly [string], [predicate]: readonly Node[], target: Node): Node {
  return make.loop(target, names, {
    init: make.list(),
    step: make.onlyIf(predicate, make.append(make.ident(names[0]))),
  });
}

/** `target.optMap(x, body)`: the value of an optional under a name, if it has one. */
function mapOptional(macro: string, wrap: (make: NodeFactory, mapped: Node) => Node): Expander {
  return (make, [name, body], target) => {
    if (name?.kind !== 'ident')
      return new MacroError((name as Node).offset, `${macro}() variable name must be a simple identifier`);
    const mapped = make.bind(name.name, make.member('value', copyNode(target)), body as Node);
    return make.call('_?_:_', make.member('hasValue', target), wrap(make, mapped), make.call('optional.none'));
  };
}

const sortByInput = '@__sortBy_input__';

const simpleName = 'argument must be a simple name';
const notIdentifier = 'argument is not an identifier';

const macros: ReadonlyMap<string, Expander> = new Map<string, Expander>([
  [
    'has/1',
    (make, [argument]) =>
      argument?.kind === 'select'
        ? { kind: 'select', operand: argument.operand, field: argument.field, test: true, offset: make.offset }
        : new MacroError((argument as Node).offset, 'invalid argument to has() macro'),
  ],
  ['.all/2', oneVariable(simpleName, all)],
  ['.exists/2', oneVariable(simpleName, exists)],
  ['.exists_one/2', oneVariable(simpleName, existsOne)],
  ['.map/2', oneVariable(notIdentifier, toList)],
  ['.map/3', oneVariable(notIdentifier, toList)],
  ['.filter/2', oneVariable(notIdentifier, filter)],
  ['.all/3', twoVariables(all)],
  ['.exists/3', twoVariables(exists)],
  ['.existsOne/3', twoVariables(existsOne)],
  ['.exists_one/3', twoVariables(existsOne)],
  ['.transformList/3', twoVariables(toList)],
  ['.transformList/4', twoVariables(toList)],
  ['.transformMap/3', twoVariables(toMap)],
  ['.transformMap/4', twoVariables(toMap)],
  ['.transformMapEntry/3', twoVariables(toMapEntry)],
  ['.transformMapEntry/4', twoVariables(toMapEntry)],
  ['.optMap/2', mapOptional('optMap', (make, mapped) => make.call('optional.of', mapped))],
  ['.optFlatMap/2', mapOptional('optFlatMap', (_make, mapped) => mapped)],
  [
    '.sortBy/2',
    (make, args, target) => {
      if (target.kind === 'literal' || target.kind === 'map' || target.kind === 'struct')
        return new MacroError(
          target.offset,
          'sortBy can only be applied to a list, identifier, comprehension, call or select expression',
        );
      const name = variable(args[0] as Node, notIdentifier);
      if (name instanceof MacroError) return name;
      const keys = toList(make, [name], args.slice(1), make.ident(sortByInput));
      return make.bind(sortByInput, target, make.member('@sortByAssociatedKeys', make.ident(sortByInput), keys));
    },
  ],
]);
