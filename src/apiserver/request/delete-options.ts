import { StatusError } from '../../meta/errors/errors.js';
import { fieldInvalid, fieldNotSupported } from '../../meta/errors/field-cause.js';
import { badRequest, invalid, type StatusCause } from '../../meta/errors/status.js';
import { getField, isJsonObject, type JsonObject, jsonTypeName } from '../../meta/json-values.js';
import type { Steps } from '../../time/steps.js';
import type { Deletion } from '../resources/object-writer.js';
import type { ApiRequest } from '../wire/exchange.js';
import { isJsonBody, unreadableBody } from '../wire/media-types.js';
import { type BodyLimits, parseJson, readText } from './request-body.js';
import { dryRunCauses, integerParameter, isInt64 } from './request-options.js';

const POLICIES: readonly string[] = ['Foreground', 'Background', 'Orphan'];

/** Reads DeleteOptions from the body or, without a body, from the query. */
export function* readDeleteOptions(request: ApiRequest, query: URLSearchParams, limits: BodyLimits): Steps<Deletion> {
  const given = request.body.length === 0 ? fromQuery(query) : yield* fromBody(request, limits);
  const preconditions = getField(given, 'preconditions');
  const options = {
    gracePeriodSeconds: typedField(given, 'gracePeriodSeconds', 'number') as number | undefined,
    orphanDependents: typedField(given, 'orphanDependents', 'boolean') as boolean | undefined,
    propagationPolicy: typedField(given, 'propagationPolicy', 'string') as string | undefined,
    preconditions: isJsonObject(preconditions)
      ? {
          uid: typedField(preconditions, 'uid', 'string') as string | undefined,
          resourceVersion: typedField(preconditions, 'resourceVersion', 'string') as string | undefined,
        }
      : {},
  };
  const dryRun = getField(given, 'dryRun') ?? [];
  const causes: StatusCause[] = [];
  if (options.propagationPolicy !== undefined) {
    if (options.orphanDependents !== undefined) {
      const both = 'orphanDependents and deletionPropagation cannot be both set';
      causes.push(fieldInvalid('propagationPolicy', options.propagationPolicy, both));
    }
    if (!POLICIES.includes(options.propagationPolicy)) {
      causes.push(fieldNotSupported('propagationPolicy', options.propagationPolicy, [...POLICIES, 'nil']));
    }
  }
  causes.push(...dryRunCauses(Array.isArray(dryRun) ? dryRun.map(String) : [String(dryRun)]));
  if (causes.length > 0) {
    throw new StatusError(invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', causes));
  }
  return { ...options, dryRun: Array.isArray(dryRun) && dryRun.length > 0 } as Deletion;
}

function fromQuery(query: URLSearchParams): JsonObject {
  const given: JsonObject = {};
  const grace = integerParameter(query, 'gracePeriodSeconds');
  if (grace !== undefined) given['gracePeriodSeconds'] = grace;
  if (query.has('orphanDependents')) given['orphanDependents'] = /^(true|1|t)$/i.test(query.get('orphanDependents')!);
  if (query.get('propagationPolicy')) given['propagationPolicy'] = query.get('propagationPolicy');
  if (query.has('dryRun')) given['dryRun'] = query.getAll('dryRun');
  return given;
}

function* fromBody(request: ApiRequest, limits: BodyLimits): Steps<JsonObject> {
  const contentType = request.headers['content-type'];
  if (!isJsonBody(contentType)) throw new StatusError(unreadableBody(contentType));
  let body: unknown;
  const text = readText(request, limits);
  try {
    body = yield* parseJson(text, limits);
  } catch (error) {
    const problem = `couldn't get version/kind; json parse error: ${(error as Error).message}`;
    throw new StatusError(badRequest(problem));
  }
  if (!isJsonObject(body)) {
    throw new StatusError(
      badRequest(`json: cannot unmarshal ${jsonTypeName(body)} into Go value of type v1.DeleteOptions`),
    );
  }
  const kind = getField(body, 'kind');
  if (kind !== undefined && kind !== 'DeleteOptions') {
    throw new StatusError(badRequest('decoded object cannot be converted to DeleteOptions'));
  }
  return body;
}

function typedField(object: JsonObject, name: string, type: 'string' | 'number' | 'boolean'): unknown {
  const value = getField(object, name) ?? undefined;
  if (value === undefined || (typeof value === type && (type !== 'number' || isInt64(value as number)))) return value;
  const wanted = { string: 'string', number: 'int64', boolean: 'bool' }[type];
  const found = typeof value === 'number' && type === 'number' ? `number ${value}` : jsonTypeName(value);
  const problem = `cannot unmarshal ${found} into Go struct field DeleteOptions.${name} of type ${wanted}`;
  throw new StatusError(badRequest(`json: ${problem}`));
}
