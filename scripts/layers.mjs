// Who may import whom inside src/. The picture behind it is in ARCHITECTURE.md; `npm run check` enforces it.

const base = ['meta', 'time', 'resources', 'observe/channels'];
const rest = [...base, 'rest'];
const client = [...rest, 'client'];
const cache = [...client, 'cache'];
const anything = ['*'];

/** @type {Readonly<Record<string, readonly string[]>>} layer → layers it may import besides itself; '*' is all of them */
export const layers = {
  meta: [],
  'observe/channels': [],
  time: ['meta', 'observe/channels'],
  resources: ['meta'],
  rest: base,
  client: rest,
  cache: client,
  workqueue: ['meta', 'time', 'observe/channels'],
  informers: cache,
  election: [...client, 'workqueue'],
  events: [...client, 'workqueue'],
  observe: ['observe/channels', 'meta', 'time'],
  apiserver: ['meta', 'time', 'resources'],
  // Starting a server hands out a client for it; the core below must not know that clients exist.
  'apiserver/server': ['apiserver', ...client],
  'apiserver/index': ['apiserver', 'apiserver/server', ...client],
  testing: anything,
  cli: anything,
  compat: anything,
  index: anything,
};

/** The layer of a file, from its path below src/: the longest name in the table that fits, else its first folder. */
export function layerOf(path) {
  const name = path.replace(/\\/g, '/').replace(/\.[cm]?[jt]s$/, '');
  if (name in layers) return name;
  return name.includes('/') ? name.slice(0, name.indexOf('/')) : name;
}

/** Says why `from` may not import `to` (both paths below src/), or undefined if it may. */
export function forbiddenImport(from, to) {
  const layer = layerOf(from);
  const target = layerOf(to);
  const allowed = layers[layer];
  if (allowed === undefined) return `src/${from} is in no layer that scripts/layers.mjs knows`;
  if (layer === target || allowed.includes('*') || allowed.includes(target)) return undefined;
  const may = allowed.length === 0 ? 'nothing else of ours' : allowed.join(', ');
  return `src/${from} imports src/${to}: ${layer} may import ${may}, not ${target}`;
}
