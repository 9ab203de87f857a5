import { StatusError } from '../../meta/errors/errors.js';
import { badRequest, type Status, unsupportedMediaType } from '../../meta/errors/status.js';
import { finish } from '../../time/steps.js';
import { type BodyLimits, parseJson, readText } from '../request/body/request-body.js';
import type { ApiHandler, ApiRequest, ApiResponse } from '../wire/exchange.js';
import { bodyFormat } from '../wire/media-types.js';
import { queryFlag } from '../wire/request-info.js';
import { send, sendStatus } from '../wire/response-writer.js';
import { validFault } from './fault.js';
import type { Faults } from './faults.js';

/** What the admin endpoint can do to the server. */
export interface AdminActions {
  readonly faults: Faults;
  compact(): void;
  restart(keepHistory: boolean): void;
}

const PREFIX = '/kubeflect/';

/**
 * Adds an endpoint for tests that run in another process: `POST /kubeflect/faults` with one fault or a list of them,
 * `DELETE /kubeflect/faults`, `POST /kubeflect/compact`, `POST /kubeflect/restart[?keepHistory]` and
 * `POST /kubeflect/drop-connections`. It needs no credentials, and no fault applies to it. Each request needs
 * `Content-Type: application/json`, with or without a body: a browser sends that to another site only after a CORS preflight.
 */
export function withAdmin(handler: ApiHandler, actions: AdminActions, limits: BodyLimits): ApiHandler {
  return async (request, response) => {
    if (!request.target.startsWith(PREFIX)) return handler(request, response);
    try {
      answer(request, response, actions, limits);
    } catch (error) {
      if (error instanceof TypeError) return sendStatus(response, badRequest(error.message));
      if (error instanceof StatusError) return sendStatus(response, error.document as Status);
      throw error;
    }
  };
}

function answer(request: ApiRequest, response: ApiResponse, actions: AdminActions, limits: BodyLimits): void {
  const url = new URL(request.target, 'http://admin');
  const contentType = request.headers['content-type'] ?? '';
  if (contentType === '' || bodyFormat(contentType) !== 'json') {
    throw new StatusError(unsupportedMediaType(['application/json']));
  }
  const done = (): void => send(response, 200, 'application/json', '{}\n');
  const what = `${request.method} ${url.pathname.slice(PREFIX.length)}`;
  if (what === 'POST faults') {
    // Validate all before injecting the first: a 400 means that none was added.
    for (const fault of [readJson(request, limits)].flat().map(validFault)) actions.faults.inject(fault);
    done();
  } else if (what === 'DELETE faults') {
    actions.faults.clear();
    done();
  } else if (what === 'POST compact') {
    actions.compact();
    done();
  } else if (what === 'POST restart') {
    done();
    actions.restart(queryFlag(url.searchParams, 'keepHistory'));
  } else if (what === 'POST drop-connections') {
    done();
    actions.faults.dropConnections();
  } else send(response, 404, 'text/plain; charset=utf-8', '404 page not found\n');
}

function readJson(request: ApiRequest, limits: BodyLimits): unknown {
  try {
    return finish(parseJson(readText(request, limits), limits));
  } catch (error) {
    if (error instanceof StatusError) throw error;
    throw new StatusError(badRequest((error as Error).message));
  }
}
