import { goTypeName, printGoValue } from '../../meta/go-values.js';
import { isJsonObject } from '../../meta/json-values.js';
import { isStepDue, type Steps } from '../../time/steps.js';
import type { OwnedType } from './owned-type.js';
import { fieldElement, type PathElement, printElement } from './path-element.js';
import { fieldType, itemElement, shapeOf, UnidentifiedItem } from './typed-value.js';

/** Thrown for a value that does not have its type. The message has the paths and problems as kube-apiserver tells them. */
export class TypingError extends Error {}

/** Checks that a value has its type. @param allowsDuplicates whether lists may have several items with the same identity */
export function* checkType(type: OwnedType, value: unknown, allowsDuplicates = false): Steps<void> {
  const problems: string[] = [];
  yield* visit(type, value, '', { allowsDuplicates, problems });
  if (problems.length === 0) return;
  const [first] = problems;
  throw new TypingError(problems.length === 1 ? first : ['errors:', ...problems.map((text) => `  ${text}`)].join('\n'));
}

interface Context {
  readonly allowsDuplicates: boolean;
  readonly problems: string[];
}

function* visit(type: OwnedType, value: unknown, path: string, context: Context): Steps<void> {
  const fail = (problem: string): void => {
    context.problems.push(path === '' ? problem : `${path}: ${problem}`);
  };
  if (value === null || value === undefined) return;
  const { shape } = shapeOf(type, value);
  if (shape === 'scalar') {
    const problem = scalarProblem(type.scalar!, value);
    if (problem !== undefined) fail(problem);
  } else if (shape === 'map') {
    if (!isJsonObject(value)) return fail(`expected map, got ${goPointer(value)}`);
    for (const name in value) {
      const below = fieldType(type.map!, name);
      const place = `${path}${printElement(fieldElement(name))}`;
      if (below === undefined) {
        context.problems.push(`${place}: field not declared in schema`);
        return;
      }
      yield* visit(below, value[name], place, context);
      if (isStepDue()) yield;
    }
  } else {
    if (!Array.isArray(value)) return fail(`expected list, got ${goPointer(value)}`);
    const { isAtomic, items } = type.list!;
    const seen = new Set<PathElement>();
    for (const [at, item] of value.entries()) {
      let element: PathElement = `i:${at}`;
      if (!isAtomic) {
        try {
          element = itemElement(type.list!, item);
        } catch (error) {
          if (!(error instanceof UnidentifiedItem)) throw error;
          return fail(`element ${at}: ${error.message}`);
        }
        if (seen.has(element) && !context.allowsDuplicates) fail(`duplicate entries for key ${printElement(element)}`);
        seen.add(element);
      }
      yield* visit(items, item, `${path}${printElement(element)}`, context);
      if (isStepDue()) yield;
    }
  }
}

function scalarProblem(type: NonNullable<OwnedType['scalar']>, value: unknown): string | undefined {
  switch (type) {
    case 'string':
      if (typeof value === 'string') return undefined;
      return `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`;
    case 'numeric':
      return typeof value === 'number' ? undefined : `expected numeric (int or float), got ${goTypeName(value)}`;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got ${goPointer(value)}`;
    case 'untyped':
      return typeof value === 'object' ? `expected any scalar, got ${goPointer(value)}` : undefined;
  }
}

/** A value as Go's `%v` prints the pointer to its wrapper. */
function goPointer(value: unknown): string {
  return `&{${printGoValue(value)}}`;
}

/** A value as Go's `%#v` prints it. */
function goSyntax(value: unknown): string {
  if (value === null) return 'interface {}(nil)';
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (!isJsonObject(value)) return typeof value === 'string' ? JSON.stringify(value) : String(value);
  return `map[string]interface {}{${Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${goSyntax(value[name])}`)
    .join(', ')}}`;
}
