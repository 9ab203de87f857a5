import { fieldForbidden, fieldInvalid, fieldNotSupported, fieldRequired } from '../../../../meta/errors/field-cause.js';
import { headerNameErrors } from '../../../../meta/names.js';
import type { HTTPGetAction, Lifecycle, LifecycleHandler, Probe } from '../../../../resources/types/core-v1.js';
import { type CauseSteps, invalids, nonNegative } from '../../causes.js';
import { portCauses } from '../network/port.js';

/* What the kubelet runs in or asks of a container: probes and lifecycle hooks. */

function* httpGetCauses({ path: target, port, scheme, httpHeaders }: HTTPGetAction, path: string): CauseSteps {
  if (!target) yield fieldRequired(`${path}.path`);
  yield* portCauses(port, `${path}.port`);
  if (scheme !== 'HTTP' && scheme !== 'HTTPS') {
    yield fieldNotSupported(`${path}.scheme`, scheme ?? '', ['HTTP', 'HTTPS']);
  }
  for (const { name } of httpHeaders ?? []) yield* invalids(`${path}.httpHeaders`, name, headerNameErrors(name));
}

type Handler = Pick<Probe, 'grpc'> & LifecycleHandler;

/** Causes for what a probe or hook does: exactly one of its handlers must be set. */
function* handlerCauses(handler: Handler, gracePeriod: number | undefined, path: string): CauseSteps {
  const checks: readonly (readonly [keyof Handler, (place: string) => CauseSteps])[] = [
    [
      'exec',
      function* (place) {
        if ((handler.exec?.command ?? []).length === 0) yield fieldRequired(`${place}.command`);
      },
    ],
    ['httpGet', (place) => httpGetCauses(handler.httpGet!, place)],
    ['tcpSocket', (place) => portCauses(handler.tcpSocket!.port, `${place}.port`)],
    ['grpc', (place) => portCauses(handler.grpc!.port, `${place}.port`)],
    [
      'sleep',
      function* (place) {
        const seconds = handler.sleep!.seconds;
        if (gracePeriod === undefined || (seconds >= 0 && seconds <= gracePeriod)) return;
        const rule = `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriod})`;
        yield fieldInvalid(place, seconds, rule);
      },
    ],
  ];
  let found = 0;
  for (const [type, causes] of checks) {
    if (handler[type] === undefined) continue;
    if (found++ > 0) yield fieldForbidden(`${path}.${type}`, 'may not specify more than 1 handler type');
    else yield* causes(`${path}.${type}`);
  }
  if (found === 0) yield fieldRequired(path, 'must specify a handler type');
}

/** Causes for the probe of one of the three kinds. */
export function* probeCauses(
  kind: 'livenessProbe' | 'readinessProbe' | 'startupProbe',
  probe: Probe | undefined,
  gracePeriod: number | undefined,
  container: string,
): CauseSteps {
  if (probe === undefined) return;
  const path = `${container}.${kind}`;
  yield* handlerCauses(probe, gracePeriod, path);
  for (const field of [
    'initialDelaySeconds',
    'timeoutSeconds',
    'periodSeconds',
    'successThreshold',
    'failureThreshold',
  ] as const) {
    yield* nonNegative(probe[field], `${path}.${field}`);
  }
  const grace = probe.terminationGracePeriodSeconds;
  if (grace !== undefined && grace <= 0) {
    yield fieldInvalid(`${path}.terminationGracePeriodSeconds`, grace, 'must be greater than 0');
  }
  if (kind === 'readinessProbe') {
    if (grace !== undefined) {
      yield fieldInvalid(`${path}.terminationGracePeriodSeconds`, grace, 'must not be set for readinessProbes');
    }
  } else if (probe.successThreshold !== 1) {
    yield fieldInvalid(`${path}.successThreshold`, probe.successThreshold, 'must be 1');
  }
}

/** Causes for the hooks of a container. */
export function* lifecycleCauses(
  lifecycle: Lifecycle | undefined,
  gracePeriod: number | undefined,
  path: string,
): CauseSteps {
  if (lifecycle?.postStart !== undefined) yield* handlerCauses(lifecycle.postStart, gracePeriod, `${path}.postStart`);
  if (lifecycle?.preStop !== undefined) yield* handlerCauses(lifecycle.preStop, gracePeriod, `${path}.preStop`);
}
