import { describe, expect, it, onTestFinished } from 'vitest';
import { parse, stringify } from 'yaml';
import { commandRig } from '../../../test/support/command-rig.js';
import { TempFolder } from '../../../test/support/temp-folder.js';
import type { ApiServerOptions } from '../../apiserver/index.js';
import { startApiServer } from '../../apiserver/server.js';
import { CertificateAuthority } from '../../certificates/certificate-authority.js';
import { realClock } from '../../time/real-clock.js';
import { run } from '../run.js';

const line = (level: string, check: string, message: RegExp) =>
  new RegExp(`^${level} {${6 - level.length}}${check} +.*${message.source}`, 'm');

describe('kubeflect doctor', () => {
  it('checks a healthy server', async () => {
    const rig = await commandRig({ shardedLists: true });
    const { code, output, errors } = await rig.run('doctor', 'pods,nodes', '-n', 'web', '--bookmarks');
    expect([code, errors]).toEqual([0, '']);
    expect(output.split('\n').filter((text) => !text.startsWith('ok '))).toEqual(['']);
    expect(output).toMatch(line('ok', 'server', /it answers, and is Kubernetes v1\.\d+/));
    expect(output).toMatch(line('ok', 'permissions', /you may get, list, watch pods in namespace web$/));
    expect(output).toMatch(line('ok', 'permissions', /you may get, list, watch nodes$/));
    expect(output).toMatch(line('ok', 'watch-list', /supported/));
    expect(output).toMatch(line('ok', 'shards', /supported: sharded informers/));
    expect(output).toMatch(line('ok', 'bookmarks', /one about every 5 s$/));
    expect(output).toMatch(line('ok', 'clock', /it agrees/));
  });

  it('names clocks that differ, faults, missing permissions and unknown resources, with what to do', async () => {
    const rig = await commandRig({ authorization: 'rbac', tokens: { secret: { name: 'jane' } } });
    rig.api.skewClock(3 * 60_000);
    const connect = async () => rig.api.client({ token: 'secret' });
    const { code, output } = await rig.start(['doctor', 'pods', 'pots', '-A'], { connect }).ended();
    expect(code).toBe(1);
    expect(output).toMatch(line('ok', 'identity', /you are jane/));
    expect(output).toMatch(line('fail', 'clock', /this machine is 180 s behind the server\n +Synchronize the clocks/));
    expect(output).toMatch(
      line(
        'fail',
        'permissions',
        /you may not get, list, watch pods in all namespaces\n +Have a ClusterRole with this rule/,
      ),
    );
    expect(output).toContain('apiGroups: [""], resources: ["pods"], verbs: ["get", "list", "watch"]');
    expect(output).toMatch(line('fail', 'permissions', /the server has no resource for "pots"; did you mean pods\?/));
    expect(output).toMatch(line('warn', 'watch-list', /not tried: .*forbidden/));
  });

  it('says that a server without watch-lists and bookmarks makes informers list', async () => {
    const rig = await commandRig({ bookmarkIntervalMs: 1_000_000 });
    rig.api.faults.inject({
      resource: 'namespaces',
      verb: 'watch',
      times: 1,
      respond: { status: 422, reason: 'Invalid' },
    });
    const { code, output } = await rig.run('doctor', '--bookmarks');
    expect(code).toBe(0);
    expect(output).toMatch(line('warn', 'watch-list', /not supported: informers list first/));
    expect(output).toMatch(line('ok', 'shards', /the server does not filter/));
    expect(output).toMatch(line('warn', 'bookmarks', /0 within 150 s/));
  });

  it.each([
    [['pods/a'], 'permissions are those of resources'],
    [['--verbs', 'get,'], '--verbs must be verbs separated by commas'],
    [['-n', 'a', '-A'], 'contradict each other'],
  ])('refuses %j', async (args, message) => {
    const rig = await commandRig();
    expect(await rig.run('doctor', ...args)).toMatchObject({ code: 2, errors: expect.stringContaining(message) });
  });
});

describe('kubeflect doctor over TLS', () => {
  /** Runs the command with the kubeconfig of a server, changed by `edit`. */
  async function doctor(
    options: ApiServerOptions,
    // biome-ignore lint/suspicious/noExplicitAny: a kubeconfig is edited freely
    edit: (config: any) => void = () => {},
    isStopped = false,
  ): Promise<{ code: number; output: string; errors: string }> {
    const api = await startApiServer({ tls: true, ...options });
    onTestFinished(() => api.stop());
    if (isStopped) await api.stop();
    const config = parse(api.kubeconfig);
    edit(config);
    const path = await new TempFolder().write('config', stringify(config));
    let [output, errors] = ['', ''];
    const code = await run(['doctor', '--kubeconfig', path], {
      stdout: { write: (text) => (output += text) },
      stderr: { write: (text) => (errors += text) },
      signal: new AbortController().signal,
      env: {},
    });
    return { code, output, errors };
  }

  it('shows when certificates expire', async () => {
    const { output, errors } = await doctor({});
    expect(errors).toBe('');
    expect(output).toMatch(line('ok', 'config', /https:.*context kubeflect/));
    expect(output).toMatch(line('ok', 'client cert', /your client certificate expires in \d+d/));
    expect(output).toMatch(line('ok', 'CA', /expires in \d+d/));
    expect(output).toMatch(line('ok', 'server cert', /expires in \d+d/));
    expect(output).not.toMatch(/^fail/m);
  });

  it('an expired certificate of the server', async () => {
    const tenYearsMs = 10 * 365 * 86_400_000;
    const clock = { ...realClock, now: () => realClock.now() - tenYearsMs };
    const { code, output } = await doctor({ clock });
    expect(code).toBe(1);
    expect(output).toMatch(line('fail', 'server cert', /expired \d+d ago .*\n +Renew it/));
    expect(output).toMatch(line('fail', 'server', /the server's certificate has expired/));
  });

  it('an expired token, and one that expires soon', async () => {
    const token = (seconds: number) =>
      `e30.${Buffer.from(JSON.stringify({ exp: Math.floor(realClock.now() / 1000) + seconds })).toString('base64url')}.x`;
    const withToken = (seconds: number) => (config: { users: { user: object }[] }) => {
      config.users[0]!.user = { token: token(seconds) };
    };
    const expired = await doctor({ authorization: 'rbac' }, withToken(-7300));
    expect(expired.output).toMatch(line('fail', 'token', /your token expired 2h ago .*\n +Log in again/));
    expect(expired.code).toBe(1);
    const soon = await doctor({ authorization: 'rbac' }, withToken(400));
    expect(soon.output).toMatch(line('warn', 'token', /your token expires in \d+[ms]/));
  });

  it('a certificate authority of another cluster', async () => {
    const other = new CertificateAuthority(realClock);
    const { code, output } = await doctor({}, (config) => {
      config.clusters[0].cluster['certificate-authority-data'] = Buffer.from(other.certificate).toString('base64');
    });
    expect(code).toBe(1);
    expect(output).toMatch(line('fail', 'server cert', /it is not trusted: .*\n +Configure the certificate authority/));
  });

  it('a server that does not answer', async () => {
    const { code, output } = await doctor({}, undefined, true);
    expect(code).toBe(1);
    expect(output).toMatch(line('fail', 'server cert', /no TLS connection to .*ECONNREFUSED/));
    expect(output).toMatch(line('fail', 'server', /no server listens at this address/));
    expect(output).not.toContain('latency');
  });
});
