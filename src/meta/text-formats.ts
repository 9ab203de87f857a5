import { isIPv4, isIPv6 } from 'node:net';

/* The formats of texts that kube-apiserver checks, each as Go's strfmt package does. Dashes in their names do not count. */

type FormatCheck = (text: string) => boolean;

const matches =
  (pattern: RegExp): FormatCheck =>
  (text) =>
    pattern.test(text);

const SHORT_NAME = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const HOSTNAME_LABEL = /^[a-zA-Z0-9\p{S}\p{L}](?:[a-zA-Z0-9\p{S}\p{L}-]{0,61}[a-zA-Z0-9\p{S}\p{L}])?$/u;
const SINGLE_LABEL = /^[a-zA-Z0-9\p{S}\p{L}](?:-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?$/u;
const TOP_LABEL = /^[a-zA-Z\p{L}]{2,63}$/u;
const CARD =
  /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/;
const COLOR_PART = String.raw`\s*(?:0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*`;
const RGB = new RegExp(`^rgb\\(${COLOR_PART},${COLOR_PART},${COLOR_PART}\\)$`);
const CLOCK = /^(\d{2}):(\d{2}):(\d{2})(?:.\d+)?(?:z|[+-]\d{2}:\d{2})$/;
const MAC = /^(?:[0-9a-f]{2}(?::[0-9a-f]{2}){5}|[0-9a-f]{2}(?:-[0-9a-f]{2}){5}|[0-9a-f]{4}(?:\.[0-9a-f]{4}){2})$/i;
const LONG_MAC = /^(?:[0-9a-f]{2}(?::[0-9a-f]{2}){7}|[0-9a-f]{2}(?:-[0-9a-f]{2}){7}|[0-9a-f]{4}(?:\.[0-9a-f]{4}){3})$/i;
const INFINIBAND_MAC =
  /^(?:[0-9a-f]{2}(?::[0-9a-f]{2}){19}|[0-9a-f]{2}(?:-[0-9a-f]{2}){19}|[0-9a-f]{4}(?:\.[0-9a-f]{4}){9})$/i;

const FORMATS: Readonly<Record<string, FormatCheck>> = {
  bsonobjectid: matches(/^[0-9a-fA-F]{24}$/),
  uri: isRequestUri,
  email: isEmail,
  hostname: isHostname,
  ipv4: (text) => isIp(text) && text.includes('.'),
  ipv6: (text) => isIp(text) && text.includes(':'),
  cidr: isCidr,
  mac: (text) => MAC.test(text) || LONG_MAC.test(text) || INFINIBAND_MAC.test(text),
  uuid: matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i),
  uuid3: matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i),
  uuid4: matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i),
  uuid5: matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: isCreditCard,
  ssn: (text) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text),
  hexcolor: matches(/^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/),
  rgbcolor: matches(RGB),
  byte: (text) => text !== '' && text.length % 4 === 0 && BASE64.test(text),
  password: () => true,
  date: isDate,
  duration: isDuration,
  datetime: isDateTime,
  k8sshortname: isShortName,
  k8slongname: (text) => text.length <= 253 && text.split('.').every((part) => SHORT_NAME.test(part)),
};

/** The check of a format; undefined for one that is not enforced. */
export function formatCheck(format: string): FormatCheck | undefined {
  const name = format.replaceAll('-', '');
  return Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
}

function isShortName(text: string): boolean {
  return text.length <= 63 && SHORT_NAME.test(text);
}

/** An absolute URI, or an absolute path, as Go's `url.ParseRequestURI` accepts it. */
function isRequestUri(text: string): boolean {
  if (text === '' || hasControl(text)) return false;
  if (text === '*') return true;
  const scheme = /^[a-zA-Z][a-zA-Z0-9+.-]*:/.exec(text)?.[0] ?? '';
  const rest = text.slice(scheme.length);
  if (/^:/.test(text) || (scheme === '' && !rest.startsWith('/'))) return false;
  const [path = ''] = rest.split('?', 1);
  // Without a slash the rest is opaque, and any text.
  if (!rest.startsWith('/')) return rest !== '' || scheme === '';
  const hasAuthority = path.startsWith('//') && (scheme !== '' || !path.startsWith('///'));
  if (!hasAuthority) return isEscaped(path);
  const end = path.indexOf('/', 2);
  const authority = path.slice(2, end < 0 ? undefined : end);
  return isAuthority(authority) && isEscaped(end < 0 ? '' : path.slice(end));
}

function hasControl(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}

/** Whether each percent sign begins an escape. */
function isEscaped(text: string): boolean {
  return !/%(?![0-9a-fA-F]{2})/.test(text);
}

function isAuthority(authority: string): boolean {
  const at = authority.lastIndexOf('@');
  const user = authority.slice(0, Math.max(at, 0));
  const host = authority.slice(at + 1);
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user) || !isEscaped(user)) return false;
  if (host.startsWith('[')) return /^\[[^\]]*\](?::\d*)?$/.test(host);
  const port = host.lastIndexOf(':');
  if (port >= 0 && !/^:\d*$/.test(host.slice(port))) return false;
  if (!isEscaped(host.replace(/%25/g, ''))) return false;
  return !/[ "<>\\^`{|}]/.test(host);
}

/** An address as `Name <local@domain>` or without a name, as Go's `mail.ParseAddress` accepts it. */
function isEmail(text: string): boolean {
  const trimmed = text.trim();
  const bracket = /^(?:"(?:[^"\\]|\\.)*"\s*|[^"<>@,;:]*)<([^<>]+)>$/.exec(trimmed);
  const address = bracket?.[1] ?? trimmed;
  const at = address.lastIndexOf('@');
  if (at <= 0) return false;
  const local = address.slice(0, at);
  const domain = address.slice(at + 1);
  const isLocal = /^"(?:[^"\\]|\\.)+"$/.test(local) || isDotAtom(local);
  return isLocal && (isDotAtom(domain) || /^\[[^[\]\\]+\]$/.test(domain));
}

function isDotAtom(text: string): boolean {
  return text.split('.').every((atom) => /^[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~\u0080-\uffff]+$/.test(atom));
}

/** One label, or several of which the last has only letters. */
function isHostname(text: string): boolean {
  if (Buffer.byteLength(text) > 255) return false;
  const labels = text.split('.');
  if (labels.some((label) => Buffer.byteLength(label) > 63)) return false;
  if (labels.length === 1) return SINGLE_LABEL.test(text);
  return TOP_LABEL.test(labels.pop()!) && labels.every((label) => HOSTNAME_LABEL.test(label));
}

/** Leading zeros in an IPv4 address are accepted. */
function isIp(text: string): boolean {
  if (text.includes('%')) return false;
  return isIPv4(text.replace(/(^|\.)0+(?=\d)/g, '$1')) || isIPv6(text);
}

function isCidr(text: string): boolean {
  const slash = text.indexOf('/');
  const address = text.slice(0, slash);
  const bits = text.slice(slash + 1);
  if (slash < 0 || !isIp(address) || !/^\d{1,3}$/.test(bits)) return false;
  return Number(bits) <= (address.includes(':') ? 128 : 32);
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, '');
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  let sum = 0;
  for (let at = 0; at < 10; at++) sum += (at + 1) * (digits[at] === 'X' ? 10 : Number(digits[at]));
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]+/g, '');
  if (!/^\d{13}$/.test(digits)) return false;
  let sum = 0;
  for (let at = 0; at < 13; at++) sum += (at % 2 === 0 ? 1 : 3) * Number(digits[at]);
  return sum % 10 === 0;
}

/** Luhn's checksum; characters that are no digits do not count. */
function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, '');
  if (!CARD.test(digits)) return false;
  let sum = 0;
  for (let at = digits.length - 1, isDoubled = false; at >= 0; at--, isDoubled = !isDoubled) {
    const value = Number(digits[at]) * (isDoubled ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}

function isDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  if (year === undefined) return false;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}

function isDateTime(text: string): boolean {
  const [date = '', time] = text.toLowerCase().split('t');
  const [, hours, minutes, seconds] = CLOCK.exec(time ?? '') ?? [];
  return isDate(date) && hours! <= '23' && minutes! <= '59' && seconds! <= '59';
}

const GO_DURATION = /^[+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const NAMED_UNIT = /^(?:ns|nano.*|us|µs|micro.*|ms|milli.*|s|sec.*|m|min.*|h|hr|hour.*|d|day.*|w|wk|week.*)$/i;

/** As Go's `time.ParseDuration` accepts it, or with numbers of named units anywhere in the text, as `2 weeks`. */
function isDuration(text: string): boolean {
  if (GO_DURATION.test(text)) return true;
  for (const { 0: unit, index } of text.matchAll(/[A-Za-zµ]+/g)) {
    let before = index - 1;
    while (/\s/.test(text[before] ?? '')) before--;
    if (/\d/.test(text[before] ?? '') && NAMED_UNIT.test(unit)) return true;
  }
  return false;
}
