import { type CST, type LineCounter, Parser } from 'yaml';

/**
 * The most levels of maps and lists in a YAML text. The yaml package composes each level by a call in the call of the level above, and a
 * stack of 984 KB is exhausted after some 800 levels. V8 ends the process if it has to compile a regular expression then.
 */
const MAX_DEPTH = 256;

/** A YAML text has too many levels. Its message contains no part of the text. */
export class YamlDepthError extends Error {
  static {
    YamlDepthError.prototype.name = 'YamlDepthError';
  }

  constructor() {
    super(`exceeded max depth of ${MAX_DEPTH}`);
  }
}

/**
 * The tokens of a YAML text, which a Composer of the yaml package makes documents of.
 *
 * @throws YamlDepthError if a document has more than 256 levels
 */
export function yamlTokens(text: string, lines?: LineCounter): CST.Token[] {
  const tokens = [...new Parser(lines?.addNewLine).parse(text)];
  let level = tokens.flatMap((token) => (token.type === 'document' ? collections([token.value]) : []));
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) throw new YamlDepthError();
    level = level.flatMap(({ items }) => items.flatMap(({ key, value }) => collections([key, value])));
  }
  return tokens;
}

type Collection = CST.BlockMap | CST.BlockSequence | CST.FlowCollection;

function collections(tokens: readonly (CST.Token | null | undefined)[]): Collection[] {
  return tokens.filter((token): token is Collection => token != null && 'items' in token);
}

/** Checks a text before another parser of the yaml package reads it. @throws YamlDepthError */
export function checkYamlDepth(text: string): void {
  yamlTokens(text);
}
