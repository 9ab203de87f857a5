import { asError, KubeflectError } from '../../meta/errors/errors.js';
import { requireFunction, requireNumber, requireSignal } from '../../meta/options/validate.js';
import type { Client } from '../client.js';
import type { WaitCondition } from '../wait/conditions.js';
import { waitFor } from '../wait/wait-for.js';
import { inParallel } from './in-parallel.js';
import { ManifestError, type ManifestProblem } from './manifest-error.js';
import type { ManifestProgress, ManifestResult } from './options.js';
import { type ManifestObject, referenceOf } from './resolve-objects.js';

/** How many objects of one phase are sent, or waited for, at a time. */
const AT_A_TIME = 8;

/** What every kind of work on a manifest shares. */
interface RunOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly onProgress?: ((progress: ManifestProgress) => void) | undefined;
}

/**
 * One piece of work on the objects of a manifest: collects results and problems. A refusal of one object does not stop the
 * others; a broken connection and an abort do.
 */
export class ManifestRun {
  readonly #client: Client;
  readonly #options: RunOptions;
  readonly #problems: ManifestProblem[] = [];
  readonly results: Map<ManifestObject, ManifestResult> = new Map();

  constructor(client: Client, options: RunOptions) {
    requireSignal('signal', options.signal);
    if (options.timeoutMs !== undefined) requireNumber('timeoutMs', options.timeoutMs);
    if (options.onProgress !== undefined) requireFunction('onProgress', options.onProgress);
    this.#client = client;
    this.#options = options;
  }

  get hasProblems(): boolean {
    return this.#problems.length > 0;
  }

  /** Does `work` for each object; what it returns is the result. */
  async each(
    objects: readonly ManifestObject[],
    work: (object: ManifestObject) => Promise<ManifestResult['action']>,
  ): Promise<void> {
    await inParallel(objects, AT_A_TIME, (object) =>
      this.attempt(object, async () => {
        const result = { ...referenceOf(object), action: await work(object) };
        this.results.set(object, result);
        this.progress(result);
      }),
    );
  }

  /** Waits for each object; `timeoutMs` counts from the call. */
  async wait(
    objects: readonly ManifestObject[],
    conditionOf: (object: ManifestObject) => WaitCondition<unknown> | undefined,
    timeoutMs: number | undefined = this.#options.timeoutMs,
  ): Promise<void> {
    const { clock } = this.#client;
    const { signal } = this.#options;
    const deadline = timeoutMs === undefined ? undefined : clock.monotonicNow() + timeoutMs;
    await inParallel(objects, AT_A_TIME, (object) =>
      this.attempt(object, async () => {
        const condition = conditionOf(object);
        if (condition === undefined) return;
        const reference = referenceOf(object);
        await waitFor(this.#client, object.resource, object.name, condition, {
          namespace: object.namespace,
          signal,
          timeoutMs: deadline === undefined ? undefined : Math.ceil(Math.max(0, deadline - clock.monotonicNow())),
          onProgress: (message) => this.progress({ ...reference, action: 'waiting', message }),
        });
      }),
    );
  }

  progress(progress: ManifestProgress): void {
    this.#options.onProgress?.(progress);
  }

  /** The results in the order of the manifest. @throws ManifestError if there are problems */
  finish(what: string, objects: readonly ManifestObject[]): ManifestResult[] {
    if (this.#problems.length > 0) {
      const order = new Map(objects.map((object, at) => [object as unknown, at]));
      const problems = this.#problems.sort((a, b) => (order.get(a.object) ?? 0) - (order.get(b.object) ?? 0));
      const done = `${this.results.size} of ${objects.length} objects were ${what}; these failed`;
      throw new ManifestError(
        done,
        problems.map(({ object, ...rest }) => ({ ...rest, object: object && referenceOf(object as ManifestObject) })),
      );
    }
    return objects.flatMap((object) => this.results.get(object) ?? []);
  }

  /** Does work for one object; what it throws becomes a problem. */
  async attempt(object: ManifestObject, work: () => Promise<void>): Promise<void> {
    const { signal } = this.#options;
    signal?.throwIfAborted();
    try {
      await work();
    } catch (error) {
      signal?.throwIfAborted();
      // Without a connection, or with a mistake in a callback, the other objects would fail in the same way.
      if (error instanceof KubeflectError && error.code === 'REQUEST') throw error;
      this.#problems.push({ place: object.place, object, error: asError(error) });
    }
  }
}
