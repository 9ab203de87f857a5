import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer } from '../../src/apiserver/index.js';
import { builtinResources } from '../../src/resources/catalogue.js';
import { Wire } from '../conformance/http.js';
import { isNewest, isSince } from './build.mjs';
import { type RealApiServer, startRealApiServer } from './real-api-server.mjs';

// biome-ignore lint/suspicious/noExplicitAny: documents of any form.
type Json = any;

let real: RealApiServer;
let embedded: ApiServer;
let wires: { real: Wire; embedded: Wire };

beforeAll(async () => {
  real = await startRealApiServer();
  embedded = await startApiServer();
  wires = {
    real: new Wire({ name: 'real', url: real.url, token: real.adminToken }),
    embedded: new Wire({ name: 'embedded', url: embedded.url, token: '' }),
  };
});
afterAll(async () => {
  wires.real.close();
  wires.embedded.close();
  await embedded.stop();
  await real.stop();
});

async function both(path: string, accept: string): Promise<[real: Json, embedded: Json]> {
  const asked = [wires.real, wires.embedded].map((wire) => wire.request('GET', path, { headers: { accept } }));
  const [one, other] = await Promise.all(asked);
  return [JSON.parse(one!.text), JSON.parse(other!.text)];
}

/** A document without its descriptions, which are not shipped, and with references in place of an `allOf` around one. */
function compared(value: Json, isMap = false): Json {
  if (Array.isArray(value)) return value.map((item) => compared(item));
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).filter(([name]) => isMap || name !== 'description');
  const { allOf, ...rest }: Json = Object.fromEntries(
    entries.map(([name, field]) => [name, compared(field, !isMap && name === 'properties')]),
  );
  if (allOf === undefined) return rest;
  return allOf.length === 1 && !isMap ? { ...rest, ...allOf[0] } : { ...rest, allOf };
}

// An older release has other documents: without `shardSelector` and the kinds that came later.
describe.runIf(isNewest)('OpenAPI of the embedded server', () => {
  it('has the documents, paths and schemas of the real one, without descriptions', async () => {
    const [index, ours] = await both('/openapi/v3', '*/*');
    expect(Object.keys(ours.paths)).toEqual(Object.keys(index.paths));
    for (const path of Object.keys(index.paths)) {
      const [document, own] = await both(`/openapi/v3/${path}`, 'application/json');
      expect(compared(own.paths), path).toEqual(compared(document.paths));
      const schemas = document.components.schemas ?? {};
      const ownSchemas = own.components.schemas ?? {};
      expect(Object.keys(ownSchemas)).toEqual(Object.keys(schemas));
      for (const name of Object.keys(schemas))
        expect(compared(ownSchemas[name]), name).toEqual(compared(schemas[name]));
    }
  });

  it('has the paths and definitions of the real one in version 2', async () => {
    const [document, own] = await both('/openapi/v2', 'application/json');
    expect(Object.keys(own.paths)).toEqual(Object.keys(document.paths));
    expect(Object.keys(own.definitions)).toEqual(Object.keys(document.definitions));
    for (const [name, definition] of Object.entries<Json>(document.definitions)) {
      // These two list all versions of all groups that the code of kube-apiserver knows, served or not.
      if (/\.(DeleteOptions|WatchEvent)$/.test(name)) continue;
      expect(compared(own.definitions[name]), name).toEqual(compared(definition));
    }
  });
});

describe('Tables of the embedded server', () => {
  it.for(builtinResources.filter(({ verbs }) => verbs.includes('list')))(
    'have the columns of the real one: $kind in "$group"',
    async ({ group, version, resource }, { skip }) => {
      const path = `${group === '' ? '/api' : `/apis/${group}`}/${version}/${resource}`;
      const accept = 'application/json;as=Table;g=meta.k8s.io;v=v1';
      skip(resource === 'serviceaccounts' && !isSince('1.34'), 'release 1.33 has a column of Secrets');
      if (!isNewest)
        skip((await wires.real.request('GET', path)).status === 404, 'the release does not serve the kind');
      const [table, own] = await both(path, accept);
      const columns = (definitions: Json) => definitions.map(({ description: _, ...column }: Json) => column);
      expect(columns(own.columnDefinitions)).toEqual(columns(table.columnDefinitions));
    },
  );
});
