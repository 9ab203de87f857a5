import { urlType } from '../check/declarations.js';
import type { CelType } from '../check/types.js';
import { ArrayList, CelError, EntryMap, noSuchOverload, type OpaqueValue, type Value } from '../eval/values.js';
import type { CelFunction } from './function.js';
import { Ip, parseIp } from './network.js';

/** A parsed URL, in parts as Go's net/url has them. */
class CelUrl implements OpaqueValue {
  readonly opaqueType: CelType = urlType;

  constructor(
    readonly text: string,
    readonly scheme: string,
    readonly host: string,
    readonly path: string,
    readonly query: string,
  ) {}

  equals(other: OpaqueValue): boolean {
    return other instanceof CelUrl && other.text === this.text;
  }

  /** The host without port and brackets. */
  get hostname(): string {
    const name = this.port === '' ? this.host.replace(/:$/, '') : this.host.slice(0, -this.port.length - 1);
    return name.startsWith('[') ? name.slice(1, -1) : name;
  }

  get port(): string {
    return /:(\d*)$/.exec(this.host.replace(/^.*\]/, ''))?.[1] ?? '';
  }
}

/** Why a text is no URL. */
class UrlProblem extends Error {}

const badEscape = /%(?![0-9a-fA-F]{2}).{0,2}/s;

function checkEscapes(text: string): void {
  const wrong = badEscape.exec(text)?.[0];
  if (wrong !== undefined) throw new UrlProblem(`invalid URL escape ${JSON.stringify(wrong)}`);
}

/** Parses a URI of a request: with a scheme, or a path that begins with a slash. */
export function parseRequestUri(text: string): CelUrl | CelError {
  try {
    return parseUrl(text);
  } catch (error) {
    if (error instanceof UrlProblem) return new CelError(`parse ${JSON.stringify(text)}: ${error.message}`);
    throw error;
  }
}

function parseUrl(text: string): CelUrl {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is refused
  if (/[\x00-\x1f\x7f]/.test(text)) throw new UrlProblem('net/url: invalid control character in URL');
  if (text === '') throw new UrlProblem('empty url');
  if (text.startsWith(':')) throw new UrlProblem('missing protocol scheme');
  if (text === '*') return new CelUrl(text, '', '', '*', '');
  const scheme = (/^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text)?.[1] ?? '').toLowerCase();
  const afterScheme = scheme === '' ? text : text.slice(scheme.length + 1);
  if (!afterScheme.startsWith('/')) {
    if (scheme === '') throw new UrlProblem('invalid URI for request');
    const [, query = ''] = splitOnce(withoutFragment(afterScheme), '?');
    return new CelUrl(text, scheme, '', '', query);
  }
  const [beforeQuery, query = ''] = splitOnce(withoutFragment(afterScheme), '?');
  let path = beforeQuery;
  let host = '';
  if (scheme !== '' && path.startsWith('//')) {
    const end = path.indexOf('/', 2);
    host = parseAuthority(path.slice(2, end < 0 ? undefined : end));
    path = end < 0 ? '' : path.slice(end);
  }
  checkEscapes(path);
  return new CelUrl(text, scheme, host, path, query);
}

function withoutFragment(text: string): string {
  return splitOnce(text, '#')[0];
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function parseAuthority(authority: string): string {
  const at = authority.lastIndexOf('@');
  const host = authority.slice(at + 1);
  checkHost(host);
  if (at >= 0 && !/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(authority.slice(0, at)))
    throw new UrlProblem('net/url: invalid userinfo');
  return host;
}

function checkHost(host: string): void {
  const bracket = host.lastIndexOf('[');
  if (bracket > 0) throw new UrlProblem('invalid IP-literal');
  if (bracket === 0) {
    const end = host.lastIndexOf(']');
    if (end < 0) throw new UrlProblem("missing ']' in host");
    checkPort(host.slice(end + 1));
    const address = parseIp(host.slice(1, end).replace(/%25.*$/, ''));
    if (address instanceof Ip && address.family === 4) throw new UrlProblem('invalid IP-literal');
    if (address instanceof CelError)
      throw new UrlProblem(`invalid host: ${address.message.replace(/^IP Address .*? from string: /, '')}`);
    return;
  }
  const colon = host.indexOf(':');
  if (colon >= 0) checkPort(host.slice(colon));
  const escaped = /%(?![89a-fA-F][0-9a-fA-F]|25).{0,2}/s.exec(host)?.[0];
  if (escaped !== undefined) throw new UrlProblem(`invalid URL escape ${JSON.stringify(escaped)}`);
  const wrong = /[ "<>\\^`{|}]/.exec(host.slice(0, colon < 0 ? undefined : colon))?.[0];
  if (wrong !== undefined && wrong !== '"' && wrong !== '<' && wrong !== '>')
    throw new UrlProblem(`invalid character ${JSON.stringify(wrong)} in host name`);
}

function checkPort(port: string): void {
  if (port !== '' && !/^:\d*$/.test(port)) throw new UrlProblem(`invalid port ${JSON.stringify(port)} after host`);
}

/** The path with characters escaped that may not stand in a URL. */
function escapedPath(path: string): string {
  if (/^[A-Za-z0-9\-_.~!$&'()*+,;=:@[\]%/]*$/.test(path)) return path;
  const decoded = Buffer.from(
    path.replace(/%([0-9a-fA-F]{2})/g, (_t, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    /%[89a-fA-F]/.test(path) ? 'latin1' : 'utf8',
  );
  let result = '';
  for (const byte of decoded) {
    const character = String.fromCharCode(byte);
    result += /[A-Za-z0-9\-_.~$&+,/:;=@]/.test(character)
      ? character
      : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return result;
}

/** The parameters of a query; those with wrong escapes or a semicolon are left out. */
function queryOf(query: string): EntryMap {
  const values = new Map<string, string[]>();
  for (const pair of query.split('&')) {
    if (pair === '' || pair.includes(';')) continue;
    const [key, value = ''] = splitOnce(pair, '=');
    if (badEscape.test(key) || badEscape.test(value)) continue;
    const name = decode(key);
    values.set(name, [...(values.get(name) ?? []), decode(value)]);
  }
  const result = new EntryMap();
  for (const [name, list] of values) result.set(name, new ArrayList(list));
  return result;
}

function decode(text: string): string {
  const bytes: number[] = [];
  const plain = Buffer.from(text.replaceAll('+', ' '));
  for (let i = 0; i < plain.length; i++) {
    if (plain[i] === 0x25) {
      bytes.push(Number.parseInt(plain.toString('latin1', i + 1, i + 3), 16));
      i += 2;
    } else bytes.push(plain[i] as number);
  }
  return Buffer.from(bytes).toString();
}

function onUrl(body: (url: CelUrl) => Value): CelFunction {
  return (value) => (value instanceof CelUrl ? body(value) : noSuchOverload);
}

export const urls: Readonly<Record<string, CelFunction>> = {
  url: (text) => {
    if (typeof text !== 'string') return noSuchOverload;
    const url = parseRequestUri(text);
    return url instanceof CelError
      ? new CelError(`URL parse error during conversion from string: ${url.message}`)
      : url;
  },
  isURL: (text) => (typeof text === 'string' ? parseRequestUri(text) instanceof CelUrl : noSuchOverload),
  getScheme: onUrl((url) => url.scheme),
  getHost: onUrl((url) => url.host),
  getHostname: onUrl((url) => url.hostname),
  getPort: onUrl((url) => url.port),
  getEscapedPath: onUrl((url) => escapedPath(url.path)),
  getQuery: onUrl((url) => queryOf(url.query)),
};
