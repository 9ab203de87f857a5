import { type Status, unsupportedMediaType } from '../../meta/errors/status.js';

/** The form of an object that the `as` parameter of an Accept header asks for. */
export type Transform = 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList' | 'APIGroupDiscoveryList';

/** The negotiated representation. It is always JSON. */
export interface Accepted {
  /** Undefined: the object as it is. */
  readonly transform: Transform | undefined;
  /** The apiVersion of the transformed object; empty without a transform. */
  readonly apiVersion: string;
  /** The Content-Type of the answer. */
  readonly contentType: string;
}

interface AcceptClause {
  readonly type: string;
  readonly quality: number;
  readonly parameters: ReadonlyMap<string, string>;
}

const JSON_TYPE = 'application/json';
const YAML_TYPE = 'application/yaml';
const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf';

/** The media types of bodies in both directions, for the Status of a 406 or 415. */
export const servedMediaTypes: readonly string[] = [JSON_TYPE, YAML_TYPE, PROTOBUF_TYPE];

/** The media types of watches, for the Status of a 406. */
export const streamedMediaTypes: readonly string[] = [`${JSON_TYPE};stream=watch`];

const PLAIN: Accepted = { transform: undefined, apiVersion: '', contentType: JSON_TYPE };
const META_VERSIONS: readonly string[] = ['v1', 'v1beta1'];

/**
 * Picks the first clause of an Accept header, by quality and then by order, that this server supports. Other types (protobuf
 * is usually the first) and transforms that are not in `transforms` are skipped. Undefined: the answer is 406 with
 * {@link servedMediaTypes}.
 */
export function negotiate(accept: string | undefined, transforms: readonly Transform[]): Accepted | undefined {
  if (accept === undefined || accept === '') return PLAIN;
  for (const clause of parseAccept(accept)) {
    const accepted = acceptClause(clause, transforms);
    if (accepted !== undefined) return accepted;
  }
  return undefined;
}

/**
 * Whether an Accept header names one of the media types, or any. Parameters do not count, and a range as `application/*` is
 * none: kube-apiserver's router compares the types by their text.
 */
export function namesMediaType(accept: string | undefined, types: readonly string[]): boolean {
  if (accept === undefined || accept === '') return true;
  return accept.split(',').some((clause) => {
    const type = mediaType(clause);
    return type === '*/*' || types.includes(type);
  });
}

/** As {@link negotiate}, for `/api` and `/apis`: a client that accepts the aggregated document gets it, whatever its quality. */
export function negotiateDiscovery(accept: string | undefined): Accepted | undefined {
  for (const clause of parseAccept(accept ?? '')) {
    const accepted = acceptClause(clause, ['APIGroupDiscoveryList']);
    if (accepted?.transform !== undefined) return accepted;
  }
  return negotiate(accept, []);
}

function acceptClause(clause: AcceptClause, transforms: readonly Transform[]): Accepted | undefined {
  if (clause.type !== JSON_TYPE && clause.type !== 'application/*' && clause.type !== '*/*') return undefined;
  const stream = clause.parameters.get('stream');
  if (stream !== undefined && stream !== '' && stream !== 'watch') return undefined;
  const kind = clause.parameters.get('as');
  const group = clause.parameters.get('g');
  const version = clause.parameters.get('v');
  if (kind === undefined && group === undefined && version === undefined) return PLAIN;
  const transform = transforms.find((candidate) => candidate === kind);
  if (transform === undefined || version === undefined) return undefined;
  const isDiscovery = transform === 'APIGroupDiscoveryList';
  if (group !== (isDiscovery ? 'apidiscovery.k8s.io' : 'meta.k8s.io')) return undefined;
  if (!(isDiscovery ? version === 'v2' : META_VERSIONS.includes(version))) return undefined;
  return {
    transform,
    apiVersion: `${group}/${version}`,
    // Discovery clients read these parameters to tell the two documents apart.
    contentType: isDiscovery ? `${JSON_TYPE};g=${group};v=${version};as=${transform}` : JSON_TYPE,
  };
}

function parseAccept(header: string): AcceptClause[] {
  const clauses: AcceptClause[] = [];
  for (const part of header.split(',')) {
    const [type = '', ...rest] = part.split(';');
    let quality = 1;
    const parameters = new Map<string, string>();
    for (const parameter of rest) {
      const [name = '', value, ...more] = parameter.split('=');
      if (value === undefined || more.length > 0) continue;
      if (name.trim() === 'q') quality = Number.parseFloat(value) || 0;
      else parameters.set(name.trim(), value.trim());
    }
    const trimmed = type.trim();
    clauses.push({ type: trimmed === '*' ? '*/*' : trimmed, quality, parameters });
  }
  // The sort is stable: clauses of equal quality keep their order.
  return clauses.sort((a, b) => b.quality - a.quality || wildcards(a.type) - wildcards(b.type));
}

function wildcards(type: string): number {
  return type.split('*').length;
}

/** The formats of bodies. */
export type BodyFormat = 'json' | 'yaml';

/** The format of the body of a create, update or delete: JSON without a Content-Type. Undefined: the answer is 415. */
export function bodyFormat(contentType: string | undefined): BodyFormat | undefined {
  if (contentType === undefined || contentType === '') return 'json';
  const type = mediaType(contentType).toLowerCase();
  return type === JSON_TYPE ? 'json' : type === YAML_TYPE ? 'yaml' : undefined;
}

/** The Status for the body of a create, update or delete that is no JSON. */
export function unreadableBody(contentType: string | undefined): Status {
  const status = unsupportedMediaType(servedMediaTypes);
  if (mediaType(contentType ?? '').toLowerCase() !== PROTOBUF_TYPE) return status;
  // New versions of kubectl send the objects that they generate as protobuf only.
  const advice =
    'send JSON instead; kubectl does with `create --validate=false -f`, and its other creations can be piped there by `--dry-run=client -o yaml`';
  return { ...status, message: `${status.message}; protobuf is not read here: ${advice}` };
}

/** The formats of a patch and their media types. */
export type PatchFormat = 'json' | 'merge' | 'strategic' | 'apply';

const PATCH_TYPES: Readonly<Record<PatchFormat, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

/** The format of a patch, one of `allowed`. Undefined: the answer is 415 with {@link patchMediaTypes}. */
export function patchFormat(contentType: string | undefined, allowed: readonly PatchFormat[]): PatchFormat | undefined {
  const type = mediaType(contentType ?? '');
  return allowed.find((format) => PATCH_TYPES[format] === type);
}

/** The media types of some patch formats, for the Status of a 415. */
export function patchMediaTypes(allowed: readonly PatchFormat[]): string[] {
  return allowed.map((format) => PATCH_TYPES[format]);
}

function mediaType(contentType: string): string {
  const semicolon = contentType.indexOf(';');
  return (semicolon < 0 ? contentType : contentType.slice(0, semicolon)).trim();
}
