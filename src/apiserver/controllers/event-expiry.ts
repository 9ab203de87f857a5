import type { Timer } from '../../time/clock.js';
import type { Steps } from '../../time/steps.js';
import type { Revision } from '../storage/storage.js';
import { ControllerQueue } from './controller-queue.js';
import type { ServerController, ServerControllerContext } from './server-controller.js';

/** How long an Event is kept after its last write, as on kube-apiserver. */
const EVENT_TTL_MS = 60 * 60 * 1000;

/** Deletes Events an hour after their last write. */
export function startEventExpiry({ clock, storage, registry, onError }: ServerControllerContext): ServerController {
  const events = registry.find('', 'v1', 'events')!.collection;
  const queue = new ControllerQueue(clock, 'event-expiry', expire, onError);
  /** The writes of Events in their order, which is that of their ends. Without the objects: most are written again. */
  let writes: Write[] = [];
  let timer: Timer | undefined;

  events.scan(storage.version, '', '', (revision) => writes.push(writeOf(revision)) > 0);
  writes.sort((a, b) => a.version - b.version);
  wait();
  const unsubscribe = storage.subscribe((revision, collection) => {
    if (collection !== events || revision.type === 'DELETED') return;
    writes.push(writeOf(revision));
    if (timer === undefined) wait();
  });

  function wait(): void {
    const first = writes[0];
    // It must not keep the process alive: only the storage changes.
    timer = first && clock.setTimer(Math.max(0, endOf(first) - clock.now()), end, { keepAlive: false });
  }

  function end(): void {
    const now = clock.now();
    let ended = 0;
    while (ended < writes.length && endOf(writes[ended]!) <= now) queue.add(writes[ended++]!.key);
    writes = writes.slice(ended);
    wait();
  }

  // biome-ignore lint/correctness/useYield: short, but the work of a queue
  function* expire(key: string): Steps<void> {
    const revision = events.get(key);
    // An Event that was written again has a later end.
    if (revision !== undefined && endOf(revision) <= clock.now()) events.remove(key);
  }

  return {
    stop() {
      unsubscribe();
      timer?.cancel();
      queue.stop();
    },
  };
}

/** What is kept of a write until its end. */
type Write = Pick<Revision, 'key' | 'version' | 'time'>;

function writeOf({ key, version, time }: Revision): Write {
  return { key, version, time };
}

function endOf({ time }: Pick<Revision, 'time'>): number {
  return time + EVENT_TTL_MS;
}
