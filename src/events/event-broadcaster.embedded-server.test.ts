import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer } from '../apiserver/server.js';
import type { Client } from '../client/client.js';
import type { Pod } from '../resources/types/core-v1.js';
import { FakeClock } from '../time/fake-clock.js';
import { EventBroadcaster } from './event-broadcaster.js';
import type { EventDetails } from './occurrence.js';

const failed: EventDetails = { type: 'Warning', reason: 'FailedPull', message: 'cannot pull app:1', action: 'Pull' };

describe.each(['v1', 'events.k8s.io/v1'] as const)(
  'events on a server, through %s',
  (api: 'v1' | 'events.k8s.io/v1') => {
    let clock: FakeClock;
    let server: ApiServer;
    let client: Client;
    let broadcaster: EventBroadcaster;
    let pod: Pod;
    const errors: string[] = [];

    beforeEach(async () => {
      clock = new FakeClock({ seed: 1 });
      server = await startApiServer({ clock, listen: false, onError: (error) => expect.fail(String(error)) });
      client = server.client();
      broadcaster = new EventBroadcaster({ client, api, onError: (error) => errors.push(error.message) });
      pod = await client.core.v1.pods('default').create({
        metadata: { name: 'web-0' },
        spec: { containers: [{ name: 'app', image: 'app:1' }] },
      });
    });
    afterEach(async () => {
      await client.close();
      await server.stop();
      expect(errors.splice(0)).toEqual([]);
      await clock.runUntilIdle();
      expect(clock.pendingTimers).toEqual([]);
    });

    const stored = async () => (await client.core.v1.events('default').list()).items;

    it('are stored with their object and their count', async () => {
      const recorder = broadcaster.recorder({ component: 'example.com/web', host: 'node-1' });
      for (let i = 0; i < 5; i++) {
        recorder.event(pod, failed);
        await clock.advance(1000);
      }
      await broadcaster.close();
      const events = await stored();
      expect(events).toHaveLength(1);
      expect(events[0]).toMatchObject({
        type: 'Warning',
        reason: 'FailedPull',
        message: 'cannot pull app:1',
        action: 'Pull',
        involvedObject: { apiVersion: 'v1', kind: 'Pod', name: 'web-0', uid: pod.metadata.uid },
        reportingComponent: 'example.com/web',
      });
      expect(api === 'v1' ? events[0]?.count : events[0]?.series?.count).toBe(5);
    });

    it('are written after the server was unreachable for a while', async () => {
      const recorder = broadcaster.recorder({ component: 'example.com/web' });
      server.faults.inject({ resource: 'events', reset: 'beforeHeaders', times: 100 });
      recorder.event(pod, failed);
      await clock.advance(5000);
      recorder.event(pod, failed);
      await clock.advance(25_000);
      server.faults.clear();
      await clock.advance(15_000);
      await broadcaster.close();
      expect((await stored()).map(({ count, series }) => series?.count ?? count)).toEqual([2]);
    });

    it('are created again when the server has deleted them', async () => {
      const recorder = broadcaster.recorder({ component: 'example.com/web' });
      recorder.event(pod, failed);
      await clock.runUntilIdle();
      const [first] = await stored();
      await client.core.v1.events('default').delete(first?.metadata.name ?? '');
      recorder.event(pod, failed);
      await broadcaster.close();
      expect((await stored()).map(({ count, series }) => series?.count ?? count)).toEqual([2]);
    });

    it('about cluster-scoped objects are stored in default', async () => {
      const node = await client.core.v1.nodes().create({ metadata: { name: 'node-1' } });
      broadcaster.recorder({ component: 'example.com/web' }).event(node, failed);
      await broadcaster.close();
      expect((await stored()).map(({ involvedObject }) => involvedObject.kind)).toEqual(['Node']);
    });
  },
);
