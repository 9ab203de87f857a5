import { PIECE } from '../../codec/json/large-json.js';
import type { Steps } from '../../time/steps.js';

/** What a JSON text may have at a place. */
type State = 'value' | 'firstValue' | 'firstKey' | 'key' | 'colon' | 'afterMember' | 'afterItem' | 'end';

const LITERALS: Readonly<Record<string, string>> = { t: 'true', f: 'false', n: 'null' };
const AFTER: Readonly<Record<string, string>> = {
  value: 'looking for beginning of value',
  firstValue: 'looking for beginning of value',
  firstKey: 'looking for beginning of object key string',
  key: 'looking for beginning of object key string',
  colon: 'after object key',
  afterMember: 'after object key:value pair',
  afterItem: 'after array element',
  end: 'after top-level value',
};
const END = 'unexpected end of JSON input';
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** The message of Go's scanner for a text that is no JSON. */
export function* jsonSyntaxError(text: string): Steps<string> {
  const containers: ('{' | '[')[] = [];
  let state: State = 'value';
  let at = 0;
  let pause = PIECE;
  const closed = (): State => {
    const open = containers.at(-1);
    return open === undefined ? 'end' : open === '{' ? 'afterMember' : 'afterItem';
  };
  for (;;) {
    if (at > pause) {
      pause = at + PIECE;
      yield;
    }
    while (at < text.length && ' \t\r\n'.includes(text[at]!)) at++;
    const character = text[at];
    if (character === undefined) return END;
    const wrong = `invalid character ${quoted(character)} ${AFTER[state]}`;
    if (state === 'value' || state === 'firstValue') {
      if (character === '{' || character === '[') {
        containers.push(character);
        state = character === '{' ? 'firstKey' : 'firstValue';
        at++;
        continue;
      }
      if (character === ']' && state === 'firstValue') {
        containers.pop();
        state = closed();
        at++;
        continue;
      }
      const scalar = scanScalar(text, at);
      if (scalar === undefined) return wrong;
      if (typeof scalar === 'string') return scalar;
      at = scalar;
      state = closed();
    } else if (state === 'firstKey' || state === 'key') {
      if (character === '}' && state === 'firstKey') {
        containers.pop();
        state = closed();
        at++;
        continue;
      }
      if (character !== '"') return wrong;
      const end = scanString(text, at);
      if (typeof end === 'string') return end;
      at = end;
      state = 'colon';
    } else if (state === 'colon') {
      if (character !== ':') return wrong;
      at++;
      state = 'value';
    } else if (state === 'end') {
      return wrong;
    } else {
      const isObject: boolean = state === 'afterMember';
      at++;
      if (character === ',') {
        state = isObject ? 'key' : 'value';
      } else if (character === (isObject ? '}' : ']')) {
        containers.pop();
        state = closed();
      } else return wrong;
    }
  }
}

/** Where a string, number or literal ends, or the message for it; undefined if none begins here. */
function scanScalar(text: string, at: number): number | string | undefined {
  const first = text[at]!;
  if (first === '"') return scanString(text, at);
  const literal = LITERALS[first];
  if (literal !== undefined) {
    for (let i = 1; i < literal.length; i++) {
      const character = text[at + i];
      if (character === undefined) return END;
      if (character !== literal[i]) {
        return `invalid character ${quoted(character)} in literal ${literal} (expecting ${quoted(literal[i]!)})`;
      }
    }
    return at + literal.length;
  }
  if (first !== '-' && (first < '0' || first > '9')) return undefined;
  NUMBER.lastIndex = at;
  const number = NUMBER.exec(text)?.[0] ?? '';
  const end = at + number.length;
  const next = text[end];
  if (number === '') {
    const after = text[at + 1];
    return after === undefined ? END : `invalid character ${quoted(after)} in numeric literal`;
  }
  if (next === '.' && !number.includes('.'))
    return afterNumber(text[end + 1], 'after decimal point in numeric literal');
  if ((next === 'e' || next === 'E') && !/e/i.test(number)) {
    const sign = text[end + 1] === '+' || text[end + 1] === '-' ? 1 : 0;
    return afterNumber(text[end + 1 + sign], 'in exponent of numeric literal');
  }
  return end;
}

function afterNumber(character: string | undefined, what: string): string {
  return character === undefined ? END : `invalid character ${quoted(character)} ${what}`;
}

function scanString(text: string, quote: number): number | string {
  for (let at = quote + 1; ; at++) {
    const character = text[at];
    if (character === undefined) return END;
    if (character === '"') return at + 1;
    if (character < ' ') return `invalid character ${quoted(character)} in string literal`;
    if (character !== '\\') continue;
    const escaped = text[++at];
    if (escaped === undefined) return END;
    if (escaped === 'u') {
      for (let i = 0; i < 4; i++) {
        const digit = text[++at];
        if (digit === undefined) return END;
        if (!/[0-9a-f]/i.test(digit)) return `invalid character ${quoted(digit)} in \\u hexadecimal character escape`;
      }
    } else if (!'bfnrt\\/"'.includes(escaped)) {
      return `invalid character ${quoted(escaped)} in string escape code`;
    }
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  "'": "'\\''",
  '"': `'"'`,
  '\\': "'\\\\'",
  '\n': "'\\n'",
  '\r': "'\\r'",
  '\t': "'\\t'",
};

/** A character as Go's scanner shows it. */
function quoted(character: string): string {
  if (ESCAPES[character] !== undefined) return ESCAPES[character];
  return character < ' ' ? `'\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}'` : `'${character}'`;
}
