// Generated from Kubernetes v1.36.3 by `npm run generate`; do not edit.
// Types of apps-v1.
import type { LabelSelector, ListMeta, New, StoredObjectMeta } from '../../meta/objects.js';
import type { PersistentVolumeClaim, PodTemplateSpec } from './core-v1.js';
import type { IntOrString } from './meta-v1.js';

/** `controllerrevisions` of `apps/v1`, in a namespace. */
export interface ControllerRevision {
  apiVersion: 'apps/v1';
  kind: 'ControllerRevision';
  data?: Record<string, unknown>;
  metadata: StoredObjectMeta;
  revision: number;
}

/** A list of {@link ControllerRevision}. */
export interface ControllerRevisionList {
  apiVersion: 'apps/v1';
  kind: 'ControllerRevisionList';
  items: ControllerRevision[];
  metadata: ListMeta;
}

/** `daemonsets`, `ds` of `apps/v1`, in a namespace. */
export interface DaemonSet {
  apiVersion: 'apps/v1';
  kind: 'DaemonSet';
  metadata: StoredObjectMeta;
  spec?: DaemonSetSpec;
  status?: DaemonSetStatus;
}

/** Part of `apps/v1`. */
export interface DaemonSetCondition {
  lastTransitionTime?: string;
  message?: string;
  reason?: string;
  status: string;
  type: string;
}

/** A list of {@link DaemonSet}. */
export interface DaemonSetList {
  apiVersion: 'apps/v1';
  kind: 'DaemonSetList';
  items: DaemonSet[];
  metadata: ListMeta;
}

/** Part of `apps/v1`. */
export interface DaemonSetSpec {
  minReadySeconds?: number;
  revisionHistoryLimit?: number;
  selector: LabelSelector;
  template: PodTemplateSpec;
  updateStrategy?: DaemonSetUpdateStrategy;
}

/** Part of `apps/v1`. */
export interface DaemonSetStatus {
  collisionCount?: number;
  conditions?: DaemonSetCondition[];
  currentNumberScheduled: number;
  desiredNumberScheduled: number;
  numberAvailable?: number;
  numberMisscheduled: number;
  numberReady: number;
  numberUnavailable?: number;
  observedGeneration?: number;
  updatedNumberScheduled?: number;
}

/** Part of `apps/v1`. */
export interface DaemonSetUpdateStrategy {
  rollingUpdate?: RollingUpdateDaemonSet;
  type?: 'OnDelete' | 'RollingUpdate';
}

/** `deployments`, `deploy` of `apps/v1`, in a namespace. */
export interface Deployment {
  apiVersion: 'apps/v1';
  kind: 'Deployment';
  metadata: StoredObjectMeta;
  spec?: DeploymentSpec;
  status?: DeploymentStatus;
}

/** Part of `apps/v1`. */
export interface DeploymentCondition {
  lastTransitionTime?: string;
  lastUpdateTime?: string;
  message?: string;
  reason?: string;
  status: string;
  type: string;
}

/** A list of {@link Deployment}. */
export interface DeploymentList {
  apiVersion: 'apps/v1';
  kind: 'DeploymentList';
  items: Deployment[];
  metadata: ListMeta;
}

/** Part of `apps/v1`. */
export interface DeploymentSpec {
  minReadySeconds?: number;
  paused?: boolean;
  progressDeadlineSeconds?: number;
  replicas?: number;
  revisionHistoryLimit?: number;
  selector: LabelSelector;
  strategy?: DeploymentStrategy;
  template: PodTemplateSpec;
}

/** Part of `apps/v1`. */
export interface DeploymentStatus {
  availableReplicas?: number;
  collisionCount?: number;
  conditions?: DeploymentCondition[];
  observedGeneration?: number;
  readyReplicas?: number;
  replicas?: number;
  terminatingReplicas?: number;
  unavailableReplicas?: number;
  updatedReplicas?: number;
}

/** Part of `apps/v1`. */
export interface DeploymentStrategy {
  rollingUpdate?: RollingUpdateDeployment;
  type?: 'Recreate' | 'RollingUpdate';
}

/** `replicasets`, `rs` of `apps/v1`, in a namespace. */
export interface ReplicaSet {
  apiVersion: 'apps/v1';
  kind: 'ReplicaSet';
  metadata: StoredObjectMeta;
  spec?: ReplicaSetSpec;
  status?: ReplicaSetStatus;
}

/** Part of `apps/v1`. */
export interface ReplicaSetCondition {
  lastTransitionTime?: string;
  message?: string;
  reason?: string;
  status: string;
  type: string;
}

/** A list of {@link ReplicaSet}. */
export interface ReplicaSetList {
  apiVersion: 'apps/v1';
  kind: 'ReplicaSetList';
  items: ReplicaSet[];
  metadata: ListMeta;
}

/** Part of `apps/v1`. */
export interface ReplicaSetSpec {
  minReadySeconds?: number;
  replicas?: number;
  selector: LabelSelector;
  template?: PodTemplateSpec;
}

/** Part of `apps/v1`. */
export interface ReplicaSetStatus {
  availableReplicas?: number;
  conditions?: ReplicaSetCondition[];
  fullyLabeledReplicas?: number;
  observedGeneration?: number;
  readyReplicas?: number;
  replicas: number;
  terminatingReplicas?: number;
}

/** Part of `apps/v1`. */
export interface RollingUpdateDaemonSet {
  maxSurge?: IntOrString;
  maxUnavailable?: IntOrString;
}

/** Part of `apps/v1`. */
export interface RollingUpdateDeployment {
  maxSurge?: IntOrString;
  maxUnavailable?: IntOrString;
}

/** Part of `apps/v1`. */
export interface RollingUpdateStatefulSetStrategy {
  maxUnavailable?: IntOrString;
  partition?: number;
}

/** `statefulsets`, `sts` of `apps/v1`, in a namespace. */
export interface StatefulSet {
  apiVersion: 'apps/v1';
  kind: 'StatefulSet';
  metadata: StoredObjectMeta;
  spec?: StatefulSetSpec;
  status?: StatefulSetStatus;
}

/** Part of `apps/v1`. */
export interface StatefulSetCondition {
  lastTransitionTime?: string;
  message?: string;
  reason?: string;
  status: string;
  type: string;
}

/** A list of {@link StatefulSet}. */
export interface StatefulSetList {
  apiVersion: 'apps/v1';
  kind: 'StatefulSetList';
  items: StatefulSet[];
  metadata: ListMeta;
}

/** Part of `apps/v1`. */
export interface StatefulSetOrdinals {
  start?: number;
}

/** Part of `apps/v1`. */
export interface StatefulSetPersistentVolumeClaimRetentionPolicy {
  whenDeleted?: string;
  whenScaled?: string;
}

/** Part of `apps/v1`. */
export interface StatefulSetSpec {
  minReadySeconds?: number;
  ordinals?: StatefulSetOrdinals;
  persistentVolumeClaimRetentionPolicy?: StatefulSetPersistentVolumeClaimRetentionPolicy;
  podManagementPolicy?: 'OrderedReady' | 'Parallel';
  replicas?: number;
  revisionHistoryLimit?: number;
  selector: LabelSelector;
  serviceName?: string;
  template: PodTemplateSpec;
  updateStrategy?: StatefulSetUpdateStrategy;
  volumeClaimTemplates?: New<PersistentVolumeClaim>[];
}

/** Part of `apps/v1`. */
export interface StatefulSetStatus {
  availableReplicas?: number;
  collisionCount?: number;
  conditions?: StatefulSetCondition[];
  currentReplicas?: number;
  currentRevision?: string;
  observedGeneration?: number;
  readyReplicas?: number;
  replicas: number;
  updateRevision?: string;
  updatedReplicas?: number;
}

/** Part of `apps/v1`. */
export interface StatefulSetUpdateStrategy {
  rollingUpdate?: RollingUpdateStatefulSetStrategy;
  type?: 'OnDelete' | 'RollingUpdate';
}
