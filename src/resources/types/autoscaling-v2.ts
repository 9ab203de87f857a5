// Generated from Kubernetes v1.36.3 by `npm run generate`; do not edit.
// Types of autoscaling-v2.
import type { LabelSelector, ListMeta, StoredObjectMeta } from '../../meta/objects.js';
import type { Quantity } from './meta-v1.js';

/** Part of `autoscaling/v2`. */
export interface ContainerResourceMetricSource {
  container: string;
  name: string;
  target: MetricTarget;
}

/** Part of `autoscaling/v2`. */
export interface ContainerResourceMetricStatus {
  container: string;
  current: MetricValueStatus;
  name: string;
}

/** Part of `autoscaling/v2`. */
export interface CrossVersionObjectReference {
  apiVersion?: string | undefined;
  kind: string;
  name: string;
}

/** Part of `autoscaling/v2`. */
export interface ExternalMetricSource {
  metric: MetricIdentifier;
  target: MetricTarget;
}

/** Part of `autoscaling/v2`. */
export interface ExternalMetricStatus {
  current: MetricValueStatus;
  metric: MetricIdentifier;
}

/** Part of `autoscaling/v2`. */
export interface HPAScalingPolicy {
  periodSeconds: number;
  type: string;
  value: number;
}

/** Part of `autoscaling/v2`. */
export interface HPAScalingRules {
  policies?: HPAScalingPolicy[] | undefined;
  selectPolicy?: string | undefined;
  stabilizationWindowSeconds?: number | undefined;
  tolerance?: Quantity | undefined;
}

/** `horizontalpodautoscalers`, `hpa` of `autoscaling/v2`, namespaced. */
export interface HorizontalPodAutoscaler {
  apiVersion: 'autoscaling/v2';
  kind: 'HorizontalPodAutoscaler';
  metadata: StoredObjectMeta;
  spec: HorizontalPodAutoscalerSpec;
  status?: HorizontalPodAutoscalerStatus | undefined;
}

/** Part of `autoscaling/v2`. */
export interface HorizontalPodAutoscalerBehavior {
  scaleDown?: HPAScalingRules | undefined;
  scaleUp?: HPAScalingRules | undefined;
}

/** Part of `autoscaling/v2`. */
export interface HorizontalPodAutoscalerCondition {
  lastTransitionTime?: string | undefined;
  message?: string | undefined;
  reason?: string | undefined;
  status: string;
  type: string;
}

/** A list of {@link HorizontalPodAutoscaler}. */
export interface HorizontalPodAutoscalerList {
  apiVersion: 'autoscaling/v2';
  kind: 'HorizontalPodAutoscalerList';
  items: HorizontalPodAutoscaler[];
  metadata: ListMeta;
}

/** Part of `autoscaling/v2`. */
export interface HorizontalPodAutoscalerSpec {
  behavior?: HorizontalPodAutoscalerBehavior | undefined;
  maxReplicas: number;
  metrics?: MetricSpec[] | undefined;
  minReplicas?: number | undefined;
  scaleTargetRef: CrossVersionObjectReference;
}

/** Part of `autoscaling/v2`. */
export interface HorizontalPodAutoscalerStatus {
  conditions?: HorizontalPodAutoscalerCondition[] | undefined;
  currentMetrics?: MetricStatus[] | undefined;
  currentReplicas?: number | undefined;
  desiredReplicas: number;
  lastScaleTime?: string | undefined;
  observedGeneration?: number | undefined;
}

/** Part of `autoscaling/v2`. */
export interface MetricIdentifier {
  name: string;
  selector?: LabelSelector | undefined;
}

/** Part of `autoscaling/v2`. */
export interface MetricSpec {
  containerResource?: ContainerResourceMetricSource | undefined;
  external?: ExternalMetricSource | undefined;
  object?: ObjectMetricSource | undefined;
  pods?: PodsMetricSource | undefined;
  resource?: ResourceMetricSource | undefined;
  type: string;
}

/** Part of `autoscaling/v2`. */
export interface MetricStatus {
  containerResource?: ContainerResourceMetricStatus | undefined;
  external?: ExternalMetricStatus | undefined;
  object?: ObjectMetricStatus | undefined;
  pods?: PodsMetricStatus | undefined;
  resource?: ResourceMetricStatus | undefined;
  type: string;
}

/** Part of `autoscaling/v2`. */
export interface MetricTarget {
  averageUtilization?: number | undefined;
  averageValue?: Quantity | undefined;
  type: string;
  value?: Quantity | undefined;
}

/** Part of `autoscaling/v2`. */
export interface MetricValueStatus {
  averageUtilization?: number | undefined;
  averageValue?: Quantity | undefined;
  value?: Quantity | undefined;
}

/** Part of `autoscaling/v2`. */
export interface ObjectMetricSource {
  describedObject: CrossVersionObjectReference;
  metric: MetricIdentifier;
  target: MetricTarget;
}

/** Part of `autoscaling/v2`. */
export interface ObjectMetricStatus {
  current: MetricValueStatus;
  describedObject: CrossVersionObjectReference;
  metric: MetricIdentifier;
}

/** Part of `autoscaling/v2`. */
export interface PodsMetricSource {
  metric: MetricIdentifier;
  target: MetricTarget;
}

/** Part of `autoscaling/v2`. */
export interface PodsMetricStatus {
  current: MetricValueStatus;
  metric: MetricIdentifier;
}

/** Part of `autoscaling/v2`. */
export interface ResourceMetricSource {
  name: string;
  target: MetricTarget;
}

/** Part of `autoscaling/v2`. */
export interface ResourceMetricStatus {
  current: MetricValueStatus;
  name: string;
}
