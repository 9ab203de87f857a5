import { GO_ESCAPES } from '../../../meta/go-values.js';
import type { Structural } from './definition/structural.js';

/** A path into the objects of a schema, as `.spec.host`. */
export interface FieldPath {
  /** As causes print it: `spec.host`, or `spec.hosts[a]` for a key of a map. */
  readonly path: string;
  readonly schema: Structural;
}

/**
 * Finds what a path of a definition refers to: a selectable field, or the `fieldPath` of a rule. Names follow dots or, unless
 * that is forbidden, stand in brackets as `['a.b']`. Throws an Error with the message of kube-apiserver.
 */
export function findField(text: string, root: Structural, allowsBrackets: boolean): FieldPath {
  const tokens = tokenize(text);
  let schema = root;
  let path = '';
  const enter = (name: string): void => {
    if (schema.properties.size > 0) {
      const property = schema.properties.get(name);
      if (property === undefined) throw new Error('does not refer to a valid field');
      schema = property;
      path += path === '' ? name : `.${name}`;
    } else if (typeof schema.additionalProperties === 'object') {
      schema = schema.additionalProperties;
      path += `[${name}]`;
    } else throw new Error('does not refer to a valid field');
  };
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!;
    if (token === '.') {
      const name = tokens[++at];
      if (name === undefined) throw new Error('unexpected end of JSON path');
      enter(name);
    } else if (token === '[') {
      if (!allowsBrackets) throw new Error('array notation is not allowed');
      const quoted = tokens[++at];
      if (quoted === undefined) throw new Error('unexpected end of JSON path');
      if (quoted.length < 2 || !quoted.startsWith("'") || !quoted.endsWith("'"))
        throw new Error(`expected single quoted string but got ${quoted}`);
      enter(unquote(quoted.slice(1, -1)));
      const end = tokens[++at];
      if (end === undefined) throw new Error('unexpected end of JSON path');
      if (end !== ']') throw new Error(`expected ] but got ${end}`);
    } else throw new Error(`expected [ or . but got: ${token}`);
  }
  return { path, schema };
}

/** Dots and brackets are tokens by themselves; a text in single quotes may contain them. */
function tokenize(text: string): string[] {
  return text.match(/'(?:[^'\\]|\\.)*'|[.[\]]|[^.[\]']+|'/gs) ?? [];
}

const ESCAPES: Readonly<Record<string, string>> = { ...GO_ESCAPES, "'": "'" };

function unquote(text: string): string {
  return text.replace(/\\(.)/gs, (match, letter: string) => {
    const character = ESCAPES[letter];
    if (character === undefined) throw new Error(`invalid string literal: invalid escape char ${match}`);
    return character;
  });
}
