import { afterEach, expect } from 'vitest';
import type { InformerEvent } from '../../src/cache/informer/informer-event.js';
import type { SubscribeOptions } from '../../src/cache/informer/subscription.js';
import { FakeControllerSource, type FakeControllerSourceOptions } from '../../src/testing/fake-controller-source.js';
import { FakeClock } from '../../src/time/fake-clock.js';
import type { Thing } from './forms.js';
import type { InformerForm, InformerTestOptions } from './informers.js';

/** How tests show an event: `add a=1 initial`, `update a=1>2`, `update a=2>2 resync`, `delete a=2 unknown`. */
export function showEvent(event: InformerEvent<Thing>): string {
  const { name } = event.facts;
  const value = event.object.value ?? '';
  if (event.type === 'add') return `add ${name}=${value}${event.isInInitialList ? ' initial' : ''}`;
  if (event.type === 'update')
    return `update ${name}=${event.old.value ?? ''}>${value}${event.isResync ? ' resync' : ''}`;
  return `delete ${name}=${value}${event.finalStateKnown ? '' : ' unknown'}`;
}

/** For one `describe`: informers on a FakeControllerSource and a fake clock. Checks after each test that no timer is left. */
export function informerRig(form: InformerForm) {
  const clocks: FakeClock[] = [];
  afterEach(() => {
    for (const clock of clocks.splice(0)) expect(clock.pendingTimers).toEqual([]);
  });

  function setup(options: InformerTestOptions & { source?: FakeControllerSourceOptions } = {}) {
    const clock = new FakeClock({ seed: 5 });
    clocks.push(clock);
    const source = new FakeControllerSource<Thing>(options.source);
    const errors: string[] = [];
    const { source: _, ...rest } = options;
    const informer = form.make(source, clock, {
      onError: (error, { subscription, reason }) => errors.push([subscription ?? reason, error.message].join(': ')),
      ...rest,
    });
    const stop = new AbortController();
    let running: Promise<void> | undefined;
    const start = async () => {
      running = informer.run(stop.signal);
      await clock.runUntilIdle();
    };
    const end = async () => {
      stop.abort();
      await running;
    };
    const log = (options?: SubscribeOptions<Thing>) => {
      const seen: string[] = [];
      const subscription = informer.subscribe((event) => void seen.push(showEvent(event)), options);
      return { seen, subscription };
    };
    return { clock, source, errors, informer, stop, start, end, log };
  }

  return { setup };
}
