import { StatusError } from '../../meta/errors/errors.js';
import { badRequest } from '../../meta/errors/status.js';
import type { Pod } from '../../resources/types/core-v1.js';
import { findObject, type ResourceCall } from './resource-call.js';

/*
 * Subresources that reach into containers. This server runs none: it answers for pods that no node has, as kube-apiserver
 * does, and refuses the rest with a message that says so.
 */

/** Answers `log`: the log of a pod without a node is empty. */
export async function handleLog(call: ResourceCall): Promise<void> {
  const pod = await podOf(call);
  checkContainer(pod, call.info.query.get('container') ?? '');
  if (pod.spec?.nodeName) throw refusal(call);
  call.response.head(204, { 'cache-control': 'no-cache, private' });
  call.response.end();
}

/** Answers `exec`, `attach` and `portforward`. */
export async function handleStream(call: ResourceCall): Promise<void> {
  const pod = await podOf(call);
  if (call.info.subresource !== 'portforward') checkContainer(pod, call.info.query.get('container') ?? '');
  if (pod.spec?.nodeName) throw refusal(call);
  throw new StatusError(badRequest(`pod ${pod.metadata.name} does not have a host assigned`));
}

/** Answers `proxy`. */
export async function handleProxy(call: ResourceCall): Promise<void> {
  await findObject(call);
  throw refusal(call);
}

async function podOf(call: ResourceCall): Promise<Pod> {
  return (await findObject(call)).decode() as unknown as Pod;
}

/** Throws 400 if the pod has no such container, or several of which none was named. */
function checkContainer({ metadata, spec }: Pod, container: string): void {
  const lists = [spec?.initContainers, spec?.containers, spec?.ephemeralContainers];
  const names = lists.flatMap((containers) => (containers ?? []).map(({ name }) => name));
  if (container === '' && spec?.containers.length !== 1) {
    const message = `a container name must be specified for pod ${metadata.name}, choose one of: [${names.join(' ')}]`;
    throw new StatusError(badRequest(message));
  }
  if (container !== '' && !names.includes(container)) {
    throw new StatusError(badRequest(`container ${container} is not valid for pod ${metadata.name}`));
  }
}

function refusal({ info, resource }: ResourceCall): StatusError {
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `${resource.resource}/${info.subresource} is not available: this API server runs no containers`,
    reason: 'NotImplemented',
    code: 501,
  });
}
