import { createHash } from 'node:crypto';
import { isatty } from 'node:tty';
import type { OptionNames } from '../../meta/known-options.js';
import { requireNumber } from '../../meta/validate.js';
import type { Clock } from '../../time/clock.js';
import { realClock } from '../../time/real-clock.js';

/** Environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What every way to a configuration takes besides its own options. */
export interface ConfigOptions {
  /**
   * Measures the age of tokens and certificates.
   * @default the machine's clock
   */
  readonly clock?: Clock | undefined;
  /**
   * Where `KUBECONFIG`, `HOME`, `KUBERNETES_SERVICE_HOST` and the proxies are looked up; credential plugins get it too.
   * @default process.env
   */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** @default the name and version of the running program and of this package */
  readonly userAgent?: string | undefined;
  /**
   * Sends credentials over plain http to other machines, where everybody on the way can read them. Servers on this machine
   * need no permission.
   * @default false
   */
  readonly allowPlainHttpCredentials?: boolean | undefined;
  /**
   * How long a credential plugin may run before it is killed and its request fails; 0 waits for ever. It may have to wait
   * for somebody who logs in with a browser.
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

/** The process around a configuration, so that tests can stand in for it. */
export interface Surroundings {
  readonly clock: Clock;
  readonly env: Environment;
  readonly allowPlainHttpCredentials?: boolean | undefined;
  /** @default 180000 */
  readonly execTimeoutMs?: number | undefined;
  /** Whether somebody can be asked for a password. */
  isTerminal(): boolean;
  /** Shows what credential plugins have to say to people. */
  writeStderr(text: string): void;
}

/** The real surroundings, with what the options replace. */
export function surroundingsOf(options: ConfigOptions): Surroundings {
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

/** How many providers are remembered: a process that makes clients for many users must not keep all of them for ever. */
const REMEMBERED = 64;

const shared = new WeakMap<Environment, WeakMap<Clock, Map<string, object>>>();

/**
 * One provider of credentials per identity, for all clients of the process: a login in a browser is asked for once, and
 * a refresh token that may be used only once is used by one. What has not been asked for longest is forgotten first;
 * whoever holds it keeps it.
 *
 * @param identity everything that makes a difference, secrets included: only its hash is kept
 */
export function sharedByIdentity<T extends object>(around: Surroundings, identity: unknown, make: () => T): T {
  const byClock = shared.get(around.env) ?? new WeakMap<Clock, Map<string, object>>();
  shared.set(around.env, byClock);
  const providers = byClock.get(around.clock) ?? new Map<string, object>();
  byClock.set(around.clock, providers);

  const key = createHash('sha256').update(JSON.stringify(identity)).digest('base64');
  const provider = (providers.get(key) as T | undefined) ?? make();
  providers.delete(key);
  providers.set(key, provider);
  for (const oldest of providers.keys()) {
    if (providers.size <= REMEMBERED) break;
    providers.delete(oldest);
  }
  return provider;
}
