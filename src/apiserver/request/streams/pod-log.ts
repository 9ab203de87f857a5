import type { Pod } from '../../../resources/types/core-v1.js';
import { onAbort } from '../../../time/signals.js';
import type { ApiResponse } from '../../wire/exchange.js';
import { queryFlag } from '../../wire/request-info.js';
import type { ResourceCall } from '../resource-call.js';
import type { Kubelet, LogCall, LogOutput } from './kubelet.js';

/** Sends the log of a container. */
export async function servePodLog(
  call: ResourceCall,
  pod: Pod,
  container: string,
  log: NonNullable<Kubelet['log']>,
): Promise<void> {
  const { info, request, response } = call;
  const { query } = info;
  const given: LogCall = {
    pod,
    container,
    signal: request.signal,
    follow: queryFlag(query, 'follow'),
    previous: queryFlag(query, 'previous'),
    timestamps: queryFlag(query, 'timestamps'),
    tailLines: numberOf(query.get('tailLines')),
    sinceSeconds: numberOf(query.get('sinceSeconds')),
    sinceTime: query.get('sinceTime') ?? undefined,
  };
  const output = await log(given);
  response.head(200, { 'cache-control': 'no-cache, private', 'content-type': 'text/plain' });
  await sendAll(response, output, request.signal, numberOf(query.get('limitBytes')));
  response.end();
}

/** Sends parts as they come, no faster than the client reads. */
export async function sendAll(
  response: ApiResponse,
  output: LogOutput,
  signal: AbortSignal,
  limit: number = Number.POSITIVE_INFINITY,
): Promise<void> {
  let left = limit;
  const parts = typeof output === 'string' || output instanceof Uint8Array ? [output] : output;
  for await (const part of parts) {
    if (signal.aborted) return;
    const bytes = typeof part === 'string' ? Buffer.from(part) : part;
    const sent = bytes.subarray(0, left);
    left -= sent.length;
    if (!response.write(sent)) await drained(response, signal);
    // At once: the next part of a log that is followed may never come.
    if (left <= 0) return;
  }
}

function drained(response: ApiResponse, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const undo = onAbort(signal, resolve);
    response.onDrain(() => {
      undo();
      resolve();
    });
  });
}

function numberOf(text: string | null): number | undefined {
  const number = Number(text ?? Number.NaN);
  return Number.isInteger(number) && number >= 0 ? number : undefined;
}
