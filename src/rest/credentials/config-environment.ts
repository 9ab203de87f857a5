import { isatty } from 'node:tty';
import type { OptionNames } from '../../meta/options/known-options.js';
import { requireNumber } from '../../meta/options/validate.js';
import type { Clock } from '../../time/clock.js';
import { realClock } from '../../time/real-clock.js';

/** Environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Options that all ways to load a configuration have in common. */
export interface ConfigOptions {
  /**
   * Measures the age of tokens and certificates.
   * @default realClock
   */
  readonly clock?: Clock | undefined;
  /**
   * The environment variables `KUBECONFIG`, `HOME`, `KUBERNETES_SERVICE_HOST` and those of proxies; credential plugins get it too.
   * @default process.env
   */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** The User-Agent header. @default name and version of the running program, and the name of this package */
  readonly userAgent?: string | undefined;
  /**
   * Sends credentials over plain http to other machines, where they can be read on the network. Not needed for servers on
   * this machine.
   * @default false
   */
  readonly allowPlainHttpCredentials?: boolean | undefined;
  /**
   * How long a credential plugin may run before it is killed and its request fails; 0 sets no limit. A plugin may wait for
   * a login in a browser.
   * @default 180000
   */
  readonly execTimeoutMs?: number | undefined;
}

export const configNames: OptionNames<ConfigOptions> = {
  clock: true,
  env: true,
  userAgent: true,
  allowPlainHttpCredentials: true,
  execTimeoutMs: true,
};

/** What a configuration uses of the process: its clock, environment variables and terminal. Tests replace it. */
export interface ConfigEnvironment {
  readonly clock: Clock;
  readonly env: Environment;
  readonly allowPlainHttpCredentials?: boolean | undefined;
  /** @default 180000 */
  readonly execTimeoutMs?: number | undefined;
  /** Whether the standard input is a terminal, so that a credential plugin can ask for a password. */
  isTerminal(): boolean;
  /** Prints what credential plugins write to their standard error. */
  writeStderr(text: string): void;
}

/** The environment of this process, with clock and variables of the options. */
export function configEnvironment(options: ConfigOptions): ConfigEnvironment {
  return {
    clock: options.clock ?? realClock,
    env: options.env ?? process.env,
    allowPlainHttpCredentials: options.allowPlainHttpCredentials,
    execTimeoutMs:
      options.execTimeoutMs === undefined ? undefined : requireNumber('execTimeoutMs', options.execTimeoutMs),
    isTerminal: () => isatty(0),
    writeStderr: (text) => void process.stderr.write(text),
  };
}
