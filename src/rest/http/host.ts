import { BlockList, isIP } from 'node:net';

/** The host of a URL, without the brackets around an IPv6 address. */
export function hostOf(url: URL): string {
  return url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
}

/** Whether a host is this machine. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  return isWithin(host, '127.0.0.0', 8) || isWithin(host, '::1', 128);
}

/** Whether a host is an IP address within a network. */
export function isWithin(host: string, network: string, prefix: number): boolean {
  const version = isIP(network);
  if (version === 0 || isIP(host) !== version || prefix > (version === 4 ? 32 : 128)) return false;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  list.addSubnet(network, prefix, family);
  return list.check(host, family);
}
