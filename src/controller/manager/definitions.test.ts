import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer } from '../../apiserver/index.js';
import type { Client, Resource } from '../../index.js';
import { type CustomResource, defineResource } from '../../kinds/define-resource.js';
import { field } from '../../kinds/field.js';
import { FakeClock } from '../../time/fake-clock.js';
import { createController } from '../controller.js';
import { reconcileDefinitions } from './definitions.js';
import type { ManagerOptions } from './manager-options.js';

const base = { group: 'example.com', version: 'v1', kind: 'Widget' };
const first = defineResource({ ...base, spec: { size: field.integer() } });
const second = defineResource({ ...base, spec: { size: field.integer(), color: field.optional(field.string()) } });
const narrower = defineResource({ ...base, spec: { size: field.integer({ maximum: 3 }) } });

let clock: FakeClock;
let api: ApiServer;
let client: Client;
let reported: Error[];

beforeEach(async () => {
  clock = new FakeClock();
  api = await startApiServer({ clock, listen: false });
  client = api.client();
  reported = [];
});
afterEach(async () => {
  await client.close();
  await api.stop();
});

/** What a manager whose controller has this kind does about its definition when it starts. */
async function start(resource: unknown, definitions: ManagerOptions['definitions']): Promise<string[]> {
  const controller = createController({ name: 'widgets', for: resource as Resource<never>, reconcile: () => {} });
  const done = reconcileDefinitions({
    client,
    cluster: client,
    options: { name: 'widget-operator', controllers: [controller], definitions },
    home: 'default',
    clock,
    signal: new AbortController().signal,
    onError: (error) => reported.push(error),
  });
  let problems: string[] | undefined;
  void done.then((found) => (problems = found)).catch(() => {});
  await clock.until(() => problems !== undefined);
  return done;
}

async function stored() {
  return client.apiextensions.v1.customResourceDefinitions().get('widgets.example.com');
}

describe('definitions of a manager', () => {
  it("are created and extended by 'apply', and served when the start goes on", async () => {
    expect(await start(first, 'apply')).toEqual([]);
    await client
      .forResource(first as CustomResource<never>, 'default')
      .create({ metadata: { name: 'a' }, spec: { size: 1 } } as never);
    expect(await start(second, 'apply')).toEqual([]);
    const { schema } = (await stored()).spec.versions[0] ?? {};
    expect(Object.keys(schema?.openAPIV3Schema?.properties?.['spec']?.properties ?? {})).toEqual(['color', 'size']);
  });

  it("[C67] 'apply' refuses what upgradeProblems finds, and changes nothing", async () => {
    await start(first, 'apply');
    const before = await stored();
    expect(await start(narrower, 'apply')).toEqual([
      expect.stringMatching(/^definition widgets\.example\.com: an upgrade would harm stored objects: .*size/),
    ]);
    expect(await stored()).toEqual(before);
  });

  it("[C67] 'check' reports differences and names a definition that is missing", async () => {
    expect(await start(first, 'check')).toEqual([
      expect.stringContaining('definition widgets.example.com: it does not exist'),
    ]);
    await start(first, 'apply');
    expect(await start(first, 'check')).toEqual([]);
    expect(reported).toEqual([]);
    const before = await stored();
    expect(await start(second, 'check')).toEqual([]);
    expect(reported.map(({ message }) => message)).toEqual([
      expect.stringMatching(/differs from that of this program at .*properties\.color/),
    ]);
    expect(await start(defineResource({ ...base, version: 'v2', spec: {} }), 'check')).toEqual([
      'definition widgets.example.com: the stored one does not serve the version v2',
    ]);
    expect(await stored()).toEqual(before);
  });

  it('[C67] an older replica never puts an older definition back', async () => {
    await start(first, 'apply');
    await start(second, 'apply');
    const newer = await stored();
    expect(await start(first, 'apply')).toEqual([]);
    expect(await stored()).toEqual(newer);
  });

  it('[C68] a version goes only when storedVersions has it no more', async () => {
    const previous = defineResource({ ...base, version: 'v1beta1', spec: { size: field.integer() } });
    const both = defineResource({ ...base, spec: { size: field.integer() }, previous: [previous as never] });
    await start(previous, 'apply');
    await start(both, 'apply');
    expect(await start(first, 'apply')).toEqual([
      expect.stringContaining('v1beta1 goes, but objects are stored in it'),
    ]);
    await client.apiextensions.v1
      .customResourceDefinitions()
      .patchStatus('widgets.example.com', { storedVersions: ['v1'] });
    expect(await start(first, 'apply')).toEqual([]);
    expect((await stored()).spec.versions.map(({ name }) => name)).toEqual(['v1']);
  });

  it("are left alone by 'ignore'", async () => {
    expect(await start(first, 'ignore')).toEqual([]);
    await expect(stored()).rejects.toThrow(/not found/);
  });
});
