import { MemoryConnectionError } from '../../../src/apiserver/wire/memory-connection.js';
import { Client } from '../../../src/client/client.js';
import type { Abortable } from '../../../src/meta/objects.js';
import type { Undo } from '../../../src/meta/undo.js';
import type { Credentials } from '../../../src/rest/http/connection-config.js';
import { MemoryTransport } from '../../../src/rest/http/memory-transport.js';
import type {
  BodySink,
  Exchange,
  ResponseHandler,
  Transport,
  TransportRequest,
} from '../../../src/rest/http/transport.js';
import { RestClient } from '../../../src/rest/request/rest-client.js';
import type { Clock, RefTimer, Timer, TimerOptions } from '../../../src/time/clock.js';
import type { FakeClock } from '../../../src/time/fake-clock.js';
import { schedulerOf } from '../../../src/time/scheduler.js';
import { onAbort } from '../../../src/time/signals.js';
import { delayOf, sleepOn } from '../../../src/time/sleep.js';

/** How the clock of a machine differs from the world's. */
export interface Skew {
  /** How fast it runs: 1.1 is a tenth too fast. */
  readonly rate: number;
  /** How far its wall clock is ahead. */
  readonly wallMs: number;
}

/** Which direction of a connection loses everything. */
export type Cut = 'requests' | 'answers';

/** So few that the stages of an informer take many turns and interleave. */
const ITEMS_PER_TURN = 16;

/**
 * One operating system process of the world: a clock of its own, an event loop that can be blocked, connections that can be
 * cut off, and a sudden end. Everything that runs in it gets its time from {@link clock} and its answers through
 * {@link connect}, so that nothing of it runs while it is blocked or after it was killed.
 */
export class SimProcess {
  readonly name: string;
  readonly clock: ProcessClock;
  readonly #transports: ProcessTransport[] = [];
  readonly #clients: Client[] = [];

  constructor(name: string, base: FakeClock, skew: Skew) {
    this.name = name;
    this.clock = new ProcessClock(base, skew);
    schedulerOf(this.clock, { sliceItems: ITEMS_PER_TURN });
  }

  get isDead(): boolean {
    return this.clock.isDead;
  }

  /** Whether its event loop is blocked, or still catching up. */
  get isBlocked(): boolean {
    return this.clock.isBlocked;
  }

  /** A client of a server; all clients of a process are cut off and die together. */
  connect(
    link: ConstructorParameters<typeof MemoryTransport>[0],
    credentials: Credentials,
    options: { readonly wire: 'json' | 'protobuf'; readonly namespace?: string | undefined },
  ): Client {
    const transport = new ProcessTransport(new MemoryTransport(link), this.clock);
    this.#transports.push(transport);
    const connection = { server: 'http://memory', credentials, allowPlainHttpCredentials: true };
    const rest = new RestClient(connection, { clock: this.clock, transport, wire: options.wire });
    const client = new Client({ rest, namespace: options.namespace });
    this.#clients.push(client);
    return client;
  }

  block(): void {
    this.clock.block();
  }

  unblock(): void {
    this.clock.unblock();
  }

  cut(how: Cut): void {
    for (const transport of this.#transports) transport.cut(how);
  }

  reconnect(): void {
    for (const transport of this.#transports) transport.reconnect();
  }

  /** Ends it at once: nothing of it runs any more, and its connections are closed. */
  kill(): void {
    this.clock.kill();
    for (const transport of this.#transports) transport.kill();
  }

  async close(): Promise<void> {
    for (const client of this.#clients) await client.close();
  }
}

/** The time of one process. While it is blocked, callbacks wait; then they run one per turn, in the order they were due. */
export class ProcessClock implements Clock {
  readonly #base: FakeClock;
  readonly #skew: Skew;
  readonly #startedAt: number;
  readonly #timers = new Set<Timer>();
  /** What waits for the event loop; undefined if the loop is free. */
  #waiting: (() => void)[] | undefined;
  #isBlocked = false;
  #isDead = false;

  constructor(base: FakeClock, skew: Skew) {
    this.#base = base;
    this.#skew = skew;
    this.#startedAt = base.monotonicNow();
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  get isBlocked(): boolean {
    return this.#waiting !== undefined;
  }

  now(): number {
    const passed = this.#base.monotonicNow() - this.#startedAt;
    return this.#base.now() + passed * (this.#skew.rate - 1) + this.#skew.wallMs;
  }

  monotonicNow(): number {
    return this.#base.monotonicNow() * this.#skew.rate;
  }

  random(): number {
    return this.#base.random();
  }

  sleep(ms: number, options?: Abortable): Promise<void> {
    return sleepOn(this, ms, options);
  }

  setTimer(ms: number, callback: () => void, options?: TimerOptions): RefTimer {
    const { rate } = this.#skew;
    // A hair later, so that rounding never makes a timer fire before its time.
    const baseMs = rate === 1 ? delayOf(ms) : delayOf(ms) / rate + 1e-6;
    let isCancelled = this.#isDead;
    const timer = this.#base.setTimer(
      baseMs,
      () => {
        this.#timers.delete(timer);
        this.run(() => {
          if (!isCancelled) callback();
        });
      },
      options,
    );
    if (this.#isDead) timer.cancel();
    else this.#timers.add(timer);
    return {
      cancel: () => {
        isCancelled = true;
        this.#timers.delete(timer);
        timer.cancel();
      },
      ref: () => timer.ref(),
      unref: () => timer.unref(),
    };
  }

  defer(callback: () => void): Timer {
    let isCancelled = false;
    const turn = this.#base.defer(() =>
      this.run(() => {
        if (!isCancelled) callback();
      }),
    );
    return {
      cancel: () => {
        isCancelled = true;
        turn.cancel();
      },
    };
  }

  yield(): Promise<void> {
    return new Promise((resolve) => this.defer(resolve));
  }

  /** Calls back now, or when the event loop is free again; never after a kill. */
  run(callback: () => void): void {
    if (this.#isDead) return;
    if (this.#waiting === undefined) callback();
    else this.#waiting.push(callback);
  }

  block(): void {
    this.#isBlocked = true;
    this.#waiting ??= [];
  }

  unblock(): void {
    if (!this.#isBlocked) return;
    this.#isBlocked = false;
    this.#catchUp();
  }

  kill(): void {
    this.#isDead = true;
    this.#waiting = undefined;
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
  }

  /** One callback per turn, so that promises run in between, as in an event loop. */
  #catchUp(): void {
    this.#base.defer(() => {
      if (this.#isBlocked || this.#isDead) return;
      const next = this.#waiting?.shift();
      if (next === undefined) this.#waiting = undefined;
      else {
        next();
        this.#catchUp();
      }
    });
  }
}

/** The connections of a process to one server. */
class ProcessTransport implements Transport {
  readonly server: string;
  readonly isLocal: boolean;
  readonly #inner: Transport;
  readonly #clock: ProcessClock;
  readonly #open = new Set<ProcessExchange>();
  #cut: Cut | undefined;

  constructor(inner: Transport, clock: ProcessClock) {
    this.#inner = inner;
    this.#clock = clock;
    this.server = inner.server;
    this.isLocal = inner.isLocal;
  }

  send(request: TransportRequest, handler: ResponseHandler): Exchange {
    const exchange = new ProcessExchange(handler, this.#clock, request.signal, () => this.#open.delete(exchange));
    this.#open.add(exchange);
    exchange.isCut = this.#cut !== undefined;
    // Only what would have been sent is lost; the inner transport refuses the rest.
    const isSent = request.signal?.aborted !== true && request.refusal?.() === undefined;
    if (this.#cut !== 'requests' || !isSent) exchange.start(this.#inner, request);
    return exchange;
  }

  cut(how: Cut): void {
    this.#cut ??= how;
    for (const exchange of this.#open) exchange.isCut = true;
  }

  /** The machines at both ends find out that the connections are dead. */
  reconnect(): void {
    this.#cut = undefined;
    for (const exchange of [...this.#open]) if (exchange.isCut) exchange.reset();
  }

  kill(): void {
    for (const exchange of [...this.#open]) exchange.abandon();
  }

  onConnect(listener: () => void): Undo {
    return this.#inner.onConnect(() => this.#clock.run(listener));
  }

  close(): Promise<void> {
    for (const exchange of [...this.#open]) if (exchange.isCut) exchange.reset();
    return this.#inner.close();
  }
}

/** One request. What arrives while the process is blocked, or has asked for a pause, waits here in its order. */
class ProcessExchange implements Exchange, ResponseHandler {
  readonly #handler: ResponseHandler;
  readonly #clock: ProcessClock;
  readonly #signal: AbortSignal | undefined;
  readonly #onOver: () => void;
  readonly #abort = new AbortController();
  readonly #undoAbort: () => void;
  readonly #arrived: (() => void)[] = [];
  #inner: Exchange | undefined;
  #body: BodySink | undefined;
  #isPaused = false;
  #isOver = false;
  /** Whether answers are lost. */
  isCut = false;

  constructor(handler: ResponseHandler, clock: ProcessClock, signal: AbortSignal | undefined, onOver: () => void) {
    this.#handler = handler;
    this.#clock = clock;
    this.#signal = signal;
    this.#onOver = onOver;
    // One that has aborted before fails in a later turn, when the inner transport reports it.
    if (signal?.aborted) this.#abort.abort(signal.reason);
    this.#undoAbort = onAbort(signal?.aborted ? undefined : signal, () => {
      this.#abort.abort(signal?.reason);
      this.#failNow(signal?.reason);
    });
  }

  start(inner: Transport, request: TransportRequest): void {
    this.#inner = inner.send({ ...request, signal: this.#abort.signal }, this);
  }

  resume(): void {
    this.#isPaused = false;
    this.#flush();
    if (!this.#isPaused) this.#inner?.resume();
  }

  head(status: number, headers: Readonly<Record<string, string>>): BodySink {
    this.#arrive(() => {
      this.#body = this.#handler.head(status, headers);
    });
    return this;
  }

  chunk(bytes: Uint8Array): boolean {
    if (this.isCut || this.#isOver) return true;
    const mustWait = this.#clock.isBlocked || this.#isPaused || this.#arrived.length > 0;
    const kept = mustWait ? bytes.slice() : bytes;
    this.#arrive(() => {
      if (this.#body?.chunk(kept) === false) this.#isPaused = true;
    });
    return !this.#isPaused;
  }

  end(): void {
    this.#arrive(() => {
      if (this.#finish()) this.#handler.end();
    });
  }

  fail(error: unknown): void {
    if (this.#signal?.aborted) this.#failNow(error);
    else this.#arrive(() => this.#failNow(error));
  }

  /** The connection turns out to be dead. */
  reset(): void {
    this.isCut = false;
    this.#arrive(() => this.#failNow(new MemoryConnectionError('ECONNRESET')));
    this.#abort.abort();
  }

  /** The process is gone: the server notices, and nothing is called any more. */
  abandon(): void {
    this.#finish();
    this.#abort.abort();
  }

  #arrive(call: () => void): void {
    if (this.isCut || this.#isOver) return;
    this.#arrived.push(call);
    this.#clock.run(() => this.#flush());
  }

  #flush(): void {
    while (!this.#isPaused && !this.#isOver) {
      const next = this.#arrived.shift();
      if (next === undefined) return;
      next();
    }
  }

  #failNow(error: unknown): void {
    if (this.#clock.isDead || !this.#finish()) return;
    this.#handler.fail(error);
  }

  #finish(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#undoAbort();
    this.#onOver();
    return true;
  }
}
