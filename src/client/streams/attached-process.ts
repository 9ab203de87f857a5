import type { Readable, Writable } from 'node:stream';
import { asError, StatusError } from '../../meta/errors/errors.js';
import { optionError, requireInteger } from '../../meta/options/validate.js';
import { ConnectionLostError, RequestError } from '../../rest/http/request-errors.js';
import { openWebSocket } from '../../rest/request/open-web-socket.js';
import type { Request } from '../../rest/request/request.js';
import { CHANNEL_PROTOCOLS, CHANNELS, ChannelStreams, type TerminalSize } from '../../streams/channel-streams.js';
import type { WebSocketEnd } from '../../streams/web-socket.js';
import { WebSocket } from '../../streams/web-socket.js';
import type { Clock } from '../../time/clock.js';
import { onAbort } from '../../time/signals.js';
import { describeEnd, PING } from './keep-alive.js';
import type { AttachOptions } from './pod-client.js';
import { copyTo, endOutputs, type Input, inputOf, outputOf } from './stream-ends.js';

/** Limit of the Status that says how a process ended. */
const MAX_STATUS_BYTES = 64 * 1024;
const [V5] = CHANNEL_PROTOCOLS;

/**
 * Connects the streams of a caller with a process in a container, until it ends. Resolves with its exit code. `onOpen` is called
 * when the process can be reached.
 */
export async function runAttached(
  request: Request,
  options: AttachOptions,
  clock: Clock,
  onOpen: () => void = () => {},
): Promise<number> {
  const { signal, tty = false } = options;
  signal?.throwIfAborted();
  const input = options.stdin === undefined ? undefined : inputOf(options.stdin);
  const stdout = options.stdout === undefined ? undefined : outputOf('stdout', options.stdout);
  const stderr = options.stderr === undefined ? undefined : outputOf('stderr', options.stderr);
  const outputs = new Set([stdout, stderr].filter((output) => output !== undefined));
  checkResize(options.resize);
  request.params({
    stdin: input !== undefined,
    // A server refuses a call without any stream.
    stdout: stdout !== undefined || (input === undefined && stderr === undefined),
    // A terminal has one output; servers refuse a second one.
    stderr: stderr !== undefined && !tty,
    tty,
  });
  try {
    const { connection, protocol } = await openWebSocket(request, CHANNEL_PROTOCOLS, signal);
    const process = new AttachedProcess(request, protocol === V5);
    const socket = new WebSocket(connection, process.channels, { role: 'client', clock, ...PING });
    onOpen();
    const code = await process.run(socket, { input, stdout, stderr, resize: options.resize, signal });
    await endOutputs(outputs, signal);
    return code;
  } catch (error) {
    // Not awaited: a failure is told at once, also if nothing reads the output any more.
    endOutputs(outputs, undefined).catch(() => {});
    throw error;
  } finally {
    input?.release();
  }
}

interface ProcessStreams extends Pick<AttachOptions, 'resize' | 'signal'> {
  readonly input: Input | undefined;
  readonly stdout: Writable | undefined;
  readonly stderr: Writable | undefined;
}

/** A process whose streams are the channels of a WebSocket. */
class AttachedProcess {
  readonly channels: ChannelStreams;
  readonly #request: Request;
  readonly #canCloseStdin: boolean;
  readonly #closed: Promise<WebSocketEnd>;

  constructor(request: Request, canCloseStdin: boolean) {
    this.#request = request;
    this.#canCloseStdin = canCloseStdin;
    let onClosed: (end: WebSocketEnd) => void = () => {};
    this.#closed = new Promise((resolve) => {
      onClosed = resolve;
    });
    this.channels = new ChannelStreams((end) => onClosed(end));
  }

  async run(socket: WebSocket, { input, stdout, stderr, resize, signal }: ProcessStreams): Promise<number> {
    const { channels } = this;
    channels.attach(socket);
    const outputs: Readable[] = [];
    let failure: { readonly error: unknown } | undefined;
    const fail = (error: unknown): void => {
      failure ??= { error };
      socket.destroy(asError(error));
      for (const output of outputs) output.destroy();
    };
    const status = readStatus(channels.readable(CHANNELS.error), fail);
    const copy = async (channel: number, output: Writable | undefined): Promise<void> => {
      if (output === undefined) return;
      const source = channels.readable(channel);
      outputs.push(source);
      await copyTo(source, output).catch(fail);
    };
    const copies = [copy(CHANNELS.stdout, stdout), copy(CHANNELS.stderr, stderr)];
    if (input !== undefined) this.#send(input, fail);
    const stopSizes = resize === undefined ? () => {} : sendSizes(resize, channels.writable(CHANNELS.resize), fail);
    const undoAbort = onAbort(signal, () => fail(signal?.reason));
    const end = await this.#closed;
    const said = await status;
    if (said === '') fail(this.#lost(end));
    await Promise.all(copies);
    stopSizes();
    undoAbort();
    if (failure !== undefined) throw failure.error;
    return this.#exitCode(said);
  }

  #send({ stream }: Input, fail: (error: unknown) => void): void {
    const stdin = this.channels.writable(CHANNELS.stdin, this.#canCloseStdin);
    stream.once('error', fail);
    stream.pipe(stdin);
    void this.#closed.then(() => {
      stream.unpipe(stdin);
      stream.off('error', fail);
    });
  }

  #lost(end: WebSocketEnd): RequestError {
    return new RequestError(this.#request.asked, new ConnectionLostError(describeEnd(end), { cause: end.error }));
  }

  #exitCode(text: string): number {
    const { asked } = this.#request;
    const status = parseStatus(text);
    if (status === undefined) {
      throw new RequestError(
        asked,
        new Error(`the server ended the process with ${JSON.stringify(text.slice(0, 200))}`),
      );
    }
    if (status.status === 'Success') return 0;
    const { details } = status;
    const cause = details?.causes?.find(({ reason }) => reason === 'ExitCode')?.message;
    if (status.reason === 'NonZeroExitCode' && /^-?\d+$/.test(cause ?? '')) return Number(cause);
    throw new StatusError({ ...status, kind: 'Status', apiVersion: 'v1' }, asked);
  }
}

type SentStatus = Omit<StatusError['document'], 'kind' | 'apiVersion'>;

function parseStatus(text: string): SentStatus | undefined {
  try {
    const status: unknown = JSON.parse(text);
    return typeof status === 'object' && status !== null && 'status' in status ? (status as SentStatus) : undefined;
  } catch {
    return undefined;
  }
}

/** The Status that says how the process ended; empty if none came. */
function readStatus(stream: Readable, fail: (error: unknown) => void): Promise<string> {
  let text = '';
  return new Promise((resolve) => {
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.length <= MAX_STATUS_BYTES) return;
      text = '';
      fail(new Error('the server sent a Status that is too long'));
    });
    stream.once('end', () => resolve(text));
  });
}

function checkResize(resize: unknown): void {
  if (resize === undefined || typeof (resize as { on?: unknown }).on === 'function') return;
  if (Symbol.asyncIterator in Object(resize)) return;
  throw optionError('resize', 'a terminal or an async iterable of sizes', resize);
}

/** Sends the sizes of a terminal as they change. Returns the function that stops it. */
function sendSizes(
  resize: NonNullable<AttachOptions['resize']>,
  channel: Writable,
  fail: (error: unknown) => void,
): () => void {
  const send = ({ width, height }: TerminalSize): void => {
    try {
      requireInteger('width', width, 0, 65_535);
      requireInteger('height', height, 0, 65_535);
      channel.write(JSON.stringify({ Width: width, Height: height }));
    } catch (error) {
      fail(error);
    }
  };
  // First, because `process.stdout` is an async iterable too.
  if ('on' in resize) {
    const onResize = (): void => {
      // An output that is no terminal has no size.
      if (resize.columns > 0 && resize.rows > 0) send({ width: resize.columns, height: resize.rows });
    };
    onResize();
    resize.on('resize', onResize);
    return () => void resize.off('resize', onResize);
  }
  const sizes = resize[Symbol.asyncIterator]();
  void (async () => {
    for (let next = await sizes.next(); next.done !== true; next = await sizes.next()) send(next.value);
  })().catch(fail);
  return () => void sizes.return?.()?.catch(() => {});
}
