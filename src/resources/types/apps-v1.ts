// Generated from Kubernetes v1.36.3 by `npm run generate`; do not edit.
// Types of apps-v1.
import type { LabelSelector, ListMeta, New, StoredObjectMeta } from '../../meta/objects.js';
import type { PersistentVolumeClaim, PodTemplateSpec } from './core-v1.js';
import type { IntOrString } from './meta-v1.js';

/** `controllerrevisions` of `apps/v1`, namespaced. */
export interface ControllerRevision {
  apiVersion: 'apps/v1';
  kind: 'ControllerRevision';
  data?: Record<string, unknown> | undefined;
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

/** `daemonsets`, `ds` of `apps/v1`, namespaced. */
export interface DaemonSet {
  apiVersion: 'apps/v1';
  kind: 'DaemonSet';
  metadata: StoredObjectMeta;
  spec?: DaemonSetSpec | undefined;
  status?: DaemonSetStatus | undefined;
}

/** Part of `apps/v1`. */
export interface DaemonSetCondition {
  lastTransitionTime?: string | undefined;
  message?: string | undefined;
  reason?: string | undefined;
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
  minReadySeconds?: number | undefined;
  revisionHistoryLimit?: number | undefined;
  selector: LabelSelector;
  template: PodTemplateSpec;
  updateStrategy?: DaemonSetUpdateStrategy | undefined;
}

/** Part of `apps/v1`. */
export interface DaemonSetStatus {
  collisionCount?: number | undefined;
  conditions?: DaemonSetCondition[] | undefined;
  currentNumberScheduled: number;
  desiredNumberScheduled: number;
  numberAvailable?: number | undefined;
  numberMisscheduled: number;
  numberReady: number;
  numberUnavailable?: number | undefined;
  observedGeneration?: number | undefined;
  updatedNumberScheduled?: number | undefined;
}

/** Part of `apps/v1`. */
export interface DaemonSetUpdateStrategy {
  rollingUpdate?: RollingUpdateDaemonSet | undefined;
  type?: 'OnDelete' | 'RollingUpdate' | undefined;
}

/** `deployments`, `deploy` of `apps/v1`, namespaced. */
export interface Deployment {
  apiVersion: 'apps/v1';
  kind: 'Deployment';
  metadata: StoredObjectMeta;
  spec?: DeploymentSpec | undefined;
  status?: DeploymentStatus | undefined;
}

/** Part of `apps/v1`. */
export interface DeploymentCondition {
  lastTransitionTime?: string | undefined;
  lastUpdateTime?: string | undefined;
  message?: string | undefined;
  reason?: string | undefined;
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
  minReadySeconds?: number | undefined;
  paused?: boolean | undefined;
  progressDeadlineSeconds?: number | undefined;
  replicas?: number | undefined;
  revisionHistoryLimit?: number | undefined;
  selector: LabelSelector;
  strategy?: DeploymentStrategy | undefined;
  template: PodTemplateSpec;
}

/** Part of `apps/v1`. */
export interface DeploymentStatus {
  availableReplicas?: number | undefined;
  collisionCount?: number | undefined;
  conditions?: DeploymentCondition[] | undefined;
  observedGeneration?: number | undefined;
  readyReplicas?: number | undefined;
  replicas?: number | undefined;
  terminatingReplicas?: number | undefined;
  unavailableReplicas?: number | undefined;
  updatedReplicas?: number | undefined;
}

/** Part of `apps/v1`. */
export interface DeploymentStrategy {
  rollingUpdate?: RollingUpdateDeployment | undefined;
  type?: 'Recreate' | 'RollingUpdate' | undefined;
}

/** `replicasets`, `rs` of `apps/v1`, namespaced. */
export interface ReplicaSet {
  apiVersion: 'apps/v1';
  kind: 'ReplicaSet';
  metadata: StoredObjectMeta;
  spec?: ReplicaSetSpec | undefined;
  status?: ReplicaSetStatus | undefined;
}

/** Part of `apps/v1`. */
export interface ReplicaSetCondition {
  lastTransitionTime?: string | undefined;
  message?: string | undefined;
  reason?: string | undefined;
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
  minReadySeconds?: number | undefined;
  replicas?: number | undefined;
  selector: LabelSelector;
  template?: PodTemplateSpec | undefined;
}

/** Part of `apps/v1`. */
export interface ReplicaSetStatus {
  availableReplicas?: number | undefined;
  conditions?: ReplicaSetCondition[] | undefined;
  fullyLabeledReplicas?: number | undefined;
  observedGeneration?: number | undefined;
  readyReplicas?: number | undefined;
  replicas: number;
  terminatingReplicas?: number | undefined;
}

/** Part of `apps/v1`. */
export interface RollingUpdateDaemonSet {
  maxSurge?: IntOrString | undefined;
  maxUnavailable?: IntOrString | undefined;
}

/** Part of `apps/v1`. */
export interface RollingUpdateDeployment {
  maxSurge?: IntOrString | undefined;
  maxUnavailable?: IntOrString | undefined;
}

/** Part of `apps/v1`. */
export interface RollingUpdateStatefulSetStrategy {
  maxUnavailable?: IntOrString | undefined;
  partition?: number | undefined;
}

/** `statefulsets`, `sts` of `apps/v1`, namespaced. */
export interface StatefulSet {
  apiVersion: 'apps/v1';
  kind: 'StatefulSet';
  metadata: StoredObjectMeta;
  spec?: StatefulSetSpec | undefined;
  status?: StatefulSetStatus | undefined;
}

/** Part of `apps/v1`. */
export interface StatefulSetCondition {
  lastTransitionTime?: string | undefined;
  message?: string | undefined;
  reason?: string | undefined;
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
  start?: number | undefined;
}

/** Part of `apps/v1`. */
export interface StatefulSetPersistentVolumeClaimRetentionPolicy {
  whenDeleted?: string | undefined;
  whenScaled?: string | undefined;
}

/** Part of `apps/v1`. */
export interface StatefulSetSpec {
  minReadySeconds?: number | undefined;
  ordinals?: StatefulSetOrdinals | undefined;
  persistentVolumeClaimRetentionPolicy?: StatefulSetPersistentVolumeClaimRetentionPolicy | undefined;
  podManagementPolicy?: 'OrderedReady' | 'Parallel' | undefined;
  replicas?: number | undefined;
  revisionHistoryLimit?: number | undefined;
  selector: LabelSelector;
  serviceName?: string | undefined;
  template: PodTemplateSpec;
  updateStrategy?: StatefulSetUpdateStrategy | undefined;
  volumeClaimTemplates?: New<PersistentVolumeClaim>[] | undefined;
}

/** Part of `apps/v1`. */
export interface StatefulSetStatus {
  availableReplicas?: number | undefined;
  collisionCount?: number | undefined;
  conditions?: StatefulSetCondition[] | undefined;
  currentReplicas?: number | undefined;
  currentRevision?: string | undefined;
  observedGeneration?: number | undefined;
  readyReplicas?: number | undefined;
  replicas: number;
  updateRevision?: string | undefined;
  updatedReplicas?: number | undefined;
}

/** Part of `apps/v1`. */
export interface StatefulSetUpdateStrategy {
  rollingUpdate?: RollingUpdateStatefulSetStrategy | undefined;
  type?: 'OnDelete' | 'RollingUpdate' | undefined;
}
