import { checkOptions } from '../meta/known-options.js';
import { type Undo, undoOnce } from '../meta/undo.js';
import { requireFunction, requireString } from '../meta/validate.js';

/** One question about the state of this process. */
export interface HealthCheck {
  /** What is asked about, in a word or two without spaces: it appears in reports and in paths. */
  readonly name: string;
  /** What is wrong, or undefined if nothing is. Throwing or rejecting counts as wrong, too. */
  check(): string | undefined | Promise<string | undefined>;
}

/**
 * What a question is for: `livez` decides whether the process is restarted, `readyz` whether it is sent traffic. What
 * matters for the first matters for the second.
 */
export type Probe = 'livez' | 'readyz';

/** The answer to one check. */
interface CheckResult {
  readonly name: string;
  /** What is wrong; undefined if nothing is. */
  readonly problem: string | undefined;
}

/** The answers to all checks of a probe. */
export interface HealthReport {
  readonly probe: 'livez' | 'readyz';
  readonly ok: boolean;
  readonly checks: readonly CheckResult[];
  /** Names that were to be left out and that no check has. */
  readonly unknown: readonly string[];
}

/** Options of {@link Health.report}. */
interface ReportOptions {
  /** Names of checks that shall not be asked. @default none */
  readonly exclude?: readonly string[] | undefined;
  /** The only check to ask. @default all of them */
  readonly only?: string | undefined;
}

/** Says that the process runs at all, as every list of checks of a Kubernetes component begins. */
const ping: HealthCheck = { name: 'ping', check: () => undefined };

/**
 * Whether this process is alive and ready, check by check. {@link httpHandler} serves it as Kubernetes' own components
 * do.
 *
 * @example
 * const health = new Health();
 * health.addReady(informersCheck([pods, nodes]));
 * health.addLive(new LeaderElectionHealth({ elector }));
 */
export class Health {
  readonly #checks: Readonly<Record<Probe, Map<string, HealthCheck>>> = {
    livez: new Map([[ping.name, ping]]),
    readyz: new Map([[ping.name, ping]]),
  };

  /** Without this the process is of no use and had better be restarted; nor is it ready. Returns the undo. */
  addLive(check: HealthCheck): Undo {
    return this.#add(check, ['livez', 'readyz']);
  }

  /** Without this the process should get no traffic for the time being. Returns the undo. */
  addReady(check: HealthCheck): Undo {
    return this.#add(check, ['readyz']);
  }

  /** The names of the checks of a probe, in the order in which they are asked. */
  names(probe: 'livez' | 'readyz'): string[] {
    return [...this.#checks[probe].keys()];
  }

  /** Asks all checks of a probe at once. Never rejects. */
  async report(probe: 'livez' | 'readyz', options: ReportOptions = {}): Promise<HealthReport> {
    const { exclude = [], only } = checkOptions('health.report', options, { exclude: true, only: true });
    const checks = this.#checks[probe];
    const asked = [...checks.values()].filter(
      ({ name }) => !exclude.includes(name) && (only === undefined || only === name),
    );
    const results = await Promise.all(asked.map(ask));
    return {
      probe,
      ok: results.every(({ problem }) => problem === undefined),
      checks: results,
      unknown: exclude.filter((name) => !checks.has(name)),
    };
  }

  #add(check: HealthCheck, probes: readonly Probe[]): Undo {
    const name = requireString('name', check.name);
    requireFunction('check', check.check);
    if (probes.some((probe) => this.#checks[probe].has(name)))
      throw new TypeError(`there is a health check named ${JSON.stringify(name)} already: give this one another name`);
    for (const probe of probes) this.#checks[probe].set(name, check);
    return undoOnce(() => {
      for (const probe of probes) this.#checks[probe].delete(name);
    });
  }
}

async function ask(check: HealthCheck): Promise<CheckResult> {
  try {
    return { name: check.name, problem: await check.check() };
  } catch (error) {
    return { name: check.name, problem: error instanceof Error ? error.message : String(error) };
  }
}

/** A report as Kubernetes' components write it: one line per check, and a verdict. */
export function reportText(report: HealthReport): string {
  const lines = report.checks.map(({ name, problem }) =>
    problem === undefined ? `[+]${name} ok` : `[-]${name} failed: ${problem.replaceAll('\n', ' ')}`,
  );
  const unknown = report.unknown.map((name) => JSON.stringify(name)).join(', ');
  if (unknown !== '') lines.push(`warn: some health checks cannot be excluded: no matches for ${unknown}`);
  lines.push(`${report.probe} check ${report.ok ? 'passed' : 'failed'}`);
  return `${lines.join('\n')}\n`;
}
