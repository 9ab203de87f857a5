import type { Answer, Wire } from '../conformance/http.js';
import {
  type GoldenCase,
  type Json,
  type Part,
  type RecordedRequest,
  type Replay,
  type Reply,
  recordedCases,
} from './part.js';
import { differences, mask } from './placeholders.js';

/** How a case came out: without differences it passes. */
export interface Outcome {
  readonly id: string;
  readonly differences: readonly string[];
}

/** Replays all cases of a part, or those with an id, in the order they were recorded. */
export async function replayPart(part: Part, wire: Wire, only?: string): Promise<Outcome[]> {
  const replay = new WireReplay(wire);
  await replay.create('/api/v1/namespaces', { metadata: { name: 'golden' } });
  await part.prepare?.(replay);
  const outcomes: Outcome[] = [];
  for (const recorded of recordedCases(part.name)) {
    if (only === undefined || recorded.id === only) outcomes.push(await replay.outcome(part, recorded));
  }
  return outcomes;
}

class WireReplay implements Replay {
  readonly wire: Wire;
  #differences: string[] = [];

  constructor(wire: Wire) {
    this.wire = wire;
  }

  async outcome(part: Part, recorded: GoldenCase): Promise<Outcome> {
    this.#differences = [];
    try {
      await part.run(this, recorded);
    } catch (error) {
      this.differs(`the case cannot be replayed: ${error instanceof Error ? error.message : String(error)}`);
    }
    return { id: recorded.id, differences: this.#differences };
  }

  async request(request: RecordedRequest): Promise<Reply> {
    const { method = 'GET', path, query, headers, contentType, userAgent, body } = request;
    const answer = await this.wire.request(method, path, {
      ...(query === undefined ? {} : { query }),
      ...(body === undefined ? {} : { rawBody: payload(body) }),
      headers: {
        'user-agent': userAgent ?? 'golden',
        ...(contentType === undefined ? {} : { 'content-type': contentType }),
        ...headers,
      },
    });
    return reply(answer);
  }

  async create(path: string, body: Json): Promise<Json> {
    const { code, text, json } = await this.request({ method: 'POST', path, body });
    if (code !== 201) throw new Error(`POST ${path} answered ${code}: ${text.slice(0, 500)}`);
    return json;
  }

  async remove(path: string): Promise<void> {
    for (let attempt = 0; attempt < 200; attempt++) {
      const gone = await this.request({ method: 'DELETE', path, query: { gracePeriodSeconds: 0 } });
      if (gone.code === 404) return;
      const left = await this.request({ path });
      if (left.code === 404) return;
      if (left.json?.metadata?.finalizers !== undefined && !path.includes('customresourcedefinitions')) {
        await this.request({
          method: 'PATCH',
          path,
          contentType: 'application/merge-patch+json',
          body: { metadata: { finalizers: null } },
        });
      }
      if (left.json?.kind === 'Namespace') {
        await this.request({
          method: 'PUT',
          path: `${path}/finalize`,
          body: { ...left.json, spec: { finalizers: [] } },
        });
      }
      if (attempt > 3) await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`${path} cannot be deleted`);
  }

  same(what: string, actual: Json, recorded: Json): void {
    for (const one of differences(mask(actual), mask(recorded))) this.differs(`${what}${one}`);
  }

  differs(what: string): void {
    this.#differences.push(what);
  }
}

function payload(body: Json): string | Buffer {
  if (typeof body === 'string') return body;
  if (typeof body.base64 === 'string') return Buffer.from(body.base64, 'base64');
  return JSON.stringify(body);
}

function reply(answer: Answer): Reply {
  let json: Json;
  try {
    json = JSON.parse(answer.text);
  } catch {
    // Not every answer is JSON.
  }
  return {
    code: answer.status,
    contentType: answer.headers['content-type'] ?? '',
    headers: answer.headers,
    warnings: warningTexts(answer.headers.warning as string | undefined),
    bytes: answer.bytes,
    text: answer.text,
    json,
  };
}

/** `299 - "a \"b\"", 299 - "c"` → the quoted texts. */
function warningTexts(header: string | undefined): string[] {
  return [...(header ?? '').matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(([, text]) =>
    (text as string).replace(/\\(.)/g, '$1'),
  );
}
