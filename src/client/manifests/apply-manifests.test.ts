import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/eventually.js';
import { type ApiServer, startApiServer } from '../../apiserver/server.js';
import { isConflict, isInvalid, isNotFound } from '../../meta/errors/error-predicates.js';
import { FakeClock } from '../../time/fake-clock.js';
import type { Client } from '../client.js';
import { ManifestError } from './manifest-error.js';
import type { ManifestProgress } from './options.js';

const bundle = `
# Out of order on purpose.
apiVersion: example.com/v1
kind: Widget
metadata:
  name: first
  namespace: web
spec:
  size: 3
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: api, namespace: web }
spec:
  replicas: 2
  selector: { matchLabels: { app: api } }
  template:
    metadata: { labels: { app: api } }
    spec:
      serviceAccountName: api
      containers: [{ name: app, image: "app:1" }]
---
apiVersion: v1
kind: List
items:
  - apiVersion: v1
    kind: ConfigMap
    metadata: { name: settings, namespace: web }
    data: { a: "1" }
  - apiVersion: v1
    kind: ServiceAccount
    metadata: { name: api, namespace: web }
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { plural: widgets, singular: widget, kind: Widget, listKind: WidgetList }
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties: { spec: { type: object, properties: { size: { type: integer } } } }
---
apiVersion: v1
kind: Namespace
metadata: { name: web }
`;

const configMap = (name: string, data: Record<string, string> = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
});

let clock: FakeClock;
let api: ApiServer;
let client: Client;
beforeEach(async () => {
  clock = new FakeClock();
  api = await startApiServer({ clock, listen: false });
  client = api.client();
});
afterEach(async () => {
  await client.close();
  await api.stop();
});

async function problemsOf(promise: Promise<unknown>): Promise<string[]> {
  const error = await promise.then(
    () => expect.fail('it resolved'),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ManifestError);
  return (error as Error).message
    .split('\n')
    .slice(1)
    .map((line) => line.trim());
}

describe('apply', () => {
  it('applies any kinds in the order of their dependencies, a definition before its objects', async () => {
    const seen: ManifestProgress[] = [];
    const results = await client.apply(bundle, { onProgress: (progress) => seen.push(progress) });
    expect(seen.filter(({ action }) => action !== 'waiting').map(({ kind }) => kind)).toEqual([
      'Namespace',
      'CustomResourceDefinition',
      'ServiceAccount',
      'ConfigMap',
      'Deployment',
      'Widget',
    ]);
    // The results are in the order of the manifest.
    expect(results.map(({ kind, action }) => `${kind} ${action}`)).toEqual([
      'Widget created',
      'Deployment created',
      'ConfigMap created',
      'ServiceAccount created',
      'CustomResourceDefinition created',
      'Namespace created',
    ]);
    const widgets = client.forResource(await client.resolve('widgets'), 'web');
    expect(await widgets.get('first')).toMatchObject({ spec: { size: 3 } });
    const again = await client.apply(bundle);
    expect(new Set(again.map(({ action }) => action))).toEqual(new Set(['applied']));
  });

  it('records the field manager, removes fields that it leaves out, and names conflicts', async () => {
    const options = { fieldManager: 'deployer' };
    await client.apply(configMap('a', { x: '1', y: '2' }), options);
    await client.apply([configMap('a', { x: '1' })], options);
    const configMaps = client.core.v1.configMaps('default');
    const stored = await configMaps.get('a');
    expect(stored.data).toEqual({ x: '1' });
    expect(stored.metadata.managedFields).toMatchObject([{ manager: 'deployer', operation: 'Apply' }]);
    const other = client.apply(configMap('a', { x: '9' }), { fieldManager: 'other' });
    const error = await other.catch((thrown: unknown) => thrown as ManifestError);
    expect(error).toSatisfy(isConflict);
    expect((error as ManifestError).message).toContain('the option force takes these fields over');
    await client.apply(configMap('a', { x: '9' }), { fieldManager: 'other', force: true });
    expect((await configMaps.get('a')).data).toEqual({ x: '9' });
  });

  it('sends nothing if the manifest is wrong, and reports all problems with their lines', async () => {
    const text = `apiVersion: v1
kind: ConfigMap
metadata: { name: good }
---
kind: ConfigMap
metadata: { name: a }
---
# A comment.
apiVersion: v1
kind: Pod
metadata: { generateName: web- }
---
apiVersion: v1
kind: [
---
apiVersion: nowhere.example.com/v1
kind: Gizmo
metadata: { name: a }
---
just a text
---
apiVersion: v1
kind: List
items:
  - apiVersion: v1
    kind: Secret
    metadata: {}
---
apiVersion: v1
kind: ConfigMap
metadata: { name: good }
data: { other: content }
---
apiVersion: authentication.k8s.io/v1
kind: SelfSubjectReview
metadata: { name: me }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: twice, name: again }
`;
    const problems = await problemsOf(client.apply(text));
    expect(problems).toEqual([
      'document 2 (line 5): the ConfigMap has no apiVersion',
      expect.stringMatching(/^document 3 \(line 9\): the Pod has generateName and no name: apply finds objects/),
      expect.stringMatching(/^document 4 \(line 14\): not valid YAML: /),
      expect.stringMatching(/^document 5 \(line 16\): Gizmo a: .*kind Gizmo.nowhere.example.com/),
      'document 6 (line 20): it is not an object',
      'document 7 (line 22), item 1: the Secret has no metadata.name',
      'document 8 (line 29): ConfigMap default/good: it is also at document 1 (line 1), with another content',
      expect.stringMatching(/^document 9 \(line 34\): SelfSubjectReview me: the server has no patch for/),
      'document 10 (line 40): not valid YAML: key "name" already set in map',
    ]);
    expect((await client.core.v1.configMaps('default').list()).items).toEqual([]);
  });

  it('applies the others if the server refuses some, and reports all refusals', async () => {
    const bad = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'Bad_Name' } };
    const unknownField = { ...configMap('typo'), dta: {} };
    const error = await client.apply([bad, configMap('good'), unknownField]).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ManifestError);
    const { problems, message } = error as ManifestError;
    expect(message).toMatch(/^1 of 3 objects were applied; these failed:\n {2}object 1: ConfigMap default\/Bad_Name: /);
    expect(problems.map(({ place }) => place.document)).toEqual([1, 3]);
    expect(problems[0]?.error).toSatisfy(isInvalid);
    expect(problems[1]?.error.message).toContain('dta');
    expect((await client.core.v1.configMaps('default').get('good')).metadata.name).toBe('good');
  });

  it('applies an object that is written twice with the same content once', async () => {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'web' } };
    expect(await client.apply([namespace, { ...namespace }])).toHaveLength(1);
  });

  it('puts objects without a namespace into that of the option, and ignores one of cluster-scoped objects', async () => {
    const role = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'r', namespace: 'x' },
    };
    await client.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'web' } });
    const results = await client.apply([configMap('a'), role], { namespace: 'web' });
    expect(results.map(({ namespace }) => namespace)).toEqual(['web', undefined]);
  });

  it('a dry run changes nothing, and says what it could not ask the server', async () => {
    const results = await client.apply(bundle, { dryRun: true });
    expect(results.map(({ kind, action }) => `${kind} ${action}`)).toEqual([
      'Widget unchecked',
      'Deployment unchecked',
      'ConfigMap unchecked',
      'ServiceAccount unchecked',
      'CustomResourceDefinition created',
      'Namespace created',
    ]);
    await expect(client.core.v1.namespaces().get('web')).rejects.toSatisfy(isNotFound);
  });

  it('waits until workloads are rolled out, and names those that are not in time', async () => {
    const deployments = client.apps.v1.deployments('web');
    const messages: (string | undefined)[] = [];
    const onProgress = ({ kind, message }: ManifestProgress) => kind === 'Deployment' && messages.push(message);
    const waiting = client.apply(bundle, { wait: true, timeoutMs: 60_000, onProgress });
    await eventually('it waits', () => messages.length > 1);
    const { metadata } = await deployments.get('api');
    const replicas = { replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 };
    await deployments.patchStatus('api', { ...replicas, observedGeneration: metadata.generation as number });
    await waiting;
    expect(messages).toEqual([undefined, 'the controller has not observed the newest spec']);

    await deployments.patchStatus('api', { availableReplicas: 1 });
    const late = problemsOf(client.apply(bundle, { wait: true, timeoutMs: 60_000, onProgress }));
    await eventually('it waits again', () => messages.at(-1) === '1 of 2 replicas are available');
    await clock.advance(60_000);
    expect(await late).toEqual([
      'document 2 (line 11): Deployment web/api: deployments.apps web/api: not within 60000 ms: 1 of 2 replicas are available',
    ]);
  });

  it('rejects with the reason of its signal, and sends nothing more', async () => {
    const stop = new AbortController();
    const reason = new Error('not needed any more');
    const applying = client.apply([configMap('a'), configMap('b')], {
      signal: stop.signal,
      onProgress: () => stop.abort(reason),
    });
    await expect(applying).rejects.toBe(reason);
  });
});

describe('a manifest of files', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kubeflect-manifests-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('is a folder or several paths, and problems name the file', async () => {
    await writeFile(join(folder, 'a.yaml'), `---\r\n${JSON.stringify(configMap('a'))}\r\n---\r\nkind: Pod\r\n`);
    await writeFile(join(folder, 'b.json'), JSON.stringify(configMap('b')));
    await writeFile(join(folder, 'c.txt'), 'kind: [');
    const missing = join(folder, 'missing.yaml');
    const problems = await problemsOf(client.apply({ path: [folder, missing] }));
    expect(problems).toEqual([
      `${join(folder, 'a.yaml')}, document 2 (line 4): the Pod has no apiVersion`,
      expect.stringMatching(/missing\.yaml, object 1: cannot read it: ENOENT/),
    ]);
    await writeFile(join(folder, 'a.yaml'), JSON.stringify(configMap('a')));
    const results = await client.apply({ path: folder });
    expect(results.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it('may be larger than what is kept of it: the rest is read again', async () => {
    const filling = 'x'.repeat(900_000);
    const texts = Array.from({ length: 24 }, (_, i) => JSON.stringify(configMap(`c${i}`, { filling, i: String(i) })));
    await writeFile(join(folder, 'large.yaml'), texts.join('\n---\n'));
    const results = await client.apply({ path: join(folder, 'large.yaml') });
    expect(results).toHaveLength(24);
    const last = await client.core.v1.configMaps('default').get('c23');
    expect(last.data?.i).toBe('23');
    expect(last.data?.filling).toHaveLength(900_000);
  });
});

describe('prune', () => {
  const set = { name: 'web-set', namespace: 'default' };
  const names = async () =>
    (await client.core.v1.configMaps('default').list()).items.map(({ metadata }) => metadata.name);

  it('deletes what an earlier apply of the set had, and keeps what it never had', async () => {
    await client.apply([configMap('kept'), configMap('gone')], { prune: set });
    await client.core.v1.configMaps('default').create({ metadata: { name: 'foreign' } });
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'web' } };
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'web' } };
    await client.apply([configMap('kept'), configMap('gone'), namespace, secret], { prune: set });
    const parent = await client.core.v1.secrets('default').get('web-set');
    expect(parent.metadata.annotations).toEqual({
      'applyset.kubernetes.io/tooling': 'kubeflect/v1',
      'applyset.kubernetes.io/contains-group-kinds': 'ConfigMap,Namespace,Secret',
      'applyset.kubernetes.io/additional-namespaces': 'web',
    });
    const dry = await client.apply([configMap('kept')], { prune: set, dryRun: true });
    expect(
      dry
        .filter(({ action }) => action === 'pruned')
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['gone', 's', 'web']);
    expect(await names()).toContain('gone');
    const results = await client.apply([configMap('kept')], { prune: set });
    expect(results.map(({ name, action }) => `${name} ${action}`)).toEqual([
      'kept applied',
      'gone pruned',
      's pruned',
      'web pruned',
    ]);
    expect(await names()).toEqual(['foreign', 'kept']);
  });

  it('labels the objects and the parent as kubectl does', async () => {
    await client.apply([configMap('a')], { prune: set });
    // base64url(sha256("web-set.default.Secret."))
    const id = 'applyset-EjU9bSlWGxDy2zlnamopHZce76Bx4cgLUTp38PN7Jto-v1';
    const { labels } = (await client.core.v1.configMaps('default').get('a')).metadata;
    expect(labels).toEqual({ 'applyset.kubernetes.io/part-of': id });
    const parent = await client.core.v1.secrets('default').get('web-set');
    expect(parent.metadata.labels).toEqual({ 'applyset.kubernetes.io/id': id });
  });

  it('deletes nothing if an object could not be applied', async () => {
    await client.apply([configMap('a'), configMap('b')], { prune: set });
    await problemsOf(client.apply([configMap('a'), configMap('Bad_Name')], { prune: set }));
    expect(await names()).toContain('b');
    // What failed is announced: the next apply looks for it too.
    await client.apply([configMap('a')], { prune: set });
    expect(await names()).not.toContain('b');
  });

  it('refuses a parent that is something else or belongs to another tool', async () => {
    const secrets = client.core.v1.secrets('default');
    await secrets.create({ metadata: { name: 'web-set' } });
    await expect(client.apply([configMap('a')], { prune: set })).rejects.toThrow('it exists and is no ApplySet');
    const annotations = { 'applyset.kubernetes.io/tooling': 'kubectl/v1.36.3' };
    await secrets.patch('web-set', { metadata: { annotations } });
    await expect(client.apply([configMap('a')], { prune: set })).rejects.toThrow('it belongs to kubectl/v1.36.3');
    expect(await names()).not.toContain('a');
  });

  it('keeps its parent in a namespace that the manifest creates', async () => {
    const web = { name: 'set', namespace: 'web', kind: 'ConfigMap' as const };
    await client.apply(bundle, { prune: web });
    const parent = await client.core.v1.configMaps('web').get('set');
    expect(parent.metadata.annotations?.['applyset.kubernetes.io/contains-group-kinds']).toBe(
      'ConfigMap,CustomResourceDefinition.apiextensions.k8s.io,Deployment.apps,Namespace,ServiceAccount,Widget.example.com',
    );
  });
});

describe('delete', () => {
  it('deletes in the reverse order, and what does not exist is fine', async () => {
    await client.apply(bundle);
    const order: string[] = [];
    const onProgress = ({ kind, action }: ManifestProgress) => order.push(`${kind} ${action}`);
    await client.core.v1.configMaps('web').delete('settings');
    await client.delete(bundle, { onProgress });
    expect(order).toEqual([
      'Widget deleted',
      'Deployment deleted',
      'ConfigMap absent',
      'ServiceAccount deleted',
      'CustomResourceDefinition deleted',
      'Namespace deleted',
    ]);
    await expect(client.core.v1.serviceAccounts('web').get('api')).rejects.toSatisfy(isNotFound);
  });

  it('treats objects of a kind that is gone with its definition as absent', async () => {
    const results = await client.delete(bundle);
    expect(new Set(results.map(({ action }) => action))).toEqual(new Set(['absent']));
  });

  it('waits for finalizers if asked, and says which ones', async () => {
    const configMaps = client.core.v1.configMaps('default');
    const held = { metadata: { name: 'a', finalizers: ['example.com/hold'] } };
    const messages: (string | undefined)[] = [];
    const onProgress = ({ message }: ManifestProgress) => messages.push(message);
    await configMaps.create(held);
    const deleting = client.delete(configMap('a'), { wait: true, onProgress });
    await eventually('it waits', () => messages.length >= 2);
    expect(messages).toEqual([undefined, 'it is being deleted; finalizers: example.com/hold']);
    await configMaps.patch('a', { metadata: { finalizers: null } });
    expect(await deleting).toMatchObject([{ name: 'a', action: 'deleted' }]);

    await configMaps.create(held);
    const late = problemsOf(client.delete(configMap('a'), { wait: true, timeoutMs: 1000, onProgress }));
    await eventually('it waits again', () => messages.length >= 4);
    await clock.advance(1000);
    expect(await late).toEqual([
      'object 1: ConfigMap default/a: configmaps default/a: not within 1000 ms: it is being deleted; finalizers: example.com/hold',
    ]);
  });

  it('a new object of the same name ends the wait', async () => {
    const configMaps = client.core.v1.configMaps('default');
    await configMaps.create({ metadata: { name: 'a' } });
    let created: Promise<unknown> | undefined;
    const onProgress = () => {
      created ??= configMaps.create({ metadata: { name: 'a' } });
    };
    expect(await client.delete(configMap('a'), { wait: true, onProgress })).toMatchObject([{ action: 'deleted' }]);
    await created;
    expect((await configMaps.list()).items).toHaveLength(1);
  });
});

describe('diff', () => {
  it('shows what an apply would create and change, field by field, and changes nothing', async () => {
    await client.apply(bundle);
    const changed = bundle.replace('replicas: 2', 'replicas: 5').replace('app:1', 'app:2').replace('a: "1"', 'b: "2"');
    const diff = await client.diff([...(await read(changed)), configMap('new', { x: '1' })]);
    expect(diff.isEmpty).toBe(false);
    expect(diff.objects.map(({ kind, action }) => `${kind} ${action}`)).toEqual([
      'Widget none',
      'Deployment change',
      'ConfigMap change',
      'ServiceAccount none',
      'CustomResourceDefinition none',
      'Namespace none',
      'ConfigMap create',
    ]);
    expect(String(diff)).toBe(`~ Deployment web/api
      spec.replicas: 2 → 5
      spec.template.spec.containers[name="app"].image: "app:1" → "app:2"
~ ConfigMap web/settings
    - data.a: "1"
    + data.b: "2"
+ ConfigMap default/new
    + metadata: {"name":"new","namespace":"default"}
    + data: {"x":"1"}
`);
    expect((await client.apps.v1.deployments('web').get('api')).spec?.replicas).toBe(2);
    expect((await client.diff(bundle)).isEmpty).toBe(true);
  });

  it('masks the values of Secrets', async () => {
    const secret = (stringData: Record<string, string>) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's' },
      data: Object.fromEntries(Object.entries(stringData).map(([key, value]) => [key, btoa(value)])),
    });
    await client.apply(secret({ kept: 'k', changed: 'old-value', gone: 'g' }));
    const diff = await client.diff(secret({ kept: 'k', changed: 'new-value', added: 'a' }));
    expect(diff.objects[0]?.changes).toEqual([
      { path: 'data.changed', before: '*** (before)', after: '*** (after)' },
      { path: 'data.gone', before: '***', after: undefined },
      { path: 'data.added', before: undefined, after: '***' },
    ]);
    expect(JSON.stringify(diff)).not.toContain(btoa('new-value'));
  });

  it('cannot ask about objects of new namespaces and kinds', async () => {
    const diff = await client.diff(bundle);
    expect(diff.objects.map(({ action }) => action)).toEqual([
      'unchecked',
      'unchecked',
      'unchecked',
      'unchecked',
      'create',
      'create',
    ]);
  });
});

it('refuses what is no manifest', async () => {
  await expect(client.apply(7 as never)).rejects.toThrow('the manifest must be a text, objects or { path }, got 7');
  await expect(client.apply({ path: [] })).rejects.toThrow('path must be a path or several');
  await expect(client.apply('', { prune: { name: '' } })).rejects.toThrow('prune.name');
});

/** The objects of a text, by way of a dry run of nothing. */
async function read(text: string): Promise<object[]> {
  const { parseAllDocuments } = await import('yaml');
  return parseAllDocuments(text).map((document) => document.toJS() as object);
}
