import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../time/fake-clock.js';
import type { ApiHandler, ApiRequest, ApiResponse } from '../wire/exchange.js';
import { connectInMemory, type MemoryConnection, type MemoryExchange } from '../wire/memory-connection.js';
import type { Fault } from './fault.js';
import { createFaults, type FaultInjector } from './faults.js';

const EVENTS = ['{"type":"ADDED","n":1}\n', '{"type":"ADDED","n":2}\n', '{"type":"ADDED","n":3}\n'];
const bytes = (text: string): Uint8Array => Buffer.from(text);

/** Answers everything with a small document; watches stay open for the test to write to. */
class Bench {
  readonly clock = new FakeClock();
  readonly faults: FaultInjector;
  readonly connection: MemoryConnection;
  readonly watches: { request: ApiRequest; response: ApiResponse }[] = [];
  served = 0;

  constructor(seed?: number) {
    this.faults = createFaults({ clock: this.clock, seed });
    const handler: ApiHandler = async (request, response) => {
      this.served++;
      if (request.target.includes('watch')) {
        response.head(200, {});
        this.watches.push({ request, response });
        await new Promise<void>((resolve) => request.signal.addEventListener('abort', () => resolve(), { once: true }));
        return;
      }
      response.head(200, { 'content-length': '10' });
      response.write(bytes('0123456789'));
    };
    this.connection = connectInMemory(this.faults.wrap(handler), this.clock);
    this.faults.attach(this.connection);
  }

  send(target: string, method = 'GET'): { log: string[]; exchange: MemoryExchange; text: () => string } {
    const log: string[] = [];
    const exchange = this.connection.send(
      { method, target },
      {
        head: (status, headers) =>
          log.push(`head ${status}${headers['retry-after'] ? ` ${headers['retry-after']}` : ''}`),
        chunk: (chunk) => log.push(Buffer.from(chunk).toString()),
        end: () => log.push('end'),
        error: (error) => log.push(error.code),
      },
    );
    return { log, exchange, text: () => log.filter((line) => !/^(head|end$|ECONN)/.test(line)).join('') };
  }

  async get(target: string, method = 'GET'): Promise<string[]> {
    const { log } = this.send(target, method);
    await this.clock.runUntilIdle();
    return log;
  }

  /** Opens a watch, injects the fault, and sends three events. */
  async watch(fault: Fault): Promise<{ log: string[]; request: ApiRequest; text: () => string; hits: () => number }> {
    const { log, text } = this.send('/api/v1/pods?watch=1');
    await this.clock.runUntilIdle();
    const injected = this.faults.inject(fault);
    const { request, response } = this.watches.at(-1)!;
    for (const event of EVENTS) response.write(bytes(event));
    await this.clock.runUntilIdle();
    return { log, request, text, hits: () => injected.hits };
  }
}

describe('createFaults', () => {
  it('changes nothing without a matching fault', async () => {
    const bench = new Bench();
    bench.faults.inject({ verb: 'list', resource: 'pods', respond: { status: 500 } });
    bench.faults.inject({
      verb: ['get', 'patch'],
      name: 'b',
      namespace: 'n',
      subresource: '',
      respond: { status: 500 },
    });
    bench.faults.inject({ group: 'apps', respond: { status: 500 } });
    for (const target of [
      '/api/v1/nodes',
      '/api/v1/namespaces/n/pods/a',
      '/api/v1/namespaces/n/pods/b/status',
      '/version',
    ])
      expect(await bench.get(target)).toEqual(['head 200', '0123456789', 'end']);
    expect((await bench.get('/apis/apps/v1/deployments'))[0]).toBe('head 500');
    expect((await bench.get('/api/v1/namespaces/n/pods/b'))[0]).toBe('head 500');
    expect((await bench.get('/api/v1/pods'))[0]).toBe('head 500');
    expect(await bench.get('/bad%zz')).toEqual(['head 200', '0123456789', 'end']);
  });

  it('answers in place of the server, `times` times', async () => {
    const bench = new Bench();
    const fault = bench.faults.inject({
      resource: 'pods',
      times: 2,
      after: 1,
      respond: { status: 429, retryAfterMs: 1500 },
    });
    expect((await bench.get('/api/v1/pods'))[0]).toBe('head 200');
    const [head, body] = await bench.get('/api/v1/pods');
    expect(head).toBe('head 429 2');
    expect(JSON.parse(body ?? '')).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'injected fault: 429 TooManyRequests',
      reason: 'TooManyRequests',
      details: { retryAfterSeconds: 2 },
      code: 429,
    });
    expect((await bench.get('/api/v1/pods'))[0]).toBe('head 429 2');
    expect((await bench.get('/api/v1/pods'))[0]).toBe('head 200');
    expect(fault.hits).toBe(2);
    expect(bench.served).toBe(2);
  });

  it('can be taken away', async () => {
    const bench = new Bench();
    const fault = bench.faults.inject({
      times: Number.POSITIVE_INFINITY,
      respond: { status: 503, reason: 'Odd', message: 'm' },
    });
    expect((await bench.get('/version'))[1]).toContain('"message":"m","reason":"Odd"');
    fault[Symbol.dispose]();
    expect((await bench.get('/version'))[0]).toBe('head 200');
    bench.faults.inject({ times: 9, respond: { status: 503 } });
    bench.faults.clear();
    expect((await bench.get('/version'))[0]).toBe('head 200');
  });

  it('applies with a probability, the same for the same seed', async () => {
    const run = async (seed: number): Promise<string> => {
      const bench = new Bench(seed);
      bench.faults.inject({ probability: 0.5, times: Number.POSITIVE_INFINITY, respond: { status: 500 } });
      let pattern = '';
      for (let n = 0; n < 40; n++) pattern += (await bench.get('/api/v1/pods'))[0] === 'head 500' ? 'x' : '.';
      return pattern;
    };
    const pattern = await run(7);
    expect(pattern).toMatch(/x/);
    expect(pattern).toMatch(/\./);
    expect(await run(7)).toBe(pattern);
    expect(await run(8)).not.toBe(pattern);
  });

  it('calls `when` last', async () => {
    const bench = new Bench();
    bench.faults.inject({ resource: 'pods', when: ({ info }) => info.query.has('x'), respond: { status: 500 } });
    expect((await bench.get('/api/v1/pods'))[0]).toBe('head 200');
    expect((await bench.get('/api/v1/pods?x'))[0]).toBe('head 500');
  });

  it('resets before the request is handled, after the headers, or in the middle of the body', async () => {
    const bench = new Bench();
    bench.faults.inject({ reset: 'beforeHeaders' });
    expect(await bench.get('/api/v1/pods')).toEqual(['ECONNRESET']);
    expect(bench.served).toBe(0);
    bench.faults.inject({ reset: 'afterHeaders' });
    expect(await bench.get('/api/v1/pods')).toEqual(['head 200', 'ECONNRESET']);
    expect(bench.served).toBe(1);
    bench.faults.inject({ reset: 'midEvent' });
    expect(await bench.get('/api/v1/pods')).toEqual(['head 200', '01234', 'ECONNRESET']);
  });

  it.each([
    ['truncate' as const, '01234', 'end'],
    ['duplicate' as const, '01234567890123456789', 'end'],
  ])('can %s a body', async (corrupt, text, last) => {
    const bench = new Bench();
    bench.faults.inject({ corrupt });
    const log = await bench.get('/api/v1/pods');
    expect(log.slice(1, -1).join('')).toBe(text);
    expect(log.at(-1)).toBe(last);
  });

  it('can garble a body, and only this one', async () => {
    const bench = new Bench(1);
    bench.faults.inject({ corrupt: 'garble' });
    const garbled = (await bench.get('/api/v1/pods'))[1]!;
    expect(garbled).toHaveLength(10);
    expect(garbled).toContain('\0');
    expect((await bench.get('/api/v1/pods'))[1]).toBe('0123456789');
  });

  it('delays a request on its way', async () => {
    const bench = new Bench();
    bench.faults.inject({ delayMs: 1000 });
    const { log } = bench.send('/api/v1/pods');
    await bench.clock.advance(999);
    expect(bench.served).toBe(0);
    await bench.clock.advance(1);
    expect(log).toEqual(['head 200', '0123456789', 'end']);
    bench.faults.inject({ delayMs: 1000 });
    const { exchange } = bench.send('/api/v1/pods');
    await bench.clock.runUntilIdle();
    exchange.abort();
    await bench.clock.advance(1000);
    expect(bench.served).toBe(1);
  });

  it('stalls an answer', async () => {
    const bench = new Bench();
    bench.faults.inject({ stallMs: 1000 });
    const { log } = bench.send('/api/v1/pods');
    await bench.clock.advance(999);
    expect(log).toEqual(['head 200']);
    await bench.clock.advance(1);
    expect(log).toEqual(['head 200', '0123456789', 'end']);
  });

  it('makes an answer slow', async () => {
    const bench = new Bench();
    bench.faults.inject({ bytesPerSecond: 5 });
    const { log, text } = bench.send('/api/v1/pods');
    await bench.clock.advance(1000);
    expect(text()).toBe('01234');
    await bench.clock.advance(999);
    expect(log.at(-1)).not.toBe('end');
    await bench.clock.advance(1);
    expect(text()).toBe('0123456789');
    expect(log.at(-1)).toBe('end');
  });

  it('drops delayed bytes when the client closes the connection', async () => {
    const bench = new Bench();
    bench.faults.inject({ bytesPerSecond: 1 });
    bench.faults.inject({ stallMs: Number.POSITIVE_INFINITY });
    const one = bench.send('/api/v1/pods');
    const two = bench.send('/api/v1/pods');
    await bench.clock.runUntilIdle();
    one.exchange.abort();
    two.exchange.abort();
    await bench.clock.runUntilIdle();
    expect(bench.clock.pendingTimers).toEqual([]);
  });

  it('expires continue tokens', async () => {
    const bench = new Bench();
    bench.faults.inject({ verb: 'list', expireContinue: true });
    expect((await bench.get('/api/v1/pods'))[0]).toBe('head 200');
    const [head, body] = await bench.get('/api/v1/pods?continue=abc');
    expect(head).toBe('head 410');
    expect(JSON.parse(body ?? '')).toMatchObject({ reason: 'Expired' });
  });

  it('sends the Status of the option expiredContinue', async () => {
    const clock = new FakeClock();
    const faults = createFaults({
      clock,
      expiredContinue: (token) => ({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: { continue: `${token}!` },
        code: 410,
      }),
    });
    faults.inject({ expireContinue: true });
    let body = '';
    connectInMemory(
      faults.wrap(async () => {}),
      clock,
    ).send(
      { method: 'GET', target: '/api/v1/pods?continue=abc' },
      { head: () => {}, chunk: (chunk) => (body += Buffer.from(chunk)), end: () => {}, error: () => {} },
    );
    await clock.runUntilIdle();
    expect(JSON.parse(body).metadata).toEqual({ continue: 'abc!' });
  });

  it('refuses connections for a while, and drops them', async () => {
    const bench = new Bench();
    const open = bench.send('/api/v1/pods?watch=1');
    await bench.clock.runUntilIdle();
    const first = bench.faults.refuseConnections();
    bench.faults.refuseConnections({ forMs: 1000 });
    expect(await bench.get('/version')).toEqual(['ECONNREFUSED']);
    await bench.clock.advance(1000);
    expect(await bench.get('/version')).toEqual(['ECONNREFUSED']);
    first[Symbol.dispose]();
    expect((await bench.get('/version'))[0]).toBe('head 200');
    bench.faults.refuseConnections();
    bench.faults.clear();
    expect((await bench.get('/version'))[0]).toBe('head 200');
    bench.faults.dropConnections();
    await bench.clock.runUntilIdle();
    expect(open.log).toEqual(['head 200', 'ECONNRESET']);
  });

  describe('in a watch that is open already', () => {
    it('changes no event that does not match', async () => {
      const { text, hits } = await new Bench().watch({ verb: 'watch', resource: 'nodes', corrupt: 'truncate' });
      expect(text()).toBe(EVENTS.join(''));
      expect(hits()).toBe(0);
    });

    it('cuts the connection in the middle of an event', async () => {
      const { log, text, request } = await new Bench().watch({
        verb: 'watch',
        resource: 'pods',
        after: 1,
        reset: 'midEvent',
      });
      expect(text()).toBe(EVENTS[0] + EVENTS[1]!.slice(0, EVENTS[1]!.length >> 1));
      expect(log.at(-1)).toBe('ECONNRESET');
      expect(request.signal.aborted).toBe(true);
    });

    it('cuts a line short and goes on', async () => {
      const { text } = await new Bench().watch({ corrupt: 'truncate' });
      expect(text()).toBe(`${EVENTS[0]!.slice(0, EVENTS[0]!.length >> 1)}\n${EVENTS[1]}${EVENTS[2]}`);
    });

    it('garbles a line and keeps its end', async () => {
      const { text } = await new Bench(3).watch({ corrupt: 'garble' });
      const [first, ...others] = text().split('\n');
      expect(first).toContain('\0');
      expect(() => JSON.parse(first ?? '')).toThrow();
      expect(others.join('\n')).toBe(`${EVENTS[1]}${EVENTS[2]}`);
    });

    it('sends a line twice', async () => {
      const { text } = await new Bench().watch({ corrupt: 'duplicate' });
      expect(text()).toBe(EVENTS[0]! + EVENTS.join(''));
    });

    it('finds the line that it is meant for, even within a chunk', async () => {
      const bench = new Bench();
      const { text } = bench.send('/api/v1/pods?watch=1');
      await bench.clock.runUntilIdle();
      bench.faults.inject({ when: ({ event }) => Buffer.from(event ?? []).includes('"n":2'), corrupt: 'duplicate' });
      bench.watches[0]!.response.write(bytes(EVENTS.join('')));
      await bench.clock.runUntilIdle();
      expect(text()).toBe(EVENTS[0]! + EVENTS[1] + EVENTS[1] + EVENTS[2]);
    });

    it('ends it with an error event', async () => {
      const { log, text, request } = await new Bench().watch({ after: 1, errorEvent: { status: 410 } });
      const [, error] = text().split('\n');
      expect(JSON.parse(error ?? '')).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
      expect(log.at(-1)).toBe('end');
      expect(request.signal.aborted).toBe(true);
    });

    it('stalls and then continues in order', async () => {
      const bench = new Bench();
      const { text } = await bench.watch({ stallMs: 5000 });
      expect(text()).toBe('');
      const { response } = bench.watches[0]!;
      expect(response.pendingBytes).toBe(EVENTS.join('').length);
      let drained = 0;
      response.onDrain(() => drained++);
      bench.faults.clear();
      response.write(bytes('{"n":4}\n'));
      await bench.clock.advance(4999);
      expect(text()).toBe('');
      expect(drained).toBe(0);
      await bench.clock.advance(1);
      expect(text()).toBe(`${EVENTS.join('')}{"n":4}\n`);
      expect(drained).toBe(1);
      expect(response.pendingBytes).toBe(0);
      expect(response.write(bytes('{"n":5}\n'))).toBe(true);
    });

    it('passes the end of the watch on after delayed bytes', async () => {
      const bench = new Bench();
      const { log } = await bench.watch({ stallMs: 1000 });
      bench.watches[0]!.response.end();
      await bench.clock.runUntilIdle();
      expect(log.at(-1)).not.toBe('end');
      await bench.clock.advance(1000);
      expect(log.at(-1)).toBe('end');
    });
  });

  it.each([
    [5, 'fault must be an object'],
    [{}, 'exactly one of'],
    [{ respond: { status: 500 }, stallMs: 1 }, 'exactly one of'],
    [{ respond: { status: 5 } }, 'respond.status must be'],
    [{ respond: 500 }, 'respond must be'],
    [{ errorEvent: {} }, 'errorEvent.status must be'],
    [{ reset: 'never' }, 'reset must be'],
    [{ corrupt: 'bits' }, 'corrupt must be'],
    [{ delayMs: -1 }, 'delayMs must be'],
    [{ stallMs: 'long' }, 'stallMs must be'],
    [{ bytesPerSecond: 0 }, 'bytesPerSecond must be'],
    [{ expireContinue: false }, 'expireContinue must be'],
    [{ reset: 'midEvent', verb: 'steal' }, 'verb must be'],
    [{ reset: 'midEvent', verb: ['get', 'steal'] }, 'verb must be'],
    [{ reset: 'midEvent', name: 5 }, 'name must be'],
    [{ reset: 'midEvent', times: 0 }, 'times must be'],
    [{ reset: 'midEvent', after: 0.5 }, 'after must be'],
    [{ reset: 'midEvent', probability: 2 }, 'probability must be'],
    [{ reset: 'midEvent', when: true }, 'when must be'],
  ])('refuses %j', (fault, message) => {
    expect(() => new Bench().faults.inject(fault as never)).toThrow(message);
  });
});
