import { defineConfig } from 'vitest/config';

/** The long run of test/real on the real kube-apiserver; `npm run soak:real` sets minutes and seed. */
export default defineConfig({
  test: {
    include: ['test/real/long-soak.ts'],
    globalSetup: 'test/real/global-setup.mjs',
    pool: 'forks',
    execArgv: ['--expose-gc'],
    testTimeout: 0,
    hookTimeout: 600_000,
    disableConsoleIntercept: true,
  },
});
