// An operator: every Website gets a Deployment, a Service, and a DNS record, which the garbage collector cannot clear away.
import { Client, defineResource, resources, terminationSignal } from 'kubeflect';
import { createController, createManager, field, type ManagerOptions } from 'kubeflect/controller';

const { optional, string, integer } = field;
export const websites = defineResource({
  group: 'example.com',
  version: 'v1',
  kind: 'Website',
  spec: {
    host: string({ pattern: '^[a-z0-9-]+([.][a-z0-9-]+)+$', immutable: true }),
    image: string(),
    replicas: integer({ minimum: 0, maximum: 50, default: 2 }),
  },
  status: { url: optional(string()), readyReplicas: optional(integer()), conditions: field.conditions() },
  columns: { Host: '.spec.host', Ready: '.status.conditions[?(@.type=="Ready")].status' },
});

export interface Dns {
  point(host: string, target: string, signal: AbortSignal): Promise<void>;
  remove(host: string, signal: AbortSignal): Promise<void>;
}
const { deployments } = resources.apps.v1;
const { services } = resources.core.v1;

export function operator(dns: Dns): ManagerOptions {
  const controller = createController({
    name: 'websites',
    for: websites,
    owns: [deployments, services],
    readyCondition: 'Ready',
    async reconcile({ metadata: { name, namespace }, spec: { host, image, replicas } }, { apply, status, signal }) {
      const labels = { website: name };
      const metadata = { name, labels };
      const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image }] } };
      const spec = { replicas, selector: { matchLabels: labels }, template };
      const deployment = await apply(deployments, { metadata, spec });
      await apply(services, { metadata, spec: { selector: labels, ports: [{ port: 80, targetPort: 8080 }] } });
      await dns.point(host, `${name}.${namespace}.svc`, signal);

      const readyReplicas = deployment.status?.readyReplicas ?? 0;
      status({ url: `https://${host}`, readyReplicas });
      return readyReplicas < replicas ? { waiting: `${readyReplicas} of ${replicas} replicas are ready` } : undefined;
    },
    async finalize({ spec: { host } }, { signal, event }) {
      await dns.remove(host, signal);
      event({ type: 'Normal', reason: 'Removed', message: `${host} no longer leads here` });
    },
  });
  return { name: 'website-operator', controllers: [controller], definitions: 'apply' };
}

export async function main(dns: Dns): Promise<void> {
  const client = await Client.fromDefault();
  await createManager(client, operator(dns)).run({ signal: terminationSignal() });
  await client.close();
}
