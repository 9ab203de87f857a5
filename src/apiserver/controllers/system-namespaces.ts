import { finish } from '../../time/steps.js';
import type { ServerController, ServerControllerContext } from './server-controller.js';

const SYSTEM_NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

/** Creates the namespaces that every cluster has, if they do not exist. */
export function startSystemNamespaces({ registry, writer }: ServerControllerContext): ServerController {
  const namespaces = registry.find('', 'v1', 'namespaces')!;
  for (const name of SYSTEM_NAMESPACES) {
    if (namespaces.collection.get(name) === undefined) finish(writer.create(namespaces, '', { metadata: { name } }));
  }
  return { stop() {} };
}
