import type { Timer } from '../../time/clock.js';
import type { Revision } from '../storage/storage.js';
import type { ServerController, ServerControllerContext } from './server-controller.js';

/** How long an Event is kept after its last write, as on kube-apiserver. */
const EVENT_TTL_MS = 60 * 60 * 1000;

/** Deletes Events an hour after their last write. */
export function startEventExpiry({ clock, storage, registry }: ServerControllerContext): ServerController {
  const events = registry.find('', 'v1', 'events')!.collection;
  /** The writes of Events in their order, which is that of their ends. */
  let writes: { readonly revision: Revision; readonly ends: number }[] = [];
  let timer: Timer | undefined;

  const unsubscribe = storage.subscribe((revision, collection) => {
    if (collection !== events || revision.type === 'DELETED') return;
    writes.push({ revision, ends: clock.now() + EVENT_TTL_MS });
    if (timer === undefined) wait();
  });

  function wait(): void {
    const first = writes[0];
    // It must not keep the process alive: only the storage changes.
    timer = first && clock.setTimer(Math.max(0, first.ends - clock.now()), expire, { keepAlive: false });
  }

  function expire(): void {
    const now = clock.now();
    let ended = 0;
    while (ended < writes.length && writes[ended]!.ends <= now) {
      const { revision } = writes[ended++]!;
      // An Event that was written again has a later entry.
      if (events.get(revision.key) === revision) events.remove(revision.key);
    }
    writes = writes.slice(ended);
    wait();
  }

  return {
    stop() {
      unsubscribe();
      timer?.cancel();
    },
  };
}
