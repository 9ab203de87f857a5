import { describe, expectTypeOf, it } from 'vitest';
import type { Client } from '../client/client.js';
import { resources } from '../resources/resources.js';
import { convert, createController, createManager, defineResource, field, mutate, validate } from './index.js';

const { optional, string, integer } = field;
const websites = defineResource({
  group: 'example.com',
  version: 'v1',
  kind: 'Website',
  spec: { host: string(), image: string(), replicas: integer({ default: 2 }) },
  status: { url: optional(string()), readyReplicas: optional(integer()), conditions: field.conditions() },
});
const things = defineResource({
  group: 'example.com',
  version: 'v1',
  kind: 'Thing',
  namespaced: false,
  spec: { mode: string({ values: ['fast', 'safe'], default: 'safe' }) },
});
const { deployments } = resources.apps.v1;

/** Only for the compiler: the body is checked and never run. */
function typesOf(_check: (client: Client) => unknown): void {}

describe('the types of a controller', () => {
  it('come from its kinds', () => {
    typesOf(() =>
      createController({
        name: 'typed',
        for: websites,
        owns: [deployments],
        watches: (watch) => [
          watch(things, { requests: (one) => [one.spec.mode] }),
          watch(resources.core.v1.nodes, { references: (one) => [one.spec.host] }),
        ],
        async reconcile(one, { apply, status, owned, lister }) {
          expectTypeOf(one.spec.replicas).toEqualTypeOf<number>();
          // @ts-expect-error objects of a cache are shared
          one.spec.host = 'other.example.com';
          const ready: number | undefined = owned(deployments)[0]?.status?.readyReplicas;
          const node: string | undefined = lister(resources.core.v1.pods).get('a/b')?.spec?.nodeName;
          status({ readyReplicas: ready ?? 0, conditions: [{ type: 'Placed', status: node ? 'True' : 'False' }] });
          // @ts-expect-error the status has no such field
          status({ nope: 1 });
          // What has a default may be left out.
          await apply(things, { metadata: { name: 'x' }, spec: {} });
          // @ts-expect-error template is missing
          await apply(deployments, { metadata: { name: 'x' }, spec: { selector: {} } });
        },
      }),
    );
  });

  it('refuse results and options that do not exist', () => {
    // @ts-expect-error no such result
    typesOf(() => createController({ name: 'wrong', for: websites, reconcile: async () => ({ requeue: true }) }));
    // @ts-expect-error no such option
    typesOf((client) => createManager(client, { name: 'x', leaders: 1 }));
  });

  it('of webhooks come from their kind', () => {
    typesOf(() => mutate(websites, { change: (one) => void (one.spec.replicas ??= 3) }));
    typesOf(() => validate(websites, { check: (one) => (one.spec.host === 'x' ? 'not this one' : undefined) }));
    typesOf(() =>
      validate(websites, {
        check(one, { old, lister }) {
          expectTypeOf(old?.spec.host).toEqualTypeOf<string | undefined>();
          expectTypeOf(lister(things).list()[0]?.spec.mode).toEqualTypeOf<'fast' | 'safe' | undefined>();
          // @ts-expect-error a check changes nothing
          one.spec.host = 'other.example.com';
        },
      }),
    );
    // @ts-expect-error no such verdict
    typesOf(() => validate(websites, { check: () => ({ allowed: false }) }));
    const beta = defineResource({
      group: 'example.com',
      version: 'v1beta1',
      kind: 'Website',
      spec: { domain: field.string() },
    });
    typesOf(() =>
      convert(beta, websites, {
        up: ({ spec: { domain } }) => ({ spec: { host: domain, image: 'none' } }),
        down: ({ spec: { host } }) => ({ spec: { domain: host } }),
      }),
    );
    typesOf(() =>
      convert(beta, websites, {
        // @ts-expect-error host is required
        up: () => ({ spec: { image: 'none' } }),
        down: ({ spec: { host } }) => ({ spec: { domain: host } }),
      }),
    );
  });
});
