import { type GoldenCase, type Json, type Part, type Replay, recordedCases } from '../part.js';

/** Objects that cases of `updates` start from and that no recorded case of `defaults` creates. */
const bases: Readonly<Record<string, { path: string; sent: Json }>> = {
  'configmap data': {
    path: '/api/v1/namespaces/golden/configmaps',
    sent: { metadata: { name: 'x' }, data: { a: 'b' } },
  },
  deployment: {
    path: '/apis/apps/v1/namespaces/golden/deployments',
    sent: { metadata: { name: 'x' }, spec: { selector: { matchLabels: { a: 'b' } }, template: template() } },
  },
  'pod minimal': {
    path: '/api/v1/namespaces/golden/pods',
    sent: { metadata: { name: 'x' }, spec: { containers: [{ name: 'c', image: 'i:1' }] } },
  },
  runtimeclass: {
    path: '/apis/node.k8s.io/v1/runtimeclasses',
    sent: { metadata: { name: 'golden-x' }, handler: 'runc' },
  },
  statefulset: {
    path: '/apis/apps/v1/namespaces/golden/statefulsets',
    sent: {
      metadata: { name: 'x' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: template(),
        volumeClaimTemplates: [
          {
            metadata: { name: 'd' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          },
        ],
      },
    },
  },
};

function template(): Json {
  return { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i:1' }] } };
}

/** Each case creates an object of a built-in kind; recorded is what the server stored. */
export const defaults: Part = {
  name: 'defaults',
  async run(replay, { path, sent, code, stored, warnings }) {
    const answer = await replay.request({ method: 'POST', path, body: sent });
    replay.same('code', answer.code, code);
    replay.same('stored', answer.json, stored);
    replay.same('warnings', answer.warnings, warnings ?? []);
    await removeCreated(replay, path, answer.json);
  },
};

/** Each case creates an object that is refused, or accepted in spite of its looks. */
export const invalid: Part = {
  name: 'invalid',
  async run(replay, { path, sent, code, status, accepted, warnings }) {
    const answer = await replay.request({ method: 'POST', path, body: sent });
    replay.same('code', answer.code, code);
    replay.same('answer', answer.json, status ?? accepted);
    replay.same('warnings', answer.warnings, warnings ?? []);
    await removeCreated(replay, path, answer.json);
  },
};

/** Each case creates an object and patches it, once or more. */
export const updates: Part = {
  name: 'updates',
  async run(replay, recorded) {
    const { path, sent } = bases[recorded['from']] ?? defaultsCase(recorded['from']);
    const created = await replay.request({ method: 'POST', path, body: sent });
    replay.same('created', created.code, recorded['created']);
    try {
      await patchAndCompare(replay, recorded, created.json);
    } finally {
      await removeCreated(replay, path, created.json);
    }
  },
};

async function patchAndCompare(replay: Replay, recorded: GoldenCase, created: Json): Promise<void> {
  let before = created;
  for (const [i, one] of (recorded['answers'] as Json[]).entries()) {
    const subresource = one.subresource === undefined ? '' : `/${one.subresource}`;
    const answer = await replay.request({
      method: 'PATCH',
      path: recorded['path'] + subresource,
      contentType: one.type === 'json' ? 'application/json-patch+json' : 'application/merge-patch+json',
      body: one.patch,
    });
    replay.same(`${i}/code`, answer.code, one.code);
    if (one.status !== undefined) {
      replay.same(`${i}/status`, answer.json, one.status);
      continue;
    }
    const generations = [before?.metadata?.generation ?? null, answer.json?.metadata?.generation ?? null];
    replay.same(`${i}/generation`, generations, one.generation);
    replay.same(`${i}/spec`, answer.json?.spec, one.spec);
    before = answer.json;
  }
}

function defaultsCase(id: string): { path: string; sent: Json } {
  const found = recordedCases('defaults').find((one) => one.id === id);
  if (found === undefined) throw new Error(`no case of defaults is called ${id}`);
  return found as unknown as { path: string; sent: Json };
}

async function removeCreated(replay: Replay, path: string, object: Json): Promise<void> {
  const name = object?.metadata?.name;
  if (object?.kind !== 'Status' && typeof name === 'string') await replay.remove(`${path}/${name}`);
}
