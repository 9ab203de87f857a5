import { type CharClass, CharClassBuilder, negate, type Ranges } from './char-class.js';

const digit: Ranges = [0x30, 0x39];
const space: Ranges = [0x09, 0x0a, 0x0c, 0x0d, 0x20, 0x20];
const word: Ranges = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a];

const perlClasses: Readonly<Record<string, Ranges>> = { d: digit, s: space, w: word };

const posixClasses: Readonly<Record<string, Ranges>> = {
  alnum: [0x30, 0x39, 0x41, 0x5a, 0x61, 0x7a],
  alpha: [0x41, 0x5a, 0x61, 0x7a],
  ascii: [0x00, 0x7f],
  blank: [0x09, 0x09, 0x20, 0x20],
  cntrl: [0x00, 0x1f, 0x7f, 0x7f],
  digit,
  graph: [0x21, 0x7e],
  lower: [0x61, 0x7a],
  print: [0x20, 0x7e],
  punct: [0x21, 0x2f, 0x3a, 0x40, 0x5b, 0x60, 0x7b, 0x7e],
  space: [0x09, 0x0d, 0x20, 0x20],
  upper: [0x41, 0x5a],
  word,
  xdigit: [0x30, 0x39, 0x41, 0x46, 0x61, 0x66],
};

/** Long names of general categories, without the separators that Go ignores too. */
const categories: Readonly<Record<string, string>> = {
  casedletter: 'LC',
  closepunctuation: 'Pe',
  cntrl: 'Cc',
  combiningmark: 'M',
  connectorpunctuation: 'Pc',
  control: 'Cc',
  currencysymbol: 'Sc',
  dashpunctuation: 'Pd',
  decimalnumber: 'Nd',
  digit: 'Nd',
  enclosingmark: 'Me',
  finalpunctuation: 'Pf',
  format: 'Cf',
  initialpunctuation: 'Pi',
  letter: 'L',
  letternumber: 'Nl',
  lineseparator: 'Zl',
  lowercaseletter: 'Ll',
  mark: 'M',
  mathsymbol: 'Sm',
  modifierletter: 'Lm',
  modifiersymbol: 'Sk',
  nonspacingmark: 'Mn',
  number: 'N',
  openpunctuation: 'Ps',
  other: 'C',
  otherletter: 'Lo',
  othernumber: 'No',
  otherpunctuation: 'Po',
  othersymbol: 'So',
  paragraphseparator: 'Zp',
  privateuse: 'Co',
  punct: 'P',
  punctuation: 'P',
  separator: 'Z',
  spaceseparator: 'Zs',
  spacingmark: 'Mc',
  surrogate: 'Cs',
  symbol: 'S',
  titlecaseletter: 'Lt',
  unassigned: 'Cn',
  uppercaseletter: 'Lu',
};

/** The class of `\d`, `\S` and the like; undefined for other letters. */
export function perlClass(letter: string, fold: boolean): CharClass | undefined {
  return named(perlClasses, letter.toLowerCase(), fold, letter !== letter.toLowerCase());
}

/** The class of `[:alpha:]` or `[:^alpha:]`, without brackets and colons. */
export function posixClass(name: string, fold: boolean): CharClass | undefined {
  const negated = name.startsWith('^');
  return named(posixClasses, negated ? name.slice(1) : name, fold, negated);
}

function named(
  classes: Readonly<Record<string, Ranges>>,
  name: string,
  fold: boolean,
  negated: boolean,
): CharClass | undefined {
  const ranges = Object.hasOwn(classes, name) ? classes[name] : undefined;
  if (ranges === undefined) return undefined;
  const builder = new CharClassBuilder(fold);
  for (let i = 0; i < ranges.length; i += 2) builder.addRange(ranges[i] as number, ranges[i + 1] as number);
  return builder.finish(negated);
}

/** The class of `\p{name}`: a general category or a script. Undefined if there is none of that name. */
export function unicodeClass(name: string, fold: boolean, negated: boolean): CharClass | undefined {
  const key = name.replace(/[_\- ]/g, '').toLowerCase();
  // The keys are checked before they become a part of a RegExp, and that is only asked about one code point at a time.
  if (!/^[a-z]+$/.test(key)) return undefined;
  if (key === 'any') return negated ? { has: () => false } : { has: () => true };
  if (key === 'ascii') return named(posixClasses, 'ascii', fold, negated);
  if (key === 'assigned') return unicodeClass('Cn', fold, !negated);
  const capitalized = key.charAt(0).toUpperCase() + key.slice(1);
  const category = Object.hasOwn(categories, key) ? categories[key] : key === 'lc' ? 'LC' : capitalized;
  const property =
    testOf(`\\p{gc=${category}}`, fold) ?? (name.includes('_') ? undefined : testOf(`\\p{sc=${capitalized}}`, fold));
  if (property === undefined) return undefined;
  const charClass: CharClass = { has: (codePoint) => property.test(String.fromCodePoint(codePoint)) };
  return negated ? negate(charClass) : charClass;
}

function testOf(property: string, fold: boolean): RegExp | undefined {
  try {
    return new RegExp(`^${property}$`, fold ? 'iu' : 'u');
  } catch {
    return undefined;
  }
}
