import { describe, expect, it } from 'vitest';
import { defineResource, field, type ManagerOptions, mutate, type ObjectOf, validate } from '../../controller/index.js';
import { createWorld } from './world.js';

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
