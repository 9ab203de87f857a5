import { valueAt } from '../../../meta/json-paths.js';
import { optionError } from '../../../meta/options/validate.js';
import type { Registry } from '../../resources/registry.js';
import { keyOf } from '../../storage/storage.js';
import type { WebhookHandler } from './webhook-client.js';

const SERVICE = /^[a-z0-9-]+\/[a-z0-9-]+(?::\d+)?$/;

/** The option `webhooks`, checked. */
export function checkedWebhooks(
  webhooks: Readonly<Record<string, WebhookHandler | string>>,
): Readonly<Record<string, WebhookHandler | string>> {
  for (const [service, target] of Object.entries(webhooks)) {
    if (!SERVICE.test(service)) throw optionError('webhooks', 'an object with keys as namespace/name', service);
    const isAddress = typeof target === 'string' && URL.canParse(target) && new URL(target).protocol === 'https:';
    if (typeof target !== 'function' && !isAddress) {
      throw optionError(`webhooks[${JSON.stringify(service)}]`, 'a function or an https address', target);
    }
  }
  return webhooks;
}

/**
 * Why a service that is not in the option `webhooks` cannot be called: there is no such service, it has no such port, or this
 * server has no network of a cluster.
 */
export function unresolvedService(registry: Registry): (namespace: string, name: string, port: number) => string {
  return (namespace, name, port) => {
    const stored = registry.find('', 'v1', 'services')?.collection.get(keyOf(namespace, name));
    if (stored === undefined) return `service ${JSON.stringify(name)} not found`;
    const ports = valueAt(stored.decode(), ['spec', 'ports']);
    const isServed = Array.isArray(ports) && ports.some((entry) => (entry as { port?: number }).port === port);
    if (!isServed) return `no service port ${port} found for service ${JSON.stringify(name)}`;
    return `this server has no cluster network: give it the address of ${namespace}/${name} with the option webhooks`;
  };
}
