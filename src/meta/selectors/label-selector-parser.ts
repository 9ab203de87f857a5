/**
 * The grammar of label selectors:
 *
 *     selector    = [ requirement { "," requirement } ]
 *     requirement = [ "!" ] key | key ( "in" | "notin" ) "(" values ")" | key ( "=" | "==" | "!=" | ">" | "<" ) [ value ]
 *     values      = [ value ] { "," [ value ] }
 *
 * White space between tokens is allowed. `in` and `notin` are operators only in the place of an operator, so that labels and
 * values can have these names. Errors are worded as in kube-apiserver.
 */
import { ParseError } from '../errors/errors.js';
import { fieldInvalid } from '../errors/field-cause.js';
import { printCauses } from '../errors/status.js';
import { labelKeyErrors } from '../names.js';
import { type LabelOperator, type LabelRequirement, labelRequirementCauses } from './label-requirement.js';

type TokenType = 'word' | 'end' | '(' | ')' | ',' | '!' | '!=' | '=' | '==' | '>' | '<';

interface Token {
  readonly type: TokenType;
  readonly text: string;
  readonly position: number;
}

/** Matches one token with the white space before it; `!=` and `==` come before `!` and `=`. */
const tokenPattern = /[ \t\r\n]*(?:(!=|==|[=!(),<>])|([^ \t\r\n=!(),<>]+)|$)/y;

function tokenize(input: string): Token[] {
  const tokens: Token[] = [];
  tokenPattern.lastIndex = 0;
  for (;;) {
    const [, symbol, word] = tokenPattern.exec(input) as RegExpExecArray;
    const text = symbol ?? word ?? '';
    const position = tokenPattern.lastIndex - text.length;
    if (text === '') {
      tokens.push({ type: 'end', text: '', position: input.length });
      return tokens;
    }
    tokens.push({ type: (symbol as TokenType | undefined) ?? 'word', text, position });
  }
}

const binaryOperators: ReadonlyMap<string, LabelOperator> = new Map<string, LabelOperator>([
  ['in', 'in'],
  ['notin', 'notin'],
  ['=', '='],
  ['==', '=='],
  ['!=', '!='],
  ['>', 'gt'],
  ['<', 'lt'],
]);

class Parser {
  readonly #input: string;
  readonly #tokens: readonly Token[];
  #next = 0;

  constructor(input: string) {
    this.#input = input;
    this.#tokens = tokenize(input);
  }

  selector(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    if (this.#peek().type === 'end') return requirements;
    if (!this.#atRequirement()) this.#unexpected(", expected: !, identifier, or 'end of string'");
    for (;;) {
      requirements.push(this.#requirement());
      if (this.#peek().type === 'end') return requirements;
      if (this.#peek().type !== ',') this.#unexpected(", expected: ',' or 'end of string'");
      this.#take();
      if (!this.#atRequirement()) this.#unexpected(", expected: identifier after ','");
    }
  }

  #requirement(): LabelRequirement {
    const start = this.#peek().position;
    const negated = this.#peek().type === '!';
    if (negated) this.#take();
    const key = this.#key();
    const requirement = negated ? ({ key, operator: '!', values: [] } as const) : this.#condition(key);
    const causes = labelRequirementCauses(requirement);
    if (causes.length > 0) this.#fail(start, `unable to parse requirement: ${printCauses(causes)}`);
    return requirement;
  }

  #key(): string {
    const token = this.#peek();
    if (token.type !== 'word') this.#refuse(', expected: identifier');
    const errors = labelKeyErrors(token.text);
    if (errors.length > 0) {
      // kube-apiserver validates the key without a field path, and prints that as <nil>.
      const causes = [fieldInvalid('<nil>', token.text, errors.join('; '))];
      this.#fail(token.position, `unable to parse requirement: ${printCauses(causes)}`);
    }
    this.#take();
    return token.text;
  }

  #condition(key: string): LabelRequirement {
    const token = this.#peek();
    if (token.type === 'end' || token.type === ',') return { key, operator: 'exists', values: [] };
    const operator = binaryOperators.get(token.text);
    if (operator === undefined) this.#refuse(', expected: in, notin, =, ==, !=, gt, lt');
    this.#take();
    const isSet = operator === 'in' || operator === 'notin';
    return { key, operator, values: isSet ? this.#values() : [this.#exactValue()] };
  }

  #exactValue(): string {
    const token = this.#peek();
    if (token.type === 'end' || token.type === ',') return '';
    if (token.type !== 'word') this.#refuse(', expected: identifier');
    return this.#take().text;
  }

  #values(): string[] {
    if (this.#peek().type !== '(') this.#refuse(" expected: '('");
    this.#take();
    const values = new Set<string>();
    let expectedHere = ", expected: ',', ')' or identifier";
    for (;;) {
      // Two separators in a row stand for an empty value.
      const hasWord = this.#peek().type === 'word';
      values.add(hasWord ? this.#take().text : '');
      const { type } = this.#peek();
      if (type !== ')' && type !== ',') this.#refuse(hasWord ? ", expected: ',' or ')'" : expectedHere);
      this.#take();
      if (type === ')') return [...values].sort();
      expectedHere = ", expected: ',', or identifier";
    }
  }

  #atRequirement(): boolean {
    const { type } = this.#peek();
    return type === 'word' || type === '!';
  }

  #peek(): Token {
    // The last token is `end`, which is never taken.
    return this.#tokens[this.#next] as Token;
  }

  #take(): Token {
    return this.#tokens[this.#next++] as Token;
  }

  /** Throws the error for the next token, inside a requirement. */
  #refuse(expected: string): never {
    const { text, position } = this.#peek();
    return this.#fail(position, `unable to parse requirement: found '${text}'${expected}`);
  }

  #unexpected(expected: string): never {
    const { text, position } = this.#peek();
    return this.#fail(position, `found '${text}'${expected}`);
  }

  #fail(position: number, reason: string): never {
    throw new ParseError('label selector', this.#input, position, reason);
  }
}

/** The requirements of a selector in the order of the text. */
export function parseLabelRequirements(selector: string): LabelRequirement[] {
  return new Parser(selector).selector();
}
