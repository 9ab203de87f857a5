import type { EventDetails, EventRecorder } from '../../events/index.js';
import {
  type Client,
  type DeepReadonly,
  isConflict,
  isForbidden,
  isInvalid,
  isNotFound,
  type KubernetesObject,
  LeadershipLostError,
  type Resource,
  TerminalError,
} from '../../index.js';
import { hasStatusCause, someError } from '../../meta/errors/error-predicates.js';
import { asError } from '../../meta/errors/errors.js';
import { formatKey, splitKey } from '../../meta/key.js';
import { describeValue, optionError } from '../../meta/options/validate.js';
import { printGroupResource } from '../../meta/resource.js';
import type { Timer } from '../../time/clock.js';
import { linkSignals, timeoutError } from '../../time/signals.js';
import type { ControllerDefinition } from '../controller.js';
import type { ControllerEnvironment, RunOutcome, RunStart, RunWrite } from '../environment.js';
import { addFinalizer, finalizersAfter, hasFinalizer, removeFinalizer } from '../finalizers.js';
import type { ObjectState } from '../object-state.js';
import type { ControllerContext, Result } from '../types.js';
import type { UsedCache } from '../wakes/used-cache.js';
import type { UsedCaches } from '../wakes/used-caches.js';
import { digestOf } from './digest.js';
import { isOwnChange, type OwnWrite } from './echo.js';
import { containsJson, equalJson } from './json-equal.js';
import type { OtherClusters } from './other-clusters.js';
import { OwnedObjects, type OwningRun } from './owned-objects.js';
import { RecordingClient, type SentWrite, type WriteScope } from './recording-client.js';
import { composeStatus, readyConditionOf, statusOf } from './status.js';

/** What all runs of a controller share. */
export interface RunHost<T extends KubernetesObject> {
  readonly definition: ControllerDefinition<T>;
  readonly environment: ControllerEnvironment;
  /** The cluster of `for` and `owns`. */
  readonly cluster: Client;
  readonly caches: UsedCaches<T>;
  readonly fieldManager: string;
  /** Whether conditions of the kind have `observedGeneration`. */
  readonly hasObservedGeneration: boolean;
  readonly recorder: EventRecorder;
  readonly others: OtherClusters;
}

/** What a run is about. */
export interface RunInput {
  readonly key: string;
  readonly id: string;
  readonly causes: readonly string[];
  readonly attempt: number;
  readonly state: ObjectState;
}

/** How a run ended. */
export interface RunEnding {
  readonly outcome: RunOutcome;
  /** The time that the result asked for, with `requeued`. */
  readonly requeueAfterMs: number | undefined;
  /** What the run waits for, with `waiting`. */
  readonly waiting?: string | undefined;
  /** What went wrong, the run's own error first; empty if nothing did. */
  readonly errors: readonly unknown[];
  /** Whether it failed because it had read an old version. */
  readonly isConflict: boolean;
  readonly threwSynchronously: boolean;
}

/** How long the writes after a run may take: status and finalizer. They must not end with the run's signal. */
const finishMs = 30_000;

/** One run of one object: calls reconcile or finalize, and then writes the status. */
export class Run<T extends KubernetesObject> implements WriteScope, OwningRun<T> {
  readonly key: string;
  readonly state: ObjectState;
  readonly start: RunStart;
  /** On the monotonic clock. */
  readonly startedAt: number;
  readonly writes: RunWrite[] = [];
  /** When the signal was aborted, on the monotonic clock. */
  abortedAt: number | undefined;
  timedOut = false;
  /** Whether reconcile or finalize was called. */
  called = false;
  /** Whether that call has ended. */
  hasReturned = false;
  #what: RunStart['what'] = 'reconcile';
  readonly #host: RunHost<T>;
  /** Made when the signal is first read: most runs end without, and it is the costliest part of one that sends nothing. */
  #abort: AbortController | undefined;
  #abortReason: Error | undefined;
  readonly #clients = new Map<Client, Client>();
  #timer: Timer | undefined;
  #objects: OwnedObjects<T> | undefined;
  #object: DeepReadonly<T>;
  /** The object as the server answered last. */
  #known: DeepReadonly<T>;
  #said: DeepReadonly<object> | undefined;
  /** Caches of other clusters that did not have the writes of the runs before when this one began. */
  readonly #late: ReadonlySet<UsedCache<unknown>> | undefined;
  #onHeldUp: ((why: 'waits') => void) | undefined;
  #threwSynchronously = false;

  /** @param object the object as it is cached */
  constructor(host: RunHost<T>, input: RunInput, object: DeepReadonly<T>) {
    const { definition, environment } = host;
    this.#host = host;
    this.key = input.key;
    this.state = input.state;
    this.#object = object;
    this.#known = object;
    this.#late = input.state.writes.isEmpty ? undefined : input.state.writes.behind;
    this.startedAt = environment.clock.monotonicNow();
    const { key, id, causes, attempt } = input;
    const isDeleted = object.metadata.deletionTimestamp !== undefined;
    this.#what = isDeleted ? 'finalize' : 'reconcile';
    const startedAt = environment.clock.now();
    this.start = { controller: definition.name, key, id, what: this.#what, causes, attempt, startedAt };
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      if (this.#abortReason !== undefined) this.#abort.abort(this.#abortReason);
    }
    return this.#abort.signal;
  }

  get fieldManager(): string {
    return this.#host.fieldManager;
  }

  get cluster(): Client {
    return this.#host.cluster;
  }

  get caches(): UsedCaches<T> {
    return this.#host.caches;
  }

  /** The object that the run works on. */
  get object(): DeepReadonly<T> {
    return this.#object;
  }

  applySkipped(): void {
    const { definition, environment } = this.#host;
    environment.observer?.applySkipped?.(definition.name, this.key);
  }

  giveWorkerBack(): void {
    if (!this.hasReturned) this.#onHeldUp?.('waits');
  }

  /** Ends the run early. Its function should stop, and its status is still written. */
  abort(reason: Error): void {
    if (this.abortedAt !== undefined) return;
    this.abortedAt = this.#host.environment.clock.monotonicNow();
    this.#abortReason = reason;
    this.#abort?.abort(reason);
  }

  /**
   * Never rejects. Undefined if there was nothing to do for the object.
   *
   * @param onHeldUp called when the run should hold no worker any longer: it was aborted, or waits for a slow cluster
   */
  async execute(onHeldUp: (why: 'aborted' | 'waits') => void): Promise<RunEnding | undefined> {
    const { definition, environment } = this.#host;
    this.#onHeldUp = onHeldUp;
    const { timeoutMs } = definition;
    this.#timer = environment.clock.setTimer(timeoutMs, () => {
      this.timedOut = true;
      this.abort(timeoutError(`the run of ${this.key} by ${definition.name} took more than ${timeoutMs} ms`));
      onHeldUp('aborted');
    });
    let ending: RunEnding | undefined;
    try {
      if (!(await this.#prepare())) return undefined;
      ending = this.#endingOf(await this.#call());
    } catch (error) {
      // Its finalizer could not be written: the end of this run is told, so its start is too.
      if (!this.called) environment.observer?.runStarted?.(this.start);
      ending = this.#endingOfFailed(error);
    }
    this.hasReturned = true;
    this.#timer.cancel();
    try {
      const isFinalized = this.#what === 'finalize' && ending.outcome === 'done';
      const status = isFinalized || ending.isConflict ? undefined : this.#statusToWrite(ending);
      if (status !== undefined || isFinalized) await this.#finish(status, isFinalized);
    } catch (error) {
      ending = this.#withFinishError(ending, error);
    }
    if (ending.outcome === 'done') this.#objects?.forgetOthers();
    return ending;
  }

  /** After this, the functions of the context throw. */
  close(): void {
    this.#timer?.cancel();
    this.#closed = true;
  }
  #closed = false;

  // ── before the function ────────────────────────────────────────────────────────────────────────────────────────────

  /** Stores or removes the finalizer. Returns whether reconcile or finalize is to be called. */
  #prepare(): boolean | Promise<boolean> {
    const { definition } = this.#host;
    const isDeleted = this.#what === 'finalize';
    const isHeld = hasFinalizer(this.#object as DeepReadonly<KubernetesObject>, definition.finalizer);
    if (definition.finalize === undefined) {
      return isHeld ? this.#removeLeftFinalizer().then(() => !isDeleted) : !isDeleted;
    }
    if (isDeleted) return isHeld;
    return isHeld || this.#writeFinalizer('add').then(() => true);
  }

  /** Removes the finalizer that an earlier version of the controller has stored: nothing else would ever do it. */
  async #removeLeftFinalizer(): Promise<void> {
    try {
      await this.#writeFinalizer('remove');
    } catch (error) {
      if (!isForbidden(error)) throw error;
      const { name, finalizer, for: resource } = this.#host.definition;
      const what = `the finalizer ${finalizer}, which an earlier version of ${name} with finalize has left on ${this.key}`;
      const remedy = `add patch of ${printGroupResource(resource)} to the option permissions until no object has it`;
      throw new Error(`${name} may not remove ${what}: ${remedy}`, { cause: error });
    }
  }

  async #writeFinalizer(how: 'add' | 'remove', signal?: AbortSignal): Promise<void> {
    const { definition, cluster, fieldManager } = this.#host;
    const { namespace } = splitKey(this.key);
    const client = this.clientOf(cluster, signal).forResource(definition.for, namespace);
    const change = how === 'add' ? addFinalizer : removeFinalizer;
    const known = this.#known;
    const answer = await change(client, known, definition.finalizer, { fieldManager });
    const finalizers = finalizersAfter(how, known as DeepReadonly<KubernetesObject>, definition.finalizer);
    this.#noteOwnWrite(answer, known, { finalizers });
    this.#object = answer as DeepReadonly<T>;
  }

  // ── the function ───────────────────────────────────────────────────────────────────────────────────────────────────

  #call(): Result | Promise<Result> {
    const { definition, environment } = this.#host;
    this.called = true;
    environment.observer?.runStarted?.(this.start);
    const context = this.#context();
    try {
      return this.#what === 'finalize'
        ? definition.finalize?.(this.#object, context)
        : definition.reconcile(this.#object, context);
    } catch (error) {
      this.#threwSynchronously = true;
      throw error;
    }
  }

  #context(): ControllerContext<T> {
    const { key, id, causes, attempt } = this.start;
    const { environment, cluster, caches, recorder } = this.#host;
    const run = this;
    return {
      get signal() {
        return run.signal;
      },
      key,
      id,
      causes,
      attempt,
      clock: environment.clock,
      get client() {
        return run.clientOf(cluster);
      },
      through: (client) => this.clientOf(client),
      lister: (resource, options) => caches.readableLister(resource, options?.client, this.#late),
      owned: (resource) => this.#ownedObjects().owned(resource),
      apply: (resource, object, options) => this.#ownedObjects().apply(resource, object, options),
      prune: () => this.#ownedObjects().prune(),
      status: (status) => {
        this.check();
        if (typeof status !== 'object' || status === null) throw optionError('status', 'an object', status);
        this.#said = status;
      },
      event: (details: EventDetails) => {
        this.check();
        recorder.event(this.#object, details);
      },
    };
  }

  #ownedObjects(): OwnedObjects<T> {
    this.#objects ??= new OwnedObjects<T>(this);
    return this.#objects;
  }

  /** The client of this run for a cluster; with another signal a client for the writes after the run. */
  clientOf(cluster: Client, signal?: AbortSignal): Client {
    const guarded = (): Client => this.#host.environment.guard(cluster, this.key, this.state.uid);
    if (signal !== undefined) {
      const { key, fieldManager } = this;
      return new RecordingClient(cluster, guarded(), {
        key,
        signal,
        fieldManager,
        giveWorkerBack: () => {},
        check: () => {},
        answered: (write, answer) => this.answered(write, answer),
        unanswered: (write) => this.unanswered(write),
      });
    }
    this.check();
    let client = this.#clients.get(cluster);
    if (client === undefined) {
      const other = cluster === this.#host.cluster ? undefined : this.#host.others.of(cluster);
      this.#clients.set(cluster, (client = new RecordingClient(cluster, guarded(), this, other)));
    }
    return client;
  }

  // ── how it ended ───────────────────────────────────────────────────────────────────────────────────────────────────

  #endingOf(result: Result): RunEnding {
    if (this.timedOut) return this.#failed('failed', this.#abortReason);
    try {
      return outcomeOf(result);
    } catch (error) {
      return this.#failed('failed', error);
    }
  }

  #endingOfFailed(error: unknown): RunEnding {
    if (this.timedOut) return this.#failed('failed', this.#abortReason);
    if (this.abortedAt !== undefined || wasNotSent(error)) return this.#failed('aborted', error);
    if (error instanceof TerminalError) return this.#failed('terminal', error);
    // Nothing can be created in the namespace any more, and the object will be deleted with it.
    if (hasStatusCause(error, 'NamespaceTerminating')) return succeeded('done');
    return this.#failed('failed', error, isConflict(error) || (!this.called && isRefusedPatch(error)));
  }

  #failed(outcome: RunOutcome, error: unknown, isStale = false): RunEnding {
    const threwSynchronously = this.#threwSynchronously;
    return { outcome, requeueAfterMs: undefined, errors: [error], isConflict: isStale, threwSynchronously };
  }

  #withFinishError(ending: RunEnding, error: unknown): RunEnding {
    if (wasNotSent(error) || hasStatusCause(error, 'NamespaceTerminating')) {
      // What the run itself did is over: only its status is missing, which the next leader writes.
      return ending.errors.length > 0 ? ending : { ...ending, outcome: 'aborted', errors: [error] };
    }
    const stale = ending.errors.length === 0 && (isConflict(error) || isRefusedPatch(error));
    const outcome = ending.outcome === 'terminal' || ending.outcome === 'aborted' ? ending.outcome : 'failed';
    return { ...ending, outcome, errors: [...ending.errors, error], isConflict: ending.isConflict || stale };
  }

  // ── after the function ─────────────────────────────────────────────────────────────────────────────────────────────

  /** Writes the status, if there is one to write, and removes the finalizer of an object that is finalized. */
  async #finish(status: object | undefined, isFinalized: boolean): Promise<void> {
    const { clock } = this.#host.environment;
    const limit = linkSignals([], { timeoutMs: finishMs, clock, what: `the last write of the run of ${this.key}` });
    try {
      if (status !== undefined) await this.#writeStatus(status, limit.signal);
      if (isFinalized) await this.#writeFinalizer('remove', limit.signal);
    } catch (error) {
      // The object is gone: there is nothing left to say of it.
      if (!isNotFound(error)) throw error;
    } finally {
      limit.release();
    }
  }

  /** The status if it has to be written; undefined if it is as it should be. */
  #statusToWrite(ending: RunEnding): object | undefined {
    const { definition, environment } = this.#host;
    const { readyCondition } = definition;
    const message = ending.waiting ?? (ending.errors.length === 0 ? '' : asError(ending.errors[0]).message);
    const ready = readyCondition === undefined ? undefined : readyConditionOf(readyCondition, ending.outcome, message);
    if (this.#said === undefined && ready === undefined) return undefined;
    const status = composeStatus({
      said: this.#said,
      ready,
      object: this.#object as DeepReadonly<KubernetesObject>,
      hasObservedGeneration: this.#host.hasObservedGeneration,
      now: environment.clock.now(),
    });
    const current = statusOf(this.#known);
    if (equalJson(status, current)) return undefined;
    // Fields that were applied before and are left out now have to be removed, though all others are as they should be.
    const isSame = this.#said === undefined || this.state.statusDigest === digestOf(JSON.stringify(status));
    return isSame && containsJson(current, status) ? undefined : status;
  }

  async #writeStatus(status: object, signal: AbortSignal): Promise<void> {
    const { definition, cluster, fieldManager } = this.#host;
    const { namespace, name } = splitKey(this.key);
    const { uid, resourceVersion } = this.#known.metadata;
    // With the whole status as it was read, a change of another client must not be overwritten.
    const metadata = this.#said === undefined ? { name, uid, resourceVersion } : { name, uid };
    const client = this.clientOf(cluster, signal).forResource(definition.for, namespace);
    await client.subresource('status').apply(name, { metadata, status } as never, { fieldManager, force: true });
    this.state.statusDigest = this.#said === undefined ? undefined : digestOf(JSON.stringify(status));
  }

  // ── what it writes ─────────────────────────────────────────────────────────────────────────────────────────────────

  check(): void {
    if (this.#closed)
      throw new Error(`the run ${this.start.id} of ${this.key} has ended: its context cannot be used any more`);
  }

  answered(write: SentWrite, answer: unknown): void {
    const { resource, verb, namespace, subresource } = write;
    const stored = storedObject(answer);
    const name = stored?.metadata.name ?? write.name;
    const key = name === undefined ? '' : formatKey(namespace, name);
    const caches = this.#host.caches.of(write.client, resource);
    this.writes.push({
      verb,
      resource: `${printGroupResource(resource)}${subresource === undefined ? '' : `/${subresource}`}`,
      key,
      changed: stored === undefined || stored.metadata.resourceVersion !== this.#knownVersion(write, caches, key),
      resourceVersion: stored?.metadata.resourceVersion,
      answeredAt: this.#host.environment.clock.now(),
    });
    for (const cache of caches) {
      if (stored !== undefined && verb !== 'delete') {
        if (cache.concerns(key, stored)) this.state.writes.stored(cache, key, stored.metadata.resourceVersion);
      } else this.#noteWithoutVersion(write, cache, key);
    }
    if (stored === undefined || !this.#isOwnObject(write, key)) return;
    if (write.status !== undefined) this.#noteOwnWrite(stored, this.#known, { status: write.status });
    this.#known = stored as unknown as DeepReadonly<T>;
  }

  unanswered({ client, resource }: SentWrite): void {
    for (const cache of this.#host.caches.of(client, resource)) this.state.writes.unknown(cache);
  }

  /** A write whose answer has no version: a deletion, or a subresource of another kind. */
  #noteWithoutVersion({ verb }: SentWrite, cache: UsedCache<unknown>, key: string): void {
    const uid = verb === 'delete' ? cache.entry(key)?.facts.uid : undefined;
    if (uid === undefined) {
      this.state.writes.unknown(cache);
      return;
    }
    this.#objects?.noteDeleted(uid);
    this.state.writes.deleted(cache, key, uid);
  }

  #knownVersion(write: SentWrite, caches: readonly UsedCache<unknown>[], key: string): string | undefined {
    if (this.#isOwnObject(write, key)) return this.#known.metadata.resourceVersion;
    const [cache] = caches;
    if (cache === undefined) return undefined;
    return this.state.writes.versionOf(cache, key) ?? cache.entry(key)?.facts.resourceVersion;
  }

  #isOwnObject({ client, resource }: { client: Client; resource: Resource<unknown> }, key: string): boolean {
    const { definition, cluster } = this.#host;
    return (
      key === this.key &&
      client === cluster &&
      resource.resource === definition.for.resource &&
      resource.group === definition.for.group
    );
  }

  #noteOwnWrite(answer: unknown, known: DeepReadonly<T>, write: OwnWrite): void {
    const stored = answer as DeepReadonly<KubernetesObject>;
    if (isOwnChange(stored, known as DeepReadonly<KubernetesObject>, write))
      this.state.expectEcho(stored.metadata.resourceVersion);
  }
}

/** @throws TypeError for a result of another shape */
function outcomeOf(result: Result): RunEnding {
  if (result === undefined) return succeeded('done');
  // JavaScript callers may return anything.
  const { requeueAfterMs, waiting } = (result ?? {}) as { requeueAfterMs?: unknown; waiting?: unknown };
  if (typeof waiting === 'string' && waiting !== '' && requeueAfterMs === undefined)
    return { ...succeeded('waiting'), waiting };
  if (typeof requeueAfterMs === 'number' && Number.isFinite(requeueAfterMs) && waiting === undefined)
    return succeeded('requeued', Math.max(0, requeueAfterMs));
  throw new TypeError(
    `a run must return nothing, { requeueAfterMs: a number } or { waiting: a text }, got ${describeValue(result)}`,
  );
}

function succeeded(outcome: RunOutcome, requeueAfterMs?: number): RunEnding {
  return { outcome, requeueAfterMs, errors: [], isConflict: false, threwSynchronously: false };
}

/** Whether a request was not sent because another replica may lead. */
function wasNotSent(error: unknown): boolean {
  return someError(error, (one) => one instanceof LeadershipLostError);
}

/** Whether the server refused the JSON patch of a finalizer: the object has changed, is being deleted, or is gone. */
function isRefusedPatch(error: unknown): boolean {
  return isInvalid(error) || isNotFound(error);
}

function storedObject(answer: unknown): DeepReadonly<KubernetesObject> | undefined {
  const object = answer as DeepReadonly<KubernetesObject> | undefined;
  return typeof object?.metadata?.resourceVersion === 'string' && object.metadata.resourceVersion !== ''
    ? object
    : undefined;
}
