import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../test/support/runs.js';
import { seededRandom } from '../../time/seeded-random.js';
import { readTar } from './tar-reader.js';
import { TAR_END, type TarEntry, tarHead, tarPadding } from './tar-writer.js';

interface Packed extends Omit<TarEntry, 'size'> {
  readonly content: string;
}

function pack(entries: readonly Packed[]): Buffer {
  const parts = entries.flatMap(({ content, ...entry }) => {
    const bytes = Buffer.from(entry.type === 'file' ? content : '');
    return [tarHead({ ...entry, size: bytes.length }), bytes, tarPadding(bytes.length)];
  });
  return Buffer.concat([...parts, TAR_END]);
}

async function unpack(bytes: Buffer, step: number): Promise<Packed[]> {
  const found: Packed[] = [];
  const pieces = (async function* () {
    for (let at = 0; at < bytes.length; at += step) yield bytes.subarray(at, at + step);
  })();
  for await (const { type, path, mode, mtime, link, content } of readTar(pieces)) {
    let text = '';
    // Every third content is left unread.
    if (found.length % 3 < 2) for await (const part of content()) text += part;
    found.push({ type, path, mode, mtime, link, content: text });
  }
  return found;
}

const name = fc.oneof(
  fc.stringMatching(/^[a-z0-9._-]{1,20}$/),
  fc.stringMatching(/^[a-z/]{90,200}x$/),
  fc.constantFrom('ümlaut', 'a b', '日本語/ファイル'),
);
const entry: fc.Arbitrary<Packed> = fc
  .record({
    type: fc.constantFrom('file', 'symbolicLink', 'hardLink', 'folder'),
    path: name,
    mode: fc.integer({ min: 0, max: 0o7777 }),
    mtime: fc.integer({ min: 0, max: 0o77777777777 }),
    link: name,
    content: fc.string({ maxLength: 2000 }).map((text) => text.replace(/[^\x20-\x7e]/g, 'x')),
  })
  .map(({ type, link, content, ...rest }) => ({
    ...rest,
    type: type as TarEntry['type'],
    link: type === 'symbolicLink' || type === 'hardLink' ? link : '',
    content: type === 'file' ? content : '',
  }));

describe('an archive', () => {
  it('is read as it was written, in pieces of any length', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 8 }), fc.integer({ min: 1, max: 3000 }), async (entries, step) => {
        const found = await unpack(pack(entries), step);
        expect(found).toEqual(entries.map((one, at) => (at % 3 < 2 ? one : { ...one, content: '' })));
      }),
      { numRuns: runs(60) },
    );
  });

  it.each(['abc', '', '0 a=b\n', '99 path=a\n', 'x path=a\n'])('with the extended header %j ends', async (record) => {
    const bytes = Buffer.from(record);
    const head = tarHead({ type: 'file', path: 'x', mode: 0o644, mtime: 0, link: '', size: bytes.length });
    // The type of an extended header is `x`, a byte whose value the checksum contains.
    const sum = Number.parseInt(head.toString('latin1', 148, 154), 8) + 'x'.charCodeAt(0) - (head[156] as number);
    head.write('x', 156);
    head.write(sum.toString(8).padStart(6, '0'), 148);
    const unpacked = unpack(Buffer.concat([head, bytes, tarPadding(bytes.length), TAR_END]), 512);
    if (record === '') expect(await unpacked).toEqual([]);
    else await expect(unpacked).rejects.toThrow('an extended header is malformed');
  });

  it('of any bytes ends or throws', async () => {
    const random = seededRandom(3);
    const valid = pack([{ type: 'file', path: 'a', mode: 0o644, mtime: 1, link: '', content: 'x'.repeat(700) }]);
    for (let round = 0; round < 500; round++) {
      const bytes = Buffer.from(valid.subarray(0, Math.floor(random() * valid.length)));
      for (let change = 0; change < 3 && bytes.length > 0; change++) {
        bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
      }
      await unpack(bytes, 512).catch((error: Error) => expect(error.message).toContain('no valid tar archive'));
    }
  });
});
