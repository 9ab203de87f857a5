import { age, Columns, cut } from '../columns.js';
import type { OutputStream } from '../command.js';
import type { Style } from '../style.js';
import type { Change, DemoObserver } from './demo-observer.js';

/** Where to look besides the table, and how to go on. */
export interface DemoNotes {
  readonly title: string;
  readonly lines: readonly string[];
}

const enterScreen = '\u001b[?1049h\u001b[?25l';
const leaveScreen = '\u001b[?25h\u001b[?1049l';
const home = '\u001b[H';
const clearToEndOfLine = '\u001b[K';
const clearBelow = '\u001b[J';

const colours = { add: 'green', update: 'yellow', delete: 'red' } as const;

/** The table on a terminal's second screen, drawn over and over. The first screen comes back at the end. */
export class DemoScreen {
  readonly #stream: OutputStream;
  readonly #style: Style;

  constructor(stream: OutputStream, style: Style) {
    this.#stream = stream;
    this.#style = style;
    stream.write(enterScreen);
  }

  draw(observer: DemoObserver, notes: DemoNotes): void {
    const { rows = 24, columns = 80 } = this.#stream;
    const style = this.#style;
    const head = [style.bold(cut(notes.title, columns)), ...notes.lines.map((line) => style.dim(cut(line, columns)))];
    const status = cut(statusLine(observer), columns);
    const table = ['', ...informerTable(observer, style, columns), '', status, ''];
    const room = Math.max(3, rows - head.length - table.length - 2);
    const changes = observer.changes.slice(-room).map((change) => changeLine(change, style, columns));
    const lines = [...head, ...table, style.bold('LAST CHANGES'), ...changes].slice(0, rows - 1);
    this.#stream.write(home + lines.map((line) => `${line}${clearToEndOfLine}\n`).join('') + clearBelow);
  }

  close(): void {
    this.#stream.write(leaveScreen);
  }
}

/** The informers, one per line, as of now. */
export function informerTable(observer: DemoObserver, style: Style, width: number): string[] {
  const columns = new Columns([20, 18, 7, 8, 8]);
  const header = style.bold(cut(columns.line(['INFORMER', 'STATE', 'OBJECTS', 'EVENTS', 'EVENTS/S', 'STALE']), width));
  const lines = observer.informers().map((informer) => {
    const { resource, state, objects, events, eventsPerSecond, stalenessMs, problem } = informer;
    const stale = stalenessMs < 1_000 ? '–' : age(stalenessMs);
    const cells = [resource, state, String(objects), String(events), eventsPerSecond.toFixed(1), `${stale} ${problem}`];
    return cut(columns.line(cells), width);
  });
  return [header, ...lines];
}

/** Queues, leader and recorded events in one line. */
export function statusLine(observer: DemoObserver): string {
  const queues = [...observer.queues.values()].map(
    ({ name, depth, processed, retries }) => `queue ${name}: ${depth} waiting, ${processed} done, ${retries} retries`,
  );
  const leader = observer.leader === undefined ? 'no leader' : `leader: ${observer.leader}`;
  return [...queues, leader, `${observer.recordedEvents} events recorded`].join('   ');
}

/** One change in one line. */
export function changeLine({ at, type, resource, key, story }: Change, style: Style, width?: number): string {
  const time = new Date(at).toISOString().slice(11, 19);
  const rest = ` ${resource} ${key}${story === '' ? '' : `  ${story}`}`;
  const plain = `${type.padEnd(6)}${rest}`;
  const shown = width === undefined ? plain : cut(plain, width - time.length - 1);
  return `${style.dim(time)} ${style[colours[type]](type)}${shown.slice(type.length)}`;
}
