import { StatusError } from '../../meta/errors.js';
import { fieldInvalid, fieldRequired } from '../../meta/field-cause.js';
import { valueAt } from '../../meta/json-paths.js';
import { isJsonObject, type JsonObject } from '../../meta/json-values.js';
import { printGroupResource } from '../../meta/resource.js';
import {
  badRequest,
  invalid,
  methodNotAllowed,
  notFound,
  pathNotFound,
  type StatusCause,
  unsupportedMediaType,
} from '../../meta/status.js';
import type { Clock } from '../../time/clock.js';
import { promptlyInSlices, type Steps } from '../../time/steps.js';
import type { User } from '../access/authentication.js';
import { requireUse } from '../access/authorization.js';
import { checkGrant } from '../access/escalation.js';
import { patchSchemaOf } from '../patch/built-in-patch-schema.js';
import { applyJsonPatch } from '../patch/json-patch.js';
import { applyMergePatch } from '../patch/merge-patch.js';
import { applyStrategicMergePatch } from '../patch/strategic-merge-patch.js';
import { metadataOf, readMetadata } from '../resources/object-meta.js';
import type { ObjectWriter } from '../resources/object-writer.js';
import { type ApiResource, apiResource, type Registry } from '../resources/registry.js';
import { applyScale, bindPod, type Merge, mergeOf, scaleOf } from '../resources/subresources.js';
import { TypeMismatch } from '../resources/typed-object.js';
import { type Collection, keyOf, type Revision, type Storage } from '../storage/storage.js';
import type { ApiRequest, ApiResponse } from '../wire/exchange.js';
import { type PatchFormat, patchFormat, patchMediaTypes } from '../wire/media-types.js';
import type { ResourceRequestInfo } from '../wire/request-info.js';
import { queryFlag } from '../wire/request-info.js';
import { acceptsGzip, isLarge, send, sendStatus } from '../wire/response-writer.js';
import { readDeleteOptions } from './delete-options.js';
import { parseVersion, readPage, sendPage, waitForVersion } from './list.js';
import { readListOptions } from './list-options.js';
import { type BodyLimits, isTooDeep, parseJson, readObject, readText, typed } from './request-body.js';
import { readWriteOptions } from './request-options.js';
import { checkRoute } from './request-route.js';
import { answerReview, type ReviewContext } from './reviews.js';
import { negotiateShape, type Shape } from './shape.js';
import { serveWatch, WatchHub } from './watch.js';

/** What the verbs work on. */
export interface ResourceHandlerOptions {
  readonly clock: Clock;
  readonly storage: Storage;
  readonly registry: Registry;
  readonly writer: ObjectWriter;
  readonly limits: BodyLimits;
  readonly bookmarkIntervalMs: number;
  readonly reviews: ReviewContext;
}

/** A request for a resource that is served, on its way. */
interface Call {
  readonly info: ResourceRequestInfo;
  readonly resource: ApiResource;
  /** Empty outside of namespaces, and for all of them. */
  readonly namespace: string;
  readonly user: User;
  readonly request: ApiRequest;
  readonly response: ApiResponse;
}

/** How long the deletion of many objects may keep the event loop to itself. */
const SLICE_MS = 8;
const decoder = new TextDecoder();

/** Answers the verbs of every resource. Whatever is refused is thrown as a StatusError. */
export class ResourceHandler {
  readonly #clock: Clock;
  readonly #storage: Storage;
  readonly #registry: Registry;
  readonly #writer: ObjectWriter;
  readonly #limits: BodyLimits;
  readonly #bookmarkIntervalMs: number;
  readonly #reviews: ReviewContext;
  readonly #hubs = new Map<Collection, WatchHub>();

  constructor(options: ResourceHandlerOptions) {
    this.#clock = options.clock;
    this.#storage = options.storage;
    this.#registry = options.registry;
    this.#writer = options.writer;
    this.#limits = options.limits;
    this.#bookmarkIntervalMs = options.bookmarkIntervalMs;
    this.#reviews = options.reviews;
  }

  async handle(
    info: ResourceRequestInfo,
    resource: ApiResource,
    user: User,
    request: ApiRequest,
    response: ApiResponse,
  ): Promise<void> {
    const namespace = resource.namespaced ? info.namespace : '';
    if (request.method === 'HEAD') throw new StatusError(methodNotAllowed());
    const call: Call = { info, resource, namespace, user, request, response };
    checkRoute(info, resource);
    if (info.subresource !== '') return this.#subresource(call);
    if (resource.group === '' && resource.resource === 'bindings') return this.#bind(call);
    switch (info.verb) {
      case 'get':
        return this.#get(call);
      case 'list':
        return this.#list(call);
      case 'watch':
        return this.#watch(call);
      case 'create':
        return this.#create(call);
      case 'update':
        return this.#update(call);
      case 'patch':
        return this.#patch(call);
      case 'delete':
        return this.#delete(call);
      case 'deletecollection':
        return this.#deleteCollection(call);
      default:
        throw new StatusError(methodNotAllowed());
    }
  }

  /** Ends all watches as they are. */
  endWatches(): void {
    for (const hub of this.#hubs.values()) hub.endAll();
  }

  /** Ends the watches of a collection, once they have told everything. */
  concludeWatches(collection: Collection): void {
    this.#hubs.get(collection)?.concludeAll();
  }

  async #get(call: Call): Promise<void> {
    const shape = negotiateShape(call.resource, call.request.headers['accept'], 'object');
    sendRevision(call, 200, shape, await this.#find(call));
  }

  /** The object the path names, not older than the query asks for. */
  async #find({ info, resource, namespace, request }: Call): Promise<Revision> {
    let version: number | undefined;
    try {
      version = parseVersion(info.query.get('resourceVersion') ?? '');
    } catch (error) {
      throw new StatusError(badRequest(`invalid resource version: ${(error as Error).message}`));
    }
    if (version !== undefined) await waitForVersion(this.#storage, this.#clock, version, request.signal);
    const revision = resource.collection.get(keyOf(namespace, info.name));
    if (revision === undefined) throw new StatusError(notFound(resource.groupResource, info.name));
    return revision;
  }

  async #list({ info, resource, namespace, request, response }: Call): Promise<void> {
    const shape = negotiateShape(resource, request.headers['accept'], 'list');
    const options = readListOptions(resource, namespace, '', info.query, false);
    const page = await readPage(this.#storage, this.#clock, resource, options, request.signal);
    await sendPage(response, this.#clock, shape, page, request);
  }

  async #watch({ info, resource, namespace, request, response }: Call): Promise<void> {
    const shape = negotiateShape(resource, request.headers['accept'], 'watch');
    const options = readListOptions(resource, namespace, info.name, info.query, true);
    const { collection } = resource;
    let hub = this.#hubs.get(collection);
    if (hub === undefined) this.#hubs.set(collection, (hub = new WatchHub(collection, this.#clock)));
    const settings = { storage: this.#storage, clock: this.#clock, bookmarkIntervalMs: this.#bookmarkIntervalMs };
    await serveWatch(settings, hub, resource, options, shape, response, request.signal);
  }

  async #create(call: Call): Promise<void> {
    const { info, resource, namespace, request } = call;
    const shape = negotiateShape(resource, request.headers['accept'], 'object');
    const { dryRun } = readWriteOptions(info.query, 'CreateOptions');
    const object = await this.#run(readObject(request, resource, this.#limits));
    const review = answerReview(
      this.#reviews,
      printGroupResource(resource.groupResource),
      namespace,
      object,
      call.user,
      request,
    );
    if (review !== undefined) {
      const { kind, apiVersion } = resource;
      const answered = { kind, apiVersion, metadata: { creationTimestamp: null }, ...review };
      send(call.response, 201, shape.contentType, `${JSON.stringify(answered)}\n`);
      return;
    }
    this.#checkAccess(call, object, undefined);
    const { revision } = await this.#run(this.#writer.create(resource, namespace, object, dryRun));
    sendRevision(call, 201, shape, revision);
  }

  async #update(call: Call, merge?: Merge): Promise<void> {
    const { info, resource, namespace, request } = call;
    const shape = negotiateShape(resource, request.headers['accept'], 'object');
    const { dryRun } = readWriteOptions(info.query, 'UpdateOptions');
    const object = await this.#run(readObject(request, resource, this.#limits));
    checkName(info.name, readMetadata(object, resource).name);
    const update = this.#writer.update(resource, namespace, info.name, {
      change: () => object,
      create: merge === undefined ? () => object : undefined,
      check: (next, old) => this.#checkAccess(call, next, old),
      merge,
      checksUid: true,
      dryRun,
    });
    const { revision, isNew } = await this.#run(update);
    sendRevision(call, isNew ? 201 : 200, shape, revision);
  }

  async #patch(call: Call, merge?: Merge): Promise<void> {
    const { info, resource, namespace, request } = call;
    const shape = negotiateShape(resource, request.headers['accept'], 'object');
    const patch = await this.#run(this.#readPatch(call));
    const { dryRun } = readWriteOptions(info.query, 'PatchOptions');
    const update = this.#writer.update(resource, namespace, info.name, {
      *change(old) {
        const next = yield* patch(old);
        checkName(info.name, readMetadata(next, resource).name);
        return next;
      },
      check: (next, old) => this.#checkAccess(call, next, old),
      merge,
      dryRun,
    });
    const { revision } = await this.#run(update);
    sendRevision(call, 200, shape, revision);
  }

  /** Does work in slices, so that no request holds the event loop. */
  #run<T>(steps: Steps<T>): Promise<T> {
    return promptlyInSlices(this.#clock, 'a request', steps);
  }

  /** The patch of a request, as a function from the old state, which it changes, to the new. */
  *#readPatch(
    { resource, request }: Call,
    target: ApiResource = resource,
  ): Steps<(old: JsonObject) => Steps<JsonObject>> {
    const allowed: PatchFormat[] = target.isCustom ? ['json', 'merge'] : ['json', 'merge', 'strategic'];
    const format = patchFormat(request.headers['content-type'], allowed);
    if (format === undefined) throw new StatusError(unsupportedMediaType(patchMediaTypes(allowed)));
    const text = readText(request, this.#limits);
    const limits = this.#limits;
    let parsed: unknown;
    try {
      parsed = yield* parseJson(text, limits);
    } catch (error) {
      const { message } = error as Error;
      throw new StatusError(badRequest(format === 'merge' ? `error decoding patch: ${message}` : message));
    }
    let isUsed = false;
    const schema = format === 'strategic' ? patchSchemaOf(target) : undefined;
    const apply = (old: JsonObject, patch: unknown): Steps<unknown> => {
      if (format === 'merge') return applyMergePatch(old, patch);
      return format === 'strategic' ? applyStrategicMergePatch(old, patch, schema) : applyJsonPatch(old, patch);
    };
    return function* (old) {
      // Values of a patch become part of the object, so another attempt needs them anew.
      const patch = isUsed ? yield* parseJson(text, limits) : parsed;
      isUsed = true;
      const result = yield* apply(old, patch);
      if (!isJsonObject(result)) throw new StatusError(badRequest('the patched document is not an object'));
      if (isTooDeep(result, limits)) throw new StatusError(badRequest('exceeded max depth'));
      // A strategic patch goes through the type, which nothing can change; the others go through the text.
      if (format !== 'strategic') checkType(result, target);
      try {
        return yield* typed(result, target, Number.POSITIVE_INFINITY);
      } catch (error) {
        if (!(error instanceof TypeMismatch)) throw error;
        const cause = fieldInvalid('patch', text, error.message);
        throw new StatusError(invalid({ group: '', kind: '' }, '', [cause]), { cause: error });
      }
    };
  }

  async #delete(call: Call): Promise<void> {
    const { info, resource, namespace, request, response } = call;
    const shape = negotiateShape(resource, request.headers['accept'], 'object');
    const options = await this.#run(readDeleteOptions(request, info.query, this.#limits));
    const { revision, isGone } = await this.#run(this.#writer.delete(resource, namespace, info.name, options));
    const code = !isGone && options.orphanDependents === false ? 202 : 200;
    if (!isGone || resource.strategy.returnsDeleted) {
      sendRevision(call, code, shape, lastState(revision));
      return;
    }
    const { group, resource: kind } = resource.groupResource;
    const details = { name: info.name, ...(group === '' ? {} : { group }), kind, uid: revision.uid };
    send(response, code, 'application/json', `${JSON.stringify({ ...success, details })}\n`);
  }

  async #deleteCollection({ info, resource, namespace, request, response }: Call): Promise<void> {
    const shape = negotiateShape(resource, request.headers['accept'], 'list');
    const listOptions = readListOptions(resource, namespace, '', info.query, false);
    const options = await this.#run(readDeleteOptions(request, info.query, this.#limits));
    const page = await readPage(this.#storage, this.#clock, resource, listOptions, request.signal);
    let sliceEnd = this.#clock.monotonicNow() + SLICE_MS;
    for (const revision of page.revisions) {
      if (this.#clock.monotonicNow() >= sliceEnd) {
        await this.#clock.yield();
        sliceEnd = this.#clock.monotonicNow() + SLICE_MS;
      }
      try {
        await this.#run(this.#writer.delete(resource, revision.namespace, revision.name, options));
      } catch (error) {
        // Somebody else was faster.
        if (!(error instanceof StatusError) || error.status !== 404) throw error;
      }
    }
    await sendPage(response, this.#clock, shape, page, request);
  }

  async #subresource(call: Call): Promise<void> {
    const { info, resource } = call;
    if (info.subresource === 'scale') return this.#scale(call);
    if (resource.groupResource.resource === 'pods' && resource.group === '') {
      if (info.subresource === 'binding') return this.#bind(call);
      if (info.subresource === 'eviction') return this.#evict(call);
    }
    const merge = mergeOf(resource, info.subresource);
    if (merge === undefined) throw new StatusError(pathNotFound());
    switch (info.verb) {
      case 'get':
        return this.#get(call);
      case 'update':
        return this.#update(call, merge);
      case 'patch':
        return this.#patch(call, merge);
      default:
        throw new StatusError(methodNotAllowed());
    }
  }

  async #scale(call: Call): Promise<void> {
    const { info, resource, namespace, request, response } = call;
    const scaleResource = scaleResourceOf(resource);
    negotiateShape(scaleResource, request.headers['accept'], 'object');
    if (info.verb === 'get') {
      const object = this.#inVersion(resource, await this.#find(call));
      return send(response, 200, 'application/json', `${JSON.stringify(scaleOf(resource, object))}\n`);
    }
    const isPatch = info.verb === 'patch';
    const { dryRun } = readWriteOptions(info.query, isPatch ? 'PatchOptions' : 'UpdateOptions');
    const body = isPatch ? undefined : await this.#run(readObject(request, scaleResource, this.#limits));
    if (body !== undefined) checkName(info.name, readMetadata(body, scaleResource).name);
    const patch = isPatch ? await this.#run(this.#readPatch(call, scaleResource)) : undefined;
    const update = this.#writer.update(resource, namespace, info.name, {
      *change(old) {
        const scale = body ?? (yield* patch!(scaleOf(resource, old)));
        const { resourceVersion, uid } = readMetadata(scale, scaleResource);
        const replicas = valueAt(scale, ['spec', 'replicas']) ?? 0;
        if ((replicas as number) < 0)
          throw new StatusError(
            invalid(resource.isCustom ? resource : scaleResource, info.name, [negativeScale(resource, replicas)]),
          );
        applyScale(resource, old, scale);
        const metadata = metadataOf(old);
        if (resourceVersion !== undefined) metadata.resourceVersion = resourceVersion;
        if (uid !== undefined) metadata.uid = uid;
        return old;
      },
      checksUid: true,
      dryRun,
    });
    const { revision } = await this.#run(update);
    const scale = scaleOf(resource, this.#inVersion(resource, revision));
    send(response, 200, 'application/json', `${JSON.stringify(scale)}\n`);
  }

  /** Binds a pod, whether asked for at the pod or, as long ago, by a Binding that names it. */
  async #bind({ info, resource, namespace, request, response }: Call): Promise<void> {
    const bindings = subresourceKind(resource, 'Binding', 'v1');
    const pods = this.#registry.find('', 'v1', 'pods')!;
    const { dryRun } = readWriteOptions(info.query, 'CreateOptions');
    const binding = await this.#run(readObject(request, bindings, this.#limits));
    if (info.name !== '') checkSubresourceName(info.name, binding, bindings);
    const sent = readMetadata(binding, bindings);
    const name = info.name === '' ? (sent.name ?? '') : info.name;
    const node = valueAt(binding, ['target', 'name']);
    if (typeof node !== 'string' || node === '') {
      throw new StatusError(invalid(bindings, name, [fieldRequired('target.name', '')]));
    }
    const timestamp = this.#writer.timestamp();
    const update = this.#writer.update(pods, namespace, name, {
      change(pod) {
        const bound = bindPod(pods, pod, binding, timestamp);
        // What the binding knows of the pod has to be true of it still.
        const { uid, resourceVersion } = sent;
        Object.assign(metadataOf(bound), { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) });
        return bound;
      },
      merge: (_old, next) => next,
      keepsGeneration: true,
      checksUid: true,
      dryRun,
    });
    await this.#run(update);
    sendCreated(response);
  }

  async #evict({ info, resource, namespace, request, response }: Call): Promise<void> {
    const evictions = subresourceKind(resource, 'Eviction', 'policy/v1');
    const { dryRun } = readWriteOptions(info.query, 'CreateOptions');
    const eviction = await this.#run(readObject(request, evictions, this.#limits));
    checkSubresourceName(info.name, eviction, evictions);
    const deleteOptions = valueAt(eviction, ['deleteOptions']);
    const body = Buffer.from(JSON.stringify(isJsonObject(deleteOptions) ? deleteOptions : {}));
    const options = await this.#run(readDeleteOptions({ ...request, body }, info.query, this.#limits));
    const deletion = { ...options, dryRun: dryRun || options.dryRun };
    await this.#run(this.#writer.delete(resource, namespace, info.name, deletion));
    sendCreated(response);
  }

  /** Refuses what a user who may send the request may not write. Without `old` the object is created. */
  #checkAccess({ info, resource, namespace, user }: Call, next: JsonObject, old: JsonObject | undefined): void {
    const { authorizer } = this.#reviews;
    if (authorizer === undefined) return;
    const { name } = info;
    if (old === undefined && info.verb === 'update') {
      requireUse(authorizer, user, { ...resource.groupResource, verb: 'create', subresource: '', namespace, name });
    }
    checkGrant(authorizer, { user, resource, namespace, name }, next, old);
  }

  #inVersion(resource: ApiResource, revision: Revision): JsonObject {
    const object = revision.decode();
    return resource.conversion === undefined ? object : resource.conversion.fromStorage(object);
  }
}

function negativeScale(resource: ApiResource, replicas: unknown): StatusCause {
  return resource.isCustom
    ? fieldInvalid(`.${resource.scale?.specReplicas.join('.')}`, replicas, 'should be a non-negative integer')
    : fieldInvalid('spec.replicas', replicas, 'must be greater than or equal to 0');
}

const success = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' } as const;

function checkName(asked: string, sent: string | undefined): void {
  if (sent === undefined) {
    const message = `the name of the object (${asked} based on URL) was undeterminable: name must be provided`;
    throw new StatusError(badRequest(message));
  }
  if (sent === asked) return;
  throw new StatusError(badRequest(`the name of the object (${sent}) does not match the name on the URL (${asked})`));
}

/** Refuses a patch that makes another kind of an object. */
function checkType(patched: JsonObject, target: ApiResource): void {
  const field = (['kind', 'apiVersion'] as const).find((name) => patched[name] !== target[name]);
  if (field === undefined) return;
  const { kind, apiVersion } = patched;
  if (target.isCustom) {
    const { name = '' } = readMetadata(patched, target);
    const about = { group: target.group, kind: String(kind ?? '') };
    throw new StatusError(
      invalid(about, name, [fieldInvalid(field, patched[field] ?? '', `must be ${target[field]}`)]),
    );
  }
  const problem = `no kind ${JSON.stringify(kind ?? '')} of ${JSON.stringify(apiVersion ?? '')} can be handled as a ${target.kind}`;
  const cause = fieldInvalid('patch', JSON.stringify(patched), problem);
  throw new StatusError(invalid({ group: '', kind: '' }, '', [cause]));
}

/** What is made below an object has its name. */
function checkSubresourceName(asked: string, sent: JsonObject, kind: ApiResource): void {
  if (readMetadata(sent, kind).name === asked) return;
  throw new StatusError(badRequest(`name in URL does not match name in ${kind.kind} object`));
}

function sendRevision({ info, request, response }: Call, code: number, shape: Shape, revision: Revision): void {
  const bytes = shape.bytes(revision);
  if (queryFlag(info.query, 'pretty')) {
    send(response, code, shape.contentType, JSON.stringify(JSON.parse(decoder.decode(bytes)), undefined, 2));
    return;
  }
  const body = new Uint8Array(bytes.length + 1);
  body.set(bytes);
  body[bytes.length] = 0x0a;
  send(response, code, shape.contentType, body, isLarge(body.length) && acceptsGzip(request));
}

/** A deletion is answered with the state that was deleted, at the version it had. */
function lastState(revision: Revision): Revision {
  return revision.type === 'DELETED' ? revision.previous! : revision;
}

function sendCreated(response: ApiResponse): void {
  sendStatus(response, { ...success, code: 201 });
}

/** What of a subresource's own kind the reading of bodies needs to know. */
function subresourceKind(resource: ApiResource, kind: string, apiVersion: string): ApiResource {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  return apiResource({ ...resource, group: group!, version: version!, kind, isCustom: false });
}

function scaleResourceOf(resource: ApiResource): ApiResource {
  return subresourceKind(resource, 'Scale', 'autoscaling/v1');
}
