/** The form of an object that the `as` parameter of an Accept header asks for. */
export type Transform = 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList' | 'APIGroupDiscoveryList';

/** The negotiated representation. */
export interface Accepted {
  readonly format: 'json' | 'yaml' | 'protobuf';
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
/** The media type of protobuf. */
const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf';

/** The media types of bodies in both directions, for the Status of a 406 or 415. */
export const servedMediaTypes: readonly string[] = [JSON_TYPE, YAML_TYPE, PROTOBUF_TYPE];

/** The media types of watches, for the Status of a 406. */
export const streamedMediaTypes: readonly string[] = [`${JSON_TYPE};stream=watch`, `${PROTOBUF_TYPE};stream=watch`];

const PLAIN: Accepted = { format: 'json', transform: undefined, apiVersion: '', contentType: JSON_TYPE };
const PLAIN_YAML: Accepted = { ...PLAIN, format: 'yaml', contentType: YAML_TYPE };
const PLAIN_PROTOBUF: Accepted = { ...PLAIN, format: 'protobuf', contentType: PROTOBUF_TYPE };
const META_VERSIONS: readonly string[] = ['v1', 'v1beta1'];

/**
 * Picks the first clause of an Accept header, by quality and then by order, that this server supports. Other types and
 * transforms that are not in `transforms` are skipped. Undefined: the answer is 406 with {@link servedMediaTypes}.
 *
 * @param isCustom whether the answer has custom resources, which protobuf can represent only if they are transformed
 * @param hasYaml whether the answer can be YAML: watches and discovery cannot
 */
export function negotiate(
  accept: string | undefined,
  transforms: readonly Transform[],
  isCustom = false,
  hasYaml = true,
): Accepted | undefined {
  if (accept === undefined || accept === '') return PLAIN;
  for (const clause of parseAccept(accept)) {
    if (clause.type === YAML_TYPE && !hasYaml) continue;
    const accepted = acceptClause(clause, transforms, isCustom);
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

/** The first of some media types that an Accept header names, by quality and order of its clauses; undefined if it names none. */
export function preferredType(accept: string | undefined, types: readonly string[]): string | undefined {
  for (const { type } of parseAccept(accept || '*/*')) {
    const found = types.find((candidate) => type === candidate || type === '*/*' || type === 'application/*');
    if (found !== undefined) return found;
  }
  return undefined;
}

/** As {@link negotiate}, for `/api` and `/apis`: a client that accepts the aggregated document gets it, whatever its quality. */
export function negotiateDiscovery(accept: string | undefined): Accepted | undefined {
  for (const clause of parseAccept(accept ?? '')) {
    const accepted = acceptClause(clause, ['APIGroupDiscoveryList'], false);
    if (accepted?.transform !== undefined) return accepted;
  }
  return negotiate(accept, [], false, false);
}

function acceptClause(clause: AcceptClause, transforms: readonly Transform[], isCustom: boolean): Accepted | undefined {
  const isProtobuf = clause.type === PROTOBUF_TYPE;
  const isYaml = clause.type === YAML_TYPE;
  if (!isProtobuf && !isYaml && ![JSON_TYPE, 'application/*', '*/*'].includes(clause.type)) return undefined;
  const plain = isProtobuf ? PLAIN_PROTOBUF : isYaml ? PLAIN_YAML : PLAIN;
  const stream = clause.parameters.get('stream');
  if (stream !== undefined && stream !== '' && stream !== 'watch') return undefined;
  const kind = clause.parameters.get('as');
  const group = clause.parameters.get('g');
  const version = clause.parameters.get('v');
  if (kind === undefined && group === undefined && version === undefined) {
    return isProtobuf && isCustom ? undefined : plain;
  }
  const transform = transforms.find((candidate) => candidate === kind);
  if (transform === undefined || version === undefined) return undefined;
  const isDiscovery = transform === 'APIGroupDiscoveryList';
  if ((isProtobuf && transform === 'Table') || (isDiscovery && plain !== PLAIN)) return undefined;
  if (group !== (isDiscovery ? 'apidiscovery.k8s.io' : 'meta.k8s.io')) return undefined;
  if (!(isDiscovery ? version === 'v2' : META_VERSIONS.includes(version))) return undefined;
  return {
    format: plain.format,
    transform,
    apiVersion: `${group}/${version}`,
    // Discovery clients read these parameters to tell the two documents apart.
    contentType: isDiscovery ? `${JSON_TYPE};g=${group};v=${version};as=${transform}` : plain.contentType,
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
export type BodyFormat = 'json' | 'yaml' | 'protobuf';

const BODY_FORMATS: ReadonlyMap<string, BodyFormat> = new Map([
  [JSON_TYPE, 'json'],
  [YAML_TYPE, 'yaml'],
  [PROTOBUF_TYPE, 'protobuf'],
]);

/** The format of the body of a create, update or delete: JSON without a Content-Type. Undefined: the answer is 415. */
export function bodyFormat(contentType: string | undefined): BodyFormat | undefined {
  if (contentType === undefined || contentType === '') return 'json';
  return BODY_FORMATS.get(mediaType(contentType).toLowerCase());
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
