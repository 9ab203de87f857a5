import type { SharedIndexInformer } from '../../cache/informer/shared-informer.js';
import type { Client } from '../../client/client.js';
import type { LogLineOptions } from '../../client/resource-client.js';
import { containerLog, type TimedLine } from '../../client/streams/container-log.js';
import { LogMerge } from '../../client/streams/merge-logs.js';
import type { LogLine } from '../../client/streams/pod-client.js';
import { SharedInformerFactory } from '../../informers/shared-informer-factory.js';
import { asError } from '../../meta/errors/errors.js';
import type { DeepReadonly } from '../../meta/objects.js';
import type { Pod } from '../../resources/types/core-v1.js';
import { linkSignals, onAbort } from '../../time/signals.js';
import { CommandError, type OutputStream } from '../command.js';
import { Outages } from '../terminal/outages.js';
import { type ContainerChoice, chosenContainers, containerNames, hasStarted } from './log-containers.js';

/** The pods whose logs are read: one by its name, or those with labels. */
export type LogPods = { readonly name: string } | { readonly labelSelector: string };

/** How logs are read. */
export interface LogReaderOptions extends ContainerChoice {
  readonly namespace: string;
  readonly follow: boolean;
  /** The most logs that are open at once. */
  readonly maxRequests: number;
  readonly lines: Pick<LogLineOptions, 'previous' | 'tailLines' | 'sinceSeconds' | 'sinceTime'>;
  /** For messages about pods with labels that cannot be watched for a while. */
  readonly stderr: OutputStream;
  /** Called with what is not fatal: a log that cannot be read, while others can. */
  readonly onProblem: (message: string) => void;
  /** Called with a pod of several containers of which one was chosen by default. */
  readonly onDefault: (pod: DeepReadonly<Pod>, container: string) => void;
}

/** Reads the logs of pods. With labels and `follow`, the logs of pods that come later are added. */
export class LogReader {
  readonly #client: Client;
  readonly #options: LogReaderOptions;
  readonly #merge: LogMerge;
  /** The logs that were opened, by the uid of the pod and the container. */
  readonly #opened = new Set<string>();
  #informer: SharedIndexInformer<Pod> | undefined;
  #running = 0;
  #failed = 0;

  constructor(client: Client, options: LogReaderOptions) {
    this.#client = client;
    this.#options = options;
    this.#merge = new LogMerge(client.clock, options.follow);
  }

  /** How many logs could not be read. */
  get failed(): number {
    return this.#failed;
  }

  async *lines(pods: LogPods, signal: AbortSignal): AsyncGenerator<LogLine, void> {
    using link = linkSignals([signal]);
    const { namespace, stderr } = this.#options;
    const outages = new Outages(stderr, this.#client.clock, () => this.#informer);
    const factory = new SharedInformerFactory(this.#client, {
      namespace,
      onError: (error, { resource, reason }) => outages.tell(resource, error, reason),
    });
    try {
      if ('name' in pods) await this.#openOne(pods.name, link.signal);
      else if (this.#options.follow) await this.#followAll(factory, pods.labelSelector, link.signal);
      else await this.#openAll(pods.labelSelector, link.signal);
      yield* this.#merge.lines();
    } finally {
      link.abort();
      outages.stop();
      await factory.stop();
    }
  }

  async #openOne(name: string, signal: AbortSignal): Promise<void> {
    const pod = await this.#pods.get(name, { signal });
    const containers = chosenContainers(pod, this.#options);
    if (containers.length === 0) {
      const { container = '' } = this.#options;
      throw new CommandError(`pod ${name} has no container '${container}'; it has ${containerNames(pod).join(', ')}`);
    }
    this.#tellDefault(pod, containers);
    for (const container of containers) this.#open(pod, container, signal, containers.length === 1);
    this.#merge.close();
  }

  async #openAll(labelSelector: string, signal: AbortSignal): Promise<void> {
    const { items } = await this.#pods.list({ labelSelector, signal });
    const { container, namespace } = this.#options;
    const logs = items.flatMap((pod) => chosenContainers(pod, this.#options).map((name) => ({ pod, name })));
    if (items.length === 0) {
      throw new CommandError(`there are no pods with the labels ${labelSelector} in namespace ${namespace}`);
    }
    if (logs.length === 0)
      throw new CommandError(`none of the ${items.length} pods has a container '${container ?? ''}'`);
    for (const { pod, name } of logs) this.#open(pod, name, signal, false);
    this.#merge.close();
  }

  /** Opens the logs of pods as their containers start, until the signal aborts. */
  async #followAll(factory: SharedInformerFactory, labelSelector: string, signal: AbortSignal): Promise<void> {
    // An informer would try again for ever: what is wrong from the beginning ends the command.
    await this.#pods.list({ labelSelector, limit: 1, signal });
    this.#informer = factory.core.v1.pods({ labelSelector });
    this.#informer.subscribe(
      ({ type, object }) => {
        if (type === 'delete') return;
        for (const container of chosenContainers(object, this.#options)) {
          if (hasStarted(object, container)) this.#open(object, container, signal, false);
        }
      },
      { signal },
    );
    factory.start();
    onAbort(signal, () => this.#merge.fail(signal.reason));
  }

  /** @param isAlone whether its error ends the command */
  #open(pod: DeepReadonly<Pod>, container: string, signal: AbortSignal, isAlone: boolean): void {
    const { name, uid } = pod.metadata;
    const key = `${uid} ${container}`;
    if (this.#opened.has(key)) return;
    this.#opened.add(key);
    const { maxRequests, follow, lines, onProblem } = this.#options;
    if (this.#running >= maxRequests) {
      onProblem(`${name}/${container} is left out: ${maxRequests} logs are open, see --max-log-requests`);
      this.#failed++;
      return;
    }
    this.#running++;
    const log = containerLog(this.#pods, { name, uid, container }, { ...lines, follow }, this.#client.clock, signal);
    this.#merge.add(this.#reported(log, `${name}/${container}`, isAlone, signal));
  }

  async *#reported(
    log: AsyncGenerator<TimedLine, void>,
    title: string,
    isAlone: boolean,
    signal: AbortSignal,
  ): AsyncGenerator<TimedLine, void> {
    try {
      yield* log;
    } catch (error) {
      if (isAlone || signal.aborted) throw error;
      this.#failed++;
      this.#options.onProblem(`${title}: ${asError(error).message}`);
    } finally {
      this.#running--;
    }
  }

  #tellDefault(pod: DeepReadonly<Pod>, [container = '']: readonly string[]): void {
    const { all, container: wanted, onDefault } = this.#options;
    if (!all && wanted === undefined && containerNames(pod).length > 1) onDefault(pod, container);
  }

  get #pods() {
    return this.#client.core.v1.pods(this.#options.namespace);
  }
}
