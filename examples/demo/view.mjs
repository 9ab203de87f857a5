// Shows the observer's data: as a table that is redrawn, or as lines.
import { styleText } from 'node:util';

const enterScreen = '\u001b[?1049h\u001b[?25l';
const leaveScreen = '\u001b[?25h\u001b[?1049l';
const home = '\u001b[H';
const clearToEndOfLine = '\u001b[K';
const clearBelow = '\u001b[J';
const columnWidths = [20, 18, 7, 8, 8];
const colours = { add: 'green', update: 'yellow', delete: 'red' };

/** Colours on a terminal, unless NO_COLOR is set (no-color.org). */
export function styleFor(stream, env) {
  const isColourful = stream.isTTY && !env.NO_COLOR && env.TERM !== 'dumb';
  return isColourful ? styleText : (_format, text) => text;
}

/** Draws the table on the alternate screen of a terminal; `close` restores the first screen. */
export class Screen {
  everyMs = 250;
  #stream;
  #style;
  #observer;
  #notes;

  constructor(stream, style, observer, notes) {
    this.#stream = stream;
    this.#style = style;
    this.#observer = observer;
    this.#notes = notes;
    stream.write(enterScreen);
    this.refresh();
  }

  refresh() {
    // A terminal without a size reports 0.
    const rows = this.#stream.rows || 24;
    const width = this.#stream.columns || 80;
    const style = this.#style;
    const [title, ...notes] = this.#notes.map((line) => cut(line, width));
    const [header, ...informers] = informerTable(this.#observer).map((line) => cut(line, width));
    const table = ['', style('bold', header), ...informers, '', cut(statusLine(this.#observer), width), ''];
    // A low terminal has room for the table, but not for the notes.
    const head = [style('bold', title), ...(rows < 20 ? [] : notes.map((line) => style('dim', line)))];
    const room = Math.max(0, rows - head.length - table.length - 2);
    const changes = room === 0 ? [] : this.#observer.changes.slice(-room);
    const lines = [
      ...head,
      ...table,
      style('bold', 'LAST CHANGES'),
      ...changes.map((change) => changeLine(change, style, width)),
    ].slice(0, rows - 1);
    this.#stream.write(home + lines.map((line) => `${line}${clearToEndOfLine}\n`).join('') + clearBelow);
  }

  close() {
    this.#stream.write(leaveScreen);
  }
}

/** Prints each change as a line, and the table every 10 s; for pipes and files. */
export function printLines(stream, style, observer, notes) {
  const print = (...lines) => stream.write(`${lines.join('\n')}\n`);
  print(...notes);
  observer.onSynced = (resource, objects) => print(`synced ${resource}: ${objects} objects`);
  observer.onChange = (change) => print(changeLine(change, style));
  return {
    everyMs: 10_000,
    refresh: () => print(...informerTable(observer), statusLine(observer)),
    close: () => {},
  };
}

/** Queues, leader and recorded events in one line. */
export function statusLine({ queues, leader, recordedEvents }) {
  const queueTexts = [...queues].map(
    ([name, { depth, processed, retries }]) => `queue ${name}: ${depth} waiting, ${processed} done, ${retries} retries`,
  );
  const leaderText = leader === undefined ? 'no leader' : `leader: ${leader}`;
  return [...queueTexts, leaderText, `${recordedEvents} events recorded`].join('   ');
}

function informerTable(observer) {
  const row = (...cells) => cells.map((cell, column) => String(cell).padEnd(columnWidths[column] ?? 0)).join('  ');
  const lines = observer.informers().map((informer) => {
    const { resource, state, objects, events, eventsPerSecond, stalenessMs, problem } = informer;
    const stale = stalenessMs < 1_000 ? '–' : `${Math.floor(stalenessMs / 1_000)}s`;
    return row(resource, state, objects, events, eventsPerSecond.toFixed(1), `${stale} ${problem}`).trimEnd();
  });
  return [row('INFORMER', 'STATE', 'OBJECTS', 'EVENTS', 'EVENTS/S', 'STALE'), ...lines];
}

function changeLine({ at, type, resource, key, story }, style, width = Number.POSITIVE_INFINITY) {
  const time = new Date(at).toISOString().slice(11, 19);
  const text = cut(`${type.padEnd(6)} ${resource} ${key}  ${story}`.trimEnd(), width - time.length - 1);
  return `${style('dim', time)} ${style(colours[type], text.slice(0, type.length))}${text.slice(type.length)}`;
}

function cut(text, width) {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}
