// Generated from Kubernetes v1.36.3 by `npm run generate`; do not edit.
// Types of storage-v1.
import type { LabelSelector, ListMeta, StoredObjectMeta } from '../../meta/objects.js';
import type { PersistentVolumeSpec, TopologySelectorTerm } from './core-v1.js';
import type { Quantity } from './meta-v1.js';

/** `csidrivers` of `storage.k8s.io/v1`, cluster-scoped. */
export interface CSIDriver {
  apiVersion: 'storage.k8s.io/v1';
  kind: 'CSIDriver';
  metadata: StoredObjectMeta;
  spec: CSIDriverSpec;
}

/** A list of {@link CSIDriver}. */
export interface CSIDriverList {
  apiVersion: 'storage.k8s.io/v1';
  kind: 'CSIDriverList';
  items: CSIDriver[];
  metadata: ListMeta;
}

/** Part of `storage.k8s.io/v1`. */
export interface CSIDriverSpec {
  attachRequired?: boolean | undefined;
  fsGroupPolicy?: string | undefined;
  nodeAllocatableUpdatePeriodSeconds?: number | undefined;
  podInfoOnMount?: boolean | undefined;
  preventPodSchedulingIfMissing?: boolean | undefined;
  requiresRepublish?: boolean | undefined;
  seLinuxMount?: boolean | undefined;
  serviceAccountTokenInSecrets?: boolean | undefined;
  storageCapacity?: boolean | undefined;
  tokenRequests?: TokenRequest[] | undefined;
  volumeLifecycleModes?: string[] | undefined;
}

/** `csinodes` of `storage.k8s.io/v1`, cluster-scoped. */
export interface CSINode {
  apiVersion: 'storage.k8s.io/v1';
  kind: 'CSINode';
  metadata: StoredObjectMeta;
  spec: CSINodeSpec;
}

/** Part of `storage.k8s.io/v1`. */
export interface CSINodeDriver {
  allocatable?: VolumeNodeResources | undefined;
  name: string;
  nodeID: string;
  topologyKeys?: string[] | undefined;
}

/** A list of {@link CSINode}. */
export interface CSINodeList {
  apiVersion: 'storage.k8s.io/v1';
  kind: 'CSINodeList';
  items: CSINode[];
  metadata: ListMeta;
}

/** Part of `storage.k8s.io/v1`. */
export interface CSINodeSpec {
  drivers: CSINodeDriver[];
}

/** `csistoragecapacities` of `storage.k8s.io/v1`, namespaced. */
export interface CSIStorageCapacity {
  apiVersion: 'storage.k8s.io/v1';
  kind: 'CSIStorageCapacity';
  capacity?: Quantity | undefined;
  maximumVolumeSize?: Quantity | undefined;
  metadata: StoredObjectMeta;
  nodeTopology?: LabelSelector | undefined;
  storageClassName: string;
}

/** A list of {@link CSIStorageCapacity}. */
export interface CSIStorageCapacityList {
  apiVersion: 'storage.k8s.io/v1';
  kind: 'CSIStorageCapacityList';
  items: CSIStorageCapacity[];
  metadata: ListMeta;
}

/** `storageclasses`, `sc` of `storage.k8s.io/v1`, cluster-scoped. */
export interface StorageClass {
  apiVersion: 'storage.k8s.io/v1';
  kind: 'StorageClass';
  allowVolumeExpansion?: boolean | undefined;
  allowedTopologies?: TopologySelectorTerm[] | undefined;
  metadata: StoredObjectMeta;
  mountOptions?: string[] | undefined;
  parameters?: Record<string, string> | undefined;
  provisioner: string;
  reclaimPolicy?: 'Delete' | 'Recycle' | 'Retain' | undefined;
  volumeBindingMode?: 'Immediate' | 'WaitForFirstConsumer' | undefined;
}

/** A list of {@link StorageClass}. */
export interface StorageClassList {
  apiVersion: 'storage.k8s.io/v1';
  kind: 'StorageClassList';
  items: StorageClass[];
  metadata: ListMeta;
}

/** Part of `storage.k8s.io/v1`. */
export interface TokenRequest {
  audience: string;
  expirationSeconds?: number | undefined;
}

/** `volumeattachments` of `storage.k8s.io/v1`, cluster-scoped. */
export interface VolumeAttachment {
  apiVersion: 'storage.k8s.io/v1';
  kind: 'VolumeAttachment';
  metadata: StoredObjectMeta;
  spec: VolumeAttachmentSpec;
  status?: VolumeAttachmentStatus | undefined;
}

/** A list of {@link VolumeAttachment}. */
export interface VolumeAttachmentList {
  apiVersion: 'storage.k8s.io/v1';
  kind: 'VolumeAttachmentList';
  items: VolumeAttachment[];
  metadata: ListMeta;
}

/** Part of `storage.k8s.io/v1`. */
export interface VolumeAttachmentSource {
  inlineVolumeSpec?: PersistentVolumeSpec | undefined;
  persistentVolumeName?: string | undefined;
}

/** Part of `storage.k8s.io/v1`. */
export interface VolumeAttachmentSpec {
  attacher: string;
  nodeName: string;
  source: VolumeAttachmentSource;
}

/** Part of `storage.k8s.io/v1`. */
export interface VolumeAttachmentStatus {
  attachError?: VolumeError | undefined;
  attached: boolean;
  attachmentMetadata?: Record<string, string> | undefined;
  detachError?: VolumeError | undefined;
}

/** `volumeattributesclasses`, `vac` of `storage.k8s.io/v1`, cluster-scoped. */
export interface VolumeAttributesClass {
  apiVersion: 'storage.k8s.io/v1';
  kind: 'VolumeAttributesClass';
  driverName: string;
  metadata: StoredObjectMeta;
  parameters?: Record<string, string> | undefined;
}

/** A list of {@link VolumeAttributesClass}. */
export interface VolumeAttributesClassList {
  apiVersion: 'storage.k8s.io/v1';
  kind: 'VolumeAttributesClassList';
  items: VolumeAttributesClass[];
  metadata: ListMeta;
}

/** Part of `storage.k8s.io/v1`. */
export interface VolumeError {
  errorCode?: number | undefined;
  message?: string | undefined;
  time?: string | undefined;
}

/** Part of `storage.k8s.io/v1`. */
export interface VolumeNodeResources {
  count?: number | undefined;
}
