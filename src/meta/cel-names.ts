/** The words that CEL reserves: a property of that name is written `__name__` in an expression. */
export const reservedWords: ReadonlySet<string> = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

const escapes: readonly (readonly [text: string, escaped: string])[] = [
  ['__', '__underscores__'],
  ['.', '__dot__'],
  ['-', '__dash__'],
  ['/', '__slash__'],
];

/**
 * The identifier by which an expression reads a property: `a.b-c` is `a__dot__b__dash__c`. Undefined if the name begins with
 * a digit or has a character that cannot be escaped: expressions cannot read such a property.
 */
export function escapeName(name: string): string | undefined {
  if (!/^[a-zA-Z_./-][a-zA-Z0-9_./-]*$/.test(name)) return undefined;
  if (reservedWords.has(name)) return `__${name}__`;
  return name.replace(/__|[./-]/g, (text) => escapes.find(([from]) => from === text)?.[1] ?? text);
}

/** The property that an escaped identifier stands for; undefined if it has an escape that does not exist. */
export function unescapeName(identifier: string): string | undefined {
  if (!identifier.includes('__')) return identifier;
  let valid = true;
  const name = identifier.replace(/__([^_]+)__/g, (escaped: string, word: string) => {
    const found = escapes.find(([, to]) => to === escaped);
    if (found !== undefined) return found[0];
    if (reservedWords.has(word) && escaped.length === identifier.length) return word;
    valid = false;
    return '';
  });
  return valid ? name : undefined;
}
