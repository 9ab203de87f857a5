import { checkOptions } from '../meta/options/known-options.js';
import { requireFunction, requireString } from '../meta/options/validate.js';
import { type Undo, undoOnce } from '../meta/undo.js';

/** A check of the state of this process. */
export interface HealthCheck {
  /** The name in reports and in paths such as `/readyz/name`, without spaces. */
  readonly name: string;
  /**
   * Whether a failure is shown but does not fail the probe. It does if the check is asked for: `/readyz/name`, or
   * `/readyz?include=name`.
   * @default false
   */
  readonly isAdvisory?: boolean | undefined;
  /** Returns what is wrong, or undefined if the check passes. A check that throws or rejects has failed. */
  check(): string | undefined | Promise<string | undefined>;
}

/**
 * `livez` decides whether the process is restarted, `readyz` whether it gets traffic. Every check of `livez` is a check of
 * `readyz` too.
 */
export type Probe = 'livez' | 'readyz';

/** The result of one check. */
interface CheckResult {
  readonly name: string;
  /** What is wrong; undefined if the check passed. */
  readonly problem: string | undefined;
  /** Whether the problem is only shown. */
  readonly isAdvisory: boolean;
}

/** The results of the checks of a probe. */
export interface HealthReport {
  readonly probe: 'livez' | 'readyz';
  readonly ok: boolean;
  readonly checks: readonly CheckResult[];
  /** Names in `exclude` and `include` that no check has. */
  readonly unknown: readonly string[];
}

/** Options of {@link Health.report}. */
interface ReportOptions {
  /** Names of checks that are skipped. @default none */
  readonly exclude?: readonly string[] | undefined;
  /** Names of advisory checks that count. @default none */
  readonly include?: readonly string[] | undefined;
  /** The name of the only check to run, which counts. @default all checks */
  readonly only?: string | undefined;
}

/** Always passes; it is the first check of every Kubernetes component. */
const ping: HealthCheck = { name: 'ping', check: () => undefined };

/**
 * The liveness and readiness checks of this process. {@link httpHandler} serves them as Kubernetes' components do.
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

  /** Adds a check of `livez` and `readyz`: the process should be restarted when it fails. */
  addLive(check: HealthCheck): Undo {
    return this.#add(check, ['livez', 'readyz']);
  }

  /** Adds a check of `readyz`: the process should get no traffic while it fails. */
  addReady(check: HealthCheck): Undo {
    return this.#add(check, ['readyz']);
  }

  /** The names of the checks of a probe, in the order in which they were added. */
  names(probe: 'livez' | 'readyz'): string[] {
    return [...this.#checks[probe].keys()];
  }

  /** Runs the checks of a probe concurrently. Never rejects. */
  async report(probe: 'livez' | 'readyz', options: ReportOptions = {}): Promise<HealthReport> {
    const names = { exclude: true, include: true, only: true } as const;
    const { exclude = [], include = [], only } = checkOptions('health.report', options, names);
    const checks = this.#checks[probe];
    const selected = [...checks.values()].filter(
      ({ name }) => !exclude.includes(name) && (only === undefined || only === name),
    );
    const results = await Promise.all(
      selected.map(async (check) => {
        const isAdvisory = check.isAdvisory === true && only === undefined && !include.includes(check.name);
        return { name: check.name, problem: await problemOf(check), isAdvisory };
      }),
    );
    return {
      probe,
      ok: results.every(({ problem, isAdvisory }) => problem === undefined || isAdvisory),
      checks: results,
      unknown: [...exclude, ...include].filter((name) => !checks.has(name)),
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

async function problemOf(check: HealthCheck): Promise<string | undefined> {
  try {
    return await check.check();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** A report in the format of Kubernetes' components: one line per check, and the result. */
export function reportText(report: HealthReport): string {
  const lines = report.checks.map(({ name, problem, isAdvisory }) => {
    if (problem === undefined) return `[+]${name} ok`;
    const text = problem.replaceAll('\n', ' ');
    return isAdvisory ? `[!]${name} warns: ${text}` : `[-]${name} failed: ${text}`;
  });
  const unknown = report.unknown.map((name) => JSON.stringify(name)).join(', ');
  if (unknown !== '') lines.push(`warn: some health checks cannot be excluded or included: no matches for ${unknown}`);
  lines.push(`${report.probe} check ${report.ok ? 'passed' : 'failed'}`);
  return `${lines.join('\n')}\n`;
}
