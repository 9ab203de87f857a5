import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startApiServer } from '../../src/apiserver/index.js';
import { comparableEntries } from './managed-field-order.js';
import { definition, kindNames, planOf, type Step } from './managed-fields-plan.js';
import { startRealApiServer } from './real-api-server.mjs';

type Doc = Record<string, unknown>;
type Send = (step: Step | { readonly method: 'GET'; readonly path: string }) => Promise<{ status: number; body: Doc }>;

const SEEDS = Number(process.env['MANAGED_FIELDS_SEEDS'] ?? 25);
const FIRST_SEED = Number(process.env['MANAGED_FIELDS_FIRST'] ?? 1);
const LENGTH = 12;

const real = await startRealApiServer({ flags: ['--disable-admission-plugins=ServiceAccount'] });
const embedded = await startApiServer();
afterAll(async () => {
  await embedded.stop();
  await real.stop();
});

const onReal: Send = async (step) => {
  const headers = 'body' in step ? { 'content-type': step.contentType } : undefined;
  const { status, body } = await real.request<Doc>(step.method, step.path, {
    body: 'body' in step ? step.body : undefined,
    headers,
  });
  return { status, body };
};
const onEmbedded: Send = async (step) => {
  const response = await fetch(`${embedded.url}${step.path}`, {
    method: step.method,
    headers: {
      'content-type': 'body' in step ? step.contentType : 'application/json',
      ...(embedded.token === undefined ? {} : { authorization: `Bearer ${embedded.token}` }),
    },
    body: 'body' in step ? JSON.stringify(step.body) : null,
  });
  return { status: response.status, body: (await response.json()) as Doc };
};

beforeAll(async () => {
  for (const send of [onReal, onEmbedded]) {
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    await send({ method: 'POST', path, contentType: 'application/json', body: definition });
    await vi.waitFor(
      async () => {
        expect((await send({ method: 'GET', path: '/apis/managed.example.com/v1/widgets' })).status).toBe(200);
      },
      { timeout: 60_000 },
    );
  }
});

function managers(object: Doc): unknown {
  return comparableEntries(((object['metadata'] as Doc | undefined)?.['managedFields'] ?? []) as Doc[]);
}

/** What of an answer has to be the same: of a failure the message, otherwise managers and content. */
function comparable({ status, body }: { status: number; body: Doc }): unknown {
  if (status >= 300) {
    const causes = (body['details'] as { causes?: { field: string; message: string }[] } | undefined)?.causes ?? [];
    const fields = causes.map(({ field, message }) => `${field} ${message}`).sort();
    return { status, reason: body['reason'], message: causes.length > 0 ? fields : body['message'] };
  }
  const { labels, annotations, finalizers, generation } = (body['metadata'] ?? {}) as Doc;
  return {
    status,
    managers: managers(body),
    metadata: { labels, annotations, finalizers, generation },
    content: { data: body['data'], spec: body['spec'], status: body['status'] },
  };
}

describe.each(kindNames)('random writes of %s by several managers', (kind) => {
  it.each(Array.from({ length: SEEDS }, (_, at) => FIRST_SEED + at))(
    'have the same outcome on both servers: seed %i',
    async (seed) => {
      const namespace = `${kind}-${seed}`;
      const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
      for (const send of [onReal, onEmbedded]) {
        await send({ method: 'POST', path: '/api/v1/namespaces', contentType: 'application/json', body });
      }
      const done: Step[] = [];
      for (const step of planOf(kind, namespace, seed, LENGTH)) {
        done.push(step);
        const [wanted, found] = [await onReal(step), await onEmbedded(step)];
        expect(comparable(found), JSON.stringify(done.slice(-3))).toEqual(comparable(wanted));
      }
    },
  );
});
