import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { Program, repository } from '../support/program.js';

const website = readFileSync(join(repository, 'examples/website/website.ts'), 'utf8');

/** The example with one place changed. */
function broken(right: string, wrong: string): string {
  expect(website, 'the place that is broken').toContain(right);
  return website.replace(right, wrong);
}

/** Explores a version of the example; returns the story that `explore` finds, or nothing. */
async function storyOf(program: string, scenario: string, how: object = {}): Promise<string> {
  const code = `${program}
    import { explore } from 'kubeflect/testing';
    const records = new Map();
    const zone = () => {
      records.clear();
      return { point: async (host, to) => void records.set(host, to), remove: async (host) => void records.delete(host) };
    };
    const shop = { metadata: { name: 'shop' }, spec: { host: 'shop.example.com', image: 'shop:1' } };
    const scenario = async (world) => {
      const sites = world.client.forResource(websites, 'default');
      await sites.create(shop);
      await world.settle();
      ${scenario}
    };
    await explore(() => operator(zone()), scenario, ${JSON.stringify({ seeds: 0, ...how })}).catch((error) => console.log(error.message));
  `;
  const options = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext };
  const compiled = ts.transpileModule(code, { compilerOptions: options }).outputText;
  const { code: exit, stdout, stderr } = await new Program(['--input-type=module', '--eval', compiled]).ended;
  expect(stderr).toBe('');
  expect(exit).toBe(0);
  return stdout;
}

describe('explore finds the bug that is planted in the website example, without any seed', () => {
  it('[C80] a crash between two writes', async () => {
    const program = broken(
      'const deployment = await apply(deployments, { metadata, spec });\n      await apply(services',
      'const [known] = owned(deployments);\n      const deployment = known ?? (await apply(deployments, { metadata, spec }));\n      if (known === undefined) await apply(services',
    ).replace('{ apply, status, signal }', '{ apply, owned, status, signal }');
    const story = await storyOf(program, '');
    expect(story).toMatch(
      /with a crash right before write \d+, it comes to another end:\n {2}services default\/shop is missing/,
    );
    expect(story).toMatch(/^ +\d+\.\d{3} s +⚡ manager 0 crashes right before write \d+; manager 1 starts$/m);
  }, 120_000);

  it('[C80] a create on a stale cache', async () => {
    const program = broken(
      'await apply(services, { metadata, spec:',
      `if (owned(services).length === 0) await client.core.v1.services(namespace).create({
        metadata: { generateName: name + '-', labels, ownerReferences: [ownerReference(object)] }, spec:`,
    )
      .replace('reconcile({ metadata: { name, namespace }, spec: { host, image, replicas } },', 'reconcile(object,')
      .replace(
        '{ apply, status, signal }) {',
        `{ apply, owned, client, status, signal }) {
        const { metadata: { name, namespace }, spec: { host, image, replicas } } = object;`,
      )
      .replace('createController,', 'createController, ownerReference,');
    const story = await storyOf(program, '', { crashes: false });
    expect(story).toMatch(
      /takes over with caches from before, it comes to another end:\n {2}services default\/shop-\* \(2\) should not exist/,
    );
    expect(story).toMatch(
      /manager 0 crashes right after write \d+; the caches of the one that takes over do not have it yet/,
    );
  }, 120_000);

  it('[C80] a missed deletion', async () => {
    const program = broken('async finalize({ spec: { host } }, { signal, event }) {', 'gone(key) {')
      .replace('await dns.remove(host, signal);', 'void dns.remove(hosts.get(key));')
      .replace(/ {6}event\(.*\n/, '')
      .replace('await dns.point(', 'hosts.set(`${namespace}/${name}`, host);\n      await dns.point(')
      .replace(
        'const controller = createController({',
        'const hosts = new Map();\n  const controller = createController({',
      );
    const story = await storyOf(
      program,
      `await sites.delete('shop');
       await world.settle();
       if (records.size > 0) throw new Error('records are left: ' + [...records.keys()]);`,
    );
    expect(story).toMatch(/with a crash right before write \d+, it fails: records are left: shop\.example\.com/);
    expect(story).toMatch(/the scenario deletes websites\.example\.com default\/shop\n.*⚡ manager 0 crashes/);
  }, 120_000);
});
