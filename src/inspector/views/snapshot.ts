import type { ControllerKeys } from '../../controller/environment.js';
import { printGroupResource } from '../../meta/resource.js';
import {
  type ControllerSubject,
  type HandlerSubject,
  hostOf,
  type InformerSubject,
  type Inventory,
  type QueueSubject,
} from '../inventory.js';
import type {
  ControllerStage,
  HandlerStage,
  InformerStage,
  ProcessState,
  QueueStage,
  ServerStage,
  Snapshot,
} from '../protocol.js';
import { errorText } from '../recording/error-text.js';
import { type Measured, nothingMeasured } from '../recording/meter.js';
import type { Recording } from '../recording/recording.js';
import type { ProblemTracker } from './problems.js';

/** The failing keys of a controller that a problem names. */
const mostFailing = 10;

/** What a snapshot is made of, besides the stages. */
export interface SnapshotSource {
  readonly inventory: Inventory;
  readonly recording: Recording;
  readonly problems: ProblemTracker;
  readonly viewers: number;
  readonly lingerMs: number;
  readonly now: number;
  /** The seconds since the last snapshot. */
  readonly seconds: number;
}

/** The state of all stages. Takes the numbers that were counted since the last snapshot. */
export function takeSnapshot(source: SnapshotSource): Snapshot {
  const { inventory, recording, now, seconds } = source;
  const { changes } = recording;
  const subjects = inventory.informers;
  const taken = new Stages(inventory, recording, seconds);
  const informers = subjects.map((subject) => taken.informer(subject));
  const handlers = subjects.flatMap((subject) => inventory.handlersOf(subject)).map((one) => taken.handler(one));
  const queues = inventory.queues.map((subject) => taken.queue(subject));
  const controllers = inventory.controllers.map((subject) => taken.controller(subject));
  const hosts = new Set([...subjects.map(({ client }) => hostOf(client)), ...recording.servers.servers.names]);
  const servers = [...hosts].map((host) => taken.server(host, informers));
  const snapshot: Snapshot = {
    at: now,
    recording: {
      since: recording.since,
      viewers: source.viewers,
      lingerMs: source.lingerMs,
      changes: changes.size,
      oldestChangeAt: changes.oldestAt ?? null,
      bytes: changes.bytes,
      maxBytes: changes.mostBytes,
    },
    process: processState(source),
    servers,
    informers,
    handlers,
    queues,
    controllers,
    problems: [],
  };
  const failing = new Map(inventory.controllers.map(({ id, member }) => [id, someFailing(member.instance.keys)]));
  return source.problems.judge(snapshot, { denials: recording.servers.denials, failing });
}

/** Some of the keys of a controller whose last run failed. */
function someFailing({ unsettled }: ControllerKeys): { readonly key: string; readonly why: string }[] {
  const found: { readonly key: string; readonly why: string }[] = [];
  for (const [key, { outcome, why }] of unsettled) {
    if (found.length === mostFailing) break;
    if (outcome !== 'waiting') found.push({ key, why: errorText(why) });
  }
  return found;
}

function processState({ inventory, recording, seconds, now }: SnapshotSource): ProcessState {
  const names = inventory.managers.map(({ name }) => name);
  return {
    pid: process.pid,
    name: names.length > 0 ? names.join(', ') : process.title,
    startedAt: now - process.uptime() * 1000,
    node: process.version,
    ...recording.takeLoad(seconds),
    ...recording.takeMemory(),
  };
}

/** Makes the stages of one snapshot. */
class Stages {
  readonly #inventory: Inventory;
  readonly #recording: Recording;
  readonly #seconds: number;
  readonly #controllersByName: ReadonlyMap<string, string>;

  constructor(inventory: Inventory, recording: Recording, seconds: number) {
    this.#inventory = inventory;
    this.#recording = recording;
    this.#seconds = seconds;
    this.#controllersByName = new Map(
      inventory.controllers.map(({ id, member }) => [`controller ${member.instance.name}`, id]),
    );
  }

  server(host: string, informers: readonly InformerStage[]): ServerStage {
    const id = this.#inventory.serverId(host);
    const meter = this.#recording.servers.servers.get(host);
    return {
      id,
      name: host === '' ? 'in memory' : host,
      health: 'ok',
      ...(meter?.take(this.#seconds) ?? nothingMeasured),
      depth: 0,
      host,
      writeRate: meter?.writes.take(this.#seconds) ?? 0,
      watches: informers.filter((informer) => informer.server === id && informer.state === 'watching').length,
      retries: meter?.retries ?? 0,
      throttled: meter?.throttled ?? 0,
    };
  }

  informer({ id, informer, client }: InformerSubject): InformerStage {
    const { resource, name, hasSynced, status } = informer;
    const { source, queued } = informer.internals;
    const meter = this.#recording.informers.informer(source);
    const { lastError } = status;
    return {
      id,
      name,
      health: 'ok',
      ...meter.take(this.#seconds),
      depth: queued,
      server: this.#inventory.serverId(hostOf(client)),
      group: resource.group,
      version: resource.version,
      resource: resource.resource,
      kind: resource.kind ?? null,
      state: status.state,
      hasSynced,
      resourceVersion: informer.resourceVersion,
      stalenessMs: status.stalenessMs,
      lastEventAt: status.lastEventAt ?? null,
      lastBookmarkAt: status.lastBookmarkAt ?? null,
      consecutiveFailures: status.consecutiveFailures,
      lastError: lastError === undefined ? null : errorText(lastError),
      objects: informer.lister.count(),
      listed: status.listed,
      skipped: status.skipped.keys.length + status.skipped.withoutKey,
      relists: meter.relists,
    };
  }

  handler({ id, informer, subscription }: HandlerSubject): HandlerStage {
    const { name, pending, hasSynced, runningMs, queue } = subscription;
    const meter = this.#recording.informers.handler(subscription);
    const controller = this.#controllersByName.get(name);
    return {
      id,
      name,
      health: 'ok',
      ...meter.take(this.#seconds),
      depth: pending,
      informer,
      to: controller ?? (queue === undefined ? null : this.#inventory.queueId(queue)),
      ...meter.takeCalls(this.#seconds),
      runningMs: runningMs ?? null,
      hasSynced,
    };
  }

  queue({ id, queue, controller }: QueueSubject): QueueStage {
    const meter = this.#recording.queues.queues.get(queue.name);
    const measured: Measured = meter?.take(this.#seconds) ?? nothingMeasured;
    return {
      id,
      name: queue.name,
      health: 'ok',
      ...measured,
      depth: queue.length,
      controller: controller ?? null,
      retryRate: meter?.retries.take(this.#seconds) ?? 0,
      takenRate: meter?.taken.take(this.#seconds) ?? 0,
      processing: queue.processing,
      hottest: meter?.hot.take(this.#seconds) ?? [],
    };
  }

  controller({ id, manager, member }: ControllerSubject): ControllerStage {
    const { instance, workers, isActive, cluster, resource } = member;
    const meter = this.#recording.runs.controllers.of(instance.name);
    const { running, waiting, failing } = instance.status;
    const host = hostOf(cluster);
    const { informer } = instance;
    const own = informer && this.#inventory.informers.find((subject) => (subject.informer as unknown) === informer);
    return {
      id,
      name: instance.name,
      health: 'ok',
      ...meter.take(this.#seconds),
      depth: running,
      manager: manager.name,
      queue: this.#inventory.queueId(instance.queue),
      informer: own?.id ?? this.#inventory.informersOf(printGroupResource(resource), host)[0]?.id ?? null,
      writesTo: this.#inventory.serverId(host),
      workers,
      waiting,
      failing: failing.length,
      isActive,
      outcomes: { ...meter.outcomes },
      writeRate: meter.writes.take(this.#seconds),
      skippedApplies: meter.skippedApplies,
    };
  }
}
