import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const generator = fileURLToPath(new URL('../../scripts/generate/index.mjs', import.meta.url));
const committed = fileURLToPath(new URL('.', import.meta.url));

describe('npm run generate -- --offline', () => {
  it('writes the same bytes each time, equal to the committed files', () => {
    const folder = mkdtempSync(join(tmpdir(), 'kubeflect-generated-'));
    try {
      const first = generate(join(folder, 'first'));
      const second = generate(join(folder, 'second'));
      expect(second).toEqual(first);
      for (const [name, content] of first) {
        expect(readFileSync(join(committed, name), 'utf8') === content, `${name}: run \`npm run generate\``).toBe(true);
      }
      const types = [...first.keys()]
        .filter((name) => name.startsWith('types'))
        .map((name) => name.slice('types/'.length));
      expect(readdirSync(join(committed, 'types')).sort()).toEqual(types.sort());
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('accepts the committed files with --check', () => {
    expect(run(['--offline', '--check'])).toEqual({ status: 0, errors: '' });
  });
});

function generate(folder: string): Map<string, string> {
  expect(run(['--offline', '--out', folder])).toEqual({ status: 0, errors: '' });
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  return new Map(files.sort().map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

function run(args: readonly string[]): { status: number | null; errors: string } {
  const { status, stderr } = spawnSync(process.execPath, [generator, ...args], { encoding: 'utf8' });
  return { status, errors: stderr };
}
