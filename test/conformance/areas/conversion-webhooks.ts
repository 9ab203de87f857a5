import { expect } from 'vitest';
import type { Api } from '../api.js';
import { type Area, defineArea } from '../area.js';
import type { Doc } from '../doc.js';
import { configMaps } from '../objects.js';
import { type ConversionCall, type Converter, HookServer } from '../webhook-server.js';
import { addPolicy } from './admission-policies.js';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** A Thing has a `size` in v1, and ten times as much as `big` in v2. */
function toVersion(thing: Doc, apiVersion: string): Doc {
  const { size, big, ...spec } = thing.spec as Record<string, number>;
  const converted = apiVersion.endsWith('/v2')
    ? { ...spec, big: (size ?? (big ?? 0) / 10) * 10, unknown: 1 }
    : { ...spec, size: (big ?? (size ?? 0) * 10) / 10 };
  return { ...thing, apiVersion, spec: converted };
}

const convertAll = ({ objects, desiredAPIVersion }: ConversionCall): Doc[] =>
  objects.map((object) => toVersion(object, desiredAPIVersion));

interface Things {
  readonly hooks: HookServer;
  readonly group: string;
  path(version: string, name?: string): string;
  thing(version: string, name: string, spec: object): object;
  /** Changes what the webhook answers. */
  answer(convert: Converter): void;
}

/** Defines Things, stored as v1, that a webhook converts. */
async function things(api: Api): Promise<Things> {
  const hooks = await HookServer.start(api);
  const group = `${api.unique('g')}.example.com`;
  let convert: Converter = (call) => ({ convertedObjects: convertAll(call) });
  const version = (name: string, properties: object): object => ({
    name,
    served: true,
    storage: name === 'v1',
    schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } },
  });
  const color = { type: 'string', default: 'red' };
  await api.create(DEFINITIONS, {
    metadata: { name: `things.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [
        version('v1', { size: { type: 'integer' }, color }),
        version('v2', {
          big: { type: 'integer' },
          color: { type: 'string' },
          late: { type: 'string', default: 'yes' },
        }),
      ],
      conversion: hooks.conversion((call) => convert(call)),
    },
  });
  api.remove(`${DEFINITIONS}/things.${group}`);
  const path = (of: string, name?: string): string =>
    `/apis/${group}/${of}/namespaces/${hooks.namespace}/things${name === undefined ? '' : `/${name}`}`;
  for (const of of ['v1', 'v2']) await api.whenAnswer(path(of), (status) => status === 200);
  return {
    hooks,
    group,
    path,
    thing: (of, name, spec) => ({ apiVersion: `${group}/${of}`, kind: 'Thing', metadata: { name }, spec }),
    answer: (answered) => {
      convert = answered;
    },
  };
}

const change = (call: ConversionCall, edit: (object: Doc) => object): { convertedObjects: object[] } => ({
  convertedObjects: convertAll(call).map(edit),
});

/** What the server says of an answer, after `conversion webhook for GROUP/v1, Kind=Thing `. */
const FAILURES: readonly (readonly [title: string, convert: Converter, message: string])[] = [
  ['a refusal', () => ({ result: { status: 'Failure', message: 'cannot' } }), 'failed: cannot'],
  ['no result', () => ({ result: {} }), "failed: response.result.status was '', not 'Success'"],
  ['another uid', () => ({ uid: 'x' }), 'failed: expected response.uid="UID", got "x"'],
  ['too few objects', () => ({ convertedObjects: [] }), 'returned 0 objects, expected 1'],
  [
    'another name',
    (call) => change(call, (object) => ({ ...object, metadata: { ...object.metadata, name: 'other' } })),
    'returned invalid object: must have the same name: a != other',
  ],
  [
    'the version that it had',
    ({ objects }) => ({ convertedObjects: objects }),
    'returned invalid object at index 0: invalid groupVersion (expected GROUP/v2, received GROUP/v1)',
  ],
  [
    'another kind',
    (call) => change(call, (object) => ({ ...object, kind: 'Foo' })),
    'returned invalid object at index 0: invalid kind (expected Thing, received Foo)',
  ],
  [
    'a label that is none',
    (call) => change(call, (object) => ({ ...object, metadata: { ...object.metadata, labels: { 'a b': '' } } })),
    "returned invalid metadata: metadata.labels: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
  ],
  ['no response', () => ({ top: { response: undefined } }), 'failed: no response provided'],
  [
    'another version of the review',
    () => ({ top: { apiVersion: 'apiextensions.k8s.io/v1beta1' } }),
    'failed: converting (v1beta1.ConversionReview) to (v1.ConversionReview): unknown conversion',
  ],
  [
    'no kind',
    () => ({ top: { kind: undefined, apiVersion: undefined } }),
    'failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind=',
  ],
];

export const area: Area = defineArea('conversion webhooks', (rule) => {
  rule('an object is read in another version as the webhook converts it', async (api) => {
    const { hooks, group, path, thing } = await things(api);
    await api.create(path('v1'), thing('v1', 'a', { size: 5 }));
    hooks.takeConversions();
    const read = await api.get(path('v2', 'a'));
    // Defaults are those of the stored version; what the other version does not have is dropped.
    expect([read.apiVersion, read.spec]).toEqual([`${group}/v2`, { big: 50, color: 'red' }]);
    const [call] = hooks.takeConversions();
    expect(call).toMatchObject({ desiredAPIVersion: `${group}/v2` });
    expect(call!.objects[0]).toMatchObject({
      apiVersion: `${group}/v1`,
      kind: 'Thing',
      spec: { size: 5, color: 'red' },
    });
    expect(call!.objects[0]!.metadata.resourceVersion).toBeUndefined();
    expect((await api.get(path('v1', 'a'))).spec).toEqual({ size: 5, color: 'red' });
    expect(hooks.takeConversions().filter(({ desiredAPIVersion }) => desiredAPIVersion.endsWith('/v1'))).toEqual([]);
  });

  rule('an object is stored as the webhook converts it', async (api) => {
    const { hooks, group, path, thing } = await things(api);
    const created = await api.create(path('v2'), thing('v2', 'b', { big: 70 }));
    expect([created.apiVersion, created.spec]).toEqual([`${group}/v2`, { big: 70, color: 'red' }]);
    const [first] = hooks.takeConversions();
    expect(first).toMatchObject({ desiredAPIVersion: `${group}/v1`, objects: [{ spec: { big: 70, late: 'yes' } }] });
    expect((await api.get(path('v1', 'b'))).spec).toEqual({ size: 7, color: 'red' });
    const patched = await api.patch(path('v2', 'b'), 'merge', { spec: { big: 80 } });
    expect(patched.spec).toEqual({ big: 80, color: 'red' });
    expect(patched.metadata.generation).toBe(2);
    expect((await api.get(path('v1', 'b'))).spec).toEqual({ size: 8, color: 'red' });
    await api.delete(path('v2', 'b'));
    expect((await api.request('GET', path('v1', 'b'))).status).toBe(404);
  });

  rule('lists and watches are converted', async (api) => {
    const { path, thing } = await things(api);
    const watch = await api.watch(path('v2'), { resourceVersion: 0 });
    for (const [name, size] of [
      ['a', 1],
      ['b', 2],
    ] as const) {
      await api.create(path('v1'), thing('v1', name, { size }));
    }
    const { resourceVersion } = (await api.get(path('v1', 'b'))).metadata;
    const list = await api.get(path('v2'), { resourceVersion });
    expect(list.items.map(({ metadata, spec }) => [metadata.name, spec])).toEqual([
      ['a', { big: 10, color: 'red' }],
      ['b', { big: 20, color: 'red' }],
    ]);
    await api.delete(path('v1', 'a'));
    const events = [await watch.expectNext(), await watch.expectNext(), await watch.expectNext()];
    expect(events.map(({ type, object }) => [type, object.apiVersion.split('/')[1], object.spec])).toEqual([
      ['ADDED', 'v2', { big: 10, color: 'red' }],
      ['ADDED', 'v2', { big: 20, color: 'red' }],
      ['DELETED', 'v2', { big: 10, color: 'red' }],
    ]);
  });

  rule('the params of a policy are converted', async (api) => {
    const { hooks, group, path, thing } = await things(api);
    await api.create(path('v1'), thing('v1', 'a', { size: 5 }));
    await addPolicy(
      api,
      hooks.namespace,
      {
        paramKind: { apiVersion: `${group}/v2`, kind: 'Thing' },
        validations: [{ expression: 'false', messageExpression: '"big is " + string(params.spec.big)' }],
      },
      { paramRef: { name: 'a', parameterNotFoundAction: 'Deny' } },
    );
    // A kube-apiserver looks for new kinds of params from time to time.
    const deadline = AbortSignal.timeout(60_000);
    let message: string;
    do {
      const body = { metadata: { name: 'c' } };
      message = (await api.request('POST', configMaps(hooks.namespace), { body })).json.message;
    } while (!message.endsWith('denied request: big is 50') && !deadline.aborted);
    expect(message).toMatch(/denied request: big is 50$/);
  });

  rule('a webhook changes labels and annotations, but no other metadata', async (api) => {
    const { path, thing, answer } = await things(api);
    const created = await api.create(path('v1'), thing('v1', 'a', { size: 1 }));
    answer((call) =>
      change(call, (object) => ({
        ...object,
        metadata: { ...object.metadata, labels: { added: 'yes' }, finalizers: ['example.com/x'], generation: 9 },
      })),
    );
    const { metadata } = await api.get(path('v2', 'a'));
    expect([metadata.labels, metadata.finalizers, metadata.generation]).toEqual([{ added: 'yes' }, undefined, 1]);
    expect(metadata.resourceVersion).toBe(created.metadata.resourceVersion);
  });

  for (const [title, convert, message] of FAILURES) {
    rule(`an answer with ${title} fails the request`, async (api) => {
      const { hooks, group, path, thing, answer } = await things(api);
      answer((call) =>
        call.desiredAPIVersion.endsWith('/v2') ? convert(call) : { convertedObjects: convertAll(call) },
      );
      await api.create(path('v1'), thing('v1', 'a', { size: 1 }));
      hooks.takeConversions();
      const answered = await api.request('GET', path('v2', 'a'));
      const uids = hooks.takeConversions().map(({ uid }) => uid);
      let said = answered.text.replaceAll(group, 'GROUP');
      for (const uid of uids) said = said.replaceAll(uid, 'UID');
      expect(JSON.parse(said)).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: `conversion webhook for GROUP/v1, Kind=Thing ${message}`,
        code: 500,
      });
    });
  }

  rule('a write that cannot be converted is not stored', async (api) => {
    const { group, path, thing, answer } = await things(api);
    answer(() => ({ result: { status: 'Failure', message: 'cannot' } }));
    const refused = await api.request('POST', path('v2'), { body: thing('v2', 'a', { big: 10 }) });
    expect([refused.status, refused.json.message]).toEqual([
      500,
      `conversion webhook for ${group}/v2, Kind=Thing failed: cannot`,
    ]);
    expect((await api.request('GET', path('v1', 'a'))).status).toBe(404);
  });
});
