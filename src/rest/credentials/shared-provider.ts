import { createHash } from 'node:crypto';
import type { Clock } from '../../time/clock.js';
import type { ConfigEnvironment, Environment } from './config-environment.js';

/** Limit of shared providers, for a process that makes clients for many users. */
const MAX_SHARED = 64;

const shared = new WeakMap<Environment, WeakMap<Clock, Map<string, object>>>();

/**
 * Returns the provider of credentials of an identity, one for all clients of the process: a plugin opens one login in a
 * browser, and a refresh token that is valid once is used once. The least recently used provider is dropped from the cache
 * first; clients that have it keep it.
 *
 * @param identity all settings that distinguish providers, secrets included; only their hash is kept
 */
export function sharedProvider<T extends object>(environment: ConfigEnvironment, identity: unknown, make: () => T): T {
  const byClock = shared.get(environment.env) ?? new WeakMap<Clock, Map<string, object>>();
  shared.set(environment.env, byClock);
  const providers = byClock.get(environment.clock) ?? new Map<string, object>();
  byClock.set(environment.clock, providers);

  const key = createHash('sha256').update(JSON.stringify(identity)).digest('base64');
  const provider = (providers.get(key) as T | undefined) ?? make();
  providers.delete(key);
  providers.set(key, provider);
  for (const oldest of providers.keys()) {
    if (providers.size <= MAX_SHARED) break;
    providers.delete(oldest);
  }
  return provider;
}
