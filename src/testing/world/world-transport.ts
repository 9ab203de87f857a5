import type { Duplex } from 'node:stream';
import { parseRequestInfo, type ResourceRequestInfo } from '../../apiserver/wire/request-info.js';
import type { Right } from '../../controller/manifests/rule-set.js';
import { asError } from '../../meta/errors/errors.js';
import { withGroup } from '../../meta/names.js';
import type { Undo } from '../../meta/undo.js';
import type { BodySink, Exchange, ResponseHandler, Transport, TransportRequest } from '../../rest/http/transport.js';
import { abortError } from '../../time/signals.js';

/** A request that changes something, as a world sees it pass. */
export interface WorldWrite {
  readonly verb: string;
  /** With group and subresource: `deployments.apps`, `websites.example.com/status`. */
  readonly resource: string;
  readonly key: string;
}

/** What a world does around each request of one of its clients. */
export interface WorldGate {
  /** Called right before a write is sent. Returns false if the sender has crashed: nothing is sent. */
  before(write: WorldWrite): boolean;
  /** Called when a write is answered, before the sender gets the answer. Returns false if the sender has crashed meanwhile. */
  after(write: WorldWrite, status: number): boolean;
  /** Called for each request for a resource that is sent. */
  note(right: Right): void;
  /** Called with the message of a 403; returns the one that the sender gets. */
  explain(message: string, request: ResourceRequestInfo): string;
}

/**
 * The connection of one process of a world: it can die, and its watches can stay behind. After {@link kill} nothing is sent
 * and no answer arrives, as if the process were gone.
 */
export class WorldTransport implements Transport {
  readonly server: string;
  readonly isLocal: boolean;
  readonly #inner: Transport;
  readonly #gate: WorldGate;
  readonly #open = new Set<WorldExchange>();
  #isDead = false;
  #isHolding = false;

  constructor(inner: Transport, gate: WorldGate) {
    this.#inner = inner;
    this.#gate = gate;
    this.server = inner.server;
    this.isLocal = inner.isLocal;
  }

  send(request: TransportRequest, handler: ResponseHandler): Exchange {
    const info = parseRequestInfo(request.method, request.target);
    const resource = info?.isResourceRequest === true ? info : undefined;
    const write = resource === undefined ? undefined : writeOf(resource, request.body);
    const exchange = new WorldExchange(handler, resource, write, this.#gate, () => this.#open.delete(exchange));
    if (write !== undefined && !this.#isDead && !request.signal?.aborted && request.refusal?.() === undefined) {
      if (!this.#gate.before(write)) this.kill();
    }
    if (this.#isDead) {
      queueMicrotask(() => exchange.fail(crashed()));
      return exchange;
    }
    if (resource !== undefined) this.#gate.note(rightOf(resource));
    this.#open.add(exchange);
    if (this.#isHolding && resource?.verb === 'watch') exchange.hold();
    exchange.start(this.#inner, request);
    return exchange;
  }

  /** Ends all requests: their senders get an error at once, and later sends fail. */
  kill(): void {
    this.#isDead = true;
    for (const exchange of [...this.#open]) exchange.fail(crashed());
  }

  /** Keeps back what watches receive until `release`; watches that begin meanwhile are kept back too. */
  hold(): void {
    this.#isHolding = true;
    for (const exchange of this.#open) if (exchange.isWatch) exchange.hold();
  }

  release(): void {
    this.#isHolding = false;
    for (const exchange of this.#open) exchange.release();
  }

  onConnect(listener: () => void): Undo {
    return this.#inner.onConnect(listener);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}

/** An AbortError, so that nothing is retried. */
function crashed(): Error {
  return abortError('the process of this client has crashed');
}

class WorldExchange implements Exchange, ResponseHandler {
  readonly isWatch: boolean;
  readonly #handler: ResponseHandler;
  readonly #info: ResourceRequestInfo | undefined;
  readonly #write: WorldWrite | undefined;
  readonly #gate: WorldGate;
  readonly #onOver: () => void;
  #inner: Exchange | undefined;
  #body: BodySink | undefined;
  /** The connection of a request for another protocol, such as an exec. */
  #upgraded: Duplex | undefined;
  /** The calls that a hold keeps back. */
  #held: (() => void)[] | undefined;
  /** What is left to do with a body that was collected, before its end. */
  #atEnd: (() => void) | undefined;
  #isOver = false;

  constructor(
    handler: ResponseHandler,
    info: ResourceRequestInfo | undefined,
    write: WorldWrite | undefined,
    gate: WorldGate,
    onOver: () => void,
  ) {
    this.#handler = handler;
    this.#info = info;
    this.#write = write;
    this.#gate = gate;
    this.#onOver = onOver;
    this.isWatch = info?.verb === 'watch';
  }

  start(inner: Transport, request: TransportRequest): void {
    this.#inner = inner.send(request, this);
  }

  resume(): void {
    if (this.#held === undefined) this.#inner?.resume();
  }

  hold(): void {
    this.#held ??= [];
  }

  release(): void {
    const held = this.#held;
    if (held === undefined) return;
    this.#held = undefined;
    for (const call of held) call();
    if (!this.#isOver) this.#inner?.resume();
  }

  head(status: number, headers: Readonly<Record<string, string>>): BodySink {
    if (this.#isOver) return deaf;
    if (this.#write !== undefined && !this.#gate.after(this.#write, status)) {
      // The gate has killed the transport: this request has failed by now.
      if (!this.#isOver) this.fail(crashed());
      return deaf;
    }
    if (this.#isWatchHeld()) {
      this.#held?.push(() => void (this.#body = this.#handler.head(status, headers)));
      return this;
    }
    this.#body = this.#handler.head(status, headers);
    if (status === 403 && this.#info !== undefined) return this.#explaining(this.#body, this.#info);
    return this.isWatch ? this : this.#body;
  }

  chunk(bytes: Uint8Array): boolean {
    if (this.#isOver) return true;
    if (!this.#isWatchHeld()) return this.#body?.chunk(bytes) ?? true;
    const copy = bytes.slice();
    this.#held?.push(() => void this.#body?.chunk(copy));
    return true;
  }

  upgraded(headers: Readonly<Record<string, string>>, connection: Duplex): void {
    if (this.#isOver) {
      connection.destroy();
      return;
    }
    this.#upgraded = connection;
    connection.once('close', () => this.#finish());
    this.#handler.upgraded?.(headers, connection);
  }

  end(): void {
    if (this.#isWatchHeld()) this.#held?.push(() => this.end());
    else if (this.#finish()) {
      this.#atEnd?.();
      this.#handler.end();
    }
  }

  fail(error: unknown): void {
    const upgraded = this.#upgraded;
    if (!this.#finish()) return;
    if (upgraded === undefined) this.#handler.fail(error);
    else upgraded.destroy(asError(error));
  }

  #isWatchHeld(): boolean {
    return this.#held !== undefined && this.isWatch && !this.#isOver;
  }

  #finish(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#onOver();
    return true;
  }

  /** Collects the Status of a 403 and passes it on with the message that the gate gives it. */
  #explaining(body: BodySink, info: ResourceRequestInfo): BodySink {
    const pieces: Uint8Array[] = [];
    this.#atEnd = () => {
      const status = JSON.parse(Buffer.concat(pieces).toString()) as { message?: string };
      const message = this.#gate.explain(status.message ?? '', info);
      body.chunk(Buffer.from(JSON.stringify({ ...status, message })));
    };
    return {
      chunk(bytes) {
        pieces.push(bytes.slice());
        return true;
      },
    };
  }
}

/** Drops what arrives after the end. */
const deaf: BodySink = { chunk: () => true };

const READS: readonly string[] = ['get', 'list', 'watch', ''];

/** The write that a request is; undefined if it changes nothing: a read, a dry run, a review. */
function writeOf(info: ResourceRequestInfo, body: Uint8Array | undefined): WorldWrite | undefined {
  const { verb, group, resource, subresource, namespace, query } = info;
  if (READS.includes(verb) || query.has('dryRun') || REVIEWS.has(group)) return undefined;
  const full = `${withGroup(resource, group)}${subresource === '' ? '' : `/${subresource}`}`;
  const name = verb === 'create' && info.name === '' ? nameIn(body) : info.name;
  return { verb, resource: full, key: namespace === '' || resource === 'namespaces' ? name : `${namespace}/${name}` };
}

/** The name of an object that is created; with a star if the server generates a part of it. */
function nameIn(body: Uint8Array = new Uint8Array()): string {
  const { metadata = {} } = JSON.parse(Buffer.from(body).toString() || '{}') as { metadata?: Record<string, string> };
  return metadata['name'] ?? `${metadata['generateName'] ?? ''}*`;
}

const REVIEWS: ReadonlySet<string> = new Set(['authorization.k8s.io', 'authentication.k8s.io']);

function rightOf({ verb, group, resource, subresource, name, selectedName }: ResourceRequestInfo): Right {
  const full = subresource === '' ? resource : `${resource}/${subresource}`;
  return { verb, group, resource: full, name: name || selectedName || undefined };
}
