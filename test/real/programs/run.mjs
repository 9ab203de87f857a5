// @ts-check
// Runs programs of others against the embedded server and, for comparison, against a real kube-apiserver:
//
//   node test/real/programs/run.mjs [controller-runtime|kubernetes|python|kube-rs …] [--embedded|--real]
//
// It needs dist/ (npm run build) and the languages of the programs: Go, Python, Rust. See docs/real-server.md.
import { parseArgs } from 'node:util';
import { runControllerRuntime } from './controller-runtime.mjs';
import { runKubeRs } from './kube-rs.mjs';
import { runKubernetes } from './kubernetes.mjs';
import { runPython } from './python.mjs';

/** @import { TargetName } from './target.mjs' */

/** @type {Record<string, (targets: readonly TargetName[], log: (line: string) => void) => Promise<void>>} */
const programs = {
  'controller-runtime': runControllerRuntime,
  kubernetes: runKubernetes,
  python: runPython,
  'kube-rs': runKubeRs,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { embedded: { type: 'boolean', default: false }, real: { type: 'boolean', default: false } },
});
const unknown = positionals.filter((name) => !Object.hasOwn(programs, name));
if (unknown.length > 0) {
  process.stderr.write(`no program ${unknown.join(', ')}; there are ${Object.keys(programs).join(', ')}\n`);
  process.exit(2);
}
/** @type {TargetName[]} */
const targets = values.embedded ? ['embedded'] : values.real ? ['real'] : ['embedded', 'real'];
const log = (/** @type {string} */ line) => void process.stdout.write(`${line}\n`);

let failed = 0;
for (const name of positionals.length > 0 ? positionals : Object.keys(programs)) {
  try {
    await programs[name]?.(targets, log);
    log(`${name}: passed`);
  } catch (error) {
    failed++;
    log(`${name}: failed\n${error instanceof Error ? error.stack : error}`);
  }
}
process.exit(failed === 0 ? 0 : 1);
