import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { realClock } from '../../time/real-clock.js';
import type { TlsSource } from './connection-config.js';
import { Dialler } from './dial.js';

describe('a dial', () => {
  let accepted = 0;
  const server = createServer((socket) => {
    accepted++;
    socket.on('error', () => {}).end();
  });

  beforeEach(async () => {
    accepted = 0;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterEach(() => void server.close());

  function dial(tls: TlsSource, signal: AbortSignal): Promise<unknown> {
    const { port } = server.address() as AddressInfo;
    const url = new URL(`https://127.0.0.1:${port}`);
    return new Dialler({ url, tls, proxy: undefined, timeoutMs: 60_000, clock: realClock }).dial(['h2'], signal);
  }

  it('reads the TLS material before it connects', async () => {
    const { promise, resolve } = deferred();
    const outcome = dial({ material: () => promise }, new AbortController().signal).catch((error) => error.code);
    for (let i = 0; i < 20; i++) await realClock.yield();
    expect(accepted).toBe(0);
    resolve();
    // The material is there, so the closing of the connection is noticed.
    expect(await outcome).toBe('ECONNRESET');
    expect(accepted).toBe(1);
  });

  it('leaves no unhandled rejection when it is aborted', async () => {
    const unheard: unknown[] = [];
    const hear = (error: unknown): void => void unheard.push(error);
    process.on('unhandledRejection', hear);
    const controller = new AbortController();
    const reason = new Error('not needed any more');
    const material = (): Promise<never> => {
      controller.abort(reason);
      return Promise.reject(new Error('no material'));
    };
    await expect(dial({ material }, controller.signal)).rejects.toBe(reason);
    await realClock.yield();
    process.off('unhandledRejection', hear);
    expect(unheard).toEqual([]);
  });
});

function deferred(): { readonly promise: Promise<object>; resolve(): void } {
  let resolve: (() => void) | undefined;
  const promise = new Promise<object>((settle) => {
    resolve = () => settle({});
  });
  return { promise, resolve: () => resolve?.() };
}
