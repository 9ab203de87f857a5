import fc from 'fast-check';

/** Any character, half of them ASCII. The units `binary` and `grapheme` of fast-check build tables for seconds before the first one. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .oneof(
    { weight: 2, arbitrary: fc.integer({ min: 0, max: 0x7f }) },
    { weight: 1, arbitrary: fc.integer({ min: 0x80, max: 0xd7ff }) },
    { weight: 1, arbitrary: fc.integer({ min: 0xe000, max: 0x10ffff }) },
  )
  .map((codePoint) => String.fromCodePoint(codePoint));
