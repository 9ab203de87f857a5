import { StatusError } from '../../../meta/errors/errors.js';
import { badRequest, notAcceptable, type Status } from '../../../meta/errors/status.js';
import type { ApiResource } from '../../resources/registry.js';
import { tableOf } from '../../tables/tables.js';
import {
  type Accepted,
  namesMediaType,
  negotiate,
  servedMediaTypes,
  streamedMediaTypes,
  type Transform,
} from '../../wire/media-types.js';
import type { ResourceCall } from '../resource-call.js';
import { JsonShape } from './json-shape.js';
import { PrettyShape } from './pretty-shape.js';
import { ProtobufShape } from './protobuf-shape.js';
import type { Shape } from './shape.js';
import { type IncludeObject, TableShape } from './table-shape.js';
import { YamlShape } from './yaml-shape.js';

const PARTIAL = ['PartialObjectMetadata', 'PartialObjectMetadataList'] as const;
const INCLUDE_OBJECT: readonly string[] = ['None', 'Metadata', 'Object'] satisfies IncludeObject[];

/** There is one shape per resource and form, because `Revision.shapes` has shapes as keys. */
const jsonShapes = new WeakMap<ApiResource, Map<string, JsonShape>>();
const protobufShapes = new WeakMap<ApiResource, Map<string, ProtobufShape>>();

/**
 * The shape that the Accept header of a request asks for; throws 406 if there is none.
 *
 * @param resource the kind of the answer, if it is not that of the path, as a Scale
 */
export function negotiateShape(
  call: ResourceCall,
  what: 'object' | 'list' | 'watch',
  resource: ApiResource = call.resource,
): Shape {
  const { accept } = call.request.headers;
  if (!resource.isCustom && !namesMediaType(accept, mediaTypes(what))) throw notRepresentable(what);
  // A review is answered without being stored: it has no table.
  const transforms: Transform[] = resource.verbs.includes('get') ? ['Table', ...PARTIAL] : [...PARTIAL];
  const accepted = negotiate(accept, transforms, resource.isCustom, what !== 'watch');
  if (accepted === undefined) {
    throw new StatusError(notAcceptable(what === 'watch' ? streamedMediaTypes : servedMediaTypes));
  }
  if (accepted.transform === 'Table') {
    const objects = jsonShape(resource, plainOf(accepted));
    const metadata = jsonShape(resource, { ...accepted, transform: 'PartialObjectMetadata' });
    const { clock } = call.context;
    const table = tableOf(resource);
    const rows = new TableShape({ table, accepted, include: includeObject(call), objects, metadata, clock });
    return printed(rows, accepted, call, what);
  }
  checkListness(accepted, what, resource);
  const isListWatch = what === 'watch' && accepted.transform === 'PartialObjectMetadataList';
  const form: Accepted =
    accepted.transform === undefined || isListWatch ? accepted : { ...accepted, transform: 'PartialObjectMetadata' };
  if (form.format === 'protobuf') return protobufShape(resource, form);
  return printed(jsonShape(resource, form), form, call, what);
}

/** A shape of JSON as the client wants to read it. */
function printed(shape: Shape, { format }: Accepted, call: ResourceCall, what: 'object' | 'list' | 'watch'): Shape {
  if (format === 'yaml') return new YamlShape(shape);
  return what !== 'watch' && wantsIndentation(call) ? new PrettyShape(shape) : shape;
}

const TRUE = /^(1|t|T|true|TRUE|True)$/;
const HUMAN_CLIENTS = /^(curl|Wget|Mozilla\/5\.0)/;

/** Whether an answer is indented: if `pretty` says so, or if it says nothing and the client is one that people use. */
function wantsIndentation({ info, request }: ResourceCall): boolean {
  const pretty = info.query.get('pretty') ?? '';
  return pretty === '' ? HUMAN_CLIENTS.test(request.headers['user-agent'] ?? '') : TRUE.test(pretty);
}

/** YAML is made from the same JSON. */
function jsonShape(resource: ApiResource, accepted: Accepted): JsonShape {
  const form: Accepted = { ...accepted, format: 'json', contentType: 'application/json' };
  return shapeIn(jsonShapes, resource, form, () => new JsonShape(resource, form));
}

function protobufShape(resource: ApiResource, accepted: Accepted): ProtobufShape {
  return shapeIn(protobufShapes, resource, accepted, () => new ProtobufShape(resource, accepted));
}

function shapeIn<S>(
  shapes: WeakMap<ApiResource, Map<string, S>>,
  resource: ApiResource,
  { transform, apiVersion }: Accepted,
  make: () => S,
): S {
  let known = shapes.get(resource);
  if (known === undefined) shapes.set(resource, (known = new Map()));
  const key = `${transform ?? ''} ${apiVersion}`;
  let shape = known.get(key);
  if (shape === undefined) known.set(key, (shape = make()));
  return shape;
}

function plainOf(accepted: Accepted): Accepted {
  return { ...accepted, transform: undefined, apiVersion: '' };
}

function includeObject({ info }: ResourceCall): IncludeObject {
  const include = info.query.get('includeObject') || 'Metadata';
  if (INCLUDE_OBJECT.includes(include)) return include as IncludeObject;
  const problem = `includeObject: Invalid value: ${JSON.stringify(include)}: must be 'Metadata', 'Object', 'None', or empty`;
  throw new StatusError(badRequest(`Unable to convert to Table as requested: ${problem}`));
}

/** Throws 406 for one object as a list, and for a list as one object. */
function checkListness({ transform }: Accepted, what: 'object' | 'list' | 'watch', resource: ApiResource): void {
  if (what === 'watch' || transform === undefined) return;
  const isList = what === 'list';
  if ((transform === 'PartialObjectMetadataList') === isList) return;
  const type = goType(resource, isList);
  const message = `you requested ${transform}, but the requested object is ${isList ? 'a list' : 'not a list'} (${type})`;
  throw new StatusError({ ...notAcceptable([]), message });
}

/** The name of the type of a resource's objects in kube-apiserver, which its message has. */
function goType({ group, kind, listKind, isCustom }: ApiResource, isList: boolean): string {
  if (isCustom) return isList ? '*unstructured.UnstructuredList' : '*unstructured.Unstructured';
  const packageName = group === '' || group === 'events.k8s.io' ? 'core' : group.split('.')[0];
  return `*${packageName}.${isList ? listKind : kind}`;
}

function mediaTypes(what: 'object' | 'list' | 'watch'): readonly string[] {
  return what === 'watch' ? [...servedMediaTypes, ...streamedMediaTypes] : servedMediaTypes;
}

/** 406 of the router, which compares media types before anything else is read. */
function notRepresentable(what: 'object' | 'list' | 'watch'): StatusError {
  const message = `406: Not Acceptable\n\nAvailable representations: ${mediaTypes(what).join(', ')}`;
  return new StatusError({ ...notAcceptable([]), message, details: {} } satisfies Status);
}
