import { describe, expectTypeOf, it } from 'vitest';
import type { Client } from '../client/client.js';
import type { Condition, DeepReadonly, New } from '../meta/objects.js';
import { defineResource, type ObjectOf } from './define-resource.js';
import { field } from './field.js';

const { optional, string, integer } = field;
const websites = defineResource({
  group: 'example.com',
  version: 'v1',
  kind: 'Website',
  spec: {
    host: string({ pattern: '^[a-z0-9-]+([.][a-z0-9-]+)+$', immutable: true }),
    image: string(),
    replicas: integer({ minimum: 0, maximum: 50, default: 2 }),
  },
  status: { url: optional(string()), readyReplicas: optional(integer()), conditions: field.conditions() },
  columns: { Host: '.spec.host', Ready: '.status.conditions[?(@.type=="Ready")].status' },
});
type Website = ObjectOf<typeof websites>;

const port = field.object({ name: field.string(), number: field.integer({ default: 80 }) });
const things = defineResource({
  group: 'example.com',
  version: 'v1',
  kind: 'Thing',
  namespaced: false,
  spec: {
    mode: field.string({ values: ['fast', 'safe'], default: 'safe' }),
    tags: field.optional(field.list(field.string(), { set: true })),
    ports: field.list(port, { keys: ['name'] }),
    labels: field.map(field.string()),
    extra: field.any(),
    target: field.optional(field.intOrString()),
  },
});
type Thing = ObjectOf<typeof things>;

/** Only for the compiler: the body is checked and never run. */
function typesOf(_check: (client: Client, site: Website, thing: Thing) => unknown): void {}

describe('[C64] the types of a kind', () => {
  it('[C65] have the defaults when read', () => {
    typesOf((_client, site, thing) => {
      expectTypeOf(site.kind).toEqualTypeOf<'Website'>();
      expectTypeOf(site.spec).toEqualTypeOf<{ host: string; image: string; replicas: number }>();
      expectTypeOf(site.status?.url).toEqualTypeOf<string | undefined>();
      expectTypeOf(site.status?.conditions).toEqualTypeOf<Condition[] | undefined>();
      expectTypeOf(thing.spec.mode).toEqualTypeOf<'fast' | 'safe'>();
      expectTypeOf(thing.spec.tags).toEqualTypeOf<string[] | undefined>();
      expectTypeOf(thing.spec.ports).toEqualTypeOf<{ name: string; number: number }[]>();
      expectTypeOf(thing.spec.extra).toEqualTypeOf<unknown>();
      expectTypeOf(thing.spec.target).toEqualTypeOf<string | number | undefined>();
    });
  });

  it('[C65] let defaults be left out when written, and nothing else', () => {
    const small: New<Website> = { metadata: { name: 'a' }, spec: { host: 'h.example.com', image: 'i' } };
    const frozen: DeepReadonly<New<Website>> = small;
    // @ts-expect-error host is required
    const noHost: New<Website> = { metadata: { name: 'a' }, spec: { image: 'i' } };
    // @ts-expect-error replicas is a number
    const wrong: New<Website> = { metadata: { name: 'a' }, spec: { host: 'h', image: 'i', replicas: 'x' } };
    // @ts-expect-error there is no size
    const unknown: New<Website> = { metadata: { name: 'a' }, spec: { host: 'h', image: 'i', size: 1 } };
    // @ts-expect-error metadata is required
    const noMetadata: New<Website> = { spec: { host: 'h', image: 'i' } };
    void [frozen, noHost, wrong, unknown, noMetadata];
    typesOf(async (client, site) => {
      const collection = client.forResource(things);
      await collection.create({ metadata: {}, spec: { ports: [{ name: 'web' }], labels: {}, extra: null } });
      // @ts-expect-error extra is required, whatever it is
      await collection.create({ metadata: {}, spec: { ports: [], labels: {} } });
      // What was read can be written.
      const again: New<Website> = site;
      await client.forResource(websites, 'default').update(site);
      return again;
    });
  });

  it('refuse wrong rules', () => {
    typesOf((_client, _site, thing) => {
      // @ts-expect-error neither fast nor safe
      const slow: 'slow' = thing.spec.mode;
      // @ts-expect-error no field of the items
      field.list(port, { keys: ['nom'] });
      // @ts-expect-error a default that is none of the values
      field.string({ values: ['fast', 'safe'], default: 'slow' });
      // @ts-expect-error an option that does not exist
      field.integer({ maxLength: 1 });
      return slow;
    });
  });

  it('let other versions be previous ones', () => {
    const beta = defineResource({
      group: 'example.com',
      version: 'v1beta1',
      kind: 'Website',
      spec: { host: string() },
    });
    const both = defineResource({ group: 'example.com', version: 'v1', kind: 'Website', previous: [beta], spec: {} });
    expectTypeOf<keyof ObjectOf<typeof both>['spec']>().toBeNever();
  });
});
