import { StatusError } from '../../meta/errors/errors.js';
import type { Status } from '../../meta/errors/status.js';
import { expired } from '../../meta/errors/status.js';
import { checkOptions } from '../../meta/options/known-options.js';
import { requireNumber } from '../../meta/options/validate.js';
import { type Undo, undoOnce } from '../../meta/undo.js';
import type { Clock } from '../../time/clock.js';
import { seededRandom } from '../../time/seeded-random.js';
import type { ApiHandler, ApiRequest, ApiResponse } from '../wire/exchange.js';
import { parseRequestInfo } from '../wire/request-info.js';
import { sendStatus } from '../wire/response-writer.js';
import { type Fault, type FaultPhase, type FaultRequest, matches, phaseOf, statusOf, validFault } from './fault.js';
import { FaultyResponse } from './faulty-response.js';

/** Removes an injected fault. `hits` is how often it was applied. */
export type InjectedFault = Undo & { readonly hits: number };

/** Connections that can be refused and dropped: those of a listener or in memory. */
export interface FaultyConnections {
  refuse(): void;
  accept(): unknown;
  dropConnections(): void;
}

/** Makes requests, answers and connections fail. */
export interface Faults {
  /** Adds a fault. If several match a request, the oldest is applied. */
  inject(fault: Fault): InjectedFault;
  /** Refuses new connections until it is undone, or for `forMs`. */
  refuseConnections(options?: { readonly forMs?: number | undefined }): Undo;
  /** Resets every connection. */
  dropConnections(): void;
  /** Removes all faults and accepts connections again. */
  clear(): void;
}

/** {@link Faults} with the methods that the server itself calls. */
export interface FaultInjector extends Faults {
  /** A handler that applies faults to the requests and answers of `handler`. */
  wrap(handler: ApiHandler): ApiHandler;
  /** Whether new connections are refused now. */
  readonly isRefusing: boolean;
  /** Sets the connections to refuse and drop. */
  attach(connections: FaultyConnections): void;
}

/** Options of {@link createFaults}. */
export interface FaultOptions {
  readonly clock: Clock;
  /** Makes probabilities and garbling repeatable. @default the clock's random numbers */
  readonly seed?: number | undefined;
  /** The Status for a continue token that has expired. @default a 410 Status without a new continue token */
  readonly expiredContinue?: ((token: string) => Status) | undefined;
}

/** A fault that was injected, and how often it was applied. */
class ActiveFault {
  readonly fault: Fault;
  hits = 0;
  #seen = 0;

  constructor(fault: Fault) {
    this.fault = fault;
  }

  /** Whether it applies now. A match that `after` or `probability` lets pass is not a hit. */
  applies(phase: FaultPhase, request: FaultRequest, random: () => number): boolean {
    const { fault } = this;
    if (this.hits >= (fault.times ?? 1) || phaseOf(fault, request.info) !== phase || !matches(fault, request))
      return false;
    if (this.#seen++ < (fault.after ?? 0)) return false;
    if (fault.probability !== undefined && random() >= fault.probability) return false;
    this.hits++;
    return true;
  }
}

/**
 * Makes faults that are deterministic: the same clock, seed and requests give the same faults.
 *
 * @example
 * const faults = createFaults({ clock, seed: 1 });
 * const served = faults.wrap(handler);
 * faults.inject({ verb: 'watch', resource: 'pods', reset: 'midEvent' });
 */
export function createFaults(options: FaultOptions): FaultInjector {
  return new FaultBox(options);
}

class FaultBox implements FaultInjector {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #expiredContinue: (token: string) => Status;
  readonly #active = new Set<ActiveFault>();
  readonly #refusals = new Set<Undo>();
  #connections: FaultyConnections | undefined;

  constructor(options: FaultOptions) {
    this.#clock = options.clock;
    this.#random = options.seed === undefined ? () => options.clock.random() : seededRandom(options.seed);
    this.#expiredContinue =
      options.expiredContinue ?? (() => expired('The provided continue parameter is too old (an injected fault).'));
  }

  inject(fault: Fault): InjectedFault {
    const active = new ActiveFault(validFault(fault));
    this.#active.add(active);
    const undo = undoOnce(() => void this.#active.delete(active));
    return Object.defineProperty(undo, 'hits', { get: () => active.hits }) as InjectedFault;
  }

  refuseConnections(options: { readonly forMs?: number | undefined } = {}): Undo {
    checkOptions('refuseConnections', options, { forMs: true });
    if (options.forMs !== undefined) requireNumber('forMs', options.forMs);
    const undo = undoOnce(() => {
      timer?.cancel();
      this.#refusals.delete(undo);
      if (this.#refusals.size === 0) this.#connections?.accept();
    });
    const timer = options.forMs === undefined ? undefined : this.#clock.setTimer(options.forMs, undo);
    this.#refusals.add(undo);
    this.#connections?.refuse();
    return undo;
  }

  dropConnections(): void {
    this.#connections?.dropConnections();
  }

  clear(): void {
    this.#active.clear();
    for (const undo of [...this.#refusals]) undo();
  }

  attach(connections: FaultyConnections): void {
    this.#connections = connections;
    if (this.#refusals.size > 0) connections.refuse();
  }

  wrap(handler: ApiHandler): ApiHandler {
    return (request, response) => this.#serve(handler, request, response);
  }

  async #serve(handler: ApiHandler, request: ApiRequest, response: ApiResponse): Promise<void> {
    const info = parseRequestInfo(request.method, request.target);
    if (info === undefined) return handler(request, response);
    const isWatch = info.isResourceRequest && info.verb === 'watch';
    // Faults that are injected later apply to open watches, but to no other answer.
    if (this.#active.size === 0 && !isWatch) return handler(request, response);
    const shown: FaultRequest = { info, headers: request.headers };
    const fault = this.next('request', shown);
    if (fault !== undefined && 'reset' in fault) return response.reset();
    if (fault !== undefined && 'respond' in fault) return sendStatus(response, statusOf(fault.respond));
    if (fault !== undefined && 'expireContinue' in fault) {
      return sendStatus(response, this.#expire(info.query.get('continue') ?? ''));
    }
    if (fault !== undefined && 'delayMs' in fault) {
      try {
        await this.#clock.sleep(fault.delayMs, { signal: request.signal });
      } catch {
        return;
      }
    }
    const faulty = new FaultyResponse({
      faults: this,
      request,
      response,
      shown,
      clock: this.#clock,
      random: this.#random,
    });
    try {
      await handler(faulty.request, faulty);
      faulty.end();
      await faulty.whenFinished();
    } finally {
      faulty.dispose();
    }
  }

  /** The Status for a token: 410 Gone, or 400 if it is no token. */
  #expire(token: string): Status {
    try {
      return this.#expiredContinue(token);
    } catch (error) {
      if (error instanceof StatusError) return error.document as Status;
      throw error;
    }
  }

  get isRefusing(): boolean {
    return this.#refusals.size > 0;
  }

  /** Whether there are no faults, so that events need not be parsed. */
  get isQuiet(): boolean {
    return this.#active.size === 0;
  }

  /** The fault to apply now, if there is one. It counts as a hit. */
  next(phase: FaultPhase, request: FaultRequest): Fault | undefined {
    for (const active of this.#active) if (active.applies(phase, request, this.#random)) return active.fault;
    return undefined;
  }
}
