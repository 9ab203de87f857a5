// The tables of docs/scale.md, from the stored figures.

/** Figures with three digits. */
const number = (value) => {
  if (value === undefined || Number.isNaN(value)) return '–';
  if (value >= 1000) return (Math.round(value / 10) * 10).toLocaleString('en-US');
  if (value >= 100) return value.toFixed(0);
  if (value >= 10) return value.toFixed(1);
  return value.toFixed(2);
};

function table(head, rows) {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column].length)));
  const line = (row) => `| ${row.map((cell, i) => cell.padEnd(widths[i])).join(' | ')} |`;
  return [line(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rows.map(line)].join('\n');
}

function holdsTable({ kinds }) {
  const forms = Object.keys(kinds.pods);
  const names = Object.keys(kinds);
  const rows = forms.map((form) => [form, ...names.map((kind) => number(kinds[kind][form]?.bytes))]);
  return table(['form', ...names], rows);
}

function listsTable({ ways }) {
  const rows = Object.entries(ways).map(([way, { cpuSeconds, megabytes }]) => [
    way,
    number(cpuSeconds),
    number(megabytes),
  ]);
  return table(['10,000 pods', 'CPU seconds of the server', 'MB on the wire'], rows);
}

/** CPU microseconds of the server for one event to one watch, beside the change itself. `cpuMs` is for 1,000 changes. */
const eventMicros = (watches, wire) => (watches[`100, ${wire}`].cpuMs - watches['0, protobuf'].cpuMs) / 100;

function changesTable({ watches }) {
  const rows = Object.entries(watches).map(([name, { cpuMs, bytesPerEvent }]) => {
    const [count, wire] = name.split(', ');
    return [count, count === '0' ? '–' : wire, number(cpuMs / 1000), count === '0' ? '–' : number(bytesPerEvent)];
  });
  const each = ['JSON', 'protobuf'].map((wire) => `${number(eventMicros(watches, wire))} µs in ${wire}`).join(', ');
  const text = `From no watch to 100: ${each} of CPU time of the server for one event to one watch.`;
  return `${table(['watches', 'wire', 'CPU ms of the server per change', 'bytes per event'], rows)}\n\n${text}`;
}

/** What a million pods and 10,000 changes a second need, from the other figures. */
function needsTable({ holds, lists, changes, events }) {
  const [objects, perSecond] = [1e6, 10_000];
  const { bytes } = holds.kinds.pods.keys;
  const { cpuMicros } = events.keys;
  const { bytesPerEvent } = changes.watches['100, protobuf'];
  const serverMicros = eventMicros(changes.watches, 'protobuf');
  const list = lists.ways['watch-list, protobuf'];
  const row = (replicas, isSelected) => {
    // Without the selector each replica reads everything, and drops what is not its own.
    const received = isSelected ? perSecond / replicas : perSecond;
    const sent = received * replicas;
    const read = isSelected ? objects : objects * replicas;
    return [
      `${replicas}`,
      replicas === 1 ? '–' : isSelected ? 'yes' : 'no',
      number((objects * bytes) / replicas / 1e6),
      number((received * cpuMicros + (perSecond / replicas) * runMicros) / 1e6),
      number((sent * serverMicros) / 1e6),
      number((sent * bytesPerEvent) / 1e6),
      number((read / 10_000) * list.cpuSeconds),
      number((read / 10_000) * list.megabytes),
    ];
  };
  const head = [
    'replicas',
    'selector',
    'MB each',
    'cores each',
    'cores of the server',
    'MB/s',
    'first list, CPU s',
    'MB',
  ];
  const rows = [row(1, true), ...[3, 10].flatMap((replicas) => [row(replicas, false), row(replicas, true)])];
  return table(head, rows);
}

function eventsTable(events) {
  const rows = Object.entries(events).map(([name, { perSecond, cpuMicros }]) => [
    name,
    number(perSecond),
    number(cpuMicros),
  ]);
  return table(['handler', 'changes per second', 'CPU µs per change'], rows);
}

const makers = { holds: holdsTable, lists: listsTable, changes: changesTable, events: eventsTable };
/** CPU time of a run that finds everything as it should be: docs/benchmarks.md, Controllers. */
const runMicros = 51;

/** The page, with the tables of the figures that are stored. Each is between two comments that name it. */
export function withTables(page, results) {
  let text = page;
  const tables = Object.entries(makers).filter(([name]) => results[name] !== undefined);
  const made = tables.map(([name, make]) => [name, make(results[name])]);
  if (made.length === Object.keys(makers).length) made.push(['needs', needsTable(results)]);
  for (const [name, written] of made) {
    const marks = new RegExp(`(<!-- ${name} -->\n).*?(<!-- end of ${name} -->)`, 's');
    if (!marks.test(text)) throw new Error(`docs/scale.md has no place for the table ${name}`);
    text = text.replace(marks, (_, begin, end) => `${begin}\n${written}\n\n${end}`);
  }
  return results.machine === undefined
    ? text
    : text.replace(/<!-- machine -->.*$/m, `<!-- machine -->${results.machine}.`);
}
