import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { chmod, link, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pattern, podRig } from '../../../test/support/pod-rig.js';
import { spawnedExec } from '../../../test/support/spawned-exec.js';
import { TempFolder } from '../../../test/support/temp-folder.js';
import type { CopyProgress, PodClient } from './pod-client.js';
import { TAR_END, type TarEntry, tarHead, tarPadding } from './tar-writer.js';

async function container(): Promise<{ pods: PodClient; there: TempFolder; here: TempFolder }> {
  const there = new TempFolder();
  const { pods } = await podRig({ exec: (call) => spawnedExec(call, there.path) });
  return { pods, there, here: new TempFolder() };
}

const LONG = `${'long-name-'.repeat(15)}ümlaut`;

describe('copying', () => {
  it('takes a folder there and back unchanged', async () => {
    const { pods, there, here } = await container();
    const from = here.file('from');
    mkdirSync(join(from, 'empty'), { recursive: true });
    mkdirSync(join(from, 'deep', 'deeper'), { recursive: true });
    writeFileSync(join(from, 'large'), pattern(0, 1_500_000));
    writeFileSync(join(from, 'nothing'), '');
    writeFileSync(join(from, 'deep', LONG), 'long');
    writeFileSync(join(from, 'deep', 'deeper', 'run.sh'), 'echo hello');
    await chmod(join(from, 'deep', 'deeper', 'run.sh'), 0o755);
    symlinkSync('deep/deeper/run.sh', join(from, 'link'));
    const seen: CopyProgress[] = [];
    const sent = await pods.copyTo('one', from, there.file('new/place'), { onProgress: (one) => seen.push(one) });
    expect(sent).toMatchObject({ files: 9, bytes: 1_500_014 });
    expect(seen).toHaveLength(9);
    expect(seen.at(-1)).toEqual(sent);
    expect(readFileSync(there.file('new/place/deep/deeper/run.sh'), 'utf8')).toBe('echo hello');
    await link(there.file('new/place/large'), there.file('new/place/same'));

    const back = await pods.copyFrom('one', there.file('new/place'), here.file('back'));
    expect(back.bytes).toBe(1_500_014);
    expect(readFileSync(here.file('back/large')).equals(pattern(0, 1_500_000))).toBe(true);
    expect(readFileSync(here.file('back/same')).equals(pattern(0, 1_500_000))).toBe(true);
    expect(readFileSync(here.file(`back/deep/${LONG}`), 'utf8')).toBe('long');
    expect(statSync(here.file('back/empty')).isDirectory()).toBe(true);
    expect(statSync(here.file('back/nothing')).size).toBe(0);
    expect(statSync(here.file('back/deep/deeper/run.sh')).mode & 0o777).toBe(0o755);
    expect(readlinkSync(here.file('back/link'))).toBe('deep/deeper/run.sh');
  });

  it('takes a single file to a relative path and back', async () => {
    const { pods, there, here } = await container();
    writeFileSync(here.file('a'), 'content');
    await pods.copyTo('one', here.file('a'), 'folder/b');
    expect(readFileSync(there.file('folder/b'), 'utf8')).toBe('content');
    await pods.copyFrom('one', 'folder/b', here.file('c'));
    expect(readFileSync(here.file('c'), 'utf8')).toBe('content');
  });

  it('rejects with what tar says, and if there is no tar', async () => {
    const { pods, here } = await container();
    await expect(pods.copyFrom('one', '/no/such/file', here.file('x'))).rejects.toThrow(
      /^tar could not pack \/no\/such\/file in the container, exit code \d+: .*No such file/,
    );
    await expect(pods.copyTo('one', here.file('missing'), '/tmp/x')).rejects.toMatchObject({ code: 'ENOENT' });
    const { pods: bare } = await podRig({ exec: () => 127 });
    await expect(bare.copyFrom('one', '/x', here.file('x'))).rejects.toThrow('exit code 127 (the container needs tar)');
    await expect(pods.copyTo('one', here.path, '../x')).rejects.toThrow('remote must not lead out');
  });

  it('ends with an abort', async () => {
    const { pods, here, there } = await container();
    writeFileSync(here.file('large'), '');
    await truncate(here.file('large'), 1 << 30);
    const controller = new AbortController();
    const copying = pods.copyTo('one', here.path, there.file('x'), {
      signal: controller.signal,
      onProgress: () => controller.abort(new Error('enough')),
    });
    await expect(copying).rejects.toThrow('enough');
  });

  it('refuses links that lead out, or leaves them out', async () => {
    const { pods, here, there } = await container();
    mkdirSync(here.file('from'));
    writeFileSync(here.file('from/file'), 'x');
    symlinkSync('/etc/passwd', here.file('from/out'));
    await expect(pods.copyTo('one', here.file('from'), there.file('a'))).rejects.toThrow('pass skipLinks');
    await pods.copyTo('one', here.file('from'), there.file('b'), { skipLinks: true });
    expect(existsSync(there.file('b/out'))).toBe(false);
    symlinkSync('../../outside', there.file('b/out'));
    await expect(pods.copyFrom('one', there.file('b'), here.file('c'))).rejects.toThrow(
      'the symbolic link out leads to ../../outside, outside of the copied folder',
    );
    await pods.copyFrom('one', there.file('b'), here.file('d'), { skipLinks: true });
    expect(lstatSync(here.file('d/file')).isFile()).toBe(true);
    expect(existsSync(here.file('d/out'))).toBe(false);
  });
});

describe('an archive of a hostile container', () => {
  const file = (path: string, content = 'evil'): Buffer[] => {
    const entry: TarEntry = { type: 'file', path, size: content.length, mode: 0o644, mtime: 0, link: '' };
    return [tarHead(entry), Buffer.from(content), tarPadding(content.length)];
  };
  const linkTo = (path: string, to: string, type: TarEntry['type'] = 'symbolicLink'): Buffer[] => [
    tarHead({ type, path, size: 0, mode: 0o777, mtime: 0, link: to }),
  ];

  async function unpack(parts: readonly Buffer[], here: TempFolder): Promise<unknown> {
    const { pods } = await podRig({
      async exec({ stdout }) {
        for (const part of parts) stdout!.write(part);
      },
    });
    mkdirSync(here.file('target'), { recursive: true });
    return pods.copyFrom('one', '/data', here.file('target/data'));
  }

  it.each([
    ['a path upwards', file('./data/../../evil')],
    ['a path beside the copied one', file('./evil')],
    ['an absolute path', file('/tmp/evil')],
    ['a path upwards in an extended header', file(`./data/${'../'.repeat(60)}evil`)],
    ['a hard link upwards', linkTo('./data/x', './data/../../secret', 'hardLink')],
    ['an absolute link', linkTo('./data/x', '/etc')],
    ['a link upwards', linkTo('./data/a/x', '../../../etc')],
    ['the copied path as a link', linkTo('./data', '/etc')],
  ])('is refused with %s', async (_what, parts) => {
    const here = new TempFolder();
    await expect(unpack([...parts, TAR_END], here)).rejects.toThrow(/lead|outside/);
    expect(existsSync(here.file('evil'))).toBe(false);
    expect(existsSync(here.file('target/evil'))).toBe(false);
  });

  it('writes no file through a link that it sends or that is there', async () => {
    const here = new TempFolder();
    mkdirSync(here.file('outside'));
    mkdirSync(here.file('target/data'), { recursive: true });
    symlinkSync(here.file('outside'), here.file('target/data/there'));
    await expect(unpack([...file('./data/there/evil'), TAR_END], here)).rejects.toThrow('leads out');
    expect(existsSync(here.file('outside/evil'))).toBe(false);
    writeFileSync(here.file('outside/kept'), 'kept');
    symlinkSync(here.file('outside/kept'), here.file('target/data/file'));
    await unpack([...file('./data/file', 'new'), TAR_END], here);
    expect(readFileSync(here.file('outside/kept'), 'utf8')).toBe('kept');
    expect(readFileSync(here.file('target/data/file'), 'utf8')).toBe('new');
  });

  it('is refused if it is none, or ends too early', async () => {
    const here = new TempFolder();
    await expect(unpack([Buffer.alloc(1024, 'x')], here)).rejects.toThrow('no valid tar archive: the checksum');
    await expect(unpack(file('./data').slice(0, 1), here)).rejects.toThrow('it ends in the middle of an entry');
    await expect(unpack([Buffer.alloc(100)], here)).rejects.toThrow('it ends in the middle of an entry');
  });
});
