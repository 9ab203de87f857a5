import { once } from 'node:events';
import { PassThrough, Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { Kept } from '../../../test/support/kept-output.js';
import { pattern, podRig, ways } from '../../../test/support/pod-rig.js';
import { isConnectionLost, isNotFound } from '../../meta/errors/error-predicates.js';
import { StatusError } from '../../meta/errors/errors.js';
import { FakeClock } from '../../time/fake-clock.js';

describe.each(ways)('exec over %s', (way) => {
  it('resolves with the exit code after all output', async () => {
    const { pods } = await podRig(
      {
        exec({ command, container, stdin, stdout, stderr, tty }) {
          stdout!.write(`${container}: ${JSON.stringify(command)} ${stdin === undefined} ${tty}`);
          stderr!.write('warning');
          return 3;
        },
      },
      way,
    );
    const [stdout, stderr] = [new Kept(), new Kept()];
    const code = await pods.exec('two', { container: 'side', command: ['ls', '', '-l'], stdout, stderr });
    expect([code, stdout.text, stderr.text]).toEqual([3, 'side: ["ls","","-l"] true false', 'warning']);
    expect([stdout.writableFinished, stderr.writableFinished]).toEqual([true, true]);
    expect(await pods.exec('one', { command: ['true'], stderr: new Kept(), stdout: new Kept() })).toBe(3);
  });

  it('sends all kinds of input to its end', async () => {
    const { pods } = await podRig(
      {
        async exec({ stdin, stdout }) {
          stdout!.write(`<${await text(stdin!)}>`);
        },
      },
      way,
    );
    const inputs = [
      'text',
      '',
      Buffer.from('text'),
      Readable.from(['te', 'xt']),
      new Blob(['text']).stream(),
      (async function* () {
        yield 'te';
        yield Buffer.from('xt');
      })(),
    ];
    for (const stdin of inputs) {
      const stdout = new Kept();
      expect(await pods.exec('one', { command: ['cat'], stdin, stdout })).toBe(0);
      expect(stdout.text).toBe(stdin === '' ? '<>' : '<text>');
    }
  });

  it('carries megabytes both ways at once, unchanged', async () => {
    const { pods } = await podRig(
      {
        async exec({ stdin, stdout }) {
          for await (const chunk of stdin!) if (!stdout!.write(chunk)) await once(stdout!, 'drain');
        },
      },
      way,
    );
    const sent = pattern(0, 3_000_000);
    const stdout = new Kept();
    const stdin = Readable.from([sent.subarray(0, 1), sent.subarray(1, 1_500_001), sent.subarray(1_500_001)]);
    expect(await pods.exec('one', { command: ['cat'], stdin, stdout })).toBe(0);
    expect(Buffer.concat(stdout.chunks).equals(sent)).toBe(true);
  });
});

describe('exec', () => {
  it('writes to web streams and closes them', async () => {
    const { pods } = await podRig({ exec: ({ stdout }) => void stdout!.write('out') });
    let said = '';
    let isClosed = false;
    const stdout = new WritableStream<Uint8Array>({
      write: (chunk) => void (said += Buffer.from(chunk)),
      close: () => void (isClosed = true),
    });
    expect(await pods.exec('one', { command: ['x'], stdout })).toBe(0);
    expect([said, isClosed]).toEqual(['out', true]);
  });

  it('holds the process back while the output is not read, and goes on after it', async () => {
    let written = 0;
    const { pods } = await podRig({
      async exec({ stdout }) {
        for (; written < 40_000_000; written += 100_000) {
          if (!stdout!.write(Buffer.alloc(100_000))) await once(stdout!, 'drain');
        }
      },
    });
    const stdout = new PassThrough();
    const running = pods.exec('one', { command: ['yes'], stdout });
    let before = -1;
    // Until nothing moves: the buffers of both sides and of the kernel are full.
    while (written === 0 || written !== before) {
      before = written;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(written).toBeLessThan(40_000_000);
    let read = 0;
    stdout.on('data', (chunk: Buffer) => void (read += chunk.length));
    expect(await running).toBe(0);
    expect(read).toBe(40_000_000);
  });

  it('sends the sizes of a terminal, and asks for no stderr', async () => {
    const { pods } = await podRig({
      async exec({ stdout, stderr, tty, stdin, onResize }) {
        onResize(({ width, height }) => stdout!.write(`${width}x${height};`));
        stdout!.write(`${tty} ${stderr === undefined};`);
        await text(stdin!);
      },
    });
    const stdout = new Kept();
    const stdin = new PassThrough();
    const terminal = Object.assign(new PassThrough(), { columns: 80, rows: 24 });
    const running = pods.exec('one', {
      command: ['sh'],
      stdin,
      stdout,
      stderr: new Kept(),
      tty: true,
      resize: terminal,
    });
    while (!stdout.text.includes('80x24')) await new Promise((resolve) => setImmediate(resolve));
    terminal.columns = 100;
    terminal.emit('resize');
    while (!stdout.text.includes('100x24')) await new Promise((resolve) => setImmediate(resolve));
    stdin.end();
    expect(await running).toBe(0);
    expect(stdout.text).toBe('true true;80x24;100x24;');
    expect(terminal.listenerCount('resize')).toBe(0);
  });

  it('takes sizes from an async iterable', async () => {
    const { pods } = await podRig({
      async exec({ stdout, onResize }) {
        const sizes: string[] = [];
        await new Promise<void>((resolve) => {
          onResize(({ width, height }) => void (sizes.push(`${width}x${height}`) === 2 && resolve()));
        });
        stdout!.write(sizes.join());
      },
    });
    const stdout = new Kept();
    const resize = (async function* () {
      yield { width: 1, height: 2 };
      yield { width: 3, height: 4 };
    })();
    await pods.exec('one', { command: ['sh'], stdout, tty: true, resize });
    expect(stdout.text).toBe('1x2,3x4');
  });

  it('rejects with what the server says', async () => {
    const { pods } = await podRig({
      exec() {
        throw new Error('no such file');
      },
    });
    const failed = pods.exec('one', { command: ['x'], stdout: new Kept() });
    await expect(failed).rejects.toThrow(StatusError);
    await expect(failed).rejects.toThrow('get pods/exec default/one: no such file (500 InternalError)');
    await expect(pods.exec('none', { command: ['x'] })).rejects.toSatisfy(isNotFound);
    await expect(pods.attach('one')).rejects.toThrow('kubelet.attach');
    await expect(pods.exec('two', { command: ['x'] })).rejects.toThrow('a container name must be specified');
  });

  it('refuses wrong options before anything is sent', async () => {
    const { pods } = await podRig({});
    await expect(pods.exec('one', { command: 'ls' as never })).rejects.toThrow(/^command must be/);
    await expect(pods.exec('one', { command: ['ls'], stdin: 5 as never })).rejects.toThrow(/^stdin must be/);
    await expect(pods.exec('one', { command: ['ls'], stdout: {} as never })).rejects.toThrow(/^stdout must be/);
  });

  it('rejects with the reason of an abort, and the process is told', async () => {
    let isTold = false;
    let started: () => void = () => {};
    const begun = new Promise<void>((resolve) => {
      started = resolve;
    });
    const { pods } = await podRig({
      async exec({ signal }) {
        started();
        await once(signal, 'abort');
        isTold = true;
      },
    });
    const controller = new AbortController();
    const stdout = new Kept();
    const running = pods.exec('one', { command: ['sleep'], stdout, signal: controller.signal });
    await begun;
    controller.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
    while (!isTold) await new Promise((resolve) => setImmediate(resolve));
    await expect(pods.exec('one', { command: ['x'], signal: AbortSignal.abort(new Error('before')) })).rejects.toThrow(
      'before',
    );
  });

  it('rejects when the connection breaks, and when the client is closed', async () => {
    const { pods, api, client } = await podRig({
      async exec({ signal, stdout }) {
        stdout!.write('begun');
        await once(signal, 'abort');
      },
    });
    const stdout = new Kept();
    const broken = pods.exec('one', { command: ['x'], stdout });
    while (stdout.text === '') await new Promise((resolve) => setImmediate(resolve));
    api.faults.dropConnections();
    await expect(broken).rejects.toSatisfy(isConnectionLost);
    const again = new Kept();
    const closed = pods.exec('one', { command: ['x'], stdout: again });
    while (again.text === '') await new Promise((resolve) => setImmediate(resolve));
    await client.close();
    await expect(closed).rejects.toThrow('was closed');
  });

  it('rejects with the error of a stream of the caller, and ends the process', async () => {
    let ended = 0;
    const { pods } = await podRig({
      async exec({ signal, stdout }) {
        stdout?.write('out');
        await once(signal, 'abort');
        ended++;
      },
    });
    const full = new Writable({ write: (_chunk, _encoding, done) => done(new Error('disk full')) });
    full.on('error', () => {});
    await expect(pods.exec('one', { command: ['x'], stdout: full })).rejects.toThrow('disk full');
    const stdin = (async function* () {
      yield 'a';
      throw new Error('cannot read');
    })();
    await expect(pods.exec('one', { command: ['x'], stdin })).rejects.toThrow('cannot read');
    while (ended < 2) await new Promise((resolve) => setImmediate(resolve));
  });

  it('rejects at once when the connection breaks, also if nothing reads the output', async () => {
    const { pods, api } = await podRig({
      async exec({ signal, stdout }) {
        stdout!.write(Buffer.alloc(200_000));
        await once(signal, 'abort');
      },
    });
    const stdout = new PassThrough();
    const broken = pods.exec('one', { command: ['x'], stdout });
    while (stdout.readableLength === 0) await new Promise((resolve) => setImmediate(resolve));
    api.faults.dropConnections();
    await expect(broken).rejects.toSatisfy(isConnectionLost);
    const controller = new AbortController();
    const unread = new PassThrough();
    const aborted = pods.exec('one', { command: ['x'], stdout: unread, signal: controller.signal });
    while (unread.readableLength === 0) await new Promise((resolve) => setImmediate(resolve));
    controller.abort(new Error('enough'));
    await expect(aborted).rejects.toThrow('enough');
  });

  it('leaves a node stream open that the process has not read to its end', async () => {
    const { pods } = await podRig({ exec: () => 4 });
    const stdin = new PassThrough();
    expect(await pods.exec('one', { command: ['x'], stdin })).toBe(4);
    expect([stdin.destroyed, stdin.isPaused(), stdin.listenerCount('error')]).toEqual([false, true, 0]);
  });
});

describe('on a fake clock', () => {
  it('pings keep a silent process, and a server that answers none is given up', async () => {
    const clock = new FakeClock();
    let end: (code: number) => void = () => {};
    const kubelet = { exec: () => new Promise<number>((resolve) => void (end = resolve)) };
    const { pods } = await podRig(kubelet, 'memory', { clock });
    const running = pods.exec('one', { command: ['sleep'], stdout: new Kept() });
    await clock.advance(3_600_000);
    end(5);
    await clock.advance(1000);
    expect(await running).toBe(5);
  });
});

describe('attach', () => {
  it('connects the streams of a process', async () => {
    const { pods } = await podRig({
      async attach({ stdin, stdout, container }) {
        stdout!.write(`${container} ${await text(stdin!)}`);
      },
    });
    const stdout = new Kept();
    expect(await pods.attach('one', { stdin: 'input', stdout })).toBe(0);
    expect(stdout.text).toBe('app input');
  });
});
