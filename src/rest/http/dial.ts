import { connect as connectTcp, isIP, type Socket, type TcpNetConnectOpts } from 'node:net';
import type { ConnectionOptions, SecureContext, TLSSocket } from 'node:tls';
import type { Clock } from '../../time/clock.js';
import { onAbort, timeoutError } from '../../time/signals.js';
import type { TlsMaterial, TlsSource } from './connection-config.js';
import { hostOf } from './host.js';
import { ConnectionLostError } from './request-errors.js';
import { setDeadline } from './silence.js';
import type { SocketReader } from './socket-reader.js';

/** Where a {@link Dialler} connects to, and how long that may take. */
export interface DialTarget {
  readonly url: URL;
  readonly tls: TlsSource | undefined;
  readonly proxy: URL | undefined;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** Loaded by the first connection with TLS: importing the package would take a tenth longer with it. */
const tlsModule = () => process.getBuiltinModule('node:tls');

/** The kernel sends TCP keep-alive probes after this much idle time. */
const TCP_KEEP_ALIVE_MS = 30_000;
/** Limit of a proxy's response to CONNECT. */
const MAX_PROXY_HEAD_BYTES = 16_384;

/** Opens connections to one server: TCP, a tunnel through a proxy if one is configured, then TLS with ALPN. */
export class Dialler {
  readonly #target: DialTarget;
  #context: { readonly material: TlsMaterial; readonly context: SecureContext } | undefined;

  constructor(target: DialTarget) {
    this.#target = target;
  }

  /**
   * Opens a connection. `alpnProtocol` of a TLS socket is the one of `protocols` that the server chose.
   *
   * @param reader receives the bytes of a connection without a proxy; that through a proxy emits 'data'
   * @param onMaterial called when the TLS material has been read: the connection does not have what is rotated later
   */
  async dial(
    protocols: readonly string[],
    signal: AbortSignal,
    reader?: SocketReader,
    onMaterial?: () => void,
  ): Promise<Socket | TLSSocket> {
    const { url, proxy, clock, timeoutMs } = this.#target;
    const attempt = new DialAttempt(signal);
    const deadline = setDeadline(clock, timeoutMs, () => {
      attempt.fail(
        timeoutError(`no connection to ${url.host} within ${timeoutMs} ms: still waiting for ${attempt.stage}`),
      );
    });
    try {
      // Before the TCP connection: a server that waits for the handshake may close the socket, which has no listener yet.
      const material = url.protocol === 'https:' ? await this.#material(attempt) : undefined;
      onMaterial?.();
      if (proxy !== undefined) {
        const tunnel = await this.#throughProxy(proxy, attempt);
        return attempt.finish(
          material === undefined ? tunnel : await this.#secure({ socket: tunnel }, protocols, material, attempt),
        );
      }
      const stage = `the TCP connection to ${url.host}`;
      if (material === undefined) return attempt.finish(await attempt.tcp(url, stage, reader));
      return attempt.finish(await this.#secure(addressOf(url, reader), protocols, material, attempt, stage));
    } catch (error) {
      attempt.fail(error);
      throw attempt.reason;
    } finally {
      deadline.cancel();
      attempt.release();
    }
  }

  async #throughProxy(proxy: URL, attempt: DialAttempt): Promise<Socket> {
    const { url } = this.#target;
    let socket = await attempt.tcp(proxy, `the TCP connection to the proxy ${proxy.host}`);
    if (proxy.protocol === 'https:') {
      const servername = serverNameFor(hostOf(proxy));
      socket = await attempt.handshake(`the TLS handshake with the proxy ${proxy.host}`, () =>
        tlsModule().connect({ socket, host: hostOf(proxy), ALPNProtocols: ['http/1.1'], ...servername }),
      );
    }
    await attempt.during(`the tunnel through the proxy ${proxy.host}`, openTunnel(socket, url, proxy));
    return socket;
  }

  #material(attempt: DialAttempt): TlsMaterial | Promise<TlsMaterial> {
    const { tls } = this.#target;
    return tls === undefined ? {} : attempt.during('the TLS material', tls.material(attempt.signal));
  }

  /** @param over the tunnel through a proxy, or the address of the server; `tcpStage` names the connection to the latter */
  #secure(
    over: ConnectionOptions,
    protocols: readonly string[],
    material: TlsMaterial,
    attempt: DialAttempt,
    tcpStage?: string,
  ): Promise<TLSSocket> {
    const { url, tls } = this.#target;
    const name = tls?.serverName ?? hostOf(url);
    const { checkServerIdentity, connect: startTls } = tlsModule();
    const start = (): TLSSocket =>
      startTls({
        ...over,
        ...serverNameFor(name),
        checkServerIdentity: (_, certificate) => checkServerIdentity(name, certificate),
        ALPNProtocols: [...protocols],
        secureContext: this.#contextFor(material),
        rejectUnauthorized: tls?.insecureSkipVerify !== true,
      });
    return attempt.handshake(`the TLS handshake with ${url.host}`, start, tcpStage);
  }

  /** Parsing PEM texts takes a millisecond or more, so the context is kept while they stay the same. */
  #contextFor(material: TlsMaterial): SecureContext {
    const last = this.#context;
    const { ca, cert, key } = material;
    if (last !== undefined && last.material.ca === ca && last.material.cert === cert && last.material.key === key) {
      return last.context;
    }
    const context = tlsModule().createSecureContext({ ca, cert, key });
    this.#context = { material, context };
    return context;
  }
}

/** One attempt to connect. It can be aborted at any stage, and closes its socket then. */
class DialAttempt {
  readonly signal: AbortSignal;
  /** The step under way; the error of a timeout names it. */
  stage = 'the first step';
  reason: unknown;
  #socket: Socket | undefined;
  #reject: ((error: unknown) => void) | undefined;
  #isOver = false;
  readonly #undo: () => void;

  constructor(signal: AbortSignal) {
    this.signal = signal;
    this.#undo = onAbort(signal, () => this.fail(signal.reason));
  }

  tcp(url: URL, stage: string, reader?: SocketReader): Promise<Socket> {
    return this.#open(stage, 'connect', () => prepared(connectTcp(addressOf(url, reader))));
  }

  /** @param tcpStage names the stage before it, if `start` opens a TCP connection too */
  handshake(stage: string, start: () => TLSSocket, tcpStage?: string): Promise<TLSSocket> {
    return this.#open(tcpStage ?? stage, 'secureConnect', () => {
      const socket = start();
      if (tcpStage === undefined) return socket;
      socket.once('connect', () => {
        this.stage = stage;
      });
      return prepared(socket);
    });
  }

  /** Waits for a stage that is a promise rather than an event of a socket. */
  during<T>(stage: string, work: T | Promise<T>): Promise<T> {
    this.stage = stage;
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      // Also after the end, since an unhandled rejection would end the process.
      Promise.resolve(work).then(resolve, reject);
      if (this.#isOver) reject(this.reason);
    });
  }

  fail(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.reason = error;
    this.#socket?.destroy();
    this.#reject?.(error);
  }

  finish<S extends Socket>(socket: S): S {
    if (this.#isOver) throw this.reason;
    this.#isOver = true;
    return socket;
  }

  release(): void {
    this.#undo();
  }

  #open<S extends Socket>(stage: string, event: 'connect' | 'secureConnect', start: () => S): Promise<S> {
    this.stage = stage;
    if (this.#isOver) return Promise.reject(this.reason);
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      const socket = start();
      this.#socket = socket;
      const onClose = (): void => reject(new ConnectionLostError(`the connection was closed during ${this.stage}`));
      // This listener stays: an 'error' event without one would end the process.
      socket.on('error', reject);
      socket.once('close', onClose);
      socket.once(event, () => {
        socket.off('close', onClose);
        resolve(socket);
      });
    });
  }
}

/** Deno overwrites the buffer of `onread` before it has been read; its sockets emit 'data' instead. */
const HAS_ONREAD = process.versions['deno'] === undefined;

/** How a TCP connection to a server is opened. */
function addressOf(url: URL, reader: SocketReader | undefined): TcpNetConnectOpts {
  const onread = reader === undefined || !HAS_ONREAD ? {} : { onread: reader.options };
  return { host: hostOf(url), port: Number(url.port || (url.protocol === 'https:' ? 443 : 80)), ...onread };
}

function prepared<S extends Socket>(socket: S): S {
  socket.setNoDelay(true);
  socket.setKeepAlive(true, TCP_KEEP_ALIVE_MS);
  return socket;
}

/** Sends CONNECT to a proxy and waits for its response. */
function openTunnel(socket: Socket, url: URL, proxy: URL): Promise<void> {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const authority = `${url.hostname}:${port}`;
  const userInfo = `${proxy.username}:${proxy.password}`;
  const secret = bytesOf(userInfo).toString('base64');
  const authorization = userInfo === ':' ? '' : `proxy-authorization: Basic ${secret}\r\n`;
  return new Promise((resolve, reject) => {
    let head = Buffer.alloc(0);
    const settle = (error?: Error): void => {
      socket.off('readable', onReadable).off('error', settle).off('close', onClose);
      if (error === undefined) resolve();
      else reject(error);
    };
    const onClose = (): void =>
      settle(new ConnectionLostError(`the proxy ${proxy.host} closed the connection before it answered CONNECT`));
    const onReadable = (): void => {
      const chunk: Buffer | null = socket.read();
      if (chunk === null) return;
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) {
        if (head.length > MAX_PROXY_HEAD_BYTES) settle(new Error(`the proxy ${proxy.host} does not speak HTTP`));
        return;
      }
      const statusLine = head.toString('latin1', 0, head.indexOf('\r\n'));
      if (!/^HTTP\/1\.[01] 2\d\d/.test(statusLine)) {
        settle(new Error(`the proxy ${proxy.host} refused to connect to ${authority}: ${statusLine.slice(0, 80)}`));
        return;
      }
      if (head.length > end + 4) socket.unshift(head.subarray(end + 4));
      settle();
    };
    socket.on('readable', onReadable).on('error', settle).on('close', onClose);
    socket.write(`CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n${authorization}\r\n`);
  });
}

/** The bytes of a part of a URL. A '%' that begins no escape stands for itself, as in curl, since passwords contain it. */
function bytesOf(part: string): Buffer {
  const unescaped = part.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(unescaped, 'latin1');
}

/** SNI must not contain an IP address (RFC 6066). */
function serverNameFor(name: string): { readonly servername?: string } {
  return isIP(name) === 0 ? { servername: name } : {};
}
