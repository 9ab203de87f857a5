const factor = Number(process.env['TEST_RUNS'] ?? 0.5);

/** How many runs or seeds a test takes: half of the number, so that `npm test` is quick; `TEST_RUNS=4 npm test` takes four times as many. */
export const runs = (count: number): number => Math.ceil(count * factor);
