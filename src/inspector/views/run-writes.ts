import type { RunWrite as SentWrite } from '../../controller/environment.js';
import { printGroupResource } from '../../meta/resource.js';
import { hostOf, type InformerSubject, type Inventory } from '../inventory.js';
import type { RunWrite } from '../protocol.js';
import type { RecordedChange } from '../recording/change-log.js';
import type { Recording } from '../recording/recording.js';
import type { RecordedRun } from '../recording/run-recorder.js';

/** A write of a run, and the server that it was sent to. */
interface WriteOf {
  readonly run: RecordedRun;
  readonly write: SentWrite;
  readonly host: string;
}

/** The runs of one controller that are recorded, oldest first. */
export interface ControllerRuns {
  /** The id of the informer of its own kind; undefined if that is not inspected. */
  readonly informer: string | undefined;
  readonly group: string;
  readonly kind: string | undefined;
  readonly host: string;
  readonly runs: Iterable<RecordedRun>;
}

/** The recorded runs of all controllers. */
export function runsOf(inventory: Inventory, recording: Recording): readonly ControllerRuns[] {
  return inventory.controllers.map(({ member }): ControllerRuns => {
    const { instance, cluster, resource } = member;
    const host = hostOf(cluster);
    const informer = inventory.informersOf(printGroupResource(resource), host)[0]?.id;
    const runs = recording.runs.controllers.get(instance.name)?.runs ?? [];
    return { informer, group: resource.group, kind: resource.kind, host, runs };
  });
}

/** The writes of recorded runs to one object, oldest first. */
export function writesTo(
  { informer, client }: InformerSubject,
  key: string,
  controllers: readonly ControllerRuns[],
): readonly WriteOf[] {
  const resource = printGroupResource(informer.resource);
  const found: WriteOf[] = [];
  for (const { host, runs } of controllers) {
    if (host !== hostOf(client)) continue;
    for (const run of runs)
      for (const write of run.writes)
        if (write.key === key && resourceOf(write) === resource) found.push({ run, write, host });
  }
  return found;
}

/** Finds the changes of caches that writes came back as. */
export class Echoes {
  readonly #inventory: Inventory;
  readonly #recording: Recording;
  /** The changes of the objects of all writes, by informer, key and version. */
  readonly #changes = new Map<string, RecordedChange>();
  readonly #deletions = new Map<string, RecordedChange[]>();

  /** Looks for the echoes of these writes, in one pass over the changes of each informer. */
  constructor(inventory: Inventory, recording: Recording, writes: Iterable<WriteOf>) {
    this.#inventory = inventory;
    this.#recording = recording;
    const wanted = new Map<InformerSubject['id'], { readonly subject: InformerSubject; readonly keys: Set<string> }>();
    for (const { write, host } of writes) {
      for (const subject of inventory.informersOf(resourceOf(write), host)) {
        const known = wanted.get(subject.id);
        if (known === undefined) wanted.set(subject.id, { subject, keys: new Set([write.key]) });
        else known.keys.add(write.key);
      }
    }
    for (const { subject, keys } of wanted.values()) this.#find(subject, keys);
  }

  #find({ id, informer }: InformerSubject, keys: ReadonlySet<string>): void {
    for (const change of this.#recording.changes.all(informer.internals.source)) {
      if (!keys.has(change.key)) continue;
      const object = `${id} ${change.key}`;
      this.#changes.set(`${object} ${change.resourceVersion}`, change);
      if (change.type !== 'delete') continue;
      const deletions = this.#deletions.get(object);
      if (deletions === undefined) this.#deletions.set(object, [change]);
      else deletions.push(change);
    }
  }

  /** The change that a write came back as, in one of the informers of its resource. */
  of({ run, write, host }: WriteOf): RecordedChange | undefined {
    for (const { id } of this.#inventory.informersOf(resourceOf(write), host)) {
      const object = `${id} ${write.key}`;
      const change =
        write.resourceVersion === undefined
          ? this.#deletions.get(object)?.find(({ at }) => write.verb === 'delete' && at >= run.startedAt)
          : this.#changes.get(`${object} ${write.resourceVersion}`);
      if (change !== undefined) return change;
    }
    return undefined;
  }

  /** The write as it is sent to the page. */
  print(of: WriteOf): RunWrite {
    const { write, host } = of;
    const echo = this.of(of);
    return {
      at: write.answeredAt,
      verb: write.verb,
      resource: write.resource,
      key: write.key,
      changed: write.changed,
      resourceVersion: write.resourceVersion ?? null,
      informer: this.#inventory.informersOf(resourceOf(write), host)[0]?.id ?? null,
      echoMs: echo === undefined ? null : echo.at - write.answeredAt,
    };
  }
}

/** The resource of a write, without its subresource. */
function resourceOf({ resource }: SentWrite): string {
  const slash = resource.indexOf('/');
  return slash < 0 ? resource : resource.slice(0, slash);
}
