import { StatusError } from '../../meta/errors/errors.js';
import { methodNotAllowed, pathNotFound, type Status } from '../../meta/errors/status.js';
import type { JsonObject } from '../../meta/json-values.js';
import { printGroupResource } from '../../meta/resource.js';
import type { Steps } from '../../time/steps.js';
import { requireUse } from '../access/access-refusal.js';
import type { User } from '../access/authentication.js';
import { checkGrant } from '../access/escalation.js';
import { metadataOf, readMetadata } from '../resources/object-meta.js';
import type { ApiResource } from '../resources/registry.js';
import { type Merge, mergeOf } from '../resources/subresources.js';
import type { ManagedFields } from '../resources/write/field-manager.js';
import { type Deletion, ifPresent } from '../resources/write/object-writer.js';
import type { Collection, Revision } from '../storage/storage.js';
import type { ApiRequest, ApiResponse } from '../wire/exchange.js';
import type { ResourceRequestInfo } from '../wire/request-info.js';
import { acceptsGzip, isLarge, send, sendStatus } from '../wire/response-writer.js';
import { applyTo, checkNoUid, readApply } from './apply.js';
import { patcherOf, patchFormatOf, readPatchBody } from './body/read-patch.js';
import { readObject } from './body/request-body.js';
import { readPage, sendPage } from './list.js';
import { readDeleteOptions } from './options/delete-options.js';
import { readListOptions } from './options/list-options.js';
import { managerName } from './options/manager-name.js';
import { readWriteOptions } from './options/request-options.js';
import { checkRoute } from './request-route.js';
import {
  admit,
  checkPlace,
  findObject,
  originOf,
  prepare,
  type ResourceCall,
  runSteps,
  type VerbContext,
  warnOf,
} from './resource-call.js';
import { answerReview, type ReviewContext } from './review/reviews.js';
import { negotiateShape } from './shape/negotiate-shape.js';
import type { Shape } from './shape/shape.js';
import { subresourceHandler } from './subresource-handlers.js';
import type { Warnings } from './warnings.js';
import { serveWatch, WatchHub } from './watch.js';

/** What a {@link ResourceHandler} works with. */
export interface ResourceHandlerOptions extends VerbContext {
  readonly bookmarkIntervalMs: number;
  readonly reviews: ReviewContext;
  /** Whether `shardSelector` limits lists, watches and deletions of collections. */
  readonly shardedLists: boolean;
}

/** Answers the verbs of every resource. What it refuses is thrown as a StatusError. */
export class ResourceHandler {
  readonly #context: ResourceHandlerOptions;
  readonly #hubs = new Map<Collection, WatchHub>();

  constructor(options: ResourceHandlerOptions) {
    this.#context = options;
  }

  async handle(
    info: ResourceRequestInfo,
    resource: ApiResource,
    user: User,
    request: ApiRequest,
    response: ApiResponse,
    warnings: Warnings,
  ): Promise<void> {
    const namespace = resource.namespaced ? info.namespace : '';
    if (request.method === 'HEAD' && !resource.isCustom) throw new StatusError(methodNotAllowed());
    if (resource.strategy.deprecation !== undefined) warnings.add(resource.strategy.deprecation);
    const call: ResourceCall = { context: this.#context, info, resource, namespace, user, request, response, warnings };
    checkRoute(info, resource);
    const handle = subresourceHandler(resource, info.subresource);
    if (handle !== undefined) return handle(call);
    if (info.subresource !== '') return this.#writePart(call);
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

  /** Ends all watches at once. */
  endWatches(): void {
    for (const hub of this.#hubs.values()) hub.endAll();
  }

  /** Ends the watches of a collection after they have sent all changes. */
  concludeWatches(collection: Collection): void {
    this.#hubs.get(collection)?.concludeAll();
  }

  /** Ends the watches of a collection after they have sent all changes, with an ERROR event. */
  failWatches(collection: Collection, status: Status): void {
    this.#hubs.get(collection)?.failAll(status);
  }

  /** How many changes of a collection its slowest watch has not sent. */
  watchBacklog(collection: Collection): number {
    return this.#hubs.get(collection)?.backlog ?? 0;
  }

  async #get(call: ResourceCall): Promise<void> {
    const shape = negotiateShape(call, 'object');
    await sendRevision(call, 200, shape, await findObject(call));
  }

  async #list(call: ResourceCall): Promise<void> {
    const { info, resource, namespace, request, response } = call;
    const shape = negotiateShape(call, 'list');
    const options = readListOptions(resource, namespace, '', info.query, false, this.#context.shardedLists);
    const page = await readPage(this.#context.clock, resource, options, request.signal);
    await prepare(call, page.revisions);
    await sendPage(response, this.#context.clock, shape, page, request);
  }

  async #watch(call: ResourceCall): Promise<void> {
    const { info, resource, namespace, request, response } = call;
    const shape = negotiateShape(call, 'watch');
    const options = readListOptions(resource, namespace, info.name, info.query, true, this.#context.shardedLists);
    const { collection } = resource;
    let hub = this.#hubs.get(collection);
    if (hub === undefined) this.#hubs.set(collection, (hub = new WatchHub(collection, this.#context.clock)));
    await serveWatch(this.#context, hub, resource, options, shape, response, request.signal);
  }

  async #create(call: ResourceCall): Promise<void> {
    const { info, resource, namespace } = call;
    const shape = negotiateShape(call, 'object');
    const options = readWriteOptions(info.query, 'CreateOptions');
    const { dryRun, fieldManager, fieldValidation } = options;
    let object = await readObject(call, resource, fieldValidation);
    // What cannot be read is a review: it is not stored.
    if (!resource.verbs.includes('get')) object = await admit(call, 'CREATE', resource, object, options);
    const review = answerReview(this.#context.reviews, call, object, managerOf(call, fieldManager));
    if (review !== undefined) {
      send(call.response, 201, shape.contentType, shape.documentBody(review));
      return;
    }
    this.#checkAccess(call, object, undefined);
    const { writer } = this.#context;
    const track = writer.fields.update(resource, '', managerOf(call, fieldManager));
    const { revision } = await runSteps(
      call,
      writer.create(resource, namespace, object, { dryRun, track, warn: warnOf(call), by: originOf(call, options) }),
    );
    await sendRevision(call, 201, shape, revision);
  }

  async #update(call: ResourceCall, merge?: Merge): Promise<void> {
    const { info, resource, namespace } = call;
    const shape = negotiateShape(call, 'object');
    const options = readWriteOptions(info.query, 'UpdateOptions');
    const { dryRun, fieldManager, fieldValidation } = options;
    const object = await readObject(call, resource, fieldValidation);
    checkPlace(call, readMetadata(object, resource));
    const { writer } = this.#context;
    const update = writer.update(resource, namespace, info.name, {
      change: () => object,
      create: merge === undefined ? () => object : undefined,
      check: (next, old) => this.#checkAccess(call, next, old),
      merge,
      subresource: info.subresource,
      track: writer.fields.update(resource, info.subresource, managerOf(call, fieldManager)),
      warn: warnOf(call),
      checksUid: true,
      dryRun,
      by: originOf(call, options),
    });
    const { revision, isNew } = await runSteps(call, update);
    await sendRevision(call, isNew ? 201 : 200, shape, revision);
  }

  async #patch(call: ResourceCall, merge?: Merge): Promise<void> {
    const { info, resource, namespace } = call;
    const format = patchFormatOf(call, resource);
    if (format === 'apply') return this.#apply(call, merge);
    const body = readPatchBody(call, format);
    const shape = negotiateShape(call, 'object');
    const options = readWriteOptions(info.query, 'PatchOptions');
    const { dryRun, fieldManager, fieldValidation } = options;
    const patch = patcherOf(call, body, resource, fieldValidation);
    const { writer } = this.#context;
    const update = writer.update(resource, namespace, info.name, {
      *change(old) {
        const next = yield* patch(old);
        checkPlace(call, readMetadata(next, resource));
        return next;
      },
      check: (next, old) => this.#checkAccess(call, next, old),
      merge,
      subresource: info.subresource,
      track: writer.fields.update(resource, info.subresource, managerOf(call, fieldManager)),
      warn: warnOf(call),
      dryRun,
      by: originOf(call, options),
    });
    const { revision } = await runSteps(call, update);
    await sendRevision(call, 200, shape, revision);
  }

  async #apply(call: ResourceCall, merge?: Merge): Promise<void> {
    const { info, resource, namespace } = call;
    const { name } = info;
    const shape = negotiateShape(call, 'object');
    const apply = await readApply(call, resource);
    const { writer } = this.#context;
    let managedFields: ManagedFields;
    const change = function* (live: JsonObject | undefined): Steps<JsonObject> {
      const applied = yield* applyTo(apply, live, writer.fields);
      ({ managedFields } = applied);
      if (live === undefined) checkNoUid(resource, name, applied.object);
      checkPlace(call, readMetadata(applied.object, resource));
      return applied.object;
    };
    const update = writer.update(resource, namespace, name, {
      change,
      // The resourceVersion of a document that creates its object is ignored.
      create: merge === undefined ? () => withoutVersion(change(undefined)) : undefined,
      alwaysCreates: true,
      check: (next, old) => this.#checkAccess(call, next, old),
      merge,
      subresource: info.subresource,
      track: () => managedFields,
      warn: warnOf(call),
      dryRun: apply.options.dryRun,
      by: originOf(call, apply.options),
    });
    const { revision, isNew } = await runSteps(call, update);
    await sendRevision(call, isNew ? 201 : 200, shape, revision);
  }

  async #delete(call: ResourceCall): Promise<void> {
    const { info, resource, namespace, response } = call;
    const shape = negotiateShape(call, 'object');
    const options = await readDeleteOptions(call, info.query);
    const deletionWarning = DELETION_WARNINGS[printGroupResource(resource.groupResource)];
    const isSilent = options.propagationPolicy !== undefined || options.orphanDependents !== undefined;
    if (deletionWarning !== undefined && !isSilent) call.warnings.add(deletionWarning);
    const { revision, isGone } = await runSteps(
      call,
      this.#context.writer.delete(resource, namespace, info.name, { ...options, ...deleteOrigin(call) }),
    );
    const code = !isGone && options.orphanDependents === false ? 202 : 200;
    if (!isGone || resource.strategy.returnsDeleted) {
      await sendRevision(call, code, shape, revision);
      return;
    }
    const { group, resource: kind } = resource.groupResource;
    const details = { name: info.name, ...(group === '' ? {} : { group }), kind, uid: revision.uid };
    sendStatus(response, { ...success, details }, call.request.headers.accept, code);
  }

  async #deleteCollection(call: ResourceCall): Promise<void> {
    const { info, resource, namespace, request, response } = call;
    const shape = negotiateShape(call, 'list');
    const listOptions = readListOptions(resource, namespace, '', info.query, false, this.#context.shardedLists);
    const options = await readDeleteOptions(call, info.query);
    const page = await readPage(this.#context.clock, resource, listOptions, request.signal);
    const deletion = { ...options, ...deleteOrigin(call), inCollection: true };
    await runSteps(call, this.#deleteAll(resource, page.revisions, deletion));
    await prepare(call, page.revisions);
    await sendPage(response, this.#context.clock, shape, page, request);
  }

  *#deleteAll(resource: ApiResource, revisions: readonly Revision[], options: Deletion): Steps<void> {
    for (const { namespace, name } of revisions) {
      yield* ifPresent(this.#context.writer.delete(resource, namespace, name, options));
      yield;
    }
  }

  /** Answers a subresource that reads the object and writes a part of it. */
  async #writePart(call: ResourceCall): Promise<void> {
    const merge = mergeOf(call.resource, call.info.subresource);
    if (merge === undefined) throw new StatusError(pathNotFound());
    switch (call.info.verb) {
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

  /** Throws 403 for an escalation: a role or binding that grants more than the user has. Without `old` the object is created. */
  #checkAccess({ info, resource, namespace, user }: ResourceCall, next: JsonObject, old: JsonObject | undefined): void {
    const { authorizer } = this.#context.reviews;
    if (authorizer === undefined) return;
    const { name } = info;
    if (old === undefined && info.verb !== 'create') {
      requireUse(authorizer, user, { ...resource.groupResource, verb: 'create', subresource: '', namespace, name });
    }
    checkGrant(authorizer, { user, resource, namespace, name }, next, old);
  }
}

/** The origin of a deletion: webhooks see the options of the deletion itself. */
function deleteOrigin(call: ResourceCall): Pick<Deletion, 'by' | 'warn'> {
  return { by: { user: call.user }, warn: warnOf(call) };
}

function managerOf({ request }: ResourceCall, fieldManager: string): string {
  return managerName(fieldManager, request.headers['user-agent']);
}

function* withoutVersion(steps: Steps<JsonObject>): Steps<JsonObject> {
  const object = yield* steps;
  const { resourceVersion: _, ...metadata } = metadataOf(object);
  return { ...object, metadata };
}

/** The warnings of deletions that name no propagation policy. */
const DELETION_WARNINGS: Readonly<Record<string, string>> = {
  'jobs.batch':
    'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
};

const success = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' } as const;

async function sendRevision(call: ResourceCall, code: number, shape: Shape, revision: Revision): Promise<void> {
  const { request, response } = call;
  await prepare(call, [revision]);
  const body = shape.body(revision);
  send(response, code, shape.contentType, body, isLarge(body.length) && acceptsGzip(request));
}
