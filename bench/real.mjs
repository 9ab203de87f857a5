// Compares informers on a real kube-apiserver with etcd, which runs on this machine: first sync of many pods, then changes
// at a low rate. Client and server share the cores, as the bytes are the server's work too.
//
//   npm run bench -- --real
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRealApiServer } from '../test/real/real-api-server.mjs';
import { goPeers, medians } from './informer.mjs';
import { followOn, measureOn } from './processes.mjs';

const names = ['keys', 'objects', 'keys, JSON', 'objects, JSON', 'bytes', 'bytes, JSON', 'client-node'];

/** Runs the subjects in turns; `measureOne` gets a name and, for client-go, its kind. */
async function inTurns(runs, all, measureOne, log) {
  const results = {};
  for (let run = 0; run < runs; run++) {
    for (const name of all) {
      const result = await measureOne(name, goPeers[name]);
      log(`  ${name}: ${JSON.stringify(result)}`);
      results[name] = [...(results[name] ?? []), result];
    }
  }
  return Object.fromEntries(Object.entries(results).map(([name, each]) => [name, medians(each)]));
}

/** Runs all measurements on a real server. */
export async function measureReal({ runs, quick, go, log }) {
  const size = quick ? { pods: 2_000, events: 250, rate: 250 } : { pods: 20_000, events: 2_500, rate: 250 };
  const folder = mkdtempSync(join(tmpdir(), 'kubeflect-bench-'));
  const real = await startRealApiServer();
  try {
    const server = { url: real.url, caFile: join(folder, 'ca.crt'), token: real.adminToken };
    writeFileSync(server.caFile, real.ca);
    log(`creating ${size.pods} pods`);
    log(`  ${JSON.stringify(await go.measureOn(server, 'fill', [], size.pods))}`);
    log(`first sync of ${size.pods} pods`);
    const all = [...Object.keys(goPeers), ...names];
    const syncOne = (name, kind) =>
      kind === undefined ? measureOn(server, 'sync', name, size.pods) : go.measureOn(server, 'sync', [kind], size.pods);
    const sync = await inTurns(runs, all, syncOne, log);
    log(`${size.events} changes at ${size.rate} per second`);
    const cause = () => go.measureOn(server, 'churn', [], size.pods, size.events, size.rate);
    const followOne = (name, kind) =>
      kind === undefined
        ? followOn(server, name, cause, size.pods, size.events)
        : go.followOn(server, kind, cause, size.pods, size.events);
    const changes = await inTurns(runs, all, followOne, log);
    return { size, sync, changes };
  } finally {
    await real.stop();
    rmSync(folder, { recursive: true });
  }
}
