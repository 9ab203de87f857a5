import type { GoldenCase, Json, Part, Replay } from '../part.js';

const configMaps = '/api/v1/namespaces/golden/configmaps';
const low = "shardRange(object.metadata.uid, '0x0000000000000000', '0x8000000000000000')";

/**
 * Lists, watches and deletions of one shard of twelve ConfigMaps. The recorded names follow from the uids of that run, so
 * the names of the shard come from the uids of this one.
 */
export const shards: Part = {
  name: 'shards',
  shardedLists: true,
  async prepare(replay) {
    for (let i = 0; i < 12; i++)
      await replay.create(configMaps, { metadata: { name: `shard-${i}`, labels: { s: 's' } } });
  },
  async run(replay, recorded) {
    if (recorded.id === 'watch of changes') await changes(replay);
    else if (recorded.id === 'deletecollection with shardSelector') await deletion(replay, recorded);
    else if (recorded['lines'] !== undefined) await watchList(replay, recorded);
    else if (recorded['agrees'] !== undefined) await hashes(replay);
    else await ask(replay, recorded);
  },
};

async function ask(replay: Replay, recorded: GoldenCase): Promise<void> {
  const { path, code, answer: expected } = recorded as Json;
  const query = { ...(recorded['query'] as Json) };
  if (query.continue !== undefined) {
    const { shardSelector } = query;
    const first = await replay.request({
      path,
      query: { labelSelector: 's=s', limit: 2, ...(shardSelector && { shardSelector }) },
    });
    query.continue = first.json?.metadata?.continue ?? '';
  }
  const answer = await replay.request({ path, query });
  replay.same('code', answer.code, code);
  replay.same('warnings', answer.warnings, recorded['warnings']);
  if (code !== 200) {
    // What the parser of expressions says of wrong syntax follows its grammar.
    const cut = (status: Json): Json => ({
      ...status,
      message: status?.message?.replace(/(CEL parse error: ).*/s, '$1'),
    });
    replay.same('answer', cut(answer.json), cut(expected));
  } else if (typeof expected === 'string') {
    replay.same('name', answer.json?.metadata?.name, expected);
  } else {
    replay.same('metadata', answer.json?.metadata, expected.metadata);
    if (expected.names !== undefined)
      replay.same('names', names(answer.json?.items), await expectedNames(replay, query, expected));
  }
}

/** The names that a list should have: a shard of uids by the hashes of this run, everything else as recorded. */
async function expectedNames(replay: Replay, query: Json, expected: Json): Promise<string[]> {
  const range = /^[\s(]*shardRange\( *object.metadata.uid *, *['"](0x[0-9a-f]+)['"] *, *['"](0x[0-9a-f]+)['"]/.exec(
    query.shardSelector ?? '',
  );
  if (range === null || expected.names.length === 12 || query.limit !== undefined) return expected.names;
  return namesBetween(replay, BigInt(range[1] as string), BigInt(range[2] as string));
}

async function namesBetween(replay: Replay, start: bigint, end: bigint): Promise<string[]> {
  const all = await replay.request({ path: configMaps, query: { labelSelector: 's=s' } });
  return names(
    all.json.items.filter((item: Json) => {
      const hash = fnv1a(item.metadata.uid);
      return start <= hash && hash < end;
    }),
  );
}

async function hashes(replay: Replay): Promise<void> {
  const listed = await replay.request({ path: configMaps, query: { labelSelector: 's=s', shardSelector: low } });
  replay.same('names', names(listed.json?.items), await namesBetween(replay, 0n, 1n << 63n));
}

async function watchList(replay: Replay, { query }: GoldenCase): Promise<void> {
  const own = await namesBetween(replay, 0n, 1n << 63n);
  const stream = await replay.wire.stream(configMaps, { query: { ...query, labelSelector: 's=s', watch: true } });
  try {
    for (const name of own) {
      const { type, object } = await stream.expectNext();
      replay.same('line', { type, name: object.metadata.name }, { type: 'ADDED', name });
    }
    const { type, object } = await stream.expectNext();
    const annotations = { 'k8s.io/initial-events-end': 'true' };
    replay.same('bookmark', { type, annotations: object.metadata.annotations }, { type: 'BOOKMARK', annotations });
  } finally {
    stream.close();
  }
}

/** A watch of the low shard sees the changes of its own objects only. */
async function changes(replay: Replay): Promise<void> {
  const own = new Set(await namesBetween(replay, 0n, 1n << 63n));
  const start = await replay.request({ path: configMaps, query: { limit: 1 } });
  const query = { watch: true, resourceVersion: start.json.metadata.resourceVersion, shardSelector: low };
  const stream = await replay.wire.stream(configMaps, { query });
  const all = Array.from({ length: 12 }, (_, i) => `shard-${i}`);
  try {
    for (const name of all) {
      await replay.request({
        method: 'PATCH',
        path: `${configMaps}/${name}`,
        contentType: 'application/merge-patch+json',
        body: { data: { a: 'b' } },
      });
    }
    for (const name of all.slice(0, 6)) await replay.request({ method: 'DELETE', path: `${configMaps}/${name}` });
    const expected = [
      ...all.filter((name) => own.has(name)).map((name) => `MODIFIED ${name}`),
      ...all
        .slice(0, 6)
        .filter((name) => own.has(name))
        .map((name) => `DELETED ${name}`),
    ];
    for (const line of expected) {
      const { type, object } = await stream.expectNext();
      replay.same('line', `${type} ${object.metadata.name}`, line);
    }
  } finally {
    stream.close();
  }
}

async function deletion(replay: Replay, { code, deletedKind, metadata }: GoldenCase): Promise<void> {
  const others = await namesBetween(replay, 1n << 63n, 1n << 64n);
  const query = { labelSelector: 's=s', shardSelector: low };
  const answer = await replay.request({ method: 'DELETE', path: configMaps, query });
  replay.same('code', answer.code, code);
  replay.same('deletedKind', answer.json?.kind, deletedKind);
  replay.same('metadata', answer.json?.metadata, metadata);
  const left = await replay.request({ path: configMaps, query: { labelSelector: 's=s' } });
  replay.same('left', names(left.json?.items), others);
}

function names(items: Json[] | undefined): string[] {
  return (items ?? []).map((item) => item.metadata.name);
}

function fnv1a(text: string): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(text)) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
  return hash;
}
