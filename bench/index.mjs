// Runs all benchmarks: prints tables of medians and ratios, and writes the figures to bench/results/ and docs/benchmarks.md.
//
//   npm run bench [-- --real] [--quick] [--runs 3]
//
// Without `--real` the informers follow a load server; with it, a real kube-apiserver, and nothing else is measured. Each
// writes its own part of the page, and `--real` the table of the README. `--quick` takes minutes with fewer objects and one run, and writes nothing.
// `--page` only writes the page, from the figures in bench/results/.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { inTurn, measureInformers } from './informer.mjs';
import { machineFacts, moduleVersion } from './machine.mjs';
import { buildClientGo, goVersion, measure } from './processes.mjs';
import { page, tables, withFigures } from './report.mjs';

const root = new URL('../', import.meta.url);
const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    real: { type: 'boolean', default: false },
    page: { type: 'boolean', default: false },
    runs: { type: 'string', default: '3' },
  },
});
const { quick } = values;
const log = (line) => process.stderr.write(`${line}\n`);

async function machine(withGo) {
  const versionOf = (name) => JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, root))).version;
  return {
    ...machineFacts(),
    go: withGo ? await goVersion() : undefined,
    clientNode: versionOf('@kubernetes/client-node'),
    fluentClient: versionOf('kubernetes-fluent-client'),
    clientGo: moduleVersion('client-go', 'client-go'),
  };
}

async function measureLoad(runs, go) {
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
  return { informers, queues, indexer, lists };
}

async function measureReal(runs, go) {
  if (go === undefined)
    throw new Error('the real kube-apiserver and client-go are built with Go, which is not installed');
  // Loaded only here: it builds a kube-apiserver if there is none.
  const { measureReal: measureAll } = await import('./real.mjs');
  return measureAll({ runs, quick, go, log });
}

async function run() {
  if (!existsSync(new URL('dist/index.js', root))) throw new Error('there is no dist/: npm run build first');
  const go = await buildClientGo({ onlyIfBuilt: quick && !values.real });
  if (go === undefined) log('client-go is left out: there is no Go, or with --quick it has not been built yet');
  const runs = quick ? 1 : Number(values.runs);
  const started = performance.now();
  const figures = await (values.real ? measureReal : measureLoad)(runs, go);
  const minutes = (performance.now() - started) / 60_000;
  return { machine: await machine(go !== undefined), runs, minutes, ...figures };
}

const results = (name) => new URL(`results/${name}.json`, import.meta.url);
const stored = (name) => (existsSync(results(name)) ? JSON.parse(readFileSync(results(name), 'utf8')) : undefined);

if (!values.page) {
  const name = values.real ? 'real' : 'load';
  const data = await run();
  console.log(tables({ [name]: data }));
  if (!quick) {
    mkdirSync(new URL('results/', import.meta.url), { recursive: true });
    writeFileSync(results(name), `${JSON.stringify(data, null, 1)}\n`);
  }
}
if (!quick) {
  const docs = new URL('docs/benchmarks.md', root);
  const notes = readFileSync(new URL('notes.md', import.meta.url), 'utf8');
  writeFileSync(docs, page({ load: stored('load'), real: stored('real'), controller: stored('controller') }, notes));
  log(`written to ${fileURLToPath(docs)}`);
  const real = stored('real');
  const readme = new URL('README.md', root);
  if (real !== undefined) writeFileSync(readme, withFigures(readFileSync(readme, 'utf8'), real));
}
