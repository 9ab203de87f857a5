import { valueAt } from '../../meta/json-paths.js';
import { isJsonObject } from '../../meta/json-values.js';
import type { OwnerReference } from '../../meta/objects.js';
import { printGroupResource } from '../../meta/resource.js';
import type { InformerSubject, Inventory } from '../inventory.js';
import type { ChangeEntry, HandledEntry, ObjectAnswer, RunEntry, TimelineEntry, WriteEntry } from '../protocol.js';
import { callsOf, type RecordedCall, type RecordedChange } from '../recording/change-log.js';
import type { Recording } from '../recording/recording.js';
import type { RecordedRun } from '../recording/run-recorder.js';
import { differencesOf } from './differences.js';
import { FieldOwners } from './field-managers.js';
import type { ManagedFieldsReader } from './managed-fields-reader.js';
import { type ControllerRuns, Echoes, runsOf, writesTo } from './run-writes.js';
import { isSecret, withoutValues } from './secrets.js';

const mostEntries = 500;

/** What the answers about objects are made of. */
export interface ObjectSource {
  readonly inventory: Inventory;
  readonly recording: Recording;
  readonly managedFields: ManagedFieldsReader;
}

/** One object and what happened to it; undefined if neither the cache nor the recording has it. */
export async function objectAnswer(
  { inventory, recording, managedFields }: ObjectSource,
  subject: InformerSubject,
  key: string,
): Promise<ObjectAnswer | undefined> {
  const { id, informer, client } = subject;
  const { indexer, view, source } = informer.internals;
  const changes = recording.changes.of(source, key);
  const stored = indexer.getByKey(key);
  const item = stored ?? changes.at(-1)?.item;
  if (item === undefined) return undefined;
  const { resource } = informer;
  const object = view.decode(item) as unknown;
  const { object: shown, hidden } = isSecret(resource) ? withoutValues(object) : { object, hidden: [] };
  let from: ObjectAnswer['managersFrom'] = 'cache';
  let managersError: string | undefined;
  let owners = ownersIn(object);
  if (owners === undefined && stored !== undefined) {
    const version = view.accessor.resourceVersion(stored);
    const read = await managedFields.read({ client, resource, id }, key, version);
    owners = read.managedFields === undefined ? undefined : new FieldOwners(read.managedFields);
    from = 'server';
    managersError = read.error;
  }
  const timeline = new Timeline(inventory, recording, subject, key).entries(changes, owners, ownerOf(object));
  return {
    informer: id,
    key,
    kind: view.accessor.kind(item) || (resource.kind ?? resource.resource),
    resource: printGroupResource(resource),
    isPresent: stored !== undefined,
    object: shown ?? null,
    hidden,
    managers: owners?.managers ?? [],
    managersFrom: owners === undefined ? null : from,
    managersError: managersError ?? null,
    timeline: timeline.slice(-mostEntries),
    isCut: timeline.length > mostEntries,
  };
}

/** The owners of fields, if the object was cached with its managed fields. */
function ownersIn(object: unknown): FieldOwners | undefined {
  const managed = isJsonObject(object) ? valueAt(object, ['metadata', 'managedFields']) : undefined;
  return Array.isArray(managed) && managed.length > 0 ? new FieldOwners(managed) : undefined;
}

/** The controller of an object among its owners. */
function ownerOf(object: unknown): Partial<OwnerReference> | undefined {
  const owners = isJsonObject(object) ? valueAt(object, ['metadata', 'ownerReferences']) : undefined;
  if (!Array.isArray(owners)) return undefined;
  return owners.filter(isJsonObject).find((owner) => owner.controller === true) as Partial<OwnerReference> | undefined;
}

/** Puts together what happened to one object. */
class Timeline {
  readonly #inventory: Inventory;
  readonly #recording: Recording;
  readonly #subject: InformerSubject;
  readonly #key: string;

  constructor(inventory: Inventory, recording: Recording, subject: InformerSubject, key: string) {
    this.#inventory = inventory;
    this.#recording = recording;
    this.#subject = subject;
    this.#key = key;
  }

  /** The oldest first. */
  entries(
    changes: readonly RecordedChange[],
    owners: FieldOwners | undefined,
    owner: Partial<OwnerReference> | undefined,
  ): TimelineEntry[] {
    const controllers = runsOf(this.#inventory, this.#recording);
    const runs = controllers.flatMap((controller) => this.#runs(controller, owner));
    const own = new Set(runs.map(({ run }) => run));
    const written = writesTo(this.#subject, this.#key, controllers);
    const ofRuns = runs.flatMap(({ run, host }) => run.writes.map((write) => ({ run, write, host })));
    const echoes = new Echoes(this.#inventory, this.#recording, [...written, ...ofRuns]);
    const echoOf = new Map(
      written.flatMap((write) => {
        const change = echoes.of(write);
        return change === undefined ? [] : [[change, write] as const];
      }),
    );
    const entries: TimelineEntry[] = [...this.#running()];
    for (const change of changes) {
      const echo = echoOf.get(change);
      entries.push(
        changeEntry(
          change,
          owners,
          isSecret(this.#subject.informer.resource),
          echo && {
            controller: echo.run.controller,
            runId: echo.run.id,
            runKey: echo.run.key,
            verb: echo.write.verb,
            afterMs: change.at - echo.write.answeredAt,
          },
        ),
      );
      for (const call of callsOf(change)) entries.push(this.#handledEntry(change, call));
    }
    for (const { run, host } of runs)
      entries.push(
        runEntry(
          run,
          run.writes.map((write) => echoes.print({ run, write, host })),
        ),
      );
    for (const write of written) {
      if (own.has(write.run)) continue;
      const { controller, id: runId, key: runKey } = write.run;
      const entry: WriteEntry = {
        type: 'write',
        controller,
        runId,
        runKey,
        ...echoes.print(write),
        at: write.write.answeredAt,
      };
      entries.push(entry);
    }
    return entries.sort((a, b) => a.at - b.at);
  }

  #handledEntry({ resourceVersion }: RecordedChange, call: RecordedCall): HandledEntry {
    const { subscription, atMs, lagMicros, durationMicros, error } = call;
    return {
      type: 'handled',
      at: this.#recording.changes.since + atMs,
      handler: this.#inventory.handlerId(subscription) ?? '',
      name: subscription.name,
      resourceVersion,
      lagMs: Math.max(0, lagMicros) / 1000,
      durationMs: durationMicros / 1000,
      error: error ?? null,
    };
  }

  /** The runs of the object itself, and those of its owner that it caused. */
  #runs(
    { informer, group, kind, host, runs }: ControllerRuns,
    owner: Partial<OwnerReference> | undefined,
  ): { readonly run: RecordedRun; readonly host: string }[] {
    const { id, informer: own } = this.#subject;
    const isOwn = informer === id;
    const isOwner =
      owner !== undefined &&
      owner.kind === kind &&
      (owner.apiVersion ?? '').split('/').slice(0, -1).join('/') === group;
    if (!isOwn && !isOwner) return [];
    const slash = this.#key.indexOf('/');
    const ownerKeys = isOwner ? [`${this.#key.slice(0, slash + 1)}${owner.name}`, `${owner.name}`] : [];
    const prefix = `${own.resource.resource} `;
    return [...runs]
      .filter(
        ({ key, causes }) =>
          (isOwn && key === this.#key) || (ownerKeys.includes(key) && causes.some((cause) => cause.startsWith(prefix))),
      )
      .map((run) => ({ run, host }));
  }

  /** The run of the object that is in progress. */
  *#running(): IterableIterator<RunEntry> {
    for (const { member } of this.#inventory.controllers) {
      const { instance } = member;
      if ((instance.informer as unknown) !== this.#subject.informer) continue;
      for (const { controller, key, id, what, causes, attempt, startedAt: at } of instance.keys.running) {
        if (key !== this.#key) continue;
        const open = { durationMs: null, outcome: null, error: null, againInMs: null, writes: [] };
        yield { type: 'run', at, key, controller, id, what, causes, attempt, ...open };
      }
    }
  }
}

function changeEntry(
  change: RecordedChange,
  owners: FieldOwners | undefined,
  isOfSecret: boolean,
  echoOf: ChangeEntry['echoOf'] | undefined,
): ChangeEntry {
  const { type, at, resourceVersion, isFromList, view, item, old } = change;
  const isUpdate = type === 'update' && old !== undefined;
  const [before, after] = isUpdate ? [view.decode(old) as unknown, view.decode(item) as unknown] : [];
  const { fields, isCut } = isUpdate ? differencesOf(before, after, isOfSecret) : { fields: [], isCut: false };
  const then = ownersIn(after);
  const exact = then?.changedSince(ownersIn(before) ?? new FieldOwners([]));
  const named = fields.map(({ steps, ...field }) => ({
    ...field,
    manager: (then ?? owners)?.ownerOf(steps) ?? null,
  }));
  const managers = exact ?? [...new Set(named.flatMap(({ manager }) => manager ?? []))];
  return {
    type: 'change',
    at,
    change: type,
    resourceVersion,
    isFromList,
    fields: named,
    isCut,
    managers,
    echoOf: echoOf ?? null,
  };
}

function runEntry(run: RecordedRun, writes: RunEntry['writes']): RunEntry {
  const { key, controller, id, what, causes, attempt, startedAt, durationMs, outcome, error, againInMs } = run;
  return {
    type: 'run',
    at: startedAt,
    key,
    controller,
    id,
    what,
    causes,
    attempt,
    durationMs,
    outcome,
    error: error ?? null,
    againInMs: againInMs ?? null,
    writes,
  };
}
