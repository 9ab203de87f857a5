import { isIP } from 'node:net';
import { redactUrl } from '../../meta/secret.js';
import { hostOf, isLoopback, isWithin } from '../http/host.js';
import type { Environment } from './config-environment.js';
import { ConfigError } from './config-errors.js';

/**
 * The proxy that the environment variables set, as curl and Go read them: `HTTPS_PROXY` for https, `HTTP_PROXY` for http (or in
 * lower case), unless `NO_PROXY` matches the server. Servers on this machine are reached without a proxy.
 *
 * `NO_PROXY` is a list separated by commas: `*`, a domain with its subdomains (`example.com`), subdomains only
 * (`.example.com`), an address, a range (`10.0.0.0/8`), each optionally with a port.
 */
export function environmentProxy(server: URL, env: Environment): string | undefined {
  const name = server.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const proxy = read(env, name);
  if (proxy === '' || isLoopback(hostOf(server)) || isExempt(server, read(env, 'NO_PROXY'))) return undefined;
  return checkProxyUrl(proxy.includes('://') ? proxy : `http://${proxy}`, name);
}

/** Returns the URL if it is one of an HTTP proxy. The error shows no password. */
export function checkProxyUrl(url: string, where: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.hostname && (parsed.protocol === 'http:' || parsed.protocol === 'https:')) return url;
  const reason =
    parsed?.hostname === undefined || parsed.hostname === ''
      ? 'it must be a URL such as http://proxy.example.com:3128'
      : `${redactUrl(url)} is not an HTTP proxy: only http:// and https:// are supported`;
  throw new ConfigError(`${where}: cannot use the proxy: ${reason}`);
}

function read(env: Environment, name: string): string {
  return (env[name] || env[name.toLowerCase()] || '').trim();
}

function isExempt(server: URL, list: string): boolean {
  const host = hostOf(server);
  const port = server.port || (server.protocol === 'https:' ? '443' : '80');
  return list
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .some((entry) => entry !== '' && matches(entry, host, port));
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  const range = /^(.+)\/(\d{1,3})$/.exec(entry);
  if (range !== null) return isWithin(host, range[1] ?? '', Number(range[2]));
  const [pattern, onlyPort] = splitPort(entry);
  if (onlyPort !== undefined && onlyPort !== port) return false;
  const version = isIP(pattern);
  if (version !== 0) return isWithin(host, pattern, version === 4 ? 32 : 128);
  const suffix = pattern.replace(/^\*\./, '.');
  return suffix.startsWith('.') ? host.endsWith(suffix) : host === suffix || host.endsWith(`.${suffix}`);
}

/** Splits `host:1`, `[::1]:1`, `[::1]` or a host alone; the colons of a bare IPv6 address separate no port. */
function splitPort(entry: string): [host: string, port: string | undefined] {
  if (isIP(entry) === 6) return [entry, undefined];
  const parts = /^(?:\[(.+)\]|([^:]*))(?::(\d+))?$/.exec(entry);
  return parts === null ? [entry, undefined] : [parts[1] ?? parts[2] ?? '', parts[3]];
}
