import { defineConfig } from 'vitest/config';

/**
 * Tests that take longer than those of `npm test`: they compile and run the examples with the packed package, explore one of
 * them with planted bugs, install, compile and run the project of `kubeflect init` (with npm, and no registry), and kill servers
 * with a data directory.
 */
export default defineConfig({
  test: {
    include: ['test/project/**/*.test.ts', 'test/data/**/*.test.ts'],
    pool: 'forks',
    // Ends tests that hang; long enough for a machine under load.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    reporters: ['default', ['json', { outputFile: '.reports/vitest-project.json' }]],
  },
});
