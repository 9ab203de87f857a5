// Describes an informer event in a few words: the state of the object, and the changed fields.
import { isDeepStrictEqual } from 'node:util';

const changesShown = 2;
const ignored = new Set(['resourceVersion', 'managedFields', 'generation', 'deletionGracePeriodSeconds']);

/** `Running 1/1  status.phase Pending → Running` */
export function storyOf({ type, old, object }) {
  const changes = type === 'update' ? [...changesBetween(old, object)] : [];
  if (changes.length > changesShown) changes.splice(changesShown, changes.length, '…');
  const story = [summaryOf(object), changes.join(', ')].filter((part) => part !== '').join('  ');
  // Field values may contain control sequences that a terminal would obey.
  return story.replace(/[\p{Cc}\p{Bidi_Control}]+/gu, ' ');
}

/** The state of an object of the kinds that the demo follows. */
function summaryOf({ kind, metadata, spec, status, ...rest }) {
  if (kind === 'Event') return `${rest.type} ${rest.reason} ${rest.involvedObject?.name}: ${rest.message}`;
  const ending = metadata.deletionTimestamp === undefined ? [] : ['Terminating'];
  if (spec?.replicas !== undefined)
    return [...ending, `${status?.readyReplicas ?? 0}/${spec.replicas} ready`].join(' ');
  if (kind !== 'Pod') return ending.join('');
  const containers = status?.containerStatuses ?? [];
  const ready = containers.length > 0 ? ` ${containers.filter((one) => one.ready).length}/${containers.length}` : '';
  return `${ending[0] ?? status?.phase ?? ''}${ready}`;
}

/** The fields that differ: `spec.replicas 3 → 5`. */
function* changesBetween(before, after, path = '') {
  if (isDeepStrictEqual(before, after)) return;
  if (!isPlainObject(before) || !isPlainObject(after)) {
    yield `${path} ${valueText(before)} → ${valueText(after)}`;
    return;
  }
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (path === 'metadata' && ignored.has(name)) continue;
    yield* changesBetween(before[name], after[name], path === '' ? name : `${path}.${name}`);
  }
}

function isPlainObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function valueText(value) {
  if (value === undefined) return '–';
  if (Array.isArray(value)) return `[${value.length}]`;
  return isPlainObject(value) ? '{…}' : String(value).slice(0, 24);
}
