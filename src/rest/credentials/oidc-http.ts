import { request as httpRequest } from 'node:http';
import { linkSignals } from '../../time/signals.js';
import type { TlsSource } from '../http/connection-config.js';
import { Dialler } from '../http/dial.js';
import { hostOf, isLoopback } from '../http/host.js';
import { messageOf } from '../http/request-errors.js';
import type { ConfigEnvironment } from './config-environment.js';
import { CredentialsError } from './config-errors.js';
import { parseJsonObject } from './json-object.js';
import { environmentProxy } from './proxy-environment.js';

/** One request to an identity provider. */
export interface ProviderRequest {
  readonly url: string;
  /** Makes it a POST. */
  readonly form?: Readonly<Record<string, string>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** How to connect to a provider. */
export interface ProviderAccess {
  readonly tls: TlsSource;
  readonly environment: ConfigEnvironment;
  readonly signal: AbortSignal;
}

/** The response of a provider. */
export interface ProviderResponse {
  readonly status: number;
  /** The JSON object in the body; empty if there is none. */
  readonly document: Readonly<Record<string, unknown>>;
}

/** Limit of a response. */
const MAX_BODY_BYTES = 1 << 20;
const CONNECT_TIMEOUT_MS = 30_000;
/** All requests wait for the token, so a provider that does not answer must fail them. */
const TIMEOUT_MS = 60_000;

/**
 * Sends a request to an identity provider, through the proxy of the environment variables if there is one. It carries secrets,
 * so other machines must be reached by https, and redirects are not followed.
 */
export async function requestProvider(request: ProviderRequest, access: ProviderAccess): Promise<ProviderResponse> {
  const url = providerUrl(request.url);
  const { clock } = access.environment;
  const limit = linkSignals([access.signal], { timeoutMs: TIMEOUT_MS, clock, what: 'its response' });
  try {
    return await send(url, request, { ...access, signal: limit.signal });
  } catch (error) {
    access.signal.throwIfAborted();
    // Without `cause`: parse errors contain bytes of the response, which may be tokens.
    const reason = messageOf(limit.signal.aborted ? limit.signal.reason : error);
    throw new CredentialsError(`the request to ${describe(url)} failed: ${reason}`);
  } finally {
    limit.release();
  }
}

async function send(url: URL, parameters: ProviderRequest, access: ProviderAccess): Promise<ProviderResponse> {
  const { tls, environment, signal } = access;
  const proxyUrl = environmentProxy(url, environment.env);
  const proxy = proxyUrl === undefined ? undefined : new URL(proxyUrl);
  const dialler = new Dialler({ url, tls, proxy, timeoutMs: CONNECT_TIMEOUT_MS, clock: environment.clock });
  const socket = await dialler.dial(['http/1.1'], signal);
  const body = parameters.form && new URLSearchParams(parameters.form).toString();
  try {
    return await new Promise((resolve, reject) => {
      const request = httpRequest(url, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          accept: 'application/json',
          connection: 'close',
          ...(body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
          ...parameters.headers,
        },
        // The socket is a TLS socket already, which node:http uses like a plain one.
        protocol: 'http:',
        createConnection: () => socket,
        signal,
      });
      request.on('error', reject);
      request.on('response', (response) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          chunks.push(chunk);
          if (bytes > MAX_BODY_BYTES) reject(new Error(`its response has more than ${MAX_BODY_BYTES} bytes`));
        });
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            document: parseJsonObject(Buffer.concat(chunks).toString()) ?? {},
          }),
        );
      });
      request.end(body);
    });
  } finally {
    socket.destroy();
  }
}

function providerUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined)
    throw new CredentialsError('the OIDC provider has an invalid URL: check idp-issuer-url and its discovery document');
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(hostOf(url)))) return url;
  throw new CredentialsError(`${describe(url)} must have a URL with https, since tokens are sent to it`);
}

function describe(url: URL): string {
  return `the OIDC provider ${url.protocol}//${url.host}${url.pathname}`;
}
