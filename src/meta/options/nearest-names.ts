/** The number of letters to change, add, remove or swap with a neighbour to turn one word into the other. @internal */
export function editDistance(a: string, b: string): number {
  // Optimal string alignment, with three rows of the table: `row[j]` is the distance of the first i letters of `a` to the first j of `b`.
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwapped ? (before[j - 2] as number) + 1 : replaced;
      next.push(Math.min(replaced, swapped, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    before = row;
    row = next;
  }
  return row[b.length] as number;
}

/** The names that are most similar to an unknown word, nearest first. */
export function nearNames(word: string, names: Iterable<string>, limit = 3): string[] {
  const wanted = word.toLowerCase();
  // More than a third of the letters wrong is more likely another word.
  const maxDistance = Math.max(1, Math.floor(wanted.length / 3));
  return [...new Set(names)]
    .map((name) => ({ name, distance: editDistance(wanted, name.toLowerCase()) }))
    .filter(({ distance }) => distance <= maxDistance)
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, limit)
    .map(({ name }) => name);
}
