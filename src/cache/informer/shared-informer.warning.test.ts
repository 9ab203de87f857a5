import { expect, it, onTestFinished, vi } from 'vitest';
import { startApiServer } from '../../apiserver/server.js';
import { SharedInformerFactory } from '../../informers/shared-informer-factory.js';
import { FakeClock } from '../../time/fake-clock.js';

it('the warning of a failed handler names the handler, the key and the error', async () => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const clock = new FakeClock();
  const api = await startApiServer({ clock, listen: false });
  const client = api.client();
  await client.core.v1.configMaps('default').create({ metadata: { name: 'a' } });
  const factory = new SharedInformerFactory(client, { namespace: 'default' });
  const fail = () => {
    throw new Error('boom');
  };
  factory.core.v1.configMaps().subscribe(fail, { name: 'bad' });
  factory.start();
  await clock.until(() => warn.mock.calls.length > 0, { withinMs: 10_000 });
  expect(warn.mock.calls[0]?.[0]).toBe('the handler bad of configmaps.v1 failed on default/a: boom');
  await factory.stop();
  await client.close();
  await api.stop();
});
