import { requireNumber } from '../../meta/options/validate.js';
import type { Clock, Timer } from '../../time/clock.js';

/** Timeouts of connections; 0 for none. The defaults are those of kube-apiserver. */
export interface ConnectionTimeouts {
  /** From the connection, its TLS handshake included, to the end of its first request's head. @default 32000 */
  readonly headersTimeoutMs?: number | undefined;
  /** From the head of a request to the end of its body. @default 60000 */
  readonly bodyTimeoutMs?: number | undefined;
  /** From the end of a connection's last answer to the end of its next request's head. @default 90000 */
  readonly idleTimeoutMs?: number | undefined;
}

/** The timeouts with their defaults; throws a TypeError that names an invalid one. */
export function connectionTimeouts(given: ConnectionTimeouts): {
  readonly headersMs: number;
  readonly bodyMs: number;
  readonly idleMs: number;
} {
  return {
    headersMs: requireNumber('headersTimeoutMs', given.headersTimeoutMs ?? 32_000),
    bodyMs: requireNumber('bodyTimeoutMs', given.bodyTimeoutMs ?? 60_000),
    idleMs: requireNumber('idleTimeoutMs', given.idleTimeoutMs ?? 90_000),
  };
}

/** Calls back after `ms`, never for 0. The timer does not keep the process alive. */
export function timeoutAfter(clock: Clock, ms: number, callback: () => void): Timer | undefined {
  return ms === 0 ? undefined : clock.setTimer(ms, callback, { keepAlive: false });
}

/** Closes a connection without requests: after `headersMs` before the first one, after `idleMs` since the last one. */
export class ConnectionGuard {
  readonly #clock: Clock;
  readonly #idleMs: number;
  readonly #close: () => void;
  #timer: Timer | undefined;
  #underWay = 0;
  #isOver = false;

  constructor(clock: Clock, limits: { readonly headersMs: number; readonly idleMs: number }, close: () => void) {
    this.#clock = clock;
    this.#idleMs = limits.idleMs;
    this.#close = close;
    this.#timer = timeoutAfter(clock, limits.headersMs, close);
  }

  /** The head of a request has arrived. */
  begin(): void {
    this.#underWay++;
    this.#timer?.cancel();
  }

  /** The answer has ended. */
  end(): void {
    if (--this.#underWay === 0 && !this.#isOver) this.#timer = timeoutAfter(this.#clock, this.#idleMs, this.#close);
  }

  /** The connection is closed. */
  stop(): void {
    this.#isOver = true;
    this.#timer?.cancel();
  }
}
