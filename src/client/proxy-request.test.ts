import { expect, it } from 'vitest';
import { startApiServer } from '../apiserver/server.js';
import { FakeClock } from '../time/fake-clock.js';
import { Client } from './client.js';
import type { ProxyTarget } from './proxy-request.js';

const client = new Client({ server: 'https://127.0.0.1:1/base' });

it.each<[ProxyTarget, string]>([
  [{ service: 'web', namespace: 'a' }, 'namespaces/a/services/web/proxy/'],
  [{ service: 'web', namespace: 'a', port: 'http', path: 'x/y' }, 'namespaces/a/services/web:http/proxy/x/y'],
  [{ service: 'web', namespace: 'a', scheme: 'https', path: '/x/' }, 'namespaces/a/services/https:web:/proxy/x/'],
  [{ pod: 'web-0', namespace: 'a', port: 8080, path: '/ä b' }, 'namespaces/a/pods/web-0:8080/proxy/%C3%A4%20b'],
  [{ node: 'n1', path: '/metrics' }, 'nodes/n1/proxy/metrics'],
])('the path of %j', (target, path) => {
  expect(client.proxy(target).target).toBe(`/base/api/v1/${path}`);
});

it.each<[object, string]>([
  [{}, 'target must be one service, pod or node'],
  [{ pod: 'a', service: 'b', namespace: 'c' }, 'target must be one service, pod or node'],
  [{ pod: 'a/b', namespace: 'c' }, 'pod may not contain'],
  [{ pod: 'a' }, 'namespace must be a string'],
  [{ node: 'a', namespace: 'c' }, 'namespace must be left out for a node'],
  [{ node: 'a', path: '/x?y=1' }, 'path must be a path; add parameters with param()'],
  [{ node: 'a', path: '/x/../y' }, 'path must be a path without the segments . and ..'],
  [{ node: 'a', port: 'a:b' }, 'port must be a number or a name'],
  [{ node: 'a', scheme: 'ftp' }, 'scheme'],
])('refuses %j', (target, message) => {
  expect(() => client.proxy(target as ProxyTarget)).toThrow(message);
});

it('sends the request by way of the server, with its method, parameters and body', async () => {
  const asked: string[] = [];
  const api = await startApiServer({
    clock: new FakeClock(),
    listen: false,
    kubelet: {
      async proxy({ request }) {
        asked.push(`${request.method} ${new URL(request.url).pathname}${new URL(request.url).search}`);
        return new Response(`got ${await request.text()}`, { status: 200 });
      },
    },
  });
  const own = api.client();
  await own.core.v1.pods('default').create({
    metadata: { name: 'web' },
    spec: { nodeName: 'n1', containers: [{ name: 'app', image: 'app:1' }] },
  });
  const request = own.proxy({ pod: 'web', namespace: 'default', path: '/echo' }, 'POST').param('a', 'b c');
  const { status, body } = await request.body(new TextEncoder().encode('text')).doRaw();
  expect([status, Buffer.from(body).toString()]).toEqual([200, 'got text']);
  expect(asked).toEqual(['POST /echo?a=b+c']);
  const document = await own.apis.openapi({ group: 'apps', version: 'v1' });
  expect(document.components?.schemas).toHaveProperty(['io.k8s.api.apps.v1.Deployment']);
  await own.close();
  await api.stop();
});
