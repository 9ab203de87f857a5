import { describe, expect, it } from 'vitest';
import { ask, serveHttp2, transportTo, trusting } from '../../../test/support/transport-rig.js';
import { isConnectionLost } from '../../meta/errors/error-predicates.js';
import { realClock } from '../../time/real-clock.js';
import type { HttpTransport } from './http-transport.js';

describe('requests with a refusal over HTTP/2', () => {
  const refused = new Error('no longer the leader');
  const body = Buffer.from('{}');

  /** A server that records requests that came completely, and answers unless the path says otherwise. */
  async function start() {
    const whole: string[] = [];
    const { url, sockets } = await serveHttp2((stream, path) => {
      stream.on('data', () => {});
      stream.on('end', () => {
        // 'end' is also emitted for a request that was cancelled in the middle of its body.
        if (stream.rstCode !== 0) return;
        whole.push(path);
        if (path === '/held') return;
        stream.respond({ ':status': 201 });
        stream.end(path);
      });
    });
    return { whole, sockets, transport: transportTo({ server: url, tls: trusting }) };
  }

  function post(transport: HttpTransport, target: string, refusal: () => Error | undefined) {
    return ask(transport, { method: 'POST', target, body, refusal });
  }

  it('share connections, as other requests do', async () => {
    const { transport, sockets, whole } = await start();
    const answers = Array.from({ length: 300 }, (_, i) => post(transport, `/${i}`, () => undefined));
    await Promise.all(answers.map(({ done }) => done));
    expect(new Set(whole).size).toBe(300);
    expect(sockets.length).toBeLessThanOrEqual(4);
  });

  it('are checked again when their bytes are written: one that is refused after the event loop was blocked is not sent', async () => {
    const { transport, sockets, whole } = await start();
    let isTooLate = false;
    const refusal = () => (isTooLate ? refused : undefined);
    expect(await post(transport, '/first', refusal).done).toBe('/first');
    const late = [post(transport, '/late1', refusal), post(transport, '/late2', refusal)];
    const other = post(transport, '/other', () => undefined);
    // The permission expires while the event loop is blocked, so no timer can fire.
    isTooLate = true;
    expect(await Promise.all(late.map(({ done }) => done.catch((error: unknown) => error)))).toEqual([
      refused,
      refused,
    ]);
    expect(await other.done).toBe('/other');
    expect(whole).toEqual(['/first', '/other']);
    // The others stay on their connection.
    expect(sockets).toHaveLength(1);
  });

  it('are not completed if they are refused in the middle of their body', async () => {
    const { transport, whole } = await start();
    let isTooLate = false;
    const refusal = () => (isTooLate ? refused : undefined);
    await post(transport, '/first', refusal).done;
    const large = ask(transport, { method: 'POST', target: '/large', body: Buffer.alloc(8 * 1024 * 1024), refusal });
    await realClock.yield();
    isTooLate = true;
    expect(await large.done.catch((error: unknown) => error)).toBe(refused);
    expect(whole).toEqual(['/first']);
  });

  it('that were sent completely stay under way when others are refused', async () => {
    const { transport, whole, sockets } = await start();
    let isTooLate = false;
    const refusal = () => (isTooLate ? refused : undefined);
    const held = post(transport, '/held', refusal);
    await expect.poll(() => whole).toEqual(['/held']);
    const late = post(transport, '/late', refusal);
    isTooLate = true;
    expect(await late.done.catch((error: unknown) => error)).toBe(refused);
    expect(await post(transport, '/next', () => undefined).done).toBe('/next');
    expect(held.isOver).toBe(false);
    expect(whole).toEqual(['/held', '/next']);
    sockets[0]!.destroy();
    expect(isConnectionLost(await held.done.catch((error: unknown) => error))).toBe(true);
  });

  it('do not affect connections of requests without a refusal', async () => {
    const { transport, sockets } = await start();
    const watch = ask(transport, { target: '/held' });
    await expect.poll(() => sockets.length).toBe(1);
    let isTooLate = false;
    const late = post(transport, '/late', () => (isTooLate ? refused : undefined));
    isTooLate = true;
    expect(await late.done.catch((error: unknown) => error)).toBe(refused);
    expect(watch.isOver).toBe(false);
    expect(await ask(transport, { target: '/next' }).done).toBe('/next');
  });

  it('fail when their transport is closed', async () => {
    const { transport, whole } = await start();
    const held = post(transport, '/held', () => undefined);
    await expect.poll(() => whole).toEqual(['/held']);
    await transport.close();
    await expect(held.done).rejects.toThrow(/was closed/);
  });
});
