// @ts-check
import { once } from 'node:events';
import { request } from 'node:http';
import { createServer } from 'node:https';
import { connect } from 'node:net';

/** @import { IncomingMessage } from 'node:http' */
/** @import { AddressInfo } from 'node:net' */
/** @import { StreamKubelet, StreamKubeletOptions } from './stream-kubelet.mjs' */

/**
 * A kubelet for streams alone: serves the paths that kube-apiserver asks a node for (exec, attach, port-forward, logs) by an
 * embedded server, whose functions answer them. See stream-kubelet.d.mts.
 *
 * @param {StreamKubeletOptions} options
 * @returns {Promise<StreamKubelet>}
 */
export async function startStreamKubelet({ startApiServer, authority, pods, kubelet }) {
  const objects = pods.map(({ name, containers }) => pod(name, containers));
  const api = await startApiServer({ kubelet, objects, onError: () => {} });
  const { key, certificate } = authority.issueServer(['127.0.0.1']);
  const inner = new URL(api.url);
  const server = createServer({ key, cert: certificate }, (asked, answer) => {
    const { method, headers } = asked;
    const options = { host: inner.hostname, port: inner.port, path: innerPath(asked), method };
    const passed = request({ ...options, headers: { ...headers, host: inner.host } }, (found) => {
      answer.writeHead(found.statusCode ?? 500, found.headers);
      found.pipe(answer);
    });
    passed.on('error', () => answer.destroy());
    answer.on('close', () => passed.destroy());
    asked.pipe(passed);
  });
  server.on('upgrade', (asked, socket, head) => {
    const through = connect(Number(inner.port), inner.hostname);
    for (const [one, other] of [
      [socket, through],
      [through, socket],
    ]) {
      one?.on('error', () => other?.destroy());
      one?.on('close', () => other?.destroy());
    }
    through.write(`${asked.method} ${innerPath(asked)} HTTP/1.1\r\n${headLines(asked, inner.host)}\r\n`, 'latin1');
    through.write(head);
    socket.pipe(through).pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {AddressInfo} */ (server.address());
  return {
    port,
    node: {
      metadata: { name: 'stream-node' },
      status: {
        addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
        daemonEndpoints: { kubeletEndpoint: { Port: port } },
      },
    },
    objects,
    async stop() {
      await api.stop();
      server.closeAllConnections();
      server.close();
    },
  };
}

/**
 * @param {string} name
 * @param {readonly string[]} containers
 */
function pod(name, containers) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', labels: { app: 'streams' } },
    spec: {
      nodeName: 'stream-node',
      terminationGracePeriodSeconds: 0,
      containers: containers.map((container) => ({ name: container, image: 'app:1' })),
    },
  };
}

/** The path of the embedded server for one of a kubelet: `/exec/default/web-0/app?output=1`. @param {IncomingMessage} asked */
function innerPath({ url = '' }) {
  const { pathname, searchParams } = new URL(url, 'https://kubelet');
  const [, kind = '', namespace, name, container] = pathname.split('/');
  const subresource = { exec: 'exec', attach: 'attach', portForward: 'portforward', containerLogs: 'log' }[kind];
  const renamed = { input: 'stdin', output: 'stdout', error: 'stderr', port: 'ports' };
  const query = new URLSearchParams();
  for (const [key, value] of searchParams)
    query.append(/** @type {Record<string, string>} */ (renamed)[key] ?? key, value);
  if (container !== undefined) query.set('container', container);
  return `/api/v1/namespaces/${namespace}/pods/${name}/${subresource}?${query}`;
}

/**
 * @param {IncomingMessage} asked
 * @param {string} host
 */
function headLines({ rawHeaders }, host) {
  let lines = `Host: ${host}\r\n`;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() !== 'host') lines += `${rawHeaders[at]}: ${rawHeaders[at + 1]}\r\n`;
  }
  return lines;
}
