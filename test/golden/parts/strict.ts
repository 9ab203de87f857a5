import type { Json, Part, Replay } from '../part.js';

const configMaps = '/api/v1/namespaces/golden/configmaps';
const deployments = '/apis/apps/v1/namespaces/golden/deployments';

/** Each case is one write with unknown or duplicate fields, under one value of fieldValidation. */
export const strict: Part = {
  name: 'strict',
  async run(replay, recorded) {
    const { request, code, kept, status, warnings } = recorded as Json;
    if (request.method !== 'POST') {
      // The JSON patches were recorded after a merge patch of `a`, if that was not refused.
      const data = recorded.id.startsWith('json') && kept !== undefined ? kept : { a: 'b' };
      await replay.create(configMaps, { metadata: { name: 'strict' }, data });
    }
    const answer = await replay.request(request);
    replay.same('code', answer.code, code);
    if (kept !== undefined) replay.same('kept', answer.json?.spec ?? answer.json?.data ?? {}, kept);
    if (status !== undefined) replay.same('status', answer.json, status);
    replay.same('warnings', answer.warnings, warnings);
    await removeAll(replay);
  },
};

async function removeAll(replay: Replay): Promise<void> {
  for (const path of [configMaps, deployments]) await replay.remove(`${path}/strict`);
}
