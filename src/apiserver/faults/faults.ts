import { StatusError } from '../../meta/errors.js';
import { checkOptions } from '../../meta/known-options.js';
import type { Status } from '../../meta/status.js';
import { expired } from '../../meta/status.js';
import { requireNumber } from '../../meta/validate.js';
import type { Clock } from '../../time/clock.js';
import { seededRandom } from '../../time/seeded-random.js';
import type { ApiHandler, ApiRequest, ApiResponse } from '../wire/exchange.js';
import { parseRequestInfo } from '../wire/request-info.js';
import { sendStatus } from '../wire/response-writer.js';
import { type Fault, type FaultPhase, type FaultRequest, matches, phaseOf, statusOf, validFault } from './fault.js';
import { FaultyResponse } from './faulty-response.js';

/** A fault that has been put in place; disposing of it takes it away. */
export interface InjectedFault extends Disposable {
  /** How often it has struck. */
  readonly hits: number;
}

/** What can be cut or closed to new connections; a listener, or the in-memory one. */
export interface FaultyConnections {
  refuse(): void;
  accept(): unknown;
  dropConnections(): void;
}

/** Trouble on demand. */
export interface Faults {
  /** Puts a fault in place. Of several that match, the oldest strikes. */
  inject(fault: Fault): InjectedFault;
  /** Refuses new connections until disposed of, or for `forMs`. */
  refuseConnections(options?: { readonly forMs?: number | undefined }): Disposable;
  /** Cuts every connection. */
  dropConnections(): void;
  /** Takes everything away. */
  clear(): void;
}

/** {@link Faults} as the server holds them. */
export interface FaultInjector extends Faults {
  /** Lets faults get between clients and a handler. */
  wrap(handler: ApiHandler): ApiHandler;
  /** Whether new connections are refused now. */
  readonly isRefusing: boolean;
  /** Says which connections to refuse and drop. */
  attach(connections: FaultyConnections): void;
}

/** What faults need. */
export interface FaultOptions {
  readonly clock: Clock;
  /** Makes probabilities and garbling repeatable. @default the clock's random numbers */
  readonly seed?: number | undefined;
  /** The Status for a continue token that has expired. @default a 410 Status without a new continue token */
  readonly expiredContinue?: ((token: string) => Status) | undefined;
}

/** A fault in place. */
class ActiveFault {
  readonly fault: Fault;
  hits = 0;
  #seen = 0;

  constructor(fault: Fault) {
    this.fault = fault;
  }

  /** Whether it strikes now. A match that chance or `after` lets pass counts as seen, not as a hit. */
  strikes(phase: FaultPhase, request: FaultRequest, random: () => number): boolean {
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
 * Makes faults that are deterministic: with the same clock, seed and requests the same ones strike.
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
  readonly #refusals = new Set<Disposable>();
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
    return {
      get hits() {
        return active.hits;
      },
      [Symbol.dispose]: () => void this.#active.delete(active),
    };
  }

  refuseConnections(options: { readonly forMs?: number | undefined } = {}): Disposable {
    checkOptions('refuseConnections', options, { forMs: true });
    if (options.forMs !== undefined) requireNumber('forMs', options.forMs);
    const timer =
      options.forMs === undefined ? undefined : this.#clock.setTimer(options.forMs, () => refusal[Symbol.dispose]());
    const refusal: Disposable = {
      [Symbol.dispose]: () => {
        timer?.cancel();
        if (this.#refusals.delete(refusal) && this.#refusals.size === 0) this.#connections?.accept();
      },
    };
    this.#refusals.add(refusal);
    this.#connections?.refuse();
    return refusal;
  }

  dropConnections(): void {
    this.#connections?.dropConnections();
  }

  clear(): void {
    this.#active.clear();
    for (const refusal of [...this.#refusals]) refusal[Symbol.dispose]();
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
    // An open watch may meet faults that are put in place later; every other answer meets those that are there now.
    if (this.#active.size === 0 && !isWatch) return handler(request, response);
    const shown: FaultRequest = { info, headers: request.headers };
    const fault = this.strike('request', shown);
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

  /** What a token is answered with that has expired, or is none. */
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

  /** Whether nothing can strike, so that events may pass unseen. */
  get isQuiet(): boolean {
    return this.#active.size === 0;
  }

  /** The fault that strikes now, if one does. */
  strike(phase: FaultPhase, request: FaultRequest): Fault | undefined {
    for (const active of this.#active) if (active.strikes(phase, request, this.#random)) return active.fault;
    return undefined;
  }
}
