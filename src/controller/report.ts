import type { Clock } from '../index.js';
import { asError } from '../meta/errors/errors.js';
import { escapeControls, escapeTextControls } from '../meta/escape-controls.js';

/** The same warning is repeated after this time. */
const repeatMs = 60_000;
/** Different warnings that are remembered. */
const mostRemembered = 1000;

/** Reports failed runs as process warnings, the same one once a minute. */
export class FailureWarnings {
  readonly #clock: Clock;
  readonly #controller: string;
  /** When each text was last reported, the oldest first. */
  readonly #reportedAt = new Map<string, number>();

  constructor(clock: Clock, controller: string) {
    this.#clock = clock;
    this.#controller = controller;
  }

  report(error: unknown, key: string): void {
    const { message, stack } = asError(error);
    const id = `${key} ${message}`;
    const now = this.#clock.monotonicNow();
    if (now - (this.#reportedAt.get(id) ?? Number.NEGATIVE_INFINITY) < repeatMs) return;
    this.#reportedAt.delete(id);
    this.#reportedAt.set(id, now);
    const [oldest] = this.#reportedAt.keys();
    if (this.#reportedAt.size > mostRemembered && oldest !== undefined) this.#reportedAt.delete(oldest);
    const text = `${this.#controller} failed on ${escapeControls(key)}: ${escapeTextControls(stack ?? message)}`;
    process.emitWarning(text, 'KubeflectReconcileWarning');
  }
}
