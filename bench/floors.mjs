// Measures the two floors that every figure is compared with, over the network from the load server:
//
// - bytes only: the cost of receiving, and the proof that the load server is not the bottleneck;
// - split + JSON.parse + Map.set: the minimal work of an informer that parses every object.
//
//   node bench/floors.mjs [--pods 10000] [--events 100000]
import { get } from 'node:http';
import { parseArgs } from 'node:util';
import { isMain } from './load-server/is-main.mjs';
import { startLoadServer } from './load-server/start.mjs';

/** Sends a GET and passes its chunks to `onChunk`; resolves when the body ends, or when `onChunk` returns true. */
export function receive(url, path, onChunk) {
  return new Promise((resolve, reject) => {
    const request = get(`${url}${path}`, { agent: false, highWaterMark: 1_048_576 }, (response) => {
      response.on('data', (chunk) => {
        if (onChunk(chunk, response) !== true) return;
        resolve();
        request.destroy();
      });
      response.on('end', resolve);
      response.on('error', reject);
    });
    request.on('error', reject);
  });
}

/** Whether a chunk of a watch ends with a bookmark, which the load server sends last. */
const endsInBookmark = (chunk) => chunk.length < 2000 && chunk.includes('"BOOKMARK"');

/** Calls back with each line of a stream of chunks. */
export function lineSplitter(onLine) {
  let rest = '';
  return (chunk) => {
    const text = rest + chunk.toString('utf8');
    let from = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      onLine(text.slice(from, end));
      from = end + 1;
    }
    rest = text.slice(from);
  };
}

async function timed(work) {
  const started = performance.now();
  const cpu = process.cpuUsage();
  const count = await work();
  const { user, system } = process.cpuUsage(cpu);
  const ms = performance.now() - started;
  return { count, ms, perSecond: (count / ms) * 1000, cpuMicros: (user + system) / count };
}

/** Bytes only: how fast the same stream can be received. */
export const bytesOnly = (url, path, entries) =>
  timed(async () => {
    await receive(url, path, endsInBookmark);
    return entries;
  });

/** The parse floor of a watch. */
export const parsedWatch = (url, path) =>
  timed(async () => {
    const store = new Map();
    let events = 0;
    let done = false;
    const split = lineSplitter((line) => {
      const { type, object } = JSON.parse(line);
      if (type === 'BOOKMARK') done = true;
      else {
        events++;
        store.set(`${object.metadata.namespace}/${object.metadata.name}`, object);
      }
    });
    await receive(url, path, (chunk) => {
      split(chunk);
      return done;
    });
    return events;
  });

/** The parse floor of a list: the whole body at once. */
export const parsedList = (url, path) =>
  timed(async () => {
    const chunks = [];
    await receive(url, path, (chunk) => {
      chunks.push(chunk);
    });
    const { items } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    const store = new Map();
    for (const item of items) store.set(`${item.metadata.namespace}/${item.metadata.name}`, item);
    return store.size;
  });

if (isMain(import.meta)) {
  const { values } = parseArgs({
    options: { pods: { type: 'string', default: '10000' }, events: { type: 'string', default: '100000' } },
  });
  const pods = Number(values.pods);
  const events = Number(values.events);
  const server = await startLoadServer({ pods, events });
  const show = (name, { count, ms, perSecond, cpuMicros }) =>
    console.log(
      `${name.padEnd(24)} ${count} in ${ms.toFixed(0)} ms, ${(perSecond / 1000).toFixed(1)}k/s, ${cpuMicros.toFixed(1)} µs CPU each`,
    );
  for (let run = 0; run < 2; run++) {
    show('list, bytes only', await bytesOnly(server.url, '/api/v1/pods', pods));
    show('list, parsed', await parsedList(server.url, '/api/v1/pods'));
    show('watch, bytes only', await bytesOnly(server.url, '/api/v1/pods?watch=1', events));
    show('watch, parsed', await parsedWatch(server.url, '/api/v1/pods?watch=1'));
  }
  await server.stop();
}
