import { compileRegexp, RegexpError } from '../../../regexp/regexp.js';
import { CelError } from '../eval/values.js';
import { formatClauses } from '../functions/format-text.js';
import { functionNamed } from '../functions/functions.js';
import type { Issues } from '../issues.js';
import { type CallNode, childrenOf, type Node } from '../syntax/ast.js';
import { type CelType, optionalValueType } from './types.js';

/** Reports literals that fail in each evaluation: durations, timestamps, patterns and formats, and lists of mixed types. */
export function validateLiterals(root: Node, issues: Issues): void {
  visit(root, false, issues);
}

function visit(node: Node, inFormat: boolean, issues: Issues): void {
  let formatted = inFormat;
  if (node.kind === 'call') {
    checkArgument(node, issues);
    if (node.name === 'format' && node.target !== undefined) {
      checkFormat(node, issues);
      formatted = true;
    }
  } else if (!inFormat) checkTypes(node, issues);
  for (const child of childrenOf(node)) visit(child, formatted, issues);
}

function checkArgument(node: CallNode, issues: Issues): void {
  const [argument] = node.args;
  if (argument?.kind !== 'literal') return;
  const isWrong =
    node.name === 'duration' || node.name === 'timestamp'
      ? functionNamed(node.name)?.(argument.value) instanceof CelError
      : node.name === 'matches' && typeof argument.value === 'string' && !isPattern(argument.value);
  if (isWrong) issues.report(argument.offset, `invalid ${node.name} argument`);
}

function isPattern(text: string): boolean {
  try {
    compileRegexp(text);
    return true;
  } catch (error) {
    if (error instanceof RegexpError) return false;
    throw error;
  }
}

function checkTypes(node: Node, issues: Issues): void {
  const mismatch = (child: Node, expected: CelType, actual: CelType): void =>
    issues.report(child.offset, `expected type '${expected}' but found '${actual}'`);
  if (node.kind === 'list') {
    let common: CelType | undefined;
    for (const [i, element] of node.elements.entries()) {
      const type = typeIn(element, node.optionals.has(i));
      common ??= type;
      if (equivalent(common, type)) continue;
      mismatch(element, common, type);
      return;
    }
  } else if (node.kind === 'map') {
    const [first] = node.entries;
    if (first === undefined) return;
    const [key, value] = [typeIn(first.key, false), typeIn(first.value, first.optional)];
    for (const entry of node.entries) {
      const [entryKey, entryValue] = [typeIn(entry.key, false), typeIn(entry.value, entry.optional)];
      if (!equivalent(key, entryKey)) mismatch(entry.key, key, entryKey);
      if (!equivalent(value, entryValue)) mismatch(entry.value, value, entryValue);
    }
  }
}

function typeIn(node: Node, optional: boolean): CelType {
  const type = node.type as CelType;
  return optional ? (optionalValueType(type) ?? type) : type;
}

/** Type parameters are equivalent whatever they are called; all that is left of them here is dyn. */
function equivalent(left: CelType, right: CelType): boolean {
  return left.equals(right);
}

/** What each letter of a format accepts, and how messages name it. */
const clauses: Readonly<Record<string, readonly [kinds: readonly string[], problem: string]>> = {
  s: [
    ['list', 'map', 'int', 'uint', 'double', 'bool', 'string', 'timestamp', 'bytes', 'duration', 'type', 'null'],
    'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
  ],
  d: [['int', 'uint'], 'decimal clause can only be used on integers'],
  f: [['double', 'string'], 'fixed-point clause can only be used on doubles'],
  e: [['double', 'string'], 'scientific clause can only be used on doubles'],
  b: [['int', 'uint', 'bool'], 'only integers and bools can be formatted as binary'],
  x: [['int', 'uint', 'string', 'bytes'], 'only integers, byte buffers, and strings can be formatted as hex'],
  X: [['int', 'uint', 'string', 'bytes'], 'only integers, byte buffers, and strings can be formatted as hex'],
  o: [['int', 'uint'], 'octal clause can only be used on integers'],
};

function checkFormat(node: CallNode, issues: Issues): void {
  const [args] = node.args;
  if (node.target?.kind !== 'literal' || typeof node.target.value !== 'string' || args?.kind !== 'list') return;
  const parsed = formatClauses(node.target.value);
  if (parsed instanceof CelError) {
    issues.report(node.offset, parsed.message);
    return;
  }
  let used = 0;
  for (const clause of parsed) {
    if (typeof clause === 'string') continue;
    const argument = args.elements[used++];
    if (argument === undefined) {
      issues.report(node.offset, `index ${used - 1} out of range`);
      return;
    }
    const [kinds, problem] = clauses[clause.letter] as readonly [readonly string[], string];
    const wrong = clause.letter === 's' ? wrongPart(argument, kinds) : fits(argument, kinds) ? undefined : argument;
    if (wrong === undefined) continue;
    issues.report(wrong.offset, `error during formatting: ${problem}, was given ${wrong.type?.name}`);
    return;
  }
  if (args.elements.length > used)
    issues.report(
      node.offset,
      `too many arguments supplied to string.format (expected ${used}, got ${args.elements.length})`,
    );
}

function fits(node: Node, kinds: readonly string[]): boolean {
  const kind = node.type?.kind ?? 'dyn';
  return kind === 'dyn' || kinds.includes(kind);
}

function wrongPart(node: Node, kinds: readonly string[]): Node | undefined {
  if (!fits(node, kinds)) return node;
  if (node.kind !== 'list' && node.kind !== 'map') return undefined;
  for (const child of childrenOf(node)) {
    const wrong = wrongPart(child, kinds);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}
