import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Client } from '../../src/client/client.js';
import { defineResource } from '../../src/kinds/define-resource.js';
import { field } from '../../src/kinds/field.js';
import { isInvalid, isNotFound } from '../../src/meta/errors/error-predicates.js';
import { eventually } from '../support/eventually.js';
import { randomKind } from '../support/random-kinds.js';
import { type RealApiServer, startRealApiServer } from './real-api-server.mjs';

let server: RealApiServer;
let client: Client;
beforeAll(async () => {
  server = await startRealApiServer();
  client = await Client.fromKubeconfig({ text: server.kubeconfig });
});
afterAll(async () => {
  await client.close();
  await server.stop();
});

const isServed = (list: () => Promise<unknown>): Promise<void> =>
  eventually('the resource is served', () =>
    list().then(
      () => true,
      (error) => !isNotFound(error) && Promise.reject(error),
    ),
  );

it('[C64] [C65] random kinds are accepted, and their objects stored with defaults and unchanged otherwise', async () => {
  const kinds = fc.sample(randomKind('random.example.com'), { numRuns: 60, seed: 20 });
  const distinct = [...new Map(kinds.map((kind) => [kind.resource.kind, kind])).values()];
  expect(distinct.length).toBeGreaterThan(30);
  for (const { resource } of distinct) {
    await client.apiextensions.v1.customResourceDefinitions().create(resource.definition);
  }
  for (const { resource, specs } of distinct) {
    const objects = client.forResource(resource, 'default');
    await isServed(() => objects.list());
    for (const [at, { written, stored }] of specs.entries()) {
      await objects.create({ metadata: { name: `o${at}` }, spec: written } as never);
      expect(await objects.get(`o${at}`)).toHaveProperty('spec', stored);
    }
  }
});

it('an immutable field cannot be changed or removed once it is set', async () => {
  const cards = defineResource({
    group: 'example.com',
    version: 'v1',
    kind: 'Card',
    spec: {
      owner: field.optional(field.string({ immutable: true, maxLength: 20 })),
      size: field.integer({ default: 1 }),
    },
  });
  await client.apiextensions.v1.customResourceDefinitions().create(cards.definition);
  const objects = client.forResource(cards, 'default');
  await isServed(() => objects.list());
  await objects.create({ metadata: { name: 'a' }, spec: {} });
  await objects.patch('a', { spec: { owner: 'me' } });
  await expect(objects.patch('a', { spec: { owner: 'you' } })).rejects.toSatisfy(isInvalid);
  await expect(objects.patch('a', { spec: { owner: null } })).rejects.toSatisfy(isInvalid);
  expect((await objects.patch('a', { spec: { size: 2 } })).spec).toEqual({ owner: 'me', size: 2 });
});
