import { once } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { realClock } from '../../time/real-clock.js';
import { reportWarnings, type WarningHandler, warnOnce } from './warnings.js';

type Warning = Parameters<WarningHandler>[1];

function warningsOf(header: string): Warning[] {
  const warnings: Warning[] = [];
  reportWarnings(header, (_text, warning) => warnings.push(warning));
  return warnings;
}

describe('Warning headers', () => {
  it.each([
    ['299 - "old"', [{ code: 299, agent: '-', text: 'old' }]],
    [
      '299 - "a, \\"b\\" and \\\\c", 199 host:80 "d"',
      [
        { code: 299, agent: '-', text: 'a, "b" and \\c' },
        { code: 199, agent: 'host:80', text: 'd' },
      ],
    ],
    [
      '299 - "dated" "Wed, 21 Oct 2015 07:28:00 GMT",299 - "next"',
      [
        { code: 299, agent: '-', text: 'dated' },
        { code: 299, agent: '-', text: 'next' },
      ],
    ],
    ['299 - "good", nonsense, 299 - "lost"', [{ code: 299, agent: '-', text: 'good' }]],
    [`299 - "caf${Buffer.from('é').toString('latin1')}"`, [{ code: 299, agent: '-', text: 'café' }]],
    ['299 - "\x1b[31mred"', [{ code: 299, agent: '-', text: '[31mred' }]],
    ['', []],
    ['299 - "never closed', []],
    ['29 - "short"', []],
  ])('%j', (header, expected) => {
    expect(warningsOf(header)).toEqual(expected);
  });

  it('are read back as they were written, with quotes, commas and UTF-8', () => {
    const text = fc.string({ unit: fc.constantFrom('a', ' ', '"', '\\', ',', '2', '9', '-', 'é', '→') });
    fc.assert(
      fc.property(fc.array(text, { maxLength: 4 }), (texts) => {
        const header = texts.map((one) => `299 - "${one.replace(/["\\]/g, '\\$&')}"`).join(', ');
        expect(warningsOf(header).map((warning) => warning.text)).toEqual(texts);
        const wire = Buffer.from(header).toString('latin1');
        expect(warningsOf(wire).map((warning) => warning.text)).toEqual(texts);
      }),
    );
  });

  it('never throw, and take no exponential time, on any header', () => {
    fc.assert(fc.property(fc.string(), (header) => Array.isArray(warningsOf(header))));
    expect(warningsOf(`299 - "${'\\'.repeat(100_001)}`)).toEqual([]);
  });

  it('become a process warning, once per text, if their code is 299', async () => {
    const warned = once(process, 'warning') as Promise<[Error]>;
    const text = `a warning of this test, ${process.hrtime()}`;
    warnOnce(text, { code: 299, agent: '-', text });
    expect((await warned)[0]).toMatchObject({ name: 'KubernetesWarning', message: text });
    let again = 0;
    const count = (): void => void again++;
    process.on('warning', count);
    warnOnce(text, { code: 299, agent: '-', text });
    warnOnce('', { code: 299, agent: '-', text: '' });
    warnOnce('of another kind', { code: 199, agent: '-', text: 'of another kind' });
    await realClock.yield();
    process.off('warning', count);
    expect(again).toBe(0);
  });

  it('are all reported, even to a handler that throws', async () => {
    const told: string[] = [];
    const warned = once(process, 'warning');
    reportWarnings('299 - "one", 299 - "two"', (text) => {
      told.push(text);
      if (text === 'one') throw new Error('broken handler');
    });
    reportWarnings(undefined, (text) => told.push(text));
    expect(told).toEqual(['one', 'two']);
    expect((await warned)[0]).toMatchObject({
      name: 'KubeflectWarning',
      message: expect.stringContaining('broken handler'),
    });
  });

  it('have their control characters escaped, C0, C1 and those of bidirectional text', () => {
    const header = `299 - "${Buffer.from('a\u009b31m\u202e').toString('latin1')}"`;
    expect(warningsOf(header)).toEqual([{ code: 299, agent: '-', text: 'a\\u009b31m\\u202e' }]);
  });
});
