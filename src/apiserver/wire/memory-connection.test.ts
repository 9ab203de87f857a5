import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../time/fake-clock.js';
import type { ApiHandler, ApiRequest, ApiResponse } from './exchange.js';
import {
  connectInMemory,
  type MemoryConnectionError,
  type MemoryExchange,
  type MemoryReader,
} from './memory-connection.js';

class Recorder implements MemoryReader {
  readonly log: string[] = [];
  onChunk: (() => void) | undefined;

  head(status: number, headers: Readonly<Record<string, string>>): void {
    this.log.push(`head ${status} ${headers['content-type'] ?? ''}`);
  }

  chunk(bytes: Uint8Array): void {
    this.log.push(`chunk ${Buffer.from(bytes).toString()}`);
    this.onChunk?.();
  }

  end(): void {
    this.log.push('end');
  }

  error(error: MemoryConnectionError): void {
    this.log.push(`error ${error.code}`);
  }
}

function open(handler: ApiHandler, target = '/'): Opened {
  const clock = new FakeClock();
  const errors: unknown[] = [];
  const connection = connectInMemory(handler, clock, (error) => errors.push(error));
  const reader = new Recorder();
  return { clock, connection, reader, errors, exchange: connection.send({ method: 'GET', target }, reader) };
}

interface Opened {
  readonly clock: FakeClock;
  readonly connection: ReturnType<typeof connectInMemory>;
  readonly reader: Recorder;
  readonly errors: unknown[];
  readonly exchange: MemoryExchange;
}

/** Holds the exchange open until its signal aborts. */
function holding(): { handler: ApiHandler; request: () => ApiRequest; response: () => ApiResponse } {
  let held: { request: ApiRequest; response: ApiResponse } | undefined;
  const get = (): { request: ApiRequest; response: ApiResponse } => {
    if (held === undefined) throw new Error('no request has arrived');
    return held;
  };
  return {
    handler: (request, response) => {
      held = { request, response };
      return new Promise((resolve) => request.signal.addEventListener('abort', () => resolve(), { once: true }));
    },
    request: () => get().request,
    response: () => get().response,
  };
}

const text = (value: string): Uint8Array => Buffer.from(value);

describe('connectInMemory', () => {
  it('carries a request there and its answer back, in turns of the clock', async () => {
    let seen: ApiRequest | undefined;
    const clock = new FakeClock();
    const connection = connectInMemory(async (request, response) => {
      seen = request;
      response.head(200, { 'content-type': 'text/plain' });
      response.write(text('a'));
      response.write(text(''));
      response.write(text('b'));
    }, clock);
    const reader = new Recorder();
    connection.send({ method: 'PUT', target: '/x?y', headers: { 'x-a': 'b' }, body: text('body') }, reader);
    expect(seen).toBeUndefined();
    await clock.runUntilIdle();
    expect(seen).toMatchObject({ method: 'PUT', target: '/x?y', headers: { 'x-a': 'b' }, body: text('body') });
    expect(reader.log).toEqual(['head 200 text/plain', 'chunk a', 'chunk b', 'end']);
    expect(seen?.signal.aborted).toBe(false);
  });

  it('delivers nothing while the reader is paused, and `write` returns false', async () => {
    const held = holding();
    const { clock, reader, exchange } = open(held.handler);
    await clock.runUntilIdle();
    const response = held.response();
    exchange.pause();
    response.head(200, {});
    expect(response.write(new Uint8Array(60_000))).toBe(true);
    expect(response.write(new Uint8Array(60_000))).toBe(false);
    let drained = 0;
    response.onDrain(() => drained++);
    await clock.runUntilIdle();
    expect(reader.log).toEqual([]);
    expect(response.pendingBytes).toBe(120_000);
    expect(drained).toBe(0);
    exchange.resume();
    await clock.runUntilIdle();
    expect(reader.log).toHaveLength(3);
    expect(response.pendingBytes).toBe(0);
    expect(drained).toBe(1);
  });

  it('lets the reader pause in the middle of what arrives', async () => {
    const held = holding();
    const { clock, reader, exchange } = open(held.handler);
    await clock.runUntilIdle();
    reader.onChunk = () => exchange.pause();
    const response = held.response();
    response.head(200, {});
    for (const chunk of ['a', 'b', 'c']) response.write(text(chunk));
    response.end();
    await clock.runUntilIdle();
    expect(reader.log).toEqual(['head 200 ', 'chunk a']);
    exchange.resume();
    await clock.runUntilIdle();
    reader.onChunk = undefined;
    exchange.resume();
    await clock.runUntilIdle();
    expect(reader.log).toEqual(['head 200 ', 'chunk a', 'chunk b', 'chunk c', 'end']);
  });

  it('calls back at once when there is nothing to wait for', async () => {
    const held = holding();
    const { clock } = open(held.handler);
    await clock.runUntilIdle();
    let drained = 0;
    held.response().onDrain(() => drained++);
    await clock.runUntilIdle();
    expect(drained).toBe(1);
  });

  it('aborts the signal when the client goes away, and delivers nothing more', async () => {
    const held = holding();
    const { clock, reader, exchange } = open(held.handler);
    await clock.runUntilIdle();
    held.response().head(200, {});
    exchange.abort();
    exchange.abort();
    expect(held.request().signal.aborted).toBe(true);
    held.response().write(text('a'));
    expect(held.response().pendingBytes).toBe(0);
    await clock.runUntilIdle();
    expect(reader.log).toEqual([]);
  });

  it('does not call the handler for a request that was aborted before it arrived', async () => {
    let calls = 0;
    const { clock, exchange } = open(async () => void calls++);
    exchange.abort();
    await clock.runUntilIdle();
    expect(calls).toBe(0);
  });

  it('shows a reset after what was written before it', async () => {
    const held = holding();
    const { clock, reader } = open(held.handler);
    await clock.runUntilIdle();
    const response = held.response();
    response.head(200, {});
    response.write(text('half'));
    response.reset();
    response.write(text('more'));
    response.end();
    await clock.runUntilIdle();
    expect(reader.log).toEqual(['head 200 ', 'chunk half', 'error ECONNRESET']);
    expect(held.request().signal.aborted).toBe(true);
  });

  it('turns a rejection into a 500 or a reset', async () => {
    const early = open(async () => {
      throw new Error('a bug');
    });
    await early.clock.runUntilIdle();
    expect(early.reader.log).toEqual(['head 500 application/json', expect.stringContaining('a bug'), 'end']);
    expect(early.errors).toEqual([new Error('a bug')]);
    const late = open(async (_request, response) => {
      response.head(200, {});
      throw new Error('a bug');
    });
    await late.clock.runUntilIdle();
    expect(late.reader.log).toEqual(['head 200 ', 'error ECONNRESET']);
  });

  it('refuses new requests, and resets present ones', async () => {
    const held = holding();
    const { clock, connection, reader } = open(held.handler);
    await clock.runUntilIdle();
    connection.refuse();
    const refused = new Recorder();
    connection.send({ method: 'GET', target: '/' }, refused);
    await clock.runUntilIdle();
    expect(refused.log).toEqual(['error ECONNREFUSED']);
    expect(reader.log).toEqual([]);
    connection.accept();
    connection.dropConnections();
    await clock.runUntilIdle();
    expect(reader.log).toEqual(['error ECONNRESET']);
  });

  it('ends everything when closed', async () => {
    const held = holding();
    const { clock, connection, reader } = open(held.handler);
    const stubborn = new Recorder();
    await clock.runUntilIdle();
    held.response().head(200, {});
    const silent = connectInMemory(() => new Promise(() => {}), clock);
    silent.send({ method: 'GET', target: '/' }, stubborn);
    await clock.runUntilIdle();
    await Promise.all([connection.close(), silent.close(), clock.runUntilIdle()]);
    expect(reader.log).toEqual(['head 200 ', 'end']);
    expect(stubborn.log).toEqual(['error ECONNRESET']);
    expect(() => connection.accept()).toThrow('is closed');
    const late = new Recorder();
    connection.send({ method: 'GET', target: '/' }, late);
    await clock.runUntilIdle();
    expect(late.log).toEqual(['error ECONNREFUSED']);
  });
});
