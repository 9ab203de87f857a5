import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { type Thing, thing } from '../../../test/support/forms.js';
import { type InformerTestOptions, informerForms } from '../../../test/support/informers.js';
import { channels, listen } from '../../observe/channels.js';
import { FakeControllerSource } from '../../testing/fake-controller-source.js';
import { FakeClock } from '../../time/fake-clock.js';

describe.each(informerForms)('a subscription to an informer of $name', (form) => {
  function setup(options: InformerTestOptions = {}) {
    const clock = new FakeClock({ seed: 7 });
    const source = new FakeControllerSource<Thing>();
    const informer = form.make(source, clock, options);
    const stop = new AbortController();
    return { clock, source, informer, stop };
  }

  it('with an aborted signal gets no event', async () => {
    const { clock, source, informer, stop } = setup();
    source.add(thing('a'));
    const seen: string[] = [];
    const subscription = informer.subscribe(({ key }) => void seen.push(key), { signal: AbortSignal.abort() });
    const running = informer.run(stop.signal);
    await clock.runUntilIdle();
    expect(seen).toEqual([]);
    await subscription.remove();
    stop.abort();
    await running;
  });

  it('that is removed before it has synced rejects whenSynced', async () => {
    const { clock, source, informer, stop } = setup();
    source.add(thing('a'));
    const removed = informer.subscribe(() => {}, { name: 'first' });
    const waiting = removed.whenSynced();
    await removed.remove();
    await expect(waiting).rejects.toThrow('the handler first was removed before it had synced');
    await expect(removed.whenSynced()).rejects.toThrow('was removed');
    const stopped = informer.subscribe(() => new Promise(() => {}), { name: 'second' });
    const running = informer.run(stop.signal);
    await clock.runUntilIdle();
    const hung = stopped.whenSynced();
    stop.abort();
    await expect(hung).rejects.toThrow('second was removed');
    void running;
  });

  it.each(['signal', 'remove() before it awaits'])(
    'the informer ends after a call of the handler that outlives its %s',
    async (how) => {
      const { clock, source, informer, stop } = setup();
      source.add(thing('a'));
      const log: string[] = [];
      let finish = () => {};
      const subscription = informer.subscribe(
        async () => {
          log.push('begun');
          if (how !== 'signal') void subscription.remove();
          await new Promise<void>((resolve) => {
            finish = resolve;
          });
          log.push('ended');
        },
        how === 'signal' ? { signal: stop.signal } : {},
      );
      const running = informer.run(stop.signal).then(() => log.push('run has settled'));
      await clock.runUntilIdle();
      stop.abort();
      await clock.runUntilIdle();
      expect(log).toEqual(['begun']);
      finish();
      await running;
      expect(log).toEqual(['begun', 'ended', 'run has settled']);
    },
  );

  it('a loop over events() ends with the informer', async () => {
    const { clock, source, informer, stop } = setup();
    source.add(thing('a'));
    const seen: string[] = [];
    const loop = (async () => {
      for await (const event of informer.events()) seen.push(event.type);
    })();
    const running = informer.run(stop.signal);
    await clock.runUntilIdle();
    stop.abort();
    await running;
    await loop;
    expect(seen).toEqual(['add', 'synced']);
  });

  it('events() with an aborted signal ends at once, and leaves no handler behind', async () => {
    const { clock, source, informer, stop } = setup();
    let asked = 0;
    const events = informer.events({ signal: AbortSignal.abort(), filter: () => ++asked > 0 });
    expect(await events.next()).toEqual({ done: true, value: undefined });
    const running = informer.run(stop.signal);
    source.add(thing('a'));
    await clock.runUntilIdle();
    expect(informer.lister.count()).toBe(1);
    expect(asked).toBe(0);
    stop.abort();
    await running;
  });

  it('the mark of events() comes before changes after the first list', async () => {
    const { clock, source, informer, stop } = setup();
    source.add(thing('a', 1));
    const seen: string[] = [];
    const loop = (async () => {
      for await (const event of informer.events()) {
        seen.push(event.type === 'synced' ? `synced ${event.resourceVersion}` : `${event.type} ${event.facts.name}`);
      }
    })();
    const running = informer.run(stop.signal);
    // Right after the list, so that both are processed in one slice.
    for (let turn = 0; source.openWatches === 0 && turn < 100; turn++) await Promise.resolve();
    source.modify(thing('a', 2));
    source.add(thing('b', 1));
    await clock.runUntilIdle();
    expect(seen.filter((event) => !event.startsWith('synced'))).toEqual(['add a', 'update a', 'add b']);
    expect(seen[1]).toMatch(/^synced/);
    stop.abort();
    await running;
    await loop;
  });

  it('a handler with maxPending can wait for a version behind its waiting events', async () => {
    const { clock, source, informer, stop } = setup();
    const log: string[] = [];
    informer.subscribe(
      async ({ key }) => {
        if (key !== 'a0') return;
        await informer.waitForResourceVersion('40');
        log.push(`at ${informer.resourceVersion}`);
      },
      { maxPending: 2 },
    );
    const running = informer.run(stop.signal);
    await clock.runUntilIdle();
    for (let i = 0; i < 40; i++) {
      source.add(thing(`a${i}`));
      await clock.runUntilIdle();
    }
    expect(log).toEqual(['at 40']);
    stop.abort();
    await running;
  });

  it('a handler that waits for a version does not keep its informer from stopping', async () => {
    const { clock, source, informer, stop } = setup();
    source.add(thing('a'));
    const log: string[] = [];
    informer.subscribe(() => informer.waitForResourceVersion('99').catch(({ name }) => log.push(name)));
    const running = informer.run(stop.signal);
    await clock.runUntilIdle();
    stop.abort();
    await running;
    expect(log).toEqual(['InformerStoppedError']);
  });

  it('an informer that cannot start reports it, and rejects all waits', async () => {
    const errors: string[] = [];
    const listWatch = () => {
      throw new Error('no source');
    };
    const options = { listWatch, onError: (error: Error) => errors.push(error.message) };
    const { informer, stop } = setup(options as InformerTestOptions);
    const subscription = informer.subscribe(() => {});
    await expect(informer.run(stop.signal)).rejects.toThrow('no source');
    expect(errors).toEqual(['no source']);
    await expect(informer.whenSynced()).rejects.toThrow('was stopped before it had synced');
    await expect(subscription.whenSynced()).rejects.toThrow('was removed');
    expect(informer.status.state).toBe('stopped');
  });

  it('that its own filter removes gets no further event', async () => {
    const { clock, source, informer, stop } = setup();
    source.add(thing('a'));
    source.add(thing('b'));
    const seen: string[] = [];
    const subscription = informer.subscribe(({ key }) => void seen.push(key), {
      filter() {
        void subscription.remove();
        return true;
      },
    });
    const running = informer.run(stop.signal);
    await clock.runUntilIdle();
    expect(seen).toEqual([]);
    stop.abort();
    await running;
  });

  it.each(['throws', 'rejects with'])('continues after its handler %s a value that has no text', async (how) => {
    const errors: Error[] = [];
    const { clock, source, informer, stop } = setup({ onError: (error) => errors.push(error) });
    source.add(thing('a'));
    source.add(thing('b'));
    const thrown: unknown = Object.create(null);
    const seen: string[] = [];
    const subscription = informer.subscribe(({ key }) => {
      seen.push(key);
      if (how === 'throws') throw thrown;
      return Promise.reject(thrown);
    });
    const running = informer.run(stop.signal);
    await clock.runUntilIdle();
    expect(seen).toEqual(['a', 'b']);
    expect(subscription.hasSynced).toBe(true);
    expect(errors.map(({ message, cause }) => [message, cause])).toEqual(
      Array.from({ length: 2 }, () => ['an object of no class', thrown]),
    );
    stop.abort();
    await running;
  });

  it('a handler with maxPending can wait for the first list', async () => {
    const { clock, source, informer, stop } = setup();
    for (let i = 0; i < 10; i++) source.add(thing(`a${i}`));
    let calls = 0;
    informer.subscribe(
      async () => {
        await informer.whenSynced();
        calls++;
      },
      { maxPending: 2 },
    );
    const running = informer.run(stop.signal);
    await clock.runUntilIdle();
    expect(calls).toBe(10);
    stop.abort();
    await running;
  });

  it('the mark of events() has the version of the first list, also if it is read late', async () => {
    const { clock, source, informer, stop } = setup();
    source.add(thing('a', 1));
    source.add(thing('b', 1));
    const running = informer.run(stop.signal);
    await clock.runUntilIdle();
    const events = informer.events();
    await clock.runUntilIdle();
    source.modify(thing('a', 2));
    await clock.runUntilIdle();
    const seen: string[] = [];
    for (let i = 0; i < 4; i++) {
      const [{ value }] = await Promise.all([events.next(), clock.runUntilIdle()]);
      seen.push(`${value.type} ${value.type === 'synced' ? value.resourceVersion : value.facts.resourceVersion}`);
    }
    expect(seen).toEqual(['add 1', 'add 2', 'synced 2', 'update 3']);
    stop.abort();
    await running;
  });

  it('twenty with one signal have one abort listener on it', async () => {
    const { informer } = setup();
    const stop = new AbortController();
    const subscriptions = Array.from({ length: 20 }, () => informer.subscribe(() => {}, { signal: stop.signal }));
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(1);
    for (const subscription of subscriptions) await subscription.remove();
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });

  it.each(['sync', 'async'])('whose %s handler blocks the event loop is reported by name', async (how) => {
    const errors: string[] = [];
    const { clock, source, informer, stop } = setup({ onError: ({ message }) => errors.push(message) });
    let blockedMs = 0;
    const monotonicNow = clock.monotonicNow.bind(clock);
    clock.monotonicNow = () => monotonicNow() + blockedMs;
    source.add(thing('quick'));
    source.add(thing('slow'));
    informer.subscribe(
      ({ key }) => {
        if (key === 'slow') blockedMs += 60;
        return how === 'sync' ? undefined : Promise.resolve();
      },
      { name: 'busy' },
    );
    const running = informer.run(stop.signal);
    await clock.runUntilIdle();
    expect(errors).toEqual([
      'the handler busy blocked the event loop for 60 ms on slow; make it asynchronous or faster',
    ]);
    stop.abort();
    await running;
  });

  it('with a filter publishes the number of waiting events, and the lag of merged ones', async () => {
    const { clock, source, informer, stop } = setup();
    const pending: number[] = [];
    const lags: number[] = [];
    const undos = [
      listen(channels.handlerPending, (message) => pending.push(message.pending)),
      listen(channels.handlerLag, ({ lagMs }) => lags.push(lagMs)),
    ];
    informer.subscribe(() => clock.sleep(100), { coalesce: true, filter: ({ key }) => key === 'a' });
    source.add(thing('a', 1));
    source.add(thing('b', 1));
    const running = informer.run(stop.signal);
    await clock.runUntilIdle();
    source.modify(thing('a', 2));
    source.modify(thing('a', 3));
    await clock.runUntilIdle();
    expect(pending).toEqual([1]);
    await clock.advance(100);
    for (const undo of undos) undo();
    expect(pending).toEqual([1, 1, 0]);
    expect(lags).toEqual([0, 100, 100]);
    stop.abort();
    await clock.advance(100);
    await running;
  });
});
