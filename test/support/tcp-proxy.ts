import { type AddressInfo, createServer, connect as dial, type Server, type Socket } from 'node:net';

/** The interval at which a throttled connection passes bytes. */
const DRIP_MS = 50;

/**
 * A TCP proxy in front of a server that simulates network faults: resets connections, stalls them, closes one direction,
 * throttles them, or refuses new ones.
 */
export class TcpProxy implements AsyncDisposable {
  /** The URL of the target, with the port of the proxy. */
  readonly url: string;
  readonly #listener: Server;
  readonly #open = new Set<ProxiedConnection>();
  #accepted = 0;
  #isRefusing = false;
  #isStalling = false;

  /** @param target the URL of the server, which must be on this machine: its certificate has to fit the proxy too */
  static async start(target: string): Promise<TcpProxy> {
    const listener = createServer({ allowHalfOpen: true, pauseOnConnect: true });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    return new TcpProxy(listener, new URL(target));
  }

  private constructor(listener: Server, target: URL) {
    const { port } = listener.address() as AddressInfo;
    this.url = `${target.protocol}//127.0.0.1:${port}`;
    this.#listener = listener.on('connection', (client) => this.#accept(client, target));
  }

  /** The open connections, oldest first. */
  get connections(): readonly ProxiedConnection[] {
    return [...this.#open];
  }

  /** How many connections were accepted so far. */
  get accepted(): number {
    return this.#accepted;
  }

  reset(): void {
    for (const connection of this.connections) connection.reset();
  }

  /** Stalls all open connections, and new ones until {@link release}. */
  stall(): void {
    this.#isStalling = true;
    for (const connection of this.#open) connection.stall();
  }

  /** Stops stalling new connections; stalled ones stay stalled. */
  release(): void {
    this.#isStalling = false;
  }

  /** Whether new connections are reset at once. */
  refuse(on: boolean): void {
    this.#isRefusing = on;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#listener.close(() => resolve()));
    for (const connection of this.connections) connection.destroy();
    await closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #accept(client: Socket, target: URL): void {
    if (this.#isRefusing) {
      client.on('error', () => {});
      client.resetAndDestroy();
      return;
    }
    this.#accepted++;
    const upstream = dial({ port: Number(target.port), host: target.hostname, allowHalfOpen: true });
    const connection = new ProxiedConnection(client, upstream, () => this.#open.delete(connection));
    this.#open.add(connection);
    if (this.#isStalling) connection.stall();
  }
}

/** A connection through the proxy, and the faults for it. */
export class ProxiedConnection {
  readonly #client: Socket;
  readonly #upstream: Socket;
  readonly #toServer: Pipe;
  readonly #toClient: Pipe;
  readonly #onGone: () => void;

  constructor(client: Socket, upstream: Socket, onGone: () => void) {
    this.#client = client;
    this.#upstream = upstream;
    this.#onGone = onGone;
    this.#toServer = new Pipe(client, upstream);
    this.#toClient = new Pipe(upstream, client);
    for (const socket of [client, upstream]) {
      socket.on('error', () => this.destroy());
      socket.on('close', () => this.destroy());
    }
  }

  /** Whether it is stalled. */
  get isStalled(): boolean {
    return this.#toClient.isStopped;
  }

  /** Sends a TCP reset to both sides. */
  reset(): void {
    this.#client.resetAndDestroy();
    this.#upstream.resetAndDestroy();
    this.destroy();
  }

  /** Passes nothing any more, not even the end of a side. */
  stall(): void {
    this.#toServer.stop();
    this.#toClient.stop();
  }

  /** Continues a stalled or throttled connection; no byte is lost. */
  resume(): void {
    this.#toServer.go();
    this.#toClient.go();
  }

  /** Sends the end (FIN) to one side; the other direction stays open. */
  halfClose(toward: 'client' | 'server'): void {
    (toward === 'client' ? this.#toClient : this.#toServer).end();
  }

  /** Throttles each direction to this many bytes per second. */
  trickle(bytesPerSecond: number): void {
    this.#toServer.go(bytesPerSecond);
    this.#toClient.go(bytesPerSecond);
  }

  destroy(): void {
    for (const pipe of [this.#toServer, this.#toClient]) pipe.destroy();
    this.#client.destroy();
    this.#upstream.destroy();
    this.#onGone();
  }
}

/** One direction of a connection. */
class Pipe {
  readonly #from: Socket;
  readonly #to: Socket;
  #pending: Buffer[] = [];
  #hasEnded = false;
  #isStopped = false;
  #bytesPerDrip = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(from: Socket, to: Socket) {
    this.#from = from;
    this.#to = to;
    from.on('data', (data: Buffer) => {
      this.#pending.push(data);
      this.#pass();
    });
    from.on('end', () => {
      this.#hasEnded = true;
      this.#pass();
    });
    to.on('drain', () => this.#pass());
    from.resume();
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  stop(): void {
    this.#isStopped = true;
    // Back-pressure stops the sender, as a network would.
    this.#from.pause();
  }

  go(bytesPerSecond: number = Number.POSITIVE_INFINITY): void {
    this.#isStopped = false;
    this.#bytesPerDrip = Math.max(1, Math.floor((bytesPerSecond * DRIP_MS) / 1000));
    this.#pass();
  }

  end(): void {
    this.#isStopped = true;
    this.#pending = [];
    this.#to.end();
    // Further bytes are read and dropped.
    this.#from.removeAllListeners('data').resume();
  }

  destroy(): void {
    clearTimeout(this.#timer);
  }

  #pass(): void {
    if (this.#isStopped || this.#timer !== undefined || this.#to.destroyed) return;
    let room = this.#bytesPerDrip;
    while (room > 0 && this.#pending.length > 0 && !this.#to.writableNeedDrain) {
      const data = this.#pending.shift() as Buffer;
      if (data.length > room) this.#pending.unshift(data.subarray(room));
      this.#to.write(data.subarray(0, room));
      room -= data.length;
    }
    if (this.#pending.length > 0) {
      this.#from.pause();
      if (!this.#to.writableNeedDrain) this.#dripLater();
    } else if (this.#hasEnded) this.#to.end();
    else this.#from.resume();
  }

  #dripLater(): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#pass();
    }, DRIP_MS);
  }
}
