import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const generator = fileURLToPath(new URL('../../scripts/generate/index.mjs', import.meta.url));

describe('npm run generate', () => {
  it('generates the committed files from a new server', () => {
    const { status, stderr } = spawnSync(process.execPath, [generator, '--check'], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});
