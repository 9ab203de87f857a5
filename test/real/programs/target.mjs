// @ts-check
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startApiServer } from '../../../dist/apiserver/index.js';
import { startRealApiServer } from '../real-api-server.mjs';

/**
 * A server that a foreign program talks to, with TLS and RBAC: the embedded one, or a real kube-apiserver.
 *
 * @typedef {'embedded' | 'real'} TargetName
 * @typedef {{ name: string, groups?: readonly string[] }} TargetUser
 * @typedef {{ status: number, body: any }} Answer
 */
export class Target {
  /** @type {TargetName} */
  name;
  /** @type {string} */
  url;
  /** @type {string} */
  ca;
  #folder;
  #adminToken;
  #tokenOf;
  #stop;
  #agent;

  /**
   * @param {TargetName} name
   * @param {{ url: string, ca: string, adminToken: string, folder: string, tokenOf: (user: TargetUser) => Promise<string>, stop: () => Promise<void> }} parts
   */
  constructor(name, parts) {
    this.name = name;
    this.url = parts.url;
    this.ca = parts.ca;
    this.#folder = parts.folder;
    this.#adminToken = parts.adminToken;
    this.#tokenOf = parts.tokenOf;
    this.#stop = parts.stop;
    this.#agent = new Agent({ keepAlive: true, ca: parts.ca });
  }

  /**
   * The path of a kubeconfig: of the administrator, or of a user with the rights that the default roles give it.
   *
   * @param {TargetUser} [user]
   */
  async kubeconfig(user) {
    const token = user === undefined ? this.#adminToken : await this.#tokenOf(user);
    const cluster = { server: this.url, 'certificate-authority-data': Buffer.from(this.ca).toString('base64') };
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'test',
      clusters: [{ name: 'test', cluster }],
      users: [{ name: 'test', user: { token } }],
      contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    };
    // JSON is YAML.
    const path = join(this.#folder, `${user?.name.replaceAll(':', '-') ?? 'admin'}.kubeconfig`);
    await writeFile(path, JSON.stringify(config), { mode: 0o600 });
    return path;
  }

  /** The path of the certificate authority. */
  async caPath() {
    const path = join(this.#folder, 'target-ca.crt');
    await writeFile(path, this.ca);
    return path;
  }

  /**
   * One request of the administrator.
   *
   * @param {string} method
   * @param {string} path
   * @param {object} [body]
   * @param {string} [contentType]
   * @returns {Promise<Answer>}
   */
  request(method, path, body, contentType = 'application/json') {
    return new Promise((resolve, reject) => {
      const text = body === undefined ? '' : JSON.stringify(body);
      const headers = {
        authorization: `Bearer ${this.#adminToken}`,
        'content-type': contentType,
        // Node sends no length with a DELETE by itself.
        'content-length': Buffer.byteLength(text),
      };
      const request = httpsRequest(this.url + path, { method, headers, agent: this.#agent }, (response) => {
        let answer = '';
        response.setEncoding('utf8').on('data', (/** @type {string} */ chunk) => {
          answer += chunk;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, body: answer === '' ? {} : JSON.parse(answer) }),
        );
      });
      request.on('error', reject).end(text);
    });
  }

  /**
   * Creates an object.
   *
   * @param {string} path
   * @param {object} body
   */
  async create(path, body) {
    const answer = await this.request('POST', path, body);
    if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /**
   * Reads until the answer fits.
   *
   * @param {string} what is named in the error
   * @param {string} path
   * @param {(answer: Answer) => boolean} fits
   * @param {number} [withinMs]
   */
  async until(what, path, fits, withinMs = 90_000) {
    const deadline = performance.now() + withinMs;
    for (;;) {
      const answer = await this.request('GET', path);
      if (fits(answer)) return answer.body;
      if (performance.now() > deadline) {
        throw new Error(
          `not ${what} after ${withinMs / 1000} s: ${path}: ${JSON.stringify(answer.body).slice(0, 2000)}`,
        );
      }
      await sleep(50);
    }
  }

  async stop() {
    this.#agent.destroy();
    await this.#stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/**
 * @param {TargetName} name
 * @param {{ users?: readonly TargetUser[], controllers?: import('../../../dist/apiserver/index.js').ApiServerOptions['controllers'] }} [options] the users
 *   that `kubeconfig` is asked for, and the controllers of the embedded server
 */
export async function startTarget(name, options = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'kubeflect-program-'));
  if (name === 'real') {
    const server = await startRealApiServer();
    const { url, ca, adminToken } = server;
    return new Target(name, {
      url,
      ca,
      adminToken,
      folder,
      tokenOf: (user) => server.addUser(user),
      stop: () => server.stop(),
    });
  }
  const tokenOf = (/** @type {TargetUser} */ { name }) => `token-of-${name.replaceAll(':', '-')}`;
  const tokens = Object.fromEntries((options.users ?? []).map((user) => [tokenOf(user), user]));
  const api = await startApiServer({
    tls: true,
    authorization: 'rbac',
    tokens,
    controllers: options.controllers,
    onError: (error) =>
      process.stderr.write(`the embedded server has a bug: ${error instanceof Error ? error.stack : error}\n`),
  });
  return new Target(name, {
    url: api.url,
    ca: api.certificateAuthority ?? '',
    adminToken: api.token ?? '',
    folder,
    tokenOf: async (user) => tokenOf(user),
    stop: () => api.stop(),
  });
}
