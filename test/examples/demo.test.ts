import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repository } from '../support/program.js';

interface Stream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

/** Runs examples/demo, which uses the built package, with a controller, an output and a signal of the test. */
async function runDemo(context: {
  readonly manager: () => { run(): Promise<unknown> };
  readonly stdout: Stream;
  readonly stderr: Stream;
  readonly signal: AbortSignal;
}): Promise<number> {
  const { demo } = await import(join(repository, 'examples/demo/demo.mjs'));
  return demo(['--no-inspector'], { ...context, env: { NO_COLOR: '1' } });
}

const clearToEndOfLine = '\u001b[K';

/** Draws on a terminal of this size until three nodes are watched; returns the output. */
async function drawnOn(columns: number, rows: number): Promise<string> {
  const stop = new AbortController();
  let written = '';
  const stdout = {
    isTTY: true,
    columns,
    rows,
    write(text: string) {
      written += text;
      if (/nodes +watching +3/.test(text)) stop.abort();
    },
  };
  const stderr = { write: (text: string) => expect.fail(text) };
  expect(
    await runDemo({ manager: () => ({ run: () => Promise.resolve() }), stdout, stderr, signal: stop.signal }),
  ).toBe(0);
  return written;
}

it('draws a live table on the alternate screen of a terminal, and restores the first one', async () => {
  const [before = '', ...frames] = (await drawnOn(100, 30)).split('\u001b[H');
  expect(before).toBe('\u001b[?1049h\u001b[?25l');
  const last = frames.at(-1) as string;
  expect(last).toContain('INFORMER              STATE               OBJECTS  EVENTS    EVENTS/S  STALE');
  expect(last).toContain('LAST CHANGES');
  expect(last).toContain('kubectl --kubeconfig');
  expect(last).toContain('\u001b[?25h\u001b[?1049lStopped. no leader');
  for (const line of last.split(`${clearToEndOfLine}\n`).slice(0, -1)) expect(line.length).toBeLessThanOrEqual(100);
});

it('keeps the table on a small terminal, without the notes', async () => {
  const last = (await drawnOn(50, 12)).split('\u001b[H').at(-1) as string;
  const lines = last.split(`${clearToEndOfLine}\n`).slice(0, -1);
  expect(lines.length).toBeLessThan(12);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(50);
  expect(last).toContain('INFORMER');
  expect(last).not.toContain('kubectl --kubeconfig');
});

it('ends everything with exit code 1 if the controller fails, and prints its error', async () => {
  let errors = '';
  const code = await runDemo({
    manager: () => ({ run: () => Promise.reject(new Error('no idea')) }),
    stdout: { write: () => true },
    stderr: { write: (text: string) => (errors += text) },
    signal: new AbortController().signal,
  });
  expect(code).toBe(1);
  expect(errors).toContain('npm start --: Error: no idea');
});
