// What lists and watches cost a real kube-apiserver: CPU time of its process, from /proc, and bytes on the wire. The requests
// are made with `node:http2`, one connection each, as informers of different processes make them.
import { readFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';

const ticksPerSecond = 100;
const watchList = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
const accepts = {
  protobuf: { list: 'application/vnd.kubernetes.protobuf', watch: 'application/vnd.kubernetes.protobuf;stream=watch' },
  JSON: { list: 'application/json', watch: 'application/json' },
};

/** CPU seconds of a process since its start. */
export function cpuSeconds(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [, , , , , , , , , , , user, system] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(user) + Number(system)) / ticksPerSecond;
}

/** Sends a GET over a connection of its own; `onChunk` returns whether it is over. */
function receive(server, path, accept, onChunk) {
  const session = connect(server.url, { ca: server.ca, settings: { initialWindowSize: 16_777_216 } });
  session.once('connect', () => session.setLocalWindowSize(16_777_216));
  const done = new Promise((resolve, reject) => {
    session.on('error', reject);
    const stream = session.request({ ':path': path, accept, authorization: `Bearer ${server.token}` });
    stream.on('error', reject);
    stream.on('data', (chunk) => onChunk(chunk) && resolve());
    stream.on('end', resolve);
  });
  return { done, close: () => session.destroy() };
}

/** A list, or the initial events of a watch: CPU seconds of the server and bytes, per 10,000 objects. */
export async function costOfReading(server, how, wire, path, count) {
  const before = cpuSeconds(server.pid);
  let bytes = 0;
  let tail = Buffer.alloc(0);
  const isOver = (chunk) => {
    bytes += chunk.length;
    if (how === 'list') return false;
    const text = Buffer.concat([tail, chunk.subarray(-4096)]);
    tail = text.subarray(-4096);
    return text.includes('k8s.io/initial-events-end');
  };
  const query = how === 'list' ? 'resourceVersion=0' : watchList;
  const reading = receive(server, `${path}?${query}`, accepts[wire][how === 'list' ? 'list' : 'watch'], isOver);
  await reading.done;
  reading.close();
  await sleep(200);
  const scale = 10_000 / count;
  return { cpuSeconds: (cpuSeconds(server.pid) - before) * scale, megabytes: (bytes / 1e6) * scale };
}

/** Changes while so many watches are open: CPU milliseconds of the server for 1,000 changes, and bytes per event. */
export async function costOfChanges(server, watches, wire, path, resourceVersion, changes, cause) {
  let bytes = 0;
  const open = Array.from({ length: watches }, () =>
    receive(server, `${path}?watch=1&resourceVersion=${resourceVersion}`, accepts[wire].watch, (chunk) => {
      bytes += chunk.length;
      return false;
    }),
  );
  for (const { done } of open) done.catch(() => {});
  await sleep(1000 + watches * 20);
  bytes = 0;
  const before = cpuSeconds(server.pid);
  await cause();
  await sleep(500);
  const used = cpuSeconds(server.pid) - before;
  for (const { close } of open) close();
  await sleep(300);
  const perThousand = 1000 / changes;
  return { cpuMs: used * 1000 * perThousand, bytesPerEvent: watches === 0 ? 0 : bytes / watches / changes };
}
