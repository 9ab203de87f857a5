import { describe, expect, it } from 'vitest';
import {
  convert,
  defineResource,
  field,
  type ManagerOptions,
  mutate,
  type ObjectOf,
  validate,
} from '../../controller/index.js';
import { resources } from '../../index.js';
import { ControllerWorld, createWorld } from './world.js';

const websites = defineResource({
  group: 'example.com',
  version: 'v1',
  kind: 'Website',
  spec: { host: field.string(), image: field.string(), replicas: field.integer({ minimum: 0, default: 1 }) },
  status: { readyReplicas: field.optional(field.integer()) },
});
type Website = ObjectOf<typeof websites>;

const oneHostOneSite = validate(websites, {
  reads: [websites],
  check(site, { lister, warn }) {
    if (site.spec.replicas === 0) warn('the site is dark');
    const others = lister(websites)
      .list()
      .filter(({ metadata }) => metadata.uid !== site.metadata.uid);
    const problems = [];
    if (others.some(({ spec }) => spec.host === site.spec.host))
      problems.push({ field: 'spec.host', message: 'is served by another site' });
    if (site.spec.replicas > 20) problems.push({ field: 'spec.replicas', message: 'must be at most 20' });
    return problems;
  },
});
const madeBy = mutate(websites, {
  operations: ['CREATE'],
  change(site, { user }) {
    site.metadata.annotations = { ...site.metadata.annotations, 'example.com/made-by': user.name };
  },
});
const options: ManagerOptions = { name: 'website-admission', webhooks: [oneHostOneSite, madeBy] };

function site(name: string, host = `${name}.example.com`, replicas?: number) {
  return { metadata: { name }, spec: { host, image: 'i', ...(replicas === undefined ? {} : { replicas }) } };
}

describe('webhooks in a world', () => {
  it('[C73] change and refuse objects, all problems in one answer, with exactly the rights of manifests', async () => {
    await using world = await createWorld(options, { workloads: 'idle' });
    const sites = world.client.forResource(websites, 'default');
    const stored: Website = await sites.create(site('shop'));
    expect(stored.metadata.annotations).toEqual({ 'example.com/made-by': expect.any(String) });
    // The default of the definition comes first, as on kube-apiserver.
    expect(stored.spec.replicas).toBe(1);
    await world.settle();
    await expect(sites.create(site('other', 'shop.example.com', 21))).rejects.toMatchObject({
      document: {
        code: 422,
        reason: 'Invalid',
        message:
          'admission webhook "validate.v1.websites.example.com" denied the request: spec.host: is served by another site; spec.replicas: must be at most 20',
        details: { causes: [{ field: 'spec.host' }, { field: 'spec.replicas' }] },
      },
    });
  });

  it('[C71] leave objects that are being deleted alone, also when no replica is there', async () => {
    await using world = await createWorld(options, { workloads: 'idle' });
    const sites = world.client.forResource(websites, 'default');
    const { spec } = await sites.create({ ...site('shop'), metadata: { name: 'shop', finalizers: ['example.com/x'] } });
    await world.stop();
    await expect(sites.patch('shop', { spec: { ...spec, replicas: 3 } })).rejects.toThrow(/connection refused/);
    await sites.delete('shop');
    await sites.patch('shop', { metadata: { finalizers: null } });
    await expect(sites.get('shop')).rejects.toThrow(/not found/);
  });
});

describe('webhooks and managers', () => {
  it('[C74] a change that is not the same twice fails the request, and is reported', async () => {
    const errors: string[] = [];
    const growing = mutate(websites, { operations: ['CREATE'], change: (one) => void (one.spec.image += '!') });
    const onError = ({ message }: Error): void => void errors.push(message);
    await using world = await createWorld({ name: 'growing', webhooks: [growing], onError }, { workloads: 'idle' });
    const created = world.client.forResource(websites, 'default').create(site('shop'));
    await expect(created).rejects.toThrow(/changes an object that it has changed before/);
    expect(errors).toEqual([expect.stringContaining('twice must be as once')]);
  });

  it('[C50] webhooks are served for five seconds after the stop', async () => {
    await using world = await createWorld(options, { workloads: 'idle' });
    const sites = world.client.forResource(websites, 'default');
    const stopped = world.stop();
    const created = sites.create(site('shop'));
    await stopped;
    expect((await created).metadata.annotations).toHaveProperty(['example.com/made-by']);
    await expect(sites.create(site('late'))).rejects.toThrow(/connection refused/);
  });

  it('[C69] convert objects of the server', async () => {
    const names = { group: 'example.com', kind: 'Widget' } as const;
    const beta = defineResource({ ...names, version: 'v1beta1', spec: { count: field.integer() } });
    const spec = { size: field.integer(), color: field.optional(field.string()) };
    const widgets = defineResource({ ...names, version: 'v1', spec, previous: [beta] });
    const conversion = convert(beta, widgets, {
      up: ({ spec: { count } }) => ({ spec: { size: count } }),
      down: ({ spec: { size } }) => ({ spec: { count: size } }),
    });
    await using world = await createWorld({ name: 'widgets', webhooks: [conversion] }, { workloads: 'idle' });
    await world.client.forResource(widgets, 'default').create({
      metadata: { name: 'a' },
      spec: { size: 3, color: 'blue' },
    });
    const older = world.client.forResource(beta, 'default');
    const read = await older.get('a');
    expect(read.spec).toEqual({ count: 3 });
    await older.update({ ...read, spec: { count: 4 } });
    const changed = await world.client.forResource(widgets, 'default').get('a');
    expect([changed.spec, changed.metadata.annotations]).toEqual([{ size: 4, color: 'blue' }, undefined]);
  });

  it('[C52] do not start without their configurations', async () => {
    await using world = await createWorld({ name: 'website-admission', webhooks: [madeBy] }, { workloads: 'idle' });
    await world.stop();
    await world.client.admissionregistration.v1.mutatingWebhookConfigurations().delete('website-admission');
    await expect(world.start()).rejects.toThrow(/MutatingWebhookConfiguration website-admission: it does not exist/);
  });
});

describe('certificates in a world', () => {
  const { secrets } = resources.core.v1;

  it('[C70] three replicas that start at once make one authority, and a rotation refuses no request', async () => {
    const times = { authorityMs: 60_000, servingMs: 24_000, trustMs: 2000, forgetMs: 3000 };
    const setup = { replicas: 0, workloads: 'idle' } as const;
    const world = await ControllerWorld.begin(options, setup, undefined, times);
    const authorities: { stage: string }[][] = [];
    const served = new Set<string>();
    world.api.storage.subscribe((revision, { id }) => {
      if (id !== 'secrets' || !revision.key.endsWith('certificates')) return;
      const { data } = revision.decode() as { data: Record<string, string> };
      authorities.push(JSON.parse(Buffer.from(data['authorities'] ?? '', 'base64').toString()) as { stage: string }[]);
      served.add(data['tls.crt'] ?? '');
    });
    for (let i = 0; i < 3; i++) world.launch();
    const managers = [...world.managers.values()];
    await inTime(world, Promise.all(managers.map((manager) => manager.whenReady())));
    expect(authorities).toHaveLength(1);
    const sites = world.client.forResource(websites, 'default');
    await inTime(world, sites.create(site('shop')));
    const end = world.clock.now() + 60_000;
    for (let i = 0; world.clock.now() < end; i++) {
      await inTime(world, sites.patch('shop', { metadata: { labels: { n: String(i) } } }));
      await world.clock.advance(50);
    }
    const stages = new Set(authorities.map((all) => all.map(({ stage }) => stage).join()));
    expect([...stages]).toEqual(['current', 'current,next', 'current,trusted', 'previous,current']);
    expect(authorities.at(-1)?.map(({ stage }) => stage)).toEqual(['current']);
    expect(served.size).toBeGreaterThan(3);
    await world[Symbol.asyncDispose]();
  });

  it('a deleted Secret comes back with the certificates that are trusted', async () => {
    await using world = await createWorld(options, { workloads: 'idle' });
    const secret = world.client.forResource(secrets, 'website-admission');
    const before = await secret.get('website-admission-webhook-certificates');
    await secret.delete('website-admission-webhook-certificates');
    await world.clock.advance(1000);
    expect((await secret.get('website-admission-webhook-certificates')).data).toEqual(before.data);
    await world.client.forResource(websites, 'default').create(site('shop'));
  });

  it('an authority that something else takes away comes back', async () => {
    await using world = await createWorld(options, { workloads: 'idle' });
    const configurations = world.client.admissionregistration.v1.validatingWebhookConfigurations();
    const stored = await configurations.get('website-admission');
    const webhooks = (stored.webhooks ?? []).map((one) => ({
      ...one,
      clientConfig: { ...one.clientConfig, caBundle: undefined },
    }));
    await configurations.update({ ...stored, webhooks });
    await world.clock.advance(1000);
    expect((await configurations.get('website-admission')).webhooks).toEqual(stored.webhooks);
  });
});

/** Lets virtual time pass until a promise settles. */
async function inTime<T>(world: ControllerWorld, promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const settled = promise.finally(() => {
    isSettled = true;
  });
  settled.catch(() => {});
  await world.clock.until(() => isSettled);
  return settled;
}
