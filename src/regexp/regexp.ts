import { finish, type Steps } from '../time/steps.js';
import { Dfa, type DfaPosition } from './dfa.js';
import { type Captures, PikeVm } from './pike-vm.js';
import { compileProgram, type RegexpProgram } from './program.js';

export { RegexpError } from './syntax.js';

/** A match: the text of the whole and of each group, undefined for a group that took no part. */
export type RegexpMatch = readonly [string, ...(string | undefined)[]];

/**
 * A regular expression with the syntax and the meaning of Go's regexp package (RE2). It never backtracks: time is linear in
 * the text. The methods whose names end in `Steps` can be interrupted; the others are for short texts.
 */
export interface Regexp {
  /** Whether some part of the text matches. */
  test(text: string): boolean;
  testSteps(text: string): Steps<boolean>;
  /** The leftmost match. */
  find(text: string): RegexpMatch | undefined;
  /** Matches from left to right that do not overlap, at most `limit` if it is not negative. */
  findAllSteps(text: string, limit: number): Steps<RegexpMatch[]>;
}

/** Compiles a pattern. Throws a RegexpError with Go's message. */
export function compileRegexp(pattern: string): Regexp {
  return new CompiledRegexp(compileProgram(pattern));
}

const stepWork = 50_000;

class CompiledRegexp implements Regexp {
  readonly #dfa: Dfa;
  readonly #vm: PikeVm;

  constructor(program: RegexpProgram) {
    this.#dfa = new Dfa(program);
    this.#vm = new PikeVm(program);
  }

  test(text: string): boolean {
    return finish(this.testSteps(text));
  }

  *testSteps(text: string): Steps<boolean> {
    let at: DfaPosition | boolean = { position: 0 };
    for (;;) {
      at = this.#dfa.run(text, at, stepWork);
      if (typeof at === 'boolean') return at;
      yield;
    }
  }

  find(text: string): RegexpMatch | undefined {
    return finish(this.findAllSteps(text, 1))[0];
  }

  *findAllSteps(text: string, limit: number): Steps<RegexpMatch[]> {
    const matches: RegexpMatch[] = [];
    let previousEnd = -1;
    for (let position = 0; matches.length !== limit && position <= text.length; ) {
      const found: Captures | undefined = yield* this.#vm.find(text, position);
      if (found === undefined) break;
      const [start, end] = found as unknown as [number, number];
      const isEmpty = end === position;
      // An empty match right after the one before does not count.
      if (!isEmpty || start !== previousEnd) matches.push(matchOf(text, found));
      previousEnd = end;
      position = isEmpty ? position + ((text.codePointAt(position) ?? 0) > 0xffff ? 2 : 1) : end;
    }
    return matches;
  }
}

function matchOf(text: string, captures: Captures): RegexpMatch {
  const groups: (string | undefined)[] = [];
  for (let i = 0; i < captures.length; i += 2) {
    const start = captures[i] as number;
    const end = captures[i + 1] as number;
    groups.push(start < 0 || end < 0 ? undefined : text.slice(start, end));
  }
  return groups as unknown as RegexpMatch;
}
