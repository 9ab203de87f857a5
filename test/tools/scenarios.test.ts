import { describe, expect, it } from 'vitest';
// @ts-expect-error plain JavaScript, shared with scripts/scenarios.mjs
import { controllerScenarios, scenarios } from '../scenarios.mjs';

type Groups = { entries: [number, string, string?][] }[];
const entries = (scenarios as Groups).flatMap((group) => group.entries);
const ofControllers = (controllerScenarios as Groups).flatMap((group) => group.entries);

describe('the list of scenarios', () => {
  it('has each number from 1 to 302 exactly once, in order', () => {
    expect(entries.map(([number]) => number)).toEqual(Array.from({ length: 302 }, (_, i) => i + 1));
  });

  it('has each number of controllers from 1 to 80 exactly once, in order', () => {
    expect(ofControllers.map(([number]) => number)).toEqual(Array.from({ length: 80 }, (_, i) => i + 1));
  });

  it('has a text for each, and a reason for each that is left out', () => {
    for (const [, words, reason] of [...entries, ...ofControllers]) {
      expect(words.length).toBeGreaterThan(3);
      if (reason !== undefined) expect(reason.length).toBeGreaterThan(20);
    }
  });
});
