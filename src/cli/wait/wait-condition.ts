import { JsonPathError, parseJsonPath } from '../../apiserver/resources/custom/definition/json-path.js';
import { conditions, type WaitCondition } from '../../client/wait/conditions.js';
import { CommandError, UsageError } from '../command.js';

/** The value of `--for`. */
export interface NamedCondition {
  readonly condition: WaitCondition<object>;
  /** What is printed of an object in the end. */
  readonly outcome: string;
  /** What a selector that selects nothing means: the wait is over, begins, or is in vain. */
  readonly ofNone: 'met' | 'waits' | 'fails';
}

/** Parses the value of `--for`. */
export function conditionOf(text: string): NamedCondition {
  const met = 'condition met';
  if (text === 'delete') return { condition: conditions.deleted, outcome: 'deleted', ofNone: 'met' };
  if (text === 'create') return { condition: conditions.exists, outcome: met, ofNone: 'waits' };
  const ofNone = 'fails';
  if (text === 'rollout') {
    return { condition: conditions.rolledOut as WaitCondition<object>, outcome: 'rolled out', ofNone };
  }
  const [, kind, rest = ''] = /^(condition|jsonpath)=(.+)$/s.exec(text) ?? [];
  if (kind === 'condition') {
    const [, type = '', status] = /^([^=]+)(?:=(.+))?$/.exec(rest) ?? [];
    if (type !== '') return { condition: conditions.has(type, status), outcome: met, ofNone };
  }
  if (kind === 'jsonpath') return { condition: jsonPathCondition(rest), outcome: met, ofNone };
  throw new UsageError(
    `--for must be condition=NAME, jsonpath=PATH, rollout, create or delete, got '${text}'; see kubeflect wait --help`,
  );
}

/** Holds if the path finds one value, and this one if it is given. */
function jsonPathCondition(text: string): WaitCondition<object> {
  // The braces are part of kubectl's form, and may be left out; a shell may have left the quotes around them.
  const [, , braced, bare, value] = /^(?:(['"]?)\{(.*)\}\1|([^=]*))(?:=(.*))?$/s.exec(text) ?? [];
  const path = braced ?? bare ?? '';
  const wanted = value?.replace(/^(['"])(.*)\1$/s, '$2');
  if (path === '') throw new UsageError(`--for=jsonpath needs a path such as {.status.phase}, got '${text}'`);
  try {
    const find = parseJsonPath(path);
    return (object) => {
      if (object === undefined) return 'it does not exist';
      const found = valuesAt(find, object);
      if (found.length === 0) return `it has nothing at ${path}`;
      if (found.length > 1) throw new CommandError(`${path} finds ${found.length} values: it must find one`);
      if (typeof found[0] === 'object' && found[0] !== null && wanted !== undefined) {
        throw new CommandError(`${path} finds an object or a list, which has no value to compare`);
      }
      return wanted === undefined || String(found[0]) === wanted || `${path} is ${String(found[0])}, not ${wanted}`;
    };
  } catch (error) {
    if (error instanceof JsonPathError) throw new UsageError(`--for=jsonpath: ${error.message}`);
    throw error;
  }
}

/** A path that does not fit the object yet, as an index beyond the end of a list, finds nothing. */
function valuesAt(find: (document: unknown) => unknown[], object: object): unknown[] {
  try {
    return find(object);
  } catch (error) {
    if (error instanceof JsonPathError) return [];
    throw error;
  }
}
