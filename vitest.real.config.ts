import { configDefaults, defineConfig } from 'vitest/config';
import { isSince } from './test/real/build.mjs';

/** Suites that older releases cannot pass, with the first release that can. Single cases say so themselves. */
const firstReleases = {
  // What the newest release answers, and what is generated from it.
  conformance: '1.36',
  generated: '1.36',
  // These compare with the embedded server, which answers as the newest release. Release 1.33 writes `creationTimestamp: null` into
  // templates and managed fields, and prints the rules of refused definitions as Go structures: nearly every answer differs.
  cel: '1.35',
  differential: '1.35',
  kubectl: '1.35',
  'managed-fields': '1.35',
} as const;

const leftOut = Object.entries(firstReleases)
  .filter(([, release]) => !isSince(release))
  .map(([name]) => `test/real/${name}.test.ts`);

/** Tests on the real kube-apiserver of test/real; they need Go to build it. */
export default defineConfig({
  test: {
    include: ['test/real/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...leftOut],
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
