// The same operator on a server in this process, in virtual time, through everything that goes wrong.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditionOf } from 'kubeflect/controller';
import { createWorld, explore } from 'kubeflect/testing';
import { type Dns, operator, websites } from './website.js';

const shop = { metadata: { name: 'shop' }, spec: { host: 'shop.example.com', image: 'shop:1' } }; // two by default
function zone(records = new Map<string, string>()): Dns {
  const point = async (host: string, target: string) => void records.set(host, target);
  return { point, remove: async (host) => void records.delete(host) };
}

test('a site comes up although a watch breaks, a write conflicts and the server forgets', async () => {
  await using world = await createWorld(operator(zone()), { seed: 1 });
  const sites = world.client.forResource(websites, 'default');
  const deployments = world.client.apps.v1.deployments('default');
  const respond = { status: 409, reason: 'Conflict' };
  world.api.faults.inject({ verb: 'watch', resource: 'deployments', reset: 'midEvent' });
  const conflict = world.api.faults.inject({ verb: 'patch', resource: 'websites', subresource: 'status', respond });
  await sites.create(shop);
  await world.settle();
  assert.equal(conflict.hits, 1);
  const site = await sites.get('shop');
  assert.equal(site.status?.readyReplicas, site.spec.replicas);
  assert.equal(conditionOf(site, 'Ready')?.status, 'True');

  await world.api.restart(); // watches have to begin anew
  await deployments.patch('shop', { spec: { replicas: 9 } }); // somebody meddles
  await world.settle();
  assert.equal((await deployments.get('shop')).spec?.replicas, 2);
  assert.deepEqual(await world.again(), [], 'looking again changes nothing');
});

test('a site is not gone before its DNS record is', async () => {
  const remove = () => Promise.reject(new Error('no answer'));
  await using world = await createWorld(operator({ ...zone(), remove }));
  const sites = world.client.forResource(websites, 'default');
  await sites.create(shop);
  await world.settle();
  await sites.delete('shop');
  await assert.rejects(world.settle({ withinMs: 60_000 }), /default\/shop .*no answer/s);
  assert.equal(world.runs.at(-1)?.what, 'finalize');
  assert.notEqual((await sites.get('shop')).metadata.deletionTimestamp, undefined);
});

test('it comes to the same end wherever it crashes, and whatever it has not seen yet', async () => {
  await explore(
    () => operator(zone()),
    async (world) => {
      const sites = world.client.forResource(websites, 'default');
      await sites.create(shop);
      await world.settle();
      await sites.patch('shop', { spec: { replicas: 3, image: 'shop:2' } });
      await world.settle();
    },
  );
});
