// Generated from Kubernetes v1.36.3 by `npm run generate`; do not edit.
// Types of autoscaling-v1.
import type { ListMeta, StoredObjectMeta } from '../../meta/objects.js';

/** Part of `autoscaling/v1`. */
export interface CrossVersionObjectReference {
  apiVersion?: string | undefined;
  kind: string;
  name: string;
}

/** `horizontalpodautoscalers`, `hpa` of `autoscaling/v1`, namespaced. */
export interface HorizontalPodAutoscaler {
  apiVersion: 'autoscaling/v1';
  kind: 'HorizontalPodAutoscaler';
  metadata: StoredObjectMeta;
  spec: HorizontalPodAutoscalerSpec;
  status?: HorizontalPodAutoscalerStatus | undefined;
}

/** A list of {@link HorizontalPodAutoscaler}. */
export interface HorizontalPodAutoscalerList {
  apiVersion: 'autoscaling/v1';
  kind: 'HorizontalPodAutoscalerList';
  items: HorizontalPodAutoscaler[];
  metadata: ListMeta;
}

/** Part of `autoscaling/v1`. */
export interface HorizontalPodAutoscalerSpec {
  maxReplicas: number;
  minReplicas?: number | undefined;
  scaleTargetRef: CrossVersionObjectReference;
  targetCPUUtilizationPercentage?: number | undefined;
}

/** Part of `autoscaling/v1`. */
export interface HorizontalPodAutoscalerStatus {
  currentCPUUtilizationPercentage?: number | undefined;
  currentReplicas: number;
  desiredReplicas: number;
  lastScaleTime?: string | undefined;
  observedGeneration?: number | undefined;
}

/** The body or the result of a subresource, of `autoscaling/v1`. */
export interface Scale {
  apiVersion: 'autoscaling/v1';
  kind: 'Scale';
  metadata: StoredObjectMeta;
  spec?: ScaleSpec | undefined;
  status?: ScaleStatus | undefined;
}

/** Part of `autoscaling/v1`. */
export interface ScaleSpec {
  replicas?: number | undefined;
}

/** Part of `autoscaling/v1`. */
export interface ScaleStatus {
  replicas: number;
  selector?: string | undefined;
}
