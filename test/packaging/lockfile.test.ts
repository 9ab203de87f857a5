import { describe, expect, it } from 'vitest';
// @ts-expect-error: a script without declarations
import { problemsOf } from '../../scripts/check-lockfile.mjs';

describe('the check of the lockfile', () => {
  const held = { version: '1.0.0', resolved: 'https://registry.npmjs.org/a/-/a-1.0.0.tgz', integrity: 'sha512-x' };
  const of = (entry: object): unknown => problemsOf({ packages: { '': { name: 'root' }, 'node_modules/a': entry } });

  it('names every package without a hash', () => {
    const remedy = 'has no integrity: run node scripts/complete-lockfile.mjs';
    expect(of(held)).toEqual([]);
    expect(of({ ...held, integrity: undefined })).toEqual([`node_modules/a@1.0.0 ${remedy}`]);
    expect(of({ version: '1.0.0' })).toEqual([`node_modules/a@1.0.0 ${remedy}`]);
    expect(of({ version: '1.0.0', optional: true })).toEqual([`node_modules/a@1.0.0 ${remedy}`]);
  });

  it('excepts binaries of other platforms that the registry did not have', () => {
    const binary = { version: '1.0.0', optional: true, os: ['darwin'], cpu: ['arm64'] };
    expect(of(binary)).toEqual([]);
    expect(of({ ...binary, resolved: held.resolved })).toHaveLength(1);
    expect(of({ ...binary, optional: false })).toHaveLength(1);
  });
});
