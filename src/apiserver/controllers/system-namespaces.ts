import { finish } from '../../time/steps.js';
import type { Controller, ControllerContext } from './controller.js';

const SYSTEM_NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

/** Makes the namespaces that every cluster has, unless they are there. */
export function startSystemNamespaces({ registry, writer }: ControllerContext): Controller {
  const namespaces = registry.find('', 'v1', 'namespaces')!;
  for (const name of SYSTEM_NAMESPACES) {
    if (namespaces.collection.get(name) === undefined) finish(writer.create(namespaces, '', { metadata: { name } }));
  }
  return { stop() {} };
}
