import { Client } from '../client/client.js';
import { GuardedTransport, type RequestGuard } from './guarded-transport.js';

/** A client that asks the guard right before each request is sent. It shares the connections of the given client; its `close` does nothing. */
export function guardedClient(client: Client, guard: RequestGuard): Client {
  const rest = client.rest.through((transport) => new GuardedTransport(transport, guard));
  return new Client({ rest, namespace: client.namespace });
}
