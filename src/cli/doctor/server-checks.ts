import type { Client } from '../../client/client.js';
import { apiVersionOf } from '../../meta/resource.js';
import { type Finding, failure, type Patient, REQUEST_MS } from './finding.js';

/** Below this version of Kubernetes, commands in pods and port-forwards cannot use WebSockets. */
const OLDEST_MINOR = 30;
/** How often the latency is measured. */
const PINGS = 5;
const SLOW_MS = 500;
/** The Date header has whole seconds. */
const SKEW_WARNING_MS = 2000;
const SKEW_FAILURE_MS = 60_000;

/** Whether the server answers; if not, no other check of it makes sense. */
export async function checkReachable({ client, signal }: Patient): Promise<Finding> {
  try {
    const request = client.rest.get().absPath('/version').timeout(REQUEST_MS).maxRetries(0);
    const { gitVersion, major, minor } = await request.do<{ gitVersion: string; major: string; minor: string }>({
      signal,
    });
    const isOld = Number.parseInt(major, 10) === 1 && Number.parseInt(minor, 10) < OLDEST_MINOR;
    return {
      level: isOld ? 'warn' : 'ok',
      check: 'server',
      message: `it answers, and is Kubernetes ${gitVersion}`,
      fix: isOld ? `Streams to pods need 1.${OLDEST_MINOR} or newer.` : undefined,
    };
  } catch (error) {
    signal.throwIfAborted();
    return failure('server', error);
  }
}

/** Health, identity, clock, latency and API groups of a server that answers. */
export async function* checkServer(patient: Patient): AsyncGenerator<Finding, void> {
  yield await checkHealth(patient);
  yield await checkIdentity(patient);
  yield* checkClock(patient);
  yield* checkDiscovery(patient);
}

async function checkHealth({ client, signal }: Patient): Promise<Finding> {
  try {
    await client.rest
      .get()
      .absPath('/readyz')
      .param('verbose', true)
      .timeout(REQUEST_MS)
      .maxRetries(0)
      .doRaw({ signal });
    return { level: 'ok', check: 'health', message: 'all checks of /readyz pass' };
  } catch (error) {
    signal.throwIfAborted();
    return { ...failure('health', error, 'warn'), fix: "'kubectl get --raw /readyz?verbose' shows which checks fail." };
  }
}

async function checkIdentity({ client, signal }: Patient): Promise<Finding> {
  try {
    const { status } = await client.authentication.v1.selfSubjectReviews().create({ metadata: {} }, { signal });
    const { username = '', groups = [] } = status?.userInfo ?? {};
    const isAnonymous = username === 'system:anonymous';
    return {
      level: isAnonymous ? 'warn' : 'ok',
      check: 'identity',
      message: `you are ${username}${groups.length === 0 ? '' : ` (groups: ${groups.join(', ')})`}`,
      fix: isAnonymous ? 'Your requests have no credentials: log in, or choose another --context.' : undefined,
    };
  } catch (error) {
    signal.throwIfAborted();
    return failure('identity', error, 'warn');
  }
}

async function* checkClock(patient: Patient): AsyncGenerator<Finding, void> {
  const { signal } = patient;
  const pings: Ping[] = [];
  try {
    for (let count = 0; count < PINGS; count++) pings.push(await ping(patient));
  } catch (error) {
    signal.throwIfAborted();
    yield failure('latency', error, 'warn');
    return;
  }
  const times = pings.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  const median = times[Math.floor(times.length / 2)] as number;
  const isSlow = median > SLOW_MS;
  yield {
    level: isSlow ? 'warn' : 'ok',
    check: 'latency',
    message: `a request takes ${shownMs(median)} (median of ${PINGS}, at most ${shownMs(times.at(-1) as number)})`,
    fix: isSlow ? 'Look at the network, the proxies on the way and the load of the server.' : undefined,
  };
  // The smallest of several differences has the least delay in it.
  const skews = pings.map(({ skewMs }) => skewMs).filter((one) => one !== undefined);
  const skew = skews.sort((a, b) => Math.abs(a) - Math.abs(b))[0];
  if (skew !== undefined) yield skewFinding(skew);
}

function skewFinding(skewMs: number): Finding {
  const check = 'clock';
  const size = Math.abs(skewMs);
  if (size <= SKEW_WARNING_MS) return { level: 'ok', check, message: 'it agrees with that of the server' };
  return {
    level: size > SKEW_FAILURE_MS ? 'fail' : 'warn',
    check,
    message: `this machine is ${Math.floor(size / 1000)} s ${skewMs > 0 ? 'behind' : 'ahead of'} the server`,
    fix: 'Synchronize the clocks (NTP): certificates, tokens, leases and ages are judged by them.',
  };
}

interface Ping {
  readonly tookMs: number;
  /** How far the clock of the server is ahead; undefined if it does not tell its time. */
  readonly skewMs: number | undefined;
}

async function ping({ client, signal }: Patient): Promise<Ping> {
  const { clock } = client;
  const [start, sentAt] = [clock.monotonicNow(), clock.now()];
  const { headers } = await client.rest.get().absPath('/version').timeout(REQUEST_MS).doRaw({ signal });
  const tookMs = clock.monotonicNow() - start;
  const told = Date.parse(headers['date'] ?? '');
  // Half a second is the mean of what the header cuts off.
  const skewMs = Number.isNaN(told) ? undefined : told + 500 - (sentAt + tookMs / 2);
  return { tookMs, skewMs };
}

function shownMs(ms: number): string {
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
}

async function* checkDiscovery({ client, signal }: Patient): AsyncGenerator<Finding, void> {
  try {
    const [resources, failures] = [await client.apis.resources({ signal }), await client.apis.failures({ signal })];
    yield {
      level: 'ok',
      check: 'discovery',
      message: `${resources.length} resources in ${await groupCount(client, signal)} groups`,
    };
    for (const of of failures) {
      yield {
        level: 'warn',
        check: 'discovery',
        message: `${apiVersionOf(of)} cannot be read: ${of.error.message}`,
        fix: `Its API server is down or misconfigured: 'kubectl get apiservices' shows why. Delete the APIService if it is not needed.`,
      };
    }
  } catch (error) {
    signal.throwIfAborted();
    yield failure('discovery', error);
  }
}

async function groupCount(client: Client, signal: AbortSignal): Promise<number> {
  return (await client.apis.groups({ signal })).length;
}
