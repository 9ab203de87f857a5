import { defineConfig } from 'vitest/config';

/** Tests that install, compile and run the project of `kubeflect init`; they need npm, and no registry. */
export default defineConfig({
  test: {
    include: ['test/project/**/*.test.ts'],
    pool: 'forks',
    // Ends tests that hang; long enough for a machine under load.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    reporters: ['default', ['json', { outputFile: '.reports/vitest-project.json' }]],
  },
});
