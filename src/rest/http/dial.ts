import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { createSecureContext, type SecureContext, connect as startTls, type TLSSocket } from 'node:tls';
import type { Clock } from '../../time/clock.js';
import { onAbort, timeoutError } from '../../time/signals.js';
import type { TlsMaterial, TlsSource } from './connection-config.js';
import { hostOf } from './host.js';
import { ConnectionLostError } from './request-errors.js';
import { setDeadline } from './silence.js';
import type { SocketReader } from './socket-reader.js';

/** Where to dial, and how long it may take. */
export interface DialTarget {
  readonly url: URL;
  readonly tls: TlsSource | undefined;
  readonly proxy: URL | undefined;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** How long a connection may be idle before the kernel asks whether the other side is still there. */
const TCP_KEEP_ALIVE_MS = 30_000;
/** More than any proxy says before it lets bytes through. */
const MAX_PROXY_HEAD_BYTES = 16_384;

/** Makes connections to one server: TCP, through a proxy if there is one, then TLS with a choice of protocols. */
export class Dialler {
  readonly #target: DialTarget;
  #context: { readonly material: TlsMaterial; readonly context: SecureContext } | undefined;

  constructor(target: DialTarget) {
    this.#target = target;
  }

  /**
   * A connection that is ready for HTTP. `alpnProtocol` of a TLS socket says which of `protocols` the server chose.
   *
   * @param reader gets what a socket reads that is nothing but TCP to the server; all others have to be listened to
   * @param onMaterial called when there is what the handshake needs: what rotates later, this connection does not have
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
      attempt.fail(timeoutError(`no connection to ${url.host} after ${timeoutMs} ms: it hangs at ${attempt.stage}`));
    });
    try {
      // Before there is a connection: a server that waits for the handshake hangs up at some point, and nobody would hear it.
      const material = url.protocol === 'https:' ? await this.#material(attempt) : undefined;
      onMaterial?.();
      let socket = await (proxy === undefined
        ? attempt.tcp(url, `the TCP connection to ${url.host}`, url.protocol === 'http:' ? reader : undefined)
        : this.#throughProxy(proxy, attempt));
      if (material !== undefined) socket = await this.#secure(socket, protocols, material, attempt);
      return attempt.finish(socket);
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
        startTls({ socket, host: hostOf(proxy), ALPNProtocols: ['http/1.1'], ...servername }),
      );
    }
    await attempt.during(`the tunnel through the proxy ${proxy.host}`, openTunnel(socket, url, proxy));
    return socket;
  }

  #material(attempt: DialAttempt): TlsMaterial | Promise<TlsMaterial> {
    const { tls } = this.#target;
    return tls === undefined ? {} : attempt.during('the TLS material', tls.material(attempt.signal));
  }

  #secure(
    socket: Socket,
    protocols: readonly string[],
    material: TlsMaterial,
    attempt: DialAttempt,
  ): Promise<TLSSocket> {
    const { url, tls } = this.#target;
    const name = tls?.serverName ?? hostOf(url);
    return attempt.handshake(`the TLS handshake with ${url.host}`, () =>
      startTls({
        socket,
        host: name,
        ...serverNameFor(name),
        ALPNProtocols: [...protocols],
        secureContext: this.#contextFor(material),
        rejectUnauthorized: tls?.insecureSkipVerify !== true,
      }),
    );
  }

  /** Reading PEM texts costs a millisecond or more: as long as they stay the same they are read once. */
  #contextFor(material: TlsMaterial): SecureContext {
    const last = this.#context;
    const { ca, cert, key } = material;
    if (last !== undefined && last.material.ca === ca && last.material.cert === cert && last.material.key === key) {
      return last.context;
    }
    const context = createSecureContext({ ca, cert, key });
    this.#context = { material, context };
    return context;
  }
}

/** One attempt: whichever stage it is in, it can be called off and leaves no socket behind. */
class DialAttempt {
  readonly signal: AbortSignal;
  stage = 'its beginning';
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
    const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
    return this.#open(stage, 'connect', () => {
      const onread = reader === undefined ? {} : { onread: reader.options };
      const socket = connectTcp({ host: hostOf(url), port, noDelay: true, ...onread });
      socket.setKeepAlive(true, TCP_KEEP_ALIVE_MS);
      return socket;
    });
  }

  handshake(stage: string, start: () => TLSSocket): Promise<TLSSocket> {
    return this.#open(stage, 'secureConnect', start);
  }

  /** The outcome of a stage that is not about a socket's own events. */
  during<T>(stage: string, work: T | Promise<T>): Promise<T> {
    this.stage = stage;
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      // Listened to even if it is too late: a rejection that nobody hears of ends the process.
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
      const onClose = (): void => reject(new ConnectionLostError(`the other side hung up during ${stage}`));
      // This listener stays: an error of a socket that nobody has taken over yet must not end the process.
      socket.on('error', reject);
      socket.once('close', onClose);
      socket.once(event, () => {
        socket.off('close', onClose);
        resolve(socket);
      });
    });
  }
}

/** Asks a proxy to connect through to the server, and waits until it has. */
function openTunnel(socket: Socket, url: URL, proxy: URL): Promise<void> {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const authority = `${url.hostname}:${port}`;
  const said = `${proxy.username}:${proxy.password}`;
  const secret = bytesOf(said).toString('base64');
  const authorization = said === ':' ? '' : `proxy-authorization: Basic ${secret}\r\n`;
  return new Promise((resolve, reject) => {
    let head = Buffer.alloc(0);
    const settle = (error?: Error): void => {
      socket.off('readable', onReadable).off('error', settle).off('close', onClose);
      if (error === undefined) resolve();
      else reject(error);
    };
    const onClose = (): void => settle(new ConnectionLostError(`the proxy ${proxy.host} hung up before it answered`));
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

/** The bytes of a part of a URL. A '%' that begins no escape is one of them, as for curl: passwords have them. */
function bytesOf(part: string): Buffer {
  const unescaped = part.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(unescaped, 'latin1');
}

/** SNI is for names; an address there is an error of its own. */
function serverNameFor(name: string): { readonly servername?: string } {
  return isIP(name) === 0 ? { servername: name } : {};
}
