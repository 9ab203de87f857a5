import type { AddressInfo } from 'node:net';
import { connect as connectTcp, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../../src/client/client.js';
import { convert, defineResource, field, manifests, mutate, validate } from '../../src/controller/index.js';
import { ControllerManager } from '../../src/controller/manager/manager.js';
import type { ManagerOptions } from '../../src/controller/manager/manager-options.js';
import type { WebhookEndpoints } from '../../src/controller/webhooks/endpoints.js';
import { WebhookServer } from '../../src/controller/webhooks/webhook-server.js';
import type { KubernetesObject, New } from '../../src/meta/objects.js';
import { eventually } from '../support/eventually.js';
import { type RealApiServer, startRealApiServer } from './real-api-server.mjs';

const minutes = Number(process.env['ROTATION_MINUTES'] ?? '1');
const REPLICAS = 3;
/** So short that an authority is replaced every minute, and the certificate every 20 s. */
const times = { authorityMs: 90_000, servingMs: 30_000, trustMs: 3000, forgetMs: 5000 };

const names = { group: 'hooks.kubeflect.dev', kind: 'Widget' } as const;
const beta = defineResource({ ...names, version: 'v1beta1', spec: { count: field.integer() } });
const widgets = defineResource({
  ...names,
  version: 'v1',
  spec: { size: field.integer(), color: field.optional(field.string()) },
  previous: [beta],
});
const check = validate(widgets, {
  reads: [widgets],
  operations: ['CREATE', 'UPDATE', 'DELETE'],
  check({ metadata, spec }, { operation, lister, warn }) {
    lister(widgets).list();
    if (operation === 'DELETE') return metadata.name === 'kept' ? 'it is kept' : undefined;
    if (spec.size === 0) warn('size is zero');
    const problems = [];
    if (spec.size > 10) problems.push({ field: 'spec.size', message: 'must be at most 10' });
    if (spec.color === 'mud') problems.push({ field: 'spec.color', message: 'is ugly' });
    return problems;
  },
});
const paint = mutate(widgets, { operations: ['CREATE'], change: ({ spec }) => void (spec.color ??= 'red') });
const between = convert(beta, widgets, {
  up: ({ spec: { count } }) => ({ spec: { size: count } }),
  down: ({ spec: { size } }) => ({ spec: { count: size } }),
});
const options: ManagerOptions = {
  name: 'hooks',
  webhooks: [check, paint, between],
  port: false,
  election: false,
  definitions: 'ignore',
};

let server: RealApiServer;
let admin: Client;
let balancer: Server;
let balancerUrl: string;
const ports: number[] = [];
const errors: Error[] = [];
const warnings: string[] = [];
const stop = new AbortController();
const running: Promise<void>[] = [];
const clients: Client[] = [];

beforeAll(async () => {
  server = await startRealApiServer();
  admin = await Client.fromKubeconfig(
    { path: server.kubeconfigPath },
    { onWarning: (text) => warnings.push(String(text)) },
  );
  await listenBalancer();
  for (const object of manifests(options)) {
    const resource = await admin.resolve(object.kind);
    await admin
      .forResource(resource, (object.metadata as { namespace?: string }).namespace)
      .apply(withUrls(object) as never, { fieldManager: 'deployment', force: true });
  }
  const token = await server.addUser({ name: 'system:serviceaccount:hooks:hooks' });
  const managers: ControllerManager[] = [];
  for (let i = 0; i < REPLICAS; i++) {
    const client = await Client.fromKubeconfig({ text: server.kubeconfigFor({ token }) }, { namespace: 'hooks' });
    clients.push(client);
    const internals = { webhooks: { times, listen: (endpoints: WebhookEndpoints) => listen(endpoints, i) } };
    const manager = new ControllerManager(client, { ...options, onError: (error) => errors.push(error) }, internals);
    managers.push(manager);
  }
  for (const manager of managers) running.push(manager.run({ signal: stop.signal }));
  await Promise.race([Promise.all(managers.map((manager) => manager.whenReady())), ...running]);
});
afterAll(async () => {
  stop.abort();
  await Promise.all(running);
  for (const client of [...clients, admin]) await client?.close();
  balancer?.close();
  await server?.stop();
});

/** Of two of the replicas, each answer closes its connection: every call of them is a handshake. */
async function listen(endpoints: WebhookEndpoints, replica: number): Promise<WebhookServer> {
  const listener = await WebhookServer.listen(endpoints, { port: 0, host: '127.0.0.1' });
  if (replica > 0) listener.drain();
  ports[replica] = listener.port;
  return listener;
}

/** In place of the Service: passes connections on to the replicas, one after the other. */
async function listenBalancer(): Promise<void> {
  let next = 0;
  balancer = createServer((socket) => {
    const target = connectTcp(ports[next++ % ports.length] ?? 1, '127.0.0.1');
    for (const [from, to] of [
      [socket, target],
      [target, socket],
    ] as const) {
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
      from.pipe(to);
    }
  });
  await new Promise<void>((resolve) => balancer.listen(0, '127.0.0.1', resolve));
  balancerUrl = `https://127.0.0.1:${(balancer.address() as AddressInfo).port}`;
}

/** The manifests with addresses instead of the Service: the API server has no cluster network here. */
function withUrls(object: object): New<KubernetesObject> {
  return JSON.parse(JSON.stringify(object), (key, value: { service?: { path: string } }) =>
    key === 'clientConfig' && value.service !== undefined ? { url: `${balancerUrl}${value.service.path}` } : value,
  ) as New<KubernetesObject>;
}

const widget = (name: string, spec: object, metadata: object = {}) =>
  ({ metadata: { name, ...metadata }, spec }) as New<KubernetesObject> as never;

describe('webhooks on a real kube-apiserver, with the Roles of their manifests', () => {
  it('[C73] [C75] change, refuse and warn', async () => {
    const mine = admin.forResource(widgets, 'default');
    // API servers see configurations with a watch.
    await eventually('webhooks are called', async () => {
      const { spec } = await mine.create(widget('probe', { size: 1 }), { dryRun: true });
      return spec.color === 'red';
    });
    const stored = await mine.create(widget('a', { size: 0 }));
    expect(stored.spec).toEqual({ size: 0, color: 'red' });
    expect(warnings).toContain('size is zero');
    await expect(mine.create(widget('b', { size: 11, color: 'mud' }))).rejects.toMatchObject({
      document: {
        code: 422,
        reason: 'Invalid',
        message:
          'admission webhook "validate.v1.widgets.hooks.kubeflect.dev" denied the request: spec.size: must be at most 10; spec.color: is ugly',
        details: { causes: [{ field: 'spec.size' }, { field: 'spec.color' }] },
      },
    });
    await mine.create(widget('kept', { size: 1 }));
    await expect(mine.delete('kept')).rejects.toMatchObject({ document: { code: 403, reason: 'Forbidden' } });
  });

  it('[C69] convert, and lose nothing', async () => {
    const mine = admin.forResource(widgets, 'default');
    const older = admin.forResource(beta, 'default');
    await mine.create(widget('converted', { size: 3, color: 'blue' }));
    const read = await older.get('converted');
    expect(read.spec).toEqual({ count: 3 });
    await older.update({ ...read, spec: { count: 4 } });
    const changed = await mine.get('converted');
    expect(changed.spec).toEqual({ size: 4, color: 'blue' });
    expect(changed.metadata.annotations ?? {}).toEqual({});
  });

  it('[C70] a rotation refuses no request', async () => {
    const mine = admin.forResource(widgets, 'default');
    const older = admin.forResource(beta, 'default');
    const secrets = admin.core.v1.secrets('hooks');
    await mine.create(widget('busy', { size: 1 }));
    const failures: unknown[] = [];
    const certificates = new Set<string>();
    const authorities = new Set<string>();
    let requests = 0;
    let inFlight = 0;
    const end = Date.now() + minutes * 60_000;
    let looked = 0;
    while (Date.now() < end) {
      if (inFlight < 50) {
        inFlight++;
        const number = requests++;
        const labels = { n: String(number) };
        const request =
          number % 5 === 0 ? older.get('busy') : mine.patch('busy', { metadata: { labels } }, { dryRun: true });
        void request.catch((error: unknown) => failures.push(error)).finally(() => inFlight--);
      }
      if (Date.now() - looked > 1000) {
        looked = Date.now();
        const { data = {} } = await secrets.get('hooks-webhook-certificates');
        certificates.add(data['tls.crt'] ?? '');
        authorities.add(data['ca.crt'] ?? '');
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await eventually('all requests are answered', () => inFlight === 0);
    console.log(
      `${requests} requests in ${minutes} min, ${failures.length} failed; ${certificates.size} certificates, ${authorities.size} bundles`,
    );
    expect(failures).toEqual([]);
    expect(errors).toEqual([]);
    expect(certificates.size).toBeGreaterThan(minutes * 2);
  });
});

/** Last: without replicas. */
describe('webhooks whose replicas are gone', () => {
  it('[C71] objects that are being deleted still lose their finalizers', async () => {
    const mine = admin.forResource(widgets, 'default');
    await mine.create(widget('leaving', { size: 1 }, { finalizers: ['kubeflect.dev/test'] }));
    stop.abort();
    await Promise.all(running);
    await expect(mine.patch('leaving', { spec: { size: 2 } })).rejects.toMatchObject({ document: { code: 500 } });
    // A DELETE is reviewed, and no replica answers: the policy of the test's webhook is left out.
    const configurations = admin.admissionregistration.v1.validatingWebhookConfigurations();
    const { webhooks = [] } = await configurations.get('hooks');
    const rules = webhooks[0]?.rules?.map((rule) => ({ ...rule, operations: ['CREATE', 'UPDATE'] }));
    await configurations.patch('hooks', [{ op: 'replace', path: '/webhooks/0/rules', value: rules }] as never);
    await eventually('the object is being deleted', () =>
      mine.delete('leaving').then(
        () => true,
        () => false,
      ),
    );
    await mine.patch('leaving', { metadata: { finalizers: null } });
    await eventually('it is gone', () =>
      mine.get('leaving').then(
        () => false,
        () => true,
      ),
    );
  });
});
