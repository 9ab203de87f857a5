import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../../src/client/client.js';
import { ManifestError } from '../../src/client/manifests/manifest-error.js';
import { conditions } from '../../src/client/wait/conditions.js';
import { isConflict, isNotFound } from '../../src/meta/errors/error-predicates.js';
import { resources } from '../../src/resources/resources.js';
import { buildKubectl, isNewest } from './build.mjs';
import { type RealApiServer, startRealApiServer } from './real-api-server.mjs';

/** 60 objects of ten kinds in one text, the definition and the namespace at its end. */
function bundle(namespace: string, group: string, count = 50): string {
  const documents = [
    `apiVersion: ${group}/v1\nkind: Gadget\nmetadata: {name: first}\nspec: {size: 3}`,
    `apiVersion: ${group}/v1\nkind: Gadget\nmetadata: {name: second}\nspec: {size: 4}`,
    `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: ${namespace}-hook}
webhooks:
- name: hook.${group}
  clientConfig: {url: "https://127.0.0.1:1/"}
  rules: [{apiGroups: ["${group}"], apiVersions: ["*"], resources: ["*"], operations: ["CREATE"]}]
  admissionReviewVersions: [v1]
  sideEffects: None`,
    `apiVersion: apps/v1
kind: Deployment
metadata: {name: api}
spec:
  replicas: 2
  selector: {matchLabels: {app: api}}
  template:
    metadata: {labels: {app: api}}
    spec: {serviceAccountName: api, containers: [{name: app, image: "app:1"}]}`,
    `apiVersion: batch/v1
kind: Job
metadata: {name: once}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: app, image: "app:1"}]}}}`,
    `apiVersion: v1\nkind: Service\nmetadata: {name: api}\nspec: {selector: {app: api}, ports: [{port: 80}]}`,
    `apiVersion: v1\nkind: Secret\nmetadata: {name: key}\nstringData: {password: "very-secret"}`,
    `apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: api}`,
    `apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: api}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: api}
subjects: [{kind: ServiceAccount, name: api, namespace: ${namespace}}]`,
    `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: api}
rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]`,
    ...Array.from(
      { length: count },
      (_, i) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c${i}}\ndata: {i: "${i}"}`,
    ),
    `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.${group}}
spec:
  group: ${group}
  scope: Namespaced
  names: {plural: gadgets, singular: gadget, kind: Gadget, listKind: GadgetList}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}`,
    `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${namespace}}`,
  ];
  return documents.join('\n---\n');
}

describe('manifests on a real kube-apiserver', () => {
  let server: RealApiServer;
  let client: Client;
  beforeAll(async () => {
    server = await startRealApiServer();
    client = await Client.fromKubeconfig({ path: server.kubeconfigPath });
  });
  afterAll(async () => {
    await client?.close();
    await server?.stop();
  });

  it('applies a large bundle with a definition and its objects in one call, and again', async () => {
    const text = bundle('bundle', 'one.example.com');
    const results = await client.apply(text, { namespace: 'bundle' });
    expect(results).toHaveLength(62);
    expect(new Set(results.map(({ action }) => action))).toEqual(new Set(['created']));
    const gadgets = client.forResource(await client.resolve('gadgets.one.example.com'), 'bundle');
    expect(await gadgets.get('second')).toMatchObject({ spec: { size: 4 } });
    const again = await client.apply(text, { namespace: 'bundle' });
    expect(new Set(again.map(({ action }) => action))).toEqual(new Set(['applied']));
    expect((await client.diff(text, { namespace: 'bundle' })).isEmpty).toBe(true);
  });

  it('a dry run of a new bundle creates nothing', async () => {
    const results = await client.apply(bundle('dry', 'dry.example.com'), { namespace: 'dry', dryRun: true });
    expect(results.flatMap(({ action, kind }) => (action === 'created' ? [kind] : [])).sort()).toEqual([
      'CustomResourceDefinition',
      'Namespace',
      'ValidatingWebhookConfiguration',
    ]);
    expect(results.filter(({ action }) => action === 'unchecked')).toHaveLength(59);
    await expect(client.core.v1.namespaces().get('dry')).rejects.toSatisfy(isNotFound);
  });

  it('reports all refusals at once, applies the rest, and names the owner of a conflict', async () => {
    await client.core.v1.namespaces().create({ metadata: { name: 'refusals' } });
    const configMaps = client.core.v1.configMaps('refusals');
    await configMaps.apply({ metadata: { name: 'owned' }, data: { a: '1' } }, { fieldManager: 'someone' });
    const text = `apiVersion: v1
kind: ConfigMap
metadata: {name: owned}
data: {a: "2"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: typo}
dta: {a: "2"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: good}
`;
    const error = await client.apply(text, { namespace: 'refusals' }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ManifestError);
    const { problems, message } = error as ManifestError;
    expect(message).toContain('1 of 3 objects were applied');
    expect(problems[0]?.error).toSatisfy(isConflict);
    expect(problems[0]?.error.message).toMatch(/conflict with "someone".*the option force/s);
    expect(problems[1]?.error.message).toContain('dta');
    expect(problems.map(({ place }) => place.line)).toEqual([1, 6]);
    await client.apply(text.replace('dta:', 'data:'), { namespace: 'refusals', force: true });
    expect((await configMaps.get('owned')).data).toEqual({ a: '2' });
  });

  it('shows differences, and masks Secrets', async () => {
    const text = bundle('differences', 'two.example.com', 1);
    const options = { namespace: 'differences' };
    await client.apply(text, options);
    const changed = text
      .replace('replicas: 2', 'replicas: 3')
      .replace('size: 3', 'size: 7')
      .replace('very-secret', 'more-secret');
    const diff = await client.diff(changed, options);
    expect(String(diff)).toBe(`~ Gadget differences/first
      spec.size: 3 → 7
~ Deployment differences/api
      spec.replicas: 2 → 3
~ Secret differences/key
      data.password: "*** (before)" → "*** (after)"
`);
    expect((await client.apps.v1.deployments('differences').get('api')).spec?.replicas).toBe(2);
  });

  it('prunes as kubectl does: the same labels and annotations', async () => {
    const objects = (names: readonly string[]) =>
      names.map((name) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: {} }));
    for (const name of ['ours', 'theirs']) await client.core.v1.namespaces().create({ metadata: { name } });
    await client.apply(objects(['a', 'b']), { namespace: 'ours', prune: { name: 'set' } });
    const results = await client.apply(objects(['b']), { namespace: 'ours', prune: { name: 'set' } });
    expect(results.map(({ name, action }) => `${name} ${action}`)).toEqual(['b applied', 'a pruned']);
    const parent = await client.core.v1.secrets('ours').get('set');
    const member = await client.core.v1.configMaps('ours').get('b');

    const kubectl = await buildKubectl();
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects(['b']) });
    const args = ['-n', 'ours', 'apply', '--server-side', '--force-conflicts', '--prune', '--applyset=set', '-f', '-'];
    const env = { ...process.env, KUBECONFIG: server.kubeconfigPath, KUBECTL_APPLYSET: 'true' };
    const run = (more: readonly string[]) => {
      const child = promisify(execFile)(kubectl, more as string[], { env });
      child.child.stdin?.end(list);
      return child;
    };
    // kubectl leaves the sets of other tools alone, as this does.
    await expect(run(args)).rejects.toThrow(/managed by tooling "kubeflect"/);
    await run(args.map((arg) => (arg === 'ours' ? 'theirs' : arg)));
    const theirParent = await client.core.v1.secrets('theirs').get('set');
    const theirMember = await client.core.v1.configMaps('theirs').get('b');
    await expect(client.apply(objects(['b']), { namespace: 'theirs', prune: { name: 'set' } })).rejects.toThrow(
      'it belongs to kubectl/',
    );
    expect(Object.keys(parent.metadata.annotations ?? {}).sort()).toEqual(
      Object.keys(theirParent.metadata.annotations ?? {}).sort(),
    );
    const kinds = 'applyset.kubernetes.io/contains-group-kinds';
    expect(parent.metadata.annotations?.[kinds]).toBe(theirParent.metadata.annotations?.[kinds]);
    expect(Object.keys(member.metadata.labels ?? {})).toEqual(Object.keys(theirMember.metadata.labels ?? {}));

    // The id is a hash of name, namespace, kind and group: kubectl's for the same names is ours.
    await client.core.v1.secrets('ours').delete('set');
    await client.core.v1.configMaps('ours').delete('b');
    await run(args);
    const theirs = await client.core.v1.configMaps('ours').get('b');
    expect(theirs.metadata.labels).toEqual(member.metadata.labels);
    expect((await client.core.v1.secrets('ours').get('set')).metadata.labels).toEqual(parent.metadata.labels);
  });

  it('deletes a bundle, waits for finalizers, and deletes it again', async () => {
    const text = bundle('deletion', 'three.example.com', 5);
    const options = { namespace: 'deletion' };
    await client.apply(text, options);
    const held = client.core.v1.configMaps('deletion');
    await held.patch('c0', { metadata: { finalizers: ['example.com/hold'] } });
    // Without a controller manager a namespace is never gone.
    const withoutNamespace = text.slice(0, text.lastIndexOf('---'));
    const messages: string[] = [];
    const results = await client.delete(withoutNamespace, {
      ...options,
      wait: true,
      timeoutMs: 60_000,
      propagationPolicy: 'Background',
      onProgress({ name, message }) {
        if (name !== 'c0' || message === undefined) return;
        messages.push(message);
        void held.patch('c0', { metadata: { finalizers: null } });
      },
    });
    expect(new Set(results.map(({ action }) => action))).toEqual(new Set(['deleted']));
    expect(messages).toEqual(['it is being deleted; finalizers: example.com/hold']);
    const again = await client.delete(withoutNamespace, options);
    expect(new Set(again.map(({ action }) => action))).toEqual(new Set(['absent']));
  });

  it('waits for a Deployment that does not exist yet, whose status the test writes', async () => {
    await client.core.v1.namespaces().create({ metadata: { name: 'waiting' } });
    const deployments = client.apps.v1.deployments('waiting');
    const messages: string[] = [];
    const options = { namespace: 'waiting', timeoutMs: 60_000, onProgress: (text: string) => messages.push(text) };
    const waiting = client.waitFor(resources.apps.v1.deployments, 'api', conditions.rolledOut, options);
    await deployments.create({
      metadata: { name: 'api' },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: 'api' } },
        template: { metadata: { labels: { app: 'api' } }, spec: { containers: [{ name: 'app', image: 'app:1' }] } },
      },
    });
    const status = { observedGeneration: 1, replicas: 2, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 };
    await deployments.patchStatus('api', status);
    await deployments.patchStatus('api', { updatedReplicas: 2 });
    await deployments.patchStatus('api', { readyReplicas: 2, availableReplicas: 2 });
    expect((await waiting)?.status?.availableReplicas).toBe(2);
    expect(messages.at(-1)).toBe('1 of 2 replicas are available');
    const gone = client.waitFor(resources.apps.v1.deployments, 'api', conditions.deleted, options);
    await deployments.delete('api', { propagationPolicy: 'Background' });
    expect(await gone).toBeUndefined();
  });

  it.runIf(isNewest)('waits after an apply until a Job is complete, and names what is not in time', async () => {
    const text = bundle('applied', 'four.example.com', 1);
    const jobs = text.slice(text.indexOf('apiVersion: batch/v1'), text.indexOf('apiVersion: v1\nkind: Service\n') - 4);
    await client.core.v1.namespaces().create({ metadata: { name: 'applied' } });
    const options = { namespace: 'applied', wait: true, timeoutMs: 500 };
    const late = await client.apply(jobs, options).catch((error: unknown) => error as Error);
    expect((late as Error).message).toContain(
      'Job applied/once: jobs.batch applied/once: not within 500 ms: its pods: 0 active',
    );
    const done = client.apply(jobs, { ...options, timeoutMs: 60_000 });
    const at = new Date().toISOString();
    await client.batch.v1.jobs('applied').patchStatus('once', {
      startTime: at,
      completionTime: at,
      succeeded: 1,
      uncountedTerminatedPods: {},
      conditions: ['SuccessCriteriaMet', 'Complete'].map((type) => ({
        type,
        status: 'True',
        lastProbeTime: at,
        lastTransitionTime: at,
      })),
    });
    expect(await done).toMatchObject([{ action: 'applied' }]);
  });

  it('reads versions, resources and openapi documents', async () => {
    expect((await client.apis.version()).gitVersion).toMatch(/^v1\./);
    const document = await client.apis.openapi({ group: 'apps', version: 'v1' });
    expect(document.components?.schemas).toHaveProperty(['io.k8s.api.apps.v1.Deployment']);
    await expect(client.apis.openapi({ group: 'nowhere', version: 'v1' })).rejects.toSatisfy(isNotFound);
  });

  it('asks services and pods by way of the server', async () => {
    await client.core.v1.namespaces().create({ metadata: { name: 'proxied' } });
    await client.apply(
      'apiVersion: v1\nkind: Service\nmetadata: {name: api}\nspec: {selector: {app: api}, ports: [{name: http, port: 80}]}',
      { namespace: 'proxied' },
    );
    const request = client.proxy({ service: 'api', namespace: 'proxied', port: 'http', path: '/healthz' });
    expect(request.target).toBe('/api/v1/namespaces/proxied/services/api:http/proxy/healthz');
    // Without endpoints there is nothing to ask; the server has told the name from the port.
    await expect(request.maxRetries(0).doRaw()).rejects.toThrow(/services "api" not found|no endpoints available/);
    const node = client.proxy({ node: 'nowhere', path: '/metrics' }).maxRetries(0);
    await expect(node.doRaw()).rejects.toThrow(/nodes "nowhere" not found/);
  });
});
