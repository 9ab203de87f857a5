import type { GoldenCase, Json, Part, Replay } from '../part.js';
import { protobufTree } from '../protobuf-tree.js';

const configMap = '/api/v1/namespaces/golden/configmaps';
const asTable = 'application/json;as=Table;g=meta.k8s.io;v=v1';

/** Tables: the columns of each kind, a row of some objects, and the forms of the answer. */
export const tables: Part = {
  name: 'tables',
  async prepare(replay) {
    await replay.create(configMap, { metadata: { name: 't', labels: { t: 't' } }, data: { a: 'b' } });
  },
  async run(replay, recorded) {
    if (recorded.id.startsWith('columns ')) await columns(replay, recorded);
    else if (recorded.id.startsWith('row ')) await row(replay, recorded);
    else if (recorded['lines'] !== undefined) await watch(replay, recorded);
    else await form(replay, recorded);
  },
};

async function columns(replay: Replay, { id, code, columns: definitions }: GoldenCase): Promise<void> {
  const [, groupVersion = '', plural = ''] = id.split(' ');
  const path = `${groupVersion.includes('/') ? '/apis' : '/api'}/${groupVersion}/${plural}`;
  const answer = await replay.request({ path, headers: { accept: asTable } });
  replay.same('code', answer.code, code);
  replay.same('columns', describedAsRecorded(answer.json?.columnDefinitions, definitions), definitions);
}

/** Drops descriptions that are not recorded: the long ones, which are left out here and there. */
function describedAsRecorded(actual: Json, recorded: Json): Json {
  if (!Array.isArray(actual) || !Array.isArray(recorded)) return actual;
  return actual.map((column, i) => {
    const { description, ...rest } = column;
    return recorded[i]?.description === undefined ? rest : { ...rest, description };
  });
}

async function row(replay: Replay, recorded: GoldenCase): Promise<void> {
  const path: string = recorded['path'];
  const created = await replay.request({
    method: 'POST',
    path: path.slice(0, path.lastIndexOf('/')),
    body: recorded['sent'],
  });
  const status = recorded['status'];
  const patched =
    status === undefined
      ? undefined
      : await replay.request({
          method: 'PATCH',
          path: `${path}/status`,
          contentType: 'application/merge-patch+json',
          body: { status },
        });
  replay.same('codes', [created.code, patched?.code ?? null], recorded['codes']);
  const answer = await replay.request({ path, headers: { accept: asTable } });
  replay.same('code', answer.code, recorded['code']);
  const names = answer.json?.columnDefinitions?.map((column: Json) => column.name + (column.priority > 0 ? '*' : ''));
  replay.same('columns', names, recorded['columns']);
  const { object, ...rest } = answer.json?.rows?.[0] ?? {};
  replay.same('row', rest, recorded['row']);
  await replay.remove(path);
}

async function form(replay: Replay, recorded: GoldenCase): Promise<void> {
  const deployment = '/apis/apps/v1/namespaces/golden/deployments';
  const scale = recorded.id === 'form Table of scale';
  if (scale) await createForScale(replay, deployment);
  const answer = await replay.request(recorded['request']);
  replay.same('code', answer.code, recorded['code']);
  replay.same('contentType', answer.contentType, recorded['contentType']);
  const expected = recorded['answer'];
  if (expected?.kind === 'Table') {
    const { columnDefinitions, ...rest } = answer.json ?? {};
    replay.same('answer', rest, { ...expected, columnDefinitions: undefined });
    replay.same(
      'columns',
      describedAsRecorded(columnDefinitions, expected.columnDefinitions),
      expected.columnDefinitions,
    );
  } else if (recorded.id === 'form Table of discovery') {
    replay.same('kind', answer.json?.kind, 'Status');
  } else if (typeof expected === 'string') {
    replay.same('answer', withoutDescriptions(answer.text), withoutDescriptions(expected));
  } else if (expected?.base64 !== undefined) {
    replay.same('bytes', protobufTree(answer.bytes), protobufTree(Buffer.from(expected.base64, 'base64')));
  } else {
    replay.same('answer', answer.json, expected);
  }
  if (scale) await replay.remove(`${deployment}/t`);
}

async function createForScale(replay: Replay, deployment: string): Promise<void> {
  await replay.create(deployment, {
    metadata: { name: 't' },
    spec: {
      replicas: 3,
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'a', image: 'i:1' }] } },
    },
  });
  await replay.request({
    method: 'PATCH',
    path: `${deployment}/t/status`,
    contentType: 'application/merge-patch+json',
    body: { status: { replicas: 3 } },
  });
}

/** A Table in YAML without its ages, and without the descriptions of its columns, which may go over several lines. */
function withoutDescriptions(yaml: string): string {
  return yaml
    .replace(/^- description:.*\n(?:(?: {4}.*)?\n)*?(?= {2}\w)/gm, '- ')
    .replace(/^- {3}/gm, '- ')
    .replace(/^( +- )\d+s$/gm, '$1<age>');
}

async function watch(replay: Replay, recorded: GoldenCase): Promise<void> {
  const bookmarks = recorded.id === 'form watch with bookmarks';
  const stream = await replay.wire.stream(configMap, {
    query: {
      watch: true,
      labelSelector: 't=t',
      ...(bookmarks
        ? { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: true }
        : { resourceVersion: 0 }),
    },
    headers: { accept: asTable },
  });
  try {
    replay.same('contentType', stream.headers['content-type'], recorded['contentType']);
    for (const [i, expected] of (recorded['lines'] as Json[]).entries()) {
      const event: Json = await stream.expectNext();
      const object = { ...event.object };
      object.columnDefinitions = describedAsRecorded(object.columnDefinitions, expected.object.columnDefinitions);
      replay.same(`lines/${i}`, { ...event, object }, expected);
    }
  } finally {
    stream.close();
  }
}
