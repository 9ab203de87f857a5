// Runs all benchmarks: prints a table of medians and ratios, and JSON, and writes docs/benchmarks.md.
//
//   npm run bench [-- --quick] [--runs 3] [--json results.json] [--from results.json]
//
// `--quick` takes under two minutes with fewer objects and one run, and writes nothing. `--from` writes the page from
// the JSON of an earlier run.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { inTurn, measureInformers } from './informer.mjs';
import { buildClientGo, goVersion, measure } from './processes.mjs';
import { page, tables } from './report.mjs';

const root = new URL('../', import.meta.url);
const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    runs: { type: 'string', default: '3' },
    json: { type: 'string' },
    from: { type: 'string' },
  },
});
const { quick } = values;
const log = (line) => process.stderr.write(`${line}\n`);

async function machine(withGo) {
  const versionOf = (name) => JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, root))).version;
  return {
    cores: cpus().length,
    cpu: cpus()[0]?.model.trim(),
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    node: process.version,
    go: withGo ? await goVersion() : undefined,
    clientNode: versionOf('@kubernetes/client-node'),
    fluentClient: versionOf('kubernetes-fluent-client'),
    clientGo: /client-go (v[\d.]+)/.exec(readFileSync(new URL('client-go/go.mod', import.meta.url), 'utf8'))?.[1],
  };
}

async function measureAll() {
  if (!existsSync(new URL('dist/index.js', root))) throw new Error('there is no dist/: npm run build first');
  const go = await buildClientGo({ onlyIfBuilt: quick });
  if (go === undefined) log('client-go is left out: there is no Go, or with --quick it has not been built yet');
  const runs = quick ? 1 : Number(values.runs);
  const started = performance.now();
  const informers = await measureInformers({ runs, quick, go, log });
  const flags = quick ? ['--quick'] : [];
  const ofIndexer = (part) => () => measure('indexer.mjs', part, ...flags);
  const ofClientGo = (what, count) => (go === undefined ? {} : { 'client-go': () => go.measure(what, count) });
  log('queues');
  const queues = await inTurn(
    runs,
    { kubeflect: () => measure('queues.mjs', ...flags), ...ofClientGo('queues', quick ? 200_000 : 1_000_000) },
    log,
  );
  log('indexer');
  const parts = { handles: ofIndexer('handles'), objects: ofIndexer('objects'), pipeline: ofIndexer('pipeline') };
  const indexer = await inTurn(runs, { ...parts, ...ofClientGo('indexer', quick ? 5_000 : 10_000) }, log);
  log('lists');
  // A thousand lists take a few milliseconds: such short measurements need more runs.
  const most = quick ? 1 : 3 * runs;
  const lists = await inTurn(most, { raw: ofIndexer('list-raw'), objects: ofIndexer('list-objects') }, log);
  const minutes = (performance.now() - started) / 60_000;
  return { machine: await machine(go !== undefined), quick, runs, minutes, informers, queues, indexer, lists };
}

const data = values.from === undefined ? await measureAll() : JSON.parse(readFileSync(values.from, 'utf8'));
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(data, null, 1)}\n`);
console.log(tables(data));
if (values.from === undefined) console.log(JSON.stringify(data));
if (!data.quick) {
  const docs = new URL('docs/benchmarks.md', root);
  writeFileSync(docs, page(data, readFileSync(new URL('notes.md', import.meta.url), 'utf8')));
  log(`written to ${fileURLToPath(docs)}`);
}
