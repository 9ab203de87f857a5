import { StatusError } from '../meta/errors.js';
import { internal, notAcceptable, pathNotFound, type Status } from '../meta/status.js';
import type { ApiHandler, ApiRequest, ApiResponse } from './exchange.js';
import { servedMediaTypes } from './media-types.js';
import type { Registry } from './registry.js';
import { type NonResourceRequestInfo, parseRequestInfo, type RequestInfo } from './request-info.js';
import { methodNotAllowed, type ResourceHandler } from './resource-handler.js';
import { send, sendStatus } from './response-writer.js';

/** Decides whether a request may go on; throws the 401 or 403 that stops it. */
export type AccessCheck = (request: ApiRequest, info: RequestInfo) => void;

/** What answers requests. */
export interface ApiHandlerOptions {
  readonly registry: Registry;
  readonly resources: ResourceHandler;
  readonly checkAccess?: AccessCheck | undefined;
  /** Is told of errors that are bugs of the server. */
  readonly onError: (error: unknown) => void;
}

const HEALTH_PATHS: ReadonlySet<string> = new Set(['/healthz', '/livez', '/readyz']);

/** The whole of the server behind its sockets: access, then discovery and health, then resources. */
export function createApiHandler({ registry, resources, checkAccess, onError }: ApiHandlerOptions): ApiHandler {
  return async (request, response) => {
    try {
      const info = parseRequestInfo(request.method, request.target);
      if (info === undefined) return send(response, 400, 'text/plain; charset=utf-8', '400 Bad Request');
      checkAccess?.(request, info);
      if (!info.isResourceRequest) return answerPath(registry, info, request, response);
      const resource = registry.find(info.group, info.version, info.resource);
      if (resource !== undefined) return await resources.handle(info, resource, request, response);
      if (registry.hasVersion(info.group, info.version)) throw new StatusError(pathNotFound());
      notFoundPage(response);
    } catch (error) {
      if (error instanceof StatusError) return sendStatus(response, error.document as Status);
      onError(error);
      sendStatus(response, internal(error instanceof Error ? error.message : String(error)));
    }
  };
}

function answerPath(
  registry: Registry,
  info: NonResourceRequestInfo,
  request: ApiRequest,
  response: ApiResponse,
): void {
  if (HEALTH_PATHS.has(info.path)) {
    send(response, 200, 'text/plain; charset=utf-8', 'ok');
    return;
  }
  const document = registry.discovery.find(info.path, request.headers['accept']);
  if (document === undefined) {
    notFoundPage(response);
    return;
  }
  if (document === 'notAcceptable') throw new StatusError(notAcceptable(servedMediaTypes));
  if (info.verb !== 'get' && info.verb !== 'head') throw new StatusError(methodNotAllowed);
  send(response, 200, document.contentType, document.body);
}

function notFoundPage(response: ApiResponse): void {
  send(response, 404, 'text/plain; charset=utf-8', '404 page not found\n');
}
