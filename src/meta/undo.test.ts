import { expect, it } from 'vitest';
import { undoOnce } from './undo.js';

it('an undo runs once, whether called or disposed', () => {
  let count = 0;
  const undo = undoOnce(() => count++);
  {
    using _scope = undo;
  }
  undo();
  undo[Symbol.dispose]();
  expect(count).toBe(1);
});
