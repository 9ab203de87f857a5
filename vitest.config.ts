import { configDefaults, defineConfig } from 'vitest/config';

/** Everything that needs nothing but Node and git; suites that need more have a configuration of their own. */
export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, 'test/real/**', 'test/kubectl/**', 'test/browser/**'],
    pool: 'forks',
    execArgv: ['--expose-gc'],
    // For tests that hang. Those that start processes take seconds on a quiet machine, and a minute on one under load.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    reporters: ['default', ['json', { outputFile: '.reports/vitest.json' }]],
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: ['src/**/*.test.ts', 'src/resources/types/**'],
      reporter: ['text-summary', 'json-summary'],
      reportsDirectory: '.reports/coverage',
    },
  },
});
