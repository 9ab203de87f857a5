import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer } from '../../src/apiserver/index.js';
import { Client } from '../../src/client/client.js';
import { isNotFound } from '../../src/meta/errors/error-predicates.js';
import { StatusError } from '../../src/meta/errors/errors.js';
import { defineResource } from '../../src/meta/resource.js';
import { eventually } from '../support/eventually.js';
import { expressions, object, schema } from './cel-expressions.js';
import { type RealApiServer, startRealApiServer } from './real-api-server.mjs';

/** So many rules are in one definition: more causes than an answer of the embedded server lists would not be compared. */
const batchSize = 25;

let server: RealApiServer;
let embedded: ApiServer;
let clients: readonly [real: Client, embedded: Client];
beforeAll(async () => {
  server = await startRealApiServer();
  embedded = await startApiServer({ listen: false });
  clients = [await Client.fromKubeconfig({ text: server.kubeconfig }), embedded.client()];
});
afterAll(async () => {
  for (const client of clients) await client.close();
  await embedded.stop();
  await server.stop();
});

const batches = Array.from({ length: Math.ceil(expressions.length / batchSize) }, (_, i) =>
  expressions.slice(i * batchSize, (i + 1) * batchSize),
);

function definitionOf(
  group: string,
  rules: readonly string[],
): Record<string, unknown> & { metadata: { name: string } } {
  const openAPIV3Schema = { ...schema, 'x-kubernetes-validations': rules.map((rule) => ({ rule })) };
  return {
    metadata: { name: `samples.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'samples', kind: 'Sample' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
}

/** The causes with which a server refuses a request; none if it does not. */
async function causesOf(request: Promise<unknown>): Promise<string[]> {
  try {
    await request;
    return [];
  } catch (error) {
    if (!(error instanceof StatusError) || error.causes.length === 0) throw error;
    // The name of the type of self has a number that changes from run to run.
    return error.causes.map(({ field, message }) => `${field}: ${message}`.replaceAll(/selfType\d+/g, 'selfType'));
  }
}

describe('rules of custom resources', () => {
  it.each(batches.map((rules, at) => ({ at, rules })))(
    'batch $at is refused, or evaluated, as by kube-apiserver',
    async ({ at, rules }) => {
      const group = `rules${at}.example.com`;
      const [real, ours] = clients;
      const create = (client: Client, allowed: readonly string[], dryRun: boolean): Promise<unknown> =>
        client.apiextensions.v1.customResourceDefinitions().create(definitionOf(group, allowed) as never, { dryRun });
      const refused = await causesOf(create(real, rules, true));
      expect(await causesOf(create(ours, rules, true))).toEqual(refused);

      const accepted = rules.filter(
        (_rule, i) => !refused.some((cause) => cause.includes(`x-kubernetes-validations[${i}]`)),
      );
      const samples = defineResource({ group, version: 'v1', resource: 'samples', kind: 'Sample', namespaced: true });
      const write = async (client: Client): Promise<string[]> => {
        await create(client, accepted, false);
        const resource = client.forResource(samples, 'default');
        await eventually('the resource is served', () =>
          resource.list().then(
            () => true,
            (error) => !isNotFound(error) && Promise.reject(error),
          ),
        );
        return causesOf(resource.create({ metadata: { name: 'nm' }, ...object } as never));
      };
      const broken = await write(real);
      expect(await write(ours)).toEqual(broken);
    },
  );
});
