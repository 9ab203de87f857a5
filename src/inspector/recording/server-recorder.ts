import type { Undo } from '../../meta/undo.js';
import { type ChannelMessage, channels, listen } from '../../observe/channels.js';
import type { Clock } from '../../time/clock.js';
import { errorText } from './error-text.js';
import { Meter, Named, RateCounter } from './meter.js';

/** What is counted of one API server. */
export class ServerMeter extends Meter {
  readonly writes: RateCounter = new RateCounter();
  retries = 0;
  throttled = 0;
}

/** Requests of one kind that a server refused. */
export interface RecordedDenial {
  readonly host: string;
  readonly verb: string;
  readonly path: string;
  readonly status: number;
  count: number;
  lastAt: number;
  message: string;
}

const mostDenials = 200;
const reads = new Set(['get', 'list', 'watch', '']);
/** Answers that are part of normal work: an object is not there, or was changed by another client. */
const expected = new Set([404, 409, 410]);

/** Counts requests by the host of the server, and keeps those that were refused with 401 and 403. */
export class ServerRecorder {
  readonly servers: Named<ServerMeter> = new Named(() => new ServerMeter());
  readonly #denials = new Map<string, RecordedDenial>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get denials(): readonly RecordedDenial[] {
    return [...this.#denials.values()];
  }

  listen(): Undo[] {
    const { servers } = this;
    return [
      listen(channels.restRequest, (request) => {
        const meter = servers.of(request.host);
        const { status = 0, verb, durationMs } = request;
        // The server answers a watch when it has something to send.
        if (verb === 'watch') meter.count();
        else meter.pass(durationMs);
        if (!reads.has(verb)) meter.writes.total++;
        if ((status === 0 || status >= 400) && !expected.has(status)) meter.fail();
        if (status === 401 || status === 403) this.#deny(request, status);
      }),
      listen(channels.restRetry, ({ host }) => void servers.of(host).retries++),
      listen(channels.restThrottle, ({ host }) => void servers.of(host).throttled++),
    ];
  }

  #deny({ host, verb, path, error }: ChannelMessage<'restRequest'>, status: number): void {
    const key = `${host} ${verb} ${path} ${status}`;
    let denial = this.#denials.get(key);
    if (denial === undefined) {
      if (this.#denials.size >= mostDenials) return;
      denial = { host, verb, path, status, count: 0, lastAt: 0, message: '' };
      this.#denials.set(key, denial);
    }
    denial.count++;
    denial.lastAt = this.#clock.now();
    if (error !== undefined) denial.message = errorText(error);
  }
}
