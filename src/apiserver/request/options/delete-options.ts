import { StatusError } from '../../../meta/errors/errors.js';
import { fieldInvalid, fieldNotSupported } from '../../../meta/errors/field-cause.js';
import { badRequest, invalid, type StatusCause } from '../../../meta/errors/status.js';
import { isJsonObject, type JsonObject } from '../../../meta/json-values.js';
import { typeSchema } from '../../../resources/schema.js';
import { promptlyInSlices, type Steps } from '../../../time/steps.js';
import { readTyped, TypeMismatch } from '../../resources/typed-object.js';
import { unregistered } from '../../resources/typed-resource.js';
import type { Deletion } from '../../resources/write/object-writer.js';
import { queryFlag } from '../../wire/request-info.js';
import {
  type BodyLimits,
  type BodySource,
  notAnObject,
  notATypeName,
  parseJson,
  readBody,
} from '../body/request-body.js';
import { dryRunCauses, integerParameter } from './request-options.js';

const POLICIES: readonly string[] = ['Foreground', 'Background', 'Orphan'];

/** DeleteOptions as they are sent, with the types that they have in Go. */
interface SentOptions {
  readonly gracePeriodSeconds?: number;
  readonly orphanDependents?: boolean;
  readonly propagationPolicy?: string;
  readonly preconditions?: Deletion['preconditions'];
  readonly dryRun?: readonly string[];
}

/** Reads DeleteOptions from the body or, without a body, from the query. */
export async function readDeleteOptions(source: BodySource, query: URLSearchParams): Promise<Deletion> {
  if (source.request.body.length === 0) return checkDeleteOptions(fromQuery(query));
  const { json } = await readBody(source, (problem) => new StatusError(badRequest(problem)));
  const { clock, limits } = source.context;
  return checkDeleteOptions(await promptlyInSlices(clock, 'request', fromBody(json, limits)));
}

/** DeleteOptions that are part of another document. */
export function typedDeleteOptions(given: JsonObject): Deletion {
  return checkDeleteOptions(typedOptions(given));
}

function checkDeleteOptions(given: SentOptions): Deletion {
  const { dryRun = [], propagationPolicy, preconditions = {} } = given;
  const causes: StatusCause[] = [];
  if (propagationPolicy !== undefined) {
    if (given.orphanDependents !== undefined) {
      const both = 'orphanDependents and deletionPropagation cannot be both set';
      causes.push(fieldInvalid('propagationPolicy', propagationPolicy, both));
    }
    if (!POLICIES.includes(propagationPolicy)) {
      causes.push(fieldNotSupported('propagationPolicy', propagationPolicy, [...POLICIES, 'nil']));
    }
  }
  causes.push(...dryRunCauses(dryRun));
  if (causes.length > 0) {
    throw new StatusError(invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', causes));
  }
  return { ...given, preconditions, dryRun: dryRun.length > 0 } as Deletion;
}

function fromQuery(query: URLSearchParams): SentOptions {
  const grace = integerParameter(query, 'gracePeriodSeconds');
  const policy = query.get('propagationPolicy');
  const uid = query.get('uid') ?? '';
  const resourceVersion = query.get('resourceVersion') ?? '';
  return {
    preconditions: { ...(uid === '' ? {} : { uid }), ...(resourceVersion === '' ? {} : { resourceVersion }) },
    ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
    ...(query.has('orphanDependents') ? { orphanDependents: queryFlag(query, 'orphanDependents') } : {}),
    ...(policy === null ? {} : { propagationPolicy: policy }),
    dryRun: query.getAll('dryRun'),
  };
}

function* fromBody(json: string, limits: BodyLimits): Steps<SentOptions> {
  const unreadable = (problem: string): StatusError =>
    new StatusError(badRequest(`couldn't get version/kind; json parse error: ${problem}`));
  let body: unknown;
  try {
    body = (yield* parseJson(json, limits)) ?? {};
  } catch (error) {
    throw unreadable((error as Error).message);
  }
  if (!isJsonObject(body)) throw unreadable(notAnObject(body));
  const problem = notATypeName(body);
  if (problem !== undefined) throw unreadable(problem);
  const kind = body['kind'] ?? '';
  if (kind !== '' && kind !== 'DeleteOptions') {
    const version = body['apiVersion'] || 'meta.k8s.io/v1';
    throw new StatusError(badRequest(unregistered(String(kind), String(version))));
  }
  return typedOptions(body);
}

function typedOptions(given: JsonObject): SentOptions {
  try {
    return readTyped(given, typeSchema('meta/v1.DeleteOptions')!) as SentOptions;
  } catch (error) {
    if (error instanceof TypeMismatch) throw new StatusError(badRequest(error.message), { cause: error });
    throw error;
  }
}
