import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../time/seeded-random.js';
import { HpackDecoder } from './hpack-decoder.js';
import { HpackEncoder } from './hpack-encoder.js';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

describe('HpackDecoder', () => {
  it('decodes the examples of RFC 7541 without Huffman codes (C.3)', () => {
    const decoder = new HpackDecoder();
    const first = [':method', 'GET', ':scheme', 'http', ':path', '/', ':authority', 'www.example.com'];
    expect(decoder.decode(hex('8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d'))).toEqual(first);
    expect(decoder.decode(hex('8286 84be 5808 6e6f 2d63 6163 6865'))).toEqual([...first, 'cache-control', 'no-cache']);
    expect(decoder.decode(hex('8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65'))).toEqual([
      ':method',
      'GET',
      ':scheme',
      'https',
      ':path',
      '/index.html',
      ':authority',
      'www.example.com',
      'custom-key',
      'custom-value',
    ]);
  });

  it('decodes the examples of RFC 7541 with Huffman codes and evictions (C.6)', () => {
    const decoder = new HpackDecoder();
    // The examples have a table of 256 bytes, which the server may announce.
    const small = hex('3fe101');
    const first = hex(
      '4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3',
    );
    const date = 'Mon, 21 Oct 2013 20:13:21 GMT';
    const location = 'https://www.example.com';
    const rest = ['cache-control', 'private', 'date', date, 'location', location];
    expect(decoder.decode(Buffer.concat([small, first]))).toEqual([':status', '302', ...rest]);
    // :status 302 is evicted.
    expect(decoder.decode(hex('4883 640e ffc1 c0bf'))).toEqual([':status', '307', ...rest]);
    const third = hex(
      '88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07',
    );
    expect(decoder.decode(third)).toEqual([
      ':status',
      '200',
      'cache-control',
      'private',
      'date',
      'Mon, 21 Oct 2013 20:13:22 GMT',
      'location',
      location,
      'content-encoding',
      'gzip',
      'set-cookie',
      'foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1',
    ]);
  });

  it('decodes what an HpackEncoder encodes, with tables of any size', () => {
    for (let seed = 1; seed <= 200; seed++) {
      const random = seededRandom(seed);
      const below = (limit: number): number => Math.floor(random() * limit);
      const encoder = new HpackEncoder();
      const decoder = new HpackDecoder();
      for (let round = 0; round < 20; round++) {
        for (let i = below(3); i > 0; i--) encoder.limit(below(6000));
        const fields = Array.from({ length: below(12) }, (): [string, string] => {
          const name = [':method', ':path', 'accept', 'x-a', `x-${below(50)}`][below(5)]!;
          const value = ['GET', '', 'x'.repeat(below(3000)), String.fromCharCode(1 + below(255)).repeat(below(300))][
            below(4)
          ]!;
          return [name, value];
        });
        const size = fields.reduce((sum, [name, value]) => sum + name.length + value.length + 32, 0);
        expect(decoder.decode(encoder.encode(fields)), `seed ${seed}`).toEqual(
          size > 65_536 ? undefined : fields.flat(),
        );
      }
    }
  });

  it('drops entries when its table is shortened, also if it is enlarged at once', () => {
    const decoder = new HpackDecoder();
    decoder.decode(hex('4001610162'));
    expect(decoder.decode(hex('be'))).toEqual(['a', 'b']);
    expect(decoder.decode(hex('20 3fe11f'))).toEqual([]);
    expect(() => decoder.decode(hex('be'))).toThrow('no entry 62');
  });

  it('empties its table at an entry that is larger', () => {
    const decoder = new HpackDecoder();
    decoder.decode(hex('4001610162'));
    expect(decoder.decode(hex('be'))).toEqual(['a', 'b']);
    decoder.decode(Buffer.concat([hex('400161 7fe11f'), Buffer.alloc(4192, 'x')]));
    expect(() => decoder.decode(hex('be'))).toThrow('no entry 62');
  });
});
