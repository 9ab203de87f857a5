import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { anyCharacter } from '../../../test/support/any-character.js';
import { jsonText } from '../../../test/support/json-text.js';
import { runs } from '../../../test/support/runs.js';
import { DecodeError } from '../decode-error.js';
import type { EngineKind } from './engine.js';
import { BLOCK_COUNT, BLOCKS, MARKS, MAX_DEPTH, MEMORY_SIZE, PADDING, WINDOW, WINDOW_SIZE } from './scan-layout.js';
import { compileScanProgram } from './scan-program.js';
import { MAX_CHUNK, Scanner } from './scanner.js';

const engines: readonly EngineKind[] = ['wasm', 'javascript'];

/** Scans one document in the given chunks: the offset of the error, or undefined if it is valid. */
function refusal(engine: EngineKind, chunks: readonly Buffer[]): number | undefined {
  const scanner = new Scanner('object', compileScanProgram('object', [], []), 1_000_000, engine);
  try {
    for (const chunk of chunks) {
      scanner.put(chunk);
      while (scanner.next() !== 0);
    }
    scanner.finish();
    return undefined;
  } catch (error) {
    if (error instanceof DecodeError) return error.offset;
    throw error;
  }
}

function parses(bytes: Buffer): boolean {
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

describe.each(engines)('scan (%s)', (engine) => {
  it('accepts what JSON.parse accepts, with chunks of any size', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: anyCharacter }), jsonText(), { maxKeys: 4 }),
        fc.nat(),
        (members, cut) => {
          const text = `{${Object.entries(members).map(([key, value]) => `${JSON.stringify(key)} :${value}`)}}`;
          const bytes = Buffer.from(text);
          expect(parses(bytes)).toBe(true);
          const at = cut % (bytes.length + 1);
          expect(refusal(engine, [bytes.subarray(0, at), bytes.subarray(at)])).toBe(undefined);
        },
      ),
    );
  });

  it('rejects what JSON.parse rejects: one byte changed, removed or added', () => {
    const byte = fc.oneof(
      fc.constantFrom(...Buffer.from('{}[]",:\\/-+.eEtfnu019 \n\t\r\0').values()),
      fc.integer({ min: 0, max: 255 }),
    );
    fc.assert(
      fc.property(jsonText(), fc.nat(), byte, fc.integer({ min: 0, max: 2 }), (value, position, added, removed) => {
        const whole = Buffer.from(`{"a":${value},"b":[${value}]}`);
        const at = position % whole.length;
        const bytes = Buffer.concat([whole.subarray(0, at), Buffer.from([added]), whole.subarray(at + removed)]);
        expect(refusal(engine, [bytes]) === undefined, bytes.toString()).toBe(parses(bytes));
      }),
      { numRuns: runs(800) },
    );
  });

  it('agrees with JSON.parse on every byte in strings and keys', () => {
    for (let byte = 0; byte < 0x80; byte++) {
      for (const [before, behind] of [
        ['{"a":"', '"}'],
        ['{"b', '":1}'],
        ['{"a":"\\', '"}'],
      ]) {
        const bytes = Buffer.concat([Buffer.from(before!), Buffer.from([byte]), Buffer.from(behind!)]);
        expect(refusal(engine, [bytes]) === undefined, JSON.stringify(bytes.toString())).toBe(parses(bytes));
      }
    }
  });

  it('agrees with JSON.parse on all short sequences of the characters of numbers', () => {
    const characters = ['-', '+', '.', 'e', '0', '1', ''];
    const numbers = characters.flatMap((a) =>
      characters.flatMap((b) => characters.flatMap((c) => characters.map((d) => a + b + c + d))),
    );
    for (const number of new Set(numbers)) {
      const bytes = Buffer.from(`{"a":${number},"b":[${number}]}`);
      expect(refusal(engine, [bytes]) === undefined, number).toBe(parses(bytes));
    }
  });

  it('agrees with JSON.parse on objects in arrays in objects, with a changed byte and chunks of any size', () => {
    const leaf = fc.constantFrom(
      '"x"',
      '"a \\"b\\" \\\\"',
      '"\\u00e9"',
      '0',
      '7',
      '1203',
      '-1',
      '1.5',
      'true',
      'false',
      'null',
      '{}',
      '[]',
    );
    const key = fc.constantFrom(
      'a',
      'f:spec',
      'k:{\\"name\\":\\"app\\"}',
      'a-key-that-is-longer-than-sixteen-bytes',
      '\\n',
      '',
    );
    const { object } = fc.letrec<{ object: string; value: string }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        leaf,
        tie('object'),
        fc.array(tie('object'), { minLength: 1, maxLength: 3 }).map((all) => `[${all.join()}]`),
        fc.array(leaf, { maxLength: 3 }).map((all) => `[${all.join()}]`),
      ),
      object: fc
        .array(fc.tuple(key, tie('value')), { maxLength: 4 })
        .map((members) => `{${members.map(([name, value]) => `"${name}":${value}`).join()}}`),
    }));
    const byte = fc.constantFrom(...Buffer.from('{}[]",:\\1t ').values());
    fc.assert(
      fc.property(
        object,
        fc.nat(),
        byte,
        fc.integer({ min: 0, max: 2 }),
        fc.nat(),
        (whole, position, added, removed, cut) => {
          const text = Buffer.from(whole);
          const at = position % text.length;
          for (const bytes of [
            text,
            Buffer.concat([text.subarray(0, at), Buffer.from([added]), text.subarray(at + removed)]),
          ]) {
            const end = cut % (bytes.length + 1);
            const offset = refusal(engine, [bytes]);
            expect(offset === undefined, bytes.toString()).toBe(parses(bytes));
            expect(refusal(engine, [bytes.subarray(0, end), bytes.subarray(end)]), bytes.toString()).toBe(offset);
          }
        },
      ),
      { numRuns: runs(500) },
    );
  });

  it.each([
    ['{"a":01}', 6],
    ['{"a":-}', 6],
    ['{"a":1.}', 7],
    ['{"a":1e}', 7],
    ['{"a":1e+}', 8],
    ['{"a":.5}', 5],
    ['{"a":+1}', 5],
    ['{"a":truE}', 8],
    ['{"a":nul}', 8],
    ['{"a":"\n"}', 6],
    ['{"a":"\\x"}', 7],
    ['{"a":"\\u12g4"}', 10],
    ['{"a":1,}', 7],
    ['{"a" 1}', 5],
    ['{a:1}', 1],
    ['{"a":[1,]}', 8],
    ['{"a":[}', 6],
    ['{"a":{]}', 6],
    ['{"a":1]', 6],
    ['{"a":1}}', 7],
    ['{"a":1} x', 8],
    ['[1]', 0],
    ['1', 0],
    ['\ufeff{}', 0],
    ["{'a':1}", 1],
    ['{"a":1 2}', 7],
    ['{,}', 1],
    ['{"a":\u00a01}', 5],
    // The bytes end too early: the offset is their end.
    ['{"a":"x', 7],
    ['{"a":1', 6],
    ['', 0],
    ['   ', 3],
  ])('rejects %j at byte %i, byte by byte and at once', (text, offset) => {
    const bytes = Buffer.from(text);
    expect(parses(bytes)).toBe(false);
    expect(refusal(engine, [bytes])).toBe(offset);
    expect(
      refusal(
        engine,
        Array.from(bytes, (b) => Buffer.from([b])),
      ),
    ).toBe(offset);
  });

  it.each([
    '{"a":"\\u0000\\ud800\\"\\\\\\/\\b\\f\\n\\r\\t"}',
    ' \t\r\n{ "a" : [ ] , "" : { } , "b" : [ -0 , 0.5 , 1E-7 , 1e400 , null , true , false ] } \n',
    '{"\u2028\u007f":"\u{1f600}"}',
    `{"a":"${'x'.repeat(200)}"}`,
  ])('accepts %j, byte by byte and at once', (text) => {
    const bytes = Buffer.from(text);
    expect(parses(bytes)).toBe(true);
    expect(refusal(engine, [bytes])).toBe(undefined);
    expect(
      refusal(
        engine,
        Array.from(bytes, (b) => Buffer.from([b])),
      ),
    ).toBe(undefined);
  });

  it('accepts invalid UTF-8 and replaces it, as Buffer.toString does', () => {
    const bytes = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff, 0xc3, 0xe2, 0x82]), Buffer.from('"}')]);
    expect(parses(bytes)).toBe(true);
    expect(refusal(engine, [bytes])).toBe(undefined);
  });

  const nestedObjects = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  const nestedArrays = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
  const nestedBoth = (depth: number) => {
    const pairs = Math.floor(depth / 2);
    return `${'{"a":["x",'.repeat(pairs)}${depth % 2 === 1 ? '[]' : '"]}\\""'}${']}'.repeat(pairs)}`;
  };

  // The fast path of the scan enters arrays of objects two levels at a time.
  const nestedPairs = (depth: number) =>
    `${'{"a":['.repeat(Math.floor(depth / 2))}${depth % 2 === 1 ? '{}' : '1'}${']}'.repeat(Math.floor(depth / 2))}`;

  it.each([
    ['objects', nestedObjects],
    ['arrays', nestedArrays],
    ['texts and objects in arrays', nestedBoth],
    ['arrays of objects', nestedPairs],
  ])('reads %s nested as deeply as Go allows, and skips deeper ones', (_, nested) => {
    expect(MAX_DEPTH).toBe(10_000);
    for (const [depth, expected] of [
      [MAX_DEPTH - 1, undefined],
      [MAX_DEPTH, undefined],
      [MAX_DEPTH + 1, `it is nested deeper than ${MAX_DEPTH} levels`],
      [MAX_DEPTH + 2, `it is nested deeper than ${MAX_DEPTH} levels`],
      [MAX_DEPTH * 3, `it is nested deeper than ${MAX_DEPTH} levels`],
    ] as const) {
      const bytes = Buffer.from(nested(depth));
      for (const size of [bytes.length, 1000, 7]) {
        const scanner = new Scanner('object', compileScanProgram('object', [], []), 1_000_000, engine);
        let found = 0;
        for (let at = 0; at < bytes.length; at += Math.min(size, MAX_CHUNK)) {
          scanner.put(bytes.subarray(at, at + Math.min(size, MAX_CHUNK)));
          while (scanner.next() !== 0) {
            found++;
            expect([scanner.unreadable, scanner.end - scanner.start]).toEqual([expected, bytes.length]);
          }
        }
        scanner.finish();
        expect(found).toBe(1);
      }
    }
  });

  it('rejects truncated and invalid bytes after a value that is nested too deeply', () => {
    const deep = nestedArrays(MAX_DEPTH + 5);
    const pieces = (text: string) =>
      Array.from({ length: Math.ceil(text.length / 999) }, (_, i) => Buffer.from(text.slice(i * 999, (i + 1) * 999)));
    expect(refusal(engine, pieces(`${deep}`))).toBe(undefined);
    expect(refusal(engine, pieces(`${deep}}`))).toBe(deep.length);
    expect(refusal(engine, pieces(deep.slice(0, -1)))).toBe(deep.length - 1);
    expect(refusal(engine, pieces(deep.slice(0, MAX_DEPTH + 6)))).toBe(MAX_DEPTH + 6);
  });
});

it('the window, the blocks with their padding, and the marks do not overlap', () => {
  for (const address of [WINDOW, WINDOW_SIZE, BLOCKS]) expect(address % PADDING).toBe(0);
  expect(WINDOW + WINDOW_SIZE + PADDING).toBeLessThanOrEqual(BLOCKS);
  expect(BLOCKS + BLOCK_COUNT * (WINDOW_SIZE + PADDING)).toBeLessThanOrEqual(MARKS);
  expect(MARKS + MARKS / 8 + PADDING).toBeLessThanOrEqual(MEMORY_SIZE);
});

it('uses the JavaScript scanner without WebAssembly', async () => {
  vi.stubGlobal('WebAssembly', undefined);
  vi.resetModules();
  try {
    const { engineOf } = await import('./engine.js');
    expect([engineOf().kind, engineOf('wasm').kind]).toEqual(['javascript', 'javascript']);
  } finally {
    vi.unstubAllGlobals();
  }
});

it('the WebAssembly module is up to date', () => {
  const script = fileURLToPath(new URL('../../../scripts/build-scanner.mjs', import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(status).toBe(0);
});
