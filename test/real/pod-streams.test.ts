import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { type Duplex, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApiServer } from '../../src/apiserver/index.js';
import { CertificateAuthority } from '../../src/certificates/certificate-authority.js';
import { Client } from '../../src/client/client.js';
import type { PodClient } from '../../src/client/streams/pod-client.js';
import { isForbidden, isNotFound } from '../../src/meta/errors/error-predicates.js';
import { realClock } from '../../src/time/real-clock.js';
import { Kept } from '../support/kept-output.js';
import { pattern } from '../support/pod-rig.js';
import { spawnedExec } from '../support/spawned-exec.js';
import { TempFolder } from '../support/temp-folder.js';
import { type RealApiServer, startRealApiServer } from './real-api-server.mjs';
import { type StreamKubelet, startStreamKubelet } from './stream-kubelet.mjs';

/* The client's streams through a real kube-apiserver to a kubelet that stands in for a node. */

let api: RealApiServer;
let kubelet: StreamKubelet;
let client: Client;
let pods: PodClient;

beforeAll(async () => {
  kubelet = await startStreamKubelet({
    startApiServer,
    authority: new CertificateAuthority(realClock),
    pods: [
      { name: 'one', containers: ['app'] },
      { name: 'two', containers: ['app', 'side'] },
    ],
    kubelet: {
      exec: (call) => spawnedExec(call),
      async attach({ stdin, stdout, container }) {
        stdout!.write(`${container} ${await text(stdin!)}`);
      },
      portForward({ port, connection }) {
        if (port === 81) throw new Error('connection refused');
        connection.pipe(connection);
        return once(connection, 'close').then(() => {});
      },
      log: ({ pod, container, timestamps }) =>
        [1, 2, 3]
          .map(
            (n) =>
              `${timestamps ? `2026-01-01T00:00:0${n}.${pod.metadata.name.length}${container.length}Z ` : ''}line ${n}\n`,
          )
          .join(''),
    },
  });
  api = await startRealApiServer();
  client = await Client.fromKubeconfig({ text: api.kubeconfig });
  const { metadata, status } = kubelet.node;
  await client.core.v1.nodes().create({ metadata });
  await client.core.v1.nodes().patchStatus(metadata.name, status);
  pods = client.core.v1.pods('default');
  for (const pod of kubelet.objects) await pods.create(pod as never);
});
afterAll(async () => {
  await client.close();
  await api.stop();
  await kubelet.stop();
});

async function echoed(connection: Duplex, sent: Buffer): Promise<Buffer> {
  const chunks: Buffer[] = [];
  connection.on('data', (chunk: Buffer) => chunks.push(chunk));
  connection.end(sent);
  await once(connection, 'end');
  return Buffer.concat(chunks);
}

describe('through a real kube-apiserver', () => {
  it('exec has output, errors and the exit code', async () => {
    const [stdout, stderr] = [new Kept(), new Kept()];
    const command = ['sh', '-c', 'echo out; echo err >&2; exit 7'];
    expect(await pods.exec('one', { command, stdout, stderr })).toBe(7);
    expect([stdout.text, stderr.text]).toEqual(['out\n', 'err\n']);
    expect(await pods.exec('two', { container: 'side', command: ['true'], stdout: new Kept() })).toBe(0);
  });

  it('exec sends megabytes both ways, and the end of stdin', async () => {
    const sent = pattern(0, 5_000_000);
    const stdout = new Kept();
    expect(await pods.exec('one', { command: ['cat'], stdin: sent, stdout })).toBe(0);
    expect(Buffer.concat(stdout.chunks).equals(sent)).toBe(true);
  });

  it('exec fails with the reason of the server', async () => {
    await expect(pods.exec('none', { command: ['x'] })).rejects.toSatisfy(isNotFound);
    await expect(pods.exec('two', { command: ['x'] })).rejects.toThrow('a container name must be specified');
    const token = await api.addUser({
      name: 'reader',
      rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }],
    });
    await using other = await Client.fromKubeconfig({ text: api.kubeconfigFor({ token }) });
    await expect(other.core.v1.pods('default').exec('one', { command: ['x'] })).rejects.toSatisfy(isForbidden);
  });

  it('exec ends with an abort', async () => {
    const controller = new AbortController();
    const stdout = new Writable({
      write(_chunk, _encoding, done) {
        controller.abort(new Error('enough'));
        done();
      },
    });
    const command = ['sh', '-c', 'echo started; sleep 600'];
    await expect(pods.exec('one', { command, stdout, signal: controller.signal })).rejects.toThrow('enough');
  });

  it('attach connects the streams', async () => {
    const stdout = new Kept();
    expect(await pods.attach('one', { stdin: 'input', stdout })).toBe(0);
    expect(stdout.text).toBe('app input');
  });

  it('a connection to a port carries megabytes and can be closed halfway', async () => {
    const sent = pattern(0, 5_000_000);
    expect((await echoed(await pods.connect('one', 80), sent)).equals(sent)).toBe(true);
  });

  it('a port that cannot be reached destroys its connection with the reason', async () => {
    const connection = await pods.connect('one', 81);
    const [error] = await once(connection, 'error');
    expect((error as Error).message).toContain('connection refused');
  });

  it('a port-forward serves many connections at once', async () => {
    await using forward = await pods.portForward('one', [80]);
    const port = forward.ports[0]!.local;
    const answers = Array.from({ length: 30 }, async (_, n) => {
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      return (await echoed(socket, Buffer.from(`question ${n}`))).toString();
    });
    expect(await Promise.all(answers)).toEqual(Array.from({ length: 30 }, (_, n) => `question ${n}`));
    await expect(pods.portForward('none', 80)).rejects.toSatisfy(isNotFound);
  });

  it('copies folders there and back', async () => {
    const [here, there] = [new TempFolder(), new TempFolder()];
    mkdirSync(here.file('from/deep'), { recursive: true });
    writeFileSync(here.file('from/deep/file'), pattern(0, 2_000_000));
    await pods.copyTo('one', here.file('from'), there.file('to'));
    await pods.copyFrom('one', there.file('to'), here.file('back'));
    expect(readFileSync(here.file('back/deep/file')).equals(pattern(0, 2_000_000))).toBe(true);
  });

  it('logs are merged by time', async () => {
    const lines: string[] = [];
    for await (const { prefix, text: line } of pods.logs({ labelSelector: 'app=streams' }))
      lines.push(`${prefix} ${line}`);
    expect(lines).toHaveLength(9);
    expect(lines.map((line) => line.slice(-1))).toEqual(['1', '1', '1', '2', '2', '2', '3', '3', '3']);
    expect(lines.slice(0, 3).sort()).toEqual(['[pod/one/app] line 1', '[pod/two/app] line 1', '[pod/two/side] line 1']);
  });
});
