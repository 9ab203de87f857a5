import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { parse, stringify } from 'yaml';
import type { Client } from '../../src/client/client.js';
import { eventually } from './eventually.js';
import type { Program } from './program.js';
import { repository } from './program.js';

/** The example of many clusters. Its manager serves at the port in the environment, or at none, instead of at 8080. */
export const mirrorSource: string = readFileSync(join(repository, 'examples/clusters/mirror.ts'), 'utf8').replace(
  'controllers: [mirror, clusters] }',
  "controllers: [mirror, clusters], port: Number(process.env['PORT'] ?? 0) || false }",
);

/** A cluster of the mirror. */
export interface MirroredCluster {
  readonly name: string;
  readonly client: Client;
  /** As YAML. */
  readonly kubeconfig: string;
}

/** A kubeconfig whose context is named `hub`, as the example expects it. */
export function hubKubeconfig(text: string): string {
  const config = parse(text) as { contexts: { name: string }[]; 'current-context': string };
  const used = config.contexts.find(({ name }) => name === config['current-context']);
  return stringify({ ...config, contexts: [{ ...used, name: 'hub' }], 'current-context': 'hub' });
}

/** What a user of the mirror does and sees. */
export class Mirror {
  readonly hub: Client;

  constructor(hub: Client) {
    this.hub = hub;
  }

  async join({ name, kubeconfig }: MirroredCluster): Promise<void> {
    const metadata = { name, labels: { 'example.com/cluster': 'yes' } };
    await this.hub.core.v1.secrets('mirror').create({ metadata, stringData: { kubeconfig } });
  }

  async leave({ name }: MirroredCluster): Promise<void> {
    await this.hub.core.v1.secrets('mirror').delete(name);
  }

  async write(name: string, text: string): Promise<void> {
    const labels = { 'example.com/mirror': 'yes' };
    const original = { metadata: { name, namespace: 'default', labels }, data: { text } };
    await this.hub.core.v1.configMaps('default').apply(original, { fieldManager: 'user', force: true });
  }

  /** Waits until a cluster has this text of a ConfigMap, or none. */
  async seen({ name: cluster, client }: MirroredCluster, name: string, text: string | undefined): Promise<void> {
    await eventually(`${cluster} has ${name}=${text}`, async () => (await copyIn(client, name)) === text);
  }
}

/** The text of a copy; undefined if there is none. */
async function copyIn(client: Client, name: string): Promise<string | undefined> {
  const { items } = await client.core.v1.configMaps('default').list({ fieldSelector: `metadata.name=${name}` });
  return items[0]?.data?.['text'];
}

/**
 * Copies are made, repaired, changed and deleted; a cluster joins late and leaves; the end is in order.
 *
 * @param onLeft called after the second cluster has left
 */
export async function playMirror(
  mirror: Mirror,
  [first, second]: readonly [MirroredCluster, MirroredCluster],
  program: Program,
  onLeft: () => Promise<void> = async () => {},
): Promise<void> {
  const { hub } = mirror;
  await mirror.write('motd', 'hello');
  await mirror.join(first);
  await mirror.seen(first, 'motd', 'hello');
  await mirror.join(second);
  await mirror.seen(second, 'motd', 'hello');

  await first.client.core.v1.configMaps('default').patch('motd', { data: { text: 'changed by another' } });
  await mirror.seen(first, 'motd', 'hello');
  await second.client.core.v1.configMaps('default').delete('motd');
  await mirror.seen(second, 'motd', 'hello');
  await mirror.write('motd', 'good evening');
  for (const each of [first, second]) await mirror.seen(each, 'motd', 'good evening');

  await mirror.leave(second);
  await eventually('the Secret is gone', async () => (await hub.core.v1.secrets('mirror').list()).items.length === 1);
  await mirror.write('motd', 'good night');
  await mirror.seen(first, 'motd', 'good night');
  expect(await copyIn(second.client, 'motd')).toBe('good evening');
  await onLeft();

  await hub.core.v1.configMaps('default').delete('motd');
  await mirror.seen(first, 'motd', undefined);
  await eventually('the original is gone', async () => (await copyIn(hub, 'motd')) === undefined);

  // The lead is decided in the hub alone, and is given back.
  expect((await first.client.coordination.v1.leases('default').list()).items).toEqual([]);
  const { code, stderr } = await program.interrupt();
  expect([code, stderr]).toEqual([0, '']);
  expect((await hub.coordination.v1.leases('default').get('mirror')).spec?.holderIdentity ?? '').toBe('');
}
