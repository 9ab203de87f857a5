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

/**
 * Every transition of `next` in reflector-state.ts that a server can cause. Plans that never lead to one of them prove nothing about it.
 * Not among them: a watch-list that the server closes before it is complete and that is opened again, of which no message tells; a reflector
 * that is stopped before it has begun; and what only a store or a source that throws can cause.
 */
export const transitions: readonly string[] = [
  'transition backingOff → listing',
  'transition backingOff → stopped',
  'transition backingOff → streaming',
  'transition backingOff → watching',
  'transition idle → listing',
  'transition idle → streaming',
  'transition listing → stopped',
  'transition listing ─expired→ backingOff',
  'transition listing ─expired→ listing',
  'transition listing ─failed→ backingOff',
  'transition listing ─internal→ backingOff',
  'transition listing ─lost→ backingOff',
  'transition listing ─refused→ backingOff',
  'transition listing ─synced→ watching',
  'transition listing ─throttled→ backingOff',
  'transition streaming → stopped',
  'transition streaming ─expired→ listing',
  'transition streaming ─expired→ streaming',
  'transition streaming ─failed→ listing',
  'transition streaming ─internal→ listing',
  'transition streaming ─lost→ listing',
  'transition streaming ─refused→ backingOff',
  'transition streaming ─silent→ listing',
  'transition streaming ─silent→ streaming',
  'transition streaming ─synced→ watching',
  'transition streaming ─throttled→ backingOff',
  'transition streaming ─unanswered→ listing',
  'transition streaming ─unanswered→ streaming',
  'transition streaming ─very short→ listing',
  'transition watching → stopped',
  'transition watching ─closed→ backingOff',
  'transition watching ─closed→ watching',
  'transition watching ─expired→ backingOff',
  'transition watching ─failed→ backingOff',
  'transition watching ─internal→ backingOff',
  'transition watching ─lost→ backingOff',
  'transition watching ─lost→ watching',
  'transition watching ─refused→ backingOff',
  'transition watching ─throttled→ backingOff',
];
