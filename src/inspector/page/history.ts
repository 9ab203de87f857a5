/** The points of the last minutes: four columns for each stage, and for all stages of one sort together. */
import type { Flow, History, Series, Snapshot } from '../protocol.js';

/** The numbers of a stage that are plotted. */
export type Measure = keyof Series;
const measures: readonly Measure[] = ['rate', 'lagMs', 'depth', 'errors'];

/** The sorts of stages; their names are those of the lists of a {@link Snapshot}. */
export const sorts = ['servers', 'informers', 'handlers', 'queues', 'controllers'] as const;
export type Sort = (typeof sorts)[number];

type Column = (number | null)[];
type Columns = Record<Measure, Column>;

/** The most points that are kept. */
const limit = 600;

/** The id of the columns of all stages of a sort: rates, depths and errors are added up, of lags it is the longest. */
export const totalOf = (sort: Sort): string => `all/${sort}`;

export class PlotHistory {
  readonly #times: number[];
  readonly #stages = new Map<string, Columns>();

  constructor(history?: History) {
    this.#times = [...(history?.at ?? [])];
    for (const sort of sorts) this.#stages.set(totalOf(sort), this.#empty());
    for (const [id, series] of Object.entries(history?.series ?? {})) {
      const columns = this.#empty();
      for (const measure of measures) columns[measure] = [...series[measure]];
      this.#stages.set(id, columns);
      const sort = sorts.find((name) => id.startsWith(`${name.slice(0, -1)}/`));
      if (sort !== undefined) addUp(this.#stages.get(totalOf(sort))!, columns);
    }
  }

  /** Adds the point of a snapshot to every stage, and forgets stages of which no point is left. */
  add(snapshot: Snapshot): void {
    const points = new Map<string, Pick<Flow, Measure>>();
    for (const sort of sorts) {
      for (const stage of snapshot[sort]) points.set(stage.id, stage);
      points.set(totalOf(sort), total(snapshot[sort]));
    }
    for (const id of points.keys()) if (!this.#stages.has(id)) this.#stages.set(id, this.#empty());
    this.#times.push(snapshot.at);
    const isFull = this.#times.length > limit;
    if (isFull) this.#times.shift();
    for (const [id, columns] of this.#stages) {
      const point = points.get(id);
      for (const measure of measures) {
        columns[measure].push(point?.[measure] ?? null);
        if (isFull) columns[measure].shift();
      }
      if (point === undefined && columns.rate.every((value) => value === null)) this.#stages.delete(id);
    }
  }

  /** The time of each point, oldest first. */
  get times(): readonly number[] {
    return this.#times;
  }

  /** One column of a stage, as long as `times`. */
  column(id: string, measure: Measure): readonly (number | null)[] {
    return this.#stages.get(id)?.[measure] ?? this.#times.map(() => null);
  }

  #empty(): Columns {
    const column = (): Column => this.#times.map(() => null);
    return { rate: column(), lagMs: column(), depth: column(), errors: column() };
  }
}

/** The numbers of all stages of one sort together. */
export function total(stages: readonly Flow[]): Pick<Flow, Measure> {
  const sum = { rate: 0, lagMs: null as number | null, depth: 0, errors: 0 };
  for (const { rate, lagMs, depth, errors } of stages) {
    sum.rate += rate;
    sum.depth += depth;
    sum.errors += errors;
    if (lagMs !== null) sum.lagMs = Math.max(sum.lagMs ?? 0, lagMs);
  }
  return sum;
}

function addUp(sums: Columns, columns: Columns): void {
  for (const measure of measures) {
    columns[measure].forEach((value, at) => {
      if (value === null) return;
      const before = sums[measure][at] ?? 0;
      sums[measure][at] = measure === 'lagMs' ? Math.max(before, value) : before + value;
    });
  }
}
