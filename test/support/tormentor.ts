import { setTimeout as sleep } from 'node:timers/promises';
import type { ProxiedConnection, TcpProxy } from './tcp-proxy.js';

/** What a {@link torment} may do, and how it calls it in its account. */
export type Torment = 'reset' | 'resetAll' | 'stall' | 'pause' | 'halfClose' | 'trickle' | 'refuse';

export interface TormentOptions {
  /** Numbers from 0 to 1: the same ones bring the same torments in the same order. */
  readonly random: () => number;
  readonly signal: AbortSignal;
  readonly kinds: readonly Torment[];
  /** The longest time between two torments. */
  readonly everyMs: number;
}

/**
 * Does one bad thing after another to the connections of a proxy until the signal aborts, and lets new ones through again
 * then. Stalled connections stay stalled: the client has to notice that itself. Resolves with how often each torment was used.
 */
export async function torment(proxy: TcpProxy, options: TormentOptions): Promise<Record<string, number>> {
  const { random, signal, kinds, everyMs } = options;
  const account: Record<string, number> = {};
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => {});
  const pick = <T>(choices: readonly T[]): T | undefined => choices[Math.floor(random() * choices.length)];
  while (!signal.aborted) {
    await pause(random() * everyMs);
    const kind = pick(kinds) as Torment;
    const victim = pick(proxy.connections.filter(({ isStalled }) => !isStalled));
    const strength = random();
    if (signal.aborted || (victim === undefined && kind !== 'refuse')) continue;
    account[kind] = (account[kind] ?? 0) + 1;
    if (kind === 'refuse') {
      proxy.refuse(true);
      proxy.reset();
      await pause(strength * 3_000);
      proxy.refuse(false);
    } else if (kind === 'resetAll') proxy.reset();
    else await inflict(kind, victim as ProxiedConnection, strength, pause);
  }
  for (const connection of proxy.connections) if (!connection.isStalled) connection.resume();
  return account;
}

async function inflict(
  kind: Exclude<Torment, 'refuse' | 'resetAll'>,
  connection: ProxiedConnection,
  strength: number,
  pause: (ms: number) => Promise<void>,
): Promise<void> {
  switch (kind) {
    case 'reset':
      connection.reset();
      break;
    case 'stall':
      connection.stall();
      break;
    case 'pause':
      connection.stall();
      await pause(strength * 4_000);
      connection.resume();
      break;
    case 'halfClose':
      connection.halfClose(strength < 0.5 ? 'client' : 'server');
      break;
    case 'trickle':
      connection.trickle(200 + strength * 20_000);
      await pause(strength * 4_000);
      connection.resume();
      break;
  }
}
