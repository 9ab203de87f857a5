import type { Pod } from '../../../resources/types/core-v1.js';
import type { ResourceCall } from '../resource-call.js';
import type { Kubelet } from './kubelet.js';
import { sendAll } from './pod-log.js';

/** Headers that belong to one connection, or to the body as it was sent. */
const HOP_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'host',
  'content-length',
  'authorization',
]);

/** Hands an HTTP request to a pod, and its answer to the client. */
export async function servePodProxy(
  call: ResourceCall,
  pod: Pod,
  port: string | undefined,
  proxy: NonNullable<Kubelet['proxy']>,
): Promise<void> {
  const { info, request, response } = call;
  const { method, headers, body, signal } = request;
  const at = request.target.indexOf('?');
  const path = `/${info.rest.map(encodeURIComponent).join('/')}`;
  const host = `${pod.metadata.name}.${pod.metadata.namespace}.pod`;
  const url = `http://${host}${port === undefined ? '' : `:${Number(port) || 80}`}${path}${at < 0 ? '' : request.target.slice(at)}`;
  const hasBody = method !== 'GET' && method !== 'HEAD' && body.length > 0;
  const asked = new Request(url, {
    method,
    // HTTP/2 has parts of the request line among its headers.
    headers: Object.entries(headers).filter(([name]) => !HOP_HEADERS.has(name) && !name.startsWith(':')),
    signal,
    ...(hasBody && { body: Buffer.from(body) }),
  });
  const answer = await proxy({ pod, port, request: asked, signal });
  response.head(answer.status, Object.fromEntries([...answer.headers].filter(([name]) => !HOP_HEADERS.has(name))));
  if (answer.body !== null && method !== 'HEAD') await sendAll(response, answer.body, signal);
  response.end();
}
