import { PriorityQueue } from '../../../../src/workqueue/priority-queue.js';
import { processQueue } from '../../../../src/workqueue/process-queue.js';
import { RateLimitingQueue } from '../../../../src/workqueue/rate-limiting-queue.js';
import type { SimProcess } from '../process.js';
import type { Program } from '../slot.js';
import { Actor, type ActorBase, type Stage } from './actor.js';
import { differenceFrom, openInformer } from './informer.js';

/** A work queue that an informer fills, with workers. */
export interface QueuePlan extends ActorBase {
  readonly kind: 'queue';
  readonly queue: 'rate-limiting' | 'priority';
  readonly workers: number;
}

/** No key is lost, and none is worked on twice at a time: in the end each has been reconciled in its latest state. */
export class QueueActor extends Actor {
  readonly #plan: QueuePlan;

  constructor(name: string, stage: Stage, plan: QueuePlan) {
    super(name, stage, plan);
    this.#plan = plan;
    this.addSlot(name, (process) => this.#begin(process));
  }

  #begin(process: SimProcess): Program {
    const { cluster, random } = this;
    const { clock } = process;
    const client = process.connect(cluster.link, this.credentials(), { wire: this.#plan.wire });
    const { factory, informer } = openInformer(client, 'configmaps', {}, (error) =>
      this.problem(`a programming error: ${(error as Error).stack}`),
    );
    const queue = this.#plan.queue === 'priority' ? new PriorityQueue({ clock }) : new RateLimitingQueue({ clock });
    informer.enqueueInto(queue);
    const stop = new AbortController();
    /** The version of the last state of each key that was worked on to the end. */
    const done = new Map<string, string>();
    const running = new Set<string>();
    const working = processQueue(queue, {
      workers: this.#plan.workers,
      signal: stop.signal,
      onError: () => {},
      reconcile: async (key) => {
        if (running.has(key)) this.problem(`${key} is worked on twice at a time`);
        running.add(key);
        this.count('queue runs');
        try {
          const version = informer.lister.entry(key)?.facts.resourceVersion;
          const choice = random();
          if (choice < 0.5) await clock.sleep(random() * 800);
          if (choice < 0.15) throw new Error('a reconcile fails');
          if (version === undefined) done.delete(key);
          else done.set(key, version);
          return choice > 0.9 ? { requeueAfterMs: 2000 } : undefined;
        } finally {
          running.delete(key);
        }
      },
    });
    factory.start();
    return {
      unsettled: () => {
        if (running.size + queue.length > 0) return `${running.size + queue.length} keys are in the queue`;
        return differenceFrom(
          cluster,
          'configmaps',
          () => true,
          (key) => done.get(key),
          done.size,
        );
      },
      stop: async () => {
        stop.abort();
        await working;
        await factory.stop();
        await queue.shutDown();
        if (running.size > 0) this.problem('reconciles go on after the stop');
      },
    };
  }
}
