import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/runs.js';
import { type ByteSource, textSource } from './byte-source.js';
import { splitDocuments } from './split-documents.js';

/** What the splitter yields, as `number:line:text`. */
async function split(source: ByteSource): Promise<string[]> {
  const found: string[] = [];
  for await (const { span, text } of splitDocuments(source)) {
    found.push(`${span.number}:${span.line}:${text}`);
    const bytes = await source.read(span.start, span.length);
    expect(Buffer.from(bytes).toString().replace('\uFEFF', '')).toBe(text);
  }
  return found;
}

const ofText = (text: string) => split(textSource(text));

describe('splitDocuments', () => {
  it('splits at lines that begin with three dashes, and leaves out what has no content', async () => {
    expect(await ofText('a: 1\n---\nb: 2\n')).toEqual(['1:1:a: 1\n', '2:2:\nb: 2\n']);
    expect(await ofText('---\n# only a comment\n---\n%YAML 1.1\n---\r\na: 1\r\n---\n')).toEqual(['1:5:\r\na: 1\r\n']);
    expect(await ofText('')).toEqual([]);
    expect(await ofText('---')).toEqual([]);
    expect(await ofText('\uFEFFa: 1')).toEqual(['1:1:a: 1']);
  });

  it('takes the rest of the separator as content, and longer dashes as text', async () => {
    expect(await ofText('--- {a: 1}\n----\n---x: 1\n')).toEqual(['1:1: {a: 1}\n----\n---x: 1\n']);
    expect(await ofText('a: |\n  ---\n  b\n')).toEqual(['1:1:a: |\n  ---\n  b\n']);
  });

  it('finds the same documents wherever the chunks end', async () => {
    const line = fc.constantFrom('a: 1', '---', '--- # c', '----', '', '# c', ' ---', 'ä: "—"', 'x'.repeat(300));
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 30 }), fc.integer({ min: 0, max: 40 }), async (lines, shift) => {
        // The texts are about the size of a chunk, so that a chunk ends somewhere in the lines.
        const text = `${'#'.repeat(256 * 1024 - shift)}\n${lines.join('\n')}`;
        const expected = text.split(/^---(?=[ \t\r]|$)/m).filter((part) => /^(?!\s*(?:#.*)?$).+$/m.test(part));
        expect((await ofText(text)).map((one) => one.replace(/^\d+:\d+:/, ''))).toEqual(expected);
      }),
      { numRuns: runs(100) },
    );
  });

  it('refuses a document that it would have to hold as a whole, even of one line', async () => {
    const endless: ByteSource = {
      read: async (_, length) => new Uint8Array(length).fill(120),
      async [Symbol.asyncDispose]() {},
    };
    await expect(split(endless)).rejects.toThrow('the document at line 1 has more than 67108864 bytes');
  });
});
