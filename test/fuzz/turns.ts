/**
 * The target that is next: the one with the least CPU time so far, so that all of them have the same share of it, however fast their
 * parsers are. Undefined if there are none.
 */
export function leastChecked(targets: readonly string[], cpuSecondsOf: (target: string) => number): string | undefined {
  let [least] = targets;
  for (const target of targets) if (least === undefined || cpuSecondsOf(target) < cpuSecondsOf(least)) least = target;
  return least;
}
