import type { DeepReadonly, JsonPatchOperation, KubernetesList, MergePatch, New } from '../meta/objects.js';
import { checkOptions } from '../meta/options/known-options.js';
import { requireString } from '../meta/options/validate.js';
import type { WatchEvent, WatchEventOrBookmark } from '../meta/watch-event.js';
import type { HttpMethod, Request } from '../rest/request/request.js';
import { ListPager } from './list-pager.js';
import {
  type ApplyOptions,
  applyNames,
  type DeleteCollectionOptions,
  type DeleteOptions,
  deleteBody,
  deleteCollectionNames,
  deleteNames,
  type GetOptions,
  getNames,
  type ListOptions,
  listNames,
  type PatchOptions,
  patchNames,
  type WatchOptions,
  type WriteOptions,
  watchNames,
  wireListOptions,
  wireWatchOptions,
  wireWriteOptions,
  writeNames,
} from './options.js';
import { patchTypeOf } from './patch-type.js';
import type { ResourceClient, StatusOf } from './resource-client.js';
import { RestLogClient } from './rest-log-client.js';
import { RestSubresourceClient } from './rest-subresource-client.js';
import type { ServerApi } from './server-api.js';
import { checkSegment, type Target } from './target.js';

/**
 * A {@link ResourceClient} that sends requests. It has every method; the types under which `Client` returns it leave out those
 * that the target does not support. A call that needs a namespace throws a TypeError without one; any other is sent, and the
 * server refuses it (405 MethodNotAllowed).
 */
export class RestResourceClient<T> implements ResourceClient<T> {
  readonly #api: ServerApi;
  readonly #target: Target;
  readonly #metadataOnly: boolean;

  constructor(api: ServerApi, target: Target, options: { readonly metadataOnly?: boolean } = {}) {
    this.#api = api;
    this.#target = target;
    this.#metadataOnly = options.metadataOnly ?? false;
  }

  async get(name: string, options: GetOptions = {}): Promise<T> {
    const { resourceVersion, signal } = checkOptions('get', options, getNames);
    return this.#object('GET', 'get', name).params({ resourceVersion }).do<T>({ signal });
  }

  async list(options: ListOptions = {}): Promise<KubernetesList<T>> {
    const { signal } = checkOptions('list', options, listNames);
    return this.#collection('GET', 'list').params(wireListOptions(options)).list<T>({ signal });
  }

  listAll(options: ListOptions = {}): AsyncIterableIterator<T> {
    const { signal } = checkOptions('listAll', options, listNames);
    const wire = wireListOptions(options);
    // Fetches one page ahead of the one being read; more would only use memory.
    const pager = new ListPager<T>((page, pageSignal) => this.list({ ...page, signal: pageSignal }), {
      pageBufferSize: 0,
    });
    return (async function* () {
      for await (const page of pager.pages(wire, { signal })) yield* page.items;
    })();
  }

  watch(
    options?: WatchOptions & { readonly allowWatchBookmarks?: false | undefined },
  ): AsyncIterableIterator<WatchEvent<T>>;
  watch(options?: WatchOptions): AsyncIterableIterator<WatchEventOrBookmark<T>>;
  watch(options: WatchOptions = {}): AsyncIterableIterator<WatchEventOrBookmark<T>> {
    const { allowWatchBookmarks = false, signal } = checkOptions('watch', options, watchNames);
    const request = this.#collection('GET').params(wireWatchOptions(options));
    // Without `allowWatchBookmarks` the return type has no bookmarks, so drop those that a server sends anyway.
    return request.watch<T>({ signal, bookmarks: allowWatchBookmarks });
  }

  async create(object: DeepReadonly<New<T>>, options: WriteOptions = {}): Promise<T> {
    checkOptions('create', options, writeNames);
    this.#target.checkPlace('create');
    this.#target.checkNamespaceOf(object, 'create');
    const body = await this.#api.withTypeMeta(this.#target, object, options);
    return this.#write(this.#collection('POST'), body, options);
  }

  async update(object: DeepReadonly<T>, options: WriteOptions = {}): Promise<T> {
    return this.#replace(object, undefined, checkOptions('update', options, writeNames));
  }

  async updateStatus(object: DeepReadonly<T>, options: WriteOptions = {}): Promise<T> {
    return this.#replace(object, 'status', checkOptions('updateStatus', options, writeNames));
  }

  async patch(
    name: string,
    patch: MergePatch<T> | readonly JsonPatchOperation[],
    options: PatchOptions = {},
  ): Promise<T> {
    checkOptions('patch', options, patchNames);
    const request = this.#object('PATCH', 'patch', name).patchType(patchTypeOf(patch, options));
    return this.#write(request, patch, options);
  }

  async patchStatus(name: string, status: MergePatch<StatusOf<T>>, options: WriteOptions = {}): Promise<T> {
    checkOptions('patchStatus', options, writeNames);
    const request = this.#object('PATCH', 'patch', name).subresource('status').patchType('merge');
    return this.#write(request, { status }, options);
  }

  async apply(object: DeepReadonly<New<T>>, options: ApplyOptions): Promise<T> {
    requireString('fieldManager', options?.fieldManager);
    checkOptions('apply', options, applyNames);
    this.#target.checkNamespaceOf(object, 'apply');
    const name = this.#target.checkName(this.#target.metadataOf(object, 'apply').name, 'apply');
    const body = await this.#api.withTypeMeta(this.#target, object, options);
    const request = this.#object('PATCH', 'apply', name).patchType('apply').param('force', options.force);
    return this.#write(request, body, options);
  }

  async delete(name: string, options: DeleteOptions = {}): Promise<void> {
    const { signal } = checkOptions('delete', options, deleteNames);
    const body = deleteBody(options);
    const request = this.#object('DELETE', 'delete', name);
    await (body === undefined ? request : request.body(body)).doRaw({ signal });
  }

  async deleteCollection(options: DeleteCollectionOptions = {}): Promise<void> {
    const { signal } = checkOptions('deleteCollection', options, deleteCollectionNames);
    this.#target.checkPlace('delete all');
    const body = deleteBody(options);
    const request = this.#collection('DELETE').params(wireListOptions(options));
    await (body === undefined ? request : request.body(body)).doRaw({ signal });
  }

  /** The overloads of the interface give each name its type; only `never` is assignable to all of them. */
  subresource(name: string): never {
    checkSegment('the subresource', name);
    const client = name === 'log' ? RestLogClient : RestSubresourceClient;
    return new client(this.#api, this.#target, name) as never;
  }

  async #replace(object: DeepReadonly<T>, subresource: 'status' | undefined, options: WriteOptions): Promise<T> {
    this.#target.checkNamespaceOf(object, 'update');
    const name = this.#target.checkName(this.#target.metadataOf(object, 'update').name, 'update');
    const body = await this.#api.withTypeMeta(this.#target, object, options);
    const request = this.#object('PUT', 'update', name);
    return this.#write(subresource === undefined ? request : request.subresource(subresource), body, options);
  }

  #write(request: Request, body: unknown, options: WriteOptions): Promise<T> {
    const { signal } = options;
    return request.params(wireWriteOptions(options)).body(body).do<T>({ signal });
  }

  #object(method: HttpMethod, verb: string, name: unknown): Request {
    return this.#collection(method).name(this.#target.checkName(name, verb));
  }

  #collection(method: HttpMethod, of: 'object' | 'list' = 'object'): Request {
    const { rest } = this.#api;
    const request = rest.request(method).resource(this.#target.resource);
    if (this.#target.namespace !== undefined) request.namespace(this.#target.namespace);
    // The answer to a DELETE is not read. For a collection it is a list, which servers refuse to send as PartialObjectMetadata.
    return this.#metadataOnly && method !== 'DELETE' ? request.metadataOnly(of) : request;
  }
}
