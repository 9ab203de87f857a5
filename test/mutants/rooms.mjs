/**
 * The rooms of src/ in which bugs are planted. The suites that should notice a bug are, in this order: the tests with the name of
 * its file, the other tests of its folder, and the suites of its room. A suite is a test file, or a folder with a slash at its end;
 * behind a space is the part of the titles that is run.
 *
 * @typedef {object} Room
 * @property {string} name
 * @property {readonly string[]} folders a folder with a slash at its end includes its sub-folders
 * @property {readonly string[]} suites
 * @property {number} draws how many of the drawn bugs are in this room
 */

const conformance = 'test/conformance/embedded.test.ts';
const golden = 'test/golden/golden.test.ts';
const informers = [
  'src/cache/informer/',
  'src/informers/shared-informer-factory.test.ts',
  'test/simulation/simulation.test.ts',
];

/** @param {string} areas alternatives of a regular expression */
const areas = (areas) => `${conformance} server (${areas}) `;
/** @param {string} parts alternatives of a regular expression */
const parts = (parts) => `${golden} part '(${parts})' are`;

/** @type {readonly Room[]} */
export const rooms = [
  { name: 'structures', folders: ['src/structures'], suites: ['src/cache/store/', 'src/workqueue/'], draws: 2 },
  {
    name: 'meta',
    folders: ['src/meta/'],
    suites: ['src/meta/', 'src/client/', areas('label selectors|field selectors')],
    draws: 3,
  },
  { name: 'time', folders: ['src/time'], suites: ['src/workqueue/', 'src/election/', 'src/cache/informer/'], draws: 2 },
  {
    name: 'slabs',
    folders: ['src/codec'],
    suites: ['src/codec/', 'src/cache/informer/shared-informer.leaks.test.ts'],
    draws: 3,
  },
  {
    name: 'scanner',
    folders: ['src/codec/json'],
    suites: ['src/codec/', 'src/cache/informer/shared-informer.unreadable.test.ts'],
    draws: 4,
  },
  {
    name: 'protobuf',
    folders: ['src/codec/protobuf'],
    suites: ['test/protobuf/golden.test.ts', 'src/codec/', 'src/client/client.wire.test.ts', parts('wire')],
    draws: 4,
  },
  {
    name: 'http/1.1',
    folders: ['src/rest/http'],
    suites: ['src/rest/request/', 'src/client/client.test.ts'],
    draws: 3,
  },
  {
    name: 'http/2',
    folders: ['src/rest/http/http2'],
    suites: ['src/rest/http/http-transport.http2.test.ts', 'src/rest/request/'],
    draws: 3,
  },
  {
    name: 'kubeconfig',
    folders: ['src/rest/config'],
    suites: ['src/rest/http/plain-http.test.ts', 'src/rest/credentials/', 'src/rest/request/'],
    draws: 2,
  },
  { name: 'credentials', folders: ['src/rest/credentials'], suites: ['src/rest/config/', 'src/rest/http/'], draws: 2 },
  {
    name: 'requests',
    folders: ['src/rest/request', 'src/rest/source'],
    suites: ['src/rest/source/', 'src/client/', 'src/streams/'],
    draws: 2,
  },
  { name: 'client', folders: ['src/client', 'src/client/wait'], suites: ['src/client/', 'src/cache/wait/'], draws: 2 },
  {
    name: 'lists and watches',
    folders: ['src/cache/source', 'src/cache/wait', 'src/cache/check'],
    suites: ['src/cache/reflector/', ...informers],
    draws: 3,
  },
  { name: 'reflector', folders: ['src/cache/reflector'], suites: informers, draws: 5 },
  { name: 'queues', folders: ['src/cache/queue'], suites: informers, draws: 3 },
  { name: 'indexer', folders: ['src/cache/store'], suites: informers, draws: 3 },
  { name: 'informer', folders: ['src/cache/informer'], suites: informers.slice(1), draws: 5 },
  {
    name: 'factories and shards of caches',
    folders: ['src/informers', 'src/informers/shards'],
    suites: ['src/informers/', 'src/controller/shards/', 'test/simulation/simulation.test.ts'],
    draws: 4,
  },
  {
    name: 'work queues',
    folders: ['src/workqueue'],
    suites: ['src/controller/', 'src/observe/start-metrics.test.ts'],
    draws: 4,
  },
  {
    name: 'election',
    folders: ['src/election'],
    suites: ['test/election/simulation.test.ts', 'test/election/watchdog.test.ts', 'src/controller/manager/'],
    draws: 3,
  },
  { name: 'events', folders: ['src/events'], suites: ['src/controller/manager/'], draws: 3 },
  {
    name: 'storage',
    folders: ['src/apiserver/storage/'],
    suites: [
      'src/apiserver/server.data.test.ts',
      'src/apiserver/request/',
      areas('list|paging|watch|watch start|get|update|delete'),
    ],
    draws: 4,
  },
  {
    name: 'patches',
    folders: ['src/apiserver/patch'],
    suites: [areas('json patch|merge patch|strategic merge patch|bodies')],
    draws: 2,
  },
  {
    name: 'managed fields',
    folders: ['src/apiserver/managed-fields'],
    suites: [areas('server-side apply|server-side apply of structures'), parts('apply')],
    draws: 3,
  },
  {
    name: 'admission',
    folders: ['src/apiserver/admission/'],
    suites: ['src/apiserver/server.admission.test.ts', areas('admission webhooks|admission policies|resource quota')],
    draws: 2,
  },
  {
    name: 'CEL',
    folders: ['src/apiserver/cel/'],
    suites: ['src/apiserver/cel/', areas('admission policies|custom resource schemas'), parts('crd|crd-definitions')],
    draws: 3,
  },
  {
    name: 'access',
    folders: ['src/apiserver/access'],
    suites: [
      'src/apiserver/server.access.test.ts',
      areas('authentication|authorization|impersonation|access reviews|tokens of service accounts'),
    ],
    draws: 2,
  },
  {
    name: 'server',
    folders: ['src/apiserver/request/', 'src/apiserver/wire', 'src/apiserver/resources/write'],
    suites: ['src/apiserver/request/', 'src/apiserver/server.test.ts', conformance, golden],
    draws: 4,
  },
  {
    name: 'controllers of the server',
    folders: ['src/apiserver/controllers/'],
    suites: ['src/apiserver/controllers/', parts('controllers')],
    draws: 2,
  },
  {
    name: 'controllers',
    folders: [
      'src/controller',
      'src/controller/run',
      'src/controller/wakes',
      'src/controller/manager',
      'src/controller/webhooks/',
    ],
    suites: ['src/controller/', 'src/testing/'],
    draws: 6,
  },
  {
    name: 'shards',
    folders: ['src/controller/shards'],
    suites: ['test/simulation/shards/protocol.test.ts', 'test/simulation/shards/shards.test.ts'],
    draws: 4,
  },
];

/**
 * The room of a file of src/.
 * @param {string} file
 */
export function roomOf(file) {
  const folder = file.slice(0, file.lastIndexOf('/'));
  const room = rooms.find(({ folders }) =>
    folders.some((one) => one === folder || (one.endsWith('/') && `${folder}/`.startsWith(one))),
  );
  if (room === undefined) throw new Error(`${file} is in no room of test/mutants/rooms.mjs`);
  return room;
}
