import type { DeepReadonly, Unstructured } from '../../meta/objects.js';
import type { Pod } from '../../resources/types/core-v1.js';
import { type Fields, fields, list, number, text } from '../object-fields.js';
import { age, Columns, cut } from '../terminal/columns.js';
import type { Style } from '../terminal/style.js';
import { summaryOf } from '../watch/summary.js';
import { fieldManagers } from './field-managers.js';
import type { ObjectEvent } from './object-events.js';
import { because, endOf } from './pod-problem.js';
import { isBadCondition, problemOf } from './problem.js';

/** A part of the report: a table with a title. */
export interface Section {
  readonly title: string;
  readonly headers: readonly string[];
  readonly rows: readonly SectionRow[];
}

interface SectionRow {
  readonly cells: readonly string[];
  readonly isBad: boolean;
}

export function conditionsSection(object: DeepReadonly<Unstructured>, now: number): Section {
  const rows = list(fields(object['status'])['conditions']).map((condition) => ({
    cells: [
      text(condition['type']),
      text(condition['status']),
      ageSince(text(condition['lastTransitionTime'] ?? condition['lastUpdateTime']), now),
      because(condition),
    ],
    isBad: isBadCondition(condition),
  }));
  return { title: 'CONDITIONS', headers: ['TYPE', 'STATUS', 'SINCE', 'REASON'], rows };
}

/** The containers of a pod; no rows for other kinds. */
export function containersSection(object: DeepReadonly<Unstructured>, now: number): Section {
  const status = object.kind === 'Pod' ? fields(object['status']) : {};
  const containers = [
    ...list(status['initContainerStatuses']),
    ...list(status['containerStatuses']),
    ...list(status['ephemeralContainerStatuses']),
  ];
  const rows = containers.map((container) => {
    const ended = fields(fields(container['lastState'])['terminated']);
    const state = fields(container['state']);
    const exitCode = number(fields(state['terminated'])['exitCode']);
    return {
      cells: [
        text(container['name']),
        String(container['ready'] === true),
        String(number(container['restartCount']) ?? 0),
        stateText(state, now),
        Object.keys(ended).length === 0 ? '' : endOf(ended, now),
        text(container['image']),
      ],
      isBad: container['ready'] !== true && exitCode !== 0,
    };
  });
  return { title: 'CONTAINERS', headers: ['NAME', 'READY', 'RESTARTS', 'STATE', 'BEFORE', 'IMAGE'], rows };
}

function stateText(state: Fields, now: number): string {
  const running = fields(state['running']);
  if (state['running'] !== undefined) return `runs for ${ageSince(text(running['startedAt']), now) || 'some time'}`;
  if (state['terminated'] !== undefined) return endOf(fields(state['terminated']), now);
  return state['waiting'] === undefined ? '' : `waits: ${because(fields(state['waiting'])) || 'no reason given'}`;
}

/** The pods that an object selects. */
export function podsSection(pods: readonly DeepReadonly<Pod>[], now: number): Section {
  const rows = pods.map((pod) => {
    const object = { ...pod, kind: 'Pod', apiVersion: 'v1' } as unknown as DeepReadonly<Unstructured>;
    const problem = problemOf(object, now);
    return {
      cells: [pod.metadata.name, summaryOf(object), ageSince(pod.metadata.creationTimestamp, now), problem ?? ''],
      isBad: problem !== undefined,
    };
  });
  // The pods with problems first.
  rows.sort((a, b) => Number(b.isBad) - Number(a.isBad));
  return { title: 'PODS', headers: ['NAME', 'STATUS', 'AGE', 'PROBLEM'], rows };
}

export function managersSection({ metadata }: DeepReadonly<Unstructured>, now: number): Section {
  const rows = fieldManagers(metadata.managedFields).map(({ name, operation, at, owns }) => ({
    cells: [Number.isNaN(at) ? '' : age(now - at), name, operation, owns],
    isBad: false,
  }));
  return { title: 'LAST WRITES', headers: ['AGO', 'MANAGER', 'HOW', 'FIELDS'], rows };
}

export function eventsSection(events: readonly ObjectEvent[], now: number): Section {
  const rows = events.map(({ at, type, reason, count, source, message }) => ({
    cells: [Number.isNaN(at) ? '' : age(now - at), type, reason, String(count), source, message],
    isBad: type === 'Warning',
  }));
  return { title: 'EVENTS', headers: ['AGO', 'TYPE', 'REASON', 'COUNT', 'FROM', 'MESSAGE'], rows };
}

function ageSince(time: string | undefined, now: number): string {
  const at = Date.parse(time ?? '');
  return Number.isNaN(at) ? '' : age(now - at);
}

/** At most this many rows of a section are shown. */
const shownRows = 20;

/** The lines of a section; none if it has no rows. Cells that say what is wrong are red. */
export function sectionLines({ title, headers, rows }: Section, style: Style, width: number | undefined): string[] {
  if (rows.length === 0) return [];
  const shown = rows.slice(0, shownRows);
  const columns = new Columns([]);
  const cells = shown.map((row) => row.cells.map((cell) => cell.replace(/\s+/g, ' ').trim()));
  for (const one of [headers, ...cells]) columns.fit(one);
  const shorten = (line: string): string => (width === undefined ? line : cut(line, width - 2));
  const lines = shown.map(({ isBad }, index) => {
    // Cut before it is coloured, so that no colour code is cut.
    const line = shorten(columns.line(cells[index] as string[]));
    return `  ${isBad ? style.red(line) : line}`;
  });
  const more = rows.length - shown.length;
  return [
    '',
    style.bold(title),
    `  ${style.dim(shorten(columns.line(headers)))}`,
    ...lines,
    ...(more > 0 ? [`  … and ${more} more`] : []),
  ];
}
