import { describe, expect, it } from 'vitest';
import { SingleFlight } from './single-flight.js';

interface Started {
  readonly signal: AbortSignal;
  readonly settle: (value: string) => void;
  readonly fail: (error: Error) => void;
}

function controlled(): { flights: SingleFlight<string>; started: Started[] } {
  const started: Started[] = [];
  const flights = new SingleFlight<string>(
    (signal) => new Promise((settle, fail) => void started.push({ signal, settle, fail })),
  );
  return { flights, started };
}

describe('SingleFlight', () => {
  it('shares one run between all calls while it is under way', async () => {
    const { flights, started } = controlled();
    const both = [flights.run(), flights.run()];
    started[0]?.settle('a');
    expect(await Promise.all(both)).toEqual(['a', 'a']);
    const next = flights.run();
    started[1]?.settle('b');
    expect(await next).toBe('b');
    expect(started).toHaveLength(2);
    expect(started[0]?.signal.aborted).toBe(false);
  });

  it('shares a failure, and starts again after it', async () => {
    const { flights, started } = controlled();
    const both = [flights.run(), flights.run()];
    started[0]?.fail(new Error('no'));
    for (const one of both) await expect(one).rejects.toThrow('no');
    const next = flights.run();
    started[1]?.settle('b');
    expect(await next).toBe('b');
  });

  it('aborts the run when all calls are aborted', async () => {
    const { flights, started } = controlled();
    const [first, second] = [new AbortController(), new AbortController()];
    const both = [flights.run(first.signal), flights.run(second.signal)];
    first.abort(new Error('first gave up'));
    await expect(both[0]).rejects.toThrow('first gave up');
    expect(started[0]?.signal.aborted).toBe(false);
    second.abort(new Error('second gave up'));
    await expect(both[1]).rejects.toThrow('second gave up');
    expect(started[0]?.signal.reason).toEqual(new Error('second gave up'));

    const next = flights.run();
    expect(started).toHaveLength(2);
    started[0]?.fail(new Error('called off'));
    started[1]?.settle('c');
    expect(await next).toBe('c');
  });

  it('starts nothing for a signal that has aborted', async () => {
    const { flights, started } = controlled();
    await expect(flights.run(AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
    expect(started).toEqual([]);
  });
});
