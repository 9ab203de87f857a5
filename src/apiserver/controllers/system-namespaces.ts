import { finish } from '../../time/steps.js';
import { API_SERVER, type ServerController, type ServerControllerContext } from './server-controller.js';

const SYSTEM_NAMESPACES = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

/** Creates the namespaces that every cluster has, if they do not exist. */
export function startSystemNamespaces({ registry, writer }: ServerControllerContext): ServerController {
  const namespaces = registry.find('', 'v1', 'namespaces')!;
  const track = writer.fields.update(namespaces, '', API_SERVER);
  for (const name of SYSTEM_NAMESPACES) {
    if (namespaces.collection.get(name) !== undefined) continue;
    finish(writer.create(namespaces, '', { metadata: { name } }, false, track));
  }
  return { stop() {} };
}
