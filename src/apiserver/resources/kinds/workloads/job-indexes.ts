/** The first and last number of an interval of indexes such as `3-5` or `7`, or the problem of it. */
function interval(text: string, completions: number): [number, number] | string {
  const parts = text.split('-');
  if (parts.length > 2) {
    const rule = "violates the requirement that an index interval can have at most two parts separated by '-'";
    return `the fragment ${JSON.stringify(text)} ${rule}`;
  }
  const numbers: number[] = [];
  for (const part of parts) {
    if (!/^[+]?\d+$/.test(part)) return `cannot convert string to integer for index: ${JSON.stringify(part)}`;
    if (Number(part) >= completions) return `too large index: ${JSON.stringify(part)}`;
    numbers.push(Number(part));
  }
  const [first = 0, last = first] = numbers;
  if (parts.length === 2 && first >= last) return `non-increasing order, previous: ${first}, current: ${last}`;
  return [first, last];
}

/** The problem of a list of indexes such as `1,3-5`, if it has one, and the number of indexes. */
export function indexesProblem(
  text: string,
  completions: number,
): { readonly problem: string | undefined; readonly total: number } {
  let total = 0;
  let previous = -1;
  if (text === '') return { problem: undefined, total };
  for (const part of text.split(',')) {
    const found = interval(part, completions);
    if (typeof found === 'string') return { problem: found, total: 0 };
    const [first, last] = found;
    if (previous >= first) {
      return { problem: `non-increasing order, previous: ${previous}, current: ${first}`, total: 0 };
    }
    total += last - first + 1;
    previous = last;
  }
  return { problem: undefined, total };
}

/** The first index that is in both of two lists; undefined if there is none. */
export function firstCommonIndex(a: string, b: string, completions: number): number | undefined {
  const intervals = (text: string): [number, number][] =>
    text === ''
      ? []
      : text.split(',').flatMap((part) => {
          const found = interval(part, completions);
          return typeof found === 'string' ? [] : [found];
        });
  const [left, right] = [intervals(a), intervals(b)];
  let i = 0;
  let j = 0;
  while (i < left.length && j < right.length) {
    const [[x, y], [v, w]] = [left[i]!, right[j]!];
    if (x <= w && v <= y) return Math.max(x, v);
    if (x <= v) i++;
    else j++;
  }
  return undefined;
}
