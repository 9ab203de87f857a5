import { defineConfig } from 'vitest/config';

/** What runs against the real kube-apiserver of test/real; needs Go to build it. */
export default defineConfig({
  test: {
    include: ['test/real/**/*.test.ts'],
    globalSetup: 'test/real/global-setup.mjs',
    pool: 'forks',
    fileParallelism: false,
    execArgv: ['--expose-gc'],
    // For tests that hang. On a machine with ten times as much to do as it has cores, everything takes ten times as long.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    reporters: ['default', ['json', { outputFile: '.reports/vitest-real.json' }]],
  },
});
