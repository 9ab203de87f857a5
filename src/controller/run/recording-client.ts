import type {
  ApplyOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  GetOptions,
  PatchOptions,
  StatusOf,
  SubresourceClient,
  WatchOptions,
} from '../../client/index.js';
import {
  type Abortable,
  Client,
  type DeepReadonly,
  type JsonPatchOperation,
  type KubernetesList,
  LeadershipLostError,
  type ListOptions,
  type MergePatch,
  type New,
  type PartialObjectMetadata,
  type Resource,
  type ResourceClient,
  statusErrorOf,
  type Unstructured,
  type WatchEvent,
  type WriteOptions,
} from '../../index.js';
import { isConnectionRefused, someError } from '../../meta/errors/error-predicates.js';
import { abortable, abortError, linkSignals } from '../../time/signals.js';
import { ClusterAwayError, type OtherCluster, type RequestingRun } from './other-clusters.js';

/** A write as it was sent. */
export interface SentWrite {
  readonly client: Client;
  readonly resource: Resource<unknown>;
  readonly verb: 'create' | 'update' | 'patch' | 'apply' | 'delete' | 'deletecollection';
  readonly subresource: string | undefined;
  readonly namespace: string | undefined;
  /** Undefined for a collection, and for a create, whose answer has the name. */
  readonly name: string | undefined;
  /** The status that was sent; undefined if the write is not one of the status alone. */
  readonly status?: unknown;
}

/** The run that a {@link RecordingClient} belongs to. */
export interface WriteScope extends RequestingRun {
  readonly fieldManager: string;
  /** Throws if the run has ended. */
  check(): void;
  /** The server answered. `answer` is the object that it stored; undefined if it sent none. */
  answered(write: SentWrite, answer: unknown): void;
  /** The server may have stored the write, but did not say so. */
  unanswered(write: SentWrite): void;
}

/**
 * The client of a run: its requests end with the run's signal, its writes have the field manager of the controller, and each
 * write is recorded. It shares the connections of the client that it is made from.
 *
 * `rest` and `apis` are those of that client: guarded like it, but without signal, field manager and recording.
 */
export class RecordingClient extends Client {
  /** The client that was not guarded: it identifies the cluster. */
  readonly #cluster: Client;
  readonly #scope: WriteScope;
  readonly #other: OtherCluster | undefined;

  /** @param other the cluster if it is not the controller's own */
  constructor(cluster: Client, guarded: Client, scope: WriteScope, other?: OtherCluster) {
    super({ rest: guarded.rest, namespace: guarded.namespace });
    this.#cluster = cluster;
    this.#scope = scope;
    this.#other = other;
  }

  override forResource<T = Unstructured>(resource: Resource<T>, namespace?: string): ResourceClient<T> {
    return this.#recording(super.forResource(resource, namespace), resource, namespace);
  }

  override metadata(resource: Resource<unknown>, namespace?: string): ReturnType<Client['metadata']> {
    const inner = super.metadata(resource, namespace) as ResourceClient<PartialObjectMetadata>;
    return this.#recording(inner, resource, namespace);
  }

  #recording<T>(inner: ResourceClient<T>, resource: Resource<unknown>, namespace: string | undefined) {
    const target = { client: this.#cluster, resource, namespace: namespace || undefined };
    return new RecordingResourceClient(inner, new Recorder(this.#scope, target, this.#other));
  }

  /** Does nothing: the connections belong to the manager's client. */
  override close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Adds the options of the run to requests, and reports writes to it. */
class Recorder {
  readonly #scope: WriteScope;
  readonly #target: Pick<SentWrite, 'client' | 'resource' | 'namespace'>;
  readonly #other: OtherCluster | undefined;

  constructor(
    scope: WriteScope,
    target: Pick<SentWrite, 'client' | 'resource' | 'namespace'>,
    other: OtherCluster | undefined,
  ) {
    this.#scope = scope;
    this.#target = target;
    this.#other = other;
  }

  /** Sends a request with the signal of the run, besides its own. */
  async request<O extends Abortable, R>(options: O, send: (options: O) => Promise<R>): Promise<R> {
    this.#scope.check();
    const other = this.#other;
    if (other !== undefined)
      return other.request(this.#scope, options.signal, (signal) => send({ ...options, signal }));
    if (options.signal === undefined) return send({ ...options, signal: this.#scope.signal });
    const link = linkSignals([options.signal, this.#scope.signal]);
    try {
      return await send({ ...options, signal: link.signal });
    } finally {
      link.release();
    }
  }

  /** Until the iterator ends, it ends with the signal of the run, too. */
  async *iterate<O extends Abortable, R>(options: O, open: (options: O) => AsyncIterable<R>): AsyncGenerator<R> {
    this.#scope.check();
    const link = linkSignals([options.signal, this.#scope.signal]);
    try {
      yield* open({ ...options, signal: link.signal });
    } finally {
      // Also a page that came too late.
      link.abort(abortError('the iterator of a run has ended'));
    }
  }

  /** Each item of another cluster comes in time, or the iterator throws. */
  async *inTime<R>(items: AsyncIterableIterator<R>): AsyncIterableIterator<R> {
    const other = this.#other;
    if (other === undefined) return yield* items;
    const next = (signal: AbortSignal) => abortable(items.next(), signal);
    for (;;) {
      const item = await other.request(this.#scope, undefined, next);
      if (item.done) return;
      yield item.value;
    }
  }

  async write<O extends Abortable & Pick<WriteOptions, 'dryRun'>, R>(
    what: Pick<SentWrite, 'verb' | 'subresource' | 'name' | 'status'>,
    options: O,
    send: (options: O) => Promise<R>,
  ): Promise<R> {
    // Outside of the try: a write after the end of the run was not sent.
    this.#scope.check();
    const sent: SentWrite = { ...this.#target, ...what };
    try {
      const answer = await this.request(options, send);
      if (options.dryRun !== true) this.#scope.answered(sent, answer);
      return answer;
    } catch (error) {
      if (options.dryRun !== true && mayBeStored(error)) this.#scope.unanswered(sent);
      throw error;
    }
  }

  withManager<O extends WriteOptions>(options: O): O {
    return options.fieldManager === undefined ? { ...options, fieldManager: this.#scope.fieldManager } : options;
  }
}

/** A {@link ResourceClient} of a run. */
class RecordingResourceClient<T> implements ResourceClient<T> {
  readonly #inner: ResourceClient<T>;
  readonly #recorder: Recorder;

  constructor(inner: ResourceClient<T>, recorder: Recorder) {
    this.#inner = inner;
    this.#recorder = recorder;
  }

  get(name: string, options: GetOptions = {}): Promise<T> {
    return this.#recorder.request(options, (own) => this.#inner.get(name, own));
  }

  list(options: ListOptions = {}): Promise<KubernetesList<T>> {
    return this.#recorder.request(options, (own) => this.#inner.list(own));
  }

  listAll(options: ListOptions = {}): AsyncIterableIterator<T> {
    return this.#recorder.iterate(options, (own) => this.#recorder.inTime(this.#inner.listAll(own)));
  }

  watch(options: WatchOptions = {}): AsyncIterableIterator<WatchEvent<T>> {
    const open = (own: WatchOptions) => this.#inner.watch(own) as AsyncIterable<WatchEvent<T>>;
    return this.#recorder.iterate(options, open);
  }

  create(object: DeepReadonly<New<T>>, options: WriteOptions = {}): Promise<T> {
    return this.#write('create', undefined, options, (own) => this.#inner.create(object, own));
  }

  update(object: DeepReadonly<T>, options: WriteOptions = {}): Promise<T> {
    return this.#write('update', nameOf(object), options, (own) => this.#inner.update(object, own));
  }

  updateStatus(object: DeepReadonly<T>, options: WriteOptions = {}): Promise<T> {
    const { status } = object as { readonly status?: unknown };
    const send = (own: WriteOptions) => this.#inner.updateStatus(object, own);
    return this.#write('update', nameOf(object), options, send, 'status', status ?? {});
  }

  patch(name: string, patch: MergePatch<T> | readonly JsonPatchOperation[], options: PatchOptions = {}): Promise<T> {
    return this.#write('patch', name, options, (own) => this.#inner.patch(name, patch, own));
  }

  patchStatus(name: string, status: MergePatch<StatusOf<T>>, options: WriteOptions = {}): Promise<T> {
    const send = (own: WriteOptions) => this.#inner.patchStatus(name, status, own);
    return this.#write('patch', name, options, send, 'status', status);
  }

  apply(object: DeepReadonly<New<T>>, options: Partial<ApplyOptions> = {}): Promise<T> {
    const send = (own: Partial<ApplyOptions>) => this.#inner.apply(object, own as ApplyOptions);
    return this.#write('apply', nameOf(object), options, send);
  }

  delete(name: string, options: DeleteOptions = {}): Promise<void> {
    const what = { verb: 'delete', subresource: undefined, name } as const;
    return this.#recorder.write(what, options, (own) => this.#inner.delete(name, own));
  }

  deleteCollection(options: DeleteCollectionOptions = {}): Promise<void> {
    const what = { verb: 'deletecollection', subresource: undefined, name: undefined } as const;
    return this.#recorder.write(what, options, (own) => this.#inner.deleteCollection(own));
  }

  subresource(name: string): never {
    const inner = this.#inner.subresource(name);
    // Logs are read, and have no write. The overloads of the interface give each name its type.
    return (name === 'log' ? inner : new RecordingSubresourceClient(inner, this.#recorder, name)) as never;
  }

  #write<O extends WriteOptions>(
    verb: SentWrite['verb'],
    name: string | undefined,
    options: O,
    send: (options: O) => Promise<T>,
    subresource?: string,
    status?: unknown,
  ): Promise<T> {
    return this.#recorder.write({ verb, name, subresource, status }, this.#recorder.withManager(options), send);
  }
}

/** A {@link SubresourceClient} of a run. */
class RecordingSubresourceClient<S> implements SubresourceClient<S> {
  readonly #inner: SubresourceClient<S>;
  readonly #recorder: Recorder;
  readonly #subresource: string;

  constructor(inner: SubresourceClient<S>, recorder: Recorder, subresource: string) {
    this.#inner = inner;
    this.#recorder = recorder;
    this.#subresource = subresource;
  }

  get(name: string, options: Abortable = {}): Promise<S> {
    return this.#recorder.request(options, (own) => this.#inner.get(name, own));
  }

  create(name: string, body: Parameters<SubresourceClient<S>['create']>[1], options: WriteOptions = {}): Promise<S> {
    return this.#write('create', name, body, options, (own) => this.#inner.create(name, body, own));
  }

  update(name: string, body: DeepReadonly<S>, options: WriteOptions = {}): Promise<S> {
    return this.#write('update', name, body, options, (own) => this.#inner.update(name, body, own));
  }

  patch(name: string, patch: MergePatch<S> | readonly JsonPatchOperation[], options: PatchOptions = {}): Promise<S> {
    return this.#write('patch', name, patch, options, (own) => this.#inner.patch(name, patch, own));
  }

  apply(
    name: string,
    body: Parameters<SubresourceClient<S>['apply']>[1],
    options: Partial<ApplyOptions> = {},
  ): Promise<S> {
    const send = (own: Partial<ApplyOptions>) => this.#inner.apply(name, body, own as ApplyOptions);
    return this.#write('apply', name, body, options, send);
  }

  #write<O extends WriteOptions>(
    verb: SentWrite['verb'],
    name: string,
    body: unknown,
    options: O,
    send: (options: O) => Promise<S>,
  ): Promise<S> {
    const subresource = this.#subresource;
    const status = subresource === 'status' ? (body as { readonly status?: unknown }).status : undefined;
    return this.#recorder.write({ verb, name, subresource, status }, this.#recorder.withManager(options), send);
  }
}

function nameOf(object: unknown): string | undefined {
  return (object as { readonly metadata?: { readonly name?: string } } | null)?.metadata?.name;
}

/**
 * Whether a write that failed may have been carried out. An error of the server below 500 is a refusal; what the guard, a
 * cluster that is away, or the client itself has refused was not sent.
 */
function mayBeStored(error: unknown): boolean {
  const status = statusErrorOf(error);
  if (status !== undefined) return status.status >= 500;
  if (error instanceof TypeError || isConnectionRefused(error)) return false;
  return !someError(error, (one) => one instanceof LeadershipLostError || one instanceof ClusterAwayError);
}
