import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../time/fake-clock.js';
import { readSecret, toSecret } from './certificate-secret.js';
import {
  bundleOf,
  type CertificateState,
  dueInMs,
  nextState,
  type RotationOptions,
  rotationTimes,
} from './rotation.js';

const HOUR_MS = 3_600_000;
const hosts = ['hooks.system.svc', '127.0.0.1'];

function optionsAt(clock: FakeClock, more: Partial<RotationOptions> = {}): RotationOptions {
  return { clock, times: rotationTimes, hosts, name: 'hooks', ...more };
}

/** Whether a client that trusts the bundle of one state accepts the certificate of another. */
function accepts(trusted: CertificateState, served: CertificateState, now: number): boolean {
  const certificate = new X509Certificate(served.serving.certificate);
  const isValid = ({ validFrom, validTo }: X509Certificate): boolean =>
    Date.parse(validFrom) <= now && now < Date.parse(validTo);
  const authorities = trusted.authorities.map((authority) => new X509Certificate(authority.certificate));
  return authorities.some((one) => certificate.verify(one.publicKey) && isValid(one)) && isValid(certificate);
}

describe('the rotation of certificates', () => {
  it('[C70] trusts the new authority, then uses it, then forgets the old one', async () => {
    const clock = new FakeClock();
    const options = optionsAt(clock);
    let state = nextState(undefined, false, options);
    const stages = () => state.authorities.map(({ stage }) => stage);
    expect(stages()).toEqual(['current']);
    expect(nextState(state, true, options)).toBe(state);
    await clock.advance((rotationTimes.authorityMs * 2) / 3);
    state = nextState(state, true, options);
    expect(stages()).toEqual(['current', 'next']);
    // Its bundle is not in all configurations yet.
    const served = state.serving;
    await clock.advance(10 * rotationTimes.trustMs);
    state = nextState(state, false, options);
    expect(stages()).toEqual(['current', 'next']);
    state = nextState(state, true, options);
    expect(stages()).toEqual(['current', 'trusted']);
    expect(dueInMs(state, options)).toBe(rotationTimes.trustMs);
    await clock.advance(rotationTimes.trustMs);
    state = nextState(state, true, options);
    expect(stages()).toEqual(['previous', 'current']);
    expect(state.serving).not.toEqual(served);
    expect(state.authorities[0]).not.toHaveProperty('key');
    await clock.advance(rotationTimes.forgetMs);
    state = nextState(state, true, options);
    expect(stages()).toEqual(['current']);
    expect(nextState(state, true, options)).toBe(state);
  });

  it('[C70] a client that is one step behind, and a server that is one step behind, always understand each other', async () => {
    const clock = new FakeClock();
    const options = optionsAt(clock);
    let before = nextState(undefined, false, options);
    const seen = new Set<string>();
    for (let hours = 0; hours < 400 * 24; hours += 24) {
      await clock.advance(24 * HOUR_MS);
      const state = nextState(before, true, options);
      const pairs = [
        [state, state],
        [before, state],
        [state, before],
      ] as const;
      for (const [trusted, served] of state === before ? pairs.slice(0, 1) : pairs)
        if (!accepts(trusted, served, clock.now())) throw new Error(`refused after ${hours} hours`);
      // Without something to do there is a time to wait: a loop does not spin.
      if (state === before && !(dueInMs(state, options) > 0))
        throw new Error(`nothing to wait for after ${hours} hours`);
      if (state !== before) seen.add(state.authorities.map(({ stage }) => stage).join());
      before = state;
    }
    expect([...seen].sort()).toEqual(['current', 'current,next', 'current,trusted', 'previous,current']);
  });

  it('renews the certificate after two thirds of its life, with the same authority', async () => {
    const clock = new FakeClock();
    const options = optionsAt(clock);
    const first = nextState(undefined, false, options);
    await clock.advance(dueInMs(first, options) - 1000);
    expect(nextState(first, true, options)).toBe(first);
    await clock.advance(2000);
    const second = nextState(first, true, options);
    expect(bundleOf(second)).toBe(bundleOf(first));
    expect(second.serving).not.toEqual(first.serving);
  });

  it('begins anew if everything has expired', async () => {
    const clock = new FakeClock();
    const first = nextState(undefined, false, optionsAt(clock));
    await clock.advance(2 * rotationTimes.authorityMs);
    const second = nextState(first, true, optionsAt(clock));
    expect(second.authorities).toHaveLength(1);
    expect(bundleOf(second)).not.toBe(bundleOf(first));
  });

  it('keeps the hosts of another release', () => {
    const clock = new FakeClock();
    const older = nextState(undefined, false, optionsAt(clock));
    const newer = nextState(older, true, optionsAt(clock, { hosts: ['other.system.svc'] }));
    expect(newer.serving).not.toEqual(older.serving);
    expect(nextState(newer, true, optionsAt(clock))).toBe(newer);
    expect(nextState(newer, true, optionsAt(clock, { hosts: ['other.system.svc'] }))).toBe(newer);
  });
});

describe('the Secret of the certificates', () => {
  const state = nextState(undefined, false, optionsAt(new FakeClock()));
  const secret = toSecret(state, { name: 'a', namespace: 'b' });

  it('holds the state, and what other programs expect', () => {
    expect(readSecret(secret as never)).toEqual(state);
    expect(Object.keys(secret.data ?? {}).sort()).toEqual(['authorities', 'ca.crt', 'tls.crt', 'tls.key']);
  });

  it('is not used if it was damaged', () => {
    const text = (value: string) => Buffer.from(value).toString('base64');
    for (const data of [
      {},
      { authorities: text('{') },
      { authorities: text('[{}]') },
      { 'tls.crt': text('x') },
      { 'tls.key': '' },
    ]) {
      const damaged = { ...secret, data: Object.keys(data).length === 0 ? {} : { ...secret.data, ...data } };
      expect(readSecret(damaged as never)).toBeUndefined();
    }
  });
});
