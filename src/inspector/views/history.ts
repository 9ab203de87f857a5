import { Ring } from '../../structures/ring.js';
import { type Flow, type History, PROTOCOL_VERSION, type Series, type Snapshot } from '../protocol.js';

/** The points that are kept: one a second, for ten minutes. */
const mostPoints = 600;

/** The numbers of all stages at one moment, by their ids. */
interface Point {
  readonly at: number;
  readonly flows: ReadonlyMap<string, Pick<Flow, 'rate' | 'lagMs' | 'depth' | 'errors'>>;
}

/** The numbers of the last minutes that are plotted. */
export class PointHistory {
  readonly #points = new Ring<Point>();

  add({ at, servers, informers, handlers, queues, controllers }: Snapshot): void {
    const flows: [string, Pick<Flow, 'rate' | 'lagMs' | 'depth' | 'errors'>][] = [];
    for (const stages of [servers, informers, handlers, queues, controllers])
      for (const { id, rate, lagMs, depth, errors } of stages) flows.push([id, { rate, lagMs, depth, errors }]);
    this.#points.push({ at, flows: new Map(flows) });
    if (this.#points.length > mostPoints) this.#points.shift();
  }

  /** All points, as a new viewer gets them. */
  get all(): History {
    const points = [...this.#points];
    const ids = new Set(points.flatMap(({ flows }) => [...flows.keys()]));
    const series: Record<string, Series> = {};
    for (const id of ids) {
      const column = (name: keyof Series) => points.map(({ flows }) => rounded(flows.get(id)?.[name] ?? null));
      series[id] = { rate: column('rate'), lagMs: column('lagMs'), depth: column('depth'), errors: column('errors') };
    }
    return { version: PROTOCOL_VERSION, at: points.map(({ at }) => at), series };
  }
}

/** Three digits after the point are more than a plot shows. */
function rounded(value: number | null): number | null {
  return value === null ? null : Math.round(value * 1000) / 1000;
}
