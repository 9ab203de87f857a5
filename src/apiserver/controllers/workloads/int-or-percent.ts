/** A number of pods: itself, or a share of `total` as `25%`. */
export function countOf(value: number | string | undefined, total: number, round: 'up' | 'down'): number {
  if (typeof value !== 'string') return value ?? 0;
  const share = (Number.parseInt(value, 10) * total) / 100;
  return round === 'up' ? Math.ceil(share) : Math.floor(share);
}
