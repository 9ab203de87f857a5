import { waitForDefinition, widgets } from '../definitions.js';
import type { Json, Part } from '../part.js';

/** Each case is a sequence of requests to one object called `apply`. */
export const apply: Part = {
  name: 'apply',
  async prepare(replay) {
    await waitForDefinition(replay, widgets);
  },
  async run(replay, { answers }) {
    let version: string | undefined;
    const paths = new Set<string>();
    for (const [i, recorded] of (answers as Json[]).entries()) {
      const { request } = recorded;
      paths.add(request.method === 'POST' ? `${request.path}/apply` : request.path.replace(/\/(status|scale)$/, ''));
      const answer = await replay.request(request);
      replay.same(`${i}/code`, answer.code, recorded.code);
      replay.same(`${i}/answer`, answer.json, recorded.object ?? recorded.status);
      if (recorded.warnings !== undefined) replay.same(`${i}/warnings`, answer.warnings, recorded.warnings);
      const same = version !== undefined && version === answer.json?.metadata?.resourceVersion;
      if (recorded.sameVersion === true && !same) replay.differs(`${i}/sameVersion`);
      version = answer.json?.metadata?.resourceVersion;
    }
    for (const path of paths) await replay.remove(path);
  },
};
