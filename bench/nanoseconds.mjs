const ROUNDS = 7;

/** Nanoseconds per call, the median of several rounds of `work(times)`, after a short one to warm up. */
export function nanoseconds(times, work) {
  work(times / 10);
  const rounds = Array.from({ length: ROUNDS }, () => {
    const begin = process.hrtime.bigint();
    work(times);
    return Number(process.hrtime.bigint() - begin) / times;
  });
  return rounds.sort((a, b) => a - b)[ROUNDS >> 1];
}
