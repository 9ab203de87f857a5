import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { finished } from 'node:stream/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { seededRandom } from '../../../time/seeded-random.js';
import { type ApiServer, type ApiServerOptions, startApiServer } from '../../index.js';

let api: ApiServer;
const errors: unknown[] = [];
afterEach(async () => {
  await api.stop();
  expect(errors.splice(0)).toEqual([]);
});

const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'one', namespace: 'default' },
  spec: { nodeName: 'n', containers: [{ name: 'app', image: 'app:1' }] },
};
const PATH = '/api/v1/namespaces/default/pods/one';

async function start(kubelet: ApiServerOptions['kubelet']): Promise<void> {
  api = await startApiServer({ kubelet, objects: [POD], onError: (error) => void errors.push(error) });
}

/** A WebSocket client that shows every message: channel and text. */
class Peer {
  readonly messages: [channel: number, text: string][] = [];
  readonly socket: Socket;
  #bytes: Buffer = Buffer.alloc(0);
  head = '';

  constructor(path: string, protocol: string, headers = '') {
    const { hostname, port, host } = new URL(api.url);
    this.socket = connect(Number(port), hostname);
    const lines = [
      `GET ${path} HTTP/1.1`,
      `Host: ${host}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      `Sec-WebSocket-Protocol: ${protocol}`,
    ];
    this.socket.write(`${lines.join('\r\n')}\r\n${headers}\r\n`);
    this.socket.on('error', () => {});
    this.socket.on('data', (chunk: Buffer) => this.#read(chunk));
  }

  #read(chunk: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    if (this.head === '') {
      const end = this.#bytes.indexOf('\r\n\r\n');
      if (end < 0) return;
      this.head = this.#bytes.toString('utf8', 0, end);
      this.#bytes = this.#bytes.subarray(end + 4);
    }
    if (!this.head.startsWith('HTTP/1.1 101')) return;
    for (;;) {
      if (this.#bytes.length < 2) return;
      const short = this.#bytes[1]! & 0x7f;
      const at = short === 126 ? 4 : short === 127 ? 10 : 2;
      if (this.#bytes.length < at) return;
      const length =
        at === 4 ? this.#bytes.readUInt16BE(2) : at === 10 ? Number(this.#bytes.readBigUInt64BE(2)) : short;
      if (this.#bytes.length < at + length) return;
      const payload = this.#bytes.subarray(at, at + length);
      if ((this.#bytes[0]! & 0x0f) === 2) this.messages.push([payload[0] ?? -1, payload.toString('utf8', 1)]);
      this.#bytes = this.#bytes.subarray(at + length);
    }
  }

  get body(): string {
    return this.#bytes.toString();
  }

  /** Sends a message in one frame, or in fragments of some bytes. */
  send(bytes: Uint8Array, fragment = bytes.length): void {
    for (let at = 0; at < bytes.length; at += fragment) {
      const part = bytes.subarray(at, at + fragment);
      const isLast = at + fragment >= bytes.length;
      this.socket.write(frame((isLast ? 0x80 : 0) | (at === 0 ? 2 : 0), part));
    }
  }

  text(channel: number): string {
    return this.messages
      .filter(([one]) => one === channel)
      .map(([, text]) => text)
      .join('');
  }

  async closed(): Promise<this> {
    await finished(this.socket).catch(() => {});
    return this;
  }
}

function frame(first: number, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(payload.length < 126 ? 2 : 4);
  head[0] = first;
  head[1] = 0x80 | Math.min(payload.length, 126);
  if (payload.length >= 126) head.writeUInt16BE(payload.length, 2);
  const mask = Buffer.from([1, 2, 3, 4]);
  return Buffer.concat([head, mask, payload.map((byte, at) => byte ^ mask[at & 3]!)]);
}

const onChannel = (channel: number, text: string): Buffer => Buffer.concat([Buffer.from([channel]), Buffer.from(text)]);

describe.each(['v5.channel.k8s.io', 'v4.channel.k8s.io'])('exec over %s', (protocol) => {
  it('sends output, errors and the exit code', async () => {
    await start({
      exec({ command, container, stdin, stdout, stderr, tty }) {
        stdout!.write(`${container}: ${command.join(' ')} ${stdin === undefined} ${tty}`);
        stderr!.write('warning');
        return 3;
      },
    });
    const peer = await new Peer(`${PATH}/exec?command=ls&command=-l&stdout=1&stderr=1`, protocol).closed();
    expect(peer.head).toContain(`Sec-WebSocket-Protocol: ${protocol}`);
    expect(peer.head).toContain('Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=');
    expect([peer.text(1), peer.text(2)]).toEqual(['app: ls -l true false', 'warning']);
    expect(JSON.parse(peer.text(3))).toMatchObject({
      status: 'Failure',
      reason: 'NonZeroExitCode',
      details: { causes: [{ reason: 'ExitCode', message: '3' }] },
    });
  });

  it('hands over stdin, in any fragments, and sizes of the terminal', async () => {
    await start({
      async exec({ stdin, stdout, stderr, onResize }) {
        onResize(({ width, height }) => stdout!.write(`[${width}x${height}]`));
        stdout!.write(`stderr ${stderr === undefined};`);
        let text = '';
        for await (const chunk of stdin!) {
          text += chunk;
          if (text.endsWith('!')) break;
        }
        stdout!.write(text.toUpperCase());
      },
    });
    const peer = new Peer(`${PATH}/exec?command=sh&stdin=1&stdout=1&stderr=1&tty=1`, protocol);
    await once(peer.socket, 'data');
    peer.send(onChannel(4, '{"Width":80,"Height":24}'));
    peer.send(onChannel(0, 'hello '), 2);
    peer.socket.write(frame(0x89, Buffer.from('ping')));
    peer.send(onChannel(0, 'world'));
    peer.send(onChannel(0, '!'));
    await peer.closed();
    expect(peer.text(1)).toBe('stderr true;[80x24]HELLO WORLD!');
    expect(JSON.parse(peer.text(3))).toEqual({ metadata: {}, status: 'Success' });
  });
});

describe('a stream of a pod', () => {
  it('ends stdin when the client closes its channel in v5', async () => {
    await start({
      async exec({ stdin, stdout }) {
        let length = 0;
        for await (const chunk of stdin!) length += chunk.length;
        stdout!.write(`read ${length}`);
      },
    });
    const peer = new Peer(`${PATH}/exec?command=wc&stdin=1&stdout=1`, 'v5.channel.k8s.io');
    await once(peer.socket, 'data');
    for (let n = 0; n < 100; n++) peer.send(onChannel(0, 'x'.repeat(10_000)));
    peer.send(Buffer.from([255, 0]));
    expect((await peer.closed()).text(1)).toBe('read 1000000');
  });

  it('is aborted when the client goes away', async () => {
    let reason: unknown;
    let told: () => void = () => {};
    const aborted = new Promise<void>((resolve) => {
      told = resolve;
    });
    await start({
      async attach({ signal }) {
        await once(signal, 'abort');
        reason = (signal.reason as Error).message;
        told();
      },
    });
    const peer = new Peer(`${PATH}/attach?stdout=1`, 'v5.channel.k8s.io');
    await once(peer.socket, 'data');
    peer.socket.destroy();
    await aborted;
    expect(reason).toBe('The client has gone away');
  });

  it('loses output that comes after the end of the process', async () => {
    let failure: unknown;
    await start({
      exec({ stdout }) {
        stdout!.once('finish', () => stdout!.write('late', (error) => (failure = error)));
      },
    });
    const peer = await new Peer(`${PATH}/exec?command=x&stdout=1`, 'v5.channel.k8s.io').closed();
    expect(failure).toMatchObject({ code: 'ERR_STREAM_WRITE_AFTER_END' });
    expect(peer.text(1)).toBe('');
  });

  it('over SPDY is closed when the headers of a stream cannot be read', async () => {
    await start({ attach: () => {} });
    const { hostname, port, host } = new URL(api.url);
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    const lines = [
      `POST ${PATH}/attach?stdout=1 HTTP/1.1`,
      `Host: ${host}`,
      'Connection: Upgrade',
      'Upgrade: SPDY/3.1',
    ];
    socket.write(`${[...lines, 'X-Stream-Protocol-Version: v4.channel.k8s.io'].join('\r\n')}\r\n\r\n`);
    await once(socket, 'data');
    // The frame opens a stream with a block of headers that is no zlib data.
    socket.write(Buffer.from([0x80, 3, 0, 1, 0, 0, 0, 14, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]));
    socket.resume();
    await once(socket, 'end');
    socket.end();
    await once(socket, 'close');
    await api.stop();
  });

  it('tells what its function throws', async () => {
    await start({
      exec() {
        throw new Error('no such file');
      },
    });
    const peer = await new Peer(`${PATH}/exec?command=x&stdout=1`, 'v4.channel.k8s.io').closed();
    expect(JSON.parse(peer.text(3))).toMatchObject({ status: 'Failure', message: 'no such file' });
  });

  it.each([
    [
      `${PATH}/exec?command=x&stdout=1`,
      'v9.channel.k8s.io',
      400,
      'unable to upgrade: the WebSocket needs one of the protocols',
    ],
    [`${PATH}/exec?stdout=1`, 'v5.channel.k8s.io', 400, 'you must specify at least 1 command'],
    [`${PATH}/exec?command=x`, 'v5.channel.k8s.io', 400, 'you must specify at least 1 of stdin, stdout, stderr'],
    [
      `${PATH}/exec?command=x&stdout=1&container=none`,
      'v5.channel.k8s.io',
      400,
      'container none is not valid for pod one',
    ],
    [`${PATH}/attach?stdout=1`, 'v5.channel.k8s.io', 501, 'pass a function as the option kubelet.attach'],
    ['/api/v1/namespaces/default/pods', 'v5.channel.k8s.io', 200, 'PodList'],
  ])('%s of %s is answered with %i', async (path, protocol, code, message) => {
    await start({ exec: () => 0 });
    const peer = await new Peer(path, protocol).closed();
    expect(peer.head).toMatch(new RegExp(`^HTTP/1.1 ${code} `));
    expect(peer.body).toContain(message);
  });

  it('without an upgrade is refused', async () => {
    await start({ exec: () => 0 });
    const answer = await fetch(`${api.url}${PATH}/exec?command=x&stdout=1`, { method: 'POST' });
    expect([answer.status, ((await answer.json()) as { message: string }).message]).toEqual([
      400,
      'Upgrade request required',
    ]);
  });

  it.each([
    ['a frame without a mask', Buffer.from([0x82, 1, 0])],
    ['reserved bits', Buffer.from([0xf2, 0x80, 0, 0, 0, 0])],
    ['an unknown opcode', Buffer.from([0x83, 0x80, 0, 0, 0, 0])],
    ['a continuation of nothing', frame(0x80, Buffer.from('x'))],
    ['a message that is too long', Buffer.from([0x82, 0xff, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0])],
    ['a fragmented ping', frame(0x09, Buffer.from('x'))],
  ])('is closed after %s', async (_what, bytes) => {
    await start({ exec: ({ signal }) => new Promise<void>((end) => signal.addEventListener('abort', () => end())) });
    const peer = new Peer(`${PATH}/exec?command=x&stdin=1&stdout=1`, 'v5.channel.k8s.io');
    await once(peer.socket, 'data');
    peer.socket.write(bytes);
    await peer.closed();
    expect(peer.text(3)).toBe('');
  });

  it('survives any bytes', async () => {
    await start({
      exec: ({ signal }) => new Promise<void>((end) => signal.addEventListener('abort', () => end())),
      portForward: ({ signal }) => new Promise<void>((end) => signal.addEventListener('abort', () => end())),
    });
    const random = seededRandom(5);
    for (let round = 0; round < 60; round++) {
      const isExec = round % 2 === 0;
      const path = isExec ? `${PATH}/exec?command=x&stdin=1&stdout=1` : `${PATH}/portforward`;
      const peer = new Peer(path, isExec ? 'v5.channel.k8s.io' : 'SPDY/3.1+portforward.k8s.io');
      peer.socket.on('connect', () => {
        const bytes = Buffer.from(
          Array.from({ length: 1 + Math.floor(random() * 300) }, () => Math.floor(random() * 256)),
        );
        if (round % 4 < 2) peer.socket.write(bytes);
        else peer.send(bytes);
        peer.socket.end();
      });
      await peer.closed();
    }
    expect((await fetch(`${api.url}/healthz`)).status).toBe(200);
  });
});

describe('port-forward over channels', () => {
  it('names the ports, then carries bytes both ways', async () => {
    await start({
      async portForward({ port, connection }) {
        connection.write(`port ${port};`);
        for await (const chunk of connection) {
          connection.write(String(chunk).toUpperCase());
          return;
        }
      },
    });
    const peer = new Peer(`${PATH}/portforward?ports=8080`, 'v4.channel.k8s.io');
    await once(peer.socket, 'data');
    peer.send(onChannel(0, 'hello'));
    while (!peer.text(0).endsWith('HELLO')) await once(peer.socket, 'data');
    expect(peer.text(0)).toContain('port 8080;HELLO');
    peer.socket.destroy();
  });
});

describe('a log', () => {
  it('is sent as its function gives it, up to limitBytes', async () => {
    await start({
      async *log({ container, follow, tailLines, timestamps }) {
        yield `${container} ${follow} ${tailLines} ${timestamps}\n`;
        for (let n = 0; n < 1000; n++) yield Buffer.from(`line ${n}\n`);
      },
    });
    const get = async (query: string): Promise<string> => (await fetch(`${api.url}${PATH}/log?${query}`)).text();
    expect(await get('tailLines=5&timestamps=true&limitBytes=30')).toBe('app false 5 true\nline 0\nline 1');
    expect((await get('follow=true')).length).toBeGreaterThan(8000);
  });

  it('that is followed ends with the part that reaches limitBytes', async () => {
    await start({
      async *log({ signal }) {
        yield 'line\n';
        await once(signal, 'abort');
      },
    });
    const answer = await fetch(`${api.url}${PATH}/log?follow=true&limitBytes=5`);
    expect(await answer.text()).toBe('line\n');
  });
});

describe('a proxy', () => {
  it('hands the request to its function and the answer to the client', async () => {
    await start({
      async proxy({ request, port }) {
        const { pathname, search } = new URL(request.url);
        const text = `${request.method} ${pathname}${search} ${port} ${request.headers.get('x-mine')} ${await request.text()}`;
        return new Response(text, { status: 202, headers: { 'x-theirs': 'yes' } });
      },
    });
    const url = `${api.url}/api/v1/namespaces/default/pods/one:8080/proxy/a/b%20c?d=e`;
    const answer = await fetch(url, { method: 'POST', body: 'body', headers: { 'x-mine': 'm' } });
    expect([answer.status, answer.headers.get('x-theirs')]).toEqual([202, 'yes']);
    expect(await answer.text()).toBe('POST /a/b%20c?d=e 8080 m body');
  });
});
