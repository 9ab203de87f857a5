// @ts-check
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { startRealApiServer } from '../../test/real/real-api-server.mjs';

/**
 * What the generator reads: the answers of a server, less their prose and the descriptions of HTTP paths.
 *
 * @typedef {Record<string, any>} Schema an OpenAPI schema
 * @typedef {{ group: string, versions: { version: string, resources: any[] }[] }} DiscoveredGroup
 * @typedef {{ version: string, groups: DiscoveredGroup[], schemas: Record<string, Schema> }} Documents
 */

const folder = new URL('./input/', import.meta.url);
const kept = new URL('./kubernetes.json.gz', folder);

/** @returns {Promise<Documents>} */
export async function readKept() {
  return JSON.parse(gunzipSync(await readFile(kept)).toString());
}

/** @param {Documents} documents */
export async function saveKept(documents) {
  const text = JSON.stringify(documents);
  // Another zlib may compress the same text to other bytes: that alone is no change.
  if (text === JSON.stringify(await readKept().catch(() => undefined))) return;
  await mkdir(folder, { recursive: true });
  await writeFile(fileURLToPath(kept), gzipSync(text, { level: 9 }));
}

/**
 * Starts a real server, reads it and stops it.
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
          schemas[name] = mergeKinds(schemas[name], /** @type {Schema} */ (withoutProse(schema)));
        }
      }
    }
    return /** @type {Documents} */ (sorted({ version, groups, schemas }));
  } finally {
    await server.stop();
  }

  /**
   * @param {string} path
   * @param {string} [accept]
   */
  async function get(path, accept = 'application/json') {
    const { status, body } = await server.request('GET', path, { headers: { accept } });
    if (status !== 200) throw new Error(`GET ${path} was answered with ${status}: ${JSON.stringify(body)}`);
    // OpenAPI is JSON that is not labelled so.
    return typeof body === 'string' ? JSON.parse(body) : body;
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
 * Each document names of a shared schema only the kinds of its own group; all else is the same in every document.
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
 * @param {boolean} [isMapOfSchemas] there, `description` is the name of a field
 * @returns {unknown}
 */
function withoutProse(schema, isMapOfSchemas = false) {
  if (Array.isArray(schema)) return schema.map((item) => withoutProse(item));
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => isMapOfSchemas || key !== 'description')
      .map(([key, value]) => [key, withoutProse(value, !isMapOfSchemas && key === 'properties')]),
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
