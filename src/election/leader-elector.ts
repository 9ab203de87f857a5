import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Client } from '../client/client.js';
import { isAlreadyExists, isConflict, isNotFound, statusErrorOf } from '../meta/error-predicates.js';
import { escapeTextControls } from '../meta/escape-controls.js';
import { abortableNames, checkOptions, type OptionNames } from '../meta/known-options.js';
import type { Abortable } from '../meta/objects.js';
import { optionError, requireFunction, requireNumber, requireObject, requireSignal } from '../meta/validate.js';
import { channels } from '../observe/channels.js';
import { messageOf } from '../rest/http/request-errors.js';
import type { Clock } from '../time/clock.js';
import { realClock } from '../time/real-clock.js';
import { abortError, linkSignals, onAbort } from '../time/signals.js';
import { microTimestamp } from '../time/timestamps.js';
import { isCausedBy, LeadershipLostError } from './election-errors.js';
import type { ElectionRecord } from './election-record.js';
import { GuardedTransport } from './guarded-transport.js';
import { type LeaseClients, LeaseLock, type LeaseLockOptions, leaseLockNames } from './lease-lock.js';
import { Watchdog } from './watchdog.js';

/** Options of a {@link LeaderElector}. */
export interface LeaderElectorOptions extends Omit<LeaseLockOptions, 'identity'> {
  /** Who is asking, different for every candidate. @default the host's name and a random UUID */
  readonly identity?: string | undefined;
  /**
   * How long others leave a lease alone that is not renewed. Written in whole seconds, so that a fraction is lost.
   * @default 15000
   */
  readonly leaseDurationMs?: number | undefined;
  /** How long after its last renewal was sent a leader takes itself for one. Less than the lease lasts. @default 10000 */
  readonly renewDeadlineMs?: number | undefined;
  /** How often to renew, and about how often to try to become leader. @default 2000 */
  readonly retryPeriodMs?: number | undefined;
  /**
   * Called with the leader's identity whenever that changes: at first too, and when it is this one; `''` if there is none.
   * @default none
   */
  readonly onNewLeader?: ((identity: string) => void) | undefined;
  /**
   * Is told why an attempt to get or renew the lease failed, and why leadership was lost. Being outrun by another candidate
   * is no failure. It goes on by itself.
   * @default a process warning; the same one again only after an attempt has succeeded
   */
  readonly onError?: ((error: unknown) => void) | undefined;
  /**
   * Ends the process with SIGKILL, from another thread, when a leader neither renews nor stops before its lease can be
   * taken: when its event loop is blocked, or when `lead` does not end. Half-way between `renewDeadlineMs` and
   * `leaseDurationMs`.
   * @default false
   */
  readonly watchdog?: boolean | undefined;
  /** @default the client's clock */
  readonly clock?: Clock | undefined;
}

const electorNames: OptionNames<LeaderElectorOptions> = {
  ...leaseLockNames,
  leaseDurationMs: true,
  renewDeadlineMs: true,
  retryPeriodMs: true,
  onNewLeader: true,
  onError: true,
  watchdog: true,
  clock: true,
};

/** A candidate adds up to this much of the period at random, so that candidates do not come all at once. */
const JITTER = 1.2;
/** What a released lease still lasts, though nobody needs to wait for it. */
const RELEASED_SECONDS = 1;
const CONFLICT_PAUSE_MS = 10;
const NOBODY: ElectionRecord = {
  holderIdentity: '',
  leaseDurationSeconds: 0,
  acquireTime: '',
  renewTime: '',
  leaseTransitions: 0,
};

/**
 * Makes sure that of many candidates one leads, by a lease on the server.
 *
 * Clocks of different machines are never compared: a candidate takes a lease over when it has not *seen it change* for as
 * long as the lease says. A leader stops when it could not renew for `renewDeadlineMs`, which is less. So there is at most
 * one leader at a time, as long as clocks go at about the same rate.
 *
 * No timer and no signal fires while the event loop is blocked: {@link guard} keeps a leader that does not know yet that it
 * is none from sending anything, and `watchdog` ends it.
 *
 * @example
 * const elector = new LeaderElector(client, { namespace: 'default', name: 'my-operator' });
 * const guarded = elector.guard(client);
 * const outcome = await elector.run(async (signal) => runControllers(guarded, signal), { signal: terminationSignal() });
 * process.exit(outcome === 'lost' ? 1 : 0);
 */
export class LeaderElector {
  readonly lock: LeaseLock;
  readonly #clock: Clock;
  readonly #leaseDurationMs: number;
  readonly #renewDeadlineMs: number;
  readonly #retryPeriodMs: number;
  /** One slow request must leave time for another. */
  readonly #requestTimeoutMs: number;
  readonly #onNewLeader: ((identity: string) => void) | undefined;
  readonly #onError: (error: unknown) => void;
  readonly #hasWatchdog: boolean;
  #watchdog: Watchdog | undefined;

  #observed: ElectionRecord = NOBODY;
  #observedAt = Number.NEGATIVE_INFINITY;
  #observedRaw: string | undefined;
  #reportedLeader = '';
  /** When the last renewal that succeeded was sent. */
  #renewedAt = Number.NEGATIVE_INFINITY;
  /** A write of ours may be on the server whether or not we were told. */
  #mayHold = false;
  #isRunning = false;
  #leads = false;
  #isLeadRunning = false;
  #lastError: unknown;
  /** What the last warning said, while it still holds. */
  #warning = '';

  constructor(client: LeaseClients & { readonly clock?: Clock }, options: LeaderElectorOptions) {
    requireObject('client', client, 'a Client');
    requireObject('options', options, 'an object with namespace and name');
    checkOptions('new LeaderElector', options, electorNames);
    const { leaseDurationMs = 15_000, renewDeadlineMs = 10_000, retryPeriodMs = 2000 } = options;
    requireNumber('leaseDurationMs', leaseDurationMs, 1000);
    requireNumber('renewDeadlineMs', renewDeadlineMs, 1);
    requireNumber('retryPeriodMs', retryPeriodMs, 1);
    const writtenMs = Math.floor(leaseDurationMs / 1000) * 1000;
    if (writtenMs <= renewDeadlineMs)
      throw optionError(
        'leaseDurationMs',
        `in whole seconds more than renewDeadlineMs (${renewDeadlineMs})`,
        leaseDurationMs,
      );
    if (renewDeadlineMs <= JITTER * retryPeriodMs)
      throw optionError(
        'renewDeadlineMs',
        `more than ${JITTER} times retryPeriodMs (${retryPeriodMs})`,
        renewDeadlineMs,
      );
    if (options.onNewLeader !== undefined) requireFunction('onNewLeader', options.onNewLeader);
    if (options.onError !== undefined) requireFunction('onError', options.onError);
    this.#clock = options.clock ?? client.clock ?? realClock;
    this.#hasWatchdog = options.watchdog ?? false;
    if (this.#hasWatchdog && this.#clock !== realClock)
      throw optionError(
        'watchdog',
        'false on a clock that is not the machine’s own: it ends the process in real time',
        true,
      );
    const { namespace, name, labels, recorder, identity = `${hostname()}_${randomUUID()}` } = options;
    this.lock = new LeaseLock(client, { namespace, name, labels, recorder, identity });
    this.#leaseDurationMs = writtenMs;
    this.#renewDeadlineMs = renewDeadlineMs;
    this.#retryPeriodMs = retryPeriodMs;
    this.#requestTimeoutMs = Math.max(1000, renewDeadlineMs / 2);
    this.#onNewLeader = options.onNewLeader;
    this.#onError = options.onError ?? ((error) => this.#warn(error));
  }

  get identity(): string {
    return this.lock.identity;
  }

  /** Whether this one leads, and has renewed recently enough to be sure of it. */
  get isLeader(): boolean {
    return this.#leads && this.#leftMs > 0;
  }

  /** Who leads, as far as is known; `''`: nobody. */
  get leader(): string {
    return this.#observed.holderIdentity;
  }

  /**
   * Waits to be elected and then calls `lead` with a signal that aborts when this must end: leadership was lost, or
   * `options.signal` aborted. Goes on renewing until `lead` has ended, however it was told to; then gives the lease back.
   *
   * Resolves with `'lost'` when leadership was lost, and with `'stopped'` when it was stopped or `lead` ended by itself.
   * Rejects when `lead` does, unless that is because of the abort. One call at a time; another one may follow.
   */
  async run(lead: (signal: AbortSignal) => Promise<void>, options: Abortable = {}): Promise<'stopped' | 'lost'> {
    requireFunction('lead', lead);
    checkOptions('elector.run', options, abortableNames);
    const signal = requireSignal('signal', options.signal);
    if (this.#isRunning) throw new Error(`${this.identity} is already a candidate for ${this.lock}: run() goes on`);
    this.#isRunning = true;
    try {
      if (channels.electionStarted.hasSubscribers) channels.electionStarted.publish(this.#source);
      if (await this.#acquire(signal)) return await this.#lead(lead, signal);
      if (this.#mayHold) await this.#release();
      return 'stopped';
    } finally {
      this.#isRunning = false;
    }
  }

  /**
   * A client whose every request is checked right before it is sent: past the deadline (when the last renewal that
   * succeeded was sent, plus `renewDeadlineMs`) it fails with a {@link LeadershipLostError} instead. It shares the
   * connections of the given one; closing it closes nothing.
   */
  guard(client: Client): Client {
    requireObject('client', client, 'a Client');
    const rest = client.rest.through((transport) => new GuardedTransport(transport, () => this.#refusal()));
    return new Client({ rest, namespace: client.namespace });
  }

  /**
   * What is wrong: `lead` is still running although the lease could not be renewed for as long as it lasts and
   * `toleranceMs` more. Undefined if nothing is.
   */
  check(toleranceMs = 0): string | undefined {
    const age = this.#clock.monotonicNow() - this.#renewedAt;
    if (!this.#isLeadRunning || age <= this.#leaseDurationMs + toleranceMs) return undefined;
    return `failed election to renew leadership on lease ${this.lock.name}`;
  }

  get #source(): { lease: string; identity: string } {
    return { lease: this.lock.toString(), identity: this.identity };
  }

  /** How long it is still safe to act as the leader. */
  get #leftMs(): number {
    return this.#renewedAt + this.#renewDeadlineMs - this.#clock.monotonicNow();
  }

  #refusal(): LeadershipLostError | undefined {
    if (this.isLeader) return undefined;
    const why = this.#leads
      ? `its lease was last renewed ${Math.round(this.#renewDeadlineMs - this.#leftMs)} ms ago, which is too long`
      : 'it was not elected, or has lost or returned the lease';
    return new LeadershipLostError(this.lock.toString(), this.identity, `${why}; the request was not sent`);
  }

  // ── becoming leader ────────────────────────────────────────────────────────────────────────────────────────────────

  /** True when elected; false when aborted before. */
  async #acquire(signal: AbortSignal | undefined): Promise<boolean> {
    while (!signal?.aborted) {
      const isElected = await this.#attempt(this.#requestTimeoutMs, signal);
      this.#reportLeader();
      if (signal?.aborted) break;
      if (isElected === true && this.#leftMs > 0) return true;
      const pauseMs = this.#retryPeriodMs * (1 + this.#clock.random() * JITTER);
      await this.#clock.sleep(pauseMs, { signal }).catch(() => {});
    }
    return false;
  }

  /** True: the lease is ours; false: it is somebody else's; undefined: no answer, see `#lastError`. */
  async #attempt(timeoutMs: number, signal: AbortSignal | undefined): Promise<boolean | undefined> {
    const startedAt = this.#clock.monotonicNow();
    const attempt = linkSignals([signal], { timeoutMs, clock: this.#clock, what: `asking for the lease ${this.lock}` });
    const path = { isSlow: false };
    this.#lastError = undefined;
    try {
      const isOurs = await this.#acquireOrRenew(attempt.signal, path);
      this.#warning = '';
      return isOurs;
    } catch (error) {
      this.#lastError = error;
      if (!signal?.aborted && !isConflict(error) && !isAlreadyExists(error)) this.#report(error);
      return undefined;
    } finally {
      attempt.release();
      if (this.#leads && channels.electionRenew.hasSubscribers) {
        const durationMs = this.#clock.monotonicNow() - startedAt;
        const error = this.#lastError === undefined ? {} : { error: this.#lastError };
        channels.electionRenew.publish({ ...this.#source, durationMs, slowPath: path.isSlow, ...error });
      }
    }
  }

  async #acquireOrRenew(signal: AbortSignal, path: { isSlow: boolean }): Promise<boolean> {
    if (this.#observed.holderIdentity === this.identity && this.#isObservedValid) {
      // Most of the time nobody else has touched the lease, and reading it first would double the requests.
      try {
        await this.#write('update', this.#claim(this.#observed), signal);
        return true;
      } catch {
        signal.throwIfAborted();
      }
    }
    let found: Awaited<ReturnType<LeaseLock['get']>>;
    try {
      found = await this.lock.get({ signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await this.#write('create', this.#claim(), signal);
      return true;
    }
    this.#observe(found);
    const { record } = found;
    if (record.holderIdentity === this.identity) {
      path.isSlow = true;
      await this.#write('update', this.#claim(record), signal);
      return true;
    }
    if (record.holderIdentity !== '' && this.#isObservedValid) return false;
    await this.#write('update', { ...this.#claim(), leaseTransitions: record.leaseTransitions + 1 }, signal);
    return true;
  }

  /**
   * What to write, now: to take the lease, or to go on with one that was ours before. Each write has a time of its own,
   * also the second one of an attempt whose first got no answer: others tell by it that the lease has been renewed, and
   * would count from the first if the second looked the same.
   */
  #claim(before?: ElectionRecord): ElectionRecord {
    const time = microTimestamp(this.#clock.now());
    return {
      holderIdentity: this.identity,
      leaseDurationSeconds: this.#leaseDurationMs / 1000,
      acquireTime: before?.acquireTime ?? time,
      renewTime: time,
      leaseTransitions: before?.leaseTransitions ?? 0,
    };
  }

  async #write(how: 'create' | 'update', record: ElectionRecord, signal: AbortSignal): Promise<void> {
    // Before the request and not after the answer: others may count from any moment between the two.
    const sentAt = this.#clock.monotonicNow();
    const mightBefore = this.#mayHold;
    this.#mayHold = true;
    try {
      await this.lock[how](record, { signal });
    } catch (error) {
      const status = statusErrorOf(error)?.status ?? 0;
      if (status >= 400 && status < 500) this.#mayHold = mightBefore;
      throw error;
    }
    this.#observed = record;
    this.#observedAt = sentAt;
    this.#renewedAt = sentAt;
    this.#watchdog?.feed(this.#patienceMs);
  }

  #observe({ record, raw }: Awaited<ReturnType<LeaseLock['get']>>): void {
    if (raw === this.#observedRaw) return;
    this.#observedRaw = raw;
    this.#observed = record;
    this.#observedAt = this.#clock.monotonicNow();
  }

  get #isObservedValid(): boolean {
    return this.#observedAt + this.#observed.leaseDurationSeconds * 1000 > this.#clock.monotonicNow();
  }

  #reportLeader(): void {
    const { holderIdentity } = this.#observed;
    if (holderIdentity === this.#reportedLeader) return;
    this.#reportedLeader = holderIdentity;
    if (this.#onNewLeader === undefined) return;
    const tell = this.#onNewLeader;
    // Not from here: what it does or throws is not our business.
    queueMicrotask(() => this.#isolate('onNewLeader', () => tell(holderIdentity)));
  }

  #report(error: unknown): void {
    this.#isolate('onError', () => this.#onError(error));
  }

  #warn(error: unknown): void {
    const message = messageOf(error);
    if (message === this.#warning) return;
    this.#warning = message;
    const text =
      error instanceof LeadershipLostError ? message : `${this.identity} asked for the lease ${this.lock}: ${message}`;
    process.emitWarning(escapeTextControls(text), 'KubeflectElectionWarning');
  }

  #note(text: string): void {
    this.#isolate('the event recorder', () => this.lock.recordEvent(text));
  }

  /** What others throw must not cost anybody the leadership. */
  #isolate(what: string, call: () => void): void {
    try {
      call();
    } catch (error) {
      process.emitWarning(`${what} of the election of ${this.lock} failed: ${messageOf(error)}`);
    }
  }

  // ── being leader ───────────────────────────────────────────────────────────────────────────────────────────────────

  async #lead(
    lead: (signal: AbortSignal) => Promise<void>,
    signal: AbortSignal | undefined,
  ): Promise<'stopped' | 'lost'> {
    const leading = new AbortController();
    const ended = new AbortController();
    const undo = onAbort(signal, () => leading.abort(signal?.reason));
    this.#begin();
    let outcome: 'stopped' | 'lost' = 'stopped';
    const renewal = this.#renewUntil(ended.signal).then((lost) => {
      if (lost === undefined) return;
      if (!leading.signal.aborted) outcome = 'lost';
      this.#end(lost);
      this.#report(lost);
      leading.abort(lost);
    });
    try {
      await lead(leading.signal);
    } catch (error) {
      if (!leading.signal.aborted || !isCausedBy(error, leading.signal.reason)) throw error;
    } finally {
      undo();
      this.#isLeadRunning = false;
      ended.abort(abortError('lead has ended'));
      await renewal;
      this.#end(undefined);
      await this.#watchdog?.stop();
      this.#watchdog = undefined;
      await this.#release();
      this.#note('stopped leading');
    }
    return outcome;
  }

  #begin(): void {
    this.#leads = true;
    this.#isLeadRunning = true;
    if (this.#hasWatchdog) {
      const message = `kubeflect: ${this.identity} could not renew the lease ${this.lock} in time, or did not stop leading: the watchdog ends the process`;
      this.#watchdog = new Watchdog(message, this.#patienceMs);
    }
    if (channels.electionAcquired.hasSubscribers)
      channels.electionAcquired.publish({ ...this.#source, transitions: this.#observed.leaseTransitions });
    this.#note('became leader');
  }

  #end(error: unknown): void {
    if (!this.#leads) return;
    this.#leads = false;
    if (channels.electionLost.hasSubscribers)
      channels.electionLost.publish({ ...this.#source, ...(error === undefined ? {} : { error }) });
  }

  /** Until the watchdog bites: later than this elector gives up by itself, earlier than anybody may take the lease. */
  get #patienceMs(): number {
    return this.#leftMs + (this.#leaseDurationMs - this.#renewDeadlineMs) / 2;
  }

  /** Renews until it is told to end (undefined), or until it cannot any more: then says why. */
  async #renewUntil(ended: AbortSignal): Promise<LeadershipLostError | undefined> {
    let cause: unknown;
    for (;;) {
      await this.#clock.sleep(Math.min(this.#retryPeriodMs, this.#leftMs), { signal: ended }).catch(() => {});
      if (ended.aborted) return undefined;
      const leftMs = this.#leftMs;
      if (leftMs <= 0) return this.#lost(`it could not renew the lease for ${this.#renewDeadlineMs} ms`, cause);
      const isOurs = await this.#attempt(Math.min(leftMs, this.#requestTimeoutMs), ended);
      cause = this.#lastError;
      this.#reportLeader();
      if (isOurs === false) return this.#lost(`${this.leader} holds the lease`, undefined);
    }
  }

  #lost(why: string, cause: unknown): LeadershipLostError {
    const options = cause === undefined ? undefined : { cause };
    return new LeadershipLostError(this.lock.toString(), this.identity, why, options);
  }

  // ── leaving ────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Gives the lease back if it is ours. What goes wrong is no harm: the lease runs out by itself. */
  async #release(): Promise<void> {
    const timeoutMs = this.#renewDeadlineMs;
    const limit = linkSignals([], { timeoutMs, clock: this.#clock, what: `releasing the lease ${this.lock}` });
    const { signal } = limit;
    try {
      // Read first: a renewal that was called off may have been carried out all the same, or still be.
      while (!(await this.#tryRelease(signal))) await this.#clock.sleep(CONFLICT_PAUSE_MS, { signal });
      this.#mayHold = false;
    } catch (error) {
      this.#lastError = error;
    } finally {
      limit.release();
    }
  }

  /** False if somebody wrote in between. */
  async #tryRelease(signal: AbortSignal): Promise<boolean> {
    const found = await this.lock.get({ signal });
    this.#observe(found);
    if (found.record.holderIdentity !== this.identity) return true;
    const time = microTimestamp(this.#clock.now());
    const released: ElectionRecord = {
      holderIdentity: '',
      leaseDurationSeconds: RELEASED_SECONDS,
      acquireTime: time,
      renewTime: time,
      leaseTransitions: found.record.leaseTransitions,
    };
    try {
      await this.lock.update(released, { signal });
    } catch (error) {
      if (isConflict(error)) return false;
      throw error;
    }
    this.#observed = released;
    this.#observedAt = this.#clock.monotonicNow();
    return true;
  }
}
