import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../../src/client/client.js';
import { SharedInformerFactory } from '../../src/informers/shared-informer-factory.js';
import { isNotFound } from '../../src/meta/errors/error-predicates.js';
import type { KubernetesObject } from '../../src/meta/objects.js';
import { defineResource } from '../../src/meta/resource.js';
import { ContractObserver } from '../support/contract-observer.js';
import { eventually } from '../support/eventually.js';
import { withWire } from '../support/wire.js';
import { type RealApiServer, startRealApiServer } from './real-api-server.mjs';

interface Gadget extends KubernetesObject {
  spec?: { size: number };
}
const gadgets = defineResource<Gadget>({
  group: 'informers.example.com',
  version: 'v1',
  resource: 'gadgets',
  kind: 'Gadget',
  namespaced: true,
});
const definition = {
  metadata: { name: 'gadgets.informers.example.com' },
  spec: {
    group: gadgets.group,
    scope: 'Namespaced',
    names: { plural: 'gadgets', kind: 'Gadget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

let server: RealApiServer;
beforeAll(async () => {
  server = await startRealApiServer();
});
afterAll(() => server.stop());

describe('an informer of a custom resource', () => {
  it('waits for the definition, gets deletions when it is deleted, and continues with the next one', async () => {
    await using client = await Client.fromKubeconfig({ text: server.kubeconfig }, withWire);
    const failures: unknown[] = [];
    await using factory = new SharedInformerFactory(client, { onError: (error) => failures.push(error) });
    const informer = factory.forResource(gadgets);
    const observer = new ContractObserver(informer.lister);
    informer.subscribe(observer.listen);
    factory.start();
    await expect(factory.waitForCacheSync({ timeoutMs: 300_000 })).rejects.toThrow('gadgets');
    expect(failures.some(isNotFound)).toBe(true);

    const definitions = client.apiextensions.v1.customResourceDefinitions();
    const mine = client.forResource(gadgets, 'default');
    const made = async (name: string) => {
      await eventually('the resource is served', () =>
        mine.create({ metadata: { name }, spec: { size: 1 } }).then(
          () => true,
          () => false,
        ),
      );
      await eventually(`${name} is cached`, () => informer.lister.get(`default/${name}`) !== undefined);
    };
    await definitions.create(definition);
    await made('first');
    await made('second');
    expect(informer.hasSynced).toBe(true);

    // The server deletes the objects before the definition.
    await definitions.delete(definition.metadata.name);
    await eventually('nothing is left', () => informer.lister.count() === 0);
    expect(observer.state).toEqual({});
    await eventually('the definition is gone', () =>
      definitions.get(definition.metadata.name).then(
        () => false,
        (error) => isNotFound(error),
      ),
    );

    await definitions.create(definition);
    await made('third');
    const { items } = await mine.list();
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['third']);
    expect(observer.state).toEqual({ 'default/third': items[0]?.metadata.resourceVersion });
    expect(observer.violations).toEqual([]);
  });
});
