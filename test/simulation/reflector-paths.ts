import { VeryShortWatchError } from '../../src/cache/reflector/reflector-errors.js';
import { SilentWatchError } from '../../src/cache/source/open-watch.js';
import {
  isConnectionLost,
  isConnectionRefused,
  isExpired,
  isReason,
  isTooManyRequests,
} from '../../src/meta/errors/error-predicates.js';
import { channels, listen } from '../../src/observe/channels.js';
import type { Figures } from './figures.js';

/** What is known of one reflector. */
interface Path {
  state: string;
  /** How the list or watch of the present state ended, until the next state is known. */
  outcome: string | undefined;
  /** The transition before. */
  last: string;
}

/**
 * Counts the transitions of the reflectors, and the pairs of transitions that follow each other, from the messages of their channels.
 * `watching ─expired→ backingOff` is a transition: the label is the outcome of the list or watch.
 */
export class ReflectorPaths {
  readonly #figures: Figures;
  readonly #paths = new Map<string, Path>();
  readonly #undos: (() => void)[];

  constructor(figures: Figures) {
    this.#figures = figures;
    this.#undos = [
      listen(channels.reflectorList, ({ source, how, error }) => {
        const path = this.#path(source.name);
        // In other states it is the list of a shard that was gained.
        if (path.state !== stateOf[how]) this.#figures.add('shard lists');
        else this.#ended(path, error === undefined ? 'synced' : outcomeOf(error));
      }),
      listen(channels.reflectorWatch, ({ source, error }) => {
        this.#ended(this.#path(source.name), error === undefined ? 'closed' : outcomeOf(error));
      }),
      listen(channels.reflectorStatus, ({ source, state }) => this.#take(this.#path(source.name), state)),
    ];
  }

  stop(): void {
    for (const undo of this.#undos) undo();
  }

  /** A list or watch has ended. If the one before did not lead to another state, the reflector has begun the same state again. */
  #ended(path: Path, outcome: string): void {
    if (path.outcome !== undefined) this.#take(path, path.state);
    path.outcome = outcome;
  }

  #take(path: Path, state: string): void {
    const { outcome } = path;
    const transition = `${path.state} ${outcome === undefined || state === 'stopped' ? '' : `─${outcome}`}→ ${state}`;
    this.#figures.add(`transition ${transition}`);
    if (path.last !== '') this.#figures.add(`pair ${path.last}, ${transition}`);
    Object.assign(path, { state, outcome: undefined, last: transition });
  }

  #path(name: string): Path {
    let path = this.#paths.get(name);
    if (path === undefined) {
      path = { state: 'idle', outcome: undefined, last: '' };
      this.#paths.set(name, path);
    }
    return path;
  }
}

/** The states in which a reflector reads the whole collection. */
const stateOf = { list: 'listing', watchList: 'streaming' } as const;

/** Errors that reflectors treat differently. */
function outcomeOf(error: unknown): string {
  if (isConnectionRefused(error)) return 'refused';
  if (isTooManyRequests(error)) return 'throttled';
  if (isExpired(error)) return 'expired';
  if (error instanceof SilentWatchError) return error.answered ? 'silent' : 'unanswered';
  if (error instanceof VeryShortWatchError) return 'very short';
  if (isConnectionLost(error)) return 'lost';
  return isReason(error, 'InternalError') ? 'internal' : 'failed';
}

/** Every transition that a reflector takes in a simulation. A plan that leaves one out for ever would prove nothing about it. */
export const transitions: readonly string[] = [];
