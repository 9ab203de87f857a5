import type { Duplex } from 'node:stream';
import type { Abortable } from '../../meta/objects.js';
import { abortableNames, checkOptions } from '../../meta/options/known-options.js';
import { optionError, requireFunction, requireInteger, requireString } from '../../meta/options/validate.js';
import type { Pod } from '../../resources/types/core-v1.js';
import type { Request } from '../../rest/request/request.js';
import { offClock } from '../../time/off-clock.js';
import { RestResourceClient } from '../rest-resource-client.js';
import { partRequest } from '../rest-subresource-client.js';
import type { ServerApi } from '../server-api.js';
import type { Target } from '../target.js';
import {
  type AttachOptions,
  attachNames,
  type CopyOptions,
  type CopyProgress,
  copyNames,
  type ExecOptions,
  execNames,
  type ForwardedPort,
  type LogLine,
  type LogSource,
  type LogsOptions,
  logsNames,
  type PodClient,
  type PortForward,
  type PortForwardOptions,
  portForwardNames,
} from './pod-client.js';
import type { PortPair } from './port-forward.js';

/** A {@link PodClient} that sends requests. What it does with streams is loaded on use, since most programs need none. */
export class RestPodClient extends RestResourceClient<Pod> implements PodClient {
  readonly #api: ServerApi;
  readonly #target: Target;

  constructor(api: ServerApi, target: Target) {
    super(api, target);
    this.#api = api;
    this.#target = target;
  }

  async exec(name: string, options: ExecOptions): Promise<number> {
    const { command, container, ...streams } = checkOptions('exec', options, execNames);
    if (!Array.isArray(command) || command.length === 0 || !command.every((part) => typeof part === 'string')) {
      throw optionError('command', "the program and its arguments, as in ['ls', '-l']", command);
    }
    const { runAttached } = await offClock(import('./attached-process.js'));
    const request = this.#part(name, 'run a command in', 'exec').params({ container });
    // An empty argument is sent too, so that `params`, which leaves out empty values, is not used.
    for (const part of command) request.param('command', [part]);
    return runAttached(request, streams, this.#api.rest.clock);
  }

  async attach(name: string, options: AttachOptions = {}): Promise<number> {
    const { container, ...streams } = checkOptions('attach', options, attachNames);
    const { runAttached } = await offClock(import('./attached-process.js'));
    return runAttached(this.#part(name, 'attach to', 'attach').params({ container }), streams, this.#api.rest.clock);
  }

  async connect(name: string, port: number, options: Abortable = {}): Promise<Duplex> {
    const { signal } = checkOptions('connect', options, abortableNames);
    requireInteger('port', port, 1, 65_535);
    const { connectToPod } = await offClock(import('./pod-connection.js'));
    const request = this.#part(name, 'connect to', 'portforward');
    return connectToPod(request, port, this.#api.rest.clock, signal);
  }

  async portForward(
    name: string,
    ports: ForwardedPort | readonly ForwardedPort[],
    options: PortForwardOptions = {},
  ): Promise<PortForward> {
    checkOptions('portForward', options, portForwardNames);
    if (options.onError !== undefined) requireFunction('onError', options.onError);
    options.signal?.throwIfAborted();
    const pairs = pairsOf(ports);
    const [{ openTunnel }, { startPortForward }] = await offClock(
      Promise.all([import('./pod-connection.js'), import('./port-forward.js')]),
    );
    const open: Parameters<typeof startPortForward>[1] = (port, signal) =>
      openTunnel(this.#part(name, 'forward ports of', 'portforward'), port, this.#api.rest.clock, signal);
    return startPortForward(pairs, open, options);
  }

  async copyTo(name: string, local: string, remote: string, options: CopyOptions = {}): Promise<CopyProgress> {
    checkCopy('copyTo', local, remote, options);
    const { copyToPod } = await offClock(import('./copy-to.js'));
    return copyToPod((exec) => this.exec(name, exec), local, remote, options);
  }

  async copyFrom(name: string, remote: string, local: string, options: CopyOptions = {}): Promise<CopyProgress> {
    checkCopy('copyFrom', local, remote, options);
    const { copyFromPod } = await offClock(import('./copy-from.js'));
    return copyFromPod((exec) => this.exec(name, exec), remote, local, options);
  }

  logs(source: LogSource, options: LogsOptions = {}): AsyncIterableIterator<LogLine> {
    checkOptions('logs', options, logsNames);
    if (options.maxRequests !== undefined) requireInteger('maxRequests', options.maxRequests, 1);
    if (typeof source === 'string') this.#target.checkName(source, 'read the logs of');
    else checkOptions('logs of', source, { labelSelector: true });
    return readLogs(this, source, options, this.#api.rest.clock);
  }

  #part(name: string, verb: string, subresource: string): Request {
    return partRequest(this.#api, this.#target, 'GET', verb, name, subresource);
  }
}

async function* readLogs(...call: Parameters<typeof import('./pod-logs.js').podLogs>): AsyncGenerator<LogLine, void> {
  const { podLogs } = await offClock(import('./pod-logs.js'));
  yield* podLogs(...call);
}

function pairsOf(ports: ForwardedPort | readonly ForwardedPort[]): PortPair[] {
  const list: readonly ForwardedPort[] = Array.isArray(ports) ? ports : [ports as ForwardedPort];
  if (list.length === 0) throw optionError('ports', 'at least one port', ports);
  return list.map((port) => {
    const { remote, local = 0 } = typeof port === 'number' ? { remote: port } : checkOptions('a port', port, pairNames);
    requireInteger('the port of the pod', remote, 1, 65_535);
    requireInteger('local', local, 0, 65_535);
    return { remote, local };
  });
}

const pairNames = { remote: true, local: true } as const;

function checkCopy(call: string, local: string, remote: string, options: CopyOptions): void {
  checkOptions(call, options, copyNames);
  requireString('local', local);
  requireString('remote', remote);
  if (options.onProgress !== undefined) requireFunction('onProgress', options.onProgress);
}
