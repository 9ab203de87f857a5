import type { Undo } from '../../meta/undo.js';
import { channels, listen } from '../../observe/channels.js';
import type { Clock } from '../../time/clock.js';
import { errorText } from './error-text.js';

/** What is known of one elector. */
export interface RecordedLease {
  readonly lease: string;
  readonly identity: string;
  isLeader: boolean;
  since: number | undefined;
  transitions: number | undefined;
  renewedAt: number | undefined;
  renewalMs: number | undefined;
  error: string | undefined;
}

const mostLeases = 200;

/** Keeps the state of the electors that publish something. */
export class LeaseRecorder {
  readonly #leases = new Map<string, RecordedLease>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get leases(): readonly RecordedLease[] {
    return [...this.#leases.values()];
  }

  listen(): Undo[] {
    return [
      listen(channels.electionStarted, (message) => this.#set(message, { isLeader: false })),
      listen(channels.electionAcquired, (message) => {
        const { transitions } = message;
        this.#set(message, { isLeader: true, since: this.#clock.now(), transitions, error: undefined });
      }),
      listen(channels.electionLost, (message) => {
        const error = message.error === undefined ? undefined : errorText(message.error);
        this.#set(message, { isLeader: false, since: this.#clock.now(), error });
      }),
      listen(channels.electionRenew, (message) => {
        const { error, durationMs } = message;
        const renewal = { renewedAt: this.#clock.now(), renewalMs: durationMs, error: undefined };
        // Only a leader renews.
        this.#set(message, { isLeader: true, ...(error === undefined ? renewal : { error: errorText(error) }) });
      }),
    ];
  }

  #set({ lease, identity }: Pick<RecordedLease, 'lease' | 'identity'>, change: Partial<RecordedLease>): void {
    const key = `${lease} ${identity}`;
    let known = this.#leases.get(key);
    if (known === undefined) {
      if (this.#leases.size >= mostLeases) return;
      known = {
        lease,
        identity,
        isLeader: false,
        since: undefined,
        transitions: undefined,
        renewedAt: undefined,
        renewalMs: undefined,
        error: undefined,
      };
      this.#leases.set(key, known);
    }
    Object.assign(known, change);
  }
}
