import { type Fields, fields, list, number, text } from '../object-fields.js';
import { age } from '../terminal/columns.js';

/** What is wrong with a pod, as its status shows it; undefined if nothing is. */
export function podProblem(pod: Fields, now: number): string | undefined {
  const status = fields(pod['status']);
  const phase = text(status['phase']);
  if (phase === 'Succeeded') return undefined;
  const containers = [...list(status['initContainerStatuses']), ...list(status['containerStatuses'])];
  const found = containers.map((one) => containerProblem(one, now)).filter((one) => one !== undefined);
  const [worst] = found.filter(({ isSevere }) => isSevere);
  if (phase === 'Failed') {
    const why = because(status);
    return `it has failed${why === '' ? '' : `: ${why}`}${worst === undefined ? '' : `; ${worst.text}`}`;
  }
  const scheduled = list(status['conditions']).find((one) => one['type'] === 'PodScheduled');
  if (scheduled?.['status'] === 'False')
    return `no node takes it: ${because(scheduled) || 'the scheduler says no more'}`;
  if (text(fields(pod['spec'])['nodeName']) === '') return 'it waits for a node: is the scheduler running?';
  const gate = list(status['conditions']).find((one) => one['type'] === 'Ready' && one['status'] === 'False');
  const problem = worst ?? found[0];
  if (problem !== undefined) return problem.text;
  if (gate !== undefined && containers.length > 0)
    return `it is not ready: ${because(gate) || 'its status says no more'}`;
  return phase === 'Pending' ? 'its node has not started it yet' : undefined;
}

interface ContainerProblem {
  readonly text: string;
  /** Whether it is more than a start that takes its time. */
  readonly isSevere: boolean;
}

function containerProblem(container: Fields, now: number): ContainerProblem | undefined {
  const name = text(container['name']);
  const state = fields(container['state']);
  const waiting = fields(state['waiting']);
  const ended = fields(state['terminated']);
  const restarts = number(container['restartCount']) ?? 0;
  const last = fields(fields(container['lastState'])['terminated']);
  const lastEnd = Object.keys(last).length === 0 ? '' : `; it ${endOf(last, now)}${restartsText(restarts)}`;
  const reason = text(waiting['reason']);
  if (reason === 'ContainerCreating' || reason === 'PodInitializing') {
    return { text: `container ${name} is being created${lastEnd}`, isSevere: lastEnd !== '' };
  }
  if (reason !== '') return { text: `container ${name} waits: ${because(waiting)}${lastEnd}`, isSevere: true };
  if (Object.keys(ended).length > 0) {
    const code = number(ended['exitCode']);
    return code === 0
      ? undefined
      : { text: `container ${name} ${endOf(ended, now)}${restartsText(restarts)}`, isSevere: true };
  }
  if (state['running'] !== undefined && container['ready'] === false) {
    const begun = text(fields(state['running'])['startedAt']);
    const since = begun === '' ? '' : ` for ${age(now - Date.parse(begun))}`;
    return { text: `container ${name} runs${since}, but is not ready${lastEnd}`, isSevere: true };
  }
  return undefined;
}

/** `ended 12s ago with exit code 137 (OOMKilled)`. */
export function endOf(terminated: Fields, now: number): string {
  const at = Date.parse(text(terminated['finishedAt']));
  const when = Number.isNaN(at) ? '' : ` ${age(now - at)} ago`;
  const signal = number(terminated['signal']);
  const how =
    signal !== undefined && signal > 0
      ? `by signal ${signal}`
      : `with exit code ${number(terminated['exitCode']) ?? '?'}`;
  const why = [text(terminated['reason']), firstLine(text(terminated['message']))]
    .filter((part) => part !== '')
    .join(': ');
  return `ended${when} ${how}${why === '' ? '' : ` (${why})`}`;
}

function restartsText(count: number): string {
  return count === 0 ? '' : `, ${count} restart${count === 1 ? '' : 's'}`;
}

/** Reason and message of a status or condition: `Unschedulable: 0/3 nodes are available`. */
export function because(of: Fields): string {
  return [text(of['reason']), firstLine(text(of['message']))].filter((part) => part !== '').join(': ');
}

function firstLine(message: string): string {
  return message.trim().split('\n', 1)[0] ?? '';
}
