// Collects the data that the demo shows: of informers from their status, of everything else from the diagnostics channels.
import { channels, listen } from 'kubeflect/observe';
import { storyOf } from './story.mjs';

const changesKept = 50;
const rateWindowMs = 3_000;

/** @typedef {{ at: number, type: 'add' | 'update' | 'delete', resource: string, key: string, story: string }} Change */

export class Observer {
  /** @type {Map<string, { depth: number, processed: number, retries: number }>} the work queues by name */
  queues = new Map();
  /** @type {Change[]} the last changes, oldest first */
  changes = [];
  /** @type {string | undefined} the identity of the leader */
  leader;
  recordedEvents = 0;
  /** @type {(change: Change) => void} called for each change as it happens */
  onChange = () => {};
  /** @type {(resource: string, objects: number) => void} called for each informer after its first list */
  onSynced = () => {};
  #clock;
  #watched;
  #undos;

  constructor(clock, informers) {
    this.#clock = clock;
    this.#watched = informers.map((informer) => this.#follow(informer));
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

  /** The informers as of now. */
  informers() {
    const now = this.#clock.monotonicNow();
    return this.#watched.map(({ informer, resource, events, samples }) => {
      const { state, stalenessMs, consecutiveFailures, lastError } = informer.status;
      samples.push({ at: now, events });
      while (samples.length > 2 && now - samples[1].at >= rateWindowMs) samples.shift();
      const [oldest] = samples;
      const eventsPerSecond = now === oldest.at ? 0 : ((events - oldest.events) * 1000) / (now - oldest.at);
      const problem = consecutiveFailures > 0 ? (lastError?.message ?? '') : '';
      return { resource, state, objects: informer.lister.count(), events, eventsPerSecond, stalenessMs, problem };
    });
  }

  stop() {
    for (const undo of this.#undos) undo();
    this.onChange = () => {};
    this.onSynced = () => {};
  }

  #follow(informer) {
    const { resource: plural, group } = informer.resource;
    const resource = group === '' ? plural : `${plural}.${group}`;
    const watched = { informer, resource, events: 0, samples: [{ at: this.#clock.monotonicNow(), events: 0 }] };
    const subscription = informer.subscribe(
      (event) => {
        watched.events++;
        if (event.type !== 'add' || !event.isInInitialList) this.#note(resource, event);
      },
      { name: `demo ${resource}` },
    );
    // Rejects if the informer is stopped before.
    subscription.whenSynced().then(
      () => this.onSynced(resource, watched.events),
      () => {},
    );
    return watched;
  }

  #note(resource, event) {
    const change = { at: this.#clock.now(), type: event.type, resource, key: event.key, story: storyOf(event) };
    this.changes.push(change);
    if (this.changes.length > changesKept) this.changes.shift();
    this.onChange(change);
  }

  #queue(name) {
    if (!this.queues.has(name)) this.queues.set(name, { depth: 0, processed: 0, retries: 0 });
    return this.queues.get(name);
  }
}
