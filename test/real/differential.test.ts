import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { startApiServer } from '../../src/apiserver/index.js';
import { Wire } from '../conformance/http.js';
import type { Json } from '../golden/part.js';
import { differences, mask } from '../golden/placeholders.js';
import { isSince } from './build.mjs';
import { type RandomRequest, randomDefinitions, randomRequests } from './differential/random-requests.js';
import { withComparableEntries } from './managed-field-order.js';
import { startRealApiServer } from './real-api-server.mjs';

/** A difference that is known: request and answers match its patterns. A line of an answer's difference is path, recorded and answered value. */
interface KnownDifference {
  readonly reason: string;
  /** The release that does not differ any more. @default the difference is one from the newest release */
  readonly until?: `1.${number}`;
  /** Of the method and path. */
  readonly request?: string;
  /** Of a line that explains all others, which follow from it. */
  readonly cause?: string;
  /** Of each line that is explained, without a `cause`. */
  readonly difference?: string;
}

const SEED = Number(process.env['DIFFERENTIAL_SEED'] ?? 18);
const COUNT = Number(process.env['DIFFERENTIAL_COUNT'] ?? 5000);

const known = JSON.parse(readFileSync(new URL('./differential/known-differences.json', import.meta.url), 'utf8')) as {
  /** How many requests may differ without a known reason; it only ever shrinks. */
  readonly unexplained: number;
  readonly known: readonly KnownDifference[];
};

const real = await startRealApiServer({ flags: ['--disable-admission-plugins=ServiceAccount'] });
const embedded = await startApiServer({ controllers: ['system-namespaces'] });
const wires = [
  new Wire({ name: 'kube-apiserver', url: real.url, token: real.adminToken }),
  new Wire({ name: 'the embedded server', url: embedded.url, token: '' }),
] as const;
afterAll(async () => {
  for (const wire of wires) wire.close();
  await Promise.all([real.stop(), embedded.stop()]);
});

describe('random requests to both servers', () => {
  it('are answered alike, and leave the same objects', async () => {
    for (const wire of wires) await prepare(wire);
    const found: { request: RandomRequest; differences: string[] }[] = [];
    for (const request of randomRequests(SEED, COUNT)) {
      const differing = await compare(request);
      if (differing.length > 0) {
        found.push({ request, differences: differing });
        // Both go on with the same objects.
        for (const wire of wires) if (request.object !== undefined) await remove(wire, request.object);
      }
    }
    const unexplained: typeof found = [];
    const counts = new Map<string, number>();
    for (const difference of found) {
      const reasons = reasonsOf(difference.request, difference.differences);
      if (reasons === undefined) unexplained.push(difference);
      for (const reason of reasons ?? []) counts.set(reason, (counts.get(reason) ?? 0) + 1);
    }
    const report = unexplained.map(({ request, differences: lines }) => {
      const { method, path, contentType = '', body = '' } = request;
      return `${method} ${path} ${contentType} ${body}\n  ${lines.join('\n  ')}\n`;
    });
    writeFileSync('.reports/differential.txt', report.join('\n'));
    process.stdout.write(`${COUNT} requests: ${found.length} differ, ${unexplained.length} without a known reason\n`);
    for (const [reason, count] of counts) process.stdout.write(`${count} × ${reason}\n`);
    expect(unexplained.length, 'see .reports/differential.txt').toBeLessThanOrEqual(known.unexplained);
  });
});

async function prepare(wire: Wire): Promise<void> {
  await wire.request('POST', '/api/v1/namespaces', { body: { metadata: { name: 'differential' } } });
  for (const definition of randomDefinitions) {
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    await wire.request('POST', path, { body: definition });
    const { group, names } = definition.spec;
    await expect.poll(async () => (await wire.request('GET', `/apis/${group}/v1/${names.plural}`)).status).toBe(200);
  }
}

async function compare(request: RandomRequest): Promise<string[]> {
  const [expected, actual] = await Promise.all(wires.map((wire) => answer(wire, request)));
  return differences(actual, expected);
}

async function answer(wire: Wire, { method, path, body, contentType }: RandomRequest): Promise<Json> {
  const type = contentType === undefined ? {} : { 'content-type': contentType };
  // kube-apiserver closes the connection where it panics.
  const sent = await wire
    .request(method, path, { rawBody: body, headers: { 'user-agent': 'differential', ...type } })
    .catch((error: Error) => error);
  if (sent instanceof Error) return { code: 0, warnings: null, body: sent.message };
  const { status, headers, text } = sent;
  let document: Json = text;
  try {
    document = JSON.parse(text);
  } catch {
    // Not every answer is JSON.
  }
  return { code: status, warnings: headers['warning'] ?? null, body: mask(withComparableEntries(document)) };
}

async function remove(wire: Wire, path: string): Promise<void> {
  const { status } = await wire.request('DELETE', `${path}?gracePeriodSeconds=0`);
  if (status === 404) return;
  const contentType = 'application/merge-patch+json';
  const body = { metadata: { finalizers: null } };
  await wire.request('PATCH', path, { body, headers: { 'content-type': contentType } });
}

/** The reasons that explain all differences of a request's answers; undefined if one is left. */
function reasonsOf({ method, path }: RandomRequest, lines: readonly string[]): Set<string> | undefined {
  const candidates = known.known.filter(
    ({ request = '', until }) =>
      new RegExp(request).test(`${method} ${path}`) && !(until !== undefined && isSince(until)),
  );
  const reasons = lines.map((line) =>
    candidates.find(({ cause, difference = '' }) =>
      cause === undefined
        ? new RegExp(difference, 's').test(line)
        : lines.some((other) => new RegExp(cause, 's').test(other)),
    ),
  );
  return reasons.includes(undefined) ? undefined : new Set(reasons.map((known) => known!.reason));
}
