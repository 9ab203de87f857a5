/** The way of the data, as eight stages in a row: what the picture shows of each. */
import type { Problem, ProblemKind, Snapshot } from '../protocol.js';
import { count, duration, plural, rate } from './format.js';
import { type Health, worst } from './health.js';
import { total } from './history.js';

/** One stage of the picture. */
export interface FlowStage {
  readonly name: string;
  /** The folder of the source that does it, as in the map of the architecture. */
  readonly about: string;
  readonly health: Health;
  readonly rate: number;
  /** What `rate` counts per second. */
  readonly unit: string;
  /** State, depth, lag and errors: a name, a text, and whether it is bad. */
  readonly lines: readonly FlowLine[];
}

export interface FlowLine {
  readonly name: string;
  readonly text: string;
  readonly isBad: boolean;
}

/** The problems of an informer that are about its reflector; the others are about its store. */
const ofReflectors: readonly ProblemKind[] = ['unsynced', 'deaf', 'stale'];

/** The stages of a snapshot, in the order of the data. */
export function flowOf(snapshot: Snapshot): readonly FlowStage[] {
  const { servers, informers, handlers, queues, controllers, problems } = snapshot;
  const [ofServers, ofInformers, ofHandlers] = [total(servers), total(informers), total(handlers)];
  const [ofQueues, ofControllers] = [total(queues), total(controllers)];
  const watching = informers.filter(({ state }) => state === 'watching').length;
  const staleness = greatest(informers, ({ stalenessMs }) => stalenessMs);
  const skipped = sum(informers, (informer) => informer.skipped);
  const failing = sum(controllers, (controller) => controller.failing);
  const workers = sum(controllers, (controller) => controller.workers);
  const writes = sum(servers, ({ writeRate }) => writeRate);
  const throttled = sum(servers, (server) => server.throttled);
  const retries = sum(servers, (server) => server.retries);
  return [
    {
      name: 'Server',
      about: plural(servers.length, 'API server'),
      health: worst(servers.map(({ health }) => health)),
      rate: ofServers.rate,
      unit: 'requests/s',
      lines: [
        line('watches', count(sum(servers, ({ watches }) => watches))),
        lag('answer', ofServers.lagMs),
        errors(servers, ofServers.errors),
      ],
    },
    {
      name: 'Reflector',
      about: 'lists and watches',
      health: healthOf(problems, informers, (kind) => ofReflectors.includes(kind)),
      rate: ofInformers.rate,
      unit: 'changes/s',
      lines: [
        line('watching', `${watching} of ${informers.length}`, watching < informers.length),
        line('staleness', duration(staleness)),
        errors(informers, ofInformers.errors),
      ],
    },
    {
      name: 'Queue',
      about: 'deltas, in order',
      health: healthOf(problems, informers, (kind) => kind === 'growingQueue'),
      rate: ofInformers.rate,
      unit: 'deltas/s',
      lines: [line('depth', count(ofInformers.depth)), lag('batch', ofInformers.lagMs)],
    },
    {
      name: 'Store',
      about: plural(informers.length, 'cache'),
      health: healthOf(problems, informers, (kind) => !ofReflectors.includes(kind) && kind !== 'growingQueue'),
      rate: ofInformers.rate,
      unit: 'changes/s',
      lines: [
        line('objects', count(sum(informers, ({ objects }) => objects))),
        line('unreadable', count(skipped), skipped > 0),
      ],
    },
    {
      name: 'Handlers',
      about: plural(handlers.length, 'handler'),
      health: worst(handlers.map(({ health }) => health)),
      rate: ofHandlers.rate,
      unit: 'calls/s',
      lines: [
        line('pending', count(ofHandlers.depth)),
        lag('lag', ofHandlers.lagMs),
        errors(handlers, ofHandlers.errors),
      ],
    },
    {
      name: 'Work queues',
      about: plural(queues.length, 'queue'),
      health: worst(queues.map(({ health }) => health)),
      rate: ofQueues.rate,
      unit: 'adds/s',
      lines: [
        line('depth', count(ofQueues.depth)),
        lag('wait', ofQueues.lagMs),
        line('retries/s', rate(sum(queues, ({ retryRate }) => retryRate))),
      ],
    },
    {
      name: 'Reconciles',
      about: plural(controllers.length, 'controller'),
      health: worst(controllers.map(({ health }) => health)),
      rate: ofControllers.rate,
      unit: 'runs/s',
      lines: [
        line('running', `${ofControllers.depth} of ${workers}`),
        lag('longest', ofControllers.lagMs),
        line('failing', plural(failing, 'key'), failing > 0),
      ],
    },
    {
      name: 'Writes',
      about: 'to the server',
      health: healthOf(problems, servers, (kind) => kind === 'denied'),
      rate: writes,
      unit: 'writes/s',
      lines: [line('throttled', count(throttled), throttled > 0), line('retries', count(retries), retries > 0)],
    },
  ];
}

const line = (name: string, text: string, isBad = false): FlowLine => ({ name, text, isBad });
const lag = (name: string, lagMs: number | null) => line(name, lagMs === null ? '–' : duration(lagMs));

/** Failures since the recording began; bad if there was one in the last second. */
function errors(stages: readonly { readonly errorsTotal: number }[], now: number): FlowLine {
  return line('errors', count(sum(stages, ({ errorsTotal }) => errorsTotal)), now > 0);
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((all, item) => all + of(item), 0);
}

function greatest<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((most, item) => Math.max(most, of(item)), 0);
}

/** The worst problem of some kinds that these stages have. */
function healthOf(
  problems: readonly Problem[],
  stages: readonly { readonly id: string }[],
  isMeant: (kind: ProblemKind) => boolean,
): Health {
  const ids = new Set(stages.map(({ id }) => id));
  return worst(
    problems
      .filter(({ stage, kind }) => stage !== null && ids.has(stage) && isMeant(kind))
      .map(({ severity }) => severity),
  );
}
