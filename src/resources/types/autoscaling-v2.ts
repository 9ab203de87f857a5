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
  apiVersion?: string;
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
  policies?: HPAScalingPolicy[];
  selectPolicy?: string;
  stabilizationWindowSeconds?: number;
  tolerance?: Quantity;
}

/** `horizontalpodautoscalers`, `hpa` of `autoscaling/v2`, in a namespace. */
export interface HorizontalPodAutoscaler {
  apiVersion: 'autoscaling/v2';
  kind: 'HorizontalPodAutoscaler';
  metadata: StoredObjectMeta;
  spec: HorizontalPodAutoscalerSpec;
  status?: HorizontalPodAutoscalerStatus;
}

/** Part of `autoscaling/v2`. */
export interface HorizontalPodAutoscalerBehavior {
  scaleDown?: HPAScalingRules;
  scaleUp?: HPAScalingRules;
}

/** Part of `autoscaling/v2`. */
export interface HorizontalPodAutoscalerCondition {
  lastTransitionTime?: string;
  message?: string;
  reason?: string;
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
  behavior?: HorizontalPodAutoscalerBehavior;
  maxReplicas: number;
  metrics?: MetricSpec[];
  minReplicas?: number;
  scaleTargetRef: CrossVersionObjectReference;
}

/** Part of `autoscaling/v2`. */
export interface HorizontalPodAutoscalerStatus {
  conditions?: HorizontalPodAutoscalerCondition[];
  currentMetrics?: MetricStatus[];
  currentReplicas?: number;
  desiredReplicas: number;
  lastScaleTime?: string;
  observedGeneration?: number;
}

/** Part of `autoscaling/v2`. */
export interface MetricIdentifier {
  name: string;
  selector?: LabelSelector;
}

/** Part of `autoscaling/v2`. */
export interface MetricSpec {
  containerResource?: ContainerResourceMetricSource;
  external?: ExternalMetricSource;
  object?: ObjectMetricSource;
  pods?: PodsMetricSource;
  resource?: ResourceMetricSource;
  type: string;
}

/** Part of `autoscaling/v2`. */
export interface MetricStatus {
  containerResource?: ContainerResourceMetricStatus;
  external?: ExternalMetricStatus;
  object?: ObjectMetricStatus;
  pods?: PodsMetricStatus;
  resource?: ResourceMetricStatus;
  type: string;
}

/** Part of `autoscaling/v2`. */
export interface MetricTarget {
  averageUtilization?: number;
  averageValue?: Quantity;
  type: string;
  value?: Quantity;
}

/** Part of `autoscaling/v2`. */
export interface MetricValueStatus {
  averageUtilization?: number;
  averageValue?: Quantity;
  value?: Quantity;
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
