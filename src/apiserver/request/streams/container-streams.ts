import { StatusError } from '../../../meta/errors/errors.js';
import { badRequest } from '../../../meta/errors/status.js';
import type { Pod } from '../../../resources/types/core-v1.js';
import { queryFlag } from '../../wire/request-info.js';
import { findObject, type ResourceCall } from '../resource-call.js';
import { type Attached, attachStreams } from './attached-streams.js';
import type { AttachCall, Kubelet } from './kubelet.js';
import { servePodLog } from './pod-log.js';
import { servePodProxy } from './pod-proxy.js';
import { servePortForward } from './port-forward.js';

/*
 * Subresources that reach into containers. The functions of the option `kubelet` answer them; this server runs none. For
 * pods that no node has it answers as kube-apiserver does, and what has no function is refused with a message that says so.
 */

/** Answers `log`: the log of a pod without a node is empty. */
export async function handleLog(call: ResourceCall): Promise<void> {
  const pod = await podOf(call);
  const container = containerOf(pod, call.info.query.get('container') ?? '');
  if (!pod.spec?.nodeName) {
    call.response.head(204, { 'cache-control': 'no-cache, private' });
    call.response.end();
    return;
  }
  await servePodLog(call, pod, container, functionOf(call, 'log'));
}

/** Answers `exec` and `attach`. */
export async function handleAttach(call: ResourceCall): Promise<void> {
  const pod = await podOf(call);
  const { query, subresource } = call.info;
  const container = containerOf(pod, query.get('container') ?? '');
  checkHost(pod);
  const isExec = subresource === 'exec';
  const command = query.getAll('command');
  const exec = isExec ? functionOf(call, 'exec') : undefined;
  const attach = isExec ? undefined : functionOf(call, 'attach');
  if (isExec && command.length === 0) throw new StatusError(badRequest('you must specify at least 1 command'));
  const tty = queryFlag(query, 'tty');
  const wanted = {
    stdin: queryFlag(query, 'stdin'),
    stdout: queryFlag(query, 'stdout'),
    stderr: queryFlag(query, 'stderr'),
  };
  if (!wanted.stdin && !wanted.stdout && !wanted.stderr) {
    throw new StatusError(badRequest('you must specify at least 1 of stdin, stdout, stderr'));
  }
  const attached = await attachStreams(call, { ...wanted, stderr: wanted.stderr && !tty, tty });
  if (attached === undefined) return;
  const { stdin, stdout, stderr, onResize, signal } = attached;
  const given: AttachCall = { pod, container, tty, stdin, stdout, stderr, onResize, signal };
  await run(attached, () => (exec === undefined ? attach!(given) : exec({ ...given, command })));
}

/** Runs a process of the hook and tells the client how it ended. */
async function run(attached: Attached, process: () => number | void | Promise<number | void>): Promise<void> {
  let exitCode: number;
  try {
    exitCode = Number((await process()) ?? 0);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const reason = error instanceof StatusError ? error.reason : 'InternalError';
    await attached.finish({ metadata: {}, status: 'Failure', message, reason, code: 500 });
    return;
  }
  if (exitCode === 0) await attached.finish({ metadata: {}, status: 'Success' });
  else {
    await attached.finish({
      metadata: {},
      status: 'Failure',
      message: `command terminated with non-zero exit code: exit status ${exitCode}`,
      reason: 'NonZeroExitCode',
      details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
    });
  }
}

/** Answers `portforward`. */
export async function handlePortForward(call: ResourceCall): Promise<void> {
  const pod = await podOf(call);
  checkHost(pod);
  await servePortForward(call, pod, functionOf(call, 'portForward'));
}

/** Answers `proxy` of pods; nodes and services have no function. */
export async function handleProxy(call: ResourceCall): Promise<void> {
  const { resource, info } = call;
  if (resource.resource !== 'pods') {
    await findObject(call);
    throw refusal(call);
  }
  // The name may have a scheme before and a port after it: https:web:8443.
  const [, name = '', port] = /^(?:https?:)?([^:]*)(?::(.*))?$/.exec(info.name) ?? [];
  const pod = await podOf({ ...call, info: { ...info, name } });
  await servePodProxy(call, pod, port === '' ? undefined : port, functionOf(call, 'proxy'));
}

async function podOf(call: ResourceCall): Promise<Pod> {
  return (await findObject(call)).decode() as unknown as Pod;
}

/** The container of a call; throws 400 if the pod has no such one, or several of which none was named. */
function containerOf({ metadata, spec }: Pod, container: string): string {
  const lists = [spec?.initContainers, spec?.containers, spec?.ephemeralContainers];
  const names = lists.flatMap((containers) => (containers ?? []).map(({ name }) => name));
  if (container === '' && spec?.containers.length !== 1) {
    const message = `a container name must be specified for pod ${metadata.name}, choose one of: [${names.join(' ')}]`;
    throw new StatusError(badRequest(message));
  }
  if (container !== '' && !names.includes(container)) {
    throw new StatusError(badRequest(`container ${container} is not valid for pod ${metadata.name}`));
  }
  return container === '' ? spec!.containers[0]!.name : container;
}

function checkHost({ metadata, spec }: Pod): void {
  if (!spec?.nodeName) throw new StatusError(badRequest(`pod ${metadata.name} does not have a host assigned`));
}

/** A function of the option `kubelet`; throws 501 without it. */
function functionOf<F extends keyof Kubelet>(call: ResourceCall, name: F): NonNullable<Kubelet[F]> {
  const found = call.context.kubelet[name];
  if (found === undefined) throw refusal(call, name);
  return found;
}

function refusal({ info, resource }: ResourceCall, option?: string): StatusError {
  const advice = option === undefined ? '' : `; pass a function as the option kubelet.${option} to answer it`;
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `${resource.resource}/${info.subresource} is not available: this API server runs no containers${advice}`,
    reason: 'NotImplemented',
    code: 501,
  });
}
