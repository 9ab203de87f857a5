import { type ChildProcess, spawn } from 'node:child_process';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../../src/time/seeded-random.js';
import { distFile, repository } from '../support/dist.js';

/** What a run of kills has seen. */
export interface KillRun {
  readonly kills: number;
  /** Writes that were answered with success. */
  readonly acknowledged: number;
  /** Writes whose answer a kill prevented: they may or may not have happened. */
  readonly unknown: number;
  /** Events that the watch got, over all its connections. */
  readonly events: number;
  /** How long the server took to start again: the median, and the longest time. */
  readonly startMs: readonly [median: number, longest: number];
  /** What must not happen; empty if all went well. */
  readonly problems: readonly string[];
}

const PATH = '/api/v1/namespaces/default/configmaps';
const WRITERS = 8;

interface Doc {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string };
  readonly data?: { readonly n?: string } | undefined;
}

interface WatchEvent {
  readonly type: string;
  readonly object: Doc;
}

/** The content of a version, to see whether a version stands for two changes. */
function contentOf({ metadata: { name, uid }, data }: Doc): string {
  return `${name} ${uid} ${data?.n}`;
}

/**
 * Runs `kubeflect serve --data` under the load of several writers and a watch, and kills it again and again with SIGKILL. The
 * watch always resumes from the last version that it has seen.
 */
export async function killAgainAndAgain(folder: string, kills: number, seed: number): Promise<KillRun> {
  const random = seededRandom(seed);
  const run = new Run();
  const starts: number[] = [];
  let server = await startServer(folder);
  const watch = followWatch(run, server.url);
  const writers = Array.from({ length: WRITERS }, (_, writer) => write(run, server.url, writer, seed + writer));
  for (let kill = 0; kill < kills; kill++) {
    // From before the first write after a start to well after many.
    await sleep(random() < 0.2 ? random() * 20 : 50 + random() * 200);
    await server.kill();
    const begun = performance.now();
    const { url } = server;
    server = await startServer(folder);
    starts.push(performance.now() - begun);
    if (server.url !== url) run.problem(`the server moved from ${url} to ${server.url}`);
  }
  await sleep(200);
  run.isOver = true;
  await Promise.all(writers);
  const list = await call(server.url, 'GET', PATH);
  const version = Number((list.body as { metadata: { resourceVersion: string } }).metadata.resourceVersion);
  for (let wait = 0; wait < 500 && run.watchedVersion < lastChange(run, version); wait++) await sleep(10);
  run.isWatching = false;
  await server.kill();
  await watch;
  run.compare((list.body as { items: Doc[] }).items);
  starts.sort((a, b) => a - b);
  const startMs = [starts[Math.floor(starts.length / 2)] ?? 0, starts.at(-1) ?? 0] as const;
  return { kills, acknowledged: run.acknowledged, unknown: run.unknown, events: run.events, startMs, problems: run.problems };
}

/** The last version that a write of this run got, if it is not newer than a list. */
function lastChange(run: Run, version: number): number {
  return Math.min(version, Math.max(0, ...run.acknowledgedVersions.keys()));
}

/** What clients have been told, and what does not fit. */
class Run {
  readonly problems: string[] = [];
  readonly acknowledgedVersions = new Map<number, string>();
  /** The content of each version, as anyone has seen it. */
  readonly #contents = new Map<number, string>();
  /** The state that the watch's events lead to. */
  readonly #watched = new Map<string, string>();
  readonly #watchedVersions = new Set<number>();
  unknown = 0;
  events = 0;
  watchedVersion = 0;
  isOver = false;
  isWatching = true;

  get acknowledged(): number {
    return this.acknowledgedVersions.size;
  }

  problem(text: string): void {
    if (this.problems.length < 20) this.problems.push(text);
  }

  #see(version: number, content: string, by: string): void {
    const known = this.#contents.get(version);
    if (known !== undefined && known !== content) this.problem(`${by}: version ${version} is ${content}, and was ${known}`);
    this.#contents.set(version, content);
  }

  acknowledge(object: Doc): void {
    const version = Number(object.metadata.resourceVersion);
    this.acknowledgedVersions.set(version, contentOf(object));
    this.#see(version, contentOf(object), 'a write');
  }

  watch({ type, object }: WatchEvent): void {
    if (type === 'ERROR') {
      this.problem(`the watch got ${JSON.stringify(object)} after version ${this.watchedVersion}`);
      return;
    }
    this.events++;
    const version = Number(object.metadata.resourceVersion);
    if (version <= this.watchedVersion) this.problem(`the watch got ${version} after ${this.watchedVersion}`);
    this.watchedVersion = version;
    this.#watchedVersions.add(version);
    const { name } = object.metadata;
    if (type === 'DELETED') {
      if (!this.#watched.delete(name)) this.problem(`the watch got DELETED of ${name}, which was not there`);
      return;
    }
    this.#see(version, contentOf(object), 'the watch');
    if ((type === 'ADDED') === this.#watched.has(name)) this.problem(`the watch got ${type} of ${name} at ${version}`);
    this.#watched.set(name, contentOf(object));
  }

  /** Compares the list at the end with the watch, and the watch with the acknowledged writes. */
  compare(items: readonly Doc[]): void {
    const listed = new Map(items.map((item) => [item.metadata.name, contentOf(item)]));
    for (const [name, content] of listed) {
      if (this.#watched.get(name) !== content) this.problem(`${content} is listed, the watch has ${this.#watched.get(name)}`);
    }
    for (const name of this.#watched.keys()) if (!listed.has(name)) this.problem(`${name} is watched, but not listed`);
    for (const [version, content] of this.acknowledgedVersions) {
      if (!this.#watchedVersions.has(version)) this.problem(`${content} was acknowledged as ${version}, but never happened`);
    }
  }
}

/** One writer: creates, changes and deletes objects of its own, one after the other, whatever happens to the server. */
async function write(run: Run, url: string, writer: number, seed: number): Promise<void> {
  const random = seededRandom(seed);
  const agent = new Agent({ keepAlive: true });
  /** The last acknowledged state of each object; undefined if it may be any. */
  const states = new Map<string, Doc | 'absent' | undefined>();
  for (let n = 0; !run.isOver; n++) {
    const name = `w${writer}-${Math.floor(random() * 20)}`;
    const path = `${PATH}/${name}`;
    const state = states.get(name);
    try {
      if (states.has(name) && state === undefined) {
        const { status, body } = await call(url, 'GET', path, undefined, agent);
        states.set(name, status === 404 ? 'absent' : (body as Doc));
        continue;
      }
      const isPresent = state !== undefined && state !== 'absent';
      const isDeletion = isPresent && random() < 0.2;
      states.set(name, undefined);
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { n: `${writer}-${n}` } };
      const { status, body } = isDeletion
        ? await call(url, 'DELETE', path, undefined, agent)
        : isPresent
          ? await call(url, 'PATCH', path, { data: object.data }, agent)
          : await call(url, 'POST', PATH, object, agent);
      const expected = isPresent ? 200 : 201;
      if (status !== expected) run.problem(`${name}: ${status} ${JSON.stringify(body)}, its state was ${JSON.stringify(state)}`);
      else if (isDeletion) states.set(name, 'absent');
      else {
        run.acknowledge(body as Doc);
        states.set(name, body as Doc);
      }
    } catch {
      if (states.has(name) && states.get(name) === undefined) run.unknown++;
      await sleep(5);
    }
  }
  agent.destroy();
}

/** One watch that resumes after each end, from the last version that it has seen. */
async function followWatch(run: Run, url: string): Promise<void> {
  while (run.isWatching) {
    await new Promise<void>((resolve) => {
      // Version 1 is before everything that the server has written.
      const from = run.watchedVersion === 0 ? '' : `&resourceVersion=${run.watchedVersion}`;
      const sent = request(`${url}${PATH}?watch=1${from}`, (response) => {
        let rest = '';
        response.setEncoding('utf8');
        response.on('data', (text: string) => {
          const lines = (rest + text).split('\n');
          rest = lines.pop() ?? '';
          for (const line of lines) run.watch(JSON.parse(line) as WatchEvent);
        });
        response.on('close', resolve);
        response.on('error', () => {});
      });
      sent.on('error', () => resolve());
      sent.end();
    });
    await sleep(5);
  }
}

function call(
  url: string,
  method: string,
  path: string,
  body?: object,
  agent?: Agent,
): Promise<{ readonly status: number; readonly body: unknown }> {
  return new Promise((resolve, reject) => {
    const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const headers = { 'content-type': contentType };
    const sent = request(`${url}${path}`, { method, headers, ...(agent === undefined ? {} : { agent }) }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
      });
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }));
    });
    sent.on('error', reject);
    sent.end(body && JSON.stringify(body));
  });
}

interface Server {
  readonly url: string;
  kill(): Promise<void>;
}

async function startServer(folder: string): Promise<Server> {
  const child: ChildProcess = spawn(process.execPath, [distFile('cli/main.js'), 'serve', '--data', folder], {
    cwd: repository,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    const take = (text: string): void => {
      output += text;
      const found = /Serving the Kubernetes API at (\S+)/.exec(output);
      if (found !== null) resolve(found[1]!);
    };
    child.stdout?.setEncoding('utf8').on('data', take);
    child.stderr?.setEncoding('utf8').on('data', take);
    child.on('close', () => reject(new Error(`the server did not start: ${output}`)));
  });
  return {
    url,
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
