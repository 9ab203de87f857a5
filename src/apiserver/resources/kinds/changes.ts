const CONTEXT_LINES = 3;

/** A unified diff of two specs, from the first line that differs to the last one. kube-apiserver prints the Go structs. */
export function changes(old: object, next: object): string {
  // Fields that admission added may be in another place.
  const order = new Set([...Object.keys(next), ...Object.keys(old)]);
  const linesOf = (spec: object): string[] => {
    const ordered = Object.fromEntries([...order].map((field) => [field, (spec as Record<string, unknown>)[field]]));
    return JSON.stringify(ordered, undefined, 1).split('\n');
  };
  const [before, after] = [linesOf(old), linesOf(next)];
  const shortest = Math.min(before.length, after.length);
  let head = 0;
  while (head < shortest && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < shortest - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const start = Math.max(0, head - CONTEXT_LINES);
  const context = Math.min(tail, CONTEXT_LINES);
  const hunk = (lines: readonly string[]): string => `${start + 1},${lines.length - tail + context - start}`;
  const signed = (sign: string, lines: readonly string[]): string[] => lines.map((line) => `${sign}${line}`);
  return [
    `@@ -${hunk(before)} +${hunk(after)} @@`,
    ...signed(' ', before.slice(start, head)),
    ...signed('-', before.slice(head, before.length - tail)),
    ...signed('+', after.slice(head, after.length - tail)),
    ...signed(' ', before.slice(before.length - tail, before.length - tail + context)),
    '',
  ].join('\n');
}
