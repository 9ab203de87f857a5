import { describe, expect, it } from 'vitest';
import type { WireEvent } from '../meta/watch-event.js';
import { FakeClock } from '../time/fake-clock.js';
import type { StreamDecoder } from './codec.js';
import { DecodeFlow, type DecodeFlowOptions } from './decode-flow.js';
import { engineOf } from './json/engine.js';
import { jsonCodec } from './json/json-codec.js';
import type { Raw } from './raw.js';
import { SlabArena } from './slab.js';

type Event = WireEvent<Raw<unknown>>;

const line = (name: string): Buffer =>
  Buffer.from(`${JSON.stringify({ type: 'ADDED', object: { kind: 'Pod', apiVersion: 'v1', metadata: { name } } })}\n`);

/** A line followed by so much white space that three of them exceed the high-water mark of 1 MiB. */
const longLine = (name: string): Buffer => Buffer.concat([line(name), Buffer.alloc(400_000, ' ')]);

/** A flow into a list of keys; `room` is the number of batches after which the sink returns false. */
function setUp(options: Partial<DecodeFlowOptions<Event>> = {}) {
  const clock = new FakeClock();
  const keys: string[] = [];
  const arrays = new Set<unknown>();
  const state = { room: Number.POSITIVE_INFINITY, drained: 0, outcome: 'open' as unknown };
  const flow = new DecodeFlow<Event>({
    decoder: jsonCodec.watchDecoder({ arena: new SlabArena() }),
    clock,
    name: 'test',
    sink: {
      batch(events) {
        arrays.add(events);
        for (const { object } of events) keys.push((object as Raw<unknown>).key);
        return --state.room > 0;
      },
    },
    onDrain: () => state.drained++,
    ...options,
  });
  flow.done.then(
    () => {
      state.outcome = 'done';
    },
    (error: unknown) => {
      state.outcome = error;
    },
  );
  return { clock, keys, state, flow, arrays };
}

describe('DecodeFlow', () => {
  it('stores a chunk when it arrives and decodes it in a turn of the scheduler', async () => {
    const { clock, keys, flow, state, arrays } = setUp();
    expect(flow.chunk(line('a'))).toBe(true);
    flow.chunk(line('b'));
    expect(keys).toEqual([]);
    await clock.runUntilIdle();
    expect(keys).toEqual(['a', 'b']);
    flow.chunk(line('c'));
    flow.end();
    await clock.runUntilIdle();
    expect([keys, state.outcome]).toEqual([['a', 'b', 'c'], 'done']);
    expect([...arrays]).toEqual([[]]);
  });

  it('pauses when the sink returns false, until resume()', async () => {
    const { clock, keys, flow, state } = setUp();
    state.room = 1;
    flow.chunk(line('a'));
    await clock.runUntilIdle();
    flow.chunk(line('b'));
    flow.end();
    await clock.runUntilIdle();
    expect([keys, state.outcome]).toEqual([['a'], 'open']);
    state.room = 5;
    flow.resume();
    flow.resume();
    await clock.runUntilIdle();
    expect([keys, state.outcome]).toEqual([['a', 'b'], 'done']);
  });

  it('pauses the source above the high-water mark, and calls onDrain below half of it', async () => {
    const { clock, flow, state } = setUp();
    state.room = 1;
    expect(flow.chunk(line('a'))).toBe(true);
    await clock.runUntilIdle();
    expect([flow.chunk(longLine('b')), flow.chunk(longLine('c')), flow.chunk(longLine('d'))]).toEqual([
      true,
      true,
      false,
    ]);
    await clock.runUntilIdle();
    expect(state.drained).toBe(0);
    state.room = 9;
    flow.resume();
    await clock.runUntilIdle();
    expect(state.drained).toBe(1);
  });

  it.each(['end', 'fail'] as const)(
    'reads everything that the source pushes from within onDrain, up to its %s',
    async (last) => {
      const broken = new Error('connection reset');
      const onDrain = (): void => {
        if (keys.length > 1) return;
        flow.chunk(line('b'));
        flow.chunk(line('c'));
        flow[last](broken);
      };
      const { clock, keys, flow, state } = setUp({ onDrain });
      const long = Buffer.concat([line('a'), Buffer.alloc(1_048_576, ' ')]);
      expect([flow.chunk(long.subarray(0, 40)), flow.chunk(long.subarray(40))]).toEqual([true, false]);
      await clock.runUntilIdle();
      expect([keys, state.outcome]).toEqual([['a', 'b', 'c'], last === 'end' ? 'done' : broken]);
    },
  );

  it('reads a last chunk that arrives with end() while a batch is handed over', async () => {
    const { clock, keys, flow, state } = setUp({
      sink: {
        batch([event]) {
          keys.push((event!.object as Raw<unknown>).key);
          if (keys.length > 1) return true;
          flow.chunk(line('b'));
          flow.end();
          return true;
        },
      },
    });
    flow.chunk(line('a'));
    await clock.runUntilIdle();
    expect([keys, state.outcome]).toEqual([['a', 'b'], 'done']);
  });

  it('hands over everything before a failure, then rejects with it', async () => {
    const { clock, keys, flow, state } = setUp();
    const broken = new Error('connection reset');
    flow.chunk(line('a'));
    flow.chunk(line('b').subarray(0, 20));
    flow.fail(broken);
    await clock.runUntilIdle();
    expect([keys, state.outcome]).toEqual([['a'], broken]);
  });

  it('rejects with a DecodeError at invalid bytes, and at an end in the middle of an event', async () => {
    for (const finish of [
      (flow: DecodeFlow<Event>) => flow.chunk(Buffer.from('nonsense')),
      (flow: DecodeFlow<Event>) => {
        flow.chunk(Buffer.from('{"type'));
        flow.end();
      },
    ]) {
      const { clock, keys, flow, state } = setUp();
      flow.chunk(line('a'));
      finish(flow);
      await clock.runUntilIdle();
      expect(keys).toEqual(['a']);
      expect(state.outcome).toMatchObject({ code: 'DECODE' });
      expect(flow.chunk(line('late'))).toBe(true);
      await clock.runUntilIdle();
      expect(keys).toEqual(['a']);
    }
  });

  it('hands over nothing after cancel()', async () => {
    const { clock, keys, flow, state } = setUp();
    flow.chunk(line('a'));
    flow.cancel('stop');
    flow.end();
    await clock.runUntilIdle();
    expect([keys, state.outcome]).toEqual([[], 'stop']);
  });

  it('rejects with the error that the sink throws', async () => {
    const thrown = new Error('no room');
    const { clock, flow, state } = setUp({
      sink: {
        batch() {
          throw thrown;
        },
      },
    });
    flow.chunk(line('a'));
    await clock.runUntilIdle();
    expect(state.outcome).toBe(thrown);
  });

  it('returns its blocks to the pool after cancel(), fail() and end()', async () => {
    const { blocks, bytes } = engineOf();
    for (let i = 0; i < 100; i++) {
      const { clock, flow } = setUp();
      flow.chunk(line('a').subarray(0, -5));
      if (i % 3 === 0) flow.cancel(new Error('enough'));
      else if (i % 3 === 1) flow.fail(new Error('broken'));
      else flow.end();
      await clock.runUntilIdle();
    }
    const block = blocks.take();
    blocks.release(block);
    expect(block.buffer).toBe(bytes.buffer);
  });

  it('pauses its source after each chunk while the block pool is empty', async () => {
    const { blocks } = engineOf();
    const taken = [];
    while (!blocks.isEmpty) taken.push(blocks.take());
    const { clock, flow, keys, state } = setUp();
    try {
      for (const name of ['a', 'b', 'c']) {
        expect(flow.chunk(line(name))).toBe(false);
        await clock.runUntilIdle();
      }
      expect([keys, state.drained]).toEqual([['a', 'b', 'c'], 3]);
    } finally {
      for (const block of taken) blocks.release(block);
    }
    expect(flow.chunk(line('d'))).toBe(true);
  });

  it('decodes over several turns, with other work in between', async () => {
    const clock = new FakeClock();
    let left = 10_000;
    const decoder: StreamDecoder<number> = {
      buffered: 0,
      isCrowded: false,
      push() {},
      end() {},
      close() {},
      read(into) {
        into.push(left--);
        return left > 0;
      },
    };
    let turns = 0;
    let received = 0;
    const flow = new DecodeFlow<number>({
      decoder,
      clock,
      name: 'many',
      sink: {
        batch(numbers) {
          received += numbers.length;
          return true;
        },
      },
      onDrain() {},
    });
    const count = () => {
      turns++;
      if (received < 10_000) clock.defer(count);
    };
    clock.defer(count);
    flow.chunk(Buffer.from('x'));
    flow.end();
    await clock.runUntilIdle();
    await flow.done;
    expect(received).toBe(10_000);
    expect(turns).toBeGreaterThan(2);
  });
});
