import { fieldForbidden, fieldInvalid, fieldNotSupported, fieldRequired } from '../../../../meta/errors/field-cause.js';
import { dns1123LabelErrors, pathSegmentErrors } from '../../../../meta/names.js';
import { quantityNanos } from '../../../../meta/quantity.js';
import type { HorizontalPodAutoscaler as OlderAutoscaler } from '../../../../resources/types/autoscaling-v1.js';
import type {
  CrossVersionObjectReference,
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerSpec,
  HPAScalingPolicy,
  HPAScalingRules,
  MetricSpec,
  MetricTarget,
} from '../../../../resources/types/autoscaling-v2.js';
import { type CauseSteps, each, invalids, oneOfIfSet } from '../../causes.js';
import { autoscalerConversion } from '../../conversions.js';
import { type Strategy, strategyFor } from '../../strategy.js';
import { fill } from '../fill.js';
import { containerResourceNameCauses } from '../pods/resource-rules.js';
import { countCauses } from './workload.js';

export const autoscalers: Partial<Strategy> = strategyFor<HorizontalPodAutoscaler>({
  defaults: fillAutoscaler,
  causes: autoscalerCauses,
});

/** The version that knows one metric only. Its rules are those of the version that is stored. */
export const olderAutoscalers: Partial<Strategy> = strategyFor<OlderAutoscaler>({
  defaults({ spec }) {
    if (spec !== undefined) fill(spec, { minReplicas: 1 });
  },
  causes(object, old, subresource) {
    const stored = (older: OlderAutoscaler): HorizontalPodAutoscaler =>
      autoscalerConversion.toStorage({ ...older }) as unknown as HorizontalPodAutoscaler;
    return autoscalerCauses(stored(object), old && stored(old), subresource);
  },
});

const DEFAULT_UTILIZATION = 80;

function fillAutoscaler({ spec }: HorizontalPodAutoscaler): void {
  if (spec === undefined) return;
  fill(spec, { minReplicas: 1 });
  if ((spec.metrics ?? []).length === 0) {
    const target = { type: 'Utilization', averageUtilization: DEFAULT_UTILIZATION };
    spec.metrics = [{ type: 'Resource', resource: { name: 'cpu', target } }];
  }
  if (spec.behavior === undefined) return;
  const percent = { type: 'Percent', value: 100, periodSeconds: 15 };
  const pods = { type: 'Pods', value: 4, periodSeconds: 15 };
  const { scaleUp, scaleDown } = spec.behavior;
  spec.behavior.scaleUp = { stabilizationWindowSeconds: 0, selectPolicy: 'Max', policies: [pods, percent], ...scaleUp };
  spec.behavior.scaleDown = { selectPolicy: 'Max', policies: [{ ...percent }], ...scaleDown };
}

function* autoscalerCauses(
  { spec, status }: HorizontalPodAutoscaler,
  _old: HorizontalPodAutoscaler | undefined,
  subresource: string,
): CauseSteps {
  if (subresource === 'status') {
    if (status !== undefined) yield* countCauses(status, ['currentReplicas', 'desiredReplicas']);
    return;
  }
  const { minReplicas, maxReplicas = 0, scaleTargetRef, metrics, behavior } = spec ?? NO_SPEC;
  if (minReplicas !== undefined && minReplicas < 1) {
    yield fieldInvalid('spec.minReplicas', minReplicas, 'must be greater than or equal to 1');
  }
  if (maxReplicas === 0) yield fieldRequired('spec.maxReplicas', 'must be set and greater than 0');
  else if (maxReplicas < 0) yield fieldInvalid('spec.maxReplicas', maxReplicas, 'must be greater than or equal to 1');
  if (minReplicas !== undefined && maxReplicas < minReplicas) {
    yield fieldInvalid('spec.maxReplicas', maxReplicas, 'must be greater than or equal to `minReplicas`');
  }
  const target = scaleTargetRef ?? NO_SPEC.scaleTargetRef;
  yield* targetCauses(target, target.kind === 'ReplicationController', 'spec.scaleTargetRef');
  yield* each(metrics, 'spec.metrics', metricCauses);
  if (minReplicas === 0 && !(metrics ?? []).some(({ type }) => type === 'Object' || type === 'External')) {
    const rule = 'must specify at least one Object or External metric to support scaling to zero replicas';
    yield fieldForbidden('spec.metrics', rule);
  }
  yield* scalingCauses(behavior?.scaleUp, 'spec.behavior.scaleUp');
  yield* scalingCauses(behavior?.scaleDown, 'spec.behavior.scaleDown');
}

const NO_SPEC: HorizontalPodAutoscalerSpec = { maxReplicas: 0, scaleTargetRef: { kind: '', name: '' } };

function* targetCauses(
  { kind, name, apiVersion = '' }: CrossVersionObjectReference,
  mayBeCore: boolean,
  path: string,
): CauseSteps {
  yield* segmentCauses(kind, `${path}.kind`);
  yield* segmentCauses(name, `${path}.name`);
  const parts = apiVersion.split('/');
  if (parts.length > 2) {
    yield fieldInvalid(`${path}.apiVersion`, apiVersion, `unexpected GroupVersion string: ${apiVersion}`);
  } else if (!mayBeCore && (parts.length < 2 || parts[0] === '')) {
    yield fieldInvalid(`${path}.apiVersion`, apiVersion, 'apiVersion must specify API group');
  }
}

function* segmentCauses(text: string, path: string, missing = ''): CauseSteps {
  if (!text) yield fieldRequired(path, missing);
  else yield* invalids(path, text, pathSegmentErrors(text));
}

const SOURCES = ['object', 'external', 'pods', 'resource', 'containerResource'] as const;
const TYPES: { readonly [type: string]: (typeof SOURCES)[number] } = {
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
};

function* metricCauses(metric: MetricSpec, path: string): CauseSteps {
  const { type } = metric;
  const expected = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
  if (!type) yield fieldRequired(`${path}.type`, 'must specify a metric source type');
  if (expected === undefined) yield fieldNotSupported(`${path}.type`, type, Object.keys(TYPES));
  const present = SOURCES.filter((source) => metric[source] !== undefined);
  if (present[0] !== undefined) yield* sourceCauses(metric, present[0], `${path}.${present[0]}`);
  if (expected === undefined) yield fieldNotSupported(`${path}.type`, type, Object.keys(TYPES));
  else if (metric[expected] === undefined) {
    yield fieldRequired(`${path}.${expected}`, 'must populate information for the given metric source');
  }
  if (present.length === 1) return;
  for (const source of present) {
    if (source !== expected) yield fieldForbidden(`${path}.${source}`, 'must populate the given metric source only');
  }
}

function* sourceCauses(metric: MetricSpec, type: (typeof SOURCES)[number], path: string): CauseSteps {
  const source = metric[type]!;
  const { target } = source;
  const place = `${path}.target`;
  if (metric.object !== undefined && type === 'object') {
    yield* targetCauses(metric.object.describedObject, true, `${path}.describedObject`);
  }
  if ('metric' in source) yield* segmentCauses(source.metric.name, `${path}.metric.name`, 'must specify a metric name');
  if ('name' in source) {
    if (!source.name) yield fieldRequired(`${path}.name`, 'must specify a resource name');
    else if ('container' in source) yield* containerResourceNameCauses(source.name, `${path}.name`);
  }
  if ('container' in source) {
    if (!source.container) yield fieldRequired(`${path}.container`, 'must specify a container');
    else yield* invalids(`${path}.container`, source.container, dns1123LabelErrors(source.container));
  }
  yield* metricTargetCauses(target, place);
  const { value, averageValue, averageUtilization } = target;
  switch (type) {
    case 'object':
      if (value === undefined && averageValue === undefined) {
        yield fieldRequired(`${place}.averageValue`, 'must set either a target value or averageValue');
      }
      break;
    case 'external':
      if (value === undefined && averageValue === undefined) {
        const rule = 'must set either a target value for metric or a per-pod target';
        yield fieldRequired(`${place}.averageValue`, rule);
      } else if (value !== undefined && averageValue !== undefined) {
        yield fieldForbidden(`${place}.value`, 'may not set both a target value for metric and a per-pod target');
      }
      break;
    case 'pods':
      if (averageValue === undefined) {
        yield fieldRequired(`${place}.averageValue`, 'must specify a positive target averageValue');
      }
      break;
    default:
      if (averageUtilization === undefined && averageValue === undefined) {
        const rule = 'must set either a target raw value or a target utilization';
        yield fieldRequired(`${place}.averageUtilization`, rule);
      } else if (averageUtilization !== undefined && averageValue !== undefined) {
        yield fieldForbidden(`${place}.averageValue`, 'may not set both a target raw value and a target utilization');
      }
  }
}

function* metricTargetCauses(target: MetricTarget, path: string): CauseSteps {
  const { type, averageUtilization } = target;
  if (!type) yield fieldRequired(`${path}.type`, 'must specify a metric target type');
  if (!['Utilization', 'Value', 'AverageValue'].includes(type)) {
    yield fieldInvalid(`${path}.type`, type, 'must be either Utilization, Value, or AverageValue');
  }
  for (const field of ['value', 'averageValue'] as const) {
    const amount = target[field];
    if (amount !== undefined && quantityNanos(amount) <= 0n) {
      yield fieldInvalid(`${path}.${field}`, amount, 'must be positive');
    }
  }
  if (averageUtilization !== undefined && averageUtilization < 1) {
    yield fieldInvalid(`${path}.averageUtilization`, averageUtilization, 'must be greater than 0');
  }
}

const MAX_WINDOW_SECONDS = 3600;
const MAX_PERIOD_SECONDS = 1800;

function* scalingCauses(rules: HPAScalingRules | undefined, path: string): CauseSteps {
  if (rules === undefined) return;
  const { stabilizationWindowSeconds: window, policies, tolerance } = rules;
  if (window !== undefined && window < 0) {
    yield fieldInvalid(`${path}.stabilizationWindowSeconds`, window, 'must be greater than or equal to zero');
  }
  if (window !== undefined && window > MAX_WINDOW_SECONDS) {
    const rule = `must be less than or equal to ${MAX_WINDOW_SECONDS}`;
    yield fieldInvalid(`${path}.stabilizationWindowSeconds`, window, rule);
  }
  yield* oneOfIfSet(rules.selectPolicy, ['Disabled', 'Max', 'Min'], `${path}.selectPolicy`);
  if ((policies ?? []).length === 0) yield fieldRequired(`${path}.policies`, 'must specify at least one Policy');
  yield* each(policies, `${path}.policies`, policyCauses);
  if (tolerance !== undefined && quantityNanos(tolerance) < 0n) {
    yield fieldInvalid(`${path}.tolerance`, tolerance, 'must be greater than or equal to 0');
  }
}

function* policyCauses({ type, value, periodSeconds }: HPAScalingPolicy, path: string): CauseSteps {
  if (type !== 'Pods' && type !== 'Percent') yield fieldNotSupported(`${path}.type`, type, ['Percent', 'Pods']);
  if (value <= 0) yield fieldInvalid(`${path}.value`, value, 'must be greater than zero');
  if (periodSeconds <= 0) yield fieldInvalid(`${path}.periodSeconds`, periodSeconds, 'must be greater than zero');
  if (periodSeconds > MAX_PERIOD_SECONDS) {
    yield fieldInvalid(`${path}.periodSeconds`, periodSeconds, `must be less than or equal to ${MAX_PERIOD_SECONDS}`);
  }
}
