import type { DeepReadonly } from '../objects.js';
import type { Status, StatusCause, StatusDetails } from './status.js';

/* Servers and proxies send Statuses whose fields have other types than Kubernetes declares. */

type Types<T> = Readonly<Partial<Record<keyof T, 'string' | 'number'>>>;

const statusTypes: Types<Status> = { status: 'string', message: 'string', reason: 'string', code: 'number' };
const detailTypes: Types<StatusDetails> = {
  name: 'string',
  group: 'string',
  kind: 'string',
  uid: 'string',
  retryAfterSeconds: 'number',
};
const causeTypes: Types<StatusCause> = { reason: 'string', message: 'string', field: 'string' };

/** A Status without the fields that have the wrong type; the same object if there are none. */
export function typedStatus(document: DeepReadonly<Status>): DeepReadonly<Status> {
  const status = typedFields(document, statusTypes);
  const { details: given } = document;
  if (given === undefined) return status;
  const { details: _, ...others } = status;
  if (!isObject(given)) return others;
  const details = typedDetails(given);
  return details === given ? status : { ...others, details };
}

function typedDetails(given: DeepReadonly<StatusDetails>): DeepReadonly<StatusDetails> {
  const details = typedFields(given, detailTypes);
  const { causes } = given;
  if (causes === undefined) return details;
  const typed = Array.isArray(causes) ? causes.filter(isObject).map((cause) => typedFields(cause, causeTypes)) : [];
  const isSame =
    Array.isArray(causes) && causes.length === typed.length && causes.every((one, at) => one === typed[at]);
  return isSame ? details : { ...details, causes: typed };
}

function typedFields<T extends object>(object: T, types: Types<T>): T {
  let typed = object;
  for (const name of Object.keys(types) as (keyof T)[]) {
    const value = object[name];
    // A number such as 1e400 is infinite.
    if (value === undefined || (typeof value === types[name] && value !== Number.POSITIVE_INFINITY)) continue;
    if (typed === object) typed = { ...object };
    delete typed[name];
  }
  return typed;
}

function isObject<T>(value: T): value is T & object {
  return typeof value === 'object' && value !== null;
}
