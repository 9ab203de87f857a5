import { GO_ESCAPES } from '../../../meta/go-values.js';

const simple: Readonly<Record<string, string>> = { ...GO_ESCAPES, "'": "'", '"': '"', '`': '`', '?': '?' };
const escapeSequence = /\\(?:[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|(.))/gs;

/** The text of a string literal, without its quotes and escapes. Throws if an escape is no character. */
export function unquoteString(literal: string): string {
  const { body, raw } = withoutQuotes(literal);
  if (raw) return body;
  return body.replace(escapeSequence, (_text, hex, short, long, octal, character: string | undefined) => {
    if (character !== undefined) return simple[character] ?? character;
    const codePoint = octal === undefined ? Number.parseInt(hex ?? short ?? long, 16) : Number.parseInt(octal, 8);
    if (codePoint > 0x10ffff || (codePoint >= 0xd800 && codePoint < 0xe000))
      throw new Error('invalid unicode code point');
    return String.fromCodePoint(codePoint);
  });
}

/** The bytes of a literal `b'…'`, without the letter: `\xff` is a byte there. */
export function unquoteBytes(literal: string): Uint8Array {
  const { body, raw } = withoutQuotes(literal);
  if (raw) return Buffer.from(body);
  const parts: Buffer[] = [];
  let end = 0;
  for (const match of body.matchAll(escapeSequence)) {
    parts.push(Buffer.from(body.slice(end, match.index)));
    end = match.index + match[0].length;
    const [, hex, short, long, octal, character] = match;
    if (short !== undefined || long !== undefined) throw new Error('unable to unescape string');
    if (character !== undefined) parts.push(Buffer.from(simple[character] ?? character));
    else parts.push(Buffer.of(octal === undefined ? Number.parseInt(hex as string, 16) : Number.parseInt(octal, 8)));
  }
  return Buffer.concat([...parts, Buffer.from(body.slice(end))]);
}

function withoutQuotes(literal: string): { readonly body: string; readonly raw: boolean } {
  const raw = literal.startsWith('r') || literal.startsWith('R');
  const text = (raw ? literal.slice(1) : literal).replaceAll(/\r\n?/g, '\n');
  const quotes = text.length >= 6 && (text.startsWith('"""') || text.startsWith("'''")) ? 3 : 1;
  return { body: text.slice(quotes, -quotes), raw };
}
