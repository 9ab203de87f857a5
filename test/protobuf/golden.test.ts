import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { protobufCodec } from '../../src/codec/protobuf/protobuf-codec.js';
import { readGoldenLines } from './golden-lines.js';

// Written by `test/real/protobuf-golden generate 1 5`, without lists; test/real compares many more.
const golden = readGoldenLines(gunzipSync(readFileSync(new URL('./golden.txt.gz', import.meta.url))).toString());

describe('protobuf of every built-in kind', () => {
  it('decodes to what Go prints as JSON, with the fields in the same order', () => {
    expect(golden.length).toBeGreaterThan(300);
    for (const { document, json } of golden) {
      const object = protobufCodec.decode(document, { isStrict: () => true });
      expect(JSON.stringify(object)).toBe(JSON.stringify(JSON.parse(json)));
    }
  });

  it('encodes JSON to a document that decodes to the same JSON', () => {
    for (const { json } of golden) {
      const object = JSON.parse(json);
      const encoded = protobufCodec.encode(object);
      expect(withoutNulls(protobufCodec.decode(encoded!))).toEqual(withoutNulls(object));
    }
  });
});

/** A pointer to the zero time is null in JSON, and no pointer after that. */
function withoutNulls(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_, member) => (member === null ? undefined : member)));
}
