/** Words that a module cannot declare. */
const RESERVED = (
  'break case catch class const continue debugger default delete do else enum export extends false finally for function if ' +
  'import in instanceof new null return super switch this throw true try typeof var void while with yield let static ' +
  'implements interface package private protected public await async arguments eval'
).split(' ');

/** Gives each declaration of a module a name of its own. */
export class Identifiers {
  readonly #used: Set<string>;

  /** @param taken names that the module imports or uses */
  constructor(taken: readonly string[]) {
    this.#used = new Set([...RESERVED, ...taken]);
  }

  /** A name that no other declaration has: the wanted one, or with a number behind it. */
  unique(wanted: string): string {
    let name = wanted;
    for (let number = 2; this.#used.has(name); number++) name = `${wanted}${number}`;
    this.#used.add(name);
    return name;
  }
}

/** A type's name from words: `cert-manager`, `spec` → `CertManagerSpec`. */
export function typeName(...words: readonly string[]): string {
  const name = words.flatMap((word) => word.split(/[^A-Za-z0-9]+/).map(capitalized)).join('');
  // A very long name would make the lines that use it unreadable.
  return startingWithLetter(name.slice(0, 120), 'Type');
}

/** A variable's name from words: `cert-requests`, `v1` → `certRequestsV1`. */
export function variableName(...words: readonly string[]): string {
  const name = typeName(...words);
  return startingWithLetter(name.charAt(0).toLowerCase() + name.slice(1), 'resource');
}

/** The name of a property, quoted if it is no identifier. */
export function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function startingWithLetter(name: string, otherwise: string): string {
  return /^[A-Za-z]/.test(name) ? name : `${otherwise}${name}`;
}
