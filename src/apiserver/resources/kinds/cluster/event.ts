import { isDeepStrictEqual } from 'node:util';
import { fieldInvalid, fieldRequired } from '../../../../meta/errors/field-cause.js';
import type { StatusCause } from '../../../../meta/errors/status.js';
import { valueAt } from '../../../../meta/json-paths.js';
import type { JsonObject } from '../../../../meta/json-values.js';
import { completeEvent, eventConversion } from '../../conversions.js';
import { metadataOf } from '../../object-meta.js';
import { fields, notSupported, type Strategy, text } from '../../strategy.js';

/** The selectable fields of an object reference. */
const REFERENCE_FIELDS = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'] as const;

export const events: Partial<Strategy> = {
  canonicalize: completeEvent,
  causes: eventCauses,
  fields: {
    ...fields('reason', 'type'),
    ...fields(...REFERENCE_FIELDS.map((field) => `involvedObject.${field}`), 'reportingComponent'),
    source: (object) => text(valueAt(object, ['source', 'component'])) || text(object['reportingComponent']),
  },
  unknownField: notSupported,
  createOnUpdate: true,
  dependents: 'none',
};

/** The Events of events.k8s.io/v1. */
export const newerEvents: Partial<Strategy> = {
  statusGroup: '',
  causes: (event, old) => newerEventCauses(eventConversion.toStorage(event), old && eventConversion.toStorage(old)),
  fieldAliases: {
    reason: 'reason',
    type: 'type',
    reportingController: 'reportingComponent',
    ...Object.fromEntries(REFERENCE_FIELDS.map((field) => [`regarding.${field}`, `involvedObject.${field}`])),
  },
  unknownField: notSupported,
  createOnUpdate: true,
  dependents: 'none',
};

function textAt(object: JsonObject, ...path: string[]): string {
  const value = valueAt(object, path);
  return typeof value === 'string' ? value : '';
}

/** A core/v1 Event must be in the namespace of its involvedObject. */
function eventCauses(event: JsonObject): StatusCause[] {
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

/** The fields of an events.k8s.io/v1 Event that an update may not change: all but `series`. */
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

/** Causes for an events.k8s.io/v1 Event in its stored form: more fields are required, and most are immutable. */
function newerEventCauses(event: JsonObject, old: JsonObject | undefined): StatusCause[] {
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
