import type { DeepReadonly, Unstructured } from '../../meta/objects.js';
import { type Fields, fields, list, text } from '../object-fields.js';
import { printable } from '../terminal/columns.js';

/**
 * Sums up the state of an object in a few words: the phase of a pod, ready and wanted replicas, the message of an event,
 * else a condition, else ''. Checks the type of every field, because the object may be of any kind.
 */
export function summaryOf(object: DeepReadonly<Unstructured>): string {
  const spec = fields(object['spec']);
  const status = fields(object['status']);
  if (object.kind === 'Event') return eventStory(object as Fields);
  const terminating = object.metadata.deletionTimestamp === undefined ? '' : 'Terminating';
  if (object.kind === 'Pod')
    return words([terminating || waitingReason(status) || text(status['phase']), podReady(status)]);
  if (object.kind === 'Node') {
    return words([conditionWord(status, ['Ready']), spec['unschedulable'] === true ? 'SchedulingDisabled' : '']);
  }
  if (typeof spec['replicas'] === 'number') {
    return words([terminating, `${Number(status['readyReplicas'] ?? 0)}/${spec['replicas']} ready`]);
  }
  return words([terminating || text(status['phase']) || conditionWord(status, wellKnownConditions)]);
}

/** Conditions to show, the most important first. */
const wellKnownConditions = ['Failed', 'Complete', 'Ready', 'Available', 'Established', 'Healthy'];

function eventStory(event: Fields): string {
  const about = fields(event['involvedObject'] ?? event['regarding']);
  const message = text(event['message'] ?? event['note']);
  return words([text(event['type']), text(event['reason']), `${text(about['kind'])}/${text(about['name'])}:`, message]);
}

function waitingReason(status: Fields): string {
  for (const container of list(status['containerStatuses'])) {
    const reason = text(fields(fields(container['state'])['waiting'])['reason']);
    if (reason !== '') return reason;
  }
  return '';
}

function podReady(status: Fields): string {
  const containers = list(status['containerStatuses']);
  if (containers.length === 0) return '';
  return `${containers.filter((container) => container['ready'] === true).length}/${containers.length}`;
}

/** The first of these conditions with a meaning: its type if True, `Not<type>` and its reason if a positive one is False. */
function conditionWord(status: Fields, types: readonly string[]): string {
  const conditions = list(status['conditions']);
  for (const type of types) {
    const condition = conditions.find((one) => one['type'] === type);
    if (condition?.['status'] === 'True') return type;
    if (condition?.['status'] === 'False' && type !== 'Failed' && type !== 'Complete') {
      return words([`Not${type}`, text(condition['reason'])]);
    }
  }
  return '';
}

function words(parts: readonly string[]): string {
  return printable(parts.filter((part) => part !== '').join(' '));
}
