import { describe, expect, it } from 'vitest';
// @ts-expect-error plain JavaScript, shared with scripts/scenarios.mjs
import { scenarios } from '../scenarios.mjs';

const entries = (scenarios as { entries: [number, string, string?][] }[]).flatMap(({ entries }) => entries);

describe('the list of scenarios', () => {
  it('has each number from 1 to 302 exactly once, in order', () => {
    expect(entries.map(([number]) => number)).toEqual(Array.from({ length: 302 }, (_, i) => i + 1));
  });

  it('has a text for each, and a reason for each that is left out', () => {
    for (const [, words, reason] of entries) {
      expect(words.length).toBeGreaterThan(3);
      if (reason !== undefined) expect(reason.length).toBeGreaterThan(20);
    }
  });
});
