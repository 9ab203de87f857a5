import { availableParallelism } from 'node:os';
import { relative } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Spreads the suites of `test/` over the first two thirds of a run. Many of them wait for processes and for real time, so that the
 * cores would be idle if these ran side by side; and the longest files are among them, so that none of them may run alone at the end.
 */
class SpreadSuites extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSuite = ({ moduleId }: TestSpecification) => relative(this.ctx.config.root, moduleId).startsWith('test');
    const suites = sorted.filter(isSuite);
    const others = sorted.filter((file) => !isSuite(file));
    const between = Math.ceil((others.length * 2) / 3 / (suites.length + 1));
    return [...suites.flatMap((suite) => [suite, ...others.splice(0, between)]), ...others];
  }
}

/** All tests that need only Node and git; suites that need more have their own configuration. */
export default defineConfig({
  test: {
    pool: 'forks',
    // One more than the number of cores, because some files mostly wait for processes and real time.
    maxWorkers: availableParallelism() + 1,
    // A larger young generation saves a thirtieth of the CPU time.
    execArgv: ['--expose-gc', '--max-semi-space-size=64'],
    // Test files share processes, because starting one and loading src/ takes longer than most of them run.
    isolate: false,
    setupFiles: ['test/support/property-seed.ts'],
    sequence: { sequencer: SpreadSuites },
    // Ends tests that hang. Tests that start processes take seconds on a quiet machine, and a minute under load.
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
    // One project, because each project has processes and transformed sources of its own.
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: [
      ...configDefaults.exclude,
      'test/real/**',
      'test/kubectl/**',
      'test/project/**',
      'test/data/**',
      'test/inspector/**',
    ],
  },
});
