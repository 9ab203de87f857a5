import { isDeepStrictEqual } from 'node:util';
import { fieldInvalid, fieldRequired } from '../../meta/field-cause.js';
import { valueAt } from '../../meta/json-paths.js';
import type { JsonObject } from '../../meta/json-values.js';
import type { StatusCause } from '../../meta/status.js';
import { metadataOf } from './object-meta.js';

/* What the server refuses of single kinds beyond what their schema says, as far as controllers run into it. */

function textAt(object: JsonObject, ...path: string[]): string {
  const value = valueAt(object, path);
  return typeof value === 'string' ? value : '';
}

/** An event of the core is kept where the object is that it is about. */
export function eventCauses(event: JsonObject): StatusCause[] {
  const namespace = metadataOf(event).namespace ?? '';
  const about = textAt(event, 'involvedObject', 'namespace');
  const mismatch = fieldInvalid('involvedObject.namespace', about, 'does not match event.namespace');
  if (textAt(event, 'eventTime') === '') {
    return about === namespace || (about === '' && namespace === 'default') ? [] : [mismatch];
  }
  const causes: StatusCause[] = [];
  if (about === '' && namespace !== 'default' && namespace !== 'kube-system') causes.push(mismatch);
  for (const field of ['reportingComponent', 'reportingInstance', 'action', 'reason']) {
    if (textAt(event, field) === '') causes.push(fieldRequired(field, ''));
  }
  return causes;
}

/** What an event of events.k8s.io can change after it was made: how often it happened, and nothing else. */
const IMMUTABLE_EVENT_FIELDS = [
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'type',
  'eventTime',
  'action',
  'related',
  'reportingComponent',
  'reportingInstance',
];

/** An event of events.k8s.io, given in the words of the core: it must say more, and say it once and for all. */
export function newerEventCauses(event: JsonObject, old: JsonObject | undefined): StatusCause[] {
  const causes = eventCauses(event);
  if (old !== undefined) {
    for (const field of IMMUTABLE_EVENT_FIELDS) {
      if (isDeepStrictEqual(event[field], old[field])) continue;
      causes.push(fieldInvalid(field, event[field] ?? null, 'field is immutable'));
    }
    return causes;
  }
  if (textAt(event, 'eventTime') === '') causes.push(fieldRequired('eventTime', ''));
  const type = textAt(event, 'type');
  if (type !== 'Normal' && type !== 'Warning') causes.push(fieldInvalid('type', '', `has invalid value: ${type}`));
  return causes;
}

/** The times of a lease cannot be nonsense, since elections are decided by them. */
export function leaseCauses(lease: JsonObject): StatusCause[] {
  const causes: StatusCause[] = [];
  const duration = valueAt(lease, ['spec', 'leaseDurationSeconds']);
  if (typeof duration === 'number' && duration <= 0) {
    causes.push(fieldInvalid('spec.leaseDurationSeconds', duration, 'must be greater than 0'));
  }
  const transitions = valueAt(lease, ['spec', 'leaseTransitions']);
  if (typeof transitions === 'number' && transitions < 0) {
    causes.push(fieldInvalid('spec.leaseTransitions', transitions, 'must be greater than or equal to 0'));
  }
  return causes;
}
