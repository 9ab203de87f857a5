import { expect } from 'vitest';
import type { Api } from '../api.js';
import { type Area, defineArea } from '../area.js';
import { podBody, pods } from '../bodies.js';
import { at, type Doc } from '../doc.js';
import { configMaps } from '../objects.js';
import { expectStatus } from '../status.js';

const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };

interface Column {
  name: string;
  type: string;
  format: string;
  priority: number;
}

interface Row {
  cells: unknown[];
  object: Doc | null;
}

async function existing(api: Api): Promise<string> {
  const path = configMaps(await api.namespace());
  await api.create(path, { metadata: { name: 'one', labels: { a: 'b' } }, data: { a: 'b', c: 'd' } });
  return path;
}

function columns(table: Doc): Column[] {
  return table['columnDefinitions'] as Column[];
}

function rows(table: Doc): Row[] {
  return table['rows'] as Row[];
}

export const area: Area = defineArea('table', (rule) => {
  rule('an object can be had as a table of one row', async (api) => {
    const path = await existing(api);
    const { json, status } = await api.request('GET', `${path}/one`, { headers: TABLE });
    expect(status).toBe(200);
    expect(json).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' });
    expect(rows(json)).toHaveLength(1);
  });

  rule('columns have a name, a type, a format and a priority', async (api) => {
    const { json } = await api.request('GET', `${await existing(api)}/one`, { headers: TABLE });
    expect(columns(json)).toMatchObject([
      { name: 'Name', type: 'string', format: 'name', priority: 0 },
      { name: 'Data', type: 'string', priority: 0 },
      { name: 'Age', type: 'string', priority: 0 },
    ]);
  });

  rule('a row has a cell for each column', async (api) => {
    const { json } = await api.request('GET', `${await existing(api)}/one`, { headers: TABLE });
    expect(rows(json)[0]!.cells).toEqual(['one', 2, expect.stringMatching(/^(\d+[smhd])+$/)]);
  });

  rule('columns of lower importance have a priority above 0', async (api) => {
    const path = pods(await api.namespace());
    await api.create(path, podBody('one'));
    const { json } = await api.request('GET', path, { headers: TABLE });
    const byName = new Map(columns(json).map((column) => [column.name, column.priority]));
    expect([byName.get('Ready'), byName.get('Status'), byName.get('Node')]).toEqual([0, 0, 1]);
    expect(rows(json)[0]!.cells.slice(0, 4)).toEqual(['one', '0/1', 'Pending', '0']);
  });

  rule('a row carries the metadata of its object unless told otherwise', async (api) => {
    const path = await existing(api);
    const { json } = await api.request('GET', `${path}/one`, { headers: TABLE });
    expect(rows(json)[0]!.object).toEqual({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: (await api.get(`${path}/one`)).metadata,
    });
  });

  rule('includeObject=None leaves the objects out', async (api) => {
    const { json } = await api.request('GET', await existing(api), {
      headers: TABLE,
      query: { includeObject: 'None' },
    });
    expect(rows(json).every((row) => row.object === null)).toBe(true);
  });

  rule('includeObject=Object puts whole objects into the rows', async (api) => {
    const path = await existing(api);
    const { json } = await api.request('GET', `${path}/one`, { headers: TABLE, query: { includeObject: 'Object' } });
    expect(rows(json)[0]!.object).toEqual(await api.get(`${path}/one`));
  });

  rule('an unknown includeObject is a BadRequest', async (api) => {
    const answer = await api.request('GET', await existing(api), { headers: TABLE, query: { includeObject: 'Bad' } });
    expectStatus(answer, {
      code: 400,
      reason: 'BadRequest',
      message:
        "Unable to convert to Table as requested: includeObject: Invalid value: \"Bad\": must be 'Metadata', 'Object', 'None', or empty",
    });
  });

  rule('a list as a table has the version of the list and a row for each item', async (api) => {
    const path = await existing(api);
    await api.create(path, { metadata: { name: 'two', labels: { a: 'b' } } });
    const { json } = await api.request('GET', path, { headers: TABLE, query: { labelSelector: 'a=b' } });
    expect(json.metadata.resourceVersion).toMatch(/^\d+$/);
    expect(rows(json).map((row) => row.cells[0])).toEqual(['one', 'two']);
  });

  rule('a table is paged like a list', async (api) => {
    const path = await existing(api);
    await api.create(path, { metadata: { name: 'two', labels: { a: 'b' } } });
    const first = await api.request('GET', path, { headers: TABLE, query: { limit: 1 } });
    expect(first.json.metadata.continue).toBeTruthy();
    expect(first.json.metadata.remainingItemCount).toBeGreaterThanOrEqual(1);
    expect(rows(first.json)).toHaveLength(1);
  });

  rule('a watch as tables names the columns in its first event only', async (api) => {
    const path = await existing(api);
    await api.create(path, { metadata: { name: 'two', labels: { a: 'b' } } });
    const watch = await api.watch(path, { resourceVersion: '0', labelSelector: 'a=b' }, { headers: TABLE });
    const [first, second] = [await watch.expectNext(), await watch.expectNext()];
    expect([first.object.kind, second.object.kind]).toEqual(['Table', 'Table']);
    expect(columns(first.object).length).toBeGreaterThan(0);
    expect(columns(second.object)).toBeNull();
    expect([at(first.object, 'rows.0.cells.0'), at(second.object, 'rows.0.cells.0')]).toEqual(['one', 'two']);
  });

  rule('a Status stays a Status', async (api) => {
    const path = await existing(api);
    expectStatus(await api.request('GET', `${path}/absent`, { headers: TABLE }), { code: 404, reason: 'NotFound' });
    expect((await api.request('DELETE', `${path}/one`, { headers: TABLE })).json.kind).toBe('Status');
  });

  rule('an unknown version of Table falls back to the next accepted type', async (api) => {
    const accept = 'application/json;as=Table;v=v99;g=meta.k8s.io, application/json';
    const answer = await api.request('GET', await existing(api), { headers: { accept } });
    expect([answer.status, answer.json.kind]).toEqual([200, 'ConfigMapList']);
  });

  rule('an unknown version of Table alone is NotAcceptable', async (api) => {
    const accept = 'application/json;as=Table;v=v99;g=meta.k8s.io';
    expectStatus(await api.request('GET', await existing(api), { headers: { accept } }), {
      code: 406,
      reason: 'NotAcceptable',
      message: /^only the following media types are accepted: application\/json/,
    });
  });
});
