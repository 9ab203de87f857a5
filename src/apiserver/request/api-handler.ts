import { createHash } from 'node:crypto';
import { StatusError } from '../../meta/errors/errors.js';
import { internal, methodNotAllowed, notAcceptable, pathNotFound, type Status } from '../../meta/errors/status.js';
import type { Clock } from '../../time/clock.js';
import { offClock } from '../../time/off-clock.js';
import { randomUid } from '../../time/random-uid.js';
import type { AccessCheck } from '../access/access-check.js';
import type { AccountTokens } from '../access/account-tokens.js';
import type { OpenApiHandler } from '../openapi/openapi-handler.js';
import type { DiscoveryDocument } from '../resources/discovery.js';
import type { Registry } from '../resources/registry.js';
import type { ApiHandler, ApiRequest, ApiResponse } from '../wire/exchange.js';
import { namesMediaType, servedMediaTypes } from '../wire/media-types.js';
import { type NonResourceRequestInfo, parseRequestInfo, queryFlag } from '../wire/request-info.js';
import { send, sendStatus } from '../wire/response-writer.js';
import { isUnroutable } from './request-route.js';
import type { ResourceHandler } from './resource-handler.js';
import { issuerDocument } from './review/token-issuer.js';
import { Warnings } from './warnings.js';

/** What {@link createApiHandler} hands requests to. */
export interface ApiHandlerOptions {
  readonly clock: Clock;
  readonly registry: Registry;
  readonly resources: ResourceHandler;
  readonly checkAccess: AccessCheck;
  readonly accountTokens: AccountTokens;
  /** Called with errors that are bugs of the server. */
  readonly onError: (error: unknown) => void;
}

const TEXT = 'text/plain; charset=utf-8';
const HEALTH = /^\/(healthz|livez|readyz)(?:\/(ping|storage))?$/;
const HEALTH_CHECKS = ['ping', 'storage'];
const GET: ReadonlySet<string> = new Set(['get', 'head']);

/** Answers requests: access first, then discovery and health, then resources. */
export function createApiHandler(options: ApiHandlerOptions): ApiHandler {
  const { clock, registry, resources, checkAccess, accountTokens, onError } = options;
  let openApi: Promise<OpenApiHandler> | undefined;
  return async (request, rawResponse) => {
    const warnings = new Warnings();
    const { accept } = request.headers;
    const response = withHeaders(rawResponse, request.headers['audit-id'] ?? randomUid(clock), warnings, clock);
    try {
      const info = parseRequestInfo(request.method, request.target);
      if (info === undefined) return send(response, 400, TEXT, '400 Bad Request');
      const user = checkAccess(request, info);
      if (!info.isResourceRequest && info.path.startsWith('/openapi/')) {
        openApi ??= loadOpenApi(registry, clock);
        if (!(await (await openApi).handle(info.path, info.query, request, response))) notFoundPage(response);
        return;
      }
      if (!info.isResourceRequest) return answerPath(registry, accountTokens, info, request, response);
      const resource = registry.find(info.group, info.version, info.resource);
      if (resource !== undefined && isUnroutable(info, resource)) return notFoundPage(response);
      if (resource !== undefined) return await resources.handle(info, resource, user, request, response, warnings);
      if (registry.isBuiltInGroup(info.group)) throw new StatusError(pathNotFound());
      notFoundPage(response);
    } catch (error) {
      if (error instanceof StatusError) return sendStatus(response, error.document as Status, accept);
      onError(error);
      sendStatus(response, internal(error instanceof Error ? error.message : String(error)), accept);
    }
  };
}

/** Most servers are never asked for OpenAPI, so that its code is loaded by the first request. */
async function loadOpenApi(registry: Registry, clock: Clock): Promise<OpenApiHandler> {
  const { OpenApiHandler } = await offClock(import('../openapi/openapi-handler.js'));
  return new OpenApiHandler(registry, clock);
}

/**
 * Adds the headers `Audit-Id`, as kube-apiserver does (there is no audit log), `Date` by the clock of the server, and the warnings that
 * the request has met.
 */
function withHeaders(response: ApiResponse, auditId: string, warnings: Warnings, clock: Clock): ApiResponse {
  return {
    head(status, headers) {
      const warning = warnings.header;
      const date = new Date(clock.now()).toUTCString();
      response.head(status, { 'audit-id': auditId, date, ...headers, ...(warning === undefined ? {} : { warning }) });
    },
    write: (chunk) => response.write(chunk),
    onDrain: (callback) => response.onDrain(callback),
    get pendingBytes() {
      return response.pendingBytes;
    },
    end: () => response.end(),
    reset: () => response.reset(),
  };
}

function answerPath(
  registry: Registry,
  accountTokens: AccountTokens,
  info: NonResourceRequestInfo,
  request: ApiRequest,
  response: ApiResponse,
): void {
  const health = HEALTH.exec(info.path);
  if (health !== null) {
    const isVerbose = health[2] === undefined && queryFlag(info.query, 'verbose');
    const checks = HEALTH_CHECKS.map((check) => `[+]${check} ok\n`).join('');
    send(response, 200, TEXT, isVerbose ? `${checks}${health[1]} check passed\n` : 'ok');
    return;
  }
  if (info.path === '/') {
    send(response, 200, 'application/json', `${JSON.stringify({ paths: registry.paths() }, undefined, 2)}\n`);
    return;
  }
  const issuer = issuerDocument(info.path, request.headers['host'] ?? '127.0.0.1', accountTokens);
  if (issuer !== undefined) {
    if (!namesMediaType(request.headers['accept'], [issuer.contentType])) throw unacceptable(issuer.contentType);
    send(response, 200, issuer.contentType, issuer.body, false, { 'cache-control': 'public, max-age=3600' });
    return;
  }
  const document = registry.discovery.find(info.path, request.headers['accept']);
  if (document === 'notAcceptable') {
    throw info.path === '/version'
      ? unacceptable('application/json')
      : new StatusError(notAcceptable(servedMediaTypes));
  }
  if (document === undefined) {
    const [root, group = ''] = info.path.split('/').filter((part) => part !== '');
    if ((root === 'apis' && group !== '' && registry.isBuiltInGroup(group)) || root === 'api') {
      throw new StatusError(pathNotFound());
    }
    notFoundPage(response);
    return;
  }
  if (!GET.has(info.verb)) throw new StatusError(methodNotAllowed());
  sendDocument(response, document, request.headers['if-none-match']);
}

/** The 406 of a path that kube-apiserver's router answers: it has one media type. */
function unacceptable(available: string): StatusError {
  const message = `406: Not Acceptable\n\nAvailable representations: ${available}`;
  return new StatusError({ ...notAcceptable(servedMediaTypes), message, details: {} });
}

const etags = new WeakMap<DiscoveryDocument, string>();

/** Sends a discovery document with an ETag, or 304 Not Modified if the client has it. */
function sendDocument(response: ApiResponse, document: DiscoveryDocument, known: string | undefined): void {
  if (!document.contentType.includes(';')) {
    send(response, 200, document.contentType, document.body);
    return;
  }
  let etag = etags.get(document);
  if (etag === undefined) {
    etag = `"${createHash('sha256').update(document.body).digest('hex').toUpperCase()}"`;
    etags.set(document, etag);
  }
  const headers = { etag, vary: 'Accept', 'cache-control': 'public' };
  if (known === etag) {
    response.head(304, headers);
    response.end();
    return;
  }
  response.head(200, {
    ...headers,
    'content-type': document.contentType,
    'content-length': String(document.body.length),
  });
  response.write(document.body);
  response.end();
}

function notFoundPage(response: ApiResponse): void {
  send(response, 404, TEXT, '404 page not found\n');
}
