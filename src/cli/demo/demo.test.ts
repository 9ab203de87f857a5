import { expect, it } from 'vitest';
import { runCommand } from '../run-command.js';
import { demo } from './demo.js';

it('draws a live table on the second screen of a terminal, and gives the first one back', async () => {
  const stop = new AbortController();
  let written = '';
  const stdout = {
    isTTY: true,
    columns: 100,
    rows: 30,
    write(text: string) {
      written += text;
      if (/nodes +watching +3/.test(text)) stop.abort();
    },
  };
  const stderr = { write: (text: string) => expect.fail(text) };
  const code = await runCommand(
    demo(() => Promise.resolve()),
    'npm start --',
    [],
    { stdout, stderr, signal: stop.signal, env: { NO_COLOR: '1' } },
  );
  expect(code).toBe(0);
  const [before = '', ...frames] = written.split('\u001b[H');
  expect(before).toBe('\u001b[?1049h\u001b[?25l');
  const last = frames.at(-1) as string;
  expect(last).toContain('INFORMER              STATE               OBJECTS  EVENTS    EVENTS/S  STALE');
  expect(last).toContain('LAST CHANGES');
  expect(last).toContain('\u001b[?25h\u001b[?1049lStopped. no leader');
  const clearToEndOfLine = '\u001b[K';
  for (const line of last.split(`${clearToEndOfLine}\n`).slice(0, -1)) expect(line.length).toBeLessThanOrEqual(100);
});

it('a controller that fails ends everything, and is told', async () => {
  let errors = '';
  const stderr = { write: (text: string) => (errors += text) };
  const failing = demo(() => Promise.reject(new Error('no idea')));
  const code = await runCommand(failing, 'npm start --', [], {
    stdout: { write: () => true },
    stderr,
    signal: new AbortController().signal,
  });
  expect(code).toBe(1);
  expect(errors).toContain('npm start --: Error: no idea');
});
