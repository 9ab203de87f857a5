import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { kubeconfigText } from '../../../test/support/kubeconfig-text.js';
import { TempFolder } from '../../../test/support/temp-folder.js';
import { startTlsGreeter } from '../../../test/support/tls-greeter.js';
import { CertificateAuthority } from '../../certificates/certificate-authority.js';
import { FakeClock } from '../../time/fake-clock.js';
import { realClock } from '../../time/real-clock.js';
import { configFor } from '../config/kubeconfig.js';
import { parseKubeconfig } from '../config/kubeconfig-parse.js';
import type { LoadedConfig } from '../config/loaded-config.js';
import type { ConfigEnvironment } from './config-environment.js';
import { CredentialsError } from './config-errors.js';

const v1 = 'client.authentication.k8s.io/v1';
const v1beta1 = 'client.authentication.k8s.io/v1beta1';
const authority = new CertificateAuthority(realClock);

/** Records how it was called, then does what the file beside it says. */
const script = `#!${process.execPath}
const { appendFileSync, readFileSync } = require('node:fs');
const { KUBERNETES_EXEC_INFO, COLOUR, OUTER } = process.env;
const run = { info: JSON.parse(KUBERNETES_EXEC_INFO), args: process.argv.slice(2), COLOUR, OUTER };
appendFileSync(__dirname + '/runs', JSON.stringify(run) + '\\n');
const { stdout, stderr, code, hang } = JSON.parse(readFileSync(__dirname + '/behaviour', 'utf8'));
process.stdout.write(stdout ?? '');
process.stderr.write(stderr ?? '');
process.exitCode = code ?? 0;
if (hang) {
  process.on('SIGTERM', () => process.stderr.write('bye', () => process.exit(1)));
  process.stderr.write('waiting');
  setInterval(() => {}, 1000);
}
`;

interface Behaviour {
  readonly stdout?: string;
  readonly stderr?: string;
  readonly code?: number;
  readonly hang?: boolean;
}

interface Run {
  readonly info: { readonly apiVersion: string; readonly kind: string; readonly spec: Record<string, unknown> };
  readonly args: readonly string[];
  readonly COLOUR?: string;
  readonly OUTER?: string;
}

/** A plugin on disk, and the environment it runs in. */
class Plugin {
  readonly folder = new TempFolder();
  readonly clock = new FakeClock();
  readonly command = this.folder.file('plugin');
  stderr = '';
  onStderr: () => void = () => {};
  environment: ConfigEnvironment = {
    clock: this.clock,
    env: { OUTER: 'outer' },
    isTerminal: () => false,
    writeStderr: (text) => {
      this.stderr += text;
      this.onStderr();
    },
  };

  async answers(status: Record<string, unknown>, apiVersion = v1): Promise<void> {
    await this.behaves({ stdout: JSON.stringify({ kind: 'ExecCredential', apiVersion, status }) });
  }

  async behaves(behaviour: Behaviour): Promise<void> {
    await this.folder.write('plugin', script, { mode: 0o755 });
    await this.folder.write('behaviour', JSON.stringify(behaviour));
  }

  async runs(): Promise<readonly Run[]> {
    if (!existsSync(this.folder.file('runs'))) return [];
    const lines = (await readFile(this.folder.file('runs'), 'utf8')).trim().split('\n');
    return lines.map((line) => JSON.parse(line) as Run);
  }

  /** Resolves once the plugin has printed this to its standard error. */
  async hasSaid(text: string): Promise<void> {
    while (!this.stderr.includes(text)) {
      await new Promise<void>((resolve) => {
        this.onStderr = resolve;
      });
    }
  }

  async load(
    exec: Record<string, unknown> = {},
    cluster: Record<string, unknown> = {},
    user: Record<string, unknown> = {},
  ): Promise<LoadedConfig> {
    const base = { apiVersion: v1, command: './plugin', interactiveMode: 'IfAvailable' };
    const text = kubeconfigText({ exec: { ...base, ...exec }, ...user }, cluster);
    const parsed = await parseKubeconfig(text, { file: 'kubeconfig', directory: this.folder.path });
    return configFor(parsed, {}, this.environment);
  }
}

async function tokenOf(config: LoadedConfig): Promise<string | undefined> {
  return (await config.credentials?.headers())?.authorization;
}

async function failure(config: LoadedConfig): Promise<string> {
  const error = await Promise.resolve(config.credentials?.headers()).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(CredentialsError);
  return (error as Error).message;
}

describe('a credential plugin', () => {
  it('runs on first use only, with arguments, environment and KUBERNETES_EXEC_INFO', async () => {
    const plugin = new Plugin();
    await plugin.answers({ token: 'one' });
    const env = [{ name: 'COLOUR', value: 'blue' }];
    const config = await plugin.load({ args: ['get', 'token'], env });
    expect(await plugin.runs()).toEqual([]);
    expect(await tokenOf(config)).toBe('Bearer one');
    expect(await tokenOf(config)).toBe('Bearer one');
    expect(await plugin.runs()).toEqual([
      {
        info: { kind: 'ExecCredential', apiVersion: v1, spec: { interactive: false } },
        args: ['get', 'token'],
        COLOUR: 'blue',
        OUTER: 'outer',
      },
    ]);
    expect(config.credentials?.headers()).not.toBeInstanceOf(Promise);
  });

  it('is killed when it does not end in time, with an error', async () => {
    const plugin = new Plugin();
    await plugin.answers({ token: 'one' });
    const stubborn = `#!${process.execPath}
process.on('SIGTERM', () => {});
process.stderr.write('pid ' + process.pid + ' waits');
setInterval(() => {}, 1000);
`;
    await plugin.folder.write('plugin', stubborn, { mode: 0o755 });
    const told = failure(await plugin.load());
    await plugin.hasSaid('waits');
    await plugin.clock.advance(179_999);
    const pid = Number(/pid (\d+)/.exec(plugin.stderr)?.[1]);
    expect(process.kill(pid, 0)).toBe(true);
    await plugin.clock.advance(1);
    expect(await told).toMatch(
      /plugin" did not end within 180000 ms and was killed: run it in a terminal to see why, or raise execTimeoutMs; its standard error: pid/,
    );
    const isAlive = (): boolean => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    };
    while (isAlive()) await realClock.yield();
  });

  it('has the timeout execTimeoutMs, and leaves no timer when it ends', async () => {
    const plugin = new Plugin();
    await plugin.behaves({ hang: true });
    plugin.environment = { ...plugin.environment, execTimeoutMs: 5 };
    const told = failure(await plugin.load());
    await plugin.hasSaid('waiting');
    await plugin.clock.advance(5);
    expect(await told).toContain('did not end within 5 ms');
    const quick = new Plugin();
    await quick.answers({ token: 'one' });
    expect(await tokenOf(await quick.load())).toBe('Bearer one');
    expect(quick.clock.pendingTimers).toEqual([]);
  });

  it('may use v1beta1, where interactiveMode is optional', async () => {
    const plugin = new Plugin();
    await plugin.answers({ token: 'one' }, v1beta1);
    const config = await plugin.load({ apiVersion: v1beta1, interactiveMode: undefined });
    expect(await tokenOf(config)).toBe('Bearer one');
    expect((await plugin.runs())[0]?.info.apiVersion).toBe(v1beta1);
  });

  it.each<[ca: string, cluster: (plugin: Plugin) => Promise<Record<string, unknown>>]>([
    ['data', async () => ({ 'certificate-authority-data': Buffer.from(authority.certificate).toString('base64') })],
    ['file', async (p) => ({ 'certificate-authority': await p.folder.write('ca.crt', authority.certificate) })],
  ])('gets the cluster with provideClusterInfo (authority as %s)', async (_form, clusterOf) => {
    const plugin = new Plugin();
    await plugin.answers({ token: 'one' });
    const config = await plugin.load(
      { provideClusterInfo: true },
      {
        ...(await clusterOf(plugin)),
        'tls-server-name': 'inside',
        'proxy-url': 'http://proxy:3128',
        extensions: [
          { name: 'other', extension: 1 },
          { name: 'client.authentication.k8s.io/exec', extension: { audience: 'a' } },
        ],
      },
    );
    await tokenOf(config);
    expect((await plugin.runs())[0]?.info.spec).toEqual({
      interactive: false,
      cluster: {
        server: 'https://127.0.0.1:6443',
        'tls-server-name': 'inside',
        'certificate-authority-data': Buffer.from(authority.certificate).toString('base64'),
        'proxy-url': 'http://proxy:3128',
        config: { audience: 'a' },
      },
    });
  });

  it('runs again when its credential has expired, on the wall clock', async () => {
    const plugin = new Plugin();
    const expirationTimestamp = new Date(plugin.clock.now() + 60_000).toISOString();
    await plugin.answers({ token: 'one', expirationTimestamp });
    const config = await plugin.load();
    await tokenOf(config);
    await plugin.answers({ token: 'two' });
    await plugin.clock.advance(60_000);
    expect(await tokenOf(config)).toBe('Bearer one');
    await plugin.clock.advance(1);
    expect(await tokenOf(config)).toBe('Bearer two');
    plugin.clock.jump(1e12);
    expect(await tokenOf(config)).toBe('Bearer two');
    expect(await plugin.runs()).toHaveLength(2);
  });

  it('runs once for concurrent requests, and for equal configurations', async () => {
    const plugin = new Plugin();
    await plugin.answers({ token: 'one' });
    const [config, same] = [await plugin.load(), await plugin.load({}, { server: 'https://127.0.0.1:1' })];
    expect(await Promise.all([config, config, same].map(tokenOf))).toEqual(['Bearer one', 'Bearer one', 'Bearer one']);
    expect(await plugin.runs()).toHaveLength(1);
  });

  it.each<[what: string, exec: Record<string, unknown>, cluster: Record<string, unknown>]>([
    ['arguments', { args: ['x'] }, {}],
    ['environment', { env: [{ name: 'COLOUR', value: 'red' }] }, {}],
    ['mode', { interactiveMode: 'Never' }, {}],
    ['cluster that it is told of', {}, { server: 'https://127.0.0.1:1' }],
    ['proxy of that cluster', {}, { 'proxy-url': 'http://127.0.0.1:1' }],
  ])('runs again for a configuration with another %s', async (_what, exec, cluster) => {
    const plugin = new Plugin();
    await plugin.answers({ token: 'one' });
    const base = { env: [{ name: 'COLOUR', value: 'blue' }], provideClusterInfo: true };
    await tokenOf(await plugin.load(base));
    await tokenOf(await plugin.load(base));
    expect(await plugin.runs()).toHaveLength(1);
    await tokenOf(await plugin.load({ ...base, ...exec }, cluster));
    expect(await plugin.runs()).toHaveLength(2);
  });

  it('runs once more when the server answers 401, and reports whether the credential changed', async () => {
    const plugin = new Plugin();
    await plugin.answers({ token: 'one' });
    const { credentials } = await plugin.load();
    const one = (await credentials?.headers()) ?? {};
    await plugin.answers({ token: 'two' });
    expect(await Promise.all([1, 2, 3].map(() => credentials?.onUnauthorized?.(one)))).toEqual([true, true, true]);
    expect(await credentials?.onUnauthorized?.(one)).toBe(true);
    expect(await plugin.runs()).toHaveLength(2);
    const two = (await credentials?.headers()) ?? {};
    expect(two).toEqual({ authorization: 'Bearer two' });
    expect(await credentials?.onUnauthorized?.(two)).toBe(false);
    expect(await plugin.runs()).toHaveLength(3);
  });

  it('is not used beside a token, a password or a certificate', async () => {
    const plugin = new Plugin();
    const { certificate, key } = authority.issueClient({ commonName: 'jane' });
    const base64 = (text: string): string => Buffer.from(text).toString('base64');
    expect(await tokenOf(await plugin.load({}, {}, { token: 'mine' }))).toBe('Bearer mine');
    expect(await tokenOf(await plugin.load({}, {}, { username: 'jane' }))).toBe(`Basic ${base64('jane:')}`);
    const pair = { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) };
    expect((await plugin.load({}, {}, pair)).credentials).toBeUndefined();
  });

  describe('and the terminal', () => {
    it.each([
      ['Never', false, false],
      ['Never', true, false],
      ['IfAvailable', false, false],
      ['IfAvailable', true, true],
      ['Always', true, true],
    ])('%s, terminal %s: interactive is %s', async (interactiveMode, terminal, interactive) => {
      const plugin = new Plugin();
      plugin.environment = { ...plugin.environment, isTerminal: () => terminal };
      await plugin.answers({ token: 'one' });
      await tokenOf(await plugin.load({ interactiveMode }));
      expect((await plugin.runs())[0]?.info.spec).toEqual({ interactive });
    });

    it('Always without a terminal is an error with a remedy', async () => {
      const plugin = new Plugin();
      await plugin.answers({ token: 'one' });
      expect(await failure(await plugin.load({ interactiveMode: 'Always' }))).toMatch(
        /needs a terminal .* is none: run it in a terminal first, or set interactiveMode/,
      );
      expect(await plugin.runs()).toEqual([]);
    });
  });

  describe('that fails', () => {
    it('is quoted in the error, and its standard error is printed', async () => {
      const plugin = new Plugin();
      await plugin.behaves({ stderr: '\u001b[31mplease log in, hunter22\u001b[0m\n', code: 3, stdout: 'hunter22' });
      const config = await plugin.load({ env: [{ name: 'COLOUR', value: 'hunter22' }] });
      expect(await failure(config)).toBe(
        `the credential plugin ${JSON.stringify(plugin.command)} ended with code 3; its standard error: please log in, [redacted]`,
      );
      expect(plugin.stderr).toMatch(/please log in/);
    });

    it('may succeed the next time', async () => {
      const plugin = new Plugin();
      await plugin.behaves({ code: 1 });
      const config = await plugin.load();
      await failure(config);
      await plugin.answers({ token: 'one' });
      expect(await tokenOf(config)).toBe('Bearer one');
    });

    it('to exist is reported with its installHint', async () => {
      const plugin = new Plugin();
      const named = await plugin.load({
        command: 'no-such-plugin',
        installHint: 'See \u001b[1mhttps://example.com\u001b[0m',
      });
      expect(await failure(named)).toBe(
        'the credential plugin "no-such-plugin" was not found on PATH: install it. See https://example.com',
      );
      expect(await failure(await plugin.load())).toBe(
        `the credential plugin ${JSON.stringify(plugin.command)} was not found: install it`,
      );
      await plugin.folder.write('plugin', script, { mode: 0o644 });
      expect(await failure(await plugin.load({ args: ['other'] }))).toMatch(
        /has no permission to run: make it executable/,
      );
    });

    it.each([
      ['what no process can have', 'hunter22\0', 'ERR_INVALID_ARG_VALUE'],
      ['more than a process can have', 'hunter22'.repeat(50_000), 'E2BIG'],
    ])('to start with %s is reported without it', async (_what, value, code) => {
      const plugin = new Plugin();
      await plugin.answers({ token: 'one' });
      const config = await plugin.load({ env: [{ name: 'COLOUR', value }] });
      expect(await failure(config)).toBe(
        `the credential plugin ${JSON.stringify(plugin.command)} could not be started (${code})`,
      );
    });

    it.each<[what: string, stdout: unknown, message: RegExp]>([
      ['no JSON', 'hunter22', /did not print a JSON object$/],
      ['too much', 'hunter22'.repeat(200_000), /printed more than 1048576 bytes$/],
      ['no object', ['hunter22'], /did not print a JSON object$/],
      ['another kind', { kind: 'Pod' }, /did not print an ExecCredential$/],
      [
        'another version',
        { kind: 'ExecCredential', apiVersion: v1beta1 },
        /printed apiVersion .*v1beta1, but the kubeconfig has .*v1:/,
      ],
      ['no status', { kind: 'ExecCredential', apiVersion: v1 }, /without a status$/],
      ['nothing', { status: {} }, /neither a token nor a certificate$/],
      ['a number', { status: { token: 12345678 } }, /a status\.token that is not a string$/],
      ['half a pair', { status: { clientCertificateData: 'hunter22' } }, /only one of a certificate and its key$/],
      [
        'a bad pair',
        { status: { clientCertificateData: 'hunter22', clientKeyData: 'hunter22' } },
        /cannot be used: the certificate cannot be read/,
      ],
      ['a bad token', { status: { token: 'hunter22\n' } }, /a token with characters that a header cannot carry$/],
      [
        'a bad date',
        { status: { token: 'hunter22', expirationTimestamp: 'soon' } },
        /expirationTimestamp that is not a date$/,
      ],
    ])('by printing %s is reported without its output', async (_what, printed, message) => {
      const plugin = new Plugin();
      const isStatus = typeof printed === 'object' && 'status' in (printed as object);
      const document = isStatus ? { kind: 'ExecCredential', apiVersion: v1, ...(printed as object) } : printed;
      await plugin.behaves({ stdout: typeof document === 'string' ? document : JSON.stringify(document) });
      const text = await failure(await plugin.load());
      expect(text).toMatch(message);
      expect(text).not.toMatch(/hunter22|12345678/);
    });
  });

  it('is ended when all requests that wait for it are aborted', async () => {
    const plugin = new Plugin();
    await plugin.behaves({ hang: true });
    const { credentials } = await plugin.load();
    const controllers = [new AbortController(), new AbortController()];
    const waiting = controllers.map(async ({ signal }) => credentials?.headers(signal));
    await plugin.hasSaid('waiting');
    controllers[0]?.abort(new Error('gave up'));
    await expect(waiting[0]).rejects.toThrow('gave up');
    expect(plugin.stderr).toBe('waiting');
    controllers[1]?.abort(new Error('gave up too'));
    await expect(waiting[1]).rejects.toThrow('gave up too');
    await plugin.hasSaid('bye');
    expect(await plugin.runs()).toHaveLength(1);
  });

  it('may print certificates, which a real handshake uses, and which rotate', async () => {
    const plugin = new Plugin();
    const give = async (commonName: string, lifeMs?: number): Promise<void> => {
      const { certificate, key } = authority.issueClient({ commonName });
      const expirationTimestamp = lifeMs && new Date(plugin.clock.now() + lifeMs).toISOString();
      await plugin.answers({ clientCertificateData: certificate, clientKeyData: key, expirationTimestamp });
    };
    await give('jane', 60_000);
    const greeter = await startTlsGreeter(authority);
    const ca = await plugin.folder.write('ca.crt', authority.certificate);
    const { tls, credentials } = await plugin.load({}, { server: greeter.url, 'certificate-authority': ca });
    const commonName = (): Promise<string> => greeter.commonName(tls);
    let rotations = 0;
    const undo = tls?.onRotate?.(() => rotations++);
    const first = (await credentials?.headers()) ?? {};
    expect(first).toEqual({});
    expect([await commonName(), rotations]).toEqual(['jane', 0]);

    await plugin.clock.advance(60_001);
    await give('mary');
    const second = (await credentials?.headers()) ?? {};
    expect([await commonName(), rotations]).toEqual(['mary', 1]);

    // Without a token the headers' identity shows that the first certificate has been replaced.
    expect(await credentials?.onUnauthorized?.(first)).toBe(true);
    expect(await plugin.runs()).toHaveLength(2);
    await give('anne');
    expect(await credentials?.onUnauthorized?.(second)).toBe(true);
    expect([await commonName(), rotations]).toEqual(['anne', 2]);

    await rm(ca);
    undo?.();
    expect(plugin.clock.pendingTimers).toEqual([]);
  });
});
