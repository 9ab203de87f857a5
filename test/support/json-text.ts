import fc from 'fast-check';
import { anyCharacter } from './any-character.js';

/** Whitespace as JSON allows it. */
const space = (): fc.Arbitrary<string> => fc.constantFrom('', '', '', ' ', '\n', '\t \r\n');

/** A string as JSON text, escaped in any of the ways there are. */
export function stringText(
  value: fc.Arbitrary<string> = fc.string({ unit: anyCharacter, maxLength: 12 }),
): fc.Arbitrary<string> {
  return fc.tuple(value, fc.infiniteStream(fc.integer({ min: 0, max: 9 }))).map(([text, choices]) => {
    let out = '"';
    for (const unit of text.split('')) {
      const choice = choices.next().value ?? 0;
      if (choice === 0) out += `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
      else if (choice === 1 && unit === '/') out += '\\/';
      else out += JSON.stringify(unit).slice(1, -1);
    }
    return `${out}"`;
  });
}

const numberText = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom('0', '-0', '-0.0', '1e400', '1E+2', '12345678901234567890', '0.1e-2', '1.0'),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
    fc.integer().map(String),
  );

/** Any JSON value as text: every kind of escape, whitespace everywhere, and keys that come twice. */
export function jsonText(): fc.Arbitrary<string> {
  return fc.letrec<{ value: string }>((tie) => {
    const list = (open: string, close: string, entry: fc.Arbitrary<string>) =>
      fc
        .tuple(space(), fc.array(fc.tuple(space(), entry, space()), { maxLength: 4 }))
        .map(([inside, entries]) => `${open}${inside}${entries.map((parts) => parts.join('')).join(',')}${close}`);
    const key = stringText(fc.oneof(fc.constantFrom('a', 'name', 'metadata'), fc.string({ maxLength: 5 })));
    const member = fc.tuple(key, space(), tie('value')).map(([name, gap, value]) => `${name}${gap}:${value}`);
    return {
      value: fc
        .tuple(
          space(),
          fc.oneof(
            { maxDepth: 4, depthSize: 'small' },
            stringText(),
            numberText(),
            fc.constantFrom('true', 'false', 'null', '{}', '[]'),
            list('[', ']', tie('value')),
            list('{', '}', member),
          ),
          space(),
        )
        .map((parts) => parts.join('')),
    };
  }).value;
}
