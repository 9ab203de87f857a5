import type { Duplex } from 'node:stream';
import { StatusError } from '../../meta/errors/errors.js';
import { acceptedProtocol, offerHeaders, webSocketKey } from '../../streams/web-socket-handshake.js';
import { RequestError } from '../http/request-errors.js';
import type { ResponseHeaders } from '../http/transport.js';
import type { Request } from './request.js';

/** The connection of a WebSocket, paused, and the protocol that the server chose. */
export interface OpenedWebSocket {
  readonly connection: Duplex;
  readonly protocol: string;
}

/**
 * Sends a request that asks for a WebSocket in one of the protocols, the preferred one first. It has the credentials, the TLS
 * settings and the proxy of all requests. Rejects with a StatusError, a RequestError or `signal.reason`.
 */
export async function openWebSocket(
  request: Request,
  protocols: readonly string[],
  signal: AbortSignal | undefined,
): Promise<OpenedWebSocket> {
  const key = webSocketKey();
  for (const [name, value] of Object.entries(offerHeaders(key, protocols))) request.header(name, value);
  const { headers, connection } = await upgrade(request, signal);
  const accepted = acceptedProtocol(headers, key, protocols);
  if ('protocol' in accepted) return { connection, protocol: accepted.protocol };
  connection.destroy();
  throw new RequestError(request.asked, new Error(`the answer is no WebSocket: ${accepted.problem}. ${ADVICE}`));
}

const ADVICE =
  'This client speaks WebSockets and no SPDY: Kubernetes serves them since 1.30, and a proxy in between has to pass on Upgrade: websocket';

function upgrade(
  request: Request,
  signal: AbortSignal | undefined,
): Promise<{ readonly headers: ResponseHeaders; readonly connection: Duplex }> {
  return new Promise((resolve, reject) => {
    const refused = (error: unknown): void => reject(isRefusedUpgrade(error) ? noWebSocket(request, error) : error);
    const call = request.send(
      'upgrade',
      {
        head(status) {
          const why = `the server answered ${status} instead of 101, and opened no WebSocket. ${ADVICE}`;
          reject(new RequestError(request.asked, new Error(why)));
          queueMicrotask(() => call.cancel());
          return { chunk: () => true };
        },
        end() {},
        fail: refused,
        upgraded: (headers, connection) => resolve({ headers, connection }),
      },
      { signal },
    );
  });
}

/** Whether a server refused the request because it is a WebSocket, as one does that speaks only SPDY. */
function isRefusedUpgrade(error: unknown): error is StatusError {
  return error instanceof StatusError && error.status === 400 && /\bupgrade\b/i.test(error.document.message ?? '');
}

function noWebSocket(request: Request, error: StatusError): RequestError {
  const said = error.document.message;
  return new RequestError(
    request.asked,
    new Error(`the server refused to open a WebSocket: ${said}. ${ADVICE}`, { cause: error }),
  );
}
