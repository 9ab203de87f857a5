import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type FileHandle, open } from 'node:fs/promises';
import { expect, it, onTestFinished } from 'vitest';
import { moduleImport } from '../support/dist.js';
import { TempFolder } from '../support/temp-folder.js';

/** Starts a watchdog whose `extend` is never called, and then blocks the event loop. */
const starved = (blocked: string): string => `
  import { writeSync } from 'node:fs';
  import { Watchdog } from ${moduleImport('election/watchdog.js')};
  new Watchdog('starved', 100);
  ${blocked}
`;

/** A pipe whose other end only this test has open. */
async function pipe(): Promise<{ readonly reader: FileHandle; readonly writer: FileHandle }> {
  const path = new TempFolder().file('pipe');
  execFileSync('mkfifo', [path]);
  // Opened for both, because opening one end alone waits until the other is opened.
  const reader = await open(path, 'r+');
  const writer = await open(path, 'w');
  onTestFinished(async () => {
    await reader.close();
    await writer.close();
  });
  return { reader, writer };
}

async function signalThatEnded(code: string, stderr: number): Promise<unknown> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'ignore', stderr],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [, signal] = await once(child, 'exit');
  return signal;
}

it('the watchdog kills a process whose stderr has no reader any more', async () => {
  const { reader, writer } = await pipe();
  await reader.close();
  expect(await signalThatEnded(starved('for (;;);'), writer.fd)).toBe('SIGKILL');
});

it('the watchdog kills a process that is blocked because its stderr is not read', async () => {
  const { writer } = await pipe();
  const blocked = `for (;;) try { writeSync(2, 'x'.repeat(65536)); } catch {}`;
  expect(await signalThatEnded(starved(blocked), writer.fd)).toBe('SIGKILL');
});
