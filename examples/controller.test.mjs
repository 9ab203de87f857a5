// A controller tested without a cluster, in virtual time: `node --test examples/controller.test.mjs`.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startApiServer } from 'kubeflect/apiserver';
import { FakeClock } from 'kubeflect/testing';
import { makeManager } from './controller.mjs';

test('scales up and down through a conflict and a broken watch', async () => {
  const clock = new FakeClock({ seed: 1 });
  const api = await startApiServer({ clock, listen: false }); // in memory, so that the clock can tell when everything is idle
  const client = api.client();
  const stop = new AbortController();
  let hasEnded = false;
  const running = makeManager(client)
    .run({ signal: stop.signal })
    .finally(() => (hasEnded = true));
  const conflict = api.faults.inject({
    verb: 'patch',
    resource: 'deployments',
    subresource: 'status',
    respond: { status: 409, reason: 'Conflict' },
  });
  api.faults.inject({ verb: 'watch', resource: 'pods', reset: 'midEvent' });

  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'web:1' }] } };
  const deployments = client.apps.v1.deployments('default');
  const spec = { replicas: 3, selector: { matchLabels: labels }, template };
  await deployments.create({ metadata: { name: 'web' }, spec });
  const count = async () => (await client.core.v1.pods('default').list()).items.length;
  await clock.until(async () => (await count()) === 3, { withinMs: 60_000 });
  await deployments.subresource('scale').patch('web', { spec: { replicas: 1 } });
  await clock.until(async () => (await count()) === 1, { withinMs: 60_000 });
  await clock.until(async () => (await deployments.get('web')).status?.observedGeneration === 2, { withinMs: 60_000 });
  assert.equal(conflict.hits, 1);

  stop.abort();
  await clock.until(() => hasEnded, { withinMs: 60_000 }); // it ends in order: runs, status, lease, caches
  await running;
  await client.close();
  await api.stop();
});
