import { afterEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../time/fake-clock.js';
import { finish } from '../../time/steps.js';
import { builtInResources } from '../resources/built-in-resources.js';
import { Registry } from '../resources/registry.js';
import { ObjectWriter } from '../resources/write/object-writer.js';
import { Storage } from '../storage/storage.js';
import { startEventExpiry } from './event-expiry.js';
import type { ServerController } from './server-controller.js';

const MINUTE = 60_000;
let controller: ServerController | undefined;
afterEach(() => controller?.stop());

function setUp() {
  const clock = new FakeClock();
  const storage = new Storage({ historyLimit: 100, historyBytes: 1e6, firstVersion: 1, now: () => clock.now() });
  const registry = new Registry();
  for (const resource of builtInResources(storage)) registry.add(resource);
  const writer = new ObjectWriter(clock, registry);
  controller = startEventExpiry({ clock, storage, registry, writer, onError: () => {} });
  const events = registry.find('', 'v1', 'events')!;
  finish(writer.create(registry.find('', 'v1', 'namespaces')!, '', { metadata: { name: 'n' } }));
  const create = (name: string): void => {
    finish(writer.create(events, 'n', { metadata: { name }, involvedObject: { namespace: 'n' } }));
  };
  const names = (): string[] => ['a', 'b'].filter((name) => events.collection.get(`n/${name}`) !== undefined);
  const touch = (name: string): void => {
    const change = (old: Record<string, unknown>): Record<string, unknown> => ({ ...old, count: 2 });
    finish(writer.update(events, 'n', name, { change }));
  };
  return { clock, create, names, touch };
}

describe('the expiry of Events', () => {
  it('deletes an Event an hour after it was created', async () => {
    const { clock, create, names } = setUp();
    create('a');
    await clock.advance(30 * MINUTE);
    create('b');
    await clock.advance(30 * MINUTE - 1);
    expect(names()).toEqual(['a', 'b']);
    await clock.advance(1);
    expect(names()).toEqual(['b']);
    await clock.advance(30 * MINUTE);
    expect(names()).toEqual([]);
  });

  it('starts the hour again with each write', async () => {
    const { clock, create, names, touch } = setUp();
    create('a');
    await clock.advance(59 * MINUTE);
    touch('a');
    await clock.advance(59 * MINUTE);
    expect(names()).toEqual(['a']);
    await clock.advance(MINUTE);
    expect(names()).toEqual([]);
  });
});
