import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { TempFolder } from '../../../../test/support/temp-folder.js';
import { lockDirectory } from './directory-lock.js';

/** A process that holds a lock, as far as others can see it. */
async function holder(folder: TempFolder): Promise<ReturnType<typeof spawn>> {
  const path = JSON.stringify(folder.file('lock-0123456789abcdef'));
  const script = `require('node:net').createServer((s) => s.end(String(process.pid))).listen(${path}, () => console.log('ready'))`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}

describe('the lock of a directory', () => {
  it('is held by one at a time, and leaves nothing behind', async () => {
    const folder = new TempFolder();
    const lock = await lockDirectory(folder.path);
    await expect(lockDirectory(folder.path)).rejects.toThrow(
      `${folder.path} is in use by process ${process.pid}; stop it, or choose another directory`,
    );
    await lock.release();
    expect(readdirSync(folder.path)).toEqual([]);
    await (await lockDirectory(folder.path)).release();
  });

  it('of a process that lives is respected, and that of a process that was killed is not', async () => {
    const folder = new TempFolder();
    const child = await holder(folder);
    await expect(lockDirectory(folder.path)).rejects.toThrow(`is in use by process ${child.pid}`);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(readdirSync(folder.path)).toEqual(['lock-0123456789abcdef']);
    await (await lockDirectory(folder.path)).release();
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it('of a process that is stopped is respected', async () => {
    const folder = new TempFolder();
    const child = await holder(folder);
    child.kill('SIGSTOP');
    await expect(lockDirectory(folder.path)).rejects.toThrow(`${folder.path} is in use by another process`);
  });

  it('is never held by two that want it at the same time', async () => {
    const folder = new TempFolder();
    for (let round = 0; round < 5; round++) {
      const all = await Promise.allSettled(Array.from({ length: 4 }, () => lockDirectory(folder.path)));
      const held = all.filter((one) => one.status === 'fulfilled');
      expect(held.length).toBeLessThanOrEqual(1);
      for (const { value } of held) await value.release();
    }
  });

  // Only Linux has short names for sockets in folders with long ones.
  it.runIf(process.platform === 'linux')('works however long the path of the directory is', async () => {
    const path = new TempFolder().file('x'.repeat(200));
    mkdirSync(path);
    await (await lockDirectory(path)).release();
  });
});
