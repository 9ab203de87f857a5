/** How a stage is: the worst of its problems. */
export type Health = 'ok' | 'warning' | 'error';

/** The worst of some healths. */
export function worst(healths: Iterable<Health>): Health {
  let found: Health = 'ok';
  for (const health of healths) {
    if (health === 'error') return 'error';
    if (health === 'warning') found = 'warning';
  }
  return found;
}
