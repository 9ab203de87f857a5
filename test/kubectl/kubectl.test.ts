import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { ConfigMap, Deployment, Pod } from '../../src/resources/types/index.js';
import { kubectlVersion, Serving } from './serving.js';

beforeAll(() => {
  console.log(`kubectl ${kubectlVersion()}`);
});

const configMap = (name: string, labels?: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels },
  data: { value: '1' },
});
const pod = (name: string, labels?: Record<string, string>) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels },
  spec: { containers: [{ name: 'main', image: 'one' }] },
});
const deployment = (name: string) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: pod('').spec },
  },
});

const objects = [
  ['configmap', configMap],
  ['pod', pod],
] as const;

describe.each([
  ['plain HTTP', []],
  ['TLS', ['--tls']],
])('kubectl over %s', (_, options) => {
  it.each(objects)('creates, gets, lists and deletes a %s', async (kind, make) => {
    const serving = await Serving.start(...options);
    expect(await serving.create(make('a', { app: 'web' }))).toBe(`${kind}/a created\n`);
    expect(await serving.create(make('b'))).toBe(`${kind}/b created\n`);

    const asJson = await serving.json<ConfigMap | Pod>('get', kind, 'a');
    expect(asJson).toMatchObject(make('a', { app: 'web' }));
    expect(asJson.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(parse(await serving.kubectl('get', kind, 'a', '-o', 'yaml'))).toEqual(asJson);
    expect(await serving.kubectl('get', kind, 'a', '-o', 'name')).toBe(`${kind}/a\n`);
    expect(await serving.kubectl('get', kind, 'a')).toMatch(/^NAME .*AGE\na /);

    expect(await serving.kubectl('get', `${kind}s`, '-o', 'name')).toBe(`${kind}/a\n${kind}/b\n`);
    expect(await serving.kubectl('get', kind, '-l', 'app=web', '-o', 'name')).toBe(`${kind}/a\n`);
    expect(await serving.kubectl('get', kind, '--field-selector', 'metadata.name=b', '-o', 'name')).toBe(`${kind}/b\n`);
    const { items } = await serving.json<{ items: { metadata: { name: string } }[] }>('get', kind, '-A');
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['a', 'b']);
    expect(parse(await serving.kubectl('get', kind, '-o', 'yaml'))).toMatchObject({ kind: 'List', items });

    expect(await serving.kubectl('delete', kind, 'a')).toBe(`${kind} "a" deleted\n`);
    expect(await serving.kubectl('delete', kind, '--all')).toBe(`${kind} "b" deleted\n`);
    expect(await serving.kubectl('get', kind, '-o', 'name')).toBe('');
    const { code, stderr } = await serving.end(['get', kind, 'a']);
    expect(stderr).toBe(`Error from server (NotFound): ${kind}s "a" not found\n`);
    expect(code).toBe(1);
  });

  it.each(objects)('watches a %s', async (kind, make) => {
    const serving = await Serving.start(...options);
    await serving.create(make('a'));
    const watch = serving.run(['get', kind, '-w', '--output-watch-events']);
    const names = serving.run(['get', kind, '-w', '-o', 'name']);
    await watch.seen(/^ADDED +a /m);
    await names.seen(/./);
    await serving.create(make('b'));
    await serving.kubectl('label', kind, 'a', 'x=y');
    await serving.kubectl('delete', kind, 'b', '--grace-period=0', '--force');
    await watch.seen(/^DELETED /m);
    await names.seen(({ lines }) => lines.length >= 4);
    expect(new Set(names.lines)).toEqual(new Set([`${kind}/a`, `${kind}/b`]));
    const seen = watch.lines.slice(1).map((line) => line.split(/ +/, 2).join(' '));
    // A pod gets a deletionTimestamp before it is deleted.
    const isMark = (line: string) => line === 'MODIFIED b';
    expect(seen.filter((line) => !isMark(line))).toEqual(['ADDED a', 'ADDED b', 'MODIFIED a', 'DELETED b']);
  });

  it.each(objects)('labels and annotates a %s', async (kind, make) => {
    const serving = await Serving.start(...options);
    await serving.create(make('a', { app: 'web' }));
    expect(await serving.kubectl('label', kind, 'a', 'tier=front', 'app-')).toMatch(
      new RegExp(`^(label "app" not found\\.|${kind}/a (labeled|unlabeled))\n$`),
    );
    expect(await serving.kubectl('annotate', kind, 'a', 'note=hello world')).toBe(`${kind}/a annotated\n`);
    const { metadata } = await serving.json<ConfigMap | Pod>('get', kind, 'a');
    expect(metadata.labels).toEqual({ tier: 'front' });
    expect(metadata.annotations).toEqual({ note: 'hello world' });
    const refused = await serving.end(['label', kind, 'a', 'tier=back']);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('already has a value (front), and --overwrite is false');
    await serving.kubectl('label', kind, 'a', 'tier=back', '--overwrite');
    expect(await serving.kubectl('get', kind, 'a', '-o', 'jsonpath={.metadata.labels.tier}')).toBe('back');
  });

  it('patches with all three types', async () => {
    const serving = await Serving.start(...options);
    await serving.create(configMap('a'));
    await serving.create(deployment('web'));
    const data = async () => (await serving.json<ConfigMap>('get', 'configmap', 'a')).data;

    expect(await serving.kubectl('patch', 'configmap', 'a', '-p', '{"data":{"more":"2"}}')).toBe(
      'configmap/a patched\n',
    );
    expect(await data()).toEqual({ value: '1', more: '2' });
    await serving.kubectl('patch', 'configmap', 'a', '--type', 'merge', '-p', '{"data":{"value":null}}');
    expect(await data()).toEqual({ more: '2' });
    await serving.kubectl('patch', 'configmap', 'a', '--type', 'json', '-p', '[{"op":"remove","path":"/data/more"}]');
    expect(await data()).toBeUndefined();

    const containers = [{ name: 'sidecar', image: 'two' }];
    const patch = { spec: { template: { spec: { containers } } } };
    await serving.kubectl('patch', 'deployment', 'web', '-p', JSON.stringify(patch));
    const { spec } = await serving.json<Deployment>('get', 'deployment', 'web');
    // A strategic merge patch merges containers by name.
    expect(spec?.template.spec?.containers.map(({ name }) => name).sort()).toEqual(['main', 'sidecar']);

    const conflict = await serving.end(['patch', 'configmap', 'a', '-p', '{"metadata":{"resourceVersion":"1"}}']);
    expect(conflict.stderr).toContain('(Conflict)');
    expect(conflict.code).toBe(1);
  });

  it('scales a deployment, and sets its image', async () => {
    const serving = await Serving.start(...options);
    expect(await serving.create(deployment('web'))).toBe('deployment.apps/web created\n');
    expect(await serving.kubectl('scale', 'deployment', 'web', '--replicas=3')).toBe('deployment.apps/web scaled\n');
    const refused = await serving.end(['scale', 'deployment', 'web', '--current-replicas=1', '--replicas=5']);
    expect(refused.code).toBe(1);
    expect(await serving.kubectl('set', 'image', 'deployment/web', 'main=two')).toBe(
      'deployment.apps/web image updated\n',
    );
    const { spec, metadata } = await serving.json<Deployment>('get', 'deploy', 'web');
    expect(spec?.replicas).toBe(3);
    expect(spec?.template.spec?.containers[0]?.image).toBe('two');
    expect(metadata.generation).toBe(3);
    expect(await serving.kubectl('get', 'deploy', '-o', 'name')).toBe('deployment.apps/web\n');
    expect(await serving.kubectl('delete', 'deploy', 'web')).toBe('deployment.apps "web" deleted\n');
  });

  it('applies, replaces and describes', async () => {
    const serving = await Serving.start(...options);
    const file = (value: string) => JSON.stringify({ ...configMap('a'), data: { value } });
    const apply = ['apply', '-f', '-'];
    expect((await serving.end(apply, file('1'))).stdout).toBe('configmap/a created\n');
    expect((await serving.end(apply, file('1'))).stdout).toBe('configmap/a unchanged\n');
    expect((await serving.end(apply, file('2'))).stdout).toBe('configmap/a configured\n');
    const replace = ['replace', '-f', '-'];
    expect((await serving.end(replace, file('3'))).stdout).toBe('configmap/a replaced\n');
    expect(await serving.kubectl('describe', 'configmap', 'a')).toMatch(/^Name: +a\n.*value:\n----\n3\n/s);
  });

  it('refuses fields that the schema does not have', async () => {
    const serving = await Serving.start(...options);
    const wrong = JSON.stringify({ ...configMap('a'), date: {} });
    const { code, stderr } = await serving.end(['apply', '-f', '-'], wrong);
    expect(stderr).toMatch(/unknown field "(ConfigMap\.)?date"|ValidationError\(ConfigMap\)/);
    expect(code).toBe(1);
  });

  it('explains kinds by the names and types of their fields', async () => {
    const serving = await Serving.start(...options);
    const text = await serving.kubectl('explain', 'deployment.spec');
    expect(text).toMatch(/^KIND: +Deployment$/m);
    expect(text).toMatch(/^ +replicas\s+<integer>/m);
    expect(text).toMatch(/^ +template\s+<(PodTemplateSpec|Object)> -required-/m);
  });

  it('prints the columns of each kind', async () => {
    const serving = await Serving.start(...options);
    await serving.create(pod('a', { app: 'web' }));
    await serving.create(deployment('web'));
    expect(await serving.kubectl('get', 'pods')).toMatch(
      /^NAME +READY +STATUS +RESTARTS +AGE\na +0\/1 +Pending +0 +\d+s\n$/,
    );
    expect(await serving.kubectl('get', 'deployments', '-o', 'wide')).toMatch(
      /^NAME +READY +UP-TO-DATE +AVAILABLE +AGE +CONTAINERS +IMAGES +SELECTOR\nweb +0\/1 +0 +0 +\d+s +main +one +app=web\n$/,
    );
    expect(await serving.kubectl('get', 'pods', '-L', 'app')).toMatch(/APP\na .* web\n$/);
  });

  it('creates objects from its arguments, also piped', async () => {
    const serving = await Serving.start(...options);
    const words = ['create', 'configmap', 'x', '--from-literal=a=b'];
    expect(await serving.kubectl(...words)).toBe('configmap/x created\n');
    await serving.kubectl('delete', 'configmap', 'x');
    const text = await serving.kubectl(...words, '--dry-run=client', '-o', 'yaml');
    const { stdout } = await serving.end(['create', '-f', '-'], text);
    expect(stdout).toBe('configmap/x created\n');
    expect(await serving.kubectl('create', 'deployment', 'web', '--image=one')).toBe('deployment.apps/web created\n');
  });

  it('lists the resources of the server, and names unknown ones', async () => {
    const serving = await Serving.start(...options);
    expect(await serving.kubectl('api-resources', '-o', 'name')).toMatch(/^deployments\.apps$/m);
    expect(await serving.kubectl('api-versions')).toMatch(/^apps\/v1$/m);
    expect(await serving.kubectl('get', 'namespaces', '-o', 'name')).toMatch(/^namespace\/default$/m);
    const { code, stderr } = await serving.end(['get', 'widgets']);
    expect(stderr).toBe('error: the server doesn\'t have a resource type "widgets"\n');
    expect(code).toBe(1);
  });
});
