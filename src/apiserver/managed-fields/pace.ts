let done = 0;

/** Whether so much work was done since the last pause that a step should end: one call for each field or item. */
export function isDue(): boolean {
  done = (done + 1) & 255;
  return done === 0;
}
