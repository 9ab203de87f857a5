import { expect, it } from 'vitest';
import { FakeClock } from '../../time/fake-clock.js';
import { RestClient } from '../request/rest-client.js';
import { MemoryTransport } from './memory-transport.js';

it('fails requests under way and new ones when it is closed, and neither is retried', async () => {
  const clock = new FakeClock();
  const transport = new MemoryTransport({ send: () => ({ pause() {}, resume() {}, abort() {} }) });
  const rest = new RestClient({ server: 'memory' }, { transport, clock });
  const before = expect(rest.get().resource('pods').do()).rejects.toThrow(/list pods of memory: .* was closed$/);
  await clock.runUntilIdle();
  await transport.close();
  await before;
  await expect(rest.get().resource('pods').do()).rejects.toThrow(/list pods of memory: .* was closed$/);
  expect(clock.pendingTimers).toEqual([]);
});
