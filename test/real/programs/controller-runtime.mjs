// @ts-check
import { mkdir, mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cacheFolder } from '../build.mjs';
import { runCommand } from './run-command.mjs';
import { startTarget } from './target.mjs';

/** @import { TargetName } from './target.mjs' */

/** The release for the client-go of Kubernetes 1.36. */
const version = 'v0.24.1';
const suites = ['cache', 'client', 'builder', 'manager'];
/** A suite takes up to a minute and a half on a quiet machine. */
const withinMs = 900_000;

/** @typedef {{ passed: number, failed: number, pending: number, seconds: number, failures: string[] }} SuiteResult */

/**
 * Runs the suites of controller-runtime against each target: each suite on a server of its own, since suites leave objects
 * behind. Each may fail in at most five more specs than on the real server.
 *
 * @param {readonly TargetName[]} targets
 * @param {(line: string) => void} log
 */
export async function runControllerRuntime(targets, log) {
  const folder = await moduleFolder();
  /** @type {Record<string, Record<string, SuiteResult>>} */
  const results = {};
  for (const suite of suites) {
    const binary = await buildSuite(folder, suite, log);
    for (const target of targets) {
      const result = await runSuite(binary, join(folder, 'pkg', suite), target);
      (results[suite] ??= {})[target] = result;
      const { passed, failed, pending, seconds } = result;
      log(
        `controller-runtime ${version} pkg/${suite}, ${target}: ${passed} passed, ${failed} failed, ${pending} pending, ${seconds.toFixed(1)} s`,
      );
      for (const failure of result.failures) log(`  failed: ${failure}`);
    }
  }
  for (const [suite, { embedded, real }] of Object.entries(results)) {
    if (embedded === undefined) continue;
    const allowed = (real?.failed ?? 0) + 5;
    if (embedded.passed === 0 || embedded.failed > allowed) {
      throw new Error(`pkg/${suite}: ${embedded.failed} specs failed on the embedded server, ${allowed} are allowed`);
    }
  }
}

async function moduleFolder() {
  const module = `sigs.k8s.io/controller-runtime@${version}`;
  const { output } = await runCommand('go', ['mod', 'download', '-json', module], { cwd: tmpdir() });
  return /** @type {string} */ (JSON.parse(output).Dir);
}

/**
 * @param {string} folder
 * @param {string} suite
 * @param {(line: string) => void} log
 */
async function buildSuite(folder, suite, log) {
  const cache = join(cacheFolder('controller-runtime'), version);
  const binary = join(cache, `${suite}.test`);
  if (await stat(binary).catch(() => undefined)) return binary;
  log(`Building pkg/${suite} of controller-runtime ${version} (once) …`);
  await mkdir(cache, { recursive: true });
  const unfinished = `${binary}.${process.pid}`;
  await runCommand('go', ['test', '-trimpath', '-c', '-o', unfinished, `./pkg/${suite}`], { cwd: folder });
  await rename(unfinished, binary);
  return binary;
}

/**
 * @param {string} binary
 * @param {string} cwd
 * @param {TargetName} name
 * @returns {Promise<SuiteResult>}
 */
async function runSuite(binary, cwd, name) {
  const target = await startTarget(name);
  const scratch = await mkdtemp(join(tmpdir(), 'kubeflect-suite-'));
  try {
    const report = join(scratch, 'report.json');
    const env = { ...process.env, USE_EXISTING_CLUSTER: 'true', KUBECONFIG: await target.kubeconfig() };
    const started = performance.now();
    const { output } = await runCommand(binary, [`--ginkgo.json-report=${report}`, '--ginkgo.no-color'], {
      cwd,
      env,
      withinMs,
      acceptsFailure: true,
    });
    const seconds = (performance.now() - started) / 1000;
    const text = await readFile(report, 'utf8').catch(() => {
      throw new Error(`${binary} wrote no report:\n${output.slice(-4000)}`);
    });
    return { ...readReport(JSON.parse(text)), seconds };
  } finally {
    await rm(scratch, { recursive: true, force: true });
    await target.stop();
  }
}

/** @param {any[]} report what ginkgo writes */
function readReport(report) {
  const result = { passed: 0, failed: 0, pending: 0, failures: /** @type {string[]} */ ([]) };
  for (const suite of report) {
    for (const { State, LeafNodeType, ContainerHierarchyTexts, LeafNodeText } of suite.SpecReports ?? []) {
      const title = [...(ContainerHierarchyTexts ?? []), LeafNodeText].join(' ');
      if (LeafNodeType !== 'It') {
        // A set-up that fails leaves out all specs.
        if (State !== 'passed') result.failures.push(`${LeafNodeType} ${title}`);
      } else if (State === 'passed') result.passed++;
      else if (State === 'pending' || State === 'skipped') result.pending++;
      else {
        result.failed++;
        result.failures.push(title);
      }
    }
  }
  return result;
}
