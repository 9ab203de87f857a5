import type { InformerEvent } from '../../cache/informer/informer-event.js';
import type { SharedIndexInformer } from '../../cache/informer/shared-informer.js';
import type { KubernetesObject, Unstructured } from '../../meta/objects.js';
import { printGroupResource } from '../../meta/resource.js';
import { channels, listen } from '../../observe/channels.js';
import type { Clock } from '../../time/clock.js';
import { changesBetween } from '../watch/changes.js';
import { summaryOf } from '../watch/summary.js';

/** An informer as the table shows it. */
export interface InformerLine {
  readonly resource: string;
  readonly state: string;
  readonly objects: number;
  readonly events: number;
  readonly eventsPerSecond: number;
  readonly stalenessMs: number;
  readonly problem: string;
}

/** Something that happened to an object. */
export interface Change {
  /** In ms since 1970. */
  readonly at: number;
  readonly type: InformerEvent<unknown>['type'];
  readonly resource: string;
  readonly key: string;
  readonly story: string;
}

/** A work queue as the table shows it. */
export interface QueueLine {
  readonly name: string;
  depth: number;
  processed: number;
  retries: number;
}

/** How many changes are remembered. */
const changesKept = 50;
/** Rates are those of about this long. */
const rateWindowMs = 3_000;

interface Watched {
  readonly informer: SharedIndexInformer<KubernetesObject>;
  readonly resource: string;
  events: number;
  /** Counts at some moments of the last seconds, oldest first. */
  samples: { readonly at: number; readonly events: number }[];
}

/** Gathers what the table shows: informers by their own word, everything else from the diagnostics channels. */
export class DemoObserver {
  readonly queues: Map<string, QueueLine> = new Map();
  readonly changes: Change[] = [];
  /** Who leads; undefined if nobody does. */
  leader: string | undefined;
  recordedEvents = 0;
  /** Hears of each change as it happens. */
  onChange: ((change: Change) => void) | undefined;
  /** Hears of each informer when its first list is through. */
  onSynced: ((resource: string, objects: number) => void) | undefined;
  readonly #clock: Clock;
  readonly #watched: Watched[] = [];
  readonly #undos: (() => void)[];

  constructor(clock: Clock, informers: readonly SharedIndexInformer<KubernetesObject>[]) {
    this.#clock = clock;
    for (const informer of informers) this.#follow(informer);
    this.#undos = [
      listen(channels.workqueueAdd, ({ queue, depth }) => (this.#queue(queue).depth = depth)),
      listen(channels.workqueueGet, ({ queue, depth }) => (this.#queue(queue).depth = depth)),
      listen(channels.workqueueDone, ({ queue }) => this.#queue(queue).processed++),
      listen(channels.workqueueRetry, ({ queue }) => this.#queue(queue).retries++),
      listen(channels.electionAcquired, ({ identity }) => (this.leader = identity)),
      listen(channels.electionLost, () => (this.leader = undefined)),
      listen(channels.eventRecord, () => this.recordedEvents++),
    ];
  }

  /** Hears nothing more. */
  stop(): void {
    for (const undo of this.#undos.splice(0)) undo();
    this.onChange = undefined;
    this.onSynced = undefined;
  }

  /** The informers as of now. */
  informers(): InformerLine[] {
    const now = this.#clock.monotonicNow();
    return this.#watched.map((watched) => {
      const { informer, resource, events } = watched;
      const { state, stalenessMs, consecutiveFailures, lastError } = informer.status;
      const problem = consecutiveFailures > 0 ? (lastError?.message ?? '') : '';
      const eventsPerSecond = rateOf(watched, now);
      return { resource, state, objects: informer.lister.count(), events, eventsPerSecond, stalenessMs, problem };
    });
  }

  #follow(informer: SharedIndexInformer<KubernetesObject>): void {
    const resource = printGroupResource(informer.resource);
    const watched: Watched = {
      informer,
      resource,
      events: 0,
      samples: [{ at: this.#clock.monotonicNow(), events: 0 }],
    };
    this.#watched.push(watched);
    const subscription = informer.subscribe(
      (event) => {
        watched.events++;
        if (event.type === 'add' && event.isInInitialList) return;
        this.#note(resource, event);
      },
      { name: `demo ${resource}` },
    );
    subscription.whenSynced().then(
      () => this.onSynced?.(resource, watched.events),
      // It was stopped before: there is nothing to tell.
      () => {},
    );
  }

  #note(resource: string, event: InformerEvent<KubernetesObject>): void {
    const summary = summaryOf(event.object as Unstructured);
    const details = event.type === 'update' ? changesBetween(event.old, event.object, 2).join(', ') : '';
    const story = [summary, details].filter((part) => part !== '').join('  ');
    const change = { at: this.#clock.now(), type: event.type, resource, key: event.key, story };
    this.changes.push(change);
    if (this.changes.length > changesKept) this.changes.shift();
    this.onChange?.(change);
  }

  #queue(name: string): QueueLine {
    let queue = this.queues.get(name);
    if (queue === undefined) {
      queue = { name, depth: 0, processed: 0, retries: 0 };
      this.queues.set(name, queue);
    }
    return queue;
  }
}

function rateOf(watched: Watched, now: number): number {
  const { samples, events } = watched;
  samples.push({ at: now, events });
  while (samples.length > 2 && now - (samples[1] as { at: number }).at >= rateWindowMs) samples.shift();
  const oldest = samples[0] as { readonly at: number; readonly events: number };
  return now === oldest.at ? 0 : ((events - oldest.events) * 1000) / (now - oldest.at);
}
