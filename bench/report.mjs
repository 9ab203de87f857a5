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
 * The goals: ratio reached, goal, and whether a smaller ratio is better. `cpu` is the same ratio by CPU time, if there is one:
 * other processes affect it less.
 */
function goals({ informers, queues, indexer, lists }) {
  const { sync, watch, latency, holds } = informers;
  const json = 'client-go, JSON';
  const protobuf = 'client-go, protobuf';
  const node = 'client-node';
  const fluent = 'fluent-client';
  const least = (what, against, ratio, goal, cpu) => ({ what, against, ratio, goal, cpu, most: false });
  const most = (what, against, ratio, goal) => ({ what, against, ratio, goal, most: true });
  const synced = (what, name, against, goal) => {
    const [a, b] = [sync[name], sync[against]];
    return least(`time to synced, ${what}`, against, times(a, b, 'ms'), goal, times(a, b, 'cpuMs'));
  };
  const speed = (name, against, goal) => {
    const [a, b] = [watch[name], watch[against]];
    return least(`events/s, ${name}`, against, rate(a, b, 'perSecond'), goal, times(a, b, 'cpuMicros'));
  };
  const queue = (name) => rate(queues.kubeflect, queues['client-go'], name);
  const index = (form, name) => rate(indexer[form], indexer['client-go'], name);
  const pipeline = indexer.pipeline === undefined ? undefined : 1e6 / indexer.pipeline.perSecond;
  return [
    synced('keys', 'keys', protobuf, 2.5),
    synced('keys', 'keys', json, 15),
    synced('custom resource, keys', 'keys, custom resource', 'client-go, dynamic', 20),
    synced('keys', 'keys', 'floor', 3.5),
    synced('objects', 'objects', node, 1),
    synced('objects', 'objects', fluent, 1),
    speed('keys', protobuf, 2.5),
    speed('keys', json, 20),
    speed('keys', 'floor', 5),
    speed('keys', node, 6),
    speed('objects', 'floor', 1.4),
    speed('objects', json, 6),
    speed('objects', protobuf),
    speed('objects', node, 1),
    speed('objects', fluent, 1),
    most('queue → store with 3 indexes → handler, µs per event', '–', pipeline, 3),
    most('settled memory, default', protobuf, rate(sync.keys, sync[protobuf], 'settledRssMb'), 0.55),
    most('peak memory, default', protobuf, rate(sync.keys, sync[protobuf], 'peakRssMb'), 0.5),
    most('bytes per pod, default', 'floor', rate(sync.keys, sync.floor, 'bytesPerPod'), 0.4),
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

function goalTable(data) {
  const rows = goals(data)
    .filter(({ ratio }) => ratio !== undefined)
    .map(({ what, against, ratio, goal, cpu, most }) => {
      const isReached = (value) => (most ? value <= goal : value >= goal);
      const verdict = isReached(ratio) ? 'yes' : cpu !== undefined && isReached(cpu) ? 'by CPU time' : '**no**';
      return [
        what,
        against,
        number(ratio),
        cpu === undefined ? '' : number(cpu),
        goal === undefined ? '' : `${most ? '≤' : '≥'} ${goal}`,
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

function sections({ informers, queues, indexer, lists }) {
  const { size, sync, watch, latency, holds, growth } = informers;
  const count = (n) => n.toLocaleString('en-US');
  const late = Object.entries(latency).flatMap(([perSecond, results]) =>
    Object.entries(results).map(([name, result]) => [`${name}, ${perSecond}/s`.replace('versions', 'keys'), result]),
  );
  const grown = Object.entries(growth).flatMap(([pods, results]) =>
    Object.entries(results).map(([name, result]) => [`${name}, ${count(Number(pods))} pods`, result]),
  );
  return [
    [
      `First sync, ${count(size.sync)} pods`,
      figures(sync, [
        ['ms', 'ms'],
        ['CPU ms', 'cpuMs'],
        ['peak MB', 'peakRssMb'],
        ['settled MB', 'settledRssMb'],
        ['bytes/pod', 'bytesPerPod'],
        ['of that on the heap', 'heapPerPod'],
      ]),
    ],
    [
      `Changes of ${count(size.watch)} pods at full speed`,
      figures(watch, [
        ['events/s', 'perSecond'],
        ['CPU µs/event', 'cpuMicros'],
        ['peak MB', 'peakRssMb'],
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

/** The report for the terminal. */
export function tables(data) {
  const parts = sections(data).map(([title, text]) => `${title}\n${text}`);
  return [describe(data), goalTable(data), ...parts].join('\n\n');
}

function describe({ machine, runs, minutes }) {
  const { cores, cpu, memoryGb, system, node, go, clientNode, fluentClient, clientGo } = machine;
  const peers = [
    `@kubernetes/client-node ${clientNode}`,
    ...(fluentClient === undefined ? [] : [`kubernetes-fluent-client ${fluentClient}`]),
    ...(go === undefined ? [] : [`client-go ${clientGo} (${go})`]),
  ];
  return `${cores} cores (${cpu}), ${memoryGb} GB, ${system}; Node ${node}; ${peers.join(', ')}. Medians of ${runs} runs in ${Math.round(minutes)} minutes.`;
}

const introduction = `# Benchmarks

\`npm run bench\` measures informers, queues and stores and their peers, in one run on one machine, and writes this page.
\`npm run bench -- --quick\` takes under two minutes, with fewer objects and one run, and writes nothing. Absolute figures depend
on the machine: compare the ratios.

- **floor**: split + JSON.parse + Map.set, the minimal work of an informer that parses every object; **bytes**: receives and
  discards the bytes. Neither has an order, an index, a queue or a handler.
- **keys**: kubeflect with a handler that uses the key of each event (\`enqueueInto\`); **objects**: with one that reads spec
  and status of each. Both with default options: without managedFields, bytes in the cache. **stored objects**: \`storage: 'objects'\`.
- **client-node**: the informer of @kubernetes/client-node; **fluent-client**: \`K8s(kind.Pod).Watch\` of
  kubernetes-fluent-client, which stores the objects in a private map and reports fast changes out of order. Both list, then watch.
- **client-go**: SharedInformerFactory with a handler that makes the key; typed with JSON, typed with protobuf (its default for
  built-in kinds), dynamic with JSON (its only choice for custom resources).
- Pods of 5.8 KB JSON, 2 KB of it managedFields, from a load server in another process on the same machine, over plain HTTP/1.1
  without TLS. The subjects alternate, so that a slow minute affects all of them. The time to load modules is not counted. Memory is read
  after a garbage collection; holds are the longest gaps of a one-millisecond timer, without the time the thread waited for a core.
- Latency is the time from the write of a server in Go, which sends protobuf and JSON, to the call of the handler: at the given rate
  after 20,000 changes at full speed, and in the last column right after the first sync.
`;

/** The text of docs/benchmarks.md, with notes.md. */
export function page(data, notes) {
  const parts = sections(data).map(([title, text]) => `## ${title}\n\n${text}\n`);
  return [introduction, `${describe(data)}\n`, `## Goals\n\n${goalTable(data)}\n`, notes, ...parts].join('\n');
}
