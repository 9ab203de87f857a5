// @ts-check
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { startRealApiServer } from '../../test/real/real-api-server.mjs';

/**
 * The input of the generator: discovery and OpenAPI schemas of a server, without descriptions and HTTP paths, the objects
 * that it creates at its start, and the Go types of the same version, in the order of their fields.
 *
 * @typedef {Record<string, any>} Schema an OpenAPI schema
 * @typedef {{ group: string, versions: { version: string, resources: any[] }[] }} DiscoveredGroup
 * @typedef {{ name?: string, shape: string, number?: number, pointer?: boolean, omitEmpty?: boolean, omitZero?: boolean,
 *   inline?: boolean }} GoField as go-types/main.go prints it
 * @typedef {Record<'clusterroles' | 'clusterrolebindings' | 'roles' | 'rolebindings' | 'apiservices', any[]>} DefaultObjects
 * @typedef {{ version: string, groups: DiscoveredGroup[], schemas: Record<string, Schema>, defaultObjects: DefaultObjects,
 *   goTypes: Record<string, GoField[]> }} Documents
 */

const folder = new URL('./input/', import.meta.url);
const inputFile = new URL('./kubernetes.json.gz', folder);

/** @returns {Promise<Documents>} */
export async function readInput() {
  return JSON.parse(gunzipSync(await readFile(inputFile)).toString());
}

/** @param {Documents} documents */
export async function saveInput(documents) {
  const text = JSON.stringify(documents);
  // The same text is not written again, because another version of zlib may compress it to other bytes.
  if (text === JSON.stringify(await readInput().catch(() => undefined))) return;
  await mkdir(folder, { recursive: true });
  await writeFile(fileURLToPath(inputFile), gzipSync(text, { level: 9 }));
}

/**
 * Starts a real kube-apiserver, reads its documents and stops it.
 *
 * @returns {Promise<Documents>}
 */
export async function readServer() {
  const server = await startRealApiServer();
  try {
    const version = (await get('/version')).gitVersion;
    const groups = [...(await discover('/api')), ...(await discover('/apis'))];
    /** @type {Record<string, Schema>} */
    const schemas = {};
    const index = (await get('/openapi/v3')).paths;
    for (const { group, versions } of groups) {
      for (const { version } of versions) {
        const path = group === '' ? `api/${version}` : `apis/${group}/${version}`;
        const document = await get(index[path].serverRelativeURL);
        for (const [name, schema] of Object.entries(document.components.schemas)) {
          schemas[name] = mergeKinds(schemas[name], /** @type {Schema} */ (withoutDescriptions(schema)));
        }
      }
    }
    return /** @type {Documents} */ ({
      .../** @type {object} */ (sorted({ version, groups, schemas })),
      defaultObjects: await readDefaultObjects(),
      goTypes: await readGoTypes(groups),
    });
  } finally {
    await server.stop();
  }

  /**
   * @param {string} path
   * @param {string} [accept]
   */
  async function get(path, accept = 'application/json') {
    const { status, body } = await server.request('GET', path, { headers: { accept } });
    if (status !== 200) throw new Error(`GET ${path} returned ${status}: ${JSON.stringify(body)}`);
    // The content type of OpenAPI documents is not JSON.
    return typeof body === 'string' ? JSON.parse(body) : body;
  }

  /** @returns {Promise<DefaultObjects>} */
  async function readDefaultObjects() {
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    return {
      clusterroles: await listed(`${rbac}/clusterroles`),
      clusterrolebindings: await listed(`${rbac}/clusterrolebindings`),
      roles: await listed(`${rbac}/roles`),
      rolebindings: await listed(`${rbac}/rolebindings`),
      apiservices: await listed('/apis/apiregistration.k8s.io/v1/apiservices'),
    };
  }

  /**
   * The objects of a list, without what differs from server to server.
   *
   * @param {string} path
   * @returns {Promise<any[]>}
   */
  async function listed(path) {
    const { items } = await get(path);
    return items.map((/** @type {any} */ { metadata, status: _status, ...rest }) => {
      const { uid, resourceVersion, creationTimestamp, managedFields, ...kept } = metadata;
      return { metadata: kept, ...rest };
    });
  }

  /**
   * @param {string} path
   * @returns {Promise<DiscoveredGroup[]>}
   */
  async function discover(path) {
    const { items } = await get(path, 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList');
    return items.map((/** @type {any} */ item) => ({
      group: item.metadata.name ?? '',
      versions: item.versions.map((/** @type {any} */ { version, resources }) => ({ version, resources })),
    }));
  }
}

/**
 * The Go types of the published modules, whose version is that of go-types/go.mod.
 *
 * @param {DiscoveredGroup[]} groups
 * @returns {Promise<Record<string, GoField[]>>}
 */
async function readGoTypes(groups) {
  const versions = groups.flatMap(({ group, versions }) =>
    versions.map(({ version }) => (group === '' ? version : `${group}/${version}`)),
  );
  const { stdout } = await promisify(execFile)('go', ['run', '.', ...versions], {
    cwd: fileURLToPath(new URL('./go-types/', import.meta.url)),
    maxBuffer: 2 ** 26,
  });
  return /** @type {Record<string, GoField[]>} */ (sortedNames(JSON.parse(stdout)));
}

/**
 * @param {Record<string, unknown>} types
 * @returns {Record<string, unknown>}
 */
function sortedNames(types) {
  return Object.fromEntries(Object.entries(types).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Merges two copies of a shared schema: each document lists only the kinds of its own group, everything else is equal.
 *
 * @param {Schema | undefined} one
 * @param {Schema} other
 * @returns {Schema}
 */
function mergeKinds(one, other) {
  const extension = 'x-kubernetes-group-version-kind';
  if (one?.[extension] === undefined) return other;
  const kinds = new Map(
    [...one[extension], ...(other[extension] ?? [])].map((kind) => [JSON.stringify(sorted(kind)), kind]),
  );
  return { ...other, [extension]: [...kinds.keys()].sort().map((key) => kinds.get(key)) };
}

/**
 * @param {unknown} schema
 * @param {boolean} [isMapOfSchemas] whether `description` is the name of a field here
 * @returns {unknown}
 */
function withoutDescriptions(schema, isMapOfSchemas = false) {
  if (Array.isArray(schema)) return schema.map((item) => withoutDescriptions(item));
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => isMapOfSchemas || key !== 'description')
      .map(([key, value]) => [key, withoutDescriptions(value, !isMapOfSchemas && key === 'properties')]),
  );
}

/**
 * @param {unknown} value
 * @returns {unknown}
 */
function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  );
}
