import { describe, expect, it } from 'vitest';
import { type Form, forms, thing } from '../../../test/support/forms.js';
import { DeltaFIFO } from './delta-fifo.js';
import { RealFIFO } from './real-fifo.js';

describe.each(forms)('Both queues on $name', (form: Form<unknown>) => {
  const { accessor } = form;
  const item = (name: string, value = 0) => form.make(thing(name, value));

  it.each([
    ['RealFIFO', () => new RealFIFO<unknown>({ accessor })],
    ['DeltaFIFO', () => new DeltaFIFO<unknown>({ accessor })],
  ])('%s is full after 2,000 deltas of one object, until they are taken', (_, make) => {
    const queue = make();
    for (let i = 0; i < 1_999; i++) queue.update(item('hot', i));
    expect(queue.isFull).toBe(false);
    queue.update(item('hot', 1_999));
    expect(queue.isFull).toBe(true);
    let drained = 0;
    queue.onDrain(() => void drained++);
    expect(drained).toBe(0);
    while (queue.isFull) queue.take(1)?.finish();
    for (let taken = queue.take(1); taken !== undefined; taken = queue.take(1)) taken.finish();
    expect(drained).toBe(1);
  });

  it('a full queue calls onDrain back when half of it was processed', () => {
    const queue = new RealFIFO<unknown>({ accessor });
    for (let i = 0; i < 2_000; i++) queue.update(item(`p${i}`));
    let drained = false;
    queue.onDrain(() => {
      drained = true;
    });
    queue.take(999)?.finish();
    expect(drained).toBe(false);
    queue.take(1)?.finish();
    expect(drained).toBe(true);
  });

  it('merged deletions count as one delta', () => {
    const queue = new DeltaFIFO<unknown>({ accessor });
    queue.add(item('a'));
    for (let i = 0; i < 5_000; i++) queue.delete(item('a', i));
    expect(queue.isFull).toBe(false);
  });

  it.each([
    ['RealFIFO', () => new RealFIFO<unknown>({ accessor })],
    ['DeltaFIFO', () => new DeltaFIFO<unknown>({ accessor })],
  ])('%s has synced even if processing its first list failed', async (_, make) => {
    const queue = make();
    queue.replace([item('a')], '1');
    const failing = () => {
      throw new Error('cannot process');
    };
    await expect(queue.pop(failing)).rejects.toThrow('cannot process');
    expect(queue.hasSynced).toBe(true);
    await queue.whenSynced();
  });

  it('a batch that was taken before the first list does not count as part of it', () => {
    const queue = new RealFIFO<unknown>({ accessor });
    queue.progress('1');
    const early = queue.take(10);
    queue.replace([item('a')], '2');
    early?.finish();
    expect(queue.hasSynced).toBe(false);
    queue.take(10)?.finish();
    expect(queue.hasSynced).toBe(true);
  });
});
