import { randomBytes } from 'node:crypto';
import { ControllerManager, type Manager } from '../controller/manager/manager.js';
import { SharedInformerFactory } from '../informers/shared-informer-factory.js';
import type { Abortable } from '../meta/objects.js';
import { abortableNames, checkOptions, type OptionNames } from '../meta/options/known-options.js';
import { optionError, requireInteger, requireObject, requireSignal, requireString } from '../meta/options/validate.js';
import { isLoopback } from '../rest/http/host.js';
import { ownHosts } from '../rest/http/own-hosts.js';
import type { Clock } from '../time/clock.js';
import { realClock } from '../time/real-clock.js';
import { onAbort } from '../time/signals.js';
import { Inspection } from './inspection.js';
import type { Inspected, QueueLike } from './inventory.js';
import { PageFiles } from './page-files.js';
import { Access } from './server/access.js';
import { InspectorServer } from './server/inspector-server.js';
import { eventText, Viewers } from './server/viewers.js';

/** What an inspector shows, and where. At least one of `factory`, `manager` and `queues` is set. */
export interface InspectorOptions extends Abortable {
  /** Shows the informers of a factory, or of several. @default none */
  readonly factory?: SharedInformerFactory | readonly SharedInformerFactory[] | undefined;
  /** Shows a manager, or several: their controllers, caches and queues. @default none */
  readonly manager?: Manager | readonly Manager[] | undefined;
  /** Shows work queues, which must have names. Those of controllers need not be named here. @default [] */
  readonly queues?: readonly { readonly name: string | undefined; readonly length: number }[] | undefined;
  /** @default any free one */
  readonly port?: number | undefined;
  /** The address to listen on. With another than a loopback address, a token is asked for. @default '127.0.0.1' */
  readonly host?: string | undefined;
  /**
   * What a page must know to read: at least 16 letters, digits, `-` and `_`. `inspector.url` has it.
   * @default none on a loopback address, else a random one
   */
  readonly token?: string | undefined;
  /** Names in the address of the page besides loopback names and `host`, as of a proxy. @default [] */
  readonly allowedHosts?: readonly string[] | undefined;
}

const inspectorNames: OptionNames<InspectorOptions> = {
  ...abortableNames,
  factory: true,
  manager: true,
  queues: true,
  port: true,
  host: true,
  token: true,
  allowedHosts: true,
};

/** A running inspector. It does not keep the process alive. */
export interface Inspector extends AsyncDisposable {
  /** The address of the page, with the token if one is asked for. */
  readonly url: string;
  /** Closes the page's connections and the port. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Serves a page that shows what the informers, handlers, queues and controllers of this process do. While no page is open, it listens to no
 * channel and costs nothing. It changes nothing, and never sends the values of Secrets.
 *
 * @example
 * const inspector = await startInspector({ factory, manager, signal });
 * console.log(`inspector: ${inspector.url}`);
 */
export async function startInspector(options: InspectorOptions): Promise<Inspector> {
  requireObject('options', options, 'an object with factory, manager or queues');
  checkOptions('startInspector', options, inspectorNames);
  const { host = '127.0.0.1', port = 0 } = options;
  requireInteger('port', port, 0, 65_535);
  requireString('host', host);
  const signal = requireSignal('signal', options.signal);
  const inspected = inspectedOf(options);
  const isOwnHost = ownHosts(options);
  const token = tokenOf(options.token, isLoopback(host));
  const viewers = new Viewers((count) => inspection.setViewers(count));
  const inspection: Inspection = new Inspection({
    ...inspected,
    clock: clockOf(inspected),
    onSnapshot: (snapshot) => viewers.send(eventText('snapshot', snapshot)),
  });
  const server = new InspectorServer({
    api: {
      history: () => inspection.history,
      search: (query) => inspection.search(query),
      object: (informer, key) => inspection.object(informer, key),
      controllers: () => inspection.controllers(),
      memory: () => inspection.memory(),
    },
    files: new PageFiles(),
    viewers,
    access: (chosen) => {
      const cookie = `kubeflect-inspector-${chosen}`;
      return { access: new Access({ isOwnHost, token, cookie }), cookie };
    },
  });
  signal?.throwIfAborted();
  const chosen = await server.listen(host, port);
  let stopped: Promise<void> | undefined;
  let undo = (): void => {};
  const stop = (): Promise<void> => {
    if (stopped === undefined) {
      undo();
      stopped = server.close().then(() => inspection.close());
    }
    return stopped;
  };
  undo = onAbort(signal, () => void stop());
  const name = host.includes(':') ? `[${host}]` : host;
  const url = `http://${name}:${chosen}/${token === undefined ? '' : `?token=${token}`}`;
  return { url, stop, [Symbol.asyncDispose]: stop };
}

function inspectedOf({ factory, manager, queues = [] }: InspectorOptions): Inspected {
  const factories = listOf(factory);
  const managers = listOf(manager);
  if (factories.length + managers.length === 0 && (!Array.isArray(queues) || queues.length === 0))
    throw new TypeError('startInspector needs a factory, a manager or queues to show');
  for (const one of factories)
    if (!(one instanceof SharedInformerFactory)) throw optionError('factory', 'a SharedInformerFactory', one);
  for (const one of managers)
    if (!(one instanceof ControllerManager)) throw optionError('manager', 'what createManager returned', one);
  if (!Array.isArray(queues)) throw optionError('queues', 'an array of work queues', queues);
  for (const queue of queues as readonly QueueLike[]) {
    requireObject('queues', queue, 'an array of work queues');
    if (typeof queue.name !== 'string' || queue.name === '')
      throw new TypeError(
        'a queue to inspect must have a name, because queues publish under their names: set the option name',
      );
  }
  return { factories, managers: managers as readonly ControllerManager[], queues };
}

function listOf<V>(value: V | readonly V[] | undefined): readonly V[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? (value as readonly V[]) : [value as V];
}

/** The clock of what is inspected, so that durations and dates agree. */
function clockOf({ factories, managers }: Inspected): Clock {
  return factories[0]?.client.clock ?? managers[0]?.client.clock ?? realClock;
}

function tokenOf(token: string | undefined, isLocal: boolean): string | undefined {
  if (token === undefined) return isLocal ? undefined : randomBytes(24).toString('base64url');
  if (typeof token !== 'string' || !/^[\w-]{16,}$/.test(token))
    throw new TypeError('token must be at least 16 letters, digits, - and _');
  return token;
}
