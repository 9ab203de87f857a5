/** Beyond so many characters of warnings, each is cut. */
const TOTAL_CHARACTERS = 4 * 1024;
const ITEM_CHARACTERS = 256;
// biome-ignore lint/suspicious/noControlCharactersInRegex: texts with control characters cannot be sent in a header
const UNSENDABLE = /[\u0000-\u001f\u007f-\u009f]/;

/** The warnings of one request, which its answer has in `Warning` headers, also if the request is refused. */
export class Warnings {
  readonly #texts = new Set<string>();

  add(text: string): void {
    if (text !== '') this.#texts.add(text);
  }

  /** The value of the `Warning` header, or undefined without warnings. */
  get header(): string | undefined {
    if (this.#texts.size === 0) return undefined;
    let texts = [...this.#texts].filter((text) => !UNSENDABLE.test(text));
    let total = 0;
    for (const text of texts) total += text.length;
    if (total > TOTAL_CHARACTERS) texts = cut(texts);
    return texts.length === 0 ? undefined : texts.map((text) => `299 - "${text.replace(/["\\]/g, '\\$&')}"`).join(', ');
  }
}

function cut(texts: readonly string[]): string[] {
  const kept: string[] = [];
  let total = 0;
  for (const text of texts) {
    if (total >= TOTAL_CHARACTERS) break;
    kept.push([...text].slice(0, ITEM_CHARACTERS).join(''));
    total += kept.at(-1)!.length;
  }
  return kept;
}
