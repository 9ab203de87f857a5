import { isExpired, isTooManyRequests, statusErrorOf } from '../../meta/errors/error-predicates.js';
import { asError, KubeflectError } from '../../meta/errors/errors.js';
import type { Abortable, DeepReadonly } from '../../meta/objects.js';
import { abortableNames, checkOptions, type OptionNames } from '../../meta/options/known-options.js';
import { requireFunction, requireNumber, requireSignal } from '../../meta/options/validate.js';
import { apiVersionOf, type Resource } from '../../meta/resource.js';
import { escapeFieldValue } from '../../meta/selectors/field-selector.js';
import { Backoff } from '../../time/backoff.js';
import type { Clock } from '../../time/clock.js';
import { linkSignals } from '../../time/signals.js';
import type { ResourceClient } from '../resource-client.js';
import { checkSegment, Target } from '../target.js';
import { ConditionImpossibleError, type WaitCondition } from './conditions.js';

/** Options of `client.waitFor`. */
export interface WaitOptions extends Abortable {
  /** The namespace of the object. @default none: the resource is cluster-scoped */
  readonly namespace?: string | undefined;
  /** Rejects with a {@link WaitTimeoutError} after this time; 0 looks once. @default no limit */
  readonly timeoutMs?: number | undefined;
  /** Called with what is still missing, each time that this changes. @default none */
  readonly onProgress?: ((message: string) => void) | undefined;
}

const waitNames: OptionNames<WaitOptions> = {
  ...abortableNames,
  namespace: true,
  timeoutMs: true,
  onProgress: true,
};

/** The condition did not hold within `timeoutMs`. */
export class WaitTimeoutError extends KubeflectError {
  static {
    WaitTimeoutError.prototype.name = 'WaitTimeoutError';
  }

  /** What was still missing. */
  readonly missing: string;

  constructor(what: string, timeoutMs: number, missing: string) {
    super('WAIT_TIMEOUT', `${what}: not within ${timeoutMs} ms: ${missing}`);
    this.missing = missing;
  }
}

/** What a wait needs of a client. */
interface WaitingClient {
  readonly clock: Clock;
  forResource<T>(resource: Resource<T>, namespace?: string): ResourceClient<T>;
}

/** Between two lists of one wait: after a watch that ended, or a failure. */
const RELIST = { initialMs: 100, factor: 2, capMs: 10_000, jitter: 0.5, resetAfterMs: 60_000 };

/** Waits until the condition holds, and resolves to the object; undefined if it does not exist then. See `Client.waitFor`. */
export async function waitFor<T>(
  client: WaitingClient,
  resource: Resource<T>,
  name: string,
  condition: WaitCondition<T>,
  options: WaitOptions,
): Promise<T | undefined> {
  const { namespace, timeoutMs, signal, onProgress } = checkOptions('waitFor', options, waitNames);
  requireFunction('condition', condition);
  if (timeoutMs !== undefined) requireNumber('timeoutMs', timeoutMs);
  requireSignal('signal', signal);
  if (onProgress !== undefined) requireFunction('onProgress', onProgress);
  const target = new Target(resource, namespace);
  target.checkPlace('wait for');
  checkSegment('name', name);
  signal?.throwIfAborted();
  const wait = new Wait(client.clock, client.forResource(resource, namespace), name, target, condition, onProgress);
  if (timeoutMs === 0) return wait.once(signal);
  const link = linkSignals([signal], { timeoutMs, clock: client.clock });
  try {
    return await wait.run(link.signal);
  } catch (error) {
    const isLate = link.signal.aborted && error === link.signal.reason && signal?.aborted !== true;
    throw isLate ? wait.timedOut(timeoutMs as number) : error;
  } finally {
    link.abort();
  }
}

class Wait<T> {
  readonly #clock: Clock;
  readonly #objects: ResourceClient<T>;
  readonly #name: string;
  readonly #target: Target;
  readonly #condition: WaitCondition<T>;
  readonly #onProgress: ((message: string) => void) | undefined;
  #missing = 'there was no answer from the server';
  #wasThere = false;

  constructor(
    clock: Clock,
    objects: ResourceClient<T>,
    name: string,
    target: Target,
    condition: WaitCondition<T>,
    onProgress: ((message: string) => void) | undefined,
  ) {
    this.#clock = clock;
    this.#objects = objects;
    this.#name = name;
    this.#target = target;
    this.#condition = condition;
    this.#onProgress = onProgress;
  }

  timedOut(timeoutMs: number): WaitTimeoutError {
    const { namespace } = this.#target;
    const what = `${this.#target} ${namespace === undefined ? '' : `${namespace}/`}${this.#name}`;
    return new WaitTimeoutError(what, timeoutMs, this.#missing);
  }

  async once(signal: AbortSignal | undefined): Promise<T | undefined> {
    const { object } = await this.#list(signal);
    if (this.#holds(object)) return object;
    throw this.timedOut(0);
  }

  /** Lists and watches; lists again when the watch ends, for whatever reason. */
  async run(signal: AbortSignal): Promise<T | undefined> {
    const backoff = new Backoff(this.#clock, RELIST);
    for (;;) {
      try {
        const { object, resourceVersion } = await this.#list(signal);
        if (this.#holds(object)) return object;
        for await (const event of this.#objects.watch({ ...this.#selector, resourceVersion, signal })) {
          const now = event.type === 'DELETED' ? undefined : this.#typed(event.object);
          if (this.#holds(now)) return now;
        }
        signal.throwIfAborted();
      } catch (error) {
        signal.throwIfAborted();
        if (!isTransient(error)) throw error;
        if (!isExpired(error)) this.#report(`the last request failed: ${asError(error).message}`);
      }
      await this.#clock.sleep(backoff.next(), { signal });
    }
  }

  async #list(
    signal: AbortSignal | undefined,
  ): Promise<{ object: T | undefined; resourceVersion: string | undefined }> {
    const { items, metadata } = await this.#objects.list({ ...this.#selector, signal });
    const [found] = items;
    return {
      object: found === undefined ? undefined : this.#typed(found),
      resourceVersion: metadata.resourceVersion,
    };
  }

  get #selector(): { readonly fieldSelector: string } {
    return { fieldSelector: `metadata.name=${escapeFieldValue(this.#name)}` };
  }

  /** The items of lists have no kind, which conditions may read. */
  #typed(object: T): T {
    return { kind: this.#target.kind, apiVersion: apiVersionOf(this.#target.resource), ...object };
  }

  #holds(object: T | undefined): boolean {
    const answer = this.#condition(object as DeepReadonly<T> | undefined);
    if (answer === true) return true;
    if (object === undefined && this.#wasThere) {
      throw new ConditionImpossibleError(`${this.#target} ${this.#name} was deleted while it was waited for`);
    }
    this.#wasThere ||= object !== undefined;
    this.#report(answer === false ? 'the condition does not hold' : answer);
    return false;
  }

  #report(missing: string): void {
    if (missing === this.#missing) return;
    this.#missing = missing;
    this.#onProgress?.(missing);
  }
}

/** Whether the same request may succeed later. What conditions throw is no answer of a server, nor a broken connection. */
function isTransient(error: unknown): boolean {
  const refused = statusErrorOf(error);
  if (refused === undefined) return error instanceof KubeflectError && error.code === 'REQUEST';
  return isExpired(refused) || isTooManyRequests(refused) || refused.status === 0 || refused.status >= 500;
}
