import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../../src/client/client.js';
import { EventBroadcaster } from '../../src/events/event-broadcaster.js';
import { SharedInformerFactory } from '../../src/informers/shared-informer-factory.js';
import { eventually } from '../support/eventually.js';
import { withWire } from '../support/wire.js';
import { type RealApiServer, startRealApiServer } from './real-api-server.mjs';

let server: RealApiServer;
let client: Client;
beforeAll(async () => {
  server = await startRealApiServer();
  client = await Client.fromKubeconfig({ text: server.kubeconfig }, withWire);
});
afterAll(async () => {
  await client.close();
  await server.stop();
});

describe.each(['v1', 'events.k8s.io/v1'] as const)(
  'events on a real kube-apiserver, through %s',
  (api: 'v1' | 'events.k8s.io/v1') => {
    it('are accepted, counted and watched', async () => {
      const namespace = api === 'v1' ? 'core-events' : 'series-events';
      await client.core.v1.namespaces().create({ metadata: { name: namespace } });
      await using factory = new SharedInformerFactory(client, { namespace });
      const informer = api === 'v1' ? factory.core.v1.events() : factory.events.v1.events();
      factory.start();
      await factory.waitForCacheSync({ timeoutMs: 300_000 });
      const map = await client.core.v1.configMaps(namespace).create({ metadata: { name: 'subject' } });
      const errors: unknown[] = [];
      const broadcaster = new EventBroadcaster({ client, api, onError: (error) => errors.push(error) });
      const recorder = broadcaster.recorder({ component: 'example.com/real', host: 'node-1' });
      const happened = { type: 'Warning', reason: 'Tested', message: 'it was tested', action: 'Test' } as const;
      for (let i = 0; i < 5; i++) recorder.event(map, happened);
      recorder.event(map, { ...happened, type: 'Normal', reason: 'Passed' });
      await broadcaster.close();
      expect(errors).toEqual([]);
      const { items } = await client.core.v1.events(namespace).list();
      const involvedObject = { apiVersion: 'v1', kind: 'ConfigMap', name: 'subject', uid: map.metadata.uid };
      expect(items).toHaveLength(2);
      for (const item of items) expect(item).toMatchObject({ involvedObject, reportingComponent: 'example.com/real' });
      const tested = items.find(({ reason }) => reason === 'Tested');
      expect(api === 'v1' ? tested?.count : tested?.series?.count).toBe(5);
      await eventually('the events are cached', () => informer.lister.count() === 2);
    });
  },
);
