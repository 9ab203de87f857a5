import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import {
  Asked,
  answer,
  ask,
  chunk,
  chunked,
  connected,
  kinds,
  requestTo,
  turns,
} from '../../../test/support/http1-rig.js';
import { isConnectionLost } from '../../meta/errors/error-predicates.js';
import { Http1Error } from './http1-parser.js';
import { ConnectionLostError } from './request-errors.js';

describe.each(kinds)('over $name', (kind) => {
  describe('a sink that pauses', () => {
    it('stops the server, and loses nothing', async () => {
      const { connection, peer } = await connected(kind);
      const blocks = 64;
      const block = Buffer.alloc(512 * 1024, 'x');
      const asked = ask(connection, {}, 1);
      await peer.hears('\r\n\r\n');
      peer.write(`HTTP/1.1 200 OK\r\ncontent-length: ${blocks * block.length}\r\n\r\n`);
      for (let i = 0; i < blocks; i++) peer.write(block);
      await asked.until(() => asked.isFull);
      const { received } = asked;
      await turns();
      expect(asked.received).toBe(received);
      expect(peer.socket.writableLength).toBeGreaterThan(0);
      asked.resume(3);
      await asked.until(() => asked.isFull);
      await turns();
      expect(peer.socket.writableLength).toBeGreaterThan(0);
      asked.resume();
      await asked.whole();
      expect(asked.received).toBe(blocks * block.length);
    });

    it('gets no further chunk until resume, even if it was read already', async () => {
      const { connection, peer, owner } = await connected(kind);
      const asked = ask(connection, {}, 1);
      await peer.hears('\r\n\r\n');
      const pieces = ['one', 'two', 'three'];
      peer.write(`${chunked}${pieces.map(chunk).join('')}0\r\n\r\n`);
      for (const [i] of pieces.entries()) {
        await asked.until(() => asked.isFull);
        await turns();
        expect(asked.text).toBe(pieces.slice(0, i + 1).join(''));
        expect([asked.outcome, owner.rooms]).toEqual(['none', 0]);
        asked.resume(1);
      }
      expect(asked.outcome).toBe('end');
      expect(connection.room).toBe(1);
    });

    it('gets no end before resume either', async () => {
      const { connection, peer } = await connected(kind);
      for (const target of ['/1', '/2']) {
        const asked = ask(connection, { target }, 1);
        await peer.hears(requestTo(target));
        peer.write(answer('body'));
        await asked.until(() => asked.isFull);
        await turns();
        expect([asked.outcome, connection.room]).toEqual(['none', 0]);
        asked.resume();
        expect(await asked.whole()).toBe('body');
      }
    });

    it('keeps its unparsed bytes when other sockets read into the shared buffer', async () => {
      const all = await Promise.all([connected(kind), connected(kind), connected(kind)]);
      const asked = all.map(({ connection }, i) => ask(connection, { target: `/${i}` }, 1));
      const bodies = asked.map((_, i) => Array.from({ length: 50 }, (__, n) => `${i}`.repeat(1 + ((n * 37) % 90))));
      for (const [i, { peer }] of all.entries()) {
        await peer.hears(`/${i}`);
        peer.write(`${chunked}${bodies[i]!.map(chunk).join('')}`);
      }
      for (let open = asked; open.length > 0; open = open.filter(({ pieces }) => pieces < 50)) {
        await Promise.all(open.map((one) => one.until(() => one.isFull)));
        for (const one of open) one.resume(1);
      }
      for (const { peer } of all) peer.write('0\r\n\r\n');
      for (const one of asked) if (one.isFull) one.resume();
      expect(await Promise.all(asked.map((one) => one.whole()))).toEqual(bodies.map((body) => body.join('')));
    });

    it('may resume at any time without harm', async () => {
      const { connection, peer } = await connected(kind);
      const first = ask(connection, { target: '/1' });
      first.resume();
      await peer.hears('/1');
      peer.write(answer('one'));
      await first.whole();
      first.exchange!.resume();
      const second = ask(connection, { target: '/2' }, 1);
      await peer.hears('/2');
      peer.write(`${chunked}${chunk('two')}${chunk('three')}`);
      await second.until(() => second.isFull);
      // The first request is over, so its resume must not continue the second.
      first.exchange!.resume();
      await turns();
      expect(second.text).toBe('two');
      second.resume();
      second.exchange!.resume();
      peer.write('0\r\n\r\n');
      expect(await second.whole()).toBe('twothree');
      second.exchange!.resume();
    });

    it('and resumes before chunk returns is not paused', async () => {
      const { connection, peer } = await connected(kind);
      const asked = new Asked();
      const pieces: string[] = [];
      asked.chunk = (bytes) => {
        pieces.push(Buffer.from(bytes).toString());
        asked.exchange!.resume();
        return false;
      };
      asked.exchange = connection.send({ method: 'GET', target: '/', headers: {} }, asked);
      await peer.hears('\r\n\r\n');
      peer.write(`${chunked}${chunk('one')}${chunk('two')}0\r\n\r\n`);
      await turns();
      expect(pieces).toEqual(['one']);
      asked.exchange.resume();
      expect(pieces).toEqual(['one', 'two']);
      asked.exchange.resume();
      expect(asked.outcome).toBe('end');
    });

    it('can be aborted', async () => {
      const { connection, peer, owner } = await connected(kind);
      const controller = new AbortController();
      const asked = ask(connection, { signal: controller.signal }, 1);
      await peer.hears('\r\n\r\n');
      peer.write(`${chunked}${chunk('one')}${chunk('two')}`);
      await asked.until(() => asked.isFull);
      const reason = new Error('enough');
      controller.abort(reason);
      expect(asked.error).toBe(reason);
      asked.exchange!.resume();
      await owner.goes();
      await peer.closed();
      expect(asked.text).toBe('one');
    });

    it.each([
      ['of known length', answer('one-two-three', 'connection: close\r\n')],
      ['in chunks', `${chunked}${['one-', 'two-', 'three'].map(chunk).join('')}0\r\n\r\n`],
      ['that ends with the connection', 'HTTP/1.1 200 OK\r\n\r\none-two-three'],
    ])('gets all of a response %s after the server has closed the connection', async (_what, wire) => {
      for (const appetite of [1, 2]) {
        const { connection, peer, owner } = await connected(kind);
        const asked = ask(connection, {}, 1);
        await peer.hears('\r\n\r\n');
        const cut = wire.indexOf('one') + 2;
        peer.write(wire.slice(0, cut));
        await asked.until(() => asked.isFull);
        // The end may be read before or after the pause.
        peer.hangUp(wire.slice(cut));
        await turns();
        expect([asked.outcome, asked.text, owner.gone]).toEqual(['none', 'on', 0]);
        while (asked.outcome === 'none') {
          asked.resume(appetite);
          await asked.until(() => asked.isFull || asked.outcome !== 'none');
          await turns();
        }
        expect(await asked.whole()).toBe('one-two-three');
        await owner.goes();
        await peer.closed();
      }
    });

    it('gets all of a response that came in one read with its end', async () => {
      for (const wire of [
        answer('ab', 'connection: close\r\n'),
        'HTTP/1.1 200 OK\r\n\r\nab',
        `${chunked}${chunk('a')}${chunk('b')}0\r\n\r\n`,
      ]) {
        const { connection, peer, owner } = await connected(kind);
        const asked = ask(connection, {}, 1);
        await peer.hears('\r\n\r\n');
        peer.hangUp(wire);
        await asked.until(() => asked.isFull);
        await turns();
        expect([asked.outcome, owner.gone]).toEqual(['none', 0]);
        asked.resume();
        expect(await asked.whole()).toBe('ab');
        await owner.goes();
      }
    });

    it('fails with a lost connection, after the chunks that came before', async () => {
      const { connection, peer, owner } = await connected(kind);
      const asked = ask(connection, {}, 1);
      await peer.hears('\r\n\r\n');
      peer.hangUp(`${chunked}${chunk('one')}${chunk('two')}5\r\nthr`);
      await asked.until(() => asked.isFull);
      await turns();
      expect([asked.outcome, asked.text]).toEqual(['none', 'one']);
      asked.resume();
      expect((await asked.failure()).message).toBe(
        'the connection closed in the middle of the response, 2 bytes before the end of a chunk',
      );
      expect(asked.text).toBe('onetwothr');
      await owner.goes();
    });

    it('does not keep a pool from closing a connection that the server has closed', async () => {
      const { connection, peer, owner } = await connected(kind);
      const asked = ask(connection, {}, 1);
      await peer.hears('\r\n\r\n');
      peer.hangUp(answer('ab'));
      await asked.until(() => asked.isFull);
      await turns();
      const reason = new Error('closed');
      connection.destroy(reason);
      expect(asked.error).toBe(reason);
      await owner.goes();
    });
  });

  describe('an abort', () => {
    it.each([
      ['before the answer', ''],
      ['in the middle of the head', 'HTTP/1.1 200 OK\r\nx:'],
      ['after the head', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n'],
      ['in the middle of the body', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nabc'],
      ['in a chunk', `${chunked}5\r\nabc`],
    ])('fails the handler at once %s, and closes the connection', async (_what, wire) => {
      const { connection, peer, owner } = await connected(kind);
      const controller = new AbortController();
      const asked = ask(connection, { signal: controller.signal });
      await peer.hears('\r\n\r\n');
      if (wire !== '') peer.write(wire);
      if (wire.includes('abc')) await asked.until(() => asked.text === 'abc');
      else await turns();
      const reason = new Error('enough');
      controller.abort(reason);
      expect(asked.error).toBe(reason);
      expect(connection.room).toBe(0);
      await owner.goes();
      await peer.closed();
      expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
    });

    it('within chunk ends the calls', async () => {
      for (const at of ['head', 'chunk'] as const) {
        const { connection, peer, owner } = await connected(kind);
        const controller = new AbortController();
        const asked = ask(connection, { signal: controller.signal });
        const original = asked[at].bind(asked) as (...args: unknown[]) => boolean;
        asked[at] = ((...args: unknown[]) => {
          const wantsMore = original(...args);
          controller.abort(new Error('enough'));
          return wantsMore;
        }) as never;
        await peer.hears('\r\n\r\n');
        peer.write(`${chunked}${chunk('one')}${chunk('two')}0\r\n\r\n`);
        expect((await asked.failure()).message).toBe('enough');
        await owner.goes();
        expect(asked.text).toBe(at === 'head' ? '' : 'one');
      }
    });

    it('after the end has no effect', async () => {
      const { connection, peer } = await connected(kind);
      const controller = new AbortController();
      const asked = ask(connection, { signal: controller.signal, target: '/1' });
      await peer.hears('/1');
      peer.write(answer('one'));
      await asked.whole();
      expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
      controller.abort();
      const next = ask(connection, { target: '/2' });
      await peer.hears('/2');
      peer.write(answer('two'));
      expect(await next.whole()).toBe('two');
    });

    it('before the request was sent fails the handler, and nothing is sent', async () => {
      const { connection, peer } = await connected(kind);
      const reason = new Error('enough');
      const asked = ask(connection, { signal: AbortSignal.abort(reason), target: '/1' });
      expect(asked.outcome).toBe('none');
      expect(await asked.failure()).toBe(reason);
      const next = ask(connection, { target: '/2' });
      await peer.hears('/2');
      peer.write(answer('two'));
      expect(await next.whole()).toBe('two');
      expect(peer.received).toBe(requestTo('/2'));
    });

    it('while the request waits for its turn fails the handler at once, and nothing is sent', async () => {
      const { connection, peer, owner } = await connected(kind);
      const first = ask(connection, { target: '/1' });
      const controller = new AbortController();
      const reason = new Error('enough');
      let second: Asked | undefined;
      owner.onFree = () => {
        second = ask(connection, { target: '/2', signal: controller.signal });
        controller.abort(reason);
      };
      await peer.hears('/1');
      peer.write(answer('one'));
      await first.whole();
      expect(second?.error).toBe(reason);
      await peer.closed();
      expect(peer.received).toBe(requestTo('/1'));
    });
  });

  describe('a server that closes the connection', () => {
    it.each([
      ['before it answers', '', 'before the server answered'],
      ['after an interim response', 'HTTP/1.1 103 Early Hints\r\n\r\n', 'before the server answered'],
      ['in the middle of the first line', 'HTTP/1', 'in the middle of the response head'],
      ['in the middle of the head', 'HTTP/1.1 200 OK\r\nx: y\r\n', 'in the middle of the response head'],
      [
        'before the body',
        'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n',
        'in the middle of the response, 5 bytes before its end',
      ],
      [
        'in a body of known length',
        'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nabc',
        'in the middle of the response, 2 bytes before its end',
      ],
      ['in a chunk', `${chunked}5\r\nabc`, 'in the middle of the response, 2 bytes before the end of a chunk'],
      [
        'behind a chunk',
        `${chunked}${chunk('abc')}`,
        'in the middle of the response, before its last chunk was complete',
      ],
      ['in the size of a chunk', `${chunked}5`, 'in the middle of the response, before its last chunk was complete'],
      ['before the last line', `${chunked}0\r\n`, 'in the middle of the response, before its last chunk was complete'],
    ])('%s is reported with the position in the response', async (_what, wire, where) => {
      for (const how of ['hangs up', 'resets'] as const) {
        const { connection, peer, owner } = await connected(kind);
        const asked = ask(connection);
        await peer.hears('\r\n\r\n');
        peer.write(wire);
        if (wire.includes('\r\n\r\n') && !wire.includes(' 103 ')) await asked.until(() => asked.status === 200);
        await turns();
        if (how === 'hangs up') peer.hangUp();
        else peer.reset();
        const error = await asked.failure();
        expect(error).toBeInstanceOf(ConnectionLostError);
        expect(isConnectionLost(error)).toBe(true);
        expect(error.message).toBe(
          how === 'hangs up' ? `the connection closed ${where}` : `the connection closed ${where}: read ECONNRESET`,
        );
        expect(error.cause).toEqual(how === 'hangs up' ? undefined : expect.objectContaining({ code: 'ECONNRESET' }));
        await owner.goes();
        expect([connection.active, connection.room]).toEqual([0, 0]);
      }
    });

    it('ends a body that has no other end, but not by a reset', async () => {
      for (const how of ['hangs up', 'resets'] as const) {
        const { connection, peer, owner } = await connected(kind);
        const asked = ask(connection);
        await peer.hears('\r\n\r\n');
        peer.write('HTTP/1.1 200 OK\r\n\r\nall of it');
        await asked.until(() => asked.text === 'all of it');
        if (how === 'hangs up') {
          peer.hangUp();
          expect(await asked.whole()).toBe('all of it');
        } else {
          peer.reset();
          expect((await asked.failure()).message).toBe(
            'the connection closed in the middle of the response: read ECONNRESET',
          );
        }
        await owner.goes();
      }
    });

    it('while it is idle leaves no room on it', async () => {
      const { connection, peer, owner } = await connected(kind);
      peer.hangUp();
      await owner.goes();
      expect(connection.room).toBe(0);
      await peer.closed();
    });

    it('or does not speak HTTP/1.1 fails the request', async () => {
      const { connection, peer, owner } = await connected(kind);
      const asked = ask(connection);
      await peer.hears('\r\n\r\n');
      peer.write('SSH-2.0-OpenSSH_9.2\r\n\r\n');
      const error = await asked.failure();
      expect(error).toBeInstanceOf(Http1Error);
      expect(error.message).toContain('its first line is "SSH-2.0-OpenSSH_9.2"');
      await owner.goes();
      await peer.closed();
    });
  });
});
