import { endOfString, PIECE, parseLarge } from '../../codec/json/large-json.js';
import { StatusError } from '../../meta/errors/errors.js';
import { fieldInvalid } from '../../meta/errors/field-cause.js';
import { badRequest, invalid, requestEntityTooLarge } from '../../meta/errors/status.js';
import { valueAt } from '../../meta/json-paths.js';
import { isJsonObject, type JsonObject, jsonTypeName } from '../../meta/json-values.js';
import { schemaOf } from '../../resources/schema.js';
import type { Steps } from '../../time/steps.js';
import { withoutNullsInSteps } from '../patch/merge-patch.js';
import { readCustom } from '../resources/custom/reading.js';
import type { ApiResource } from '../resources/registry.js';
import { readTyped, readTypedInSteps, TypeMismatch } from '../resources/typed-object.js';
import type { ApiRequest } from '../wire/exchange.js';
import { isJsonBody, unreadableBody } from '../wire/media-types.js';

/** Limits of request bodies. */
export interface BodyLimits {
  readonly maxBytes: number;
  readonly maxDepth: number;
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The text of a body; throws 413 if it is too large, 400 if it is no UTF-8. */
export function readText(request: ApiRequest, limits: BodyLimits): string {
  if (request.body.length > limits.maxBytes) {
    throw new StatusError(requestEntityTooLarge(`limit is ${limits.maxBytes}`));
  }
  try {
    return decoder.decode(request.body);
  } catch {
    throw new StatusError(badRequest('the body of the request is not valid UTF-8'));
  }
}

/** Parses JSON of limited depth; throws an Error with the message of Go's decoder. */
export function* parseJson(text: string, limits: BodyLimits): Steps<unknown> {
  if ((yield* depthOf(text)) > limits.maxDepth) throw new Error('exceeded max depth');
  try {
    return yield* parseLarge(text);
  } catch (error) {
    throw new Error(jsonProblem(text, error));
  }
}

/** The object of a create or update, of the resource's kind. Null fields are dropped, as by Go's types. */
export function* readObject(request: ApiRequest, resource: ApiResource, limits: BodyLimits): Steps<JsonObject> {
  const contentType = request.headers['content-type'];
  if (!isJsonBody(contentType)) throw new StatusError(unreadableBody(contentType));
  const text = readText(request, limits);
  let parsed: unknown;
  try {
    parsed = yield* parseJson(text, limits);
  } catch (error) {
    throw unrecognized(
      resource,
      `couldn't get version/kind; json parse error: ${(error as Error).message}`,
      excerpt(text),
    );
  }
  if (!isJsonObject(parsed)) {
    const target =
      'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
    const problem = `json: cannot unmarshal ${jsonTypeName(parsed)} into Go value of type ${target}`;
    throw unrecognized(
      resource,
      `couldn't get version/kind; json parse error: ${problem}`,
      Buffer.from(text.slice(0, 1024)).toString('hex'),
    );
  }
  checkType(parsed, resource, text);
  try {
    return yield* typed(parsed, resource, text.length);
  } catch (error) {
    if (!(error instanceof TypeMismatch)) throw error;
    const { kind, version } = resource;
    const said = `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}`;
    throw new StatusError(badRequest(`${said}: ${error.message}`), { cause: error });
  }
}

/**
 * Reads a document of about that size by the schema of its kind.
 *
 * @throws TypeMismatch
 */
export function* typed(object: JsonObject, resource: ApiResource, size: number): Steps<JsonObject> {
  if (resource.custom !== undefined) {
    yield* readCustom(object, resource.custom.schema);
    return object;
  }
  const schema = schemaOf(resource);
  if (schema === undefined) return (yield* withoutNullsInSteps(object)) as JsonObject;
  return size <= PIECE ? readTyped(object, schema) : yield* readTypedInSteps(object, schema);
}

function checkType(object: JsonObject, resource: ApiResource, text: string): void {
  const { kind, apiVersion, version } = resource;
  const givenKind = object['kind'] ?? '';
  const givenVersion = object['apiVersion'] ?? '';
  for (const [field, value] of Object.entries({ kind: givenKind, apiVersion: givenVersion })) {
    if (typeof value === 'string') continue;
    const problem = `json: cannot unmarshal ${jsonTypeName(value)} into Go struct field .${field} of type string`;
    throw unrecognized(resource, `couldn't get version/kind; json parse error: ${problem}`, excerpt(text));
  }
  if (String(givenVersion).split('/').length > 2) {
    const problem = `unexpected GroupVersion string: ${givenVersion}`;
    throw unrecognized(resource, problem, excerpt(text));
  }
  if (resource.isCustom) {
    const missing = givenKind === '' ? 'Kind' : givenVersion === '' ? 'apiVersion' : undefined;
    if (missing !== undefined)
      throw unrecognized(resource, `Object '${missing}' is missing in '${text}'`, excerpt(text));
  }
  if ((givenKind === '' || givenKind === kind) && (givenVersion === '' || givenVersion === apiVersion)) return;
  if (resource.isCustom && givenVersion === apiVersion) {
    const name = String(valueAt(object, ['metadata', 'name']) ?? '');
    throw new StatusError(invalid(resource, name, [fieldInvalid('kind', givenKind, `must be ${kind}`)]));
  }
  if (resource.isCustom && givenKind === kind) {
    const message = `the API version in the data (${givenVersion}) does not match the expected API version (${apiVersion})`;
    throw new StatusError(badRequest(message));
  }
  const shownVersion = givenVersion === '' ? version : String(givenVersion).split('/').at(-1);
  const problem = `no kind ${JSON.stringify(givenKind)} is registered for version ${JSON.stringify(givenVersion)}`;
  const said = `${givenKind || kind} in version ${JSON.stringify(shownVersion)} cannot be handled as a ${kind}`;
  throw new StatusError(badRequest(`${said}: ${problem}`));
}

function unrecognized(resource: ApiResource, problem: string, shown: string): StatusError {
  const message = `the object provided is unrecognized (must be of type ${resource.kind}): ${problem} (${shown})`;
  return new StatusError(badRequest(message));
}

function excerpt(text: string): string {
  if (text === '') return '<empty>';
  return text.length > 30 ? `${text.slice(0, 30)} ...` : text;
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

/** The depth of a JSON text, found without parsing: a parser could exhaust the stack on deep nesting. */
function* depthOf(text: string): Steps<number> {
  let depth = 0;
  let deepest = 0;
  let pause = PIECE;
  for (let at = 0; at < text.length; at++) {
    if (at > pause) {
      pause = at + PIECE;
      yield;
    }
    switch (text.charCodeAt(at)) {
      case 0x22: // "
        at = endOfString(text, at);
        if (at < 0) return deepest;
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
  return deepest;
}

/** The message of Go's decoder for a text that JSON.parse refused. */
function jsonProblem(text: string, error: unknown): string {
  const said = error instanceof Error ? error.message : String(error);
  if (text.trim() === '' || /unexpected end|unterminated string/i.test(said)) return 'unexpected end of JSON input';
  const position = Number(/at position (\d+)/.exec(said)?.[1] ?? Number.NaN);
  const character = Number.isNaN(position) ? undefined : text[position];
  if (character === undefined) return `invalid character in JSON: ${said}`;
  return `invalid character '${character}' ${position === 0 ? 'looking for beginning of value' : 'in JSON text'}`;
}
