import { defineConfig } from 'vitest/config';

/** Tests that run kubectl on the built `kubeflect serve`; they need a kubectl, of any version. */
export default defineConfig({
  test: {
    include: ['test/kubectl/**/*.test.ts'],
    pool: 'forks',
    // Ends tests that hang; long enough for a machine under load.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    reporters: ['default', ['json', { outputFile: '.reports/vitest-kubectl.json' }]],
  },
});
