import { defineConfig } from 'vitest/config';

/** What runs kubectl against the built `kubeflect serve`; needs a kubectl, of any version. */
export default defineConfig({
  test: {
    include: ['test/kubectl/**/*.test.ts'],
    pool: 'forks',
    // For tests that hang, on a machine under load too.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    reporters: ['default', ['json', { outputFile: '.reports/vitest-kubectl.json' }]],
  },
});
