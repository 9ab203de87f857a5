import { defineConfig } from 'vitest/config';

/** What runs against the real kube-apiserver of test/real; needs Go to build it. */
export default defineConfig({
  test: {
    include: ['test/real/**/*.test.ts'],
    pool: 'forks',
    fileParallelism: false,
    execArgv: ['--expose-gc'],
    testTimeout: 120_000,
    hookTimeout: 900_000,
    reporters: ['default', ['json', { outputFile: '.reports/vitest-real.json' }]],
  },
});
