import { X509Certificate } from 'node:crypto';
import { CertificateAuthority, type KeyPair } from '../../../certificates/certificate-authority.js';
import type { Clock } from '../../../index.js';

/**
 * An authority of a manager's webhooks. It is `next` until all configurations trust it, then `current`, which issues the
 * certificate that is served, then `previous`. `since` is when it became what it is, or when its trust was seen, in ms since 1970.
 */
export interface Authority {
  readonly stage: 'next' | 'trusted' | 'current' | 'previous';
  readonly certificate: string;
  /** Missing for a previous one: it issues nothing any more. */
  readonly key?: string | undefined;
  readonly since: number;
}

/** The certificates of a manager's webhooks, as all replicas share them. */
export interface CertificateState {
  readonly authorities: readonly Authority[];
  /** The certificate that is served, issued by the current authority. */
  readonly serving: KeyPair;
}

/** How long certificates live, and how long each stage of a rotation takes. */
export interface RotationTimes {
  readonly authorityMs: number;
  readonly servingMs: number;
  /** How long an authority is in all configurations before it is used: API servers read configurations with a watch. */
  readonly trustMs: number;
  /** How long an authority stays trusted after it was replaced: replicas read the Secret with a watch. */
  readonly forgetMs: number;
}

const DAY_MS = 86_400_000;

export const rotationTimes: RotationTimes = {
  authorityMs: 365 * DAY_MS,
  servingMs: 90 * DAY_MS,
  trustMs: 300_000,
  forgetMs: DAY_MS,
};

/** What a rotation needs to know. */
export interface RotationOptions {
  readonly clock: Clock;
  readonly times: RotationTimes;
  /** The names and addresses that the certificate is for. */
  readonly hosts: readonly string[];
  /** Names the authority. */
  readonly name: string;
}

/** The authorities that clients must trust, as PEM: what is written into `caBundle`. */
export function bundleOf({ authorities }: CertificateState): string {
  return authorities.map(({ certificate }) => certificate).join('');
}

/**
 * The next state of the certificates; the same one if nothing is to be done now. A rotation goes in steps, each of which all
 * replicas may try: a new authority is added to the bundle; when it is trusted everywhere, and some time has passed, it issues
 * the certificate; when all replicas serve that one, the old authority leaves the bundle. Renewal begins after two thirds of a
 * lifetime.
 *
 * @param isTrusted whether all configurations have the bundle of the state
 */
export function nextState(
  state: CertificateState | undefined,
  isTrusted: boolean,
  options: RotationOptions,
): CertificateState {
  const { clock, times, hosts } = options;
  const now = clock.now();
  const current = state?.authorities.find(({ stage }) => stage === 'current');
  // A cluster that was switched off for a year: nothing that is trusted can be used.
  if (state === undefined || current === undefined || now >= datesOf(current).to) return firstState(options);
  const { authorities } = state;
  const replaced = authorities.find(({ stage, since }) => stage === 'previous' && now >= since + times.forgetMs);
  if (replaced !== undefined) return { ...state, authorities: authorities.filter((one) => one !== replaced) };
  const next = authorities.find(({ stage }) => stage === 'next' || stage === 'trusted');
  if (next === undefined && isOld(datesOf(current), now)) {
    const { certificate, key } = newAuthority(options).keyPair;
    return { ...state, authorities: [...authorities, { stage: 'next', certificate, key, since: now }] };
  }
  if (next?.stage === 'next' && isTrusted) {
    const trusted: Authority = { ...next, stage: 'trusted', since: now };
    return { ...state, authorities: authorities.map((one) => (one === next ? trusted : one)) };
  }
  if (next?.stage === 'trusted' && now >= next.since + times.trustMs) return replaceCurrent(state, next, options);
  // Replicas of another release may need other hosts: both are kept, so that they do not replace each other's certificate.
  const known = hostsOf(state.serving);
  if (!hosts.every((host) => known.includes(host))) {
    const all = [...new Set([...hosts, ...known])];
    return { ...state, serving: issue(current, { ...options, hosts: all }) };
  }
  return isOld(datesOf(state.serving), now) ? { ...state, serving: issue(current, options) } : state;
}

/** In how many ms {@link nextState} has something to do, if the configurations do not change before. */
export function dueInMs({ authorities, serving }: CertificateState, { clock, times }: RotationOptions): number {
  const dates = authorities.map((authority) => {
    const { stage, since } = authority;
    if (stage === 'current') return renewalOf(datesOf(authority));
    if (stage === 'next') return Number.POSITIVE_INFINITY;
    return since + (stage === 'trusted' ? times.trustMs : times.forgetMs);
  });
  return Math.max(0, Math.min(...dates, renewalOf(datesOf(serving))) - clock.now());
}

function firstState(options: RotationOptions): CertificateState {
  const { certificate, key } = newAuthority(options).keyPair;
  const authority: Authority = { stage: 'current', certificate, key, since: options.clock.now() };
  return { authorities: [authority], serving: issue(authority, options) };
}

function replaceCurrent(state: CertificateState, next: Authority, options: RotationOptions): CertificateState {
  const now = options.clock.now();
  const authorities = state.authorities.map((one): Authority => {
    if (one === next) return { ...one, stage: 'current', since: now };
    const { key: _key, ...rest } = one;
    return one.stage === 'current' ? { ...rest, stage: 'previous', since: now } : one;
  });
  return { authorities, serving: issue(next, options) };
}

function newAuthority({ clock, times, name }: RotationOptions): CertificateAuthority {
  return new CertificateAuthority(clock, { commonName: name, validMs: times.authorityMs });
}

function issue({ certificate, key = '' }: Authority, { clock, times, hosts, name }: RotationOptions): KeyPair {
  const authority = new CertificateAuthority(clock, { commonName: name, kept: { certificate, key } });
  return authority.issueServer(hosts, { commonName: hosts[0], validMs: times.servingMs });
}

interface Dates {
  readonly from: number;
  readonly to: number;
}

function datesOf({ certificate }: { readonly certificate: string }): Dates {
  const { validFrom, validTo } = new X509Certificate(certificate);
  return { from: Date.parse(validFrom), to: Date.parse(validTo) };
}

/** Certificates are valid from an hour before they were made. */
const EARLY_MS = 3_600_000;

function renewalOf({ from, to }: Dates): number {
  const madeAt = from + EARLY_MS;
  return madeAt + ((to - madeAt) * 2) / 3;
}

function isOld(dates: Dates, now: number): boolean {
  return now >= renewalOf(dates);
}

/** The names and addresses that a certificate is for. */
function hostsOf({ certificate }: KeyPair): readonly string[] {
  const { subjectAltName = '' } = new X509Certificate(certificate);
  return subjectAltName.split(', ').map((name) => name.replace(/^(?:DNS|IP Address):/, ''));
}
