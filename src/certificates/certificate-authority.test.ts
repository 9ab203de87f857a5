import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../time/fake-clock.js';
import { realClock } from '../time/real-clock.js';
import { CertificateAuthority } from './certificate-authority.js';

describe('CertificateAuthority', () => {
  it('certifies itself', () => {
    const clock = new FakeClock({ now: Date.UTC(2030, 0, 1) });
    const certificate = new X509Certificate(new CertificateAuthority(clock, { commonName: 'test' }).certificate);
    expect(certificate.ca).toBe(true);
    expect(certificate.subject).toBe('CN=test');
    expect(certificate.issuer).toBe('CN=test');
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.validFrom).toBe('Dec 31 23:00:00 2029 GMT');
    expect(certificate.validTo).toBe('Dec 30 00:00:00 2039 GMT');
  });

  it('writes years after 2049', () => {
    const clock = new FakeClock({ now: Date.UTC(2045, 0, 1) });
    const certificate = new X509Certificate(new CertificateAuthority(clock).certificate);
    expect(certificate.validTo).toBe('Dec 30 00:00:00 2054 GMT');
  });

  it('certifies servers by name and address', () => {
    const authority = new CertificateAuthority(realClock);
    const root = new X509Certificate(authority.certificate);
    const server = new X509Certificate(authority.issueServer().certificate);
    expect(server.checkIssued(root)).toBe(true);
    expect(server.verify(root.publicKey)).toBe(true);
    expect(server.ca).toBe(false);
    expect(server.checkHost('localhost')).toBe('localhost');
    expect(server.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(server.checkIP('::1')).toBe('::1');
    const other = new X509Certificate(
      authority.issueServer(['a.example', '2001:db8::2:1', '1:2:3:4:5:6:7:8']).certificate,
    );
    expect(other.checkHost('localhost')).toBeUndefined();
    expect(other.checkHost('a.example')).toBe('a.example');
    expect(other.checkIP('2001:db8::2:1')).toBe('2001:db8::2:1');
    expect(other.checkIP('1:2:3:4:5:6:7:8')).toBe('1:2:3:4:5:6:7:8');
    expect(() => authority.issueServer([''])).toThrow('hosts[] must be');
  });

  it('certifies clients with their groups', () => {
    const authority = new CertificateAuthority(realClock);
    const long = 'a-name-of-more-than-128-bytes-'.repeat(6);
    const pair = authority.issueClient({ commonName: 'ada', organizations: ['dev', 'ops:ü', long] });
    const certificate = new X509Certificate(pair.certificate);
    expect(certificate.toLegacyObject().subject).toMatchObject({ CN: 'ada', O: ['dev', 'ops:ü', long] });
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
    expect(certificate.serialNumber).not.toBe(
      new X509Certificate(authority.issueClient({ commonName: 'ada' }).certificate).serialNumber,
    );
    expect(() => authority.issueClient({ commonName: '' })).toThrow('commonName must be');
  });
});
