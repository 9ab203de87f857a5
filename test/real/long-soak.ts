import { afterAll, beforeAll, describe, it } from 'vitest';
import { type RealApiServer, startRealApiServer } from './real-api-server.mjs';
import { soak } from './soak.js';

const minutes = Number(process.env['SOAK_MINUTES'] ?? 10);
const seed = Number(process.env['SOAK_SEED'] ?? 1);

let server: RealApiServer;
beforeAll(async () => {
  server = await startRealApiServer();
});
afterAll(() => server.stop());

describe(`informers behind bad networks for ${minutes} minutes, seed ${seed}`, () => {
  it('end with caches that equal the server, notice stalls in time, and leave nothing behind', async () => {
    const report = await soak(server, {
      seed,
      durationMs: minutes * 60_000,
      killEveryMs: 100_000,
      settleWithinMs: 300_000,
      stalls: 3,
      onProgress: (line) => console.log(line),
    });
    console.log(JSON.stringify(report, undefined, 2));
  });
});
