// The import table of src/. ARCHITECTURE.md shows it; `npm run check` enforces it on both levels.

const base = ['meta', 'structures', 'time', 'resources', 'observe/channels'];
const rest = [...base, 'codec', 'streams', 'rest'];
const client = [...rest, 'client'];
const cache = [...client, 'cache'];
const anything = ['*'];
/** The entries of the package that controllers import. */
const entries = ['index', 'client/index', 'workqueue/index', 'election/index', 'events/index', 'observe/index'];

/** @type {Readonly<Record<string, readonly string[]>>} layer → layers it may import besides itself; '*' is all of them */
export const layers = {
  structures: [],
  meta: [],
  // What a stage publishes and the metrics of it are one file each. channels.ts puts them together for the publishers.
  observe: ['meta'],
  'observe/channels': ['meta', 'observe'],
  time: ['meta', 'structures', 'observe/channels'],
  resources: ['meta'],
  regexp: ['time'],
  certificates: ['meta', 'time'],
  kinds: ['meta', 'resources', 'regexp'],
  codec: ['meta', 'structures', 'time', 'resources'],
  streams: ['meta', 'time'],
  rest: [...base, 'codec', 'streams'],
  client: rest,
  cache: client,
  workqueue: ['meta', 'structures', 'time', 'observe/channels'],
  informers: cache,
  'informers/shards/index': [...cache, 'informers'],
  election: [...client, 'workqueue', 'election/guarded-client'],
  'election/guarded-client': [...client, 'election'],
  events: [...client, 'workqueue'],
  'client/index': client,
  'workqueue/index': ['meta', 'structures', 'time', 'observe/channels', 'workqueue'],
  'election/index': [...client, 'workqueue', 'election', 'election/guarded-client'],
  'events/index': [...client, 'workqueue', 'events'],
  // Controllers use what users use, and the helpers of the lowest layers.
  controller: [
    ...base,
    ...entries,
    'kinds',
    'certificates',
    'observe/start-metrics',
    'election/guarded-client',
    'informers/shards/index',
  ],
  'observe/start-metrics': ['meta', 'time', 'observe'],
  'observe/index': ['observe', 'observe/channels', 'observe/start-metrics'],
  apiserver: ['meta', 'structures', 'time', 'resources', 'regexp', 'codec', 'streams', 'certificates'],
  // startApiServer returns a client for the server; the core of the server does not import clients.
  'apiserver/server': ['apiserver', 'certificates', ...client],
  'apiserver/index': ['apiserver', 'certificates', 'apiserver/server', ...client],
  // Shows what the stages publish, and reads their parts. Only the command imports it.
  inspector: [...cache, 'informers', 'controller'],
  testing: anything,
  cli: anything,
  compat: anything,
  index: anything,
};

/**
 * The second level: layer → sub-folder → sub-folders of the same layer that it may import. '.' stands for the files beside
 * the sub-folders. A layer that is not listed here has no sub-folders, or only generated ones.
 *
 * @type {Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>}
 */
export const rooms = {
  meta: { '.': ['errors', 'options'], errors: ['.', 'options'], options: ['.'], selectors: ['.', 'errors', 'options'] },
  observe: { '.': ['*'], metrics: [] },
  codec: { '.': [], json: ['.'], protobuf: ['.'], yaml: [] },
  rest: {
    '.': ['*'],
    http: [],
    credentials: ['http'],
    config: ['credentials', 'http'],
    request: ['http', 'credentials'],
    source: ['request', 'http'],
  },
  client: { '.': ['*'], streams: ['.'], wait: ['.'], manifests: ['.', 'wait'], metrics: ['.'] },
  cache: {
    '.': ['*'],
    store: [],
    source: [],
    queue: ['store'],
    check: ['source', 'store'],
    reflector: ['source', 'store'],
    informer: ['reflector', 'source', 'queue', 'store', 'check'],
    wait: ['informer', 'reflector', 'source', 'store'],
  },
  informers: { '.': ['*'], shards: [] },
  apiserver: {
    '.': ['*'],
    wire: [],
    storage: [],
    patch: [],
    'managed-fields': [],
    tables: [],
    cel: [],
    resources: ['storage', 'tables', 'wire', 'cel', 'managed-fields', 'patch'],
    access: ['resources', 'storage', 'wire', 'cel'],
    admission: ['resources', 'storage', 'wire', 'cel', 'patch'],
    openapi: ['resources', 'wire'],
    request: ['access', 'resources', 'storage', 'patch', 'managed-fields', 'openapi', 'tables', 'wire'],
    controllers: ['resources', 'storage'],
    faults: ['request', 'wire'],
    replay: ['faults', 'resources', 'storage', 'wire'],
  },
  controller: {
    '.': ['*'],
    wakes: ['.'],
    run: ['.', 'wakes'],
    shards: ['.'],
    webhooks: ['.'],
    manager: ['.', 'manifests', 'shards', 'webhooks'],
    manifests: ['.', 'manager', 'webhooks'],
  },
  cli: {
    '.': ['*'],
    terminal: ['.'],
    table: ['.'],
    get: ['.', 'terminal', 'table'],
    watch: ['.', 'terminal', 'table'],
    wait: ['.'],
    logs: ['.', 'terminal'],
    why: ['.', 'terminal', 'watch'],
    tree: ['.', 'terminal', 'table'],
    doctor: ['.', 'terminal'],
    completion: ['.'],
    recordings: ['.'],
    types: ['.'],
    manifests: ['.'],
    init: ['.', 'manifests'],
  },
  inspector: { '.': ['*'], recording: ['.'], views: ['.', 'recording'], server: ['.'], page: ['.'] },
};

/** The layer of a file, from its path below src/: the longest name in the table that fits, else its first folder. */
export function layerOf(path) {
  const name = path.replace(/\\/g, '/').replace(/\.[cm]?[jt]s$/, '');
  if (name in layers) return name;
  return name.includes('/') ? name.slice(0, name.indexOf('/')) : name;
}

/** The sub-folder of a file within its layer, '.' for a file directly in it. */
function roomOf(path) {
  const parts = path.replace(/\\/g, '/').split('/');
  return parts.length > 2 ? parts[1] : '.';
}

/** The reason why `from` may not import `to` (both paths below src/), or undefined if it may. */
export function forbiddenImport(from, to) {
  const layer = layerOf(from);
  const target = layerOf(to);
  const allowed = layers[layer];
  if (allowed === undefined) return `src/${from} is in no layer that scripts/layers.mjs knows`;
  if (layer !== target && !allowed.includes('*') && !allowed.includes(target))
    return refusal(from, to, layer, allowed, target);
  if (layer !== target || !(layer in rooms)) return undefined;
  const [room, targetRoom] = [roomOf(from), roomOf(to)];
  const open = rooms[layer][room];
  if (open === undefined) return `src/${from} is in no sub-folder of ${layer} that scripts/layers.mjs knows`;
  if (room === targetRoom || open.includes('*') || open.includes(targetRoom)) return undefined;
  return refusal(from, to, `${layer}/${room}`, open, `${layer}/${targetRoom}`);
}

function refusal(from, to, layer, allowed, target) {
  const may = allowed.length === 0 ? 'no other folder' : allowed.join(', ');
  return `src/${from} imports src/${to}: ${layer} may import ${may}, not ${target}`;
}
