import { defineConfig } from 'vitest/config';

/** Tests of the inspector's page in a headless Chromium, on a running process; they need Debian's chromium, or another one in CHROMIUM. */
export default defineConfig({
  test: {
    include: ['test/inspector/**/*.test.ts'],
    pool: 'forks',
    // Ends tests that hang; long enough for a machine under load.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    reporters: ['default', ['json', { outputFile: '.reports/vitest-inspector.json' }]],
  },
});
