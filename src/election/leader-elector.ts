import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Client } from '../client/client.js';
import { isAlreadyExists, isConflict, isNotFound, statusErrorOf } from '../meta/errors/error-predicates.js';
import { escapeTextControls } from '../meta/escape-controls.js';
import type { Abortable } from '../meta/objects.js';
import { abortableNames, checkOptions, type OptionNames } from '../meta/options/known-options.js';
import { optionError, requireFunction, requireNumber, requireObject, requireSignal } from '../meta/options/validate.js';
import { channels } from '../observe/channels.js';
import { messageOf } from '../rest/http/request-errors.js';
import type { Clock } from '../time/clock.js';
import { realClock } from '../time/real-clock.js';
import { abortError, linkSignals, onAbort } from '../time/signals.js';
import { microTimestamp } from '../time/timestamps.js';
import { isCausedBy, LeadershipLostError } from './election-errors.js';
import type { ElectionRecord } from './election-record.js';
import { guardedClient } from './guarded-client.js';
import { type LeaseClients, LeaseLock, type LeaseLockOptions, leaseLockNames } from './lease-lock.js';
import { Watchdog } from './watchdog.js';

/** Options of a {@link LeaderElector}. */
export interface LeaderElectorOptions extends Omit<LeaseLockOptions, 'identity'> {
  /** The name of this candidate, different for every candidate. @default the host name and a random UUID */
  readonly identity?: string | undefined;
  /**
   * How long other candidates do not take a Lease that is not renewed. The Lease has whole seconds: a fraction is cut off.
   * @default 15000
   */
  readonly leaseDurationMs?: number | undefined;
  /** How long after its last successful renewal was sent a leader acts as one. Less than `leaseDurationMs`. @default 10000 */
  readonly renewDeadlineMs?: number | undefined;
  /** The time between renewals; candidates wait 1 to 2.2 times that between attempts. @default 2000 */
  readonly retryPeriodMs?: number | undefined;
  /**
   * Called with the identity of the leader when it becomes known and whenever it changes, also to this candidate's own; `''` if
   * there is no leader.
   * @default none
   */
  readonly onNewLeader?: ((identity: string) => void) | undefined;
  /**
   * Called when an attempt to acquire or renew the Lease failed, and when leadership was lost. A conflict with another
   * candidate is not a failure. The elector retries by itself.
   * @default a process warning; a message is repeated only after an attempt has succeeded
   */
  readonly onError?: ((error: unknown) => void) | undefined;
  /**
   * Kills the process with SIGKILL, from another thread, if a leader neither renews the Lease nor ends `lead` in time: its
   * event loop is blocked, or `lead` ignores its signal. The time is half-way between `renewDeadlineMs` and `leaseDurationMs`.
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

/** A candidate waits up to this many periods longer, at random, so that candidates do not send requests at the same time. */
const JITTER = 1.2;
/** `leaseDurationSeconds` of a released Lease: the field must be positive. */
const RELEASED_SECONDS = 1;
const CONFLICT_PAUSE_MS = 10;
const NO_HOLDER: ElectionRecord = {
  holderIdentity: '',
  leaseDurationSeconds: 0,
  acquireTime: '',
  renewTime: '',
  leaseTransitions: 0,
};

/**
 * Elects one leader among many candidates, by a Lease on the server.
 *
 * Clocks of different machines are never compared: a candidate takes a Lease when it has not *seen it change* for the duration
 * in the Lease. A leader stops when it could not renew for `renewDeadlineMs`, which is shorter. So there is at most one leader
 * at a time, as long as clocks run at about the same rate.
 *
 * No timer fires and no signal aborts while the event loop is blocked: {@link guard} fails the requests of a leader whose
 * deadline has passed, and `watchdog` kills the process.
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
  /** Half of `renewDeadlineMs`, and at least 1 s: a slow request leaves time for another. */
  readonly #requestTimeoutMs: number;
  readonly #onNewLeader: ((identity: string) => void) | undefined;
  readonly #onError: (error: unknown) => void;
  readonly #hasWatchdog: boolean;
  #watchdog: Watchdog | undefined;

  #observed: ElectionRecord = NO_HOLDER;
  #observedAt = Number.NEGATIVE_INFINITY;
  #observedRaw: string | undefined;
  #reportedLeader = '';
  /** When the last renewal that succeeded was sent. */
  #renewedAt = Number.NEGATIVE_INFINITY;
  /** Whether the server may have accepted a write of this candidate, also one without a response. */
  #mayHold = false;
  #isRunning = false;
  #leads = false;
  #isLeadRunning = false;
  #lastError: unknown;
  /** The last warning; empty after a successful attempt. */
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
        'false unless the clock is the real one: the watchdog kills the process in real time',
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

  /** Whether this candidate leads and its last renewal is younger than `renewDeadlineMs`. */
  get isLeader(): boolean {
    return this.#leads && this.#leftMs > 0;
  }

  /** The identity of the leader, as last seen; `''` if there is none. */
  get leader(): string {
    return this.#observed.holderIdentity;
  }

  /**
   * Waits to be elected and then calls `lead` with a signal that aborts when leadership is lost or `options.signal` aborts.
   * Renews the Lease until `lead` has ended, also after the abort; then releases it.
   *
   * Resolves with `'lost'` when leadership was lost, and with `'stopped'` when `options.signal` aborted or `lead` ended by itself.
   * Rejects when `lead` does, unless it rejects because of the abort. Only one call at a time.
   */
  async run(lead: (signal: AbortSignal) => Promise<void>, options: Abortable = {}): Promise<'stopped' | 'lost'> {
    requireFunction('lead', lead);
    checkOptions('elector.run', options, abortableNames);
    const signal = requireSignal('signal', options.signal);
    if (this.#isRunning)
      throw new Error(`${this.identity} is already a candidate for ${this.lock}: an earlier run() has not ended`);
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
   * A client that checks leadership right before each request is sent. Past the deadline (`renewDeadlineMs` after the last
   * successful renewal was sent) a request fails with a {@link LeadershipLostError} as its cause, and is not sent. It shares the
   * connections of the given client; its `close` does nothing.
   */
  guard(client: Client): Client {
    requireObject('client', client, 'a Client');
    return guardedClient(client, { refusal: () => this.#refusal() });
  }

  /**
   * Returns a message if `lead` is still running although the Lease expired more than `toleranceMs` ago; undefined otherwise.
   */
  check(toleranceMs = 0): string | undefined {
    const age = this.#clock.monotonicNow() - this.#renewedAt;
    if (!this.#isLeadRunning || age <= this.#leaseDurationMs + toleranceMs) return undefined;
    return `failed election to renew leadership on lease ${this.lock.name}`;
  }

  get #source(): { lease: string; identity: string } {
    return { lease: this.lock.toString(), identity: this.identity };
  }

  /** The time until the deadline of the last successful renewal. */
  get #leftMs(): number {
    return this.#renewedAt + this.#renewDeadlineMs - this.#clock.monotonicNow();
  }

  #refusal(): LeadershipLostError | undefined {
    if (this.isLeader) return undefined;
    const why = this.#leads
      ? `its Lease was last renewed ${Math.round(this.#renewDeadlineMs - this.#leftMs)} ms ago, which is too long`
      : 'it was not elected, or has lost or released the Lease';
    return new LeadershipLostError(this.lock.toString(), this.identity, `${why}; the request was not sent`);
  }

  // ── becoming leader ────────────────────────────────────────────────────────────────────────────────────────────────

  /** Resolves with true when elected, with false when aborted before. */
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

  /** True: this candidate holds the Lease; false: another one does; undefined: the attempt failed with `#lastError`. */
  async #attempt(timeoutMs: number, signal: AbortSignal | undefined): Promise<boolean | undefined> {
    const startedAt = this.#clock.monotonicNow();
    const attempt = linkSignals([signal], { timeoutMs, clock: this.#clock, what: `acquiring the Lease ${this.lock}` });
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
      // The fast path: usually no other client has written, and reading first would double the requests.
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
   * The record to write, to take the Lease or to renew it (`before`). Each write has its own `renewTime`, also the second one
   * of an attempt whose first write got no response: other candidates notice a renewal by a changed record, and would count
   * from the first write if the second were equal.
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
    // Before the request, not after the response: other candidates may see the write at any time between the two.
    const sentAt = this.#clock.monotonicNow();
    const mayHoldBefore = this.#mayHold;
    this.#mayHold = true;
    try {
      await this.lock[how](record, { signal });
    } catch (error) {
      const status = statusErrorOf(error)?.status ?? 0;
      if (status >= 400 && status < 500) this.#mayHold = mayHoldBefore;
      throw error;
    }
    this.#observed = record;
    this.#observedAt = sentAt;
    this.#renewedAt = sentAt;
    this.#watchdog?.extend(this.#watchdogTimeoutMs);
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
    const onNewLeader = this.#onNewLeader;
    // In a microtask, so that what it does or throws cannot affect the election.
    queueMicrotask(() => this.#isolate('onNewLeader', () => onNewLeader(holderIdentity)));
  }

  #report(error: unknown): void {
    this.#isolate('onError', () => this.#onError(error));
  }

  #warn(error: unknown): void {
    const message = messageOf(error);
    if (message === this.#warning) return;
    this.#warning = message;
    const text =
      error instanceof LeadershipLostError
        ? message
        : `${this.identity} could not acquire or renew the Lease ${this.lock}: ${message}`;
    process.emitWarning(escapeTextControls(text), 'KubeflectElectionWarning');
  }

  #note(text: string): void {
    this.#isolate('the event recorder', () => this.lock.recordEvent(text));
  }

  /** An exception of a callback becomes a process warning: it must not end the election. */
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
      const message = `kubeflect: ${this.identity} did not renew the Lease ${this.lock} in time, or did not stop leading: the watchdog kills the process`;
      this.#watchdog = new Watchdog(message, this.#watchdogTimeoutMs);
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

  /** After the elector would have given up by itself, and before another candidate may take the Lease. */
  get #watchdogTimeoutMs(): number {
    return this.#leftMs + (this.#leaseDurationMs - this.#renewDeadlineMs) / 2;
  }

  /** Renews until `ended` aborts (resolves with undefined) or leadership is lost (resolves with the error). */
  async #renewUntil(ended: AbortSignal): Promise<LeadershipLostError | undefined> {
    let cause: unknown;
    for (;;) {
      await this.#clock.sleep(Math.min(this.#retryPeriodMs, this.#leftMs), { signal: ended }).catch(() => {});
      if (ended.aborted) return undefined;
      const leftMs = this.#leftMs;
      if (leftMs <= 0) return this.#lost(`it could not renew the Lease for ${this.#renewDeadlineMs} ms`, cause);
      const isOurs = await this.#attempt(Math.min(leftMs, this.#requestTimeoutMs), ended);
      cause = this.#lastError;
      this.#reportLeader();
      if (isOurs === false) return this.#lost(`${this.leader} holds the Lease`, undefined);
    }
  }

  #lost(why: string, cause: unknown): LeadershipLostError {
    const options = cause === undefined ? undefined : { cause };
    return new LeadershipLostError(this.lock.toString(), this.identity, why, options);
  }

  // ── leaving ────────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Releases the Lease if this candidate holds it. A failure is ignored: the Lease expires by itself. */
  async #release(): Promise<void> {
    const timeoutMs = this.#renewDeadlineMs;
    const limit = linkSignals([], { timeoutMs, clock: this.#clock, what: `releasing the Lease ${this.lock}` });
    const { signal } = limit;
    try {
      // Read first: the server may have accepted, or still accept, a renewal that was aborted.
      while (!(await this.#tryRelease(signal))) await this.#clock.sleep(CONFLICT_PAUSE_MS, { signal });
      this.#mayHold = false;
    } catch (error) {
      this.#lastError = error;
    } finally {
      limit.release();
    }
  }

  /** Resolves with false if another client wrote between the read and the update. */
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
