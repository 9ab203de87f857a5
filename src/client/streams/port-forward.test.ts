import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { pattern, podRig, ways } from '../../../test/support/pod-rig.js';
import type { PortForwardCall } from '../../apiserver/index.js';
import { isNotFound } from '../../meta/errors/error-predicates.js';
import { Client } from '../client.js';

/** Not `text()`, which destroys the whole stream at the end of its readable side. */
async function received(connection: Duplex): Promise<string> {
  const chunks: Buffer[] = [];
  connection.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(connection, 'end');
  return Buffer.concat(chunks).toString();
}

/** Answers with what it received, after the other side has ended. */
async function echo({ port, connection }: PortForwardCall): Promise<void> {
  connection.end(`${port}: ${await received(connection)}`);
}

async function closed(connection: Duplex): Promise<void> {
  await once(connection, 'close');
}

function local(port: number): Socket {
  return connect({ port, host: '127.0.0.1', allowHalfOpen: true });
}

async function ask(connection: Duplex, question: string): Promise<string> {
  connection.end(question);
  return text(connection);
}

describe.each(ways)('a connection to a port over %s', (way) => {
  it('can be closed halfway', async () => {
    const { pods } = await podRig({ portForward: echo }, way);
    expect(await ask(await pods.connect('one', 80), 'question')).toBe('80: question');
  });

  it('carries megabytes both ways at once, unchanged', async () => {
    const { pods } = await podRig({ portForward: ({ connection }) => closed(connection.pipe(connection)) }, way);
    const connection = await pods.connect('one', 80);
    const sent = pattern(0, 3_000_000);
    connection.end(sent);
    const received: Buffer[] = [];
    for await (const chunk of connection) received.push(chunk as Buffer);
    expect(Buffer.concat(received).equals(sent)).toBe(true);
  });
});

describe('a connection to a port', () => {
  it('is destroyed with what the server says about it', async () => {
    const { pods } = await podRig({
      portForward() {
        throw new Error('connection refused');
      },
    });
    const connection = await pods.connect('one', 81);
    const [error] = await once(connection, 'error');
    expect((error as Error).message).toMatch(
      /^get pods\/portforward default\/one of http:.*: error forwarding port 81 to pod one: connection refused$/,
    );
  });

  it('rejects as any request, and is closed by an abort', async () => {
    const told: string[] = [];
    const { pods } = await podRig({
      async portForward({ connection }) {
        told.push('opened');
        await closed(connection);
        told.push('closed');
      },
    });
    await expect(pods.connect('none', 80)).rejects.toSatisfy(isNotFound);
    await expect(pods.connect('one', 0)).rejects.toThrow('port must be a whole number from 1 to 65535, got 0');
    const controller = new AbortController();
    const connection = await pods.connect('one', 80, { signal: controller.signal });
    const failed = once(connection, 'error');
    while (told.length === 0) await new Promise((resolve) => setImmediate(resolve));
    controller.abort(new Error('enough'));
    expect(((await failed)[0] as Error).message).toBe('enough');
    while (told.length === 1) await new Promise((resolve) => setImmediate(resolve));
  });

  it('fails when the connection to the server breaks', async () => {
    const { pods, api } = await podRig({ portForward: ({ connection }) => closed(connection) });
    const connection = await pods.connect('one', 80);
    const failed = once(connection, 'error');
    api.faults.dropConnections();
    expect(((await failed)[0] as Error).message).toContain('the connection');
  });
});

describe('a port-forward', () => {
  it('forwards local ports, each connection on its own', async () => {
    const { pods } = await podRig({ portForward: echo });
    await using forward = await pods.portForward('one', [80, { remote: 443 }]);
    expect(forward.ports.map(({ remote }) => remote)).toEqual([80, 443]);
    const questions = forward.ports.flatMap(({ local: port }) =>
      ['a', 'b', 'c'].map((question) => ({ port, question })),
    );
    const answers = await Promise.all(questions.map(({ port, question }) => ask(local(port), question)));
    expect(answers).toEqual(['80: a', '80: b', '80: c', '443: a', '443: b', '443: c']);
  });

  it('of many connections at once loses none', async () => {
    const { pods } = await podRig({ portForward: echo });
    await using forward = await pods.portForward('one', 80);
    const port = forward.ports[0]!.local;
    const asked = Array.from({ length: 100 }, (_, n) => ask(local(port), `${n}`));
    expect(await Promise.all(asked)).toEqual(Array.from({ length: 100 }, (_, n) => `80: ${n}`));
  });

  it('reports a connection that failed, resets it, and goes on', async () => {
    const { pods } = await podRig({
      portForward: (call) => {
        if (call.port === 81) throw new Error('nothing listens');
        return echo(call);
      },
    });
    const errors: Error[] = [];
    await using forward = await pods.portForward('one', [80, 81], { onError: (error) => errors.push(error) });
    const [good, bad] = forward.ports;
    const socket = local(bad!.local);
    const [error] = await once(socket, 'error');
    expect(error).toMatchObject({ code: 'ECONNRESET' });
    expect(errors.map(({ message }) => message)).toEqual([expect.stringContaining('nothing listens')]);
    expect(await ask(local(good!.local), 'still there')).toBe('80: still there');
  });

  it('rejects if the pod cannot be reached or a port is in use, and leaves nothing open', async () => {
    const { pods } = await podRig({ portForward: echo });
    await expect(pods.portForward('none', 80)).rejects.toSatisfy(isNotFound);
    await expect(pods.portForward('one', [])).rejects.toThrow('ports must be at least one port');
    await expect(pods.portForward('one', { remote: 80, lokal: 1 } as never)).rejects.toThrow("did you mean 'local'");
    const taken = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void taken.close());
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    await expect(pods.portForward('one', [80, { remote: 80, local: port }])).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
  });

  it('ends with an abort: its connections are closed, and nothing listens', async () => {
    const { pods } = await podRig({ portForward: ({ connection }) => closed(connection) });
    const controller = new AbortController();
    const forward = await pods.portForward('one', 80, { signal: controller.signal });
    const port = forward.ports[0]!.local;
    const open = local(port);
    await once(open, 'connect');
    open.write('x');
    controller.abort();
    await once(open, 'close').catch(() => {});
    await forward.close();
    const [error] = await once(local(port), 'error');
    expect(error).toMatchObject({ code: 'ECONNREFUSED' });
  });
});

describe('with a server that knows no tunnel', () => {
  it('carries bytes and errors over the channels of older servers', async () => {
    const { api } = await podRig({
      portForward: ({ port, connection }) => {
        if (port === 81) throw new Error('nothing listens');
        connection.write('hello ');
        connection.once('data', (chunk) => connection.end(`${chunk}!`));
        return closed(connection);
      },
    });
    const client = new Client({ server: await withoutTunnel(api.url) });
    onTestFinished(() => client.close());
    const connection = await client.core.v1.pods('default').connect('one', 80);
    connection.write('world');
    let said = '';
    connection.on('data', (chunk) => {
      said += chunk;
    });
    while (said !== 'hello world!') await new Promise((resolve) => setImmediate(resolve));
    connection.destroy();
    const refused = await client.core.v1.pods('default').connect('one', 81);
    const [error] = await once(refused, 'error');
    expect((error as Error).message).toContain('nothing listens');
  });
});

/** A proxy that strikes the tunnel out of the offered protocols. */
async function withoutTunnel(url: string): Promise<string> {
  const { port, hostname } = new URL(url);
  const proxy = createServer((socket) => {
    const server = connect(Number(port), hostname);
    for (const end of [socket, server]) end.on('error', () => {});
    socket.once('data', (head: Buffer) => {
      server.write(head.toString('latin1').replace('SPDY/3.1+portforward.k8s.io, ', ''), 'latin1');
      socket.pipe(server).pipe(socket);
    });
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => void proxy.close());
  return `http://127.0.0.1:${(proxy.address() as { port: number }).port}`;
}
