import type { ApiHandler } from '../../src/apiserver/wire/exchange.js';
import { connectInMemory } from '../../src/apiserver/wire/memory-connection.js';
import type { ConnectionConfig } from '../../src/rest/http/connection-config.js';
import { MemoryTransport } from '../../src/rest/http/memory-transport.js';
import type { Request } from '../../src/rest/request/request.js';
import { RestClient, type RestClientOptions } from '../../src/rest/request/rest-client.js';
import { FakeClock } from '../../src/time/fake-clock.js';

interface Seen {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type Reply =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }
  | 'reset'
  | 'resetAfterHead'
  | 'refuse'
  | 'hang'
  | 'hangInError';

export const ok = { status: 200, body: '{"kind":"Pod"}' } satisfies Reply;

/** A client of a server that sends these replies in turn, and repeats the last one. */
export function startRestClient(
  replies: readonly Reply[],
  options: RestClientOptions = {},
  connection?: Partial<ConnectionConfig>,
) {
  const clock = new FakeClock();
  const seen: Seen[] = [];
  const handler: ApiHandler = async ({ method, target, headers, body, signal }, response) => {
    const reply = replies[Math.min(seen.length, replies.length - 1)]!;
    seen.push({ method, target, headers, body: Buffer.from(body).toString() });
    if (reply === 'hangInError') response.head(503, { 'retry-after': '1' });
    if (reply === 'hang' || reply === 'hangInError')
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    else if (reply === 'reset' || reply === 'refuse') response.reset();
    else {
      const { status, headers: fields = {}, body: text = '' } = reply === 'resetAfterHead' ? { status: 200 } : reply;
      response.head(status, { 'content-type': 'application/json', ...fields });
      response.write(Buffer.from(text));
      if (reply === 'resetAfterHead') response.reset();
    }
  };
  const memory = connectInMemory(handler, clock);
  if (replies[0] === 'refuse') memory.refuse();
  const transport = new MemoryTransport(memory);
  const rest = new RestClient(
    { server: 'https://kube.example.com/base/', ...connection },
    { clock, transport, ...options },
  );
  return { rest, clock, seen, memory, transport };
}

/** Advances the clock until the promise has settled. */
export async function outcomeOf<T>(clock: FakeClock, promise: Promise<T>): Promise<T | { error: unknown }> {
  let outcome: T | { error: unknown } | undefined;
  promise.then(
    (value) => (outcome = value),
    (error: unknown) => (outcome = { error }),
  );
  await clock.until(() => outcome !== undefined, { withinMs: 10_000_000 });
  return outcome as T | { error: unknown };
}

/** The request of one pod. */
export function pod(request: Request): Request {
  return request.namespace('default').resource('pods').name('web-0');
}
