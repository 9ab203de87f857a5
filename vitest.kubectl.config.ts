import { defineConfig } from 'vitest/config';

/** What runs kubectl against the built `kubeflect serve`; needs a kubectl, of any version. */
export default defineConfig({
  test: {
    include: ['test/kubectl/**/*.test.ts'],
    pool: 'forks',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ['default', ['json', { outputFile: '.reports/vitest-kubectl.json' }]],
  },
});
