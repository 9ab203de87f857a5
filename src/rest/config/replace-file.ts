import { randomBytes } from 'node:crypto';
import { realpath, rename, rm, writeFile } from 'node:fs/promises';

/**
 * Replaces a file, or the target of a symbolic link, by a new one of mode 0600, at once: a reader sees the old or the new text.
 * Writing into the existing file would keep its mode, and a process that has it open could read the new text.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const target = await realpath(path).catch(() => path);
  const draft = `${target}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(draft, text, { mode: 0o600, flag: 'wx' });
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
