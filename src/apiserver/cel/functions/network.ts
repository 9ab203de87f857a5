import { cidrType, ipType } from '../check/declarations.js';
import type { CelType } from '../check/types.js';
import { CelError, noSuchOverload, type OpaqueValue, type Value } from '../eval/values.js';
import type { CelFunction } from './function.js';

/** An IP address: 4 or 16 bytes as one number. */
export class Ip implements OpaqueValue {
  readonly opaqueType: CelType = ipType;

  constructor(
    readonly family: 4 | 6,
    readonly bits: bigint,
  ) {}

  get size(): number {
    return this.family === 4 ? 4 : 16;
  }

  get width(): number {
    return this.size * 8;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof Ip && other.family === this.family && other.bits === this.bits;
  }

  /** The `index`th part of `size` bits, from the left. */
  part(index: number, size: number): number {
    return Number(BigInt.asUintN(size, this.bits >> BigInt(this.width - size * (index + 1))));
  }

  toString(): string {
    if (this.family === 4) return [0, 1, 2, 3].map((i) => this.part(i, 8)).join('.');
    const groups = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => this.part(i, 16));
    // The longest run of two or more zeros is left out, the first one of equals.
    let [start, length] = [-1, 1];
    for (let i = 0; i < 8; i++) {
      let end = i;
      while (end < 8 && groups[end] === 0) end++;
      if (end - i > length) [start, length] = [i, end - i];
    }
    const shown = groups.map((group) => group.toString(16));
    return start < 0 ? shown.join(':') : `${shown.slice(0, start).join(':')}::${shown.slice(start + length).join(':')}`;
  }
}

/** A network: an address, and how many of its bits are the network's. */
export class Cidr implements OpaqueValue {
  readonly opaqueType: CelType = cidrType;

  constructor(
    readonly ip: Ip,
    readonly prefix: number,
  ) {}

  get size(): number {
    return Math.ceil(this.prefix / 8);
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof Cidr && other.prefix === this.prefix && other.ip.equals(this.ip);
  }

  toString(): string {
    return `${this.ip}/${this.prefix}`;
  }

  masked(): Cidr {
    const host = BigInt(this.ip.width - this.prefix);
    return new Cidr(new Ip(this.ip.family, (this.ip.bits >> host) << host), this.prefix);
  }

  contains(ip: Ip): boolean {
    return ip.family === this.ip.family && new Cidr(ip, this.prefix).masked().ip.bits === this.masked().ip.bits;
  }
}

class AddressProblem {
  constructor(
    readonly message: string,
    readonly at = '',
  ) {}
}

const quote = JSON.stringify;

function parseIpv4(text: string): bigint | AddressProblem {
  let bits = 0n;
  let fields = 0;
  let digits = '';
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i);
    if (/\d/.test(character)) {
      if (digits === '0') return new AddressProblem('IPv4 field has octet with leading zero');
      digits += character;
      if (Number(digits) > 255) return new AddressProblem('IPv4 field has value >255');
    } else if (character === '.') {
      if (i === 0 || i === text.length - 1 || text.charAt(i - 1) === '.')
        return new AddressProblem('IPv4 field must have at least one digit', text.slice(i));
      if (++fields > 3) return new AddressProblem('IPv4 address too long');
      bits = bits * 256n + BigInt(digits);
      digits = '';
    } else return new AddressProblem('unexpected character', text.slice(i));
  }
  return fields < 3 ? new AddressProblem('IPv4 address too short') : bits * 256n + BigInt(digits);
}

function parseIpv6(text: string): bigint | AddressProblem {
  const groups: number[] = [];
  let gap = -1;
  let rest = text;
  if (rest.startsWith('::')) {
    gap = 0;
    rest = rest.slice(2);
    if (rest === '') return 0n;
  }
  while (groups.length < 8) {
    const hex = /^[0-9a-fA-F]*/.exec(rest)?.[0] ?? '';
    if (hex.length > 4) return new AddressProblem('each group must have 4 or less digits', rest);
    if (hex === '') return new AddressProblem('each colon-separated field must have at least one digit', rest);
    if (rest.charAt(hex.length) === '.') {
      if (gap < 0 && groups.length !== 6)
        return new AddressProblem('embedded IPv4 address must replace the final 2 fields of the address', rest);
      if (groups.length > 6)
        return new AddressProblem('too many hex fields to fit an embedded IPv4 at the end of the address', rest);
      const embedded = parseIpv4(rest);
      if (embedded instanceof AddressProblem) return embedded;
      groups.push(Number(embedded >> 16n), Number(embedded & 0xffffn));
      rest = '';
      break;
    }
    groups.push(Number.parseInt(hex, 16));
    rest = rest.slice(hex.length);
    if (rest === '') break;
    if (!rest.startsWith(':')) return new AddressProblem('unexpected character, want colon', rest);
    if (rest.length === 1) return new AddressProblem('colon must be followed by more characters', rest);
    rest = rest.slice(1);
    if (rest.startsWith(':')) {
      if (gap >= 0) return new AddressProblem('multiple :: in address', rest);
      gap = groups.length;
      rest = rest.slice(1);
      if (rest === '') break;
    }
  }
  if (rest !== '') return new AddressProblem('trailing garbage after address', rest);
  if (groups.length < 8 && gap < 0) return new AddressProblem('address string too short');
  if (groups.length === 8 && gap >= 0) return new AddressProblem('the :: must expand to at least one field of zeros');
  if (gap >= 0) groups.splice(gap, 0, ...new Array<number>(8 - groups.length).fill(0));
  return groups.reduce((bits, group) => bits * 65_536n + BigInt(group), 0n);
}

function parseAddress(text: string): Ip | string {
  const refused = (problem: AddressProblem): string =>
    `ParseAddr(${quote(text)}): ${problem.message}${problem.at === '' ? '' : ` (at ${quote(problem.at)})`}`;
  const first = /[.:%]/.exec(text)?.[0];
  if (first === '.') {
    const bits = parseIpv4(text);
    return bits instanceof AddressProblem ? refused(bits) : new Ip(4, bits);
  }
  if (first !== ':') return refused(new AddressProblem(first === '%' ? 'missing IPv6 address' : 'unable to parse IP'));
  const zone = text.indexOf('%');
  if (zone === text.length - 1) return refused(new AddressProblem('zone must be a non-empty string'));
  const bits = parseIpv6(zone < 0 ? text : text.slice(0, zone));
  return bits instanceof AddressProblem ? refused(bits) : new Ip(6, bits);
}

function isMapped(ip: Ip): boolean {
  return ip.family === 6 && ip.bits >> 32n === 0xffffn;
}

/** The address of a text, or why it is none. */
export function parseIp(text: string): Ip | CelError {
  const ip = parseAddress(text);
  if (typeof ip === 'string')
    return new CelError(`IP Address ${quote(text)} parse error during conversion from string: ${ip}`);
  if (text.includes('%')) return new CelError(`IP address ${quote(text)} with zone value is not allowed`);
  return isMapped(ip) ? new CelError(`IPv4-mapped IPv6 address ${quote(text)} is not allowed`) : ip;
}

function parseCidr(text: string): Cidr | CelError {
  const problem = 'network address parse error during conversion from string: ';
  const refused = (message: string): CelError =>
    new CelError(`${problem}${problem}netip.ParsePrefix(${quote(text)}): ${message}`);
  const slash = text.lastIndexOf('/');
  if (slash < 0) return refused("no '/'");
  const ip = parseAddress(text.slice(0, slash));
  if (typeof ip === 'string') return refused(ip);
  if (text.includes('%')) return refused('IPv6 zones cannot be present in a prefix');
  const bits = text.slice(slash + 1);
  if (!/^(?:\d|[1-9]\d*)$/.test(bits)) return refused(`bad bits after slash: ${quote(bits)}`);
  if (Number(bits) > ip.width) return refused('prefix length out of range');
  return isMapped(ip)
    ? new CelError(`${problem}IPv4-mapped IPv6 address ${quote(text)} is not allowed`)
    : new Cidr(ip, Number(bits));
}

function onIp(body: (ip: Ip) => Value): CelFunction {
  return (value) => (value instanceof Ip ? body(value) : noSuchOverload);
}

function onText(body: (text: string) => Value): CelFunction {
  return (value) => (typeof value === 'string' ? body(value) : noSuchOverload);
}

function isLoopback(ip: Ip): boolean {
  return ip.family === 4 ? ip.part(0, 8) === 127 : ip.bits === 1n;
}

function isLinkLocalUnicast(ip: Ip): boolean {
  return ip.family === 4 ? ip.part(0, 16) === 0xa9fe : (ip.part(0, 16) & 0xffc0) === 0xfe80;
}

function isLinkLocalMulticast(ip: Ip): boolean {
  return ip.family === 4 ? ip.bits >> 8n === 0xe00000n : (ip.part(0, 16) & 0xff0f) === 0xff02;
}

function isMulticast(ip: Ip): boolean {
  return ip.family === 4 ? ip.part(0, 4) === 0xe : ip.part(0, 8) === 0xff;
}

function isGlobalUnicast(ip: Ip): boolean {
  if (ip.bits === 0n || (ip.family === 4 && ip.bits === 0xffff_ffffn)) return false;
  return !isLoopback(ip) && !isMulticast(ip) && !isLinkLocalUnicast(ip);
}

const containsIp: CelFunction = (cidr, other) => {
  if (!(cidr instanceof Cidr)) return noSuchOverload;
  const ip = typeof other === 'string' ? parseIp(other) : other;
  return ip instanceof Ip ? cidr.contains(ip) : noSuchOverload;
};

const containsCidr: CelFunction = (cidr, other) => {
  if (!(cidr instanceof Cidr)) return noSuchOverload;
  const inner = typeof other === 'string' ? parseCidr(other) : other;
  if (!(inner instanceof Cidr)) return inner instanceof CelError ? inner : noSuchOverload;
  return cidr.contains(inner.ip) && cidr.prefix <= inner.prefix;
};

export const network: Readonly<Record<string, CelFunction>> = {
  ip: (value) => (value instanceof Cidr ? value.ip : typeof value === 'string' ? parseIp(value) : noSuchOverload),
  isIP: onText((text) => parseIp(text) instanceof Ip),
  'ip.isCanonical': onText((text) => {
    const ip = parseIp(text);
    return ip instanceof Ip ? ip.toString() === text : ip;
  }),
  family: onIp((ip) => BigInt(ip.family)),
  isUnspecified: onIp((ip) => ip.bits === 0n),
  isLoopback: onIp(isLoopback),
  isLinkLocalMulticast: onIp(isLinkLocalMulticast),
  isLinkLocalUnicast: onIp(isLinkLocalUnicast),
  isGlobalUnicast: onIp(isGlobalUnicast),
  cidr: onText(parseCidr),
  isCIDR: onText((text) => parseCidr(text) instanceof Cidr),
  containsIP: containsIp,
  containsCIDR: containsCidr,
  masked: (value) => (value instanceof Cidr ? value.masked() : noSuchOverload),
  prefixLength: (value) => (value instanceof Cidr ? BigInt(value.prefix) : noSuchOverload),
};
