import { describe, expect, it, onTestFinished } from 'vitest';
import { commandRig } from '../../test/support/command-rig.js';
import { TempFolder } from '../../test/support/temp-folder.js';
import { startApiServer } from '../apiserver/server.js';
import { CertificateAuthority } from '../certificates/certificate-authority.js';
import { realClock } from '../time/real-clock.js';
import { run } from './run.js';

/** Every command that asks a cluster, besides `doctor`, which reports failures as findings. */
const commands = [
  'get pods',
  'get pods/web -o json',
  'get pods -o name',
  'watch pods',
  'watch pods -o json',
  'wait pods/web --for=create',
  'wait pods -l app=web --for=create',
  'logs web',
  'logs -l app=web',
  'logs -l app=web -f',
  'why pods/web',
  'tree pods/web',
];

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'default', labels: { app: 'web' } },
  spec: { containers: [{ name: 'app', image: 'app:1' }] },
};

describe.each(commands)('kubeflect %s', (line) => {
  const args = line.split(' ');

  it('says what to do about a missing permission', async () => {
    const rig = await commandRig({ objects: [pod], authorization: 'rbac', tokens: { secret: { name: 'jane' } } });
    const connect = async () => rig.api.client({ token: 'secret' });
    const { code, output, errors } = await rig.start(args, { connect }).ended();
    expect([code, output]).toEqual([1, '']);
    expect(errors).toMatch(/^kubeflect \w+: .*is forbidden: User "jane" cannot (?:get|list|watch) resource "pods"/);
    expect(errors).toMatch(/\nYour role must allow it; 'kubectl auth can-i (?:get|list|watch) pods' shows/);
  });

  it('says what to do about credentials that are not accepted', async () => {
    const rig = await commandRig({ objects: [pod], authorization: 'rbac' });
    const connect = async () => rig.api.client({ token: 'wrong' });
    const { code, output, errors } = await rig.start(args, { connect }).ended();
    expect([code, output]).toEqual([1, '']);
    expect(errors).toContain('Log in again, or choose another --context.');
  });

  it('says that no server listens', async () => {
    const rig = await commandRig();
    const connect = async () => rig.api.client();
    await rig.api.stop();
    const { code, output, errors } = await rig.start(args, { connect }).ended();
    expect([code, output]).toEqual([1, '']);
    expect(errors).toMatch(/no server listens at this address: check that the server is running/);
    expect(errors).not.toContain('    at ');
  });
});

async function failing(args: readonly string[]): Promise<{ readonly code: number; readonly errors: string }> {
  let errors = '';
  const code = await run(args, {
    stdout: { write: () => true },
    stderr: { write: (text) => (errors += text) },
    signal: new AbortController().signal,
    env: {},
  });
  return { code, errors };
}

describe('a certificate of the server that has expired', () => {
  it('is named by every command', async () => {
    const tenYearsMs = 10 * 365 * 86_400_000;
    const api = await startApiServer({ tls: true, clock: { ...realClock, now: () => realClock.now() - tenYearsMs } });
    onTestFinished(() => api.stop());
    const path = await new TempFolder().write('config', api.kubeconfig);
    for (const line of commands) {
      const { code, errors } = await failing([...line.split(' '), '--kubeconfig', path]);
      expect([code, errors], line).toEqual([1, expect.stringContaining("the server's certificate has expired")]);
      expect(errors).toContain('kubeadm certs renew all');
    }
  });
});

describe('a client certificate that has expired', () => {
  it('is one that every command says what to do about', async () => {
    const api = await startApiServer({ tls: true, authorization: 'rbac' });
    onTestFinished(() => api.stop());
    // Issued by another authority: to the server, and in its answer, that is the same as an expired one.
    const { certificate, key } = new CertificateAuthority(realClock).issueClient({ commonName: 'ada' });
    const data = (text: string): string => Buffer.from(text).toString('base64');
    const kubeconfig = api.kubeconfig
      .replace(/client-certificate-data: \S+/, `client-certificate-data: ${data(certificate)}`)
      .replace(/client-key-data: \S+/, `client-key-data: ${data(key)}`)
      .replace(/\n +token: \S+/, '');
    const path = await new TempFolder().write('config', kubeconfig);
    for (const line of commands) {
      const { code, errors } = await failing([...line.split(' '), '--kubeconfig', path]);
      expect([code, errors], line).toEqual([1, expect.stringContaining('they may have expired. Log in again')]);
    }
  });
});
