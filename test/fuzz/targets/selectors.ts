import assert from 'node:assert/strict';
import { parseShardSelector } from '../../../src/apiserver/request/options/shard-selector.js';
import { ParseError, StatusError } from '../../../src/meta/errors/errors.js';
import { parseFieldSelector } from '../../../src/meta/selectors/field-selector.js';
import { parseLabelSelector } from '../../../src/meta/selectors/label-selector.js';
import { mutateText } from '../mutate.js';
import type { Random } from '../random.js';
import { accepted, target } from '../target.js';

const words = [
  'a',
  'b',
  'app',
  'x.io/a',
  'in',
  'notin',
  'constructor',
  '__proto__',
  '0',
  '-7',
  '9223372036854775807',
  '',
];
const symbols = ['=', '==', '!=', '!', ',', '(', ')', '<', '>', ' ', '\t', ...words];

function labelRequirement(random: Random): string {
  const key = random.pick(words);
  const space = random.pick(['', '', ' ']);
  switch (random.below(6)) {
    case 0:
      return key;
    case 1:
      return `!${space}${key}`;
    case 2:
      return `${key} ${random.pick(['in', 'notin'])} ${space}(${random.list(0, 3, () => random.pick(words)).join(',')})`;
    case 3:
      return `${key}${space}${random.pick(['<', '>'])}${space}${random.pick(['1', '-2', '10', '08', '9223372036854775808', 'a'])}`;
    default:
      return `${key}${space}${random.pick(['=', '==', '!='])}${space}${random.pick(words)}`;
  }
}

type Labels = Readonly<Record<string, string>>;

/** A second opinion about the labels that a requirement selects, from its text as kube-apiserver documents it. */
function selectsLabels(text: string, labels: Labels): boolean {
  const value = (key: string): string | undefined => (Object.hasOwn(labels, key) ? labels[key] : undefined);
  const set = /^(\S+) (in|notin) \((.*)\)$/.exec(text);
  if (set !== null) {
    const found = value(set[1] as string);
    const isIn = found !== undefined && (set[3] as string).split(',').includes(found);
    return set[2] === 'in' ? isIn : !isIn;
  }
  if (text.startsWith('!')) return value(text.slice(1)) === undefined;
  const [, key = '', operator, operand = ''] = /^([^=!<>]+)(==|=|!=|<|>)(.*)$/.exec(text) ?? [];
  if (operator === undefined) return value(text) !== undefined;
  const found = value(key);
  if (operator === '!=') return found !== operand;
  if (found === undefined) return false;
  if (operator.startsWith('=')) return found === operand;
  if (!/^[+-]?\d+$/.test(found) || BigInt.asIntN(64, BigInt(found)) !== BigInt(found)) return false;
  return operator === '<' ? BigInt(found) < BigInt(operand) : BigInt(found) > BigInt(operand);
}

/** Splits a printed selector at the commas outside parentheses. */
const requirementsOf = (text: string): string[] => (text === '' ? [] : text.split(/,(?![^(]*\))/));

export const selectorTargets = [
  target(
    'label-selectors',
    'refuses with ParseError; prints what parses to the same; selects what a second reading selects',
    (random) => {
      const text = random.list(0, 4, () => labelRequirement(random)).join(random.pick([',', ',', ' , ']));
      const labels: Record<string, string> = {};
      for (let left = random.below(4); left > 0; left--) labels[random.pick(words)] = random.pick(words);
      return { text: random.oneIn(3) ? mutateText(random, text, symbols) : text, labels };
    },
    ({ text, labels }: { text: string; labels: Labels }) => {
      const selector = accepted(() => parseLabelSelector(text), [ParseError]);
      if (selector === undefined) return false;
      const printed = String(selector);
      const again = parseLabelSelector(printed);
      assert.deepEqual(again.requirements, selector.requirements);
      assert.equal(String(again), printed);
      assert.equal(
        selector.matches(labels),
        requirementsOf(printed).every((requirement) => selectsLabels(requirement, labels)),
      );
      return true;
    },
  ),

  target(
    'field-selectors',
    'refuses with ParseError; prints what parses to the same',
    (random) => {
      const parts = [
        'metadata.name',
        'spec.nodeName',
        'a',
        'ä',
        '=',
        '==',
        '!=',
        '!',
        ',',
        '\\',
        '\\,',
        '\\=',
        '\\\\',
        ' ',
        '__proto__',
      ];
      return random.text(0, 9, parts);
    },
    (text: string) => {
      const selector = accepted(() => parseFieldSelector(text), [ParseError]);
      if (selector === undefined) return false;
      const printed = String(selector);
      assert.deepEqual(parseFieldSelector(printed).requirements, selector.requirements);
      for (const { field, operator, value } of selector.requirements) {
        if (operator === '=')
          assert.equal(
            selector.matches(() => `${value}x`),
            false,
          );
        assert.equal(typeof field, 'string');
      }
      return true;
    },
  ),

  target(
    'shard-selectors',
    'refuses with a Status; the normal form parses to itself',
    (random) => {
      const wrong = ["'0x7'", '5', 'a.b', "'0x10000000000000001'", 'shardRange()', '"0X"'];
      const bound = (good: readonly string[]): string => random.pick(random.oneIn(12) ? wrong : good);
      const field = random.pick(['object.metadata.uid', 'object.metadata.namespace']);
      const range = (): string => {
        const low = bound(["'0x0000000000000000'", "'0x4000000000000000'"]);
        const high = bound(["'0x8000000000000000'", '"0xffffffffffffffff"', "'0x10000000000000000'"]);
        const text = `shardRange(${random.oneIn(12) ? 'toString' : field}, ${low}, ${high})`;
        return random.oneIn(8) ? `(${text})` : text;
      };
      const text = random.list(1, 3, range).join(random.oneIn(12) ? ' && ' : ' || ');
      const words = ['(', ')', '!', '||', '&&', "'", '"', ',', '\\', 'shardRange'];
      return random.oneIn(3) ? mutateText(random, text, words) : text;
    },
    (text: string) => {
      const selector = accepted(() => parseShardSelector(text), [StatusError]);
      if (selector === undefined) return false;
      assert.equal(parseShardSelector(selector.text).text, selector.text);
      return true;
    },
  ),
];
