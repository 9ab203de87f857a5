// @ts-check
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildRealApiServer } from './build.mjs';

/**
 * @import { ChildProcessByStdio } from 'node:child_process'
 * @import { Readable, Writable } from 'node:stream'
 * @import { ClientCertificate, Credentials, PolicyRule, RealApiServer, RealApiServerOptions } from './real-api-server.d.mts'
 * @typedef {{ id?: number, event?: string, error?: string, port?: number, revision?: number, certificate?: string, key?: string }} Answer
 */

// Timeouts for failures: a loaded machine takes ten times as long as a quiet one.
const readyWithinMs = 300_000;
const exitWithinMs = 120_000;
const rulesWithinMs = 120_000;

/** @type {typeof import('./real-api-server.d.mts').startRealApiServer} */
export async function startRealApiServer(options = {}) {
  const binary = await buildRealApiServer({ onProgress: options.onProgress });
  const dataFolder = await mkdtemp(join(tmpdir(), 'kubeflect-real-'));
  const server = new Server(binary, dataFolder, options);
  try {
    await server.start();
    await server.describe();
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}

/** @implements {RealApiServer} */
class Server {
  url = '';
  ca = '';
  kubeconfig = '';
  adminToken;
  dataFolder;
  caPath;
  kubeconfigPath;
  #binary;
  #options;
  #port;
  /** @type {ServerProcess | undefined} */
  #process;
  /** @type {{ token: string, name: string, groups: readonly string[] }[]} */
  #users = [];

  /**
   * @param {string} binary
   * @param {string} dataFolder
   * @param {RealApiServerOptions} options
   */
  constructor(binary, dataFolder, options) {
    this.#binary = binary;
    this.#options = options;
    this.#port = options.port ?? 0;
    this.adminToken = options.adminToken ?? newToken();
    this.dataFolder = dataFolder;
    this.caPath = join(dataFolder, 'pki', 'server-ca.crt');
    this.kubeconfigPath = join(dataFolder, 'kubeconfig');
  }

  get pid() {
    return this.#process?.pid;
  }

  async start() {
    if (this.#process !== undefined) throw new Error(`The server at ${this.url} runs already (process ${this.pid}).`);
    const gates = Object.entries({ ListFromCacheSnapshot: false, WatchList: true, ...this.#options.featureGates });
    const started = new ServerProcess(
      this.#binary,
      [
        '-data',
        this.dataFolder,
        '-port',
        String(this.#port),
        '-admin-token',
        this.adminToken,
        '--',
        `--feature-gates=${gates.map(([gate, on]) => `${gate}=${on}`).join(',')}`,
        ...(this.#options.flags ?? []),
      ],
      this.#options.onLog,
    );
    this.#process = started;
    for (const user of this.#users) await started.ask({ command: 'addUser', ...user });
    this.#port = await started.whenReady();
    this.url = `https://127.0.0.1:${this.#port}`;
  }

  /** Set by the first start. */
  async describe() {
    this.ca = await readFile(this.caPath, 'utf8');
    this.kubeconfig = this.kubeconfigFor({ token: this.adminToken });
    await writeFile(this.kubeconfigPath, this.kubeconfig, { mode: 0o600 });
  }

  async shutDown() {
    const running = this.#running();
    this.#process = undefined;
    await running.shutDown();
  }

  async restart() {
    await this.shutDown();
    await this.start();
  }

  async kill() {
    const running = this.#running();
    this.#process = undefined;
    await running.kill();
  }

  async stop() {
    const running = this.#process;
    this.#process = undefined;
    await running?.abandon();
    await rm(this.dataFolder, { recursive: true, force: true, maxRetries: 5 });
  }

  [Symbol.asyncDispose]() {
    return this.stop();
  }

  async compact() {
    const { revision } = await this.#running().ask({ command: 'compact' });
    return revision ?? 0;
  }

  /** @type {RealApiServer['clientCertificate']} */
  async clientCertificate({ commonName, organizations = [] }) {
    const answer = await this.#running().ask({ command: 'certificate', commonName, organizations });
    return { cert: answer.certificate ?? '', key: answer.key ?? '' };
  }

  /** @type {RealApiServer['addUser']} */
  async addUser({ name, groups = [], rules = [], namespace }) {
    const user = { token: newToken(), name, groups };
    await this.#running().ask({ command: 'addUser', ...user });
    this.#users.push(user);
    if (rules.length > 0) await this.#bind(name, groups, rules, namespace);
    return user.token;
  }

  /**
   * @param {string} user
   * @param {readonly string[]} groups
   * @param {readonly PolicyRule[]} rules
   * @param {string | undefined} namespace
   */
  async #bind(user, groups, rules, namespace) {
    const kind = namespace === undefined ? 'ClusterRole' : 'Role';
    const base = `/apis/rbac.authorization.k8s.io/v1/${namespace === undefined ? '' : `namespaces/${namespace}/`}`;
    const apiVersion = 'rbac.authorization.k8s.io/v1';
    const metadata = { name: `${user.replace(/[^a-z0-9.-]/g, '-')}-${newToken().slice(0, 8)}` };
    await this.#create(`${base}${kind.toLowerCase()}s`, { apiVersion, kind, metadata, rules });
    await this.#create(`${base}${kind.toLowerCase()}bindings`, {
      apiVersion,
      kind: `${kind}Binding`,
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: metadata.name },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
    });
    // The authorizer reads roles from a watch, so that a new one takes a moment.
    const spec = { user, groups, ...accessUnder(rules[0], namespace) };
    const deadline = performance.now() + rulesWithinMs;
    for (;;) {
      const review = await this.#create('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        spec,
      });
      if (review.status.allowed) return;
      if (performance.now() > deadline)
        throw new Error(`The server does not honour the rules of user ${user} after ${rulesWithinMs} ms.`);
      await sleep(10);
    }
  }

  /**
   * @param {string} path
   * @param {unknown} body
   * @returns {Promise<any>}
   */
  async #create(path, body) {
    const response = await this.request('POST', path, { body });
    if (response.status === 201) return response.body;
    throw new Error(`POST ${path} was answered with ${response.status}: ${JSON.stringify(response.body)}`);
  }

  /** @type {RealApiServer['request']} */
  request(method, path, { body, headers, as = { token: this.adminToken } } = {}) {
    const credentials = 'cert' in as ? { cert: as.cert, key: as.key } : {};
    const authorization = 'token' in as ? { authorization: `Bearer ${as.token}` } : undefined;
    const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    // Without a length Node would send the body of a DELETE without framing.
    const length = payload && { 'content-type': 'application/json', 'content-length': payload.length };
    return new Promise((resolve, reject) => {
      const request = httpsRequest(
        new URL(path, this.url),
        {
          method,
          ca: this.ca,
          agent: false,
          ...credentials,
          headers: {
            accept: 'application/json',
            ...authorization,
            ...length,
            ...headers,
          },
        },
        async (response) => {
          try {
            let text = '';
            for await (const chunk of response.setEncoding('utf8')) text += chunk;
            const isJson = response.headers['content-type']?.includes('json') === true;
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              body: isJson ? JSON.parse(text) : text,
            });
          } catch (error) {
            reject(error);
          }
        },
      );
      request.on('error', reject);
      request.end(payload);
    });
  }

  /** @type {RealApiServer['kubeconfigFor']} */
  kubeconfigFor(as) {
    const user =
      'token' in as
        ? `token: ${JSON.stringify(as.token)}`
        : 'cert' in as
          ? `client-certificate-data: ${base64(as.cert)}, client-key-data: ${base64(as.key)}`
          : '';
    return `apiVersion: v1
kind: Config
clusters:
- name: real
  cluster: { server: "${this.url}", certificate-authority-data: ${base64(this.ca)} }
users:
- name: user
  user: { ${user} }
contexts:
- name: real
  context: { cluster: real, user: user, namespace: default }
current-context: real
`;
  }

  #running() {
    if (this.#process === undefined) throw new Error(`The server at ${this.url} is down: call start() first.`);
    return this.#process;
  }
}

/** One process of the server: commands go to its stdin, answers come from its stdout, one JSON object per line. */
class ServerProcess {
  /** @type {ChildProcessByStdio<Writable, Readable, Readable>} */
  #child;
  /** @type {Promise<void>} */
  #exited;
  /** @type {Map<number, { resolve: (answer: Answer) => void, reject: (error: Error) => void }>} */
  #asked = new Map();
  #nextId = 1;
  /** @type {(answer: Answer) => void} */
  #onEvent = () => {};
  #ready;
  #logTail = '';

  /**
   * @param {string} binary
   * @param {readonly string[]} args
   * @param {((text: string) => void) | undefined} onLog
   */
  constructor(binary, args, onLog) {
    this.#child = spawn(binary, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#exited = once(this.#child, 'close').then(
      () => this.#ended(),
      (error) => this.#ended(error),
    );
    this.#ready = new Promise((/** @type {(answer: Answer) => void} */ resolve) => {
      this.#onEvent = resolve;
    });
    // A write to a process that has just died is reported by its exit.
    this.#child.stdin.on('error', () => {});
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#answered(JSON.parse(line)));
    this.#child.stderr.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
      this.#logTail = (this.#logTail + text).slice(-8192);
      onLog?.(text);
    });
  }

  get pid() {
    return this.#child.pid;
  }

  async whenReady() {
    const timeout = new AbortController();
    try {
      const first = await Promise.race([
        this.#ready,
        this.#exited,
        sleep(readyWithinMs, undefined, { signal: timeout.signal }),
      ]);
      if (first?.port === undefined) {
        throw new Error(
          `The real kube-apiserver did not become ready: ${first?.error ?? 'see its log'}\n${this.#logTail}`,
        );
      }
      return first.port;
    } finally {
      timeout.abort();
    }
  }

  /**
   * @param {Record<string, unknown>} command
   * @returns {Promise<Answer>}
   */
  ask(command) {
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { resolve, reject });
      this.#child.stdin.write(`${JSON.stringify({ id, ...command })}\n`);
    });
  }

  async shutDown() {
    this.#child.kill('SIGTERM');
    await this.#exit();
  }

  async kill() {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  /** A closed stdin makes the process remove its data and end. */
  async abandon() {
    this.#child.stdin.end();
    await this.#exit();
  }

  /** Waits for the end of the process, and kills it after a timeout. */
  async #exit() {
    const timeout = new AbortController();
    const late = sleep(exitWithinMs, 'late', { signal: timeout.signal }).catch(() => undefined);
    if ((await Promise.race([this.#exited, late])) === 'late') await this.kill();
    timeout.abort();
  }

  /** @param {Answer} answer */
  #answered(answer) {
    const waiting = this.#asked.get(answer.id ?? 0);
    if (waiting === undefined) {
      this.#onEvent(answer);
      return;
    }
    this.#asked.delete(answer.id ?? 0);
    if (answer.error === undefined) waiting.resolve(answer);
    else waiting.reject(new Error(`The real kube-apiserver refused a command: ${answer.error}`));
  }

  /** @param {Error} [error] */
  #ended(error) {
    const reason = error ?? new Error(`The real kube-apiserver has ended.\n${this.#logTail}`);
    for (const { reject } of this.#asked.values()) reject(reason);
    this.#asked.clear();
  }
}

/**
 * @param {PolicyRule | undefined} rule
 * @param {string | undefined} namespace
 */
function accessUnder(rule, namespace) {
  const one = (/** @type {readonly string[] | undefined} */ values) =>
    values?.[0] === '*' ? 'anything' : (values?.[0] ?? '');
  const verb = one(rule?.verbs);
  if (rule?.resources === undefined)
    return { nonResourceAttributes: { verb, path: rule?.nonResourceURLs?.[0] ?? '/' } };
  const [resource, subresource] = one(rule.resources).split('/');
  const name = rule.resourceNames?.[0];
  return { resourceAttributes: { verb, group: one(rule.apiGroups), resource, subresource, name, namespace } };
}

function newToken() {
  return randomBytes(16).toString('hex');
}

/** @param {string} text */
function base64(text) {
  return Buffer.from(text).toString('base64');
}
