import { rm, stat } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { TempFolder } from '../../../test/support/temp-folder.js';
import { startTlsGreeter } from '../../../test/support/tls-greeter.js';
import { CertificateAuthority } from '../../certificates/certificate-authority.js';
import { FakeClock } from '../../time/fake-clock.js';
import { realClock } from '../../time/real-clock.js';
import { pemData } from './pem.js';
import { TlsFiles, type TlsFilesOptions } from './tls-files.js';

const authority = new CertificateAuthority(realClock);
const jane = authority.issueClient({ commonName: 'jane' });
const mary = authority.issueClient({ commonName: 'mary' });

async function filesOf(folder: TempFolder, clock = new FakeClock()): Promise<TlsFiles> {
  const options: TlsFilesOptions = {
    ca: { file: await folder.write('ca.crt', authority.certificate) },
    cert: { file: await folder.write('tls.crt', jane.certificate) },
    key: { file: await folder.write('tls.key', jane.key) },
    clock,
  };
  return new TlsFiles(options);
}

describe('TlsFiles', () => {
  it('returns texts unchanged, without a timer', async () => {
    const clock = new FakeClock();
    const tls = new TlsFiles({ ca: pemData(authority.certificate), clock });
    const undo = tls.onRotate(() => {});
    expect(await tls.material()).toEqual({ ca: authority.certificate, cert: undefined, key: undefined });
    expect(tls.material()).not.toBeInstanceOf(Promise);
    expect(clock.pendingTimers).toEqual([]);
    undo();
  });

  it('reads changed files before a handshake', async () => {
    const folder = new TempFolder();
    const tls = await filesOf(folder);
    let rotations = 0;
    tls.onRotate(() => rotations++);
    expect((await tls.material()).cert).toBe(jane.certificate);
    expect([rotations, tls.version]).toEqual([0, 0]);

    await folder.write('tls.crt', mary.certificate);
    await folder.write('tls.key', mary.key);
    expect(await tls.material()).toMatchObject({ cert: mary.certificate, key: mary.key });
    expect([rotations, tls.version]).toEqual([1, 1]);

    await folder.write('tls.crt', mary.certificate);
    await tls.material();
    expect([rotations, tls.version]).toEqual([1, 1]);
  });

  it('checks every five minutes while there is a listener', async () => {
    const folder = new TempFolder();
    const clock = new FakeClock();
    const tls = await filesOf(folder, clock);
    await tls.material();
    const rotated = new Promise<void>((resolve) => {
      tls.onRotate(resolve);
    });
    const undo = tls.onRotate(() => {});
    await folder.write('ca.crt', `${authority.certificate}\n`);
    await clock.advance(299_999);
    expect(tls.version).toBe(0);
    await clock.advance(1);
    await rotated;
    expect(tls.version).toBe(1);
    undo();
    undo();
  });

  it('leaves no timer without a listener', async () => {
    const clock = new FakeClock();
    const tls = await filesOf(new TempFolder(), clock);
    const undos = [tls.onRotate(() => {}), tls.onRotate(() => {})];
    expect(clock.pendingTimers).toHaveLength(1);
    for (const undo of undos) undo();
    expect(clock.pendingTimers).toEqual([]);
  });

  it('keeps the material while only one file of a pair is replaced or a file is missing', async () => {
    const folder = new TempFolder();
    const tls = await filesOf(folder);
    await tls.material();
    await folder.write('tls.crt', mary.certificate);
    expect((await tls.material()).cert).toBe(jane.certificate);
    await rm(folder.file('tls.key'));
    expect((await tls.material()).cert).toBe(jane.certificate);
    await folder.write('tls.key', '');
    expect((await tls.material()).cert).toBe(jane.certificate);
    await folder.write('tls.key', mary.key);
    expect((await tls.material()).cert).toBe(mary.certificate);
    expect(tls.version).toBe(1);
  });

  it('names the invalid file, without its content', async () => {
    const folder = new TempFolder();
    const clock = new FakeClock();
    const missing = new TlsFiles({ ca: { file: folder.file('none.crt') }, clock });
    await expect(missing.material()).rejects.toThrow(
      `cannot read the certificate authority ${folder.file('none.crt')}: there is no such file`,
    );
    const notPem = new TlsFiles({ ca: { file: await folder.write('a', 'hunter22') }, clock });
    await expect(notPem.material()).rejects.toThrow(/has no PEM block/);
    const mixed = new TlsFiles({ cert: pemData(jane.certificate), key: pemData(mary.key), clock });
    await expect(mixed.material()).rejects.toThrow(/given as data.*the private key does not belong to the certificate/);
    const broken = new TlsFiles({ cert: pemData('-----BEGIN CERTIFICATE-----'), key: pemData(mary.key), clock });
    await expect(broken.material()).rejects.toThrow(/the certificate cannot be read as PEM/);
    const locked = new TlsFiles({ cert: pemData(jane.certificate), key: pemData('-----BEGIN KEY-----'), clock });
    await expect(locked.material()).rejects.toThrow(/the private key cannot be read as PEM/);
    expect((await stat(folder.file('a'))).size).toBe(8);
  });

  it('works in a real handshake: the server is verified and sees the client certificate', async () => {
    const greeter = await startTlsGreeter(authority);
    const folder = new TempFolder();
    const tls = await filesOf(folder);
    expect(await greeter.commonName(tls)).toBe('jane');
    await folder.write('tls.crt', mary.certificate);
    await folder.write('tls.key', mary.key);
    expect(await greeter.commonName(tls)).toBe('mary');

    await folder.write('ca.crt', new CertificateAuthority(realClock, { commonName: 'other' }).certificate);
    await expect(greeter.commonName(tls)).rejects.toMatchObject({ code: 'SELF_SIGNED_CERT_IN_CHAIN' });
  });
});
