import type { InformerEvent } from '../../cache/informer/informer-event.js';
import type { Unstructured } from '../../meta/objects.js';
import type { Clock } from '../../time/clock.js';
import { age, Columns, cut } from '../terminal/columns.js';
import type { LineOutput } from '../terminal/line-output.js';
import type { Style } from '../terminal/style.js';
import { changesBetween } from './changes.js';
import type { Printer } from './printer.js';
import { summaryOf } from './summary.js';

/** Options of a {@link ChangesPrinter}. */
export interface ChangesOptions {
  /** The names of the resources, shown in a column of their own. @default none: no such column */
  readonly resources?: readonly string[] | undefined;
  readonly withNamespace: boolean;
  readonly style: Style;
  /** The width to cut lines to; called for each line, because windows are resized. @default never cut */
  readonly width?: (() => number | undefined) | undefined;
  readonly clock: Clock;
}

/** Prints a line per event: type, object, age, a summary of its state, and the changed fields. */
export class ChangesPrinter implements Printer {
  readonly #output: LineOutput;
  readonly #options: ChangesOptions;
  readonly #columns: Columns;
  #hasHeader = false;

  constructor(output: LineOutput, options: ChangesOptions) {
    this.#output = output;
    this.#options = options;
    const longest = Math.max(...(options.resources ?? []).map((name) => name.length), headers[1].length);
    const widths = this.#cells<number>([6, longest, headers[2].length, 32, 4, 0]);
    this.#columns = new Columns(widths);
  }

  event(resource: string, event: InformerEvent<Unstructured>): Promise<void> | undefined {
    if (!this.#hasHeader) {
      this.#hasHeader = true;
      void this.#output.write(this.#options.style.bold(this.#cut(this.#columns.line(this.#cells<string>(headers)))));
    }
    const { object, facts } = event;
    const created = Date.parse(object.metadata.creationTimestamp);
    const old = Number.isNaN(created) ? '' : age(this.#options.clock.now() - created);
    const cells = this.#cells([event.type, resource, facts.namespace, facts.name, old, storyOf(event)]);
    const shown = this.#cut(this.#columns.line(cells));
    // Colours the first word after the cut, so that no colour code is cut.
    const colour = this.#options.style[colours[event.type]];
    const { length } = event.type;
    return this.#output.write(colour(shown.slice(0, length)) + shown.slice(length));
  }

  synced(): undefined {}

  #cut(line: string): string {
    // Some terminals report a width of 0.
    const width = this.#options.width?.() || undefined;
    return width === undefined ? line : cut(line, width);
  }

  /** Leaves out the columns for resource and namespace if they are not shown. */
  #cells<C>([event, resource, namespace, ...rest]: readonly [C, C, C, C, C, C]): C[] {
    const { resources, withNamespace } = this.#options;
    return [event, ...(resources === undefined ? [] : [resource]), ...(withNamespace ? [namespace] : []), ...rest];
  }
}

const headers = ['EVENT', 'RESOURCE', 'NAMESPACE', 'NAME', 'AGE', 'STATUS'] as const;
const colours = { add: 'green', update: 'yellow', delete: 'red' } as const;

function storyOf(event: InformerEvent<Unstructured>): string {
  const summary = summaryOf(event.object);
  if (event.type === 'delete') return event.finalStateKnown ? summary : `${summary} (final state unknown)`.trim();
  if (event.type === 'add') return summary;
  const changes = changesBetween(event.old, event.object).join(', ');
  return summary === '' ? changes : `${summary}  ${changes}`;
}
