import { defineConfig } from 'vitest/config';

/** The suite on a server that somebody names; see run.mjs. */
export default defineConfig({
  test: {
    include: ['test/conformance/any-server.ts'],
    pool: 'forks',
    testTimeout: 120_000,
    maxConcurrency: 10,
  },
});
