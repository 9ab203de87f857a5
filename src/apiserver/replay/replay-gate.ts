import { methodNotAllowed, pathNotFound, type Status } from '../../meta/errors/status.js';
import type { Registry } from '../resources/registry.js';
import type { ApiHandler } from '../wire/exchange.js';
import { parseRequestInfo, type ResourceRequestInfo } from '../wire/request-info.js';
import { sendStatus } from '../wire/response-writer.js';
import type { Player } from './player.js';

const READ_VERBS: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

/**
 * The requests of a server that replays a recording: those that write are refused, and those for a resource that the recorder could
 * not read at this moment wait or fail. All others are answered by `handler`.
 */
export function withReplay(handler: ApiHandler, player: Player, registry: Registry, path: string): ApiHandler {
  return async (request, response) => {
    const info = parseRequestInfo(request.method, request.target);
    // Schemas are not recorded, and those of this release need not be those of the recorded server.
    if (info?.isResourceRequest === false && info.path.startsWith('/openapi/')) {
      return sendStatus(response, pathNotFound(), request.headers.accept);
    }
    if (info?.isResourceRequest !== true) return handler(request, response);
    if (!READ_VERBS.has(info.verb)) return sendStatus(response, readOnly(info, path), request.headers.accept);
    const resource = registry.find(info.group, info.version, info.resource);
    const refusal = resource && (await player.refusal(resource, request.signal));
    if (refusal !== undefined) return sendStatus(response, refusal, request.headers.accept);
    const closed = info.verb === 'watch' ? player.noteWatch() : undefined;
    try {
      return await handler(request, response);
    } finally {
      closed?.();
    }
  };
}

function readOnly({ verb, resource, group, name }: ResourceRequestInfo, path: string): Status {
  const message = `this server replays the recording ${path} and cannot be written: ${verb || 'this method'} of ${resource} is refused; get, list and watch are served`;
  const details = { ...(name === '' ? {} : { name }), ...(group === '' ? {} : { group }), kind: resource };
  return { ...methodNotAllowed(), message, details };
}
