import { type Client, type Clock, KubeflectError, LeadershipLostError, statusErrorOf } from '../../index.js';
import { someError } from '../../meta/errors/error-predicates.js';
import { asError } from '../../meta/errors/errors.js';
import { abortError, linkSignals } from '../../time/signals.js';

/** How long a request of a run to another cluster may take, unless the client of that cluster has a `timeoutMs`. */
const requestMs = 10_000;
/** A run that waits for an answer for so long goes on without its worker. */
const slowMs = 1000;
/** After which time a cluster that did not answer is asked: doubled each time. */
const firstPauseMs = 1000;
const longestPauseMs = 30_000;

/** What {@link OtherClusters} needs from its controller. */
export interface OtherClustersHost {
  readonly clock: Clock;
  /** A cluster answers again: wakes the keys whose requests to it failed. */
  isBack(host: string, keys: ReadonlySet<string>): void;
}

/** The run that sends a request. */
export interface RequestingRun {
  readonly key: string;
  readonly signal: AbortSignal;
  /** The run waits for a cluster that is slow: it should hold no worker. */
  giveWorkerBack(): void;
}

/**
 * The clusters other than the controller's own that its runs use, so that one that is slow or does not answer does not delay
 * the others:
 *
 * - a request ends after `timeoutMs` of its client, or 10 s;
 * - a run that waits for 1 s goes on without its worker, and so do others that use the cluster until it answers sooner;
 * - after a request without an answer the cluster is away: requests fail unsent until it answers `GET /version`, which it is
 *   asked after 1 s, 2 s, … 30 s while keys wait for it; these keys are woken then.
 */
export class OtherClusters {
  readonly #host: OtherClustersHost;
  readonly #known = new WeakMap<Client, OtherCluster>();
  /** Those that keys wait for. */
  readonly #awaited = new Set<OtherCluster>();

  constructor(host: OtherClustersHost) {
    this.#host = host;
  }

  of(client: Client): OtherCluster {
    let cluster = this.#known.get(client);
    if (cluster === undefined) {
      cluster = new OtherCluster(client, this.#host, this.#awaited);
      this.#known.set(client, cluster);
    }
    return cluster;
  }

  /** A run of the key was done, or its object is gone: it waits for no cluster. */
  settled(key: string): void {
    for (const cluster of this.#awaited) cluster.settled(key);
  }

  /** The cluster is no longer used. */
  forget(client: Client): void {
    this.#known.get(client)?.close();
    this.#known.delete(client);
  }

  close(): void {
    for (const cluster of this.#awaited) cluster.close();
  }
}

/** Why a cluster is believed to be away, and when it is asked. */
interface Absence {
  error: unknown;
  /** When it is asked next, on the monotonic clock. */
  askAt: number;
  pauseMs: number;
}

/** One cluster, as the runs of one controller see it. */
export class OtherCluster {
  readonly #client: Client;
  readonly #host: OtherClustersHost;
  /** This is in the set while keys wait for it. */
  readonly #awaited: Set<OtherCluster>;
  readonly #timeoutMs: number;
  #absence: Absence | undefined;
  /** Whether the last answer took long, or the next one does. */
  #isSlow = false;
  /** Keys whose requests failed since the cluster answered last. */
  readonly #waiting = new Set<string>();
  /** Asks the cluster whether it answers; aborts when that is no longer of interest. */
  #asking: AbortController | undefined;

  constructor(client: Client, host: OtherClustersHost, awaited: Set<OtherCluster>) {
    this.#client = client;
    this.#host = host;
    this.#awaited = awaited;
    this.#timeoutMs = client.rest.timeoutMs ?? requestMs;
  }

  /** Sends a request, with a signal that ends it in time. */
  async request<R>(
    run: RequestingRun,
    own: AbortSignal | undefined,
    send: (signal: AbortSignal) => Promise<R>,
  ): Promise<R> {
    const { clock } = this.#host;
    if (this.#absence !== undefined) throw this.#refusal(run.key, this.#absence);
    const startedAt = clock.monotonicNow();
    const link = linkSignals([own, run.signal], this.#limit());
    if (this.#isSlow) run.giveWorkerBack();
    const onSlow = (): void => {
      this.#isSlow = true;
      run.giveWorkerBack();
    };
    const slow = clock.setTimer(slowMs, onSlow, { keepAlive: false });
    const answered = (): void => {
      this.#isSlow = clock.monotonicNow() - startedAt >= slowMs;
      this.#answered();
    };
    try {
      const answer = await send(link.signal);
      answered();
      return answer;
    } catch (error) {
      if (statusErrorOf(error) !== undefined) answered();
      else if (!wasAborted(error, [own, run.signal])) this.#failed(run.key, error);
      throw error;
    } finally {
      slow.cancel();
      link.release();
    }
  }

  settled(key: string): void {
    if (this.#waiting.delete(key) && this.#waiting.size === 0) this.#stopAsking();
  }

  close(): void {
    this.#absence = undefined;
    this.#waiting.clear();
    this.#stopAsking();
  }

  #limit() {
    const what = `the request of a run to ${this.#client.rest.host}`;
    return { timeoutMs: this.#timeoutMs, clock: this.#host.clock, what };
  }

  #refusal(key: string, { error, askAt }: Absence): ClusterAwayError {
    this.#await(key);
    const askedInMs = Math.max(askAt - this.#host.clock.monotonicNow(), 0);
    return new ClusterAwayError(this.#client.rest.host, askedInMs, error);
  }

  #answered(): void {
    if (this.#absence === undefined) return;
    const waiting = new Set(this.#waiting);
    this.close();
    if (waiting.size > 0) this.#host.isBack(this.#client.rest.host, waiting);
  }

  #failed(key: string, error: unknown): void {
    const now = this.#host.clock.monotonicNow();
    this.#absence ??= { error, askAt: now + firstPauseMs, pauseMs: firstPauseMs };
    this.#await(key);
  }

  /** Keeps a key until the cluster answers, and asks it now and then. */
  #await(key: string): void {
    this.#waiting.add(key);
    if (this.#asking !== undefined) return;
    this.#awaited.add(this);
    this.#asking = new AbortController();
    void this.#ask(this.#asking.signal);
  }

  #stopAsking(): void {
    this.#awaited.delete(this);
    this.#asking?.abort(abortError('no run waits for the cluster'));
    this.#asking = undefined;
  }

  async #ask(signal: AbortSignal): Promise<void> {
    const { clock } = this.#host;
    for (;;) {
      const absence = this.#absence;
      if (absence === undefined || signal.aborted) return;
      const delayMs = Math.max(absence.askAt - clock.monotonicNow(), 0);
      await clock.sleep(delayMs, { signal }).catch(() => {});
      if (signal.aborted) return;
      const link = linkSignals([signal], this.#limit());
      try {
        await this.#client.rest.get().absPath('/version').do({ signal: link.signal });
        this.#answered();
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (statusErrorOf(error) !== undefined) this.#answered();
        // The client was closed: the cluster will not be used again.
        else if (wasAborted(error, [])) this.close();
        else {
          absence.error = error;
          absence.pauseMs = Math.min(absence.pauseMs * 2, longestPauseMs);
          absence.askAt = clock.monotonicNow() + absence.pauseMs;
        }
      } finally {
        link.release();
      }
    }
  }
}

/** Whether a request ended because its run did, because another replica may lead, or because the client was closed. */
function wasAborted(error: unknown, signals: readonly (AbortSignal | undefined)[]): boolean {
  if (signals.some((signal) => signal?.aborted)) return true;
  return someError(error, (one) => one instanceof LeadershipLostError || (one as Error).name === 'AbortError');
}

/** A request to another cluster was not sent, because the cluster did not answer the ones before. */
export class ClusterAwayError extends KubeflectError {
  static {
    ClusterAwayError.prototype.name = 'ClusterAwayError';
  }

  /** The least time until the next try. */
  readonly retryAfterMs: number;

  constructor(cluster: string, askedInMs: number, cause: unknown) {
    // Without times, so that the same failure is reported once.
    const away = `${cluster} does not answer (${asError(cause).message})`;
    super('CLUSTER_AWAY', `the request was not sent: ${away}; the run is repeated when it does`, { cause });
    this.retryAfterMs = askedInMs;
  }
}
