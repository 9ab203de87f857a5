import type { GoldenCase, Part, Replay } from '../part.js';
import { maskText } from '../placeholders.js';
import { protobufTree } from '../protobuf-tree.js';

const configMaps = '/api/v1/namespaces/golden/configmaps';

/** The forms of bodies and answers on the wire: protobuf, YAML, JSON. */
export const wire: Part = {
  name: 'wire',
  async run(replay, recorded) {
    await replay.remove(`${configMaps}/wire`);
    if (recorded['request']?.method !== 'POST') {
      await replay.create(configMaps, { metadata: { name: 'wire', labels: { w: 'w' } }, data: { a: 'b' } });
    }
    if (recorded['request'] === undefined) await plain(replay, recorded);
    else await exchange(replay, recorded);
    for (const name of ['wire', 'wire2', 'wire3']) await replay.remove(`${configMaps}/${name}`);
  },
};

async function exchange(replay: Replay, recorded: GoldenCase): Promise<void> {
  const answer = await replay.request(recorded['request']);
  replay.same('code', answer.code, recorded['code']);
  replay.same('contentType', answer.contentType, recorded['contentType']);
  if (recorded['text'] !== undefined) {
    replay.same('text', maskText(answer.text), maskText(recorded['text']));
  } else {
    replay.same('bytes', protobufTree(answer.bytes), protobufTree(Buffer.from(recorded['base64'], 'base64')));
  }
}

async function plain(replay: Replay, { path, accept, code, contentType, length, head }: GoldenCase): Promise<void> {
  const answer = await replay.request({ path, headers: { accept } });
  replay.same('code', answer.code, code);
  replay.same('contentType', answer.contentType, contentType);
  replay.same('length', answer.bytes.length, length);
  replay.same('head', answer.bytes.subarray(0, 60).toString('base64'), head);
}
