// Formats the figures of a run: tables, and the goals with the ratios reached.

const number = (value) => {
  if (value === undefined || Number.isNaN(value)) return '–';
  if (value < 0.1) return value.toFixed(4);
  if (value >= 10_000) return Math.round(value).toLocaleString('en-US');
  if (value >= 100) return value.toFixed(0);
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
};

function table(head, rows) {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column].length)));
  const line = (row) => `| ${row.map((cell, i) => cell.padEnd(widths[i])).join(' | ')} |`;
  return [line(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rows.map(line)].join('\n');
}

/** `worse / better` for figures where less is better; `better / worse` for rates. */
const times = (a, b, what) => (a === undefined || b === undefined ? undefined : b[what] / a[what]);
const rate = (a, b, what) => (a === undefined || b === undefined ? undefined : a[what] / b[what]);

/**
 * The goals on the load server: ratio reached, goal, and whether a smaller ratio is better. `cpu` is the same ratio by CPU
 * time, if there is one: other processes affect it less. Its goal is `cpuGoal`, or the same.
 */
function loadGoals({ informers, queues, indexer, lists }) {
  const { sync, watch, latency, holds } = informers;
  const json = 'client-go, JSON';
  const protobuf = 'client-go, protobuf';
  const node = 'client-node';
  const fluent = 'fluent-client';
  const least = (what, against, ratio, goal, cpu, cpuGoal) => ({
    what,
    against,
    ratio,
    goal,
    cpu,
    cpuGoal,
    most: false,
  });
  const most = (what, against, ratio, goal) => ({ what, against, ratio, goal, most: true });
  const synced = (what, name, against, goal, cpuGoal) => {
    const [a, b] = [sync[name], sync[against]];
    return least(`time to synced, ${what}`, against, times(a, b, 'ms'), goal, times(a, b, 'cpuMs'), cpuGoal);
  };
  const speed = (name, against, goal, cpuGoal) => {
    const [a, b] = [watch[name], watch[against]];
    return least(`events/s, ${name}`, against, rate(a, b, 'perSecond'), goal, times(a, b, 'cpuMicros'), cpuGoal);
  };
  const queue = (name) => rate(queues.kubeflect, queues['client-go'], name);
  const index = (form, name) => rate(indexer[form], indexer['client-go'], name);
  const pipeline = indexer.pipeline === undefined ? undefined : 1e6 / indexer.pipeline.perSecond;
  return [
    synced('keys', 'keys', protobuf, 4),
    synced('objects', 'objects', protobuf, 1.5),
    synced('keys, JSON', 'keys, JSON', json, 15),
    synced('custom resource, keys', 'keys, custom resource', 'client-go, dynamic', 20),
    synced('keys, JSON', 'keys, JSON', 'floor', 3.5),
    synced('objects', 'objects', node, 1),
    synced('objects', 'objects', fluent, 1),
    speed('keys', protobuf, 3.5, 5),
    speed('objects', protobuf, 1.5, 2),
    speed('keys, JSON', json, 20),
    speed('keys, JSON', 'floor', 5),
    speed('keys', node, 6),
    speed('objects, JSON', 'floor', 1.4),
    speed('objects, JSON', json, 6),
    speed('objects', node, 1),
    speed('objects', fluent, 1),
    most('queue → store with 3 indexes → handler, µs per event', '–', pipeline, 3),
    most('settled memory, default', protobuf, rate(sync.keys, sync[protobuf], 'settledRssMb'), 0.55),
    most('peak memory, default', protobuf, rate(sync.keys, sync[protobuf], 'peakRssMb'), 0.5),
    most('bytes per pod, default', 'keys, JSON', rate(sync.keys, sync['keys, JSON'], 'bytesPerPod'), 0.7),
    most('bytes per pod, JSON', 'floor', rate(sync['keys, JSON'], sync.floor, 'bytesPerPod'), 0.4),
    most(
      'bytes per pod, managedFields kept',
      'floor',
      rate(sync['keys, managedFields kept'], sync.floor, 'bytesPerPod'),
      0.6,
    ),
    most(
      "bytes per pod, storage: 'objects', managedFields kept",
      'floor',
      rate(sync['stored objects, managedFields kept'], sync.floor, 'bytesPerPod'),
      1.1,
    ),
    ...Object.entries(holds).map(([what, { ownHoldMs }]) => most(`longest hold, ms: ${what}`, '–', ownHoldMs, 25)),
    most('longest hold, ms: 1M delayed queue items', '–', queues.kubeflect.delayedHoldMs, 25),
    ...[1_000, 5_000].map((perSecond) =>
      most(
        `latency p99 at ${perSecond} events/s, keys`,
        protobuf,
        rate(latency[perSecond].versions, latency[perSecond][protobuf], 'p99'),
        1,
      ),
    ),
    least('queue, add + get + done one by one', 'client-go', queue('oneByOne'), 1),
    least('queue, a million added, then taken', 'client-go', queue('bulk'), 1),
    least('queue, addAfter', 'client-go', queue('addAfter'), 1),
    least('queue, delayed over a second, until taken', 'client-go', queue('delayed'), 1),
    ...['handles', 'objects'].flatMap((form) =>
      ['add', 'update', 'byIndex', 'get'].map((name) =>
        least(`indexer with 3 indexes, ${form}: ${name}`, 'client-go', index(form, name), 1),
      ),
    ),
    least(
      'lister.list of 1,000 pods, warm',
      "storage: 'objects'",
      lists === undefined ? undefined : lists.objects.warmMs / lists.raw.warmMs,
      0.8,
    ),
  ];
}

/** The goals on a real server: less is better. */
function realGoals({ sync, changes }) {
  const protobuf = 'client-go, protobuf';
  const ratios = (what, of, name, time, cpu, goal, cpuGoal) => ({
    what,
    against: protobuf,
    ratio: rate(of[name], of[protobuf], time),
    goal,
    cpu: rate(of[name], of[protobuf], cpu),
    cpuGoal,
    most: true,
  });
  return [
    ratios('time to synced, keys', sync, 'keys', 'ms', 'cpuMs', 0.8, 0.6),
    ratios('time to synced, objects', sync, 'objects', 'ms', 'cpuMs', 1, 0.9),
    ratios('settled memory, keys', sync, 'keys', 'settledRssMb', undefined, 0.5),
    {
      what: 'CPU µs per change at a low rate, keys',
      against: '–',
      ratio: changes.keys?.cpuMicros,
      goal: 120,
      most: true,
    },
  ];
}

function goalTable(goals) {
  const rows = goals
    .filter(({ ratio }) => ratio !== undefined)
    .map(({ what, against, ratio, goal, cpu: byCpu, cpuGoal = goal, most }) => {
      const cpu = Number.isNaN(byCpu) ? undefined : byCpu;
      const isReached = (value, limit) => value === undefined || (most ? value <= limit : value >= limit);
      const [byClock, byTime] = [isReached(ratio, goal), isReached(cpu, cpuGoal)];
      const verdict = byClock && byTime ? 'yes' : byClock ? 'by the clock' : byTime && cpu ? 'by CPU time' : '**no**';
      const sign = most ? '≤' : '≥';
      return [
        what,
        against,
        number(ratio),
        cpu === undefined ? '' : number(cpu),
        goal === undefined ? '' : cpuGoal === goal ? `${sign} ${goal}` : `${sign} ${goal}, CPU ${sign} ${cpuGoal}`,
        goal === undefined ? '' : verdict,
      ];
    });
  return table(['measure', 'against', 'reached', 'by CPU time', 'goal', ''], rows);
}

/** One row per subject, one column per figure. */
function figures(results, columns) {
  const rows = Object.entries(results).map(([name, result]) => [
    name === 'versions' ? 'keys' : name,
    ...columns.map(([, key, scale = 1]) => number(result[key] === undefined ? undefined : result[key] * scale)),
  ]);
  return table(['', ...columns.map(([title]) => title)], rows);
}

const count = (n) => n.toLocaleString('en-US');

function realSections({ size, sync, changes }) {
  return [
    [
      `Real server: first sync, ${count(size.pods)} pods`,
      figures(sync, [
        ['ms', 'ms'],
        ['CPU ms', 'cpuMs'],
        ['peak MB', 'peakRssMb'],
        ['settled MB', 'settledRssMb'],
        ['bytes/pod', 'bytesPerPod'],
      ]),
    ],
    [`Real server: changes at ${size.rate} per second`, figures(changes, [['CPU µs/event', 'cpuMicros']])],
  ];
}

/** Adds a figure of the same subjects over plain HTTP/1.1. */
function withPlain(results, plain, key) {
  const entries = Object.entries(results).map(([name, result]) => [name, { ...result, plain: plain?.[name]?.[key] }]);
  return Object.fromEntries(entries);
}

function loadSections({ informers, queues, indexer, lists }) {
  const { size, sync, watch, plain, latency, holds, growth } = informers;
  const late = Object.entries(latency).flatMap(([perSecond, results]) =>
    Object.entries(results).map(([name, result]) => [`${name}, ${perSecond}/s`.replace('versions', 'keys'), result]),
  );
  const grown = Object.entries(growth).flatMap(([pods, results]) =>
    Object.entries(results).map(([name, result]) => [`${name}, ${count(Number(pods))} pods`, result]),
  );
  return [
    [
      `First sync, ${count(size.sync)} pods`,
      figures(withPlain(sync, plain.sync, 'ms'), [
        ['ms', 'ms'],
        ['CPU ms', 'cpuMs'],
        ['peak MB', 'peakRssMb'],
        ['settled MB', 'settledRssMb'],
        ['bytes/pod', 'bytesPerPod'],
        ['of that on the heap', 'heapPerPod'],
        ['ms, plain HTTP/1.1', 'plain'],
      ]),
    ],
    [
      `Changes of ${count(size.watch)} pods at full speed`,
      figures(withPlain(watch, plain.watch, 'perSecond'), [
        ['events/s', 'perSecond'],
        ['CPU µs/event', 'cpuMicros'],
        ['peak MB', 'peakRssMb'],
        ['events/s, plain HTTP/1.1', 'plain'],
      ]),
    ],
    [
      'From the server’s write to the handler’s call, ms',
      figures(Object.fromEntries(late), [
        ['p50', 'p50'],
        ['p99', 'p99'],
        ['most', 'most'],
        ['p99 when just started', 'coldP99'],
      ]),
    ],
    [
      `Longest hold of the event loop, ${count(size.holds)} pods, ms`,
      figures(holds, [
        ['without the time others took', 'ownHoldMs'],
        ['as it was', 'holdMs'],
      ]),
    ],
    [
      'How the first sync grows',
      figures(Object.fromEntries(grown), [
        ['ms', 'ms'],
        ['CPU ms', 'cpuMs'],
        ['settled MB', 'settledRssMb'],
        ['bytes/pod', 'bytesPerPod'],
      ]),
    ],
    [
      'Work queues, per second',
      figures(queues, [
        ['one by one', 'oneByOne'],
        ['with await', 'awaited'],
        ['bulk', 'bulk'],
        ['addAfter', 'addAfter'],
        ['delayed, until taken', 'delayed'],
        ['bytes/item', 'bytesPerItem'],
      ]),
    ],
    [
      'Indexer with three indexes, per second',
      figures(indexer, [
        ['add', 'add'],
        ['update', 'update'],
        ['get', 'get'],
        ['objects by index', 'byIndex'],
        ['deltas, queue to handler', 'perSecond'],
      ]),
    ],
    [
      'lister.list of 1,000 pods of a namespace, ms',
      figures(lists, [
        ['cold', 'coldMs'],
        ['warm', 'warmMs'],
      ]),
    ],
  ];
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** The controllers of the report: the first pass, and the medians of the passes after it. */
function controllerSubjects(results) {
  return ['kubeflect', 'controller-runtime']
    .filter((name) => results[name] !== undefined)
    .map((name) => {
      const { first, passes } = results[name];
      const of = (key) => median(passes.map((pass) => pass[key]));
      const later = { cpuUsPerRun: of('cpuUsPerRun'), runsPerSecond: of('runsPerSecond') };
      return [name, { ...later, seconds: first.seconds, cpuS: first.cpuS, sent: first.sent, peakMb: first.peakMb }];
    });
}

function controllerGoals(results) {
  const { kubeflect, 'controller-runtime': peer } = Object.fromEntries(controllerSubjects(results));
  const { timers } = results.kubeflect.passes.at(-1);
  const byCpu = times(kubeflect, peer, 'cpuUsPerRun');
  const most = { against: '–', most: true };
  return [
    { ...most, what: 'CPU µs per run that changes nothing', ratio: kubeflect.cpuUsPerRun, goal: 60 },
    { what: 'runs per second of CPU time', against: 'controller-runtime', ratio: byCpu, goal: 1, most: false },
    { ...most, what: 'CPU µs of an owned event above `enqueueInto`', ratio: results.wakes?.aboveUs, goal: 3 },
    { ...most, what: 'timers per object', ratio: timers / results.objects, goal: 0.001 },
  ];
}

function controllerSections(results) {
  return [
    [
      `Controllers: ${count(results.objects)} objects with three owned each`,
      figures(Object.fromEntries(controllerSubjects(results)), [
        ['CPU µs/run', 'cpuUsPerRun'],
        ['runs/s', 'runsPerSecond'],
        ['first pass, s', 'seconds'],
        ['first pass, CPU s', 'cpuS'],
        ['its requests', 'sent'],
        ['its peak MB', 'peakMb'],
      ]),
    ],
  ];
}

/** The parts of a report: title, description of the run, goals and tables. */
function parts({ real, load, controller }) {
  return [
    ...(real === undefined ? [] : [['On a real kube-apiserver', real, realGoals(real), realSections(real)]]),
    ...(load === undefined ? [] : [['On a load server', load, loadGoals(load), loadSections(load)]]),
    ...(controller === undefined
      ? []
      : [['Controllers', controller, controllerGoals(controller), controllerSections(controller)]]),
  ];
}

/** The report for the terminal; `load`, `real` and `controller` are the figures of the parts, if there are any. */
export function tables(data) {
  const texts = parts(data).flatMap(([title, run, goals, sections]) => [
    `${title}: ${describe(run)}`,
    goalTable(goals),
    ...sections.map(([name, text]) => `${name}\n${text}`),
  ]);
  return texts.join('\n\n');
}

function describe({ machine, runs, minutes, passes }) {
  const { cores, cpu, memoryGb, system, node, go, clientNode, fluentClient, clientGo, controllerRuntime } = machine;
  const peers = [
    ...(clientNode === undefined ? [] : [`@kubernetes/client-node ${clientNode}`]),
    ...(fluentClient === undefined ? [] : [`kubernetes-fluent-client ${fluentClient}`]),
    ...(go === undefined || clientGo === undefined ? [] : [`client-go ${clientGo} (${go})`]),
    ...(go === undefined || controllerRuntime === undefined ? [] : [`controller-runtime ${controllerRuntime} (${go})`]),
  ];
  const medians = passes === undefined ? `${runs} runs in ${Math.round(minutes)} minutes` : `${passes} passes`;
  return `${cores} cores (${cpu}), ${memoryGb} GB, ${system}; Node ${node}; ${peers.join(', ')}. Medians of ${medians}.`;
}

const introduction = `# Benchmarks

\`npm run bench -- --real\` measures informers on a real kube-apiserver, \`npm run bench\` informers on a load server, queues and
stores, each with their peers, in one run on one machine. Both write their part of this page, from the figures in
\`bench/results/\`. With \`--quick\` they take minutes, with fewer objects and one run, and write nothing. Absolute figures
depend on the machine: compare the ratios.

- **keys**: kubeflect with a handler that uses the key of each event (\`enqueueInto\`); **objects**: with one that reads spec
  and status of each. Both with default options: protobuf, without managedFields, bytes in the cache. **JSON**: with \`wire:
  'json'\`. **stored objects**: \`storage: 'objects'\`.
- **bytes**: receives and discards the bytes with \`node:http2\`; **floor**: split + JSON.parse + Map.set, the minimal work of an
  informer that parses every object. Neither has an order, an index, a queue or a handler.
- **client-node**: the informer of @kubernetes/client-node; **fluent-client**: \`K8s(kind.Pod).Watch\` of
  kubernetes-fluent-client, which stores the objects in a private map and reports fast changes out of order. Both list, then watch.
- **client-go**: SharedInformerFactory with a handler that makes the key; typed with JSON, typed with protobuf (its default for
  built-in kinds), dynamic with JSON (its only choice for custom resources).
- The subjects alternate, so that a slow minute affects all of them. The time to load modules is not counted. Memory is read after a
  garbage collection; holds are the longest gaps of a one-millisecond timer, without the time the thread waited for a core.
- **The real server** is a kube-apiserver with etcd ([how it is built](real-server.md)), over TLS and HTTP/2. Its pods have 7 KB
  of JSON, a third of it managedFields, and are created by a Go program. Client and server share the cores of the machine, so that
  the time includes the server's work, which is more for JSON.
- **The load server** sends prepared bytes over TLS and HTTP/2, and over plain HTTP/1.1 for the last column; its own work is small.
  Its pods have 5.8 KB of JSON, 2 KB of it managedFields.
- Latency is the time from the write of the load server to the call of the handler: at the given rate after 20,000 changes at full
  speed, and in the last column right after the first sync.
- **Controllers**, by \`node bench/controller.mjs\`: a controller that owns a ConfigMap, a Secret and a ServiceAccount for each of its objects and writes a
  status, with \`apply\` and \`status\`; **controller-runtime**: the same with cached reads, \`CreateOrUpdate\` and an update of the status if it
  differs. Each has an embedded server of its own, in another process, over TLS. The first pass creates everything; the passes after it find everything as it should
  be, which is most of what a controller does. Both collect their metrics.
`;

const readmeRows = {
  keys: 'kubeflect, handler uses keys',
  objects: 'kubeflect, handler reads each object',
  'keys, JSON': 'kubeflect, JSON, handler uses keys',
  'objects, JSON': 'kubeflect, JSON, handler reads each object',
  'client-go, protobuf': 'client-go, protobuf',
  'client-go, JSON': 'client-go, JSON',
  'client-go, dynamic': 'client-go, dynamic',
  'client-node': '@kubernetes/client-node',
};

/** The README with the figures of a real server. */
export function withFigures(readme, { sync, machine }) {
  const seconds = (ms) => `${ms < 9_950 ? (ms / 1000).toFixed(1) : Math.round(ms / 1000)} s`;
  const versions = { 'client-go': machine.clientGo?.slice(1), '@kubernetes/client-node': machine.clientNode };
  const rows = Object.entries(readmeRows).map(([name, title]) => {
    const [peer] = title.split(',');
    const { ms, cpuMs, settledRssMb } = sync[name];
    const named = versions[peer] === undefined ? title : title.replace(peer, `${peer} ${versions[peer]}`);
    return `| ${named} | ${seconds(ms)} | ${seconds(cpuMs)} | ${Math.round(settledRssMb)} MB |`;
  });
  const head = ['| | first sync | CPU time of the client | memory after it |', '| --- | --- | --- | --- |'];
  const figures = ['<!-- figures -->', ...head, ...rows, '<!-- end of figures -->'].join('\n');
  return readme.replace(/<!-- figures -->[\s\S]*<!-- end of figures -->/, () => figures);
}

/** The text of docs/benchmarks.md, with notes.md. */
export function page(data, notes) {
  const texts = parts(data).flatMap(([title, run, goals, sections]) => [
    `## ${title}\n\n${describe(run)}\n`,
    `${goalTable(goals)}\n`,
    ...sections.map(([name, text]) => `### ${name}\n\n${text}\n`),
  ]);
  return [introduction, ...texts, notes].join('\n');
}
