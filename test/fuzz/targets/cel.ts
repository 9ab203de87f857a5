import assert from 'node:assert/strict';
import { compileRule, type DeclType, declTypeOf, evaluateRule } from '../../../src/apiserver/cel/cel.js';
import type { CelSchema } from '../../../src/apiserver/cel/schema.js';
import { expressions, object, schema } from '../../real/cel-expressions.js';
import { jsonValue } from '../json-text.js';
import { mutateText } from '../mutate.js';
import type { Random } from '../random.js';
import { target } from '../target.js';

const declared = declTypeOf(schema as CelSchema, true) as DeclType;
const fields = Object.keys(schema.properties);
const words =
  "self . s t i l ls m mi o ts du ios [ ] ( ) { } , : ? ! - + * / % < <= > >= == != && || in 1 0 -1 2.5 1e308 3u 0x1f 9223372036854775807 'a' r'\\d' b'x' '''x''' \"\\u00e9\" null true x y dyn size all map filter exists exists_one has matches split join format orValue optMap duration timestamp sort sum type string int double bytes quantity semver url ip cidr oldSelf cel.bind sets.contains lowerAscii replace substring getHours".split(
    ' ',
  );

function rule(random: Random): string {
  if (random.oneIn(5)) return random.list(1, 14, () => random.pick(words)).join(random.pick(['', ' ']));
  const text = random.pick(expressions);
  if (random.oneIn(3)) return text;
  if (random.oneIn(400))
    return random.pick(['(', '[', '!', '-', 'self.o.', '1 + ', 'a ? b : ']).repeat(random.pick([60, 2000])) + text;
  if (random.oneIn(6)) return `${text} ${random.pick(['&&', '||', '==', '?'])} ${random.pick(expressions)}`;
  return mutateText(random, text, words);
}

function self(random: Random): unknown {
  if (random.oneIn(2)) return object;
  const changed: Record<string, unknown> = { ...object };
  for (let left = 1 + random.below(3); left > 0; left--) {
    const name = random.pick(fields);
    if (random.oneIn(3)) delete changed[name];
    else changed[name] = jsonValue(random, 2);
  }
  return changed;
}

/** The steps that an evaluation may take: it yields at least once for so much cost. */
const MOST_STEPS = 100_000;

export const celTargets = [
  target(
    'cel',
    'compiles or says why not; an evaluation ends within its limit of cost, and says the same twice',
    (random) => ({ rule: rule(random), self: self(random) }),
    (input: { rule: string; self: unknown }) => {
      const compiled = compileRule(input.rule, declared);
      if (compiled.error !== undefined) {
        assert.ok(compiled.error !== '');
        return false;
      }
      assert.ok(compiled.program.maxCost >= 0);
      const evaluate = (): unknown => {
        const steps = evaluateRule(compiled.program, {
          self: input.self,
          oldSelf: compiled.program.usesOldSelf ? object : undefined,
        });
        for (let count = 0; count < MOST_STEPS; count++) {
          const step = steps.next();
          if (step.done === true) return step.value;
        }
        return assert.fail('the evaluation takes too many steps');
      };
      const result = evaluate() as { cost: number };
      assert.ok(result.cost >= 0 && result.cost < 2 ** 64);
      assert.deepEqual(evaluate(), result);
      return true;
    },
  ),
];
