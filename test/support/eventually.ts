import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for what only something real can bring about; the deadline is for a test that has gone wrong. */
export async function eventually(
  what: string,
  holds: () => boolean | Promise<boolean>,
  options: { readonly withinMs?: number; readonly explain?: () => unknown } = {},
): Promise<void> {
  const { withinMs = 300_000, explain } = options;
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline) {
      const why = explain === undefined ? '' : `: ${JSON.stringify(explain())}`;
      throw new Error(`waited for ${withinMs} ms, and still not: ${what}${why}`);
    }
    await sleep(20);
  }
}
