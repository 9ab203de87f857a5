import { defineConfig } from 'vitest/config';

/** The conformance suite on any server; run.mjs passes its address. */
export default defineConfig({
  test: {
    include: ['test/conformance/any-server.ts'],
    pool: 'forks',
    testTimeout: 120_000,
    maxConcurrency: 10,
  },
});
