import { describe, expect, it, onTestFinished } from 'vitest';
import { Client } from '../../src/client/client.js';
import { type ChannelMessage, channels, listen } from '../../src/observe/channels.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { withWire } from '../support/wire.js';
import { InformerRig } from './informer-rig.js';
import { startRealApiServer } from './real-api-server.mjs';

/** The answers to requests for config maps, from now on. */
function requests(): ChannelMessage<'restRequest'>[] {
  const heard: ChannelMessage<'restRequest'>[] = [];
  const isAboutMaps = ({ path }: ChannelMessage<'restRequest'>) => path.endsWith('/configmaps');
  onTestFinished(listen(channels.restRequest, (message) => void (isAboutMaps(message) && heard.push(message))));
  return heard;
}

describe('informers on servers with unusual flags', () => {
  it('continue after GOAWAYs', async () => {
    await using server = await startRealApiServer({ flags: ['--goaway-chance=0.02'] });
    await using proxy = await TcpProxy.start(server.url);
    await using rig = await InformerRig.start(server, { url: proxy.url });
    rig.observe(rig.factory.core.v1.configMaps());
    rig.observe(rig.factory.core.v1.configMaps({ useWatchList: false, name: 'listed' }));
    await rig.sync();
    // Requests on the connection of the informers, until there were enough GOAWAYs.
    const namespace = rig.client.core.v1.namespaces();
    for (let i = 0; proxy.accepted < 5; i++) {
      await rig.churn(5, 5 * i);
      for (let j = 0; j < 20; j++) await namespace.get(rig.namespace);
    }
    rig.observe(rig.factory.core.v1.configMaps({ name: 'late' }));
    await rig.check();
    expect(rig.survived).toEqual([]);
  });

  it('list in pages if the server has no watch cache', async () => {
    await using server = await startRealApiServer({ flags: ['--watch-cache-sizes=configmaps#0'] });
    await using rig = await InformerRig.start(server);
    const names = Array.from({ length: 1_100 }, (_, i) => `page-${i}`);
    await Promise.all(names.map((name) => rig.maps.create({ metadata: { name } })));
    const heard = requests();
    rig.observe(rig.factory.core.v1.configMaps());
    rig.observe(rig.factory.core.v1.configMaps({ useWatchList: false, name: 'listed' }));
    await rig.sync();
    expect(heard.filter(({ verb }) => verb === 'list')).toHaveLength(3);
    await rig.churn(50);
    await rig.check();
    // Without a watch cache, revisions that etcd has compacted are gone.
    await server.compact();
    await rig.churn(50, 50);
    await rig.check();
  });

  it('retry later after 429', async () => {
    const flags = ['--enable-priority-and-fairness=false', '--max-requests-inflight=1'];
    await using server = await startRealApiServer({ flags });
    const rules = [{ verbs: ['list', 'watch'], apiGroups: [''], resources: ['configmaps'] }];
    // The limit does not apply to admins.
    const token = await server.addUser({ name: 'crowd', rules });
    const client = new Client({ server: server.url, ca: server.ca, token, ...withWire });
    await using rig = await InformerRig.start(server, { client });
    await rig.churn(100);
    const heard = requests();
    for (let i = 0; i < 40; i++) {
      rig.observe(rig.factory.core.v1.configMaps({ name: `informer-${i}`, useWatchList: i % 4 === 0 }));
    }
    await rig.sync();
    expect(heard.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
    await rig.churn(50, 100);
    await rig.check();
  });
});
