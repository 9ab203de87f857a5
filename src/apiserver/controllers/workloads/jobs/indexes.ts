/* The completion indexes of an indexed Job, as its status writes them: `0-2,5`. */

export function parseIndexes(text: string | undefined): Set<number> {
  const indexes = new Set<number>();
  for (const range of (text ?? '').split(',')) {
    if (range === '') continue;
    const [first = 0, last = first] = range.split('-').map(Number);
    for (let index = first; index <= last; index++) indexes.add(index);
  }
  return indexes;
}

export function printIndexes(indexes: ReadonlySet<number>): string {
  const sorted = [...indexes].sort((a, b) => a - b);
  const ranges: [first: number, last: number][] = [];
  for (const index of sorted) {
    const range = ranges.at(-1);
    if (range !== undefined && range[1] === index - 1) range[1] = index;
    else ranges.push([index, index]);
  }
  // Two neighbours are a list, as in kube-controller-manager.
  return ranges
    .map(([first, last]) => (first === last ? `${first}` : last === first + 1 ? `${first},${last}` : `${first}-${last}`))
    .join(',');
}
