// Generated from Kubernetes v1.36.3 by `npm run generate`; do not edit.
// Types of core-v1.
import type { Condition, LabelSelector, ListMeta, ObjectMeta, StoredObjectMeta } from '../../meta/objects.js';
import type { IntOrString, Quantity } from './meta-v1.js';

/** Part of `v1`. */
export interface AWSElasticBlockStoreVolumeSource {
  fsType?: string;
  partition?: number;
  readOnly?: boolean;
  volumeID: string;
}

/** Part of `v1`. */
export interface Affinity {
  nodeAffinity?: NodeAffinity;
  podAffinity?: PodAffinity;
  podAntiAffinity?: PodAntiAffinity;
}

/** Part of `v1`. */
export interface AppArmorProfile {
  localhostProfile?: string;
  type: 'Localhost' | 'RuntimeDefault' | 'Unconfined';
}

/** Part of `v1`. */
export interface AttachedVolume {
  devicePath: string;
  name: string;
}

/** Part of `v1`. */
export interface AzureDiskVolumeSource {
  /** @default 'ReadWrite' */
  cachingMode?: 'None' | 'ReadOnly' | 'ReadWrite';
  diskName: string;
  diskURI: string;
  /** @default 'ext4' */
  fsType?: string;
  /** @default 'Shared' */
  kind?: 'Dedicated' | 'Managed' | 'Shared';
  readOnly?: boolean;
}

/** Part of `v1`. */
export interface AzureFilePersistentVolumeSource {
  readOnly?: boolean;
  secretName: string;
  secretNamespace?: string;
  shareName: string;
}

/** Part of `v1`. */
export interface AzureFileVolumeSource {
  readOnly?: boolean;
  secretName: string;
  shareName: string;
}

/** `bindings` of `v1`, in a namespace. */
export interface Binding {
  apiVersion: 'v1';
  kind: 'Binding';
  metadata: ObjectMeta;
  target: ObjectReference;
}

/** Part of `v1`. */
export interface CSIPersistentVolumeSource {
  controllerExpandSecretRef?: SecretReference;
  controllerPublishSecretRef?: SecretReference;
  driver: string;
  fsType?: string;
  nodeExpandSecretRef?: SecretReference;
  nodePublishSecretRef?: SecretReference;
  nodeStageSecretRef?: SecretReference;
  readOnly?: boolean;
  volumeAttributes?: Record<string, string>;
  volumeHandle: string;
}

/** Part of `v1`. */
export interface CSIVolumeSource {
  driver: string;
  fsType?: string;
  nodePublishSecretRef?: LocalObjectReference;
  readOnly?: boolean;
  volumeAttributes?: Record<string, string>;
}

/** Part of `v1`. */
export interface Capabilities {
  add?: string[];
  drop?: string[];
}

/** Part of `v1`. */
export interface CephFSPersistentVolumeSource {
  monitors: string[];
  path?: string;
  readOnly?: boolean;
  secretFile?: string;
  secretRef?: SecretReference;
  user?: string;
}

/** Part of `v1`. */
export interface CephFSVolumeSource {
  monitors: string[];
  path?: string;
  readOnly?: boolean;
  secretFile?: string;
  secretRef?: LocalObjectReference;
  user?: string;
}

/** Part of `v1`. */
export interface CinderPersistentVolumeSource {
  fsType?: string;
  readOnly?: boolean;
  secretRef?: SecretReference;
  volumeID: string;
}

/** Part of `v1`. */
export interface CinderVolumeSource {
  fsType?: string;
  readOnly?: boolean;
  secretRef?: LocalObjectReference;
  volumeID: string;
}

/** Part of `v1`. */
export interface ClientIPConfig {
  timeoutSeconds?: number;
}

/** Part of `v1`. */
export interface ClusterTrustBundleProjection {
  labelSelector?: LabelSelector;
  name?: string;
  optional?: boolean;
  path: string;
  signerName?: string;
}

/** Part of `v1`. */
export interface ComponentCondition {
  error?: string;
  message?: string;
  status: string;
  type: string;
}

/** `componentstatuses`, `cs` of `v1`, for the whole cluster. */
export interface ComponentStatus {
  apiVersion: 'v1';
  kind: 'ComponentStatus';
  conditions?: ComponentCondition[];
  metadata: StoredObjectMeta;
}

/** A list of {@link ComponentStatus}. */
export interface ComponentStatusList {
  apiVersion: 'v1';
  kind: 'ComponentStatusList';
  items: ComponentStatus[];
  metadata: ListMeta;
}

/** `configmaps`, `cm` of `v1`, in a namespace. */
export interface ConfigMap {
  apiVersion: 'v1';
  kind: 'ConfigMap';
  binaryData?: Record<string, string>;
  data?: Record<string, string>;
  immutable?: boolean;
  metadata: StoredObjectMeta;
}

/** Part of `v1`. */
export interface ConfigMapEnvSource {
  name?: string;
  optional?: boolean;
}

/** Part of `v1`. */
export interface ConfigMapKeySelector {
  key: string;
  name?: string;
  optional?: boolean;
}

/** A list of {@link ConfigMap}. */
export interface ConfigMapList {
  apiVersion: 'v1';
  kind: 'ConfigMapList';
  items: ConfigMap[];
  metadata: ListMeta;
}

/** Part of `v1`. */
export interface ConfigMapNodeConfigSource {
  kubeletConfigKey: string;
  name: string;
  namespace: string;
  resourceVersion?: string;
  uid?: string;
}

/** Part of `v1`. */
export interface ConfigMapProjection {
  items?: KeyToPath[];
  name?: string;
  optional?: boolean;
}

/** Part of `v1`. */
export interface ConfigMapVolumeSource {
  defaultMode?: number;
  items?: KeyToPath[];
  name?: string;
  optional?: boolean;
}

/** Part of `v1`. */
export interface Container {
  args?: string[];
  command?: string[];
  env?: EnvVar[];
  envFrom?: EnvFromSource[];
  image?: string;
  imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never';
  lifecycle?: Lifecycle;
  livenessProbe?: Probe;
  name: string;
  ports?: ContainerPort[];
  readinessProbe?: Probe;
  resizePolicy?: ContainerResizePolicy[];
  resources?: ResourceRequirements;
  restartPolicy?: string;
  restartPolicyRules?: ContainerRestartRule[];
  securityContext?: SecurityContext;
  startupProbe?: Probe;
  stdin?: boolean;
  stdinOnce?: boolean;
  terminationMessagePath?: string;
  terminationMessagePolicy?: 'FallbackToLogsOnError' | 'File';
  tty?: boolean;
  volumeDevices?: VolumeDevice[];
  volumeMounts?: VolumeMount[];
  workingDir?: string;
}

/** Part of `v1`. */
export interface ContainerExtendedResourceRequest {
  containerName: string;
  requestName: string;
  resourceName: string;
}

/** Part of `v1`. */
export interface ContainerImage {
  names?: string[];
  sizeBytes?: number;
}

/** Part of `v1`. */
export interface ContainerPort {
  containerPort: number;
  hostIP?: string;
  hostPort?: number;
  name?: string;
  /** @default 'TCP' */
  protocol?: 'SCTP' | 'TCP' | 'UDP';
}

/** Part of `v1`. */
export interface ContainerResizePolicy {
  resourceName: string;
  restartPolicy: string;
}

/** Part of `v1`. */
export interface ContainerRestartRule {
  action: string;
  exitCodes?: ContainerRestartRuleOnExitCodes;
}

/** Part of `v1`. */
export interface ContainerRestartRuleOnExitCodes {
  operator: string;
  values?: number[];
}

/** Part of `v1`. */
export interface ContainerState {
  running?: ContainerStateRunning;
  terminated?: ContainerStateTerminated;
  waiting?: ContainerStateWaiting;
}

/** Part of `v1`. */
export interface ContainerStateRunning {
  startedAt?: string;
}

/** Part of `v1`. */
export interface ContainerStateTerminated {
  containerID?: string;
  exitCode: number;
  finishedAt?: string;
  message?: string;
  reason?: string;
  signal?: number;
  startedAt?: string;
}

/** Part of `v1`. */
export interface ContainerStateWaiting {
  message?: string;
  reason?: string;
}

/** Part of `v1`. */
export interface ContainerStatus {
  allocatedResources?: Record<string, Quantity>;
  allocatedResourcesStatus?: ResourceStatus[];
  containerID?: string;
  image: string;
  imageID: string;
  lastState?: ContainerState;
  name: string;
  ready: boolean;
  resources?: ResourceRequirements;
  restartCount: number;
  started?: boolean;
  state?: ContainerState;
  stopSignal?: 'SIGABRT' | 'SIGALRM' | 'SIGBUS' | 'SIGCHLD' | 'SIGCLD' | 'SIGCONT' | 'SIGFPE' | 'SIGHUP' | 'SIGILL' | 'SIGINT' | 'SIGIO' | 'SIGIOT' | 'SIGKILL' | 'SIGPIPE' | 'SIGPOLL' | 'SIGPROF' | 'SIGPWR' | 'SIGQUIT' | 'SIGRTMAX' | 'SIGRTMAX-1' | 'SIGRTMAX-10' | 'SIGRTMAX-11' | 'SIGRTMAX-12' | 'SIGRTMAX-13' | 'SIGRTMAX-14' | 'SIGRTMAX-2' | 'SIGRTMAX-3' | 'SIGRTMAX-4' | 'SIGRTMAX-5' | 'SIGRTMAX-6' | 'SIGRTMAX-7' | 'SIGRTMAX-8' | 'SIGRTMAX-9' | 'SIGRTMIN' | 'SIGRTMIN+1' | 'SIGRTMIN+10' | 'SIGRTMIN+11' | 'SIGRTMIN+12' | 'SIGRTMIN+13' | 'SIGRTMIN+14' | 'SIGRTMIN+15' | 'SIGRTMIN+2' | 'SIGRTMIN+3' | 'SIGRTMIN+4' | 'SIGRTMIN+5' | 'SIGRTMIN+6' | 'SIGRTMIN+7' | 'SIGRTMIN+8' | 'SIGRTMIN+9' | 'SIGSEGV' | 'SIGSTKFLT' | 'SIGSTOP' | 'SIGSYS' | 'SIGTERM' | 'SIGTRAP' | 'SIGTSTP' | 'SIGTTIN' | 'SIGTTOU' | 'SIGURG' | 'SIGUSR1' | 'SIGUSR2' | 'SIGVTALRM' | 'SIGWINCH' | 'SIGXCPU' | 'SIGXFSZ';
  user?: ContainerUser;
  volumeMounts?: VolumeMountStatus[];
}

/** Part of `v1`. */
export interface ContainerUser {
  linux?: LinuxContainerUser;
}

/** Part of `v1`. */
export interface DaemonEndpoint {
  Port: number;
}

/** Part of `v1`. */
export interface DownwardAPIProjection {
  items?: DownwardAPIVolumeFile[];
}

/** Part of `v1`. */
export interface DownwardAPIVolumeFile {
  fieldRef?: ObjectFieldSelector;
  mode?: number;
  path: string;
  resourceFieldRef?: ResourceFieldSelector;
}

/** Part of `v1`. */
export interface DownwardAPIVolumeSource {
  defaultMode?: number;
  items?: DownwardAPIVolumeFile[];
}

/** Part of `v1`. */
export interface EmptyDirVolumeSource {
  medium?: string;
  sizeLimit?: Quantity;
}

/** Part of `v1`. */
export interface EndpointAddress {
  hostname?: string;
  ip: string;
  nodeName?: string;
  targetRef?: ObjectReference;
}

/** Part of `v1`. */
export interface EndpointPort {
  appProtocol?: string;
  name?: string;
  port: number;
  protocol?: 'SCTP' | 'TCP' | 'UDP';
}

/** Part of `v1`. */
export interface EndpointSubset {
  addresses?: EndpointAddress[];
  notReadyAddresses?: EndpointAddress[];
  ports?: EndpointPort[];
}

/** `endpoints`, `ep` of `v1`, in a namespace. */
export interface Endpoints {
  apiVersion: 'v1';
  kind: 'Endpoints';
  metadata: StoredObjectMeta;
  subsets?: EndpointSubset[];
}

/** A list of {@link Endpoints}. */
export interface EndpointsList {
  apiVersion: 'v1';
  kind: 'EndpointsList';
  items: Endpoints[];
  metadata: ListMeta;
}

/** Part of `v1`. */
export interface EnvFromSource {
  configMapRef?: ConfigMapEnvSource;
  prefix?: string;
  secretRef?: SecretEnvSource;
}

/** Part of `v1`. */
export interface EnvVar {
  name: string;
  value?: string;
  valueFrom?: EnvVarSource;
}

/** Part of `v1`. */
export interface EnvVarSource {
  configMapKeyRef?: ConfigMapKeySelector;
  fieldRef?: ObjectFieldSelector;
  fileKeyRef?: FileKeySelector;
  resourceFieldRef?: ResourceFieldSelector;
  secretKeyRef?: SecretKeySelector;
}

/** Part of `v1`. */
export interface EphemeralContainer {
  args?: string[];
  command?: string[];
  env?: EnvVar[];
  envFrom?: EnvFromSource[];
  image?: string;
  imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never';
  lifecycle?: Lifecycle;
  livenessProbe?: Probe;
  name: string;
  ports?: ContainerPort[];
  readinessProbe?: Probe;
  resizePolicy?: ContainerResizePolicy[];
  resources?: ResourceRequirements;
  restartPolicy?: string;
  restartPolicyRules?: ContainerRestartRule[];
  securityContext?: SecurityContext;
  startupProbe?: Probe;
  stdin?: boolean;
  stdinOnce?: boolean;
  targetContainerName?: string;
  terminationMessagePath?: string;
  terminationMessagePolicy?: 'FallbackToLogsOnError' | 'File';
  tty?: boolean;
  volumeDevices?: VolumeDevice[];
  volumeMounts?: VolumeMount[];
  workingDir?: string;
}

/** Part of `v1`. */
export interface EphemeralVolumeSource {
  volumeClaimTemplate?: PersistentVolumeClaimTemplate;
}

/** `events`, `ev` of `v1`, in a namespace. */
export interface Event {
  apiVersion: 'v1';
  kind: 'Event';
  action?: string;
  count?: number;
  eventTime?: string;
  firstTimestamp?: string;
  involvedObject: ObjectReference;
  lastTimestamp?: string;
  message?: string;
  metadata: StoredObjectMeta;
  reason?: string;
  related?: ObjectReference;
  reportingComponent?: string;
  reportingInstance?: string;
  series?: EventSeries;
  source?: EventSource;
  type?: string;
}

/** A list of {@link Event}. */
export interface EventList {
  apiVersion: 'v1';
  kind: 'EventList';
  items: Event[];
  metadata: ListMeta;
}

/** Part of `v1`. */
export interface EventSeries {
  count?: number;
  lastObservedTime?: string;
}

/** Part of `v1`. */
export interface EventSource {
  component?: string;
  host?: string;
}

/** Part of `v1`. */
export interface ExecAction {
  command?: string[];
}

/** Part of `v1`. */
export interface FCVolumeSource {
  fsType?: string;
  lun?: number;
  readOnly?: boolean;
  targetWWNs?: string[];
  wwids?: string[];
}

/** Part of `v1`. */
export interface FileKeySelector {
  key: string;
  optional?: boolean;
  path: string;
  volumeName: string;
}

/** Part of `v1`. */
export interface FlexPersistentVolumeSource {
  driver: string;
  fsType?: string;
  options?: Record<string, string>;
  readOnly?: boolean;
  secretRef?: SecretReference;
}

/** Part of `v1`. */
export interface FlexVolumeSource {
  driver: string;
  fsType?: string;
  options?: Record<string, string>;
  readOnly?: boolean;
  secretRef?: LocalObjectReference;
}

/** Part of `v1`. */
export interface FlockerVolumeSource {
  datasetName?: string;
  datasetUUID?: string;
}

/** Part of `v1`. */
export interface GCEPersistentDiskVolumeSource {
  fsType?: string;
  partition?: number;
  pdName: string;
  readOnly?: boolean;
}

/** Part of `v1`. */
export interface GRPCAction {
  port: number;
  service?: string;
}

/** Part of `v1`. */
export interface GitRepoVolumeSource {
  directory?: string;
  repository: string;
  revision?: string;
}

/** Part of `v1`. */
export interface GlusterfsPersistentVolumeSource {
  endpoints: string;
  endpointsNamespace?: string;
  path: string;
  readOnly?: boolean;
}

/** Part of `v1`. */
export interface GlusterfsVolumeSource {
  endpoints: string;
  path: string;
  readOnly?: boolean;
}

/** Part of `v1`. */
export interface HTTPGetAction {
  host?: string;
  httpHeaders?: HTTPHeader[];
  path?: string;
  port: IntOrString;
  scheme?: 'HTTP' | 'HTTPS';
}

/** Part of `v1`. */
export interface HTTPHeader {
  name: string;
  value: string;
}

/** Part of `v1`. */
export interface HostAlias {
  hostnames?: string[];
  ip: string;
}

/** Part of `v1`. */
export interface HostIP {
  ip: string;
}

/** Part of `v1`. */
export interface HostPathVolumeSource {
  path: string;
  type?: '' | 'BlockDevice' | 'CharDevice' | 'Directory' | 'DirectoryOrCreate' | 'File' | 'FileOrCreate' | 'Socket';
}

/** Part of `v1`. */
export interface ISCSIPersistentVolumeSource {
  chapAuthDiscovery?: boolean;
  chapAuthSession?: boolean;
  fsType?: string;
  initiatorName?: string;
  iqn: string;
  /** @default 'default' */
  iscsiInterface?: string;
  lun: number;
  portals?: string[];
  readOnly?: boolean;
  secretRef?: SecretReference;
  targetPortal: string;
}

/** Part of `v1`. */
export interface ISCSIVolumeSource {
  chapAuthDiscovery?: boolean;
  chapAuthSession?: boolean;
  fsType?: string;
  initiatorName?: string;
  iqn: string;
  /** @default 'default' */
  iscsiInterface?: string;
  lun: number;
  portals?: string[];
  readOnly?: boolean;
  secretRef?: LocalObjectReference;
  targetPortal: string;
}

/** Part of `v1`. */
export interface ImageVolumeSource {
  pullPolicy?: 'Always' | 'IfNotPresent' | 'Never';
  reference?: string;
}

/** Part of `v1`. */
export interface ImageVolumeStatus {
  imageRef: string;
}

/** Part of `v1`. */
export interface KeyToPath {
  key: string;
  mode?: number;
  path: string;
}

/** Part of `v1`. */
export interface Lifecycle {
  postStart?: LifecycleHandler;
  preStop?: LifecycleHandler;
  stopSignal?: 'SIGABRT' | 'SIGALRM' | 'SIGBUS' | 'SIGCHLD' | 'SIGCLD' | 'SIGCONT' | 'SIGFPE' | 'SIGHUP' | 'SIGILL' | 'SIGINT' | 'SIGIO' | 'SIGIOT' | 'SIGKILL' | 'SIGPIPE' | 'SIGPOLL' | 'SIGPROF' | 'SIGPWR' | 'SIGQUIT' | 'SIGRTMAX' | 'SIGRTMAX-1' | 'SIGRTMAX-10' | 'SIGRTMAX-11' | 'SIGRTMAX-12' | 'SIGRTMAX-13' | 'SIGRTMAX-14' | 'SIGRTMAX-2' | 'SIGRTMAX-3' | 'SIGRTMAX-4' | 'SIGRTMAX-5' | 'SIGRTMAX-6' | 'SIGRTMAX-7' | 'SIGRTMAX-8' | 'SIGRTMAX-9' | 'SIGRTMIN' | 'SIGRTMIN+1' | 'SIGRTMIN+10' | 'SIGRTMIN+11' | 'SIGRTMIN+12' | 'SIGRTMIN+13' | 'SIGRTMIN+14' | 'SIGRTMIN+15' | 'SIGRTMIN+2' | 'SIGRTMIN+3' | 'SIGRTMIN+4' | 'SIGRTMIN+5' | 'SIGRTMIN+6' | 'SIGRTMIN+7' | 'SIGRTMIN+8' | 'SIGRTMIN+9' | 'SIGSEGV' | 'SIGSTKFLT' | 'SIGSTOP' | 'SIGSYS' | 'SIGTERM' | 'SIGTRAP' | 'SIGTSTP' | 'SIGTTIN' | 'SIGTTOU' | 'SIGURG' | 'SIGUSR1' | 'SIGUSR2' | 'SIGVTALRM' | 'SIGWINCH' | 'SIGXCPU' | 'SIGXFSZ';
}

/** Part of `v1`. */
export interface LifecycleHandler {
  exec?: ExecAction;
  httpGet?: HTTPGetAction;
  sleep?: SleepAction;
  tcpSocket?: TCPSocketAction;
}

/** `limitranges`, `limits` of `v1`, in a namespace. */
export interface LimitRange {
  apiVersion: 'v1';
  kind: 'LimitRange';
  metadata: StoredObjectMeta;
  spec?: LimitRangeSpec;
}

/** Part of `v1`. */
export interface LimitRangeItem {
  default?: Record<string, Quantity>;
  defaultRequest?: Record<string, Quantity>;
  max?: Record<string, Quantity>;
  maxLimitRequestRatio?: Record<string, Quantity>;
  min?: Record<string, Quantity>;
  type: string;
}

/** A list of {@link LimitRange}. */
export interface LimitRangeList {
  apiVersion: 'v1';
  kind: 'LimitRangeList';
  items: LimitRange[];
  metadata: ListMeta;
}

/** Part of `v1`. */
export interface LimitRangeSpec {
  limits: LimitRangeItem[];
}

/** Part of `v1`. */
export interface LinuxContainerUser {
  gid: number;
  supplementalGroups?: number[];
  uid: number;
}

/** Part of `v1`. */
export interface LoadBalancerIngress {
  hostname?: string;
  ip?: string;
  ipMode?: string;
  ports?: PortStatus[];
}

/** Part of `v1`. */
export interface LoadBalancerStatus {
  ingress?: LoadBalancerIngress[];
}

/** Part of `v1`. */
export interface LocalObjectReference {
  name?: string;
}

/** Part of `v1`. */
export interface LocalVolumeSource {
  fsType?: string;
  path: string;
}

/** Part of `v1`. */
export interface ModifyVolumeStatus {
  status: 'InProgress' | 'Infeasible' | 'Pending';
  targetVolumeAttributesClassName?: string;
}

/** Part of `v1`. */
export interface NFSVolumeSource {
  path: string;
  readOnly?: boolean;
  server: string;
}

/** `namespaces`, `ns` of `v1`, for the whole cluster. */
export interface Namespace {
  apiVersion: 'v1';
  kind: 'Namespace';
  metadata: StoredObjectMeta;
  spec?: NamespaceSpec;
  status?: NamespaceStatus;
}

/** Part of `v1`. */
export interface NamespaceCondition {
  lastTransitionTime?: string;
  message?: string;
  reason?: string;
  status: string;
  type: string;
}

/** A list of {@link Namespace}. */
export interface NamespaceList {
  apiVersion: 'v1';
  kind: 'NamespaceList';
  items: Namespace[];
  metadata: ListMeta;
}

/** Part of `v1`. */
export interface NamespaceSpec {
  finalizers?: string[];
}

/** Part of `v1`. */
export interface NamespaceStatus {
  conditions?: NamespaceCondition[];
  phase?: 'Active' | 'Terminating';
}

/** `nodes`, `no` of `v1`, for the whole cluster. */
export interface Node {
  apiVersion: 'v1';
  kind: 'Node';
  metadata: StoredObjectMeta;
  spec?: NodeSpec;
  status?: NodeStatus;
}

/** Part of `v1`. */
export interface NodeAddress {
  address: string;
  type: string;
}

/** Part of `v1`. */
export interface NodeAffinity {
  preferredDuringSchedulingIgnoredDuringExecution?: PreferredSchedulingTerm[];
  requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector;
}

/** Part of `v1`. */
export interface NodeAllocatableResourceClaimStatus {
  containers?: string[];
  resourceClaimName: string;
  resources: Record<string, Quantity>;
}

/** Part of `v1`. */
export interface NodeCondition {
  lastHeartbeatTime?: string;
  lastTransitionTime?: string;
  message?: string;
  reason?: string;
  status: string;
  type: string;
}

/** Part of `v1`. */
export interface NodeConfigSource {
  configMap?: ConfigMapNodeConfigSource;
}

/** Part of `v1`. */
export interface NodeConfigStatus {
  active?: NodeConfigSource;
  assigned?: NodeConfigSource;
  error?: string;
  lastKnownGood?: NodeConfigSource;
}

/** Part of `v1`. */
export interface NodeDaemonEndpoints {
  kubeletEndpoint?: DaemonEndpoint;
}

/** Part of `v1`. */
export interface NodeFeatures {
  supplementalGroupsPolicy?: boolean;
}

/** A list of {@link Node}. */
export interface NodeList {
  apiVersion: 'v1';
  kind: 'NodeList';
  items: Node[];
  metadata: ListMeta;
}

/** Part of `v1`. */
export interface NodeRuntimeHandler {
  features?: NodeRuntimeHandlerFeatures;
  name?: string;
}

/** Part of `v1`. */
export interface NodeRuntimeHandlerFeatures {
  recursiveReadOnlyMounts?: boolean;
  userNamespaces?: boolean;
}

/** Part of `v1`. */
export interface NodeSelector {
  nodeSelectorTerms: NodeSelectorTerm[];
}

/** Part of `v1`. */
export interface NodeSelectorRequirement {
  key: string;
  operator: 'DoesNotExist' | 'Exists' | 'Gt' | 'In' | 'Lt' | 'NotIn';
  values?: string[];
}

/** Part of `v1`. */
export interface NodeSelectorTerm {
  matchExpressions?: NodeSelectorRequirement[];
  matchFields?: NodeSelectorRequirement[];
}

/** Part of `v1`. */
export interface NodeSpec {
  configSource?: NodeConfigSource;
  externalID?: string;
  podCIDR?: string;
  podCIDRs?: string[];
  providerID?: string;
  taints?: Taint[];
  unschedulable?: boolean;
}

/** Part of `v1`. */
export interface NodeStatus {
  addresses?: NodeAddress[];
  allocatable?: Record<string, Quantity>;
  capacity?: Record<string, Quantity>;
  conditions?: NodeCondition[];
  config?: NodeConfigStatus;
  daemonEndpoints?: NodeDaemonEndpoints;
  declaredFeatures?: string[];
  features?: NodeFeatures;
  images?: ContainerImage[];
  nodeInfo?: NodeSystemInfo;
  phase?: 'Pending' | 'Running' | 'Terminated';
  runtimeHandlers?: NodeRuntimeHandler[];
  volumesAttached?: AttachedVolume[];
  volumesInUse?: string[];
}

/** Part of `v1`. */
export interface NodeSwapStatus {
  capacity?: number;
}

/** Part of `v1`. */
export interface NodeSystemInfo {
  architecture: string;
  bootID: string;
  containerRuntimeVersion: string;
  kernelVersion: string;
  kubeProxyVersion: string;
  kubeletVersion: string;
  machineID: string;
  operatingSystem: string;
  osImage: string;
  swap?: NodeSwapStatus;
  systemUUID: string;
}

/** Part of `v1`. */
export interface ObjectFieldSelector {
  apiVersion?: string;
  fieldPath: string;
}

/** Part of `v1`. */
export interface ObjectReference {
  apiVersion?: string;
  fieldPath?: string;
  kind?: string;
  name?: string;
  namespace?: string;
  resourceVersion?: string;
  uid?: string;
}

/** `persistentvolumes`, `pv` of `v1`, for the whole cluster. */
export interface PersistentVolume {
  apiVersion: 'v1';
  kind: 'PersistentVolume';
  metadata: StoredObjectMeta;
  spec?: PersistentVolumeSpec;
  status?: PersistentVolumeStatus;
}

/** `persistentvolumeclaims`, `pvc` of `v1`, in a namespace. */
export interface PersistentVolumeClaim {
  apiVersion: 'v1';
  kind: 'PersistentVolumeClaim';
  metadata: StoredObjectMeta;
  spec?: PersistentVolumeClaimSpec;
  status?: PersistentVolumeClaimStatus;
}

/** Part of `v1`. */
export interface PersistentVolumeClaimCondition {
  lastProbeTime?: string;
  lastTransitionTime?: string;
  message?: string;
  reason?: string;
  status: string;
  type: string;
}

/** A list of {@link PersistentVolumeClaim}. */
export interface PersistentVolumeClaimList {
  apiVersion: 'v1';
  kind: 'PersistentVolumeClaimList';
  items: PersistentVolumeClaim[];
  metadata: ListMeta;
}

/** Part of `v1`. */
export interface PersistentVolumeClaimSpec {
  accessModes?: ('ReadOnlyMany' | 'ReadWriteMany' | 'ReadWriteOnce' | 'ReadWriteOncePod')[];
  dataSource?: TypedLocalObjectReference;
  dataSourceRef?: TypedObjectReference;
  resources?: VolumeResourceRequirements;
  selector?: LabelSelector;
  storageClassName?: string;
  volumeAttributesClassName?: string;
  volumeMode?: 'Block' | 'Filesystem';
  volumeName?: string;
}

/** Part of `v1`. */
export interface PersistentVolumeClaimStatus {
  accessModes?: ('ReadOnlyMany' | 'ReadWriteMany' | 'ReadWriteOnce' | 'ReadWriteOncePod')[];
  allocatedResourceStatuses?: Record<string, 'ControllerResizeInProgress' | 'ControllerResizeInfeasible' | 'NodeResizeInProgress' | 'NodeResizeInfeasible' | 'NodeResizePending'>;
  allocatedResources?: Record<string, Quantity>;
  capacity?: Record<string, Quantity>;
  conditions?: PersistentVolumeClaimCondition[];
  currentVolumeAttributesClassName?: string;
  modifyVolumeStatus?: ModifyVolumeStatus;
  phase?: 'Bound' | 'Lost' | 'Pending';
}

/** Part of `v1`. */
export interface PersistentVolumeClaimTemplate {
  metadata?: ObjectMeta;
  spec: PersistentVolumeClaimSpec;
}

/** Part of `v1`. */
export interface PersistentVolumeClaimVolumeSource {
  claimName: string;
  readOnly?: boolean;
}

/** A list of {@link PersistentVolume}. */
export interface PersistentVolumeList {
  apiVersion: 'v1';
  kind: 'PersistentVolumeList';
  items: PersistentVolume[];
  metadata: ListMeta;
}

/** Part of `v1`. */
export interface PersistentVolumeSpec {
  accessModes?: ('ReadOnlyMany' | 'ReadWriteMany' | 'ReadWriteOnce' | 'ReadWriteOncePod')[];
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource;
  azureDisk?: AzureDiskVolumeSource;
  azureFile?: AzureFilePersistentVolumeSource;
  capacity?: Record<string, Quantity>;
  cephfs?: CephFSPersistentVolumeSource;
  cinder?: CinderPersistentVolumeSource;
  claimRef?: ObjectReference;
  csi?: CSIPersistentVolumeSource;
  fc?: FCVolumeSource;
  flexVolume?: FlexPersistentVolumeSource;
  flocker?: FlockerVolumeSource;
  gcePersistentDisk?: GCEPersistentDiskVolumeSource;
  glusterfs?: GlusterfsPersistentVolumeSource;
  hostPath?: HostPathVolumeSource;
  iscsi?: ISCSIPersistentVolumeSource;
  local?: LocalVolumeSource;
  mountOptions?: string[];
  nfs?: NFSVolumeSource;
  nodeAffinity?: VolumeNodeAffinity;
  persistentVolumeReclaimPolicy?: 'Delete' | 'Recycle' | 'Retain';
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource;
  portworxVolume?: PortworxVolumeSource;
  quobyte?: QuobyteVolumeSource;
  rbd?: RBDPersistentVolumeSource;
  scaleIO?: ScaleIOPersistentVolumeSource;
  storageClassName?: string;
  storageos?: StorageOSPersistentVolumeSource;
  volumeAttributesClassName?: string;
  volumeMode?: 'Block' | 'Filesystem';
  vsphereVolume?: VsphereVirtualDiskVolumeSource;
}

/** Part of `v1`. */
export interface PersistentVolumeStatus {
  lastPhaseTransitionTime?: string;
  message?: string;
  phase?: 'Available' | 'Bound' | 'Failed' | 'Pending' | 'Released';
  reason?: string;
}

/** Part of `v1`. */
export interface PhotonPersistentDiskVolumeSource {
  fsType?: string;
  pdID: string;
}

/** `pods`, `po` of `v1`, in a namespace. */
export interface Pod {
  apiVersion: 'v1';
  kind: 'Pod';
  metadata: StoredObjectMeta;
  spec?: PodSpec;
  status?: PodStatus;
}

/** Part of `v1`. */
export interface PodAffinity {
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[];
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[];
}

/** Part of `v1`. */
export interface PodAffinityTerm {
  labelSelector?: LabelSelector;
  matchLabelKeys?: string[];
  mismatchLabelKeys?: string[];
  namespaceSelector?: LabelSelector;
  namespaces?: string[];
  topologyKey: string;
}

/** Part of `v1`. */
export interface PodAntiAffinity {
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[];
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[];
}

/** Part of `v1`. */
export interface PodCertificateProjection {
  certificateChainPath?: string;
  credentialBundlePath?: string;
  keyPath?: string;
  keyType: string;
  maxExpirationSeconds?: number;
  signerName: string;
  userAnnotations?: Record<string, string>;
}

/** Part of `v1`. */
export interface PodCondition {
  lastProbeTime?: string;
  lastTransitionTime?: string;
  message?: string;
  observedGeneration?: number;
  reason?: string;
  status: string;
  type: string;
}

/** Part of `v1`. */
export interface PodDNSConfig {
  nameservers?: string[];
  options?: PodDNSConfigOption[];
  searches?: string[];
}

/** Part of `v1`. */
export interface PodDNSConfigOption {
  name?: string;
  value?: string;
}

/** Part of `v1`. */
export interface PodExtendedResourceClaimStatus {
  requestMappings: ContainerExtendedResourceRequest[];
  resourceClaimName: string;
}

/** Part of `v1`. */
export interface PodIP {
  ip: string;
}

/** A list of {@link Pod}. */
export interface PodList {
  apiVersion: 'v1';
  kind: 'PodList';
  items: Pod[];
  metadata: ListMeta;
}

/** Part of `v1`. */
export interface PodOS {
  name: string;
}

/** Part of `v1`. */
export interface PodReadinessGate {
  conditionType: string;
}

/** Part of `v1`. */
export interface PodResourceClaim {
  name: string;
  resourceClaimName?: string;
  resourceClaimTemplateName?: string;
}

/** Part of `v1`. */
export interface PodResourceClaimStatus {
  name: string;
  resourceClaimName?: string;
}

/** Part of `v1`. */
export interface PodSchedulingGate {
  name: string;
}

/** Part of `v1`. */
export interface PodSchedulingGroup {
  podGroupName?: string;
}

/** Part of `v1`. */
export interface PodSecurityContext {
  appArmorProfile?: AppArmorProfile;
  fsGroup?: number;
  fsGroupChangePolicy?: 'Always' | 'OnRootMismatch';
  runAsGroup?: number;
  runAsNonRoot?: boolean;
  runAsUser?: number;
  seLinuxChangePolicy?: string;
  seLinuxOptions?: SELinuxOptions;
  seccompProfile?: SeccompProfile;
  supplementalGroups?: number[];
  supplementalGroupsPolicy?: 'Merge' | 'Strict';
  sysctls?: Sysctl[];
  windowsOptions?: WindowsSecurityContextOptions;
}

/** Part of `v1`. */
export interface PodSpec {
  activeDeadlineSeconds?: number;
  affinity?: Affinity;
  automountServiceAccountToken?: boolean;
  containers: Container[];
  dnsConfig?: PodDNSConfig;
  dnsPolicy?: 'ClusterFirst' | 'ClusterFirstWithHostNet' | 'Default' | 'None';
  enableServiceLinks?: boolean;
  ephemeralContainers?: EphemeralContainer[];
  hostAliases?: HostAlias[];
  hostIPC?: boolean;
  hostNetwork?: boolean;
  hostPID?: boolean;
  hostUsers?: boolean;
  hostname?: string;
  hostnameOverride?: string;
  imagePullSecrets?: LocalObjectReference[];
  initContainers?: Container[];
  nodeName?: string;
  nodeSelector?: Record<string, string>;
  os?: PodOS;
  overhead?: Record<string, Quantity>;
  preemptionPolicy?: 'Never' | 'PreemptLowerPriority';
  priority?: number;
  priorityClassName?: string;
  readinessGates?: PodReadinessGate[];
  resourceClaims?: PodResourceClaim[];
  resources?: ResourceRequirements;
  restartPolicy?: 'Always' | 'Never' | 'OnFailure';
  runtimeClassName?: string;
  schedulerName?: string;
  schedulingGates?: PodSchedulingGate[];
  schedulingGroup?: PodSchedulingGroup;
  securityContext?: PodSecurityContext;
  serviceAccount?: string;
  serviceAccountName?: string;
  setHostnameAsFQDN?: boolean;
  shareProcessNamespace?: boolean;
  subdomain?: string;
  terminationGracePeriodSeconds?: number;
  tolerations?: Toleration[];
  topologySpreadConstraints?: TopologySpreadConstraint[];
  volumes?: Volume[];
}

/** Part of `v1`. */
export interface PodStatus {
  allocatedResources?: Record<string, Quantity>;
  conditions?: PodCondition[];
  containerStatuses?: ContainerStatus[];
  ephemeralContainerStatuses?: ContainerStatus[];
  extendedResourceClaimStatus?: PodExtendedResourceClaimStatus;
  hostIP?: string;
  hostIPs?: HostIP[];
  initContainerStatuses?: ContainerStatus[];
  message?: string;
  nodeAllocatableResourceClaimStatuses?: NodeAllocatableResourceClaimStatus[];
  nominatedNodeName?: string;
  observedGeneration?: number;
  phase?: 'Failed' | 'Pending' | 'Running' | 'Succeeded' | 'Unknown';
  podIP?: string;
  podIPs?: PodIP[];
  qosClass?: 'BestEffort' | 'Burstable' | 'Guaranteed';
  reason?: string;
  resize?: string;
  resourceClaimStatuses?: PodResourceClaimStatus[];
  resources?: ResourceRequirements;
  startTime?: string;
}

/** `podtemplates` of `v1`, in a namespace. */
export interface PodTemplate {
  apiVersion: 'v1';
  kind: 'PodTemplate';
  metadata: StoredObjectMeta;
  template?: PodTemplateSpec;
}

/** A list of {@link PodTemplate}. */
export interface PodTemplateList {
  apiVersion: 'v1';
  kind: 'PodTemplateList';
  items: PodTemplate[];
  metadata: ListMeta;
}

/** Part of `v1`. */
export interface PodTemplateSpec {
  metadata?: ObjectMeta;
  spec?: PodSpec;
}

/** Part of `v1`. */
export interface PortStatus {
  error?: string;
  port: number;
  protocol: 'SCTP' | 'TCP' | 'UDP';
}

/** Part of `v1`. */
export interface PortworxVolumeSource {
  fsType?: string;
  readOnly?: boolean;
  volumeID: string;
}

/** Part of `v1`. */
export interface PreferredSchedulingTerm {
  preference: NodeSelectorTerm;
  weight: number;
}

/** Part of `v1`. */
export interface Probe {
  exec?: ExecAction;
  failureThreshold?: number;
  grpc?: GRPCAction;
  httpGet?: HTTPGetAction;
  initialDelaySeconds?: number;
  periodSeconds?: number;
  successThreshold?: number;
  tcpSocket?: TCPSocketAction;
  terminationGracePeriodSeconds?: number;
  timeoutSeconds?: number;
}

/** Part of `v1`. */
export interface ProjectedVolumeSource {
  defaultMode?: number;
  sources?: VolumeProjection[];
}

/** Part of `v1`. */
export interface QuobyteVolumeSource {
  group?: string;
  readOnly?: boolean;
  registry: string;
  tenant?: string;
  user?: string;
  volume: string;
}

/** Part of `v1`. */
export interface RBDPersistentVolumeSource {
  fsType?: string;
  image: string;
  /** @default '/etc/ceph/keyring' */
  keyring?: string;
  monitors: string[];
  /** @default 'rbd' */
  pool?: string;
  readOnly?: boolean;
  secretRef?: SecretReference;
  /** @default 'admin' */
  user?: string;
}

/** Part of `v1`. */
export interface RBDVolumeSource {
  fsType?: string;
  image: string;
  /** @default '/etc/ceph/keyring' */
  keyring?: string;
  monitors: string[];
  /** @default 'rbd' */
  pool?: string;
  readOnly?: boolean;
  secretRef?: LocalObjectReference;
  /** @default 'admin' */
  user?: string;
}

/** `replicationcontrollers`, `rc` of `v1`, in a namespace. */
export interface ReplicationController {
  apiVersion: 'v1';
  kind: 'ReplicationController';
  metadata: StoredObjectMeta;
  spec?: ReplicationControllerSpec;
  status?: ReplicationControllerStatus;
}

/** Part of `v1`. */
export interface ReplicationControllerCondition {
  lastTransitionTime?: string;
  message?: string;
  reason?: string;
  status: string;
  type: string;
}

/** A list of {@link ReplicationController}. */
export interface ReplicationControllerList {
  apiVersion: 'v1';
  kind: 'ReplicationControllerList';
  items: ReplicationController[];
  metadata: ListMeta;
}

/** Part of `v1`. */
export interface ReplicationControllerSpec {
  minReadySeconds?: number;
  /** @default 1 */
  replicas?: number;
  selector?: Record<string, string>;
  template?: PodTemplateSpec;
}

/** Part of `v1`. */
export interface ReplicationControllerStatus {
  availableReplicas?: number;
  conditions?: ReplicationControllerCondition[];
  fullyLabeledReplicas?: number;
  observedGeneration?: number;
  readyReplicas?: number;
  replicas: number;
}

/** Part of `v1`. */
export interface ResourceClaim {
  name: string;
  request?: string;
}

/** Part of `v1`. */
export interface ResourceFieldSelector {
  containerName?: string;
  divisor?: Quantity;
  resource: string;
}

/** Part of `v1`. */
export interface ResourceHealth {
  health?: string;
  message?: string;
  resourceID: string;
}

/** `resourcequotas`, `quota` of `v1`, in a namespace. */
export interface ResourceQuota {
  apiVersion: 'v1';
  kind: 'ResourceQuota';
  metadata: StoredObjectMeta;
  spec?: ResourceQuotaSpec;
  status?: ResourceQuotaStatus;
}

/** A list of {@link ResourceQuota}. */
export interface ResourceQuotaList {
  apiVersion: 'v1';
  kind: 'ResourceQuotaList';
  items: ResourceQuota[];
  metadata: ListMeta;
}

/** Part of `v1`. */
export interface ResourceQuotaSpec {
  hard?: Record<string, Quantity>;
  scopeSelector?: ScopeSelector;
  scopes?: ('BestEffort' | 'CrossNamespacePodAffinity' | 'NotBestEffort' | 'NotTerminating' | 'PriorityClass' | 'Terminating' | 'VolumeAttributesClass')[];
}

/** Part of `v1`. */
export interface ResourceQuotaStatus {
  hard?: Record<string, Quantity>;
  used?: Record<string, Quantity>;
}

/** Part of `v1`. */
export interface ResourceRequirements {
  claims?: ResourceClaim[];
  limits?: Record<string, Quantity>;
  requests?: Record<string, Quantity>;
}

/** Part of `v1`. */
export interface ResourceStatus {
  name: string;
  resources?: ResourceHealth[];
}

/** Part of `v1`. */
export interface SELinuxOptions {
  level?: string;
  role?: string;
  type?: string;
  user?: string;
}

/** Part of `v1`. */
export interface ScaleIOPersistentVolumeSource {
  /** @default 'xfs' */
  fsType?: string;
  gateway: string;
  protectionDomain?: string;
  readOnly?: boolean;
  secretRef: SecretReference;
  sslEnabled?: boolean;
  /** @default 'ThinProvisioned' */
  storageMode?: string;
  storagePool?: string;
  system: string;
  volumeName?: string;
}

/** Part of `v1`. */
export interface ScaleIOVolumeSource {
  /** @default 'xfs' */
  fsType?: string;
  gateway: string;
  protectionDomain?: string;
  readOnly?: boolean;
  secretRef: LocalObjectReference;
  sslEnabled?: boolean;
  /** @default 'ThinProvisioned' */
  storageMode?: string;
  storagePool?: string;
  system: string;
  volumeName?: string;
}

/** Part of `v1`. */
export interface ScopeSelector {
  matchExpressions?: ScopedResourceSelectorRequirement[];
}

/** Part of `v1`. */
export interface ScopedResourceSelectorRequirement {
  operator: 'DoesNotExist' | 'Exists' | 'In' | 'NotIn';
  scopeName: 'BestEffort' | 'CrossNamespacePodAffinity' | 'NotBestEffort' | 'NotTerminating' | 'PriorityClass' | 'Terminating' | 'VolumeAttributesClass';
  values?: string[];
}

/** Part of `v1`. */
export interface SeccompProfile {
  localhostProfile?: string;
  type: 'Localhost' | 'RuntimeDefault' | 'Unconfined';
}

/** `secrets` of `v1`, in a namespace. */
export interface Secret {
  apiVersion: 'v1';
  kind: 'Secret';
  data?: Record<string, string>;
  immutable?: boolean;
  metadata: StoredObjectMeta;
  stringData?: Record<string, string>;
  type?: string;
}

/** Part of `v1`. */
export interface SecretEnvSource {
  name?: string;
  optional?: boolean;
}

/** Part of `v1`. */
export interface SecretKeySelector {
  key: string;
  name?: string;
  optional?: boolean;
}

/** A list of {@link Secret}. */
export interface SecretList {
  apiVersion: 'v1';
  kind: 'SecretList';
  items: Secret[];
  metadata: ListMeta;
}

/** Part of `v1`. */
export interface SecretProjection {
  items?: KeyToPath[];
  name?: string;
  optional?: boolean;
}

/** Part of `v1`. */
export interface SecretReference {
  name?: string;
  namespace?: string;
}

/** Part of `v1`. */
export interface SecretVolumeSource {
  defaultMode?: number;
  items?: KeyToPath[];
  optional?: boolean;
  secretName?: string;
}

/** Part of `v1`. */
export interface SecurityContext {
  allowPrivilegeEscalation?: boolean;
  appArmorProfile?: AppArmorProfile;
  capabilities?: Capabilities;
  privileged?: boolean;
  procMount?: 'Default' | 'Unmasked';
  readOnlyRootFilesystem?: boolean;
  runAsGroup?: number;
  runAsNonRoot?: boolean;
  runAsUser?: number;
  seLinuxOptions?: SELinuxOptions;
  seccompProfile?: SeccompProfile;
  windowsOptions?: WindowsSecurityContextOptions;
}

/** `services`, `svc` of `v1`, in a namespace. */
export interface Service {
  apiVersion: 'v1';
  kind: 'Service';
  metadata: StoredObjectMeta;
  spec?: ServiceSpec;
  status?: ServiceStatus;
}

/** `serviceaccounts`, `sa` of `v1`, in a namespace. */
export interface ServiceAccount {
  apiVersion: 'v1';
  kind: 'ServiceAccount';
  automountServiceAccountToken?: boolean;
  imagePullSecrets?: LocalObjectReference[];
  metadata: StoredObjectMeta;
  secrets?: ObjectReference[];
}

/** A list of {@link ServiceAccount}. */
export interface ServiceAccountList {
  apiVersion: 'v1';
  kind: 'ServiceAccountList';
  items: ServiceAccount[];
  metadata: ListMeta;
}

/** Part of `v1`. */
export interface ServiceAccountTokenProjection {
  audience?: string;
  expirationSeconds?: number;
  path: string;
}

/** A list of {@link Service}. */
export interface ServiceList {
  apiVersion: 'v1';
  kind: 'ServiceList';
  items: Service[];
  metadata: ListMeta;
}

/** Part of `v1`. */
export interface ServicePort {
  appProtocol?: string;
  name?: string;
  nodePort?: number;
  port: number;
  /** @default 'TCP' */
  protocol?: 'SCTP' | 'TCP' | 'UDP';
  targetPort?: IntOrString;
}

/** Part of `v1`. */
export interface ServiceSpec {
  allocateLoadBalancerNodePorts?: boolean;
  clusterIP?: string;
  clusterIPs?: string[];
  externalIPs?: string[];
  externalName?: string;
  externalTrafficPolicy?: 'Cluster' | 'Local';
  healthCheckNodePort?: number;
  internalTrafficPolicy?: 'Cluster' | 'Local';
  ipFamilies?: ('' | 'IPv4' | 'IPv6')[];
  ipFamilyPolicy?: 'PreferDualStack' | 'RequireDualStack' | 'SingleStack';
  loadBalancerClass?: string;
  loadBalancerIP?: string;
  loadBalancerSourceRanges?: string[];
  ports?: ServicePort[];
  publishNotReadyAddresses?: boolean;
  selector?: Record<string, string>;
  sessionAffinity?: 'ClientIP' | 'None';
  sessionAffinityConfig?: SessionAffinityConfig;
  trafficDistribution?: string;
  type?: 'ClusterIP' | 'ExternalName' | 'LoadBalancer' | 'NodePort';
}

/** Part of `v1`. */
export interface ServiceStatus {
  conditions?: Condition[];
  loadBalancer?: LoadBalancerStatus;
}

/** Part of `v1`. */
export interface SessionAffinityConfig {
  clientIP?: ClientIPConfig;
}

/** Part of `v1`. */
export interface SleepAction {
  seconds: number;
}

/** Part of `v1`. */
export interface StorageOSPersistentVolumeSource {
  fsType?: string;
  readOnly?: boolean;
  secretRef?: ObjectReference;
  volumeName?: string;
  volumeNamespace?: string;
}

/** Part of `v1`. */
export interface StorageOSVolumeSource {
  fsType?: string;
  readOnly?: boolean;
  secretRef?: LocalObjectReference;
  volumeName?: string;
  volumeNamespace?: string;
}

/** Part of `v1`. */
export interface Sysctl {
  name: string;
  value: string;
}

/** Part of `v1`. */
export interface TCPSocketAction {
  host?: string;
  port: IntOrString;
}

/** Part of `v1`. */
export interface Taint {
  effect: 'NoExecute' | 'NoSchedule' | 'PreferNoSchedule';
  key: string;
  timeAdded?: string;
  value?: string;
}

/** Part of `v1`. */
export interface Toleration {
  effect?: 'NoExecute' | 'NoSchedule' | 'PreferNoSchedule';
  key?: string;
  operator?: 'Equal' | 'Exists' | 'Gt' | 'Lt';
  tolerationSeconds?: number;
  value?: string;
}

/** Part of `v1`. */
export interface TopologySelectorLabelRequirement {
  key: string;
  values: string[];
}

/** Part of `v1`. */
export interface TopologySelectorTerm {
  matchLabelExpressions?: TopologySelectorLabelRequirement[];
}

/** Part of `v1`. */
export interface TopologySpreadConstraint {
  labelSelector?: LabelSelector;
  matchLabelKeys?: string[];
  maxSkew: number;
  minDomains?: number;
  nodeAffinityPolicy?: 'Honor' | 'Ignore';
  nodeTaintsPolicy?: 'Honor' | 'Ignore';
  topologyKey: string;
  whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway';
}

/** Part of `v1`. */
export interface TypedLocalObjectReference {
  apiGroup?: string;
  kind: string;
  name: string;
}

/** Part of `v1`. */
export interface TypedObjectReference {
  apiGroup?: string;
  kind: string;
  name: string;
  namespace?: string;
}

/** Part of `v1`. */
export interface Volume {
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource;
  azureDisk?: AzureDiskVolumeSource;
  azureFile?: AzureFileVolumeSource;
  cephfs?: CephFSVolumeSource;
  cinder?: CinderVolumeSource;
  configMap?: ConfigMapVolumeSource;
  csi?: CSIVolumeSource;
  downwardAPI?: DownwardAPIVolumeSource;
  emptyDir?: EmptyDirVolumeSource;
  ephemeral?: EphemeralVolumeSource;
  fc?: FCVolumeSource;
  flexVolume?: FlexVolumeSource;
  flocker?: FlockerVolumeSource;
  gcePersistentDisk?: GCEPersistentDiskVolumeSource;
  gitRepo?: GitRepoVolumeSource;
  glusterfs?: GlusterfsVolumeSource;
  hostPath?: HostPathVolumeSource;
  image?: ImageVolumeSource;
  iscsi?: ISCSIVolumeSource;
  name: string;
  nfs?: NFSVolumeSource;
  persistentVolumeClaim?: PersistentVolumeClaimVolumeSource;
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource;
  portworxVolume?: PortworxVolumeSource;
  projected?: ProjectedVolumeSource;
  quobyte?: QuobyteVolumeSource;
  rbd?: RBDVolumeSource;
  scaleIO?: ScaleIOVolumeSource;
  secret?: SecretVolumeSource;
  storageos?: StorageOSVolumeSource;
  vsphereVolume?: VsphereVirtualDiskVolumeSource;
}

/** Part of `v1`. */
export interface VolumeDevice {
  devicePath: string;
  name: string;
}

/** Part of `v1`. */
export interface VolumeMount {
  mountPath: string;
  mountPropagation?: 'Bidirectional' | 'HostToContainer' | 'None';
  name: string;
  readOnly?: boolean;
  recursiveReadOnly?: string;
  subPath?: string;
  subPathExpr?: string;
}

/** Part of `v1`. */
export interface VolumeMountStatus {
  mountPath: string;
  name: string;
  readOnly?: boolean;
  recursiveReadOnly?: string;
  volumeStatus?: VolumeStatus;
}

/** Part of `v1`. */
export interface VolumeNodeAffinity {
  required?: NodeSelector;
}

/** Part of `v1`. */
export interface VolumeProjection {
  clusterTrustBundle?: ClusterTrustBundleProjection;
  configMap?: ConfigMapProjection;
  downwardAPI?: DownwardAPIProjection;
  podCertificate?: PodCertificateProjection;
  secret?: SecretProjection;
  serviceAccountToken?: ServiceAccountTokenProjection;
}

/** Part of `v1`. */
export interface VolumeResourceRequirements {
  limits?: Record<string, Quantity>;
  requests?: Record<string, Quantity>;
}

/** Part of `v1`. */
export interface VolumeStatus {
  image?: ImageVolumeStatus;
}

/** Part of `v1`. */
export interface VsphereVirtualDiskVolumeSource {
  fsType?: string;
  storagePolicyID?: string;
  storagePolicyName?: string;
  volumePath: string;
}

/** Part of `v1`. */
export interface WeightedPodAffinityTerm {
  podAffinityTerm: PodAffinityTerm;
  weight: number;
}

/** Part of `v1`. */
export interface WindowsSecurityContextOptions {
  gmsaCredentialSpec?: string;
  gmsaCredentialSpecName?: string;
  hostProcess?: boolean;
  runAsUserName?: string;
}
