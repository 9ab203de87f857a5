import { isIP } from 'node:net';
import { optionError } from '../../meta/options/validate.js';
import { hostOf, isLoopback } from './host.js';

/** The options of a server that say how it may be called. */
interface ListenOptions {
  readonly host?: string | undefined;
  readonly allowedHosts?: readonly string[] | undefined;
}

/**
 * Returns whether a server that listens on `host` accepts a host name, in the form of `URL.hostname`: loopback names, its own name,
 * those that are allowed, and every address if it listens on all of them.
 */
export function ownHosts({ host = '127.0.0.1', allowedHosts = [] }: ListenOptions): (host: string) => boolean {
  if (!Array.isArray(allowedHosts)) throw optionError('allowedHosts', 'an array of host names', allowedHosts);
  const names = new Set([urlHost('host', host), ...allowedHosts.map((name) => urlHost('allowedHosts', name))]);
  const isEverywhere = names.has('0.0.0.0') || names.has('::');
  return (name) => {
    const bare = name.startsWith('[') ? name.slice(1, -1) : name;
    return names.has(bare) || isLoopback(bare) || (isEverywhere && isIP(bare) !== 0);
  };
}

/** A host name or address in its normalized form, as in `URL.hostname`. */
function urlHost(option: string, host: string): string {
  // The zone of an IPv6 address is never part of a Host header.
  const [address = ''] = String(host).split('%', 1);
  const url = `http://${isIP(address) === 6 ? `[${address}]` : address}`;
  if ((isIP(address) === 6 || /^[^:/?#@]+$/.test(address)) && URL.canParse(url)) return hostOf(new URL(url));
  throw optionError(option, 'host names or addresses, without a port', host);
}
