/**
 * What the process sends every second, as signals. A snapshot changes the signals of the stages in place, so that only rows that
 * are visible are drawn again.
 */
import { batch, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { type History, PROTOCOL_VERSION, type Snapshot } from '../protocol.js';
import { PlotHistory, type Sort, sorts } from './history.js';

/** `refused`: the process answered with an error, and the browser does not try again. `outdated`: the page is of another version. */
export type Connection = 'connecting' | 'live' | 'lost' | 'refused' | 'outdated';
type StageOf<S extends Sort> = Snapshot[S][number];

const connectionNow = signal<Connection>('connecting');
const snapshotNow = signal<Snapshot | null>(null);
const ticks = signal(0);
const lists = Object.fromEntries(sorts.map((sort) => [sort, signal<readonly string[]>([])]));
const stages = new Map<string, Signal<unknown>>();
let history = new PlotHistory();
let source: EventSource | undefined;

export const connection: ReadonlySignal<Connection> = connectionNow;

/** The last snapshot that is shown; `null` before the first one. */
export const snapshot: ReadonlySignal<Snapshot | null> = snapshotNow;

/** Counts the snapshots that were shown; changes after all other signals. */
export const tick: ReadonlySignal<number> = ticks;

/** Whether the display stands still. Points of plots are kept meanwhile. */
export const isPaused: Signal<boolean> = signal(false);

/** The ids of the stages of a sort: those with problems first, then by name. Changes only if the order does. */
export function idsOf(sort: Sort): ReadonlySignal<readonly string[]> {
  return lists[sort]!;
}

/** One stage; `undefined` if it is gone. */
export function stageOf<S extends Sort>(_sort: S, id: string): ReadonlySignal<StageOf<S> | undefined> {
  let stage = stages.get(id);
  if (stage === undefined) stages.set(id, (stage = signal(undefined)));
  return stage as ReadonlySignal<StageOf<S> | undefined>;
}

/** The points of the last minutes; read {@link tick} to be told of new ones. */
export function plotHistory(): PlotHistory {
  return history;
}

/** Connects with the process, again if a connection is there. A lost connection is opened again by the browser. */
export function connect(): void {
  source?.close();
  connectionNow.value = 'connecting';
  source = new EventSource('api/stream');
  source.addEventListener('history', (event) => begin(JSON.parse(event.data) as History));
  source.addEventListener('snapshot', (event) => receive(JSON.parse(event.data) as Snapshot));
  source.addEventListener('error', () => {
    connectionNow.value = source?.readyState === EventSource.CLOSED ? 'refused' : 'lost';
  });
}

function begin(sent: History): void {
  if (sent.version !== PROTOCOL_VERSION) {
    source?.close();
    connectionNow.value = 'outdated';
    return;
  }
  history = new PlotHistory(sent);
  connectionNow.value = 'live';
}

function receive(next: Snapshot): void {
  history.add(next);
  if (!isPaused.value && !document.hidden) show(next);
}

function show(next: Snapshot): void {
  batch(() => {
    const gone = new Set(stages.keys());
    for (const sort of sorts) {
      for (const stage of next[sort]) {
        gone.delete(stage.id);
        (stageOf(sort, stage.id) as Signal<unknown>).value = stage;
      }
      const ids = ordered(next[sort]);
      const list = lists[sort]!;
      if (ids.length !== list.value.length || ids.some((id, at) => id !== list.value[at])) list.value = ids;
    }
    for (const id of gone) {
      stages.get(id)!.value = undefined;
      stages.delete(id);
    }
    snapshotNow.value = next;
    ticks.value++;
  });
}

const urgency = { error: 0, warning: 1, ok: 2 };

function ordered(
  list: readonly { readonly id: string; readonly name: string; readonly health: keyof typeof urgency }[],
) {
  return [...list]
    .sort((a, b) => urgency[a.health] - urgency[b.health] || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    .map(({ id }) => id);
}
