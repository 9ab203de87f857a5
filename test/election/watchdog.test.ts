import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type FileHandle, open } from 'node:fs/promises';
import { expect, it, onTestFinished } from 'vitest';
import { distImport } from '../support/dist.js';
import { TempFolder } from '../support/temp-folder.js';

/** Sets a watchdog that is never fed, and then does not let go of its event loop. */
const starved = (blocked: string): string => `
  import { writeSync } from 'node:fs';
  import { Watchdog } from ${distImport('election/watchdog.js')};
  new Watchdog('starved', 100);
  ${blocked}
`;

/** A pipe with nobody at its other end but us. */
async function pipe(): Promise<{ readonly reader: FileHandle; readonly writer: FileHandle }> {
  const path = new TempFolder().file('pipe');
  execFileSync('mkfifo', [path]);
  // Both ways, because opening one end alone waits for somebody to open the other.
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

it('the watchdog ends a process whose errors nobody reads any more', async () => {
  const { reader, writer } = await pipe();
  await reader.close();
  expect(await signalThatEnded(starved('for (;;);'), writer.fd)).toBe('SIGKILL');
});

it('the watchdog ends a process that is blocked because nobody reads its errors', async () => {
  const { writer } = await pipe();
  const blocked = `for (;;) try { writeSync(2, 'x'.repeat(65536)); } catch {}`;
  expect(await signalThatEnded(starved(blocked), writer.fd)).toBe('SIGKILL');
});
