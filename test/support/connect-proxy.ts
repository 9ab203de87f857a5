import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { onTestFinished } from 'vitest';

/** A CONNECT request that the proxy received. */
export interface TunnelRequest {
  /** Host and port. */
  readonly target: string;
  readonly authorization: string | undefined;
}

/** A proxy that connects every request to one port of this machine, whatever its host. */
export interface ConnectProxy {
  /** `127.0.0.1:port` */
  readonly host: string;
  readonly asked: readonly TunnelRequest[];
}

/** Starts a {@link ConnectProxy} that is closed when the test ends. */
export async function startConnectProxy(port: number): Promise<ConnectProxy> {
  const asked: TunnelRequest[] = [];
  const proxy = createServer().on('connect', ({ url, headers }, socket) => {
    asked.push({ target: String(url), authorization: headers['proxy-authorization'] });
    const through = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      through.pipe(socket).pipe(through);
    });
    for (const end of [socket, through]) end.on('error', () => {});
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => void proxy.close());
  return { host: `127.0.0.1:${(proxy.address() as AddressInfo).port}`, asked };
}
