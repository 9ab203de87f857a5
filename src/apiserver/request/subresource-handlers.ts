import { StatusError } from '../../meta/errors/errors.js';
import { fieldInvalid, fieldRequired } from '../../meta/errors/field-cause.js';
import { badRequest, invalid } from '../../meta/errors/status.js';
import { valueAt } from '../../meta/json-paths.js';
import { isJsonObject, type JsonObject } from '../../meta/json-values.js';
import type { Steps } from '../../time/steps.js';
import { optionsDocument } from '../resources/admission.js';
import { objectIn } from '../resources/conversions.js';
import { metadataOf, readMetadata } from '../resources/object-meta.js';
import { type ApiResource, apiResource } from '../resources/registry.js';
import { applyScale, bindPod, scaleOf } from '../resources/subresources.js';
import { evictPod } from '../resources/write/eviction.js';
import type { ManagedFields } from '../resources/write/field-manager.js';
import { send, sendStatus } from '../wire/response-writer.js';
import { applyTo, readApply } from './apply.js';
import { patcherOf, patchFormatOf, readPatchBody } from './body/read-patch.js';
import { readObject } from './body/request-body.js';
import { connectOptions } from './options/connect-options.js';
import { typedDeleteOptions } from './options/delete-options.js';
import { managerName } from './options/manager-name.js';
import { readWriteOptions, type WriteOptions } from './options/request-options.js';
import {
  admit,
  checkName,
  findObject,
  originOf,
  prepare,
  type ResourceCall,
  runSteps,
  warnOf,
} from './resource-call.js';
import { handleTokenRequest } from './review/token-request.js';
import { negotiateShape } from './shape/negotiate-shape.js';
import { handleAttach, handleLog, handlePortForward, handleProxy } from './streams/container-streams.js';

/** Answers all verbs of a subresource. What it refuses is thrown as a StatusError. */
type SubresourceHandler = (call: ResourceCall) => Promise<void>;

/**
 * The subresources with a kind of their own: by name for all resources, or as `resource.group/name` for one of them. Those
 * that write a part of the object itself are in resources/subresources.ts. A `bindings` resource without a subresource
 * is the old way to bind a pod.
 */
const HANDLERS: Readonly<Record<string, SubresourceHandler>> = {
  '/scale': handleScale,
  'pods./binding': handleBinding,
  'bindings./': handleBinding,
  'pods./eviction': handleEviction,
  'serviceaccounts./token': (call) =>
    handleTokenRequest(call, kindOf(call.resource, 'TokenRequest', 'authentication.k8s.io/v1')),
  'pods./log': handleLog,
  'pods./exec': connectTo('PodExecOptions', handleAttach),
  'pods./attach': connectTo('PodAttachOptions', handleAttach),
  'pods./portforward': connectTo('PodPortForwardOptions', handlePortForward),
  'pods./proxy': connectTo('PodProxyOptions', handleProxy),
  'services./proxy': connectTo('ServiceProxyOptions', handleProxy),
  'nodes./proxy': connectTo('NodeProxyOptions', handleProxy),
};

/** The handler of a subresource with a kind of its own; undefined for other subresources. */
export function subresourceHandler({ resource, group }: ApiResource, name: string): SubresourceHandler | undefined {
  return HANDLERS[`${resource}.${group}/${name}`] ?? HANDLERS[`/${name}`];
}

/** A handler of connections: webhooks and policies decide about the options of a connection first. */
function connectTo(kind: string, handle: SubresourceHandler): SubresourceHandler {
  return async (call) => {
    await admit(call, 'CONNECT', kindOf(call.resource, kind, 'v1'), connectOptions(kind, call.info));
    return handle(call);
  };
}

async function handleScale(call: ResourceCall): Promise<void> {
  const { context, info, resource, namespace, response } = call;
  const { writer } = context;
  const scales = kindOf(resource, 'Scale', 'autoscaling/v1');
  const shape = negotiateShape(call, 'object', scales);
  if (info.verb === 'get') {
    const object = objectIn(resource, await findObject(call));
    return send(response, 200, shape.contentType, shape.documentBody(scaleOf(resource, object)));
  }
  const write = await readScale(call, scales);
  let managedFields: ManagedFields;
  const update = writer.update(resource, namespace, info.name, {
    *change(old) {
      const live = scaleOf(resource, old);
      const fields = writer.fields.ofScale(resource, old);
      if (fields !== undefined) Object.assign(metadataOf(live), { managedFields: fields });
      const before = structuredClone(live);
      const scale = yield* write.change(live);
      scale.object = yield* mutateScale(call, scales, scale.object, before, write.options);
      managedFields = yield* writer.fields.afterScale(resource, old, scale.managedFields);
      const { resourceVersion, uid } = readMetadata(scale.object, scales);
      const replicas = valueAt(scale.object, ['spec', 'replicas']) ?? 0;
      // The rules of a custom resource have their own words for it.
      if ((replicas as number) < 0 && !resource.isCustom) {
        const cause = fieldInvalid('spec.replicas', replicas, 'must be greater than or equal to 0');
        throw new StatusError(invalid(scales, info.name, [cause]));
      }
      applyScale(resource, old, scale.object);
      const metadata = metadataOf(old);
      if (resourceVersion !== undefined) metadata.resourceVersion = resourceVersion;
      if (uid !== undefined) metadata.uid = uid;
      return old;
    },
    track: () => managedFields,
    checksUid: true,
    dryRun: write.options.dryRun,
    by: originOf(call, write.options),
    view: { kind: scales, of: (object) => scaleOf(resource, object) },
  });
  const { revision } = await runSteps(call, update);
  await prepare(call, [revision]);
  const scale = scaleOf(resource, objectIn(resource, revision));
  send(response, 200, shape.contentType, shape.documentBody(scale));
}

/** A Scale with the managedFields that it has after a write. */
interface WrittenScale {
  object: JsonObject;
  readonly managedFields: ManagedFields;
}

/** Has mutating webhooks change a Scale. */
function* mutateScale(
  call: ResourceCall,
  scales: ApiResource,
  object: JsonObject,
  old: JsonObject,
  options: WriteOptions,
): Steps<JsonObject> {
  const { context, info, resource, namespace } = call;
  const { user, options: sent } = originOf(call, options);
  const mutation = context.admission.mutate(
    {
      operation: 'UPDATE',
      resource,
      subresource: info.subresource,
      kind: scales,
      namespace,
      name: info.name,
      object,
      old,
      options: optionsDocument('UpdateOptions', options.dryRun, sent),
      dryRun: options.dryRun,
      user,
      warn: warnOf(call),
    },
    () => {},
  );
  return mutation === undefined ? object : (yield* mutation)!;
}

/** Reads the Scale of a PUT, or the change of a PATCH. */
async function readScale(
  call: ResourceCall,
  scales: ApiResource,
): Promise<{ readonly change: (live: JsonObject) => Steps<WrittenScale>; readonly options: WriteOptions }> {
  const { context, info, request, resource } = call;
  const { fields } = context.writer;
  const isPatch = info.verb === 'patch';
  // A patch of a custom resource's scale has the formats of the custom resource.
  const format = isPatch ? patchFormatOf(call, { ...scales, isCustom: resource.isCustom }) : undefined;
  if (format === 'apply') {
    const apply = await readApply(call, scales);
    return { change: (live) => applyTo(apply, live, fields), options: apply.options };
  }
  const patchBody = format === undefined ? undefined : readPatchBody(call, format);
  const options = readWriteOptions(info.query, isPatch ? 'PatchOptions' : 'UpdateOptions');
  const { fieldManager, fieldValidation } = options;
  const body = isPatch ? undefined : await readObject(call, scales, fieldValidation);
  if (body !== undefined) checkName(info.name, readMetadata(body, scales).name);
  const patch = patchBody === undefined ? undefined : patcherOf(call, patchBody, scales, fieldValidation);
  const track = fields.update(scales, info.subresource, managerName(fieldManager, request.headers['user-agent']));
  return {
    *change(live) {
      const object = body ?? (yield* patch!(structuredClone(live)));
      return { object, managedFields: yield* track(live, { ...object, metadata: readMetadata(object, scales) }) };
    },
    options,
  };
}

/** Binds the pod that the path names or, for the resource `bindings`, the name of the Binding. */
async function handleBinding(call: ResourceCall): Promise<void> {
  const { context, info, resource, namespace } = call;
  const { writer, registry } = context;
  const bindings = kindOf(resource, 'Binding', 'v1');
  const pods = registry.find('', 'v1', 'pods')!;
  const options = readWriteOptions(info.query, 'CreateOptions');
  const { dryRun, fieldValidation } = options;
  const sentBinding = await readObject(call, bindings, fieldValidation);
  if (info.name !== '') checkOwnName(info.name, sentBinding, bindings);
  const binding = await admit(call, 'CREATE', bindings, inNamespace(sentBinding, namespace), options);
  const sent = readMetadata(binding, bindings);
  const name = info.name === '' ? (sent.name ?? '') : info.name;
  const node = valueAt(binding, ['target', 'name']);
  if (typeof node !== 'string' || node === '') {
    throw new StatusError(invalid(bindings, name, [fieldRequired('target.name', '')]));
  }
  const timestamp = writer.timestamp();
  const update = writer.update(pods, namespace, name, {
    change(pod) {
      const bound = bindPod(pods, pod, binding, timestamp);
      // uid and resourceVersion of the Binding are preconditions on the pod.
      const { uid, resourceVersion } = sent;
      Object.assign(metadataOf(bound), { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) });
      return bound;
    },
    merge: (_old, next) => next,
    subresource: 'binding',
    keepsGeneration: true,
    checksUid: true,
    dryRun,
  });
  await runSteps(call, update);
  sendCreated(call);
}

async function handleEviction(call: ResourceCall): Promise<void> {
  const { context, info, resource, namespace } = call;
  const { writer } = context;
  const evictions = kindOf(resource, 'Eviction', 'policy/v1');
  const writeOptions = readWriteOptions(info.query, 'CreateOptions');
  const { dryRun, fieldValidation } = writeOptions;
  const sent = await readObject(call, evictions, fieldValidation);
  checkOwnName(info.name, sent, evictions);
  const eviction = await admit(call, 'CREATE', evictions, inNamespace(sent, namespace), writeOptions);
  const deleteOptions = valueAt(eviction, ['deleteOptions']);
  const options = typedDeleteOptions(isJsonObject(deleteOptions) ? deleteOptions : {});
  const deletion = { ...options, dryRun: dryRun || options.dryRun };
  await runSteps(call, evictPod(writer, context.registry, resource, namespace, info.name, deletion));
  sendCreated(call);
}

/** The resource as far as bodies of the subresource's own kind are read by it. */
function kindOf(resource: ApiResource, kind: string, apiVersion: string): ApiResource {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  return apiResource({ ...resource, group: group!, version: version!, kind, isCustom: false, custom: undefined });
}

/** A document with the namespace of the request in its metadata. */
function inNamespace(document: JsonObject, namespace: string): JsonObject {
  return { ...document, metadata: { ...metadataOf(document), namespace } };
}

/** Throws 400 if what is created below an object has another name than the object. */
function checkOwnName(asked: string, sent: JsonObject, kind: ApiResource): void {
  if (readMetadata(sent, kind).name === asked) return;
  throw new StatusError(badRequest(`name in URL does not match name in ${kind.kind} object`));
}

function sendCreated({ request, response }: ResourceCall): void {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 } as const;
  sendStatus(response, status, request.headers.accept);
}
