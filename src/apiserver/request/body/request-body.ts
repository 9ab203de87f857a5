import { endOfString, PIECE, parseLarge } from '../../../codec/json/large-json.js';
import { yamlToJson } from '../../../codec/yaml/yaml-to-json.js';
import { StatusError } from '../../../meta/errors/errors.js';
import { badRequest, requestEntityTooLarge, unsupportedMediaType } from '../../../meta/errors/status.js';
import { isJsonObject, type JsonObject, jsonTypeName } from '../../../meta/json-values.js';
import { type Schema, schemaOf } from '../../../resources/schema.js';
import type { Clock } from '../../../time/clock.js';
import { promptlyInSlices, type Steps } from '../../../time/steps.js';
import type { ApiResource } from '../../resources/registry.js';
import { TypeMismatch } from '../../resources/typed-object.js';
import { typed, unregistered } from '../../resources/typed-resource.js';
import type { ApiRequest } from '../../wire/exchange.js';
import { jsonSyntaxError } from '../../wire/json-syntax-error.js';
import { bodyFormat, servedMediaTypes } from '../../wire/media-types.js';
import type { Warnings } from '../warnings.js';
import { parseWithDuplicates } from './duplicate-fields.js';
import { FieldFaults, type FieldValidation, refusedBody } from './field-faults.js';
import { readProtobuf } from './protobuf-body.js';
import { findUnknownFields } from './unknown-fields.js';

/** Limits of request bodies. */
export interface BodyLimits {
  readonly maxBytes: number;
  readonly maxDepth: number;
}

/** What a body is read from and with. */
export interface BodySource {
  readonly request: ApiRequest;
  readonly context: { readonly limits: BodyLimits; readonly clock: Clock };
  readonly warnings: Warnings;
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The text of a body; throws 413 if it is too large, 400 if it is no UTF-8. */
export function readText(request: ApiRequest, limits: BodyLimits): string {
  checkSize(request, limits);
  try {
    return decoder.decode(request.body);
  } catch {
    throw new StatusError(badRequest('the body of the request is not valid UTF-8'));
  }
}

function checkSize(request: ApiRequest, limits: BodyLimits): void {
  if (request.body.length <= limits.maxBytes) return;
  throw new StatusError(requestEntityTooLarge(`limit is ${limits.maxBytes}`));
}

/** Parses JSON of limited depth; throws an Error with the message of Go's decoder. */
export function* parseJson(text: string, limits: BodyLimits): Steps<unknown> {
  return yield* parseText(text, limits, yield* measure(text));
}

function* parseText(text: string, { maxDepth }: BodyLimits, { depth }: Measures): Steps<unknown> {
  if (depth > maxDepth) throw new Error('exceeded max depth');
  try {
    return yield* parseLarge(text);
  } catch {
    throw new Error(yield* jsonSyntaxError(text));
  }
}

/**
 * Parses JSON like {@link parseJson}, and adds its duplicate fields to `faults`, with those that `schema` does not have.
 *
 * @param schema undefined for a document without a type
 */
export function* parseStrictly(
  text: string,
  limits: BodyLimits,
  schema: Schema | undefined,
  faults: FieldFaults,
): Steps<unknown> {
  const measures = yield* measure(text);
  const parsed = yield* parseText(text, limits, measures);
  const unknown = new FieldFaults();
  const members = yield* findUnknownFields(parsed, schema, unknown);
  if (members !== measures.members) return yield* parseWithDuplicates(text, schema, faults);
  faults.addAll(unknown);
  return parsed;
}

/** The text of a body as JSON, whatever its format. */
export interface JsonBody {
  readonly json: string;
  /** What the sender wrote. */
  readonly sent: string | Uint8Array;
  /** The duplicate keys of a YAML text. */
  readonly duplicates: readonly string[];
}

/**
 * Reads the body of a create, update or delete; throws 415 for a format that is not served.
 *
 * @param isCustom whether it is a custom resource, which protobuf cannot represent
 */
export async function readBody(
  { request, context }: BodySource,
  refuse: (problem: string, sent: string | Uint8Array) => StatusError,
  isCustom = false,
): Promise<JsonBody> {
  const format = bodyFormat(request.headers['content-type']);
  if (format === undefined || (format === 'protobuf' && isCustom)) {
    throw new StatusError(unsupportedMediaType(servedMediaTypes));
  }
  if (format === 'protobuf') {
    checkSize(request, context.limits);
    try {
      return { json: JSON.stringify(readProtobuf(request.body)), sent: request.body, duplicates: [] };
    } catch (error) {
      throw refuse((error as Error).message, request.body);
    }
  }
  const sent = readText(request, context.limits);
  if (format === 'json') return { json: sent, sent, duplicates: [] };
  try {
    return { sent, ...(await yamlToJson(sent)) };
  } catch (error) {
    throw refuse((error as Error).message, sent);
  }
}

/**
 * The object of a create or update, of a kind. Null fields are dropped, as by Go's types. Unknown and duplicate fields are
 * refused or warned of, as `validation` says.
 */
export async function readObject(
  source: BodySource,
  kind: ApiResource,
  validation: FieldValidation,
): Promise<JsonObject> {
  const body = await readBody(source, (problem, sent) => unrecognized(kind, problem, sent), kind.isCustom);
  return promptlyInSlices(source.context.clock, 'request', decodeObject(source, body, kind, validation));
}

function* decodeObject(
  { context, warnings }: BodySource,
  { json, sent, duplicates }: JsonBody,
  kind: ApiResource,
  validation: FieldValidation,
): Steps<JsonObject> {
  const faults = new FieldFaults();
  faults.addYaml(duplicates);
  const schema = kind.isCustom ? undefined : schemaOf(kind);
  let parsed: unknown;
  try {
    // Of a duplicate field both values may count, so that they are looked for even if they are not told.
    parsed = yield* parseStrictly(json, context.limits, schema, faults);
  } catch (error) {
    throw unrecognized(kind, `couldn't get version/kind; json parse error: ${(error as Error).message}`, sent);
  }
  parsed ??= {};
  if (!isJsonObject(parsed)) {
    throw unrecognized(kind, `couldn't get version/kind; json parse error: ${notAnObject(parsed)}`, sent);
  }
  checkType(parsed, kind, sent);
  let object: JsonObject;
  try {
    object = yield* typed(parsed, kind, json.length, validation === 'Ignore' ? undefined : faults);
  } catch (error) {
    if (!(error instanceof TypeMismatch)) throw error;
    throw new StatusError(refusedBody(kind.kind, kind.version)(error.message), { cause: error });
  }
  faults.settle(validation, warnings, refusedBody(kind.kind, kind.version));
  return object;
}

/** What Go says of a document that is no object. */
export function notAnObject(parsed: unknown): string {
  const target =
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
  return `json: cannot unmarshal ${jsonTypeName(parsed)} into Go value of type ${target}`;
}

/** What Go says of a kind or apiVersion that is no text; undefined if both are. */
export function notATypeName(object: JsonObject): string | undefined {
  const field = ['apiVersion', 'kind'].find((name) => typeof (object[name] ?? '') !== 'string');
  if (field === undefined) return undefined;
  return `json: cannot unmarshal ${jsonTypeName(object[field])} into Go struct field .${field} of type string`;
}

function checkType(object: JsonObject, resource: ApiResource, text: string | Uint8Array): void {
  const { kind, apiVersion, version } = resource;
  const givenKind = object['kind'] ?? '';
  const givenVersion = object['apiVersion'] ?? '';
  const problem = notATypeName(object);
  if (problem !== undefined) {
    throw unrecognized(resource, `couldn't get version/kind; json parse error: ${problem}`, text);
  }
  if (String(givenVersion).split('/').length > 2) {
    throw unrecognized(resource, `unexpected GroupVersion string: ${givenVersion}`, text);
  }
  if (resource.isCustom) {
    if (givenKind === '') throw unrecognized(resource, `Object 'Kind' is missing in '${text}'`, text);
    // The writer refuses another kind.
    if (givenVersion === apiVersion) return;
    if (object['apiVersion'] === null) {
      const wrong = '.apiVersion accessor error: <nil> is of the type <nil>, expected string';
      throw new StatusError(refusedBody(kind, '')(wrong));
    }
    const message = `the API version in the data (${givenVersion}) does not match the expected API version (${apiVersion})`;
    throw new StatusError(badRequest(message));
  }
  if ((givenKind === '' || givenKind === kind) && (givenVersion === '' || givenVersion === apiVersion)) return;
  const shownVersion = givenVersion === '' ? version : String(givenVersion).split('/').at(-1);
  const unknown =
    conversionProblem(String(givenKind || kind), String(givenVersion || apiVersion), resource) ??
    unregistered(String(givenKind), String(givenVersion));
  const said = `${givenKind || kind} in version ${JSON.stringify(shownVersion)} cannot be handled as a ${kind}`;
  throw new StatusError(badRequest(`${said}: ${unknown}`));
}

/** What kube-apiserver says of an object of another built-in kind; undefined if there is no such kind. */
function conversionProblem(kind: string, apiVersion: string, resource: ApiResource): string | undefined {
  const slash = apiVersion.indexOf('/');
  const version = apiVersion.slice(slash + 1);
  if (schemaOf({ group: apiVersion.slice(0, Math.max(slash, 0)), version, kind }) === undefined) return undefined;
  const group = resource.group === '' ? 'core' : resource.group.split('.')[0];
  return `converting (${version}.${kind}) to (${group}.${resource.kind}): unknown conversion`;
}

function unrecognized(resource: ApiResource, problem: string, text: string | Uint8Array): StatusError {
  const message = `the object provided is unrecognized (must be of type ${resource.kind}): ${problem} (${excerpt(text)})`;
  return new StatusError(badRequest(message));
}

const EXCERPT_BYTES = 30;

/** The beginning of a text: as hexadecimal digits, unless it looks like JSON. */
function excerpt(text: string | Uint8Array): string {
  if (text.length === 0) return '<empty>';
  const bytes = Buffer.from(text.slice(0, EXCERPT_BYTES + 1) as string);
  const shown = bytes.subarray(0, EXCERPT_BYTES).toString(bytes[0] === 0x7b ? 'utf8' : 'hex');
  return bytes.length > EXCERPT_BYTES ? `${shown} ...` : shown;
}

/** Whether a value nests too deep. A patch can make such an object of two that do not. */
export function isTooDeep(value: unknown, { maxDepth }: BodyLimits): boolean {
  let level: object[] = typeof value === 'object' && value !== null ? [value] : [];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= maxDepth) return true;
    const next: object[] = [];
    for (const container of level) {
      for (const item of Array.isArray(container) ? container : Object.values(container)) {
        if (typeof item === 'object' && item !== null) next.push(item);
      }
    }
    level = next;
  }
  return false;
}

/** What a look at a JSON text tells of it, without parsing: a parser could exhaust the stack on deep nesting. */
interface Measures {
  readonly depth: number;
  /** How many members all objects have, with duplicates. */
  readonly members: number;
}

function* measure(text: string): Steps<Measures> {
  let depth = 0;
  let deepest = 0;
  let members = 0;
  let pause = PIECE;
  for (let at = 0; at < text.length; at++) {
    if (at > pause) {
      pause = at + PIECE;
      yield;
    }
    switch (text.charCodeAt(at)) {
      case 0x22: // "
        at = endOfString(text, at);
        if (at < 0) return { depth: deepest, members };
        break;
      case 0x3a: // :
        members++;
        break;
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > deepest) deepest = depth;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
        break;
    }
  }
  return { depth: deepest, members };
}
