// Generated from Kubernetes v1.36.3 by `npm run generate`; do not edit.
// Types of resource-v1.
import type { Condition, ListMeta, ObjectMeta, StoredObjectMeta } from '../../meta/objects.js';
import type { NodeSelector } from './core-v1.js';
import type { Quantity } from './meta-v1.js';

/** Part of `resource.k8s.io/v1`. */
export interface AllocatedDeviceStatus {
  conditions?: Condition[];
  data?: Record<string, unknown>;
  device: string;
  driver: string;
  networkData?: NetworkDeviceData;
  pool: string;
  shareID?: string;
}

/** Part of `resource.k8s.io/v1`. */
export interface AllocationResult {
  allocationTimestamp?: string;
  devices?: DeviceAllocationResult;
  nodeSelector?: NodeSelector;
}

/** Part of `resource.k8s.io/v1`. */
export interface CELDeviceSelector {
  expression: string;
}

/** Part of `resource.k8s.io/v1`. */
export interface CapacityRequestPolicy {
  default?: Quantity;
  validRange?: CapacityRequestPolicyRange;
  validValues?: Quantity[];
}

/** Part of `resource.k8s.io/v1`. */
export interface CapacityRequestPolicyRange {
  max?: Quantity;
  min: Quantity;
  step?: Quantity;
}

/** Part of `resource.k8s.io/v1`. */
export interface CapacityRequirements {
  requests?: Record<string, Quantity>;
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
  allNodes?: boolean;
  allowMultipleAllocations?: boolean;
  attributes?: Record<string, DeviceAttribute>;
  bindingConditions?: string[];
  bindingFailureConditions?: string[];
  bindsToNode?: boolean;
  capacity?: Record<string, DeviceCapacity>;
  consumesCounters?: DeviceCounterConsumption[];
  name: string;
  nodeAllocatableResourceMappings?: Record<string, NodeAllocatableResourceMapping>;
  nodeName?: string;
  nodeSelector?: NodeSelector;
  taints?: DeviceTaint[];
}

/** Part of `resource.k8s.io/v1`. */
export interface DeviceAllocationConfiguration {
  opaque?: OpaqueDeviceConfiguration;
  requests?: string[];
  source: 'FromClaim' | 'FromClass';
}

/** Part of `resource.k8s.io/v1`. */
export interface DeviceAllocationResult {
  config?: DeviceAllocationConfiguration[];
  results?: DeviceRequestAllocationResult[];
}

/** Part of `resource.k8s.io/v1`. */
export interface DeviceAttribute {
  bool?: boolean;
  bools?: boolean[];
  int?: number;
  ints?: number[];
  string?: string;
  strings?: string[];
  version?: string;
  versions?: string[];
}

/** Part of `resource.k8s.io/v1`. */
export interface DeviceCapacity {
  requestPolicy?: CapacityRequestPolicy;
  value: Quantity;
}

/** Part of `resource.k8s.io/v1`. */
export interface DeviceClaim {
  config?: DeviceClaimConfiguration[];
  constraints?: DeviceConstraint[];
  requests?: DeviceRequest[];
}

/** Part of `resource.k8s.io/v1`. */
export interface DeviceClaimConfiguration {
  opaque?: OpaqueDeviceConfiguration;
  requests?: string[];
}

/** `deviceclasses` of `resource.k8s.io/v1`, for the whole cluster. */
export interface DeviceClass {
  apiVersion: 'resource.k8s.io/v1';
  kind: 'DeviceClass';
  metadata: StoredObjectMeta;
  spec: DeviceClassSpec;
}

/** Part of `resource.k8s.io/v1`. */
export interface DeviceClassConfiguration {
  opaque?: OpaqueDeviceConfiguration;
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
  config?: DeviceClassConfiguration[];
  extendedResourceName?: string;
  selectors?: DeviceSelector[];
}

/** Part of `resource.k8s.io/v1`. */
export interface DeviceConstraint {
  distinctAttribute?: string;
  matchAttribute?: string;
  requests?: string[];
}

/** Part of `resource.k8s.io/v1`. */
export interface DeviceCounterConsumption {
  counterSet: string;
  counters: Record<string, Counter>;
}

/** Part of `resource.k8s.io/v1`. */
export interface DeviceRequest {
  exactly?: ExactDeviceRequest;
  firstAvailable?: DeviceSubRequest[];
  name: string;
}

/** Part of `resource.k8s.io/v1`. */
export interface DeviceRequestAllocationResult {
  adminAccess?: boolean;
  bindingConditions?: string[];
  bindingFailureConditions?: string[];
  consumedCapacity?: Record<string, Quantity>;
  device: string;
  driver: string;
  pool: string;
  request: string;
  shareID?: string;
  tolerations?: DeviceToleration[];
}

/** Part of `resource.k8s.io/v1`. */
export interface DeviceSelector {
  cel?: CELDeviceSelector;
}

/** Part of `resource.k8s.io/v1`. */
export interface DeviceSubRequest {
  allocationMode?: 'All' | 'ExactCount';
  capacity?: CapacityRequirements;
  count?: number;
  deviceClassName: string;
  name: string;
  selectors?: DeviceSelector[];
  tolerations?: DeviceToleration[];
}

/** Part of `resource.k8s.io/v1`. */
export interface DeviceTaint {
  effect: 'NoExecute' | 'NoSchedule' | 'None';
  key: string;
  timeAdded?: string;
  value?: string;
}

/** Part of `resource.k8s.io/v1`. */
export interface DeviceToleration {
  effect?: 'NoExecute' | 'NoSchedule' | 'None';
  key?: string;
  /** @default 'Equal' */
  operator?: 'Equal' | 'Exists';
  tolerationSeconds?: number;
  value?: string;
}

/** Part of `resource.k8s.io/v1`. */
export interface ExactDeviceRequest {
  adminAccess?: boolean;
  allocationMode?: 'All' | 'ExactCount';
  capacity?: CapacityRequirements;
  count?: number;
  deviceClassName: string;
  selectors?: DeviceSelector[];
  tolerations?: DeviceToleration[];
}

/** Part of `resource.k8s.io/v1`. */
export interface NetworkDeviceData {
  hardwareAddress?: string;
  interfaceName?: string;
  ips?: string[];
}

/** Part of `resource.k8s.io/v1`. */
export interface NodeAllocatableResourceMapping {
  allocationMultiplier?: Quantity;
  capacityKey?: string;
}

/** Part of `resource.k8s.io/v1`. */
export interface OpaqueDeviceConfiguration {
  driver: string;
  parameters: Record<string, unknown>;
}

/** `resourceclaims` of `resource.k8s.io/v1`, in a namespace. */
export interface ResourceClaim {
  apiVersion: 'resource.k8s.io/v1';
  kind: 'ResourceClaim';
  metadata: StoredObjectMeta;
  spec: ResourceClaimSpec;
  status?: ResourceClaimStatus;
}

/** Part of `resource.k8s.io/v1`. */
export interface ResourceClaimConsumerReference {
  apiGroup?: string;
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
  devices?: DeviceClaim;
}

/** Part of `resource.k8s.io/v1`. */
export interface ResourceClaimStatus {
  allocation?: AllocationResult;
  devices?: AllocatedDeviceStatus[];
  reservedFor?: ResourceClaimConsumerReference[];
}

/** `resourceclaimtemplates` of `resource.k8s.io/v1`, in a namespace. */
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
  metadata?: ObjectMeta;
  spec: ResourceClaimSpec;
}

/** Part of `resource.k8s.io/v1`. */
export interface ResourcePool {
  generation: number;
  name: string;
  resourceSliceCount: number;
}

/** `resourceslices` of `resource.k8s.io/v1`, for the whole cluster. */
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
  allNodes?: boolean;
  devices?: Device[];
  driver: string;
  nodeName?: string;
  nodeSelector?: NodeSelector;
  perDeviceNodeSelection?: boolean;
  pool: ResourcePool;
  sharedCounters?: CounterSet[];
}
