import { someCharacter } from './mutate.js';
import type { Random } from './random.js';

const gaps = ['', '', '', '', '', '', '', ' ', '\n', '\t \r\n'];
const numbers = [
  '0',
  '1',
  '-1',
  '7',
  '42',
  '-0',
  '0.5',
  '1e3',
  '-2.5E-3',
  '12345678901234567890',
  '1e400',
  '3000000000',
];
const texts = [
  '',
  'a',
  'b',
  'web',
  'default',
  'kube-system',
  '10',
  '1Gi',
  'Pod',
  'v1',
  '\\n',
  '\\u00e4',
  '\\ud83d\\ude00',
  'ü',
  '😀',
  '\\"',
  '\\\\',
  '\\/',
];
/** Names that objects inherit are among them. */
const fieldNames = [
  'a',
  'b',
  'name',
  'namespace',
  'metadata',
  'spec',
  'kind',
  'labels',
  '__proto__',
  'constructor',
  'toString',
  'items',
  'type',
  'object',
  '0',
  '',
];

/** A string as JSON text, now and then with escapes where none are needed. */
export function stringText(random: Random, content: string = random.pick(texts)): string {
  if (random.oneIn(12)) return `"${content}${JSON.stringify(someCharacter(random)).slice(1)}`;
  if (random.oneIn(12) && /^\w+$/.test(content)) {
    const at = random.below(content.length);
    const code = content.charCodeAt(at).toString(16).padStart(4, '0');
    return `"${content.slice(0, at)}\\u${code}${content.slice(at + 1)}"`;
  }
  return `"${content}"`;
}

/** A field with its value. */
export function memberText(random: Random, name: string, value: string): string {
  return `${random.pick(gaps)}${stringText(random, name)}${random.pick(gaps)}:${value}`;
}

/** Any JSON value as text: all kinds of escapes and numbers, whitespace everywhere, and names that come twice. */
export function jsonText(random: Random, depth = 3): string {
  const gap = random.pick(gaps);
  switch (random.below(depth > 0 ? 8 : 5)) {
    case 0:
      return gap + random.pick(['true', 'false', 'null', '{}', '[]', '{ }', '[\n]']);
    case 1:
    case 2:
      return gap + random.pick(numbers);
    case 3:
    case 4:
      return gap + stringText(random) + gap;
    case 5:
      return `${gap}[${random.list(1, 3, () => jsonText(random, depth - 1)).join(',')}${gap}]`;
    default:
      return `${gap}{${random.list(1, 4, () => memberText(random, random.pick(fieldNames), jsonText(random, depth - 1))).join(',')}}${gap}`;
  }
}

/** An object of the API as text: mostly with metadata, sometimes with fields of the wrong type, or that come twice. */
export function objectText(random: Random): string {
  const text = (): string => (random.oneIn(15) ? jsonText(random, 1) : stringText(random));
  const metadata = (): string => {
    const members = random.list(1, 5, () => {
      const name = random.pick([
        'name',
        'name',
        'namespace',
        'resourceVersion',
        'uid',
        'labels',
        'managedFields',
        'generation',
        'annotations',
        'ownerReferences',
      ]);
      if (name === 'labels' || name === 'annotations')
        return memberText(random, name, `{${memberText(random, random.pick(fieldNames), text())}}`);
      if (name === 'managedFields' || name === 'ownerReferences')
        return memberText(random, name, `[${jsonText(random, 2)}]`);
      return memberText(random, name, name === 'generation' ? random.pick(numbers) : text());
    });
    return `{${members.join(',')}}`;
  };
  const members = random.list(0, 4, () => {
    const name = random.pick(['kind', 'apiVersion', 'metadata', 'metadata', 'spec', 'status', 'data']);
    if (name === 'metadata') return memberText(random, name, random.oneIn(12) ? jsonText(random, 1) : metadata());
    return memberText(random, name, name === 'kind' || name === 'apiVersion' ? text() : jsonText(random));
  });
  return `${random.pick(gaps)}{${members.join(',')}${random.pick(gaps)}}`;
}

/** A plain JSON value, which is equal to what JSON.parse makes of its text. */
export function jsonValue(random: Random, depth = 3): unknown {
  switch (random.below(depth > 0 ? 7 : 4)) {
    case 0:
      return random.pick([null, true, false]);
    case 1:
      return random.pick([0, 1, -1, 2, 1.5, 80, 1e21]);
    case 2:
    case 3:
      return random.pick(['', 'a', 'b', 'c', 'web', 'ä', '1']);
    case 4:
      return random.list(0, 3, () => jsonValue(random, depth - 1));
    default:
      return jsonObject(random, depth);
  }
}

export function jsonObject(
  random: Random,
  depth = 3,
  names: readonly string[] = ['a', 'b', 'c', 'a/b', 'm~n', '', '0', 'toString'],
): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (let left = random.below(4); left > 0; left--) object[random.pick(names)] = jsonValue(random, depth - 1);
  return object;
}
