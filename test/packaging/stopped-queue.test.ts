import { describe, expect, it } from 'vitest';
import { distImport } from '../support/dist.js';
import { Program } from '../support/program.js';

describe('a process with delayed items', () => {
  it('ends when its workers have been stopped', async () => {
    const script = `
      import { processQueue, RateLimitingQueue } from ${distImport('index.js')};
      const queue = new RateLimitingQueue();
      const stop = new AbortController();
      queue.add('a');
      await processQueue(queue, {
        workers: 2,
        signal: stop.signal,
        reconcile() {
          setImmediate(() => stop.abort());
          return { requeueAfterMs: 3_600_000 };
        },
      });
      console.log(queue.delayedLength);`;
    const program = new Program(['--input-type=module', '--eval', script]);
    expect(await program.ended).toEqual({ code: 0, stdout: '1\n', stderr: '' });
  });

  it('stays alive while `get` waits for an item', async () => {
    const script = `
      import { RateLimitingQueue } from ${distImport('index.js')};
      const queue = new RateLimitingQueue();
      queue.addAfter('a', 20);
      console.log(await queue.get());`;
    const program = new Program(['--input-type=module', '--eval', script]);
    expect(await program.ended).toEqual({ code: 0, stdout: 'a\n', stderr: '' });
  });
});
