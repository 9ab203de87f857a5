import { expect, it } from 'vitest';
import { TempFolder } from '../support/temp-folder.js';
import { killAgainAndAgain } from './kill-run.js';

/** `npm run test:kills -- --kills 200` runs more of them. */
const KILLS = Number(process.env['KILLS'] ?? 20);
const SEED = Number(process.env['KILLS_SEED'] ?? 1);

it(`a server with a data directory loses nothing that it has acknowledged in ${KILLS} kills under load`, async () => {
  const run = await killAgainAndAgain(new TempFolder().file('data'), KILLS, SEED);
  if (process.env['KILLS'] !== undefined) console.log(run);
  expect(run.problems).toEqual([]);
  expect(run.acknowledged).toBeGreaterThan(KILLS);
  expect(run.unknown).toBeGreaterThan(0);
}, 1_200_000);
