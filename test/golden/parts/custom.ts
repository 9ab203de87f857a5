import { definitionsPath, goldens, waitForDefinition } from '../definitions.js';
import type { GoldenCase, Json, Part, Replay } from '../part.js';
import { protobufTree } from '../protobuf-tree.js';

const goldenPath = '/apis/schemas.example.com/v1/namespaces/golden/goldens';
const definitionPath = `${definitionsPath}/goldens.schemas.example.com`;
const identity = { apiVersion: 'schemas.example.com/v1', kind: 'Golden' };

/** Objects of one definition with every keyword: what is stored, refused, ratcheted, listed and described. */
export const crd: Part = {
  name: 'crd',
  async prepare(replay) {
    await waitForDefinition(replay, goldens());
  },
  async run(replay, recorded) {
    if (recorded.id.startsWith('protobuf body')) await sendProtobuf(replay);
    else if (recorded.id.startsWith('ratchet: ')) await ratchet(replay, recorded);
    else if (recorded['request'] !== undefined) await ask(replay, recorded);
    else await create(replay, recorded);
  },
};

async function create(replay: Replay, { spec, code, stored, status, warnings }: GoldenCase): Promise<void> {
  const body = { ...identity, metadata: { name: 'x' }, spec };
  const answer = await replay.request({ method: 'POST', path: goldenPath, body });
  replay.same('code', answer.code, code);
  if (stored !== undefined) replay.same('stored', answer.json?.spec, stored);
  if (status !== undefined) replay.same('status', answer.json, status);
  replay.same('warnings', answer.warnings, warnings ?? []);
  await replay.remove(`${goldenPath}/x`);
}

/** A kube-apiserver panics and closes the connection; any other server says 415. */
async function sendProtobuf(replay: Replay): Promise<void> {
  const contentType = 'application/vnd.kubernetes.protobuf';
  const body = { base64: Buffer.from('k8s\0').toString('base64') };
  const answer = await replay.request({ method: 'POST', path: goldenPath, contentType, body });
  replay.same('code', answer.code, 415);
}

/** The object was stored under a looser schema. */
async function ratchet(replay: Replay, { id, patch, code, status, warnings }: GoldenCase): Promise<void> {
  const object = (name: string, spec: Json): Json => ({ ...identity, metadata: { name }, spec });
  await replay.create(goldenPath, object('x', { str: 'LOUD', arr: ['LOUD'] }));
  await replaceSchema(replay, true);
  try {
    const request =
      id === 'ratchet: new object'
        ? { method: 'POST', path: goldenPath, body: object('y', { str: 'LOUD' }) }
        : { method: 'PATCH', path: `${goldenPath}/x`, contentType: 'application/merge-patch+json', body: patch };
    const answer = await replay.request(request);
    replay.same('code', answer.code, code);
    replay.same('status', answer.json, status);
    replay.same('warnings', answer.warnings, warnings);
  } finally {
    await replaceSchema(replay, false);
    for (const name of ['x', 'y']) await replay.remove(`${goldenPath}/${name}`);
  }
}

async function replaceSchema(replay: Replay, stricter: boolean): Promise<void> {
  await replay.request({
    method: 'PATCH',
    path: definitionPath,
    contentType: 'application/merge-patch+json',
    body: { spec: goldens(stricter).spec },
  });
  // A kube-apiserver takes up a changed definition a moment later.
  const probe = { ...identity, metadata: { name: 'probe' }, spec: { str: 'LOUD' } };
  for (let attempt = 0; attempt < 500; attempt++) {
    const { code } = await replay.request({ method: 'POST', path: goldenPath, query: { dryRun: 'All' }, body: probe });
    if (code === (stricter ? 422 : 201)) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('the changed schema does not take effect');
}

async function ask(replay: Replay, recorded: GoldenCase): Promise<void> {
  await createListed(replay);
  const answer = await replay.request(recorded['request']);
  replay.same('code', answer.code, recorded['code']);
  replay.same('contentType', answer.contentType, recorded['contentType']);
  replay.same('warnings', answer.warnings, recorded['warnings'] ?? []);
  const expected = recorded['answer'];
  if (expected.base64 !== undefined) {
    replay.same('answer', protobufTree(answer.bytes), protobufTree(Buffer.from(expected.base64, 'base64')));
  } else if (recorded.id === 'definition status') {
    const { status, spec } = answer.json ?? {};
    replay.same('status', status, expected.status);
    replay.same('conversion', spec?.conversion, expected.conversion);
    replay.same('names', spec?.names, expected.names);
  } else if (expected.kind === undefined) {
    replay.same(
      'items',
      answer.json?.items?.map((item: Json) => item.metadata.name),
      expected.items,
    );
  } else {
    const described = { ...answer.json };
    described.columnDefinitions = described.columnDefinitions?.map(({ description: _, ...column }: Json) => column);
    replay.same('answer', described, expected);
  }
  for (const name of ['x', 'y']) await replay.remove(`${goldenPath}/${name}`);
}

/** The two objects that the lists and Tables were asked for. */
async function createListed(replay: Replay): Promise<void> {
  const spec = {
    str: 'a',
    int: 3,
    num: 1.5,
    bool: true,
    arr: ['a'],
    obj: { a: 'x' },
    map1: [{ k: 'a', v: 'b' }],
    'f_date-time': '2020-01-01T00:00:00Z',
  };
  await replay.create(goldenPath, { ...identity, metadata: { name: 'x' }, spec });
  await replay.create(goldenPath, { ...identity, metadata: { name: 'y' }, spec: {} });
}

/** Each case creates a definition, most of them wrong in one place. */
export const crdDefinitions: Part = {
  name: 'crd-definitions',
  async run(replay, { id, sent, code, accepted, status, warnings }) {
    const body = sent.spec === undefined ? completed(id, sent) : sent;
    const answer = await replay.request({ method: 'POST', path: definitionsPath, body });
    replay.same('code', answer.code, code);
    if (accepted === undefined) replay.same('status', answer.json, status);
    replay.same('warnings', answer.warnings, warnings ?? []);
    if (answer.code === 201) await replay.remove(`${definitionsPath}/${body.metadata.name}`);
  },
};

/** Names that a case changes without recording them. */
const changedNames: Readonly<Record<string, Json>> = {
  'shortNames upper': { shortNames: ['B'] },
  'kind equals listKind': { listKind: 'Bad' },
};

function completed(id: string, { version, conversion }: Json): Json {
  return {
    metadata: { name: id === 'name wrong' ? 'x.bad.example.com' : 'bads.bad.example.com' },
    spec: {
      group: 'bad.example.com',
      scope: 'Namespaced',
      names: { plural: 'bads', kind: 'Bad', ...changedNames[id] },
      versions: [version],
      ...(conversion === undefined ? {} : { conversion }),
    },
  };
}
