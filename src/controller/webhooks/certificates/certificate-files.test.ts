import { describe, expect, it } from 'vitest';
import { eventually } from '../../../../test/support/eventually.js';
import { TempFolder } from '../../../../test/support/temp-folder.js';
import { CertificateAuthority, type KeyPair } from '../../../certificates/certificate-authority.js';
import { channels, listen } from '../../../observe/channels.js';
import { FakeClock } from '../../../time/fake-clock.js';
import { realClock } from '../../../time/real-clock.js';
import { CertificateFiles } from './certificate-files.js';
import type { CertificateSourceOptions } from './certificate-source.js';

describe('a certificate in files', () => {
  it('is read again when it changes; a key that does not belong to it is not used', async () => {
    const folder = new TempFolder();
    const clock = new FakeClock();
    const authority = new CertificateAuthority(realClock);
    const [first, second] = [authority.issueServer(['a']), authority.issueServer(['b'])];
    const write = async ({ certificate, key }: KeyPair): Promise<void> => {
      await folder.write('tls.crt', certificate);
      await folder.write('tls.key', key);
    };
    await write(first);
    const used: KeyPair[] = [];
    const errors: string[] = [];
    const reads: boolean[] = [];
    const undo = listen(channels.certificateRead, ({ error }) => reads.push(error === undefined));
    const files = { certFile: folder.file('tls.crt'), keyFile: folder.file('tls.key') };
    const options = {
      clock,
      targets: [],
      name: 'hooks',
      onCertificate: (pair: KeyPair) => used.push(pair),
      onError: ({ message }: Error) => errors.push(message),
    } as unknown as CertificateSourceOptions;
    // Files are read in real time.
    const until = (condition: () => boolean) =>
      eventually('the files are read', async () => {
        await clock.advance(1000);
        return condition();
      });
    const stop = new AbortController();
    let isReady = false;
    const running = new CertificateFiles(files, options).run(stop.signal, () => void (isReady = true));
    await until(() => isReady);
    expect(used).toEqual([first]);
    await folder.write('tls.key', second.key);
    await until(() => errors.length > 0);
    expect(errors[0]).toMatch(/the key does not belong to the certificate/);
    expect(used).toEqual([first]);
    await write(second);
    await until(() => used.length === 2);
    expect(used[1]).toEqual(second);
    expect(reads.filter(Boolean)).toHaveLength(2);
    undo();
    stop.abort();
    await running;
    expect(clock.pendingTimers).toEqual([]);
  });
});
