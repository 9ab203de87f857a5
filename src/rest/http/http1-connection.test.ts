import { getEventListeners } from 'node:events';
import { TLSSocket } from 'node:tls';
import { describe, expect, it } from 'vitest';
import {
  Asked,
  answer,
  ask,
  chunk,
  chunked,
  connected,
  kinds,
  mischief,
  type Peer,
  requestTo,
  turns,
} from '../../../test/support/http1-rig.js';
import { FakeClock } from '../../time/fake-clock.js';
import { realClock } from '../../time/real-clock.js';
import { abortError } from '../../time/signals.js';
import { NotProcessedError } from './http-connection.js';
import { InvalidRequestError } from './request-errors.js';
import type { TransportRequest } from './transport.js';

describe.each(kinds)('over $name', (kind) => {
  describe('a request', () => {
    const host = 'host: server.example:8080\r\nconnection: keep-alive\r\n';
    const bytes = Buffer.from([0, 13, 10, 0x80, 0xff]);
    it.each<[string, Partial<TransportRequest>, string]>([
      ['a GET', { target: '/api?watch=1' }, `GET /api?watch=1 HTTP/1.1\r\n${host}\r\n`],
      ['a HEAD', { method: 'HEAD' }, `HEAD / HTTP/1.1\r\n${host}\r\n`],
      ['a DELETE', { method: 'DELETE' }, `DELETE / HTTP/1.1\r\n${host}\r\n`],
      [
        'a DELETE with a body',
        { method: 'DELETE', body: Buffer.from('{}') },
        `DELETE / HTTP/1.1\r\n${host}content-length: 2\r\n\r\n{}`,
      ],
      ['a POST without a body', { method: 'POST' }, `POST / HTTP/1.1\r\n${host}content-length: 0\r\n\r\n`],
      [
        'a PUT of nothing',
        { method: 'PUT', body: Buffer.alloc(0) },
        `PUT / HTTP/1.1\r\n${host}content-length: 0\r\n\r\n`,
      ],
      ['a PATCH without a body', { method: 'PATCH' }, `PATCH / HTTP/1.1\r\n${host}content-length: 0\r\n\r\n`],
      [
        'a POST of bytes',
        { method: 'POST', body: new Uint8Array(bytes) },
        `POST / HTTP/1.1\r\n${host}content-length: 5\r\n\r\n${bytes.toString('latin1')}`,
      ],
      [
        'headers, some of them lists',
        { headers: { accept: 'application/json', 'impersonate-group': ['a', 'b'], none: [], x: '\xe9\t"' } },
        `GET / HTTP/1.1\r\n${host}accept: application/json\r\nimpersonate-group: a\r\nimpersonate-group: b\r\nx: \xe9\t"\r\n\r\n`,
      ],
      [
        'another host',
        { headers: { host: 'other.example' } },
        'GET / HTTP/1.1\r\nhost: other.example\r\nconnection: keep-alive\r\n\r\n',
      ],
    ])('is sent as it has to be: %s', async (_what, request, expected) => {
      const { connection, peer } = await connected(kind);
      const asked = ask(connection, request);
      await peer.until(() => peer.received.length >= expected.length);
      peer.write('HTTP/1.1 204 No Content\r\n\r\n');
      await asked.whole();
      expect(peer.received).toBe(expected);
    });

    it('may have a large body', async () => {
      const { connection, peer } = await connected(kind);
      const body = Buffer.alloc(8 * 1024 * 1024, 'x');
      const asked = ask(connection, { method: 'POST', body });
      await peer.hears('\r\n\r\n');
      const headBytes = peer.received.indexOf('\r\n\r\n') + 4;
      await peer.until(() => peer.received.length === headBytes + body.length);
      peer.write(answer('thanks'));
      expect(await asked.whole()).toBe('thanks');
      expect(peer.received).toContain(`content-length: ${body.length}\r\n`);
    });

    it.each<[string, Partial<TransportRequest>, string | RegExp]>([
      ['a method with a line', { method: 'GET / HTTP/1.1\r\nx: y' }, /^the method "GET/],
      ['an empty method', { method: '' }, 'the method "" has characters that a request cannot carry'],
      [
        'a path with a line',
        { target: '/ HTTP/1.1\r\nx: y' },
        /^the path "\/ HTTP.* has characters that a request cannot/,
      ],
      ['a path with a line feed', { target: '/a\nb' }, 'the path "/a\\nb" has'],
      ['a path with a blank', { target: '/a b' }, 'the path "/a b" has'],
      ['a path that is not ASCII', { target: '/é' }, 'the path "/é" has'],
      ['an empty path', { target: '' }, 'the path "" has'],
      ['a name with a line', { headers: { 'x\r\ny': 'z' } }, /valid HTTP token/],
      ['a name with a colon', { headers: { 'x:': 'z' } }, /valid HTTP token/],
      ['an empty name', { headers: { '': 'z' } }, /valid HTTP token/],
      ['a value with a line', { headers: { x: 'se\r\ncret: y' } }, /Invalid character in header content \["x"\]/],
      ['a value with a line feed', { headers: { x: 'se\ncret' } }, /Invalid character/],
      ['a value with a carriage return', { headers: { x: 'se\rcret' } }, /Invalid character/],
      ['a value with a NUL', { headers: { x: 'se\0cret' } }, /Invalid character/],
      ['a value beyond a byte', { headers: { x: 'se\u0100cret' } }, /Invalid character/],
      ['a bad value in a list', { headers: { x: ['good', 'se\ncret'] } }, /Invalid character/],
      ['a bad host', { headers: { host: 'se\r\ncret' } }, /Invalid character/],
      [
        'a length',
        { headers: { 'content-length': '5' } },
        'the header content-length cannot be set: the connection sets it',
      ],
      [
        'a Length',
        { headers: { 'Content-Length': '5' } },
        'the header Content-Length cannot be set: the connection sets it',
      ],
      ['an encoding', { headers: { 'transfer-encoding': 'chunked' } }, 'the header transfer-encoding cannot be set'],
      ['a trailer', { headers: { trailer: 'x' } }, 'the header trailer cannot be set'],
      ['an upgrade', { headers: { upgrade: 'websocket' } }, 'the header upgrade cannot be set'],
      ['an expectation', { headers: { expect: '100-continue' } }, 'the header expect cannot be set'],
    ])('is refused with nothing sent, and the connection goes on: %s', async (_what, request, message) => {
      const { connection, peer } = await connected(kind);
      const handler = new Asked();
      let error: unknown;
      try {
        connection.send({ method: 'GET', target: '/', headers: {}, ...request }, handler);
      } catch (thrown) {
        error = thrown;
      }
      expect(() => {
        throw error;
      }).toThrow(message);
      expect((error as Error).message).not.toContain('cret');
      expect([connection.active, connection.room]).toEqual([0, 1]);
      const asked = ask(connection, { target: '/next' });
      await peer.hears('\r\n\r\n');
      peer.write(answer('fine'));
      expect(await asked.whole()).toBe('fine');
      expect(peer.received).toBe(requestTo('/next'));
      expect(handler.outcome).toBe('none');
    });

    it('that cannot be sent says so with an error of its own', async () => {
      const { connection } = await connected(kind);
      expect(() => ask(connection, { target: '/a b' })).toThrow(InvalidRequestError);
      expect(() => ask(connection, { headers: { expect: 'x' } })).toThrow(InvalidRequestError);
    });
  });

  describe('a connection', () => {
    it('carries one request after the other', async () => {
      const { connection, peer, owner } = await connected(kind);
      expect([connection.active, connection.room]).toEqual([0, 1]);
      const targets = Array.from({ length: 5 }, (_, i) => `/${i}`);
      for (const [i, target] of targets.entries()) {
        const asked = ask(connection, { target });
        expect([connection.active, connection.room]).toEqual([1, 0]);
        await peer.hears(requestTo(target));
        peer.write(i % 2 === 0 ? answer(target) : `${chunked}${chunk(target)}0\r\n\r\n`);
        expect(await asked.whole()).toBe(target);
        expect([connection.active, connection.room, owner.rooms]).toEqual([0, 1, i + 1]);
        if (i === 2) await turns();
      }
      expect(peer.received).toBe(targets.map(requestTo).join(''));
      expect(owner.gone).toBe(0);
    });

    it('takes the next request from within the end of the answer before', async () => {
      const { connection, peer, owner } = await connected(kind);
      const first = ask(connection, { target: '/1' });
      let second: Asked | undefined;
      owner.onFree = () => {
        second ??= ask(connection, { target: '/2' });
      };
      await peer.hears('/1');
      peer.write(answer('one'));
      expect(await first.whole()).toBe('one');
      await peer.hears('/2');
      peer.write(answer('two'));
      expect(await second?.whole()).toBe('two');
    });

    it.each([
      ['says that it closes', answer('body', 'connection: close\r\n')],
      ['is HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 4\r\n\r\nbody'],
      ['is HTTP/1.0, whatever it says', 'HTTP/1.0 200 OK\r\ncontent-length: 4\r\nconnection: keep-alive\r\n\r\nbody'],
      ['will be closed within a second', answer('body', 'keep-alive: timeout=1\r\n')],
      ['is closed at once', answer('body', 'keep-alive: timeout=0\r\n')],
      ['is followed by bytes', `${answer('body')}x`],
      ['is followed by an answer', `${answer('body')}${answer('evil')}`],
      ['is followed by a line', `${answer('body')}\r\n`],
    ])('is not used again when the answer %s', async (_what, wire) => {
      const { connection, peer, owner } = await connected(kind);
      const asked = ask(connection);
      owner.onFree = () => mischief.push('room for another request');
      asked.onOver = () => expect(connection.room).toBe(0);
      await peer.hears('\r\n\r\n');
      peer.write(wire);
      expect(await asked.whole()).toBe('body');
      expect(connection.room).toBe(0);
      await owner.goes();
      await peer.closed();
      expect([connection.room, connection.active]).toEqual([0, 0]);
    });

    it('is closed when something comes that nobody asked for', async () => {
      const { connection, peer, owner } = await connected(kind);
      const asked = ask(connection);
      await peer.hears('\r\n\r\n');
      peer.write(answer('body'));
      await asked.whole();
      await turns();
      expect(connection.room).toBe(1);
      peer.write(answer('evil'));
      await owner.goes();
      expect(connection.room).toBe(0);
    });

    it('takes nothing for an answer that has come before the request left', async () => {
      const { connection, peer, owner } = await connected(kind);
      const first = ask(connection, { target: '/1' });
      let second: Asked | undefined;
      owner.onFree = () => {
        second ??= ask(connection, { target: '/2' });
      };
      await peer.hears('/1');
      // Both are there before this side reads, and it reads the first of them alone.
      const padding = kind.pieceBytes - answer('x'.repeat(20_000)).length;
      const whole = answer('x'.repeat(20_000 + padding));
      const fitting = answer('x'.repeat(20_000 + padding - (whole.length - kind.pieceBytes)));
      expect(fitting.length).toBe(kind.pieceBytes);
      peer.write(Buffer.from(`${fitting}${answer('evil')}`));
      await first.whole();
      expect(second).toBeDefined();
      expect(await second!.failure()).toBeInstanceOf(NotProcessedError);
      expect(second!.status).toBe(0);
      await peer.closed();
      expect(peer.received).not.toContain('/2');
    });

    it('takes nothing for an answer that has come before anything was asked', async () => {
      const greet = async (peer: Peer): Promise<void> => {
        peer.write(answer('evil'));
        await turns();
      };
      const { connection, peer, owner, socket } = await connected(kind, realClock, greet);
      // What reads into shared memory has nowhere to put it, and has hung up by itself.
      expect(socket.destroyed).toBe(kind === kinds[0]);
      if (!socket.destroyed) {
        const asked = ask(connection);
        expect(await asked.failure()).toBeInstanceOf(NotProcessedError);
        expect(asked.status).toBe(0);
        await owner.goes();
      }
      await peer.closed();
      expect(peer.received).toBe('');
    });

    it('is not used again when the answer came before the request was written', async () => {
      const { connection, peer, owner, socket } = await connected(kind);
      peer.socket.pause();
      const asked = ask(connection, { method: 'POST', body: Buffer.alloc(64 * 1024 * 1024) });
      let next: Asked | undefined;
      owner.onFree = () => {
        next ??= ask(connection, { target: '/next' });
      };
      peer.write(answer('too large'));
      expect(await asked.whole()).toBe('too large');
      expect(socket.writableLength).toBeGreaterThan(0);
      await owner.goes();
      if (next !== undefined) expect(await next.failure()).toBeInstanceOf(NotProcessedError);
      expect(connection.room).toBe(0);
    });

    it('is not left open after such an answer, even if nobody asks for more', async () => {
      const { connection, peer, owner } = await connected(kind);
      peer.socket.pause();
      const asked = ask(connection, { method: 'POST', body: Buffer.alloc(64 * 1024 * 1024) });
      peer.write(answer('too large'));
      await asked.whole();
      await owner.goes();
      expect(connection.room).toBe(0);
    });

    it('is given up a second before the server would close it', async () => {
      const clock = new FakeClock();
      const { connection, peer, owner } = await connected(kind, clock);
      const exchange = async (target: string): Promise<void> => {
        const asked = ask(connection, { target });
        await peer.hears(requestTo(target));
        peer.write(answer('ok', 'Keep-Alive: timeout=5, max=100\r\n'));
        await asked.whole();
      };
      await exchange('/1');
      await clock.advance(3999);
      expect(connection.room).toBe(1);
      await exchange('/2');
      await clock.advance(3000);
      // What is not sent does not count for the server.
      const refused = ask(connection, { refusal: () => new Error('too late') });
      await refused.failure();
      await clock.advance(999);
      expect([connection.room, owner.gone]).toEqual([1, 0]);
      await clock.advance(1);
      expect(connection.room).toBe(0);
      await owner.goes();
      await peer.closed();
    });

    it('is not given up in the middle of an answer', async () => {
      const clock = new FakeClock();
      const { connection, peer } = await connected(kind, clock);
      const first = ask(connection, { target: '/1' });
      await peer.hears('/1');
      peer.write(answer('ok', 'keep-alive: timeout=5\r\n'));
      await first.whole();
      const second = ask(connection, { target: '/2' });
      await peer.hears('/2');
      await clock.advance(60_000);
      peer.write(answer('ok'));
      expect(await second.whole()).toBe('ok');
    });
  });

  describe('a request that may be refused', () => {
    it('is asked right before it leaves, and then leaves in the same call', async () => {
      const { connection, peer, socket } = await connected(kind);
      const written: number[] = [];
      const asked = ask(connection, {
        refusal: () => {
          written.push(socket.bytesWritten);
          return undefined;
        },
      });
      expect(written).toEqual([0]);
      expect(socket.bytesWritten).toBe(requestTo('/').length);
      // What TLS made of it is on its way, too, and only told a turn later.
      if (!(socket instanceof TLSSocket)) expect(socket.writableLength).toBe(0);
      await peer.hears(requestTo('/'));
      peer.write(answer('ok'));
      await asked.whole();
      expect(written).toHaveLength(1);
    });

    it('sends nothing when it is, and leaves the connection to others', async () => {
      const { connection, peer, owner } = await connected(kind);
      for (const round of ['/1', '/2']) {
        const reason = new Error('no longer the leader');
        const asked = ask(connection, {
          method: 'PUT',
          target: '/refused',
          body: Buffer.from('x'),
          refusal: () => reason,
        });
        expect([asked.outcome, connection.room, connection.active]).toEqual(['none', 0, 1]);
        expect(await asked.failure()).toBe(reason);
        await owner.until(() => connection.room === 1);
        const next = ask(connection, { target: round });
        await peer.hears(requestTo(round));
        peer.write(answer('ok'));
        expect(await next.whole()).toBe('ok');
      }
      expect(peer.received).toBe(`${requestTo('/1')}${requestTo('/2')}`);
      expect(owner.gone).toBe(0);
    });

    it('is asked when it leaves, not when it is handed in', async () => {
      const { connection, peer, owner } = await connected(kind);
      const first = ask(connection, { target: '/1' });
      const reason = new Error('no longer the leader');
      let mayAsk = true;
      let second: Asked | undefined;
      owner.onFree = () => {
        second ??= ask(connection, { target: '/2', refusal: () => (mayAsk ? undefined : reason) });
        mayAsk = false;
      };
      await peer.hears('/1');
      peer.write(answer('one'));
      await first.whole();
      expect(await second?.failure()).toBe(reason);
      await owner.until(() => connection.room === 1);
      expect(peer.received).toBe(requestTo('/1'));
    });

    it('may be called off by the question itself', async () => {
      const { connection, peer } = await connected(kind);
      const controller = new AbortController();
      const reason = new Error('enough');
      const asked = ask(connection, {
        signal: controller.signal,
        refusal: () => {
          controller.abort(reason);
          return undefined;
        },
      });
      expect(await asked.failure()).toBe(reason);
      await turns();
      expect(peer.received).toBe('');
    });
  });

  describe('the end of a connection', () => {
    it('comes at once when it is destroyed, in whatever state it is', async () => {
      for (const state of ['idle', 'asked', 'answering', 'paused', 'waiting', 'refused'] as const) {
        const { connection, peer, owner } = await connected(kind);
        const reason = abortError('the client was closed');
        let asked: Asked | undefined;
        if (state === 'waiting') {
          const first = ask(connection);
          owner.onFree = () => {
            asked ??= ask(connection, { target: '/2' });
          };
          await peer.hears('\r\n\r\n');
          peer.write(answer('ok'));
          await first.whole();
        } else if (state === 'refused') asked = ask(connection, { refusal: () => reason });
        else if (state !== 'idle') asked = ask(connection, {}, state === 'paused' ? 1 : undefined);
        if (state === 'answering' || state === 'paused') {
          await peer.hears('\r\n\r\n');
          peer.write(`${chunked}${chunk('one')}${chunk('two')}`);
          await asked!.until(() => asked!.pieces > 0);
        }
        connection.destroy(reason);
        if (asked !== undefined) expect(asked.error).toBe(reason);
        expect(connection.room).toBe(0);
        connection.destroy(new Error('again'));
        await owner.goes();
        await peer.closed();
        await turns();
        expect(peer.received).not.toContain('/2');
      }
    });

    it('needs no reason', async () => {
      const { connection } = await connected(kind);
      const asked = ask(connection);
      connection.destroy(undefined);
      expect(await asked.failure()).toMatchObject({ code: 'CONNECTION_LOST', message: 'the connection was closed' });
    });

    it('waits for what is under way when it is drained', async () => {
      const { connection, peer, owner } = await connected(kind);
      const asked = ask(connection);
      await peer.hears('\r\n\r\n');
      peer.write(`${chunked}${chunk('one')}`);
      await asked.until(() => asked.pieces > 0);
      connection.drain();
      expect([connection.room, connection.active]).toEqual([0, 1]);
      peer.write(`${chunk('two')}0\r\n\r\n`);
      expect(await asked.whole()).toBe('onetwo');
      expect(connection.room).toBe(0);
      await owner.goes();
      await peer.closed();
    });

    it('waits for what was handed in and has not left yet', async () => {
      const { connection, peer, owner } = await connected(kind);
      const first = ask(connection, { target: '/1' });
      let second: Asked | undefined;
      owner.onFree = () => {
        second ??= ask(connection, { target: '/2' });
        connection.drain();
      };
      await peer.hears('/1');
      peer.write(answer('one'));
      await first.whole();
      await peer.hears('/2');
      peer.write(answer('two'));
      expect(await second?.whole()).toBe('two');
      await owner.goes();
    });

    it('is there at once when nothing is under way', async () => {
      const { connection, peer, owner } = await connected(kind);
      connection.drain();
      expect(connection.room).toBe(0);
      await owner.goes();
      await peer.closed();
    });
  });

  it('keeps the process alive while something is under way, and only then', async () => {
    const { connection, peer, socket } = await connected(kind);
    interface Handle {
      readonly _parent?: Handle;
      hasRef(): boolean;
    }
    const { _handle: handle } = socket as unknown as { _handle: Handle };
    const isAwake = (): boolean => (handle._parent ?? handle).hasRef();
    expect(isAwake()).toBe(false);
    for (const target of ['/1', '/2']) {
      const asked = ask(connection, { target });
      await peer.hears(target);
      expect(isAwake()).toBe(true);
      peer.write(answer('ok'));
      await asked.whole();
      expect(isAwake()).toBe(false);
      await ask(connection, { refusal: () => new Error('no') }).failure();
      expect(isAwake()).toBe(false);
    }
  });

  it('leaves nothing behind on a signal or a socket, however often it is used', async () => {
    const { connection, peer, socket } = await connected(kind);
    const { signal } = new AbortController();
    peer.socket.on('data', () => peer.write(answer('ok')));
    const listeners = (): [string | symbol, number][] =>
      socket.eventNames().map((name) => [name, socket.listenerCount(name)]);
    await ask(connection, { signal }).whole();
    const before = listeners();
    for (let i = 0; i < 1000; i++) await ask(connection, { signal }).whole();
    expect(listeners()).toEqual(before);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});
