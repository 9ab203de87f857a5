import type { JsonObject } from '../../../meta/json-values.js';
import { queryFlag, type ResourceRequestInfo } from '../../wire/request-info.js';

const FLAGS = ['stdin', 'stdout', 'stderr', 'tty'];

/** The options of a connection to a pod, service or node as a document, from the query and the path. */
export function connectOptions(kind: string, { query, rest }: ResourceRequestInfo): JsonObject {
  const options: JsonObject = { kind, apiVersion: 'v1' };
  if (kind.endsWith('ProxyOptions')) {
    return rest.length === 0 ? options : { ...options, path: `/${rest.join('/')}` };
  }
  if (kind === 'PodPortForwardOptions') {
    const ports = query.getAll('ports').flatMap((text) => text.split(',')).map(Number);
    return ports.length === 0 ? options : { ...options, ports };
  }
  for (const flag of FLAGS) if (queryFlag(query, flag)) options[flag] = true;
  const container = query.get('container') ?? '';
  if (container !== '') options['container'] = container;
  const command = query.getAll('command');
  if (kind === 'PodExecOptions' && command.length > 0) options['command'] = command;
  return options;
}
