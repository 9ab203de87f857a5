// Generated from Kubernetes v1.36.3 by `npm run generate`; do not edit.
// Types of resource-v1.
import type { Condition, ListMeta, ObjectMeta, StoredObjectMeta } from '../../meta/objects.js';
import type { NodeSelector } from './core-v1.js';
import type { Quantity } from './meta-v1.js';

/** Part of `resource.k8s.io/v1`. */
export interface AllocatedDeviceStatus {
  conditions?: Condition[] | undefined;
  data?: Record<string, unknown> | undefined;
  device: string;
  driver: string;
  networkData?: NetworkDeviceData | undefined;
  pool: string;
  shareID?: string | undefined;
}

/** Part of `resource.k8s.io/v1`. */
export interface AllocationResult {
  allocationTimestamp?: string | undefined;
  devices?: DeviceAllocationResult | undefined;
  nodeSelector?: NodeSelector | undefined;
}

/** Part of `resource.k8s.io/v1`. */
export interface CELDeviceSelector {
  expression: string;
}

/** Part of `resource.k8s.io/v1`. */
export interface CapacityRequestPolicy {
  default?: Quantity | undefined;
  validRange?: CapacityRequestPolicyRange | undefined;
  validValues?: Quantity[] | undefined;
}

/** Part of `resource.k8s.io/v1`. */
export interface CapacityRequestPolicyRange {
  max?: Quantity | undefined;
  min: Quantity;
  step?: Quantity | undefined;
}

/** Part of `resource.k8s.io/v1`. */
export interface CapacityRequirements {
  requests?: Record<string, Quantity> | undefined;
}

/** Part of `resource.k8s.io/v1`. */
export interface Counter {
  value: Quantity;
}

/** Part of `resource.k8s.io/v1`. */
export interface CounterSet {
  counters: Record<string, Counter>;
  name: string;
}

/** Part of `resource.k8s.io/v1`. */
export interface Device {
  allNodes?: boolean | undefined;
  allowMultipleAllocations?: boolean | undefined;
  attributes?: Record<string, DeviceAttribute> | undefined;
  bindingConditions?: string[] | undefined;
  bindingFailureConditions?: string[] | undefined;
  bindsToNode?: boolean | undefined;
  capacity?: Record<string, DeviceCapacity> | undefined;
  consumesCounters?: DeviceCounterConsumption[] | undefined;
  name: string;
  nodeAllocatableResourceMappings?: Record<string, NodeAllocatableResourceMapping> | undefined;
  nodeName?: string | undefined;
  nodeSelector?: NodeSelector | undefined;
  taints?: DeviceTaint[] | undefined;
}

/** Part of `resource.k8s.io/v1`. */
export interface DeviceAllocationConfiguration {
  opaque?: OpaqueDeviceConfiguration | undefined;
  requests?: string[] | undefined;
  source: 'FromClaim' | 'FromClass';
}

/** Part of `resource.k8s.io/v1`. */
export interface DeviceAllocationResult {
  config?: DeviceAllocationConfiguration[] | undefined;
  results?: DeviceRequestAllocationResult[] | undefined;
}

/** Part of `resource.k8s.io/v1`. */
export interface DeviceAttribute {
  bool?: boolean | undefined;
  bools?: boolean[] | undefined;
  int?: number | undefined;
  ints?: number[] | undefined;
  string?: string | undefined;
  strings?: string[] | undefined;
  version?: string | undefined;
  versions?: string[] | undefined;
}

/** Part of `resource.k8s.io/v1`. */
export interface DeviceCapacity {
  requestPolicy?: CapacityRequestPolicy | undefined;
  value: Quantity;
}

/** Part of `resource.k8s.io/v1`. */
export interface DeviceClaim {
  config?: DeviceClaimConfiguration[] | undefined;
  constraints?: DeviceConstraint[] | undefined;
  requests?: DeviceRequest[] | undefined;
}

/** Part of `resource.k8s.io/v1`. */
export interface DeviceClaimConfiguration {
  opaque?: OpaqueDeviceConfiguration | undefined;
  requests?: string[] | undefined;
}

/** `deviceclasses` of `resource.k8s.io/v1`, cluster-scoped. */
export interface DeviceClass {
  apiVersion: 'resource.k8s.io/v1';
  kind: 'DeviceClass';
  metadata: StoredObjectMeta;
  spec: DeviceClassSpec;
}

/** Part of `resource.k8s.io/v1`. */
export interface DeviceClassConfiguration {
  opaque?: OpaqueDeviceConfiguration | undefined;
}

/** A list of {@link DeviceClass}. */
export interface DeviceClassList {
  apiVersion: 'resource.k8s.io/v1';
  kind: 'DeviceClassList';
  items: DeviceClass[];
  metadata: ListMeta;
}

/** Part of `resource.k8s.io/v1`. */
export interface DeviceClassSpec {
  config?: DeviceClassConfiguration[] | undefined;
  extendedResourceName?: string | undefined;
  selectors?: DeviceSelector[] | undefined;
}

/** Part of `resource.k8s.io/v1`. */
export interface DeviceConstraint {
  distinctAttribute?: string | undefined;
  matchAttribute?: string | undefined;
  requests?: string[] | undefined;
}

/** Part of `resource.k8s.io/v1`. */
export interface DeviceCounterConsumption {
  counterSet: string;
  counters: Record<string, Counter>;
}

/** Part of `resource.k8s.io/v1`. */
export interface DeviceRequest {
  exactly?: ExactDeviceRequest | undefined;
  firstAvailable?: DeviceSubRequest[] | undefined;
  name: string;
}

/** Part of `resource.k8s.io/v1`. */
export interface DeviceRequestAllocationResult {
  adminAccess?: boolean | undefined;
  bindingConditions?: string[] | undefined;
  bindingFailureConditions?: string[] | undefined;
  consumedCapacity?: Record<string, Quantity> | undefined;
  device: string;
  driver: string;
  pool: string;
  request: string;
  shareID?: string | undefined;
  tolerations?: DeviceToleration[] | undefined;
}

/** Part of `resource.k8s.io/v1`. */
export interface DeviceSelector {
  cel?: CELDeviceSelector | undefined;
}

/** Part of `resource.k8s.io/v1`. */
export interface DeviceSubRequest {
  allocationMode?: 'All' | 'ExactCount' | undefined;
  capacity?: CapacityRequirements | undefined;
  count?: number | undefined;
  deviceClassName: string;
  name: string;
  selectors?: DeviceSelector[] | undefined;
  tolerations?: DeviceToleration[] | undefined;
}

/** Part of `resource.k8s.io/v1`. */
export interface DeviceTaint {
  effect: 'NoExecute' | 'NoSchedule' | 'None';
  key: string;
  timeAdded?: string | undefined;
  value?: string | undefined;
}

/** Part of `resource.k8s.io/v1`. */
export interface DeviceToleration {
  effect?: 'NoExecute' | 'NoSchedule' | 'None' | undefined;
  key?: string | undefined;
  /** @default 'Equal' */
  operator?: 'Equal' | 'Exists' | undefined;
  tolerationSeconds?: number | undefined;
  value?: string | undefined;
}

/** Part of `resource.k8s.io/v1`. */
export interface ExactDeviceRequest {
  adminAccess?: boolean | undefined;
  allocationMode?: 'All' | 'ExactCount' | undefined;
  capacity?: CapacityRequirements | undefined;
  count?: number | undefined;
  deviceClassName: string;
  selectors?: DeviceSelector[] | undefined;
  tolerations?: DeviceToleration[] | undefined;
}

/** Part of `resource.k8s.io/v1`. */
export interface NetworkDeviceData {
  hardwareAddress?: string | undefined;
  interfaceName?: string | undefined;
  ips?: string[] | undefined;
}

/** Part of `resource.k8s.io/v1`. */
export interface NodeAllocatableResourceMapping {
  allocationMultiplier?: Quantity | undefined;
  capacityKey?: string | undefined;
}

/** Part of `resource.k8s.io/v1`. */
export interface OpaqueDeviceConfiguration {
  driver: string;
  parameters: Record<string, unknown>;
}

/** `resourceclaims` of `resource.k8s.io/v1`, namespaced. */
export interface ResourceClaim {
  apiVersion: 'resource.k8s.io/v1';
  kind: 'ResourceClaim';
  metadata: StoredObjectMeta;
  spec: ResourceClaimSpec;
  status?: ResourceClaimStatus | undefined;
}

/** Part of `resource.k8s.io/v1`. */
export interface ResourceClaimConsumerReference {
  apiGroup?: string | undefined;
  name: string;
  resource: string;
  uid: string;
}

/** A list of {@link ResourceClaim}. */
export interface ResourceClaimList {
  apiVersion: 'resource.k8s.io/v1';
  kind: 'ResourceClaimList';
  items: ResourceClaim[];
  metadata: ListMeta;
}

/** Part of `resource.k8s.io/v1`. */
export interface ResourceClaimSpec {
  devices?: DeviceClaim | undefined;
}

/** Part of `resource.k8s.io/v1`. */
export interface ResourceClaimStatus {
  allocation?: AllocationResult | undefined;
  devices?: AllocatedDeviceStatus[] | undefined;
  reservedFor?: ResourceClaimConsumerReference[] | undefined;
}

/** `resourceclaimtemplates` of `resource.k8s.io/v1`, namespaced. */
export interface ResourceClaimTemplate {
  apiVersion: 'resource.k8s.io/v1';
  kind: 'ResourceClaimTemplate';
  metadata: StoredObjectMeta;
  spec: ResourceClaimTemplateSpec;
}

/** A list of {@link ResourceClaimTemplate}. */
export interface ResourceClaimTemplateList {
  apiVersion: 'resource.k8s.io/v1';
  kind: 'ResourceClaimTemplateList';
  items: ResourceClaimTemplate[];
  metadata: ListMeta;
}

/** Part of `resource.k8s.io/v1`. */
export interface ResourceClaimTemplateSpec {
  metadata?: ObjectMeta | undefined;
  spec: ResourceClaimSpec;
}

/** Part of `resource.k8s.io/v1`. */
export interface ResourcePool {
  generation: number;
  name: string;
  resourceSliceCount: number;
}

/** `resourceslices` of `resource.k8s.io/v1`, cluster-scoped. */
export interface ResourceSlice {
  apiVersion: 'resource.k8s.io/v1';
  kind: 'ResourceSlice';
  metadata: StoredObjectMeta;
  spec: ResourceSliceSpec;
}

/** A list of {@link ResourceSlice}. */
export interface ResourceSliceList {
  apiVersion: 'resource.k8s.io/v1';
  kind: 'ResourceSliceList';
  items: ResourceSlice[];
  metadata: ListMeta;
}

/** Part of `resource.k8s.io/v1`. */
export interface ResourceSliceSpec {
  allNodes?: boolean | undefined;
  devices?: Device[] | undefined;
  driver: string;
  nodeName?: string | undefined;
  nodeSelector?: NodeSelector | undefined;
  perDeviceNodeSelection?: boolean | undefined;
  pool: ResourcePool;
  sharedCounters?: CounterSet[] | undefined;
}
