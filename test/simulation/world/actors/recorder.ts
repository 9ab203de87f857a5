import { EventBroadcaster } from '../../../../src/events/event-broadcaster.js';
import { channels, listen } from '../../../../src/observe/channels.js';
import type { SimProcess } from '../process.js';
import type { Program } from '../slot.js';
import { Actor, type ActorBase, type Stage } from './actor.js';

/** A recorder of events. */
export interface RecorderPlan extends ActorBase {
  readonly kind: 'recorder';
  readonly api: 'v1' | 'events.k8s.io/v1';
}

/** What one process has recorded of one reason. */
interface Recorded {
  readonly about: string;
  readonly reason: string;
  count: number;
  /** Whether the broadcaster has said that it could not write some of it. */
  isLost: boolean;
}

/** So few that the rate limit of events about one object is never reached. */
const MOST_OF_ONE = 20;

interface StoredEvent {
  readonly reason?: string;
  readonly count?: number;
  readonly series?: { readonly count?: number } | null;
  readonly involvedObject?: { readonly name?: string };
  readonly regarding?: { readonly name?: string };
}

/** Events that were recorded are stored with their count, unless the recorder has said that they are lost. */
export class RecorderActor extends Actor {
  readonly #plan: RecorderPlan;
  readonly #ended: Recorded[] = [];
  #record: ((reason: string, times: number) => void) | undefined;

  constructor(name: string, stage: Stage, plan: RecorderPlan) {
    super(name, stage, plan);
    this.#plan = plan;
    this.addSlot(name, (process) => this.#begin(process));
  }

  /** Records an event some times; nothing while there is no process, or while it is blocked. */
  record(reason: string, times: number): void {
    if (this.slots[0]?.process?.isBlocked === false) this.#record?.(reason, times);
  }

  override checkEnd(): void {
    if (!this.cluster.isUp) return;
    const stored = [...this.cluster.objects('events')].map((revision) => revision.decode() as StoredEvent);
    for (const { about, reason, count, isLost } of this.#ended) {
      const same = stored.filter((event) => {
        return event.reason === reason && (event.involvedObject ?? event.regarding)?.name === about;
      });
      const found = same.reduce((sum, event) => sum + (event.series?.count ?? event.count ?? 1), 0);
      this.count('recorded events', count);
      if (isLost) this.count('events reported as lost');
      if (found > count || (found < count && !isLost))
        this.problem(`${reason} about ${about} was recorded ${count} times, and is stored ${found} times`);
    }
  }

  #begin(process: SimProcess): Program {
    const client = process.connect(this.cluster.link, this.credentials(), { wire: this.#plan.wire });
    const broadcaster = new EventBroadcaster({ client, api: this.#plan.api, onError: () => {} });
    const recorder = broadcaster.recorder({ component: 'example.com/sim', host: 'sim' });
    const about = process.name;
    const recorded = new Map<string, Recorded>();
    const unlisten = listen(channels.eventRecord, ({ outcome, reason, regarding }) => {
      if (!regarding.endsWith(`/${about}`) || (outcome !== 'dropped' && outcome !== 'failed')) return;
      const lost = recorded.get(reason);
      if (lost !== undefined) lost.isLost = true;
    });
    this.#record = (reason, times) => {
      const entry = recorded.get(reason) ?? { about, reason, count: 0, isLost: false };
      recorded.set(reason, entry);
      const object = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'blue', name: about, uid: about };
      for (let i = 0; i < times && total(recorded) < MOST_OF_ONE; i++) {
        entry.count++;
        recorder.event(object, { type: 'Normal', reason, message: `it is about ${reason}` });
      }
    };
    return {
      unsettled: () => undefined,
      stop: async () => {
        this.#record = undefined;
        await broadcaster.close();
        unlisten();
        this.#ended.push(...recorded.values());
      },
      killed: () => {
        this.#record = undefined;
        unlisten();
      },
    };
  }
}

function total(recorded: ReadonlyMap<string, Recorded>): number {
  return [...recorded.values()].reduce((sum, { count }) => sum + count, 0);
}
