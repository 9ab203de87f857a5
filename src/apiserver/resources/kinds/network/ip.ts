import { isIP, isIPv6 } from 'node:net';
import { fieldInvalid } from '../../../../meta/errors/field-cause.js';
import type { CauseSteps } from '../../causes.js';

/** Whether the text is an IP address if zeros before the numbers of an IPv4 address are ignored. */
function isLooseIp(text: string): boolean {
  return isIP(withoutZeros(text)) !== 0 && !text.includes('%');
}

function withoutZeros(text: string): string {
  return text.replace(/(^|[.:])0+(?=\d+(\.|$))/g, '$1');
}

function isMapped(text: string): boolean {
  return isIPv6(text) && /^(?:0{0,4}:){0,5}:?ffff:/i.test(text);
}

/** The IP family of a valid address or CIDR. */
export function ipFamily(text: string): 'IPv4' | 'IPv6' {
  return text.includes(':') ? 'IPv6' : 'IPv4';
}

/** Causes for an invalid IP address. An address that the object had before is accepted. */
export function* ipCauses(text: string, path: string, accepted: readonly string[] = []): CauseSteps {
  if (accepted.includes(text)) return;
  if (!isLooseIp(text)) {
    yield fieldInvalid(path, text, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)');
    return;
  }
  if (isIP(text) === 0) yield fieldInvalid(path, text, 'must not have leading 0s');
  else if (isMapped(text)) yield fieldInvalid(path, text, 'must not be an IPv4-mapped IPv6 address');
}

/** Causes for an invalid range of addresses. A range that the object had before is accepted. */
export function* cidrCauses(text: string, path: string, accepted: readonly string[] = []): CauseSteps {
  if (accepted.includes(text)) return;
  const [address = '', length = '', ...rest] = text.split('/');
  const bits = ipFamily(address) === 'IPv6' ? 128 : 32;
  if (rest.length > 0 || !isLooseIp(address) || !/^\d{1,3}$/.test(length) || Number(length) > bits) {
    yield fieldInvalid(path, text, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)');
    return;
  }
  if (isIP(address) === 0 || /^0\d/.test(length)) {
    yield fieldInvalid(path, text, 'must not have leading 0s in IP or prefix length');
  } else if (isMapped(address)) {
    yield fieldInvalid(path, text, 'must not have an IPv4-mapped IPv6 address');
  } else if (hasBitsBeyond(address, Number(length), bits)) {
    yield fieldInvalid(path, text, 'must not have bits set beyond the prefix length');
  }
}

function hasBitsBeyond(address: string, length: number, bits: number): boolean {
  return addressBits(address) % 2n ** BigInt(bits - length) !== 0n;
}

/** The number that a valid address stands for. */
export function addressBits(address: string): bigint {
  if (ipFamily(address) === 'IPv4') return joined(address.split('.').map(Number), 8n);
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(address);
  const groups = dotted === null ? address : `${dotted[1]}${pairs(dotted[2]!)}`;
  const [head = '', tail] = groups.split('::');
  const before = numbers(head);
  const after = tail === undefined ? [] : numbers(tail);
  return joined([...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after], 16n);
}

function pairs(dotted: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = dotted.split('.').map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}

function numbers(groups: string): number[] {
  return groups === '' ? [] : groups.split(':').map((group) => Number.parseInt(group, 16));
}

function joined(parts: readonly number[], bits: bigint): bigint {
  return parts.reduce((sum, part) => (sum << bits) + BigInt(part), 0n);
}

/** Whether a range is part of another one, and smaller; both must be valid. */
export function isSubnet(range: string, of: string): boolean {
  const [address = '', length = ''] = range.split('/');
  const [outer = '', outerLength = ''] = of.split('/');
  if (ipFamily(address) !== ipFamily(outer) || Number(length) <= Number(outerLength)) return false;
  const rest = BigInt((ipFamily(address) === 'IPv6' ? 128 : 32) - Number(outerLength));
  return addressBits(address) >> rest === addressBits(outer) >> rest;
}
