import type { IncomingMessage, ServerResponse } from 'node:http';
import { checkOptions } from '../meta/options/known-options.js';
import { type Health, type HealthReport, type Probe, reportText } from './health.js';
import type { MetricsRegistry } from './metrics/metrics-registry.js';
import { textContentType } from './metrics/text-format.js';

/** Options of {@link httpHandler}. */
interface HttpHandlerOptions {
  /** At `/metrics`. @default none */
  readonly metrics?: MetricsRegistry | undefined;
  /** At `/livez`, `/readyz` and `/healthz`. @default none */
  readonly health?: Health | undefined;
}

const probes: Readonly<Record<string, Probe>> = { livez: 'livez', readyz: 'readyz', healthz: 'livez' };
const plain = 'text/plain; charset=utf-8';

/**
 * A request handler for `node:http` that serves metrics and health checks. `GET /metrics` is Prometheus' text; `/livez`,
 * `/readyz` and `/healthz` (the same as `/livez`) answer as Kubernetes' components do: `ok`, or 500 with one line per check.
 * `?verbose` always shows the lines, `?exclude=name` skips a check, `?include=name` counts one that is advisory, and
 * `/readyz/name` runs only that one. Other paths are 404.
 *
 * @example
 * createServer(httpHandler({ metrics, health })).listen(8080);
 */
export function httpHandler(options: HttpHandlerOptions): (request: IncomingMessage, response: ServerResponse) => void {
  const { metrics, health } = checkOptions('httpHandler', options, { metrics: true, health: true });
  return (request, response) => {
    // Not parsed by URL, which throws for some request targets: an exception here would end the process.
    const [path = '', query = ''] = (request.url ?? '/').split('?', 2);
    const [word = '', ...rest] = path.slice(1).split('/');
    const probe = Object.hasOwn(probes, word) ? probes[word] : undefined;
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (word === 'metrics' && rest.length === 0 && metrics !== undefined) {
      if (isRead) answer(response, 200, textContentType, () => metrics.text());
      else refuse(response);
    } else if (probe !== undefined && health !== undefined) {
      if (isRead) void answerProbe(response, health, probe, rest.join('/'), new URLSearchParams(query));
      else refuse(response);
    } else answer(response, 404, plain, () => '404 page not found\n');
  };
}

async function answerProbe(
  response: ServerResponse,
  health: Health,
  probe: Probe,
  name: string,
  query: URLSearchParams,
): Promise<void> {
  const only = decoded(name);
  if (only !== '' && !health.names(probe).includes(only)) {
    answer(response, 404, plain, () => `there is no ${probe} check named ${only}\n`);
    return;
  }
  const report: HealthReport = await health.report(probe, {
    exclude: query.getAll('exclude'),
    include: query.getAll('include'),
    only: only === '' ? undefined : only,
  });
  const isBrief = report.ok && !query.has('verbose');
  answer(response, report.ok ? 200 : 500, plain, () => (isBrief ? 'ok' : reportText(report)));
}

/** Text that is not valid percent-encoding is returned as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function refuse(response: ServerResponse): void {
  response.setHeader('allow', 'GET, HEAD');
  answer(response, 405, plain, () => 'only GET and HEAD are allowed\n');
}

function answer(response: ServerResponse, status: number, type: string, text: () => string): void {
  let body: string;
  try {
    body = text();
  } catch (error) {
    status = 500;
    body = `${error instanceof Error ? error.message : String(error)}\n`;
  }
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  // Node omits the body of a response to HEAD.
  response.end(body);
}
