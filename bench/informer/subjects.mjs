// The measured programs: each follows the pods (or widgets) of a load server and calls back for every object it gets,
// until its process ends.
//
//   start(url, { pods, begin(), onUpdate(resourceVersion) }) → resolves when it has synced and made all calls for the first list
//
// `begin` is called after all modules are loaded and before the first request: loading does not count as time to synced.
// The environment says how to reach a server with TLS: BENCH_CA is the file of its certificate authority, BENCH_TOKEN the
// token of an administrator.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { receive } from '../floors.mjs';

export const podsPath = '/api/v1/pods';
const watchListPath = `${podsPath}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`;

/** A promise that resolves when `hit` has been called `count` times. */
function countdown(count) {
  let left = count;
  let resolve;
  const done = new Promise((r) => {
    resolve = r;
  });
  return {
    done,
    hit() {
      if (--left === 0) resolve();
    },
  };
}

const { BENCH_CA: caFile = '', BENCH_TOKEN: token = '' } = process.env;

/** Receives a watch-list with as little work as possible. */
function receiveWatch(url, accept, onChunk) {
  if (url.startsWith('http:')) return void receive(url, watchListPath, onChunk);
  const session = connect(url, { ca: readFileSync(caFile), settings: { initialWindowSize: 16_777_216 } });
  session.once('connect', () => session.setLocalWindowSize(16_777_216));
  const authorization = token === '' ? {} : { authorization: `Bearer ${token}` };
  session.request({ ':path': watchListPath, accept, ...authorization }).on('data', onChunk);
}

/** Receives the bytes of a watch in JSON, and searches them for line ends only. */
function bytesOfJson(url, { pods, begin, onUpdate }) {
  begin();
  const first = countdown(pods + 1);
  let lines = 0;
  receiveWatch(url, 'application/json', (chunk) => {
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) {
      lines++;
      if (lines <= pods + 1) first.hit();
      else onUpdate('');
    }
  });
  return first.done;
}

/** Receives the bytes of a watch in protobuf, and reads the lengths of its frames only. */
function bytes(url, { pods, begin, onUpdate }) {
  begin();
  const first = countdown(pods + 1);
  let frames = 0;
  let length = 0;
  let digits = 0;
  let left = 0;
  receiveWatch(url, 'application/vnd.kubernetes.protobuf;stream=watch', (chunk) => {
    for (let at = 0; at < chunk.length; ) {
      if (left > 0) {
        const step = Math.min(left, chunk.length - at);
        at += step;
        left -= step;
        if (left > 0) return;
        frames++;
        if (frames <= pods + 1) first.hit();
        else onUpdate('');
        continue;
      }
      length = length * 256 + chunk[at++];
      if (++digits < 4) continue;
      left = length;
      length = 0;
      digits = 0;
    }
  });
  return first.done;
}

/** Split + JSON.parse + Map.set: the minimal work of an informer that parses every object. */
function floor(url, { pods, begin, onUpdate }) {
  begin();
  const first = countdown(pods);
  const store = new Map();
  globalThis.kept = store;
  let rest = '';
  receiveWatch(url, 'application/json', (chunk) => {
    const text = rest + chunk.toString('utf8');
    let from = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      const { type, object } = JSON.parse(text.slice(from, end));
      from = end + 1;
      if (type === 'BOOKMARK') continue;
      store.set(`${object.metadata.namespace}/${object.metadata.name}`, object);
      if (type === 'ADDED') first.hit();
      else onUpdate(object.metadata.resourceVersion);
    }
    rest = text.slice(from);
  });
  return first.done;
}

/** The informer of the official client. */
async function clientNode(url, { pods, begin, onUpdate }) {
  const { CoreV1Api, KubeConfig, makeInformer } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  config.loadFromClusterAndUser({ name: 'bench', server: url, skipTLSVerify: true }, { name: 'bench', token });
  const api = config.makeApiClient(CoreV1Api);
  const informer = makeInformer(config, podsPath, () => api.listPodForAllNamespaces());
  const first = countdown(pods);
  informer.on('add', () => first.hit());
  informer.on('update', (pod) => onUpdate(pod.metadata.resourceVersion));
  informer.on('error', (error) => {
    throw error;
  });
  globalThis.kept = informer;
  begin();
  await informer.start();
  await first.done;
}

/** A kubeconfig for a server, in a new folder. */
function writeKubeconfig(server) {
  const folder = mkdtempSync(join(tmpdir(), 'kubeflect-bench-'));
  const path = join(folder, 'config');
  const name = 'bench';
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    // The official client, which it uses, refuses plain HTTP without this.
    clusters: [{ name, cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name, user: token === '' ? {} : { token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  };
  writeFileSync(path, JSON.stringify(config));
  return { path, remove: () => rmSync(folder, { recursive: true }) };
}

/**
 * The watch of kubernetes-fluent-client, with its defaults: it lists again after ten minutes, and reconnects after ten
 * silent ones, after the end of every measurement.
 */
async function fluentClient(url, { pods, begin, onUpdate }) {
  const { K8s, kind, WatchEvent } = await import('kubernetes-fluent-client');
  const first = countdown(pods);
  const watcher = K8s(kind.Pod).Watch((pod, phase) => {
    if (phase === 'ADDED') first.hit();
    else if (phase === 'MODIFIED') onUpdate(pod.metadata.resourceVersion);
  });
  // It reports failures by events only, and retries.
  for (const failure of ['LIST_ERROR', 'WATCH_ERROR', 'NETWORK_ERROR', 'DATA_ERROR']) {
    watcher.events.on(WatchEvent[failure], (error) => {
      throw error;
    });
  }
  globalThis.kept = watcher;
  // It takes its address from a kubeconfig only, and reads the file again for each of its two requests.
  const kubeconfig = writeKubeconfig(url);
  process.env.KUBECONFIG = kubeconfig.path;
  try {
    begin();
    await watcher.start();
    await first.done;
  } finally {
    kubeconfig.remove();
  }
}

const widgets = {
  group: 'bench.example.com',
  version: 'v1',
  resource: 'widgets',
  kind: 'Widget',
  namespaced: true,
};

/** A factory of kubeflect, with all modules loaded that a request needs. */
export async function factoryFor(url, options, wire = 'protobuf') {
  const [{ Client, SharedInformerFactory }] = await Promise.all([
    import('../../dist/index.js'),
    import(`../../dist/chunks/${url.startsWith('https:') ? 'http2' : 'http1'}-connection.js`),
  ]);
  const access = { ...(caFile === '' ? {} : { caFile }), ...(token === '' ? {} : { token }) };
  return new SharedInformerFactory(new Client({ server: url, wire, ...access }), options);
}

/** kubeflect with one handler. */
function kubeflect(options, join, { resource, wire } = {}) {
  return async (url, { pods, begin, onUpdate }) => {
    const factory = await factoryFor(url, undefined, wire);
    const informer =
      resource === undefined ? factory.core.v1.pods(options) : factory.forResource(resource, options ?? {});
    const first = countdown(pods);
    let adding = true;
    void first.done.then(() => {
      adding = false;
    });
    join(informer, {
      called: (version) => {
        if (adding) first.hit();
        else onUpdate(version);
      },
    });
    globalThis.kept = { factory, informer };
    begin();
    factory.start();
    await Promise.all([factory.waitForCacheSync(), first.done]);
  };
}

/** A handler that uses the key. */
const keysOnly = (informer, { called }) => informer.enqueueInto({ add: called });

/** The same, with the resourceVersion, which identifies the event in measurements of latency. */
const versions = (informer, { called }) => informer.subscribe((event) => called(event.facts.resourceVersion));

/** A handler that reads spec and status of every object. */
const readingObjects = (informer, { called }) =>
  informer.subscribe((event) => {
    const { spec, status } = event.object;
    if (spec.nodeName === undefined || status.phase === undefined) throw new Error(`${event.key} is not whole`);
    called(event.facts.resourceVersion);
  });

/** All subjects by name. */
export const subjects = {
  bytes,
  'bytes, JSON': bytesOfJson,
  floor,
  'client-node': clientNode,
  'fluent-client': fluentClient,
  keys: kubeflect({}, keysOnly),
  versions: kubeflect({}, versions),
  objects: kubeflect({}, readingObjects),
  'keys, JSON': kubeflect({}, keysOnly, { wire: 'json' }),
  'objects, JSON': kubeflect({}, readingObjects, { wire: 'json' }),
  'keys, managedFields kept': kubeflect({ managedFields: 'keep' }, keysOnly),
  'objects, managedFields kept': kubeflect({ managedFields: 'keep' }, readingObjects),
  'stored objects': kubeflect({ storage: 'objects' }, keysOnly),
  'stored objects, managedFields kept': kubeflect({ storage: 'objects', managedFields: 'keep' }, keysOnly),
  'keys, custom resource': kubeflect({}, keysOnly, { resource: widgets }),
};
