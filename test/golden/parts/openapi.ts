import type { GoldenCase, Json, Part, Replay } from '../part.js';

/**
 * The documents of OpenAPI. Descriptions are not shipped, so the bytes differ; compared are codes, headers, numbers of
 * documents, schemas and paths, and the parts that carry no prose.
 */
export const openapi: Part = {
  name: 'openapi',
  async run(replay, recorded) {
    if (recorded['path'] !== undefined) await ask(replay, recorded);
    else await count(replay, recorded);
  },
};

async function ask(replay: Replay, recorded: GoldenCase): Promise<void> {
  const { code, headers, begins } = recorded as Json;
  let { path, asked } = recorded as Json;
  if (asked['if-none-match'] !== undefined) {
    const etag = (await replay.request({ path: path.replace(/\?.*/, ''), headers: { accept: 'application/json' } }))
      .headers['etag'];
    if (typeof etag === 'string') {
      path = path.replace(/[0-9A-F]{128}/, etag.replaceAll('"', ''));
      asked = { ...asked, 'if-none-match': etag };
    }
  }
  const answer = await replay.request({ path, query: recorded['query'], headers: asked });
  replay.same('code', answer.code, code);
  for (const [name, value] of Object.entries(headers))
    replay.same(`headers/${name}`, answer.headers[name] ?? null, value);
  if (begins !== undefined) {
    const length = Math.min(begins.length, undescribed(begins));
    replay.same('begins', withoutHashes(answer.text.slice(0, length)), withoutHashes(begins.slice(0, length)));
  }
}

/** The hashes are those of documents with descriptions; the last one may be cut. */
function withoutHashes(text: string): string {
  return text.replace(/hash=[0-9A-F]+/g, 'hash=<hash>');
}

/** Up to where a text has no description. */
function undescribed(text: string): number {
  const at = text.indexOf('"description"');
  return at < 0 ? text.length : at;
}

async function count(replay: Replay, recorded: GoldenCase): Promise<void> {
  if (recorded.id.startsWith('v2')) {
    const { json } = await replay.request({ path: '/openapi/v2', headers: { accept: 'application/json' } });
    if (recorded.id === 'v2 info') info(replay, json, recorded);
    const map = recorded.id === 'v2 paths only' ? json?.paths : json?.definitions;
    if (recorded['count'] !== undefined) replay.same('count', Object.keys(map ?? {}).length, recorded['count']);
    return;
  }
  const index = await replay.request({ path: '/openapi/v3' });
  const documents: Json[] = [];
  for (const entry of Object.values<Json>(index.json?.paths ?? {})) {
    documents.push((await replay.request({ path: entry.serverRelativeURL })).json);
  }
  if (recorded['documents'] !== undefined) replay.same('documents', documents.length, recorded['documents']);
  const names = (of: (document: Json) => Json): number =>
    new Set(documents.flatMap((one) => Object.keys(of(one) ?? {}))).size;
  if (recorded.id === 'v3 schemas, each once')
    replay.same(
      'count',
      names((one) => one?.components?.schemas),
      recorded['count'],
    );
  if (recorded.id === 'v3 paths only')
    replay.same(
      'count',
      names((one) => one?.paths),
      recorded['count'],
    );
}

function info(replay: Replay, document: Json, recorded: GoldenCase): void {
  for (const name of ['info', 'security', 'securityDefinitions']) {
    replay.same(name, withoutDescriptions(document?.[name]), withoutDescriptions(recorded[name]));
  }
  replay.same('top', Object.keys(document ?? {}), recorded['top']);
  const lease = document?.definitions?.['io.k8s.api.coordination.v1.Lease'];
  replay.same('sample', withoutDescriptions(lease), withoutDescriptions(recorded['sample']));
  const patch = document?.paths?.['/api/v1/namespaces/{namespace}/configmaps/{name}']?.patch;
  replay.same('operation', withoutDescriptions(patch), withoutDescriptions(recorded['operation']));
}

function withoutDescriptions(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutDescriptions);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).filter(([name, field]) => name !== 'description' || typeof field !== 'string');
  return Object.fromEntries(entries.map(([name, field]) => [name, withoutDescriptions(field)]));
}
