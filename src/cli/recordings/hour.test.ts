import { writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { makeRecording, recorded } from '../../../test/support/recordings.js';
import { startApiServer } from '../../apiserver/index.js';
import { SharedInformerFactory } from '../../informers/shared-informer-factory.js';
import { FakeClock } from '../../time/fake-clock.js';

const SECONDS = Number(process.env['SECONDS'] ?? 60);
it('an hour', { timeout: 600_000 }, async () => {
  const seen: string[] = [];
  const t0 = performance.now();
  const note = (log: string[], client: any) => {
    const factory = new SharedInformerFactory(client);
    const informer = factory.core.v1.pods();
    informer.addEventHandler({
      onAdd: (o) => log.push(`add ${JSON.stringify(o)}`),
      onUpdate: (a, b) => log.push(`update ${JSON.stringify(a)} ${JSON.stringify(b)}`),
      onDelete: (o) => log.push(`delete ${JSON.stringify(o)}`),
    });
    factory.start();
    return { factory, informer };
  };
  const { bytes, totals } = await makeRecording([recorded('pods')], async ({ clock, client }) => {
    const pods = client.core.v1.pods('default');
    const containers = [{ name: 'web', image: 'web:1', resources: { requests: { cpu: '100m', memory: '64Mi' } } }];
    for (let i = 0; i < 200; i++)
      await pods.create({ metadata: { name: `web-${i}`, labels: { app: 'web', i: String(i) } }, spec: { containers } });
    const { factory, informer } = note(seen, client);
    await clock.until(() => informer.hasSynced);
    for (let n = 0; n < SECONDS * 50; n++) {
      await pods.patchStatus(`web-${n % 200}`, { phase: 'Running', message: `change ${n}` } as never);
      await clock.advance(20);
    }
    await clock.advance(1000);
    await factory.stop();
  });
  const t1 = performance.now();
  await writeFile('/tmp/replay-hour.kfr', bytes);
  console.log('recorded', SECONDS, 's in', Math.round(t1 - t0), 'ms', totals, 'ratio', totals.jsonBytes / bytes.length);
  const again: string[] = [];
  const clock = new FakeClock({ seed: 2 });
  const cpu = process.cpuUsage();
  const api = await startApiServer({ clock, listen: false, replay: '/tmp/replay-hour.kfr' });
  const client = api.client();
  const { factory, informer } = note(again, client);
  await clock.until(() => informer.hasSynced);
  await clock.advance(api.replay!.end - api.replay!.position + 1);
  const used = process.cpuUsage(cpu);
  console.log(
    'replayed in',
    Math.round(performance.now() - t1),
    'ms; cpu',
    (used.user + used.system) / 1000,
    again.length,
    seen.length,
    api.replay!.isAtEnd,
  );
  await factory.stop();
  await client.close();
  await api.stop();
  expect(again.filter((l) => l.startsWith('update')).length).toBe(seen.filter((l) => l.startsWith('update')).length);
});
