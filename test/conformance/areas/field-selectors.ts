import { expect } from 'vitest';
import type { Api } from '../api.js';
import { type Area, defineArea } from '../area.js';
import { deployments, podBody, pods } from '../bodies.js';
import { addConfigMaps, configMaps, names } from '../objects.js';
import { expectStatus } from '../status.js';

async function existing(api: Api): Promise<string> {
  const path = configMaps(await api.namespace());
  await addConfigMaps(api, path, ['a', 'b', 'c']);
  return path;
}

async function existingPods(api: Api): Promise<string> {
  const path = pods(await api.namespace());
  await api.create(path, podBody('placed', { nodeName: 'somewhere' }));
  await api.create(path, podBody('loose', { restartPolicy: 'Never' }));
  return path;
}

/** Selectors on pods, and which of the two pods they select. */
const podSelections: readonly (readonly [selector: string, expected: readonly string[]])[] = [
  ['spec.nodeName=somewhere', ['placed']],
  ['spec.nodeName=', ['loose']],
  ['spec.nodeName!=somewhere', ['loose']],
  ['spec.restartPolicy=Never', ['loose']],
  ['status.phase=Pending', ['loose', 'placed']],
  ['status.phase!=Pending', []],
  ['status.phase=Pending,spec.nodeName=somewhere', ['placed']],
];

export const area: Area = defineArea('field selectors', (rule) => {
  for (const [selector, expected] of [
    ['metadata.name=b', ['b']],
    ['metadata.name==b', ['b']],
    ['metadata.name=b,metadata.name=c', []],
    ['metadata.name=Not_A_Name', []],
  ] as const) {
    rule(`"${selector}" selects ${expected.length === 0 ? 'nothing' : expected.join(', ')}`, async (api) => {
      expect(names(await api.get(await existing(api), { fieldSelector: selector }))).toEqual(expected);
    });
  }

  rule('metadata.name!= leaves one out', async (api) => {
    const list = await api.get(await existing(api), { fieldSelector: 'metadata.name!=b' });
    expect(names(list)).toEqual(expect.arrayContaining(['a', 'c']));
    expect(names(list)).not.toContain('b');
  });

  for (const [selector, expected] of podSelections) {
    rule(`pods: "${selector}" selects ${expected.length === 0 ? 'nothing' : expected.join(' and ')}`, async (api) => {
      const path = await existingPods(api);
      expect(names(await api.get(path, { fieldSelector: selector }))).toEqual(expected);
      await api.delete(`${path}/placed`, { gracePeriodSeconds: 0 });
    });
  }

  rule('secrets are selected by type', async (api) => {
    const path = `/api/v1/namespaces/${await api.namespace()}/secrets`;
    await api.create(path, { metadata: { name: 'plain' } });
    await api.create(path, { metadata: { name: 'special' }, type: 'example.com/special' });
    expect(names(await api.get(path, { fieldSelector: 'type=example.com/special' }))).toEqual(['special']);
  });

  rule('label and field selectors hold together', async (api) => {
    const path = configMaps(await api.namespace());
    await addConfigMaps(api, path, ['a', 'b'], { mark: 'yes' });
    await addConfigMaps(api, path, ['c']);
    expect(names(await api.get(path, { labelSelector: 'mark', fieldSelector: 'metadata.name!=b' }))).toEqual(['a']);
  });

  rule('a field that the kind does not select by is a BadRequest that lists those it does', async (api) => {
    for (const path of [configMaps(await api.namespace()), deployments(await api.namespace())]) {
      expectStatus(await api.request('GET', path, { query: { fieldSelector: 'spec.replicas=1' } }), {
        code: 400,
        reason: 'BadRequest',
        message: '"spec.replicas" is not a known field selector: only "metadata.name", "metadata.namespace"',
      });
    }
  });

  rule('an unknown field of a kind with fields of its own is a BadRequest', async (api) => {
    expectStatus(await api.request('GET', pods(await api.namespace()), { query: { fieldSelector: 'spec.foo=1' } }), {
      code: 400,
      reason: 'BadRequest',
      message: 'field label not supported: spec.foo',
    });
  });

  for (const selector of ['metadata.name', 'metadata.name>b']) {
    rule(`"${selector}" is a BadRequest: it has no operator that is known`, async (api) => {
      const answer = await api.request('GET', configMaps(await api.namespace()), {
        query: { fieldSelector: selector },
      });
      expectStatus(answer, {
        code: 400,
        reason: 'BadRequest',
        message: `invalid selector: '${selector}'; can't understand '${selector}'`,
      });
    });
  }

  rule('a watch is narrowed to one object by its name', async (api) => {
    const path = await existing(api);
    const { metadata } = await api.get(path);
    const watch = await api.watch(path, {
      resourceVersion: metadata.resourceVersion,
      fieldSelector: 'metadata.name=b',
    });
    await api.patch(`${path}/a`, 'merge', { data: { seen: 'no' } });
    await api.patch(`${path}/b`, 'merge', { data: { seen: 'yes' } });
    expect((await watch.expectNext()).object.metadata.name).toBe('b');
  });
});
