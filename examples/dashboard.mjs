// The back end of a dashboard: GET /pods, /deployments.apps or any other resource answers with server-sent events.
// The requests of one resource share an informer, which starts with the first and stops 30 s after the last.
//   node examples/dashboard.mjs        then: curl -N http://localhost:8080/pods
import { once } from 'node:events';
import { createServer } from 'node:http';
import { isNotFound, SharedInformerFactory, terminationSignal } from 'kubeflect';
import { connect } from './cluster.mjs';

const signal = terminationSignal();
const { client, stop } = await connect(signal);
const factory = new SharedInformerFactory(client, { signal });

async function send(response, event, data, signal) {
  if (!response.write(`event: ${event}\ndata: ${data}\n\n`)) await once(response, 'drain', { signal });
}

const server = createServer(async (request, response) => {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const { signal } = gone;
  let lease;
  let status;
  try {
    const resource = await client.resolve(request.url.slice(1), { signal }); // 'po', 'widgets.example.com', …
    lease = factory.acquire(resource, { lingerMs: 30_000 });
    const { informer } = lease;
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    status = informer.onStatus(({ state }) => response.write(`event: status\ndata: ${state}\n\n`));
    // With `coalesce` a slow reader gets the latest state of each object instead of every state, so that memory is bounded.
    for await (const event of informer.events({ signal, coalesce: true })) {
      if (event.type === 'synced') await send(response, 'synced', event.resourceVersion, signal);
      else if (event.type === 'delete') await send(response, 'delete', event.key, signal);
      else await send(response, event.type, event.json(), signal);
    }
  } catch (error) {
    if (!signal.aborted && !response.headersSent) response.writeHead(isNotFound(error) ? 404 : 500);
  } finally {
    status?.[Symbol.dispose]();
    lease?.release();
    response.end();
  }
});
server.listen(Number(process.env.PORT ?? 8080), () => console.log(`http://localhost:${server.address().port}/pods`));

await once(signal, 'abort');
server.close();
server.closeAllConnections();
await factory.stop();
await stop();
