// The load server: answers as a kube-apiserver for pods, with as little work as possible, in its own process:
//
//   node bench/load-server/server.mjs --pods 10000 --events 200000 --rate 0
//
// It prints its address when it is ready. A watch gets `--events` MODIFIED events at `--rate` per second (0: as fast as the
// client reads), then a bookmark, and stays open. `GET /bench/events?count=1000&rate=0` sends further events to
// all open watches, `GET /bench/sent` returns the time of each event with a rate by resourceVersion, `GET /bench/expire` ends
// the watches with 410, so that their clients relist. The same objects are served as the custom resource
// `widgets.bench.example.com`.
import { createServer } from 'node:net';
import { parseArgs } from 'node:util';
import { expiredEnd, finalBookmark, initialEvents, listBody, modifiedEvents, Pods, pacedEvent } from './responses.mjs';

const { values } = parseArgs({
  options: {
    pods: { type: 'string', default: '10000' },
    events: { type: 'string', default: '0' },
    rate: { type: 'string', default: '0' },
  },
});
const pods = new Pods(Number(values.pods));
const collections = new Map([
  ['/api/v1/pods', pods],
  ['/apis/bench.example.com/v1/widgets', pods.as({ kind: 'Widget', apiVersion: 'bench.example.com/v1' })],
]);
const eventCount = Number(values.events);
const rate = Number(values.rate);
/** The open watches: their resource, and a function to end them. */
const watches = new Map();
/** The times when events with a rate were sent, in milliseconds since 1970, by resourceVersion. */
let sentAt = {};
/** The resourceVersion continues from one round of events to the next. */
let nextVersion = pods.lastVersion + 1;

const chunkedHead = Buffer.from(
  'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nCache-Control: no-cache, private\r\nTransfer-Encoding: chunked\r\n\r\n',
);

function answer(socket, status, body) {
  const bytes = Buffer.from(JSON.stringify(body));
  socket.write(`HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${bytes.length}\r\n\r\n`);
  socket.write(bytes);
}

/** Writes batch after batch, as fast as the client reads. */
function pour(socket, batches, then) {
  const more = () => {
    for (;;) {
      if (socket.destroyed) return;
      const { done, value } = batches.next();
      if (done) {
        then();
        return;
      }
      if (!socket.write(value)) {
        socket.once('drain', more);
        return;
      }
    }
  };
  more();
}

/** Writes events at a rate, one by one; after a late timer those that are due are written at once. */
function pace(socket, collection, count, perSecond, firstEventVersion) {
  const started = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    const due = Math.min(count, Math.floor(((performance.now() - started) / 1000) * perSecond));
    for (; sent < due && !socket.destroyed; sent++) {
      sentAt[firstEventVersion + sent] = performance.timeOrigin + performance.now();
      socket.write(pacedEvent(collection, sent, firstEventVersion + sent));
    }
    if (sent < count && !socket.destroyed) return;
    clearInterval(timer);
    if (!socket.destroyed) socket.write(finalBookmark(firstEventVersion + sent));
  }, 1);
}

function sendEvents(socket, collection, count, perSecond, firstEventVersion) {
  if (count === 0) return;
  if (perSecond > 0) pace(socket, collection, count, perSecond, firstEventVersion);
  else pour(socket, modifiedEvents(collection, count, firstEventVersion), () => {});
}

function watch(socket, collection, query, next) {
  socket.write(chunkedHead);
  const open = () => {
    watches.set(socket, { collection, next });
    sendEvents(socket, collection, eventCount, rate, pods.lastVersion + 1);
  };
  if (query.get('sendInitialEvents') === 'true') pour(socket, initialEvents(collection), open);
  else open();
}

function command(pathname, query) {
  if (pathname === '/bench/sent') return sentAt;
  if (pathname === '/bench/events') {
    const count = Number(query.get('count'));
    sentAt = {};
    for (const [socket, { collection }] of watches)
      sendEvents(socket, collection, count, Number(query.get('rate') ?? 0), nextVersion);
    nextVersion += count + 1;
  } else {
    for (const [socket, { next }] of watches) {
      socket.write(expiredEnd());
      watches.delete(socket);
      next();
    }
  }
  return {};
}

function respond(socket, target, next) {
  const { pathname, searchParams } = new URL(target, 'http://localhost');
  const collection = collections.get(pathname);
  if (pathname === '/version') {
    answer(socket, '200 OK', { major: '1', minor: '36', gitVersion: 'v1.36.0' });
    next();
  } else if (pathname.startsWith('/bench/')) {
    answer(socket, '200 OK', command(pathname, searchParams));
    next();
  } else if (collection === undefined) {
    answer(socket, '404 Not Found', {
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      reason: 'NotFound',
      code: 404,
    });
    next();
  } else if (['1', 'true'].includes(searchParams.get('watch'))) {
    watch(socket, collection, searchParams, next);
  } else {
    socket.write(chunkedHead);
    const from = Number(searchParams.get('continue') ?? 0);
    pour(socket, listBody(collection, Number(searchParams.get('limit') ?? 0), from), next);
  }
}

const server = createServer({ noDelay: true }, (socket) => {
  let head = '';
  let busy = false;
  const serve = () => {
    const end = head.indexOf('\r\n\r\n');
    if (busy || end < 0) return;
    busy = true;
    const target = head.slice(0, end).split(' ')[1] ?? '/';
    head = head.slice(end + 4);
    respond(socket, target, () => {
      busy = false;
      serve();
    });
  };
  socket.on('data', (bytes) => {
    head += bytes.toString('latin1');
    serve();
  });
  socket.on('error', () => socket.destroy());
  socket.on('close', () => watches.delete(socket));
});

server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}`);
});
// The parent holds the other end of the standard input; this process ends when it is closed.
process.stdin.on('close', () => process.exit(0)).resume();
