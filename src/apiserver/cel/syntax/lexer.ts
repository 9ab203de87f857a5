import type { Issues } from '../issues.js';

/** Kinds of tokens: punctuation and keywords by their text, the others by their names in the grammar. */
export interface Token {
  readonly kind: string;
  readonly text: string;
  readonly offset: number;
}

const punctuation = [
  '==',
  '!=',
  '<=',
  '>=',
  '&&',
  '||',
  '<',
  '>',
  '[',
  ']',
  '{',
  '}',
  '(',
  ')',
  '.',
  ',',
  '-',
  '!',
  '?',
  ':',
  '+',
  '*',
  '/',
  '%',
];
const keywords = new Set(['in', 'true', 'false', 'null']);

const escapeSequence = `\\\\(?:[abfnrtv"'\\\\?\`]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})`;
const strings = [
  `"""(?:${escapeSequence}|[^\\\\])*?"""`,
  `'''(?:${escapeSequence}|[^\\\\])*?'''`,
  `"(?:${escapeSequence}|[^\\\\"\\n\\r])*"`,
  `'(?:${escapeSequence}|[^\\\\'\\n\\r])*'`,
  `[rR]"""[\\s\\S]*?"""`,
  `[rR]'''[\\s\\S]*?'''`,
  `[rR]"[^"\\n\\r]*"`,
  `[rR]'[^'\\n\\r]*'`,
].join('|');

/** The patterns are fixed, and none of them backtracks further than to the start of its token. */
const patterns: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['', /[\t \r\n\f]+|\/\/[^\n]*/y],
  ['BYTES', new RegExp(`[bB](?:${strings})`, 'y')],
  ['STRING', new RegExp(strings, 'y')],
  ['NUM_FLOAT', /\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?/y],
  ['NUM_UINT', /0x[0-9a-fA-F]+[uU]|\d+[uU]/y],
  ['NUM_INT', /0x[0-9a-fA-F]+|\d+/y],
  ['IDENTIFIER', /[A-Za-z_][A-Za-z0-9_]*/y],
  ['ESC_IDENTIFIER', /`[A-Za-z0-9_.\-/ ]+`/y],
];

/** Splits an expression into tokens; the last one is of kind `<EOF>`. Characters of no token are reported and left out. */
export function tokenize(source: string, issues: Issues): Token[] {
  const tokens: Token[] = [];
  let offset = 0;
  while (offset < source.length) {
    const token = tokenAt(source, offset);
    if (token === undefined) {
      const text = unrecognized(source, offset);
      issues.report(offset, `Syntax error: token recognition error at: '${text.replaceAll('\n', '\\n')}'`);
      offset += text.length;
      continue;
    }
    offset += token.text.length;
    if (token.kind !== '') tokens.push(token);
  }
  tokens.push({ kind: '<EOF>', text: '<EOF>', offset: source.length });
  return tokens;
}

function tokenAt(source: string, offset: number): Token | undefined {
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = offset;
    const text = pattern.exec(source)?.[0];
    if (text !== undefined) return { kind: keywords.has(text) ? text : kind, text, offset };
  }
  const text = punctuation.find((symbol) => source.startsWith(symbol, offset));
  return text === undefined ? undefined : { kind: text, text, offset };
}

/** What the lexer of cel-go gives up on: an open string as a whole, an operator with the character that it does not expect. */
function unrecognized(source: string, offset: number): string {
  const character = source.charAt(offset);
  if (character === '"' || character === "'") {
    const open = new RegExp(`${character}(?:${escapeSequence}|[^\\\\${character}\\n\\r])*(?:\\\\[\\s\\S]?)?`, 'y');
    open.lastIndex = offset;
    return open.exec(source)?.[0] ?? character;
  }
  if ('=&|'.includes(character)) return source.slice(offset, offset + 1) + nextCharacter(source, offset + 1);
  return nextCharacter(source, offset);
}

function nextCharacter(source: string, offset: number): string {
  return offset < source.length ? String.fromCodePoint(source.codePointAt(offset) as number) : '';
}
