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

/** How a provider is reached. */
export interface ProviderAccess {
  readonly tls: TlsSource;
  readonly environment: ConfigEnvironment;
  readonly signal: AbortSignal;
}

/** What it answered. */
export interface ProviderAnswer {
  readonly status: number;
  /** The JSON object in the body; empty if there is none. */
  readonly document: Readonly<Record<string, unknown>>;
}

/** More than this is no answer of a token endpoint. */
const MAX_BODY_BYTES = 1 << 20;
const CONNECT_TIMEOUT_MS = 30_000;
/** Everything waits for a token: a provider that says nothing any more must not stop it all for ever. */
const TIMEOUT_MS = 60_000;

/**
 * Asks an identity provider, through the environment's proxy if there is one. Secrets travel here, so nothing but https is
 * spoken with other machines, and no redirect is followed.
 */
export async function askProvider(request: ProviderRequest, access: ProviderAccess): Promise<ProviderAnswer> {
  const url = providerUrl(request.url);
  const { clock } = access.environment;
  const limit = linkSignals([access.signal], { timeoutMs: TIMEOUT_MS, clock, what: 'its answer' });
  try {
    return await exchange(url, request, { ...access, signal: limit.signal });
  } catch (error) {
    access.signal.throwIfAborted();
    // Without its cause: errors of a broken answer hold the bytes of it, and those may be tokens.
    const reason = messageOf(limit.signal.aborted ? limit.signal.reason : error);
    throw new CredentialsError(`cannot ask ${describe(url)}: ${reason}`);
  } finally {
    limit.release();
  }
}

async function exchange(url: URL, asked: ProviderRequest, access: ProviderAccess): Promise<ProviderAnswer> {
  const { tls, environment, signal } = access;
  const proxyUrl = environmentProxy(url, environment.env);
  const proxy = proxyUrl === undefined ? undefined : new URL(proxyUrl);
  const dialler = new Dialler({ url, tls, proxy, timeoutMs: CONNECT_TIMEOUT_MS, clock: environment.clock });
  const socket = await dialler.dial(['http/1.1'], signal);
  const body = asked.form && new URLSearchParams(asked.form).toString();
  try {
    return await new Promise((resolve, reject) => {
      const request = httpRequest(url, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          accept: 'application/json',
          connection: 'close',
          ...(body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
          ...asked.headers,
        },
        // TLS is spoken by the socket already; to node:http it is a connection like any other.
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
          if (bytes > MAX_BODY_BYTES) reject(new Error(`it answered with more than ${MAX_BODY_BYTES} bytes`));
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
  if (url === undefined) throw new CredentialsError('the OIDC provider has an address that is no URL');
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(hostOf(url)))) return url;
  throw new CredentialsError(`${describe(url)} is asked for tokens, so it must be reached by https`);
}

function describe(url: URL): string {
  return `the OIDC provider ${url.protocol}//${url.host}${url.pathname}`;
}
