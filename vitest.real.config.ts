import { configDefaults, defineConfig } from 'vitest/config';
import { isNewest } from './test/real/build.mjs';

/**
 * Suites about the newest release itself: what it answers, what is generated from it, and comparisons with the embedded server, which
 * answers as that release does.
 */
const ofTheNewest = ['conformance', 'generated', 'cel', 'differential', 'kubectl', 'managed-fields', 'views'].map(
  (name) => `test/real/${name}.test.ts`,
);

/** Tests on the real kube-apiserver of test/real; they need Go to build it. */
export default defineConfig({
  test: {
    include: ['test/real/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(isNewest ? [] : ofTheNewest)],
    globalSetup: 'test/real/global-setup.mjs',
    pool: 'forks',
    fileParallelism: false,
    execArgv: ['--expose-gc'],
    // Ends tests that hang; long enough for a machine whose load is ten times its number of cores.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    reporters: ['default', ['json', { outputFile: '.reports/vitest-real.json' }]],
  },
});
