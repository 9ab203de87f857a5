import type { IncomingMessage } from 'node:http';
import { type Agent, request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { WebhookCallError } from '../../resources/webhook-caller.js';
import type { WebhookAnswer } from './read-answer.js';

const MAX_REDIRECTS = 10;
const TIMED_OUT = 'context deadline exceeded';

/** A post to a webhook. */
export interface HttpsPost {
  /** The address in messages: for a service its name, whatever it resolves to. */
  readonly shownUrl: string;
  /** Where the connection goes. */
  readonly url: URL;
  /** The name that the certificate must have. @default the host of `url` */
  readonly serverName?: string | undefined;
  readonly agent: Agent;
  readonly body: string;
  /** The most bytes of an answer. kube-apiserver reads any number; here a webhook cannot fill the memory. */
  readonly maxBytes: number;
  /** Aborts when the time is over. */
  readonly signal: AbortSignal;
}

/** Posts JSON over HTTPS and reads the answer. Follows redirects as Go's client does. @throws WebhookCallError */
export async function postOverHttps(post: HttpsPost): Promise<WebhookAnswer> {
  let { url, shownUrl } = post;
  let method: 'POST' | 'GET' = 'POST';
  for (let redirects = 0; ; redirects++) {
    const response = await send(post, url, method, shownUrl);
    const location = response.headers.location;
    const status = response.statusCode ?? 0;
    if (![301, 302, 303, 307, 308].includes(status) || location === undefined) return read(response, post);
    response.resume();
    if (redirects + 1 === MAX_REDIRECTS) throw failure(location, `stopped after ${MAX_REDIRECTS} redirects`);
    if (status < 304) method = 'GET';
    if (!URL.canParse(location, url.href)) {
      throw failure(shownUrl, `failed to parse Location header ${JSON.stringify(location)}`);
    }
    shownUrl = location;
    url = new URL(location, url);
    if (url.protocol !== 'https:') throw failure(shownUrl, 'a redirect of a webhook must lead to an https address');
  }
}

function send(post: HttpsPost, url: URL, method: 'POST' | 'GET', shownUrl: string): Promise<IncomingMessage> {
  const { agent, body, signal, serverName } = post;
  const payload = method === 'POST' ? Buffer.from(body) : undefined;
  return new Promise((resolve, reject) => {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const request = httpsRequest(
      {
        agent,
        method,
        host,
        port: url.port === '' ? 443 : Number(url.port),
        path: `${url.pathname}${url.search}`,
        signal,
        ...(serverName === undefined ? (isIP(host) === 0 ? { servername: host } : {}) : { servername: serverName }),
        headers: {
          host: /^https:\/\/([^/?]+)/.exec(shownUrl)?.[1] ?? url.host,
          'user-agent': 'kube-apiserver-admission',
          accept: 'application/json, */*',
          'content-type': 'application/json',
          ...(payload === undefined ? {} : { 'content-length': payload.length }),
        },
      },
      resolve,
    );
    request.on('error', (error) => reject(failure(shownUrl, reasonOf(error, host, request.socket, signal, url))));
    request.end(payload);
  });
}

function read(response: IncomingMessage, { signal, maxBytes }: HttpsPost): Promise<WebhookAnswer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const refuse = (why: string): void => {
      response.destroy();
      reject(new WebhookCallError(why));
    };
    const broken = (why: string): void =>
      refuse(`unexpected error when reading response body. Please retry. Original error: ${why}`);
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxBytes) refuse(`the answer of the webhook has more than ${maxBytes} bytes`);
    });
    response.on('end', () => {
      const contentType = response.headers['content-type'] ?? '';
      resolve({ status: response.statusCode ?? 0, contentType, text: Buffer.concat(chunks).toString('utf8') });
    });
    response.on('error', () => broken(signal.aborted ? TIMED_OUT : 'unexpected EOF'));
  });
}

/** A failed post, in the words of Go's client. */
export function failure(url: string, why: string): WebhookCallError {
  return new WebhookCallError(`Post ${JSON.stringify(url)}: ${why}`);
}

/** The failure of a post that took too long. */
export function timedOut(url: string): WebhookCallError {
  return failure(url, TIMED_OUT);
}

const UNKNOWN_AUTHORITY: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

function reasonOf(
  error: Error & { code?: string; syscall?: string; host?: string; cert?: { subjectaltname?: string } },
  host: string,
  socket: unknown,
  signal: AbortSignal,
  url: URL,
): string {
  if (signal.aborted) return TIMED_OUT;
  const { code = '' } = error;
  const port = url.port === '' ? '443' : url.port;
  if (code === 'ECONNREFUSED') return `dial tcp ${host}:${port}: connect: connection refused`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `dial tcp: lookup ${host}: no such host`;
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'EOF';
  if (UNKNOWN_AUTHORITY.has(code)) {
    return 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const names = (error.cert?.subjectaltname ?? '').split(', ').map((name) => name.replace(/^(DNS|IP Address):/, ''));
    const asked = (socket as { servername?: string } | null)?.servername || host;
    return `tls: failed to verify certificate: x509: certificate is valid for ${names.join(', ')}, not ${asked}`;
  }
  if (code === 'CERT_HAS_EXPIRED') {
    return 'tls: failed to verify certificate: x509: certificate has expired or is not yet valid';
  }
  return error.message;
}
