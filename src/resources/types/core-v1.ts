// Generated from Kubernetes v1.36.3 by `npm run generate`; do not edit.
// Types of core-v1.
import type { Condition, LabelSelector, ListMeta, ObjectMeta, StoredObjectMeta } from '../../meta/objects.js';
import type { IntOrString, Quantity } from './meta-v1.js';

/** Part of `v1`. */
export interface AWSElasticBlockStoreVolumeSource {
  fsType?: string | undefined;
  partition?: number | undefined;
  readOnly?: boolean | undefined;
  volumeID: string;
}

/** Part of `v1`. */
export interface Affinity {
  nodeAffinity?: NodeAffinity | undefined;
  podAffinity?: PodAffinity | undefined;
  podAntiAffinity?: PodAntiAffinity | undefined;
}

/** Part of `v1`. */
export interface AppArmorProfile {
  localhostProfile?: string | undefined;
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
  cachingMode?: 'None' | 'ReadOnly' | 'ReadWrite' | undefined;
  diskName: string;
  diskURI: string;
  /** @default 'ext4' */
  fsType?: string | undefined;
  /** @default 'Shared' */
  kind?: 'Dedicated' | 'Managed' | 'Shared' | undefined;
  readOnly?: boolean | undefined;
}

/** Part of `v1`. */
export interface AzureFilePersistentVolumeSource {
  readOnly?: boolean | undefined;
  secretName: string;
  secretNamespace?: string | undefined;
  shareName: string;
}

/** Part of `v1`. */
export interface AzureFileVolumeSource {
  readOnly?: boolean | undefined;
  secretName: string;
  shareName: string;
}

/** `bindings` of `v1`, namespaced. */
export interface Binding {
  apiVersion: 'v1';
  kind: 'Binding';
  metadata: ObjectMeta;
  target: ObjectReference;
}

/** Part of `v1`. */
export interface CSIPersistentVolumeSource {
  controllerExpandSecretRef?: SecretReference | undefined;
  controllerPublishSecretRef?: SecretReference | undefined;
  driver: string;
  fsType?: string | undefined;
  nodeExpandSecretRef?: SecretReference | undefined;
  nodePublishSecretRef?: SecretReference | undefined;
  nodeStageSecretRef?: SecretReference | undefined;
  readOnly?: boolean | undefined;
  volumeAttributes?: Record<string, string> | undefined;
  volumeHandle: string;
}

/** Part of `v1`. */
export interface CSIVolumeSource {
  driver: string;
  fsType?: string | undefined;
  nodePublishSecretRef?: LocalObjectReference | undefined;
  readOnly?: boolean | undefined;
  volumeAttributes?: Record<string, string> | undefined;
}

/** Part of `v1`. */
export interface Capabilities {
  add?: string[] | undefined;
  drop?: string[] | undefined;
}

/** Part of `v1`. */
export interface CephFSPersistentVolumeSource {
  monitors: string[];
  path?: string | undefined;
  readOnly?: boolean | undefined;
  secretFile?: string | undefined;
  secretRef?: SecretReference | undefined;
  user?: string | undefined;
}

/** Part of `v1`. */
export interface CephFSVolumeSource {
  monitors: string[];
  path?: string | undefined;
  readOnly?: boolean | undefined;
  secretFile?: string | undefined;
  secretRef?: LocalObjectReference | undefined;
  user?: string | undefined;
}

/** Part of `v1`. */
export interface CinderPersistentVolumeSource {
  fsType?: string | undefined;
  readOnly?: boolean | undefined;
  secretRef?: SecretReference | undefined;
  volumeID: string;
}

/** Part of `v1`. */
export interface CinderVolumeSource {
  fsType?: string | undefined;
  readOnly?: boolean | undefined;
  secretRef?: LocalObjectReference | undefined;
  volumeID: string;
}

/** Part of `v1`. */
export interface ClientIPConfig {
  timeoutSeconds?: number | undefined;
}

/** Part of `v1`. */
export interface ClusterTrustBundleProjection {
  labelSelector?: LabelSelector | undefined;
  name?: string | undefined;
  optional?: boolean | undefined;
  path: string;
  signerName?: string | undefined;
}

/** Part of `v1`. */
export interface ComponentCondition {
  error?: string | undefined;
  message?: string | undefined;
  status: string;
  type: string;
}

/** `componentstatuses`, `cs` of `v1`, cluster-scoped. */
export interface ComponentStatus {
  apiVersion: 'v1';
  kind: 'ComponentStatus';
  conditions?: ComponentCondition[] | undefined;
  metadata: StoredObjectMeta;
}

/** A list of {@link ComponentStatus}. */
export interface ComponentStatusList {
  apiVersion: 'v1';
  kind: 'ComponentStatusList';
  items: ComponentStatus[];
  metadata: ListMeta;
}

/** `configmaps`, `cm` of `v1`, namespaced. */
export interface ConfigMap {
  apiVersion: 'v1';
  kind: 'ConfigMap';
  binaryData?: Record<string, string> | undefined;
  data?: Record<string, string> | undefined;
  immutable?: boolean | undefined;
  metadata: StoredObjectMeta;
}

/** Part of `v1`. */
export interface ConfigMapEnvSource {
  name?: string | undefined;
  optional?: boolean | undefined;
}

/** Part of `v1`. */
export interface ConfigMapKeySelector {
  key: string;
  name?: string | undefined;
  optional?: boolean | undefined;
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
  resourceVersion?: string | undefined;
  uid?: string | undefined;
}

/** Part of `v1`. */
export interface ConfigMapProjection {
  items?: KeyToPath[] | undefined;
  name?: string | undefined;
  optional?: boolean | undefined;
}

/** Part of `v1`. */
export interface ConfigMapVolumeSource {
  defaultMode?: number | undefined;
  items?: KeyToPath[] | undefined;
  name?: string | undefined;
  optional?: boolean | undefined;
}

/** Part of `v1`. */
export interface Container {
  args?: string[] | undefined;
  command?: string[] | undefined;
  env?: EnvVar[] | undefined;
  envFrom?: EnvFromSource[] | undefined;
  image?: string | undefined;
  imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never' | undefined;
  lifecycle?: Lifecycle | undefined;
  livenessProbe?: Probe | undefined;
  name: string;
  ports?: ContainerPort[] | undefined;
  readinessProbe?: Probe | undefined;
  resizePolicy?: ContainerResizePolicy[] | undefined;
  resources?: ResourceRequirements | undefined;
  restartPolicy?: string | undefined;
  restartPolicyRules?: ContainerRestartRule[] | undefined;
  securityContext?: SecurityContext | undefined;
  startupProbe?: Probe | undefined;
  stdin?: boolean | undefined;
  stdinOnce?: boolean | undefined;
  terminationMessagePath?: string | undefined;
  terminationMessagePolicy?: 'FallbackToLogsOnError' | 'File' | undefined;
  tty?: boolean | undefined;
  volumeDevices?: VolumeDevice[] | undefined;
  volumeMounts?: VolumeMount[] | undefined;
  workingDir?: string | undefined;
}

/** Part of `v1`. */
export interface ContainerExtendedResourceRequest {
  containerName: string;
  requestName: string;
  resourceName: string;
}

/** Part of `v1`. */
export interface ContainerImage {
  names?: string[] | undefined;
  sizeBytes?: number | undefined;
}

/** Part of `v1`. */
export interface ContainerPort {
  containerPort: number;
  hostIP?: string | undefined;
  hostPort?: number | undefined;
  name?: string | undefined;
  /** @default 'TCP' */
  protocol?: 'SCTP' | 'TCP' | 'UDP' | undefined;
}

/** Part of `v1`. */
export interface ContainerResizePolicy {
  resourceName: string;
  restartPolicy: string;
}

/** Part of `v1`. */
export interface ContainerRestartRule {
  action: string;
  exitCodes?: ContainerRestartRuleOnExitCodes | undefined;
}

/** Part of `v1`. */
export interface ContainerRestartRuleOnExitCodes {
  operator: string;
  values?: number[] | undefined;
}

/** Part of `v1`. */
export interface ContainerState {
  running?: ContainerStateRunning | undefined;
  terminated?: ContainerStateTerminated | undefined;
  waiting?: ContainerStateWaiting | undefined;
}

/** Part of `v1`. */
export interface ContainerStateRunning {
  startedAt?: string | undefined;
}

/** Part of `v1`. */
export interface ContainerStateTerminated {
  containerID?: string | undefined;
  exitCode: number;
  finishedAt?: string | undefined;
  message?: string | undefined;
  reason?: string | undefined;
  signal?: number | undefined;
  startedAt?: string | undefined;
}

/** Part of `v1`. */
export interface ContainerStateWaiting {
  message?: string | undefined;
  reason?: string | undefined;
}

/** Part of `v1`. */
export interface ContainerStatus {
  allocatedResources?: Record<string, Quantity> | undefined;
  allocatedResourcesStatus?: ResourceStatus[] | undefined;
  containerID?: string | undefined;
  image: string;
  imageID: string;
  lastState?: ContainerState | undefined;
  name: string;
  ready: boolean;
  resources?: ResourceRequirements | undefined;
  restartCount: number;
  started?: boolean | undefined;
  state?: ContainerState | undefined;
  stopSignal?: 'SIGABRT' | 'SIGALRM' | 'SIGBUS' | 'SIGCHLD' | 'SIGCLD' | 'SIGCONT' | 'SIGFPE' | 'SIGHUP' | 'SIGILL' | 'SIGINT' | 'SIGIO' | 'SIGIOT' | 'SIGKILL' | 'SIGPIPE' | 'SIGPOLL' | 'SIGPROF' | 'SIGPWR' | 'SIGQUIT' | 'SIGRTMAX' | 'SIGRTMAX-1' | 'SIGRTMAX-10' | 'SIGRTMAX-11' | 'SIGRTMAX-12' | 'SIGRTMAX-13' | 'SIGRTMAX-14' | 'SIGRTMAX-2' | 'SIGRTMAX-3' | 'SIGRTMAX-4' | 'SIGRTMAX-5' | 'SIGRTMAX-6' | 'SIGRTMAX-7' | 'SIGRTMAX-8' | 'SIGRTMAX-9' | 'SIGRTMIN' | 'SIGRTMIN+1' | 'SIGRTMIN+10' | 'SIGRTMIN+11' | 'SIGRTMIN+12' | 'SIGRTMIN+13' | 'SIGRTMIN+14' | 'SIGRTMIN+15' | 'SIGRTMIN+2' | 'SIGRTMIN+3' | 'SIGRTMIN+4' | 'SIGRTMIN+5' | 'SIGRTMIN+6' | 'SIGRTMIN+7' | 'SIGRTMIN+8' | 'SIGRTMIN+9' | 'SIGSEGV' | 'SIGSTKFLT' | 'SIGSTOP' | 'SIGSYS' | 'SIGTERM' | 'SIGTRAP' | 'SIGTSTP' | 'SIGTTIN' | 'SIGTTOU' | 'SIGURG' | 'SIGUSR1' | 'SIGUSR2' | 'SIGVTALRM' | 'SIGWINCH' | 'SIGXCPU' | 'SIGXFSZ' | undefined;
  user?: ContainerUser | undefined;
  volumeMounts?: VolumeMountStatus[] | undefined;
}

/** Part of `v1`. */
export interface ContainerUser {
  linux?: LinuxContainerUser | undefined;
}

/** Part of `v1`. */
export interface DaemonEndpoint {
  Port: number;
}

/** Part of `v1`. */
export interface DownwardAPIProjection {
  items?: DownwardAPIVolumeFile[] | undefined;
}

/** Part of `v1`. */
export interface DownwardAPIVolumeFile {
  fieldRef?: ObjectFieldSelector | undefined;
  mode?: number | undefined;
  path: string;
  resourceFieldRef?: ResourceFieldSelector | undefined;
}

/** Part of `v1`. */
export interface DownwardAPIVolumeSource {
  defaultMode?: number | undefined;
  items?: DownwardAPIVolumeFile[] | undefined;
}

/** Part of `v1`. */
export interface EmptyDirVolumeSource {
  medium?: string | undefined;
  sizeLimit?: Quantity | undefined;
}

/** Part of `v1`. */
export interface EndpointAddress {
  hostname?: string | undefined;
  ip: string;
  nodeName?: string | undefined;
  targetRef?: ObjectReference | undefined;
}

/** Part of `v1`. */
export interface EndpointPort {
  appProtocol?: string | undefined;
  name?: string | undefined;
  port: number;
  protocol?: 'SCTP' | 'TCP' | 'UDP' | undefined;
}

/** Part of `v1`. */
export interface EndpointSubset {
  addresses?: EndpointAddress[] | undefined;
  notReadyAddresses?: EndpointAddress[] | undefined;
  ports?: EndpointPort[] | undefined;
}

/** `endpoints`, `ep` of `v1`, namespaced. */
export interface Endpoints {
  apiVersion: 'v1';
  kind: 'Endpoints';
  metadata: StoredObjectMeta;
  subsets?: EndpointSubset[] | undefined;
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
  configMapRef?: ConfigMapEnvSource | undefined;
  prefix?: string | undefined;
  secretRef?: SecretEnvSource | undefined;
}

/** Part of `v1`. */
export interface EnvVar {
  name: string;
  value?: string | undefined;
  valueFrom?: EnvVarSource | undefined;
}

/** Part of `v1`. */
export interface EnvVarSource {
  configMapKeyRef?: ConfigMapKeySelector | undefined;
  fieldRef?: ObjectFieldSelector | undefined;
  fileKeyRef?: FileKeySelector | undefined;
  resourceFieldRef?: ResourceFieldSelector | undefined;
  secretKeyRef?: SecretKeySelector | undefined;
}

/** Part of `v1`. */
export interface EphemeralContainer {
  args?: string[] | undefined;
  command?: string[] | undefined;
  env?: EnvVar[] | undefined;
  envFrom?: EnvFromSource[] | undefined;
  image?: string | undefined;
  imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never' | undefined;
  lifecycle?: Lifecycle | undefined;
  livenessProbe?: Probe | undefined;
  name: string;
  ports?: ContainerPort[] | undefined;
  readinessProbe?: Probe | undefined;
  resizePolicy?: ContainerResizePolicy[] | undefined;
  resources?: ResourceRequirements | undefined;
  restartPolicy?: string | undefined;
  restartPolicyRules?: ContainerRestartRule[] | undefined;
  securityContext?: SecurityContext | undefined;
  startupProbe?: Probe | undefined;
  stdin?: boolean | undefined;
  stdinOnce?: boolean | undefined;
  targetContainerName?: string | undefined;
  terminationMessagePath?: string | undefined;
  terminationMessagePolicy?: 'FallbackToLogsOnError' | 'File' | undefined;
  tty?: boolean | undefined;
  volumeDevices?: VolumeDevice[] | undefined;
  volumeMounts?: VolumeMount[] | undefined;
  workingDir?: string | undefined;
}

/** Part of `v1`. */
export interface EphemeralVolumeSource {
  volumeClaimTemplate?: PersistentVolumeClaimTemplate | undefined;
}

/** `events`, `ev` of `v1`, namespaced. */
export interface Event {
  apiVersion: 'v1';
  kind: 'Event';
  action?: string | undefined;
  count?: number | undefined;
  eventTime?: string | undefined;
  firstTimestamp?: string | undefined;
  involvedObject: ObjectReference;
  lastTimestamp?: string | undefined;
  message?: string | undefined;
  metadata: StoredObjectMeta;
  reason?: string | undefined;
  related?: ObjectReference | undefined;
  reportingComponent?: string | undefined;
  reportingInstance?: string | undefined;
  series?: EventSeries | undefined;
  source?: EventSource | undefined;
  type?: string | undefined;
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
  count?: number | undefined;
  lastObservedTime?: string | undefined;
}

/** Part of `v1`. */
export interface EventSource {
  component?: string | undefined;
  host?: string | undefined;
}

/** Part of `v1`. */
export interface ExecAction {
  command?: string[] | undefined;
}

/** Part of `v1`. */
export interface FCVolumeSource {
  fsType?: string | undefined;
  lun?: number | undefined;
  readOnly?: boolean | undefined;
  targetWWNs?: string[] | undefined;
  wwids?: string[] | undefined;
}

/** Part of `v1`. */
export interface FileKeySelector {
  key: string;
  optional?: boolean | undefined;
  path: string;
  volumeName: string;
}

/** Part of `v1`. */
export interface FlexPersistentVolumeSource {
  driver: string;
  fsType?: string | undefined;
  options?: Record<string, string> | undefined;
  readOnly?: boolean | undefined;
  secretRef?: SecretReference | undefined;
}

/** Part of `v1`. */
export interface FlexVolumeSource {
  driver: string;
  fsType?: string | undefined;
  options?: Record<string, string> | undefined;
  readOnly?: boolean | undefined;
  secretRef?: LocalObjectReference | undefined;
}

/** Part of `v1`. */
export interface FlockerVolumeSource {
  datasetName?: string | undefined;
  datasetUUID?: string | undefined;
}

/** Part of `v1`. */
export interface GCEPersistentDiskVolumeSource {
  fsType?: string | undefined;
  partition?: number | undefined;
  pdName: string;
  readOnly?: boolean | undefined;
}

/** Part of `v1`. */
export interface GRPCAction {
  port: number;
  service?: string | undefined;
}

/** Part of `v1`. */
export interface GitRepoVolumeSource {
  directory?: string | undefined;
  repository: string;
  revision?: string | undefined;
}

/** Part of `v1`. */
export interface GlusterfsPersistentVolumeSource {
  endpoints: string;
  endpointsNamespace?: string | undefined;
  path: string;
  readOnly?: boolean | undefined;
}

/** Part of `v1`. */
export interface GlusterfsVolumeSource {
  endpoints: string;
  path: string;
  readOnly?: boolean | undefined;
}

/** Part of `v1`. */
export interface HTTPGetAction {
  host?: string | undefined;
  httpHeaders?: HTTPHeader[] | undefined;
  path?: string | undefined;
  port: IntOrString;
  scheme?: 'HTTP' | 'HTTPS' | undefined;
}

/** Part of `v1`. */
export interface HTTPHeader {
  name: string;
  value: string;
}

/** Part of `v1`. */
export interface HostAlias {
  hostnames?: string[] | undefined;
  ip: string;
}

/** Part of `v1`. */
export interface HostIP {
  ip: string;
}

/** Part of `v1`. */
export interface HostPathVolumeSource {
  path: string;
  type?: '' | 'BlockDevice' | 'CharDevice' | 'Directory' | 'DirectoryOrCreate' | 'File' | 'FileOrCreate' | 'Socket' | undefined;
}

/** Part of `v1`. */
export interface ISCSIPersistentVolumeSource {
  chapAuthDiscovery?: boolean | undefined;
  chapAuthSession?: boolean | undefined;
  fsType?: string | undefined;
  initiatorName?: string | undefined;
  iqn: string;
  /** @default 'default' */
  iscsiInterface?: string | undefined;
  lun: number;
  portals?: string[] | undefined;
  readOnly?: boolean | undefined;
  secretRef?: SecretReference | undefined;
  targetPortal: string;
}

/** Part of `v1`. */
export interface ISCSIVolumeSource {
  chapAuthDiscovery?: boolean | undefined;
  chapAuthSession?: boolean | undefined;
  fsType?: string | undefined;
  initiatorName?: string | undefined;
  iqn: string;
  /** @default 'default' */
  iscsiInterface?: string | undefined;
  lun: number;
  portals?: string[] | undefined;
  readOnly?: boolean | undefined;
  secretRef?: LocalObjectReference | undefined;
  targetPortal: string;
}

/** Part of `v1`. */
export interface ImageVolumeSource {
  pullPolicy?: 'Always' | 'IfNotPresent' | 'Never' | undefined;
  reference?: string | undefined;
}

/** Part of `v1`. */
export interface ImageVolumeStatus {
  imageRef: string;
}

/** Part of `v1`. */
export interface KeyToPath {
  key: string;
  mode?: number | undefined;
  path: string;
}

/** Part of `v1`. */
export interface Lifecycle {
  postStart?: LifecycleHandler | undefined;
  preStop?: LifecycleHandler | undefined;
  stopSignal?: 'SIGABRT' | 'SIGALRM' | 'SIGBUS' | 'SIGCHLD' | 'SIGCLD' | 'SIGCONT' | 'SIGFPE' | 'SIGHUP' | 'SIGILL' | 'SIGINT' | 'SIGIO' | 'SIGIOT' | 'SIGKILL' | 'SIGPIPE' | 'SIGPOLL' | 'SIGPROF' | 'SIGPWR' | 'SIGQUIT' | 'SIGRTMAX' | 'SIGRTMAX-1' | 'SIGRTMAX-10' | 'SIGRTMAX-11' | 'SIGRTMAX-12' | 'SIGRTMAX-13' | 'SIGRTMAX-14' | 'SIGRTMAX-2' | 'SIGRTMAX-3' | 'SIGRTMAX-4' | 'SIGRTMAX-5' | 'SIGRTMAX-6' | 'SIGRTMAX-7' | 'SIGRTMAX-8' | 'SIGRTMAX-9' | 'SIGRTMIN' | 'SIGRTMIN+1' | 'SIGRTMIN+10' | 'SIGRTMIN+11' | 'SIGRTMIN+12' | 'SIGRTMIN+13' | 'SIGRTMIN+14' | 'SIGRTMIN+15' | 'SIGRTMIN+2' | 'SIGRTMIN+3' | 'SIGRTMIN+4' | 'SIGRTMIN+5' | 'SIGRTMIN+6' | 'SIGRTMIN+7' | 'SIGRTMIN+8' | 'SIGRTMIN+9' | 'SIGSEGV' | 'SIGSTKFLT' | 'SIGSTOP' | 'SIGSYS' | 'SIGTERM' | 'SIGTRAP' | 'SIGTSTP' | 'SIGTTIN' | 'SIGTTOU' | 'SIGURG' | 'SIGUSR1' | 'SIGUSR2' | 'SIGVTALRM' | 'SIGWINCH' | 'SIGXCPU' | 'SIGXFSZ' | undefined;
}

/** Part of `v1`. */
export interface LifecycleHandler {
  exec?: ExecAction | undefined;
  httpGet?: HTTPGetAction | undefined;
  sleep?: SleepAction | undefined;
  tcpSocket?: TCPSocketAction | undefined;
}

/** `limitranges`, `limits` of `v1`, namespaced. */
export interface LimitRange {
  apiVersion: 'v1';
  kind: 'LimitRange';
  metadata: StoredObjectMeta;
  spec?: LimitRangeSpec | undefined;
}

/** Part of `v1`. */
export interface LimitRangeItem {
  default?: Record<string, Quantity> | undefined;
  defaultRequest?: Record<string, Quantity> | undefined;
  max?: Record<string, Quantity> | undefined;
  maxLimitRequestRatio?: Record<string, Quantity> | undefined;
  min?: Record<string, Quantity> | undefined;
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
  supplementalGroups?: number[] | undefined;
  uid: number;
}

/** Part of `v1`. */
export interface LoadBalancerIngress {
  hostname?: string | undefined;
  ip?: string | undefined;
  ipMode?: string | undefined;
  ports?: PortStatus[] | undefined;
}

/** Part of `v1`. */
export interface LoadBalancerStatus {
  ingress?: LoadBalancerIngress[] | undefined;
}

/** Part of `v1`. */
export interface LocalObjectReference {
  name?: string | undefined;
}

/** Part of `v1`. */
export interface LocalVolumeSource {
  fsType?: string | undefined;
  path: string;
}

/** Part of `v1`. */
export interface ModifyVolumeStatus {
  status: 'InProgress' | 'Infeasible' | 'Pending';
  targetVolumeAttributesClassName?: string | undefined;
}

/** Part of `v1`. */
export interface NFSVolumeSource {
  path: string;
  readOnly?: boolean | undefined;
  server: string;
}

/** `namespaces`, `ns` of `v1`, cluster-scoped. */
export interface Namespace {
  apiVersion: 'v1';
  kind: 'Namespace';
  metadata: StoredObjectMeta;
  spec?: NamespaceSpec | undefined;
  status?: NamespaceStatus | undefined;
}

/** Part of `v1`. */
export interface NamespaceCondition {
  lastTransitionTime?: string | undefined;
  message?: string | undefined;
  reason?: string | undefined;
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
  finalizers?: string[] | undefined;
}

/** Part of `v1`. */
export interface NamespaceStatus {
  conditions?: NamespaceCondition[] | undefined;
  phase?: 'Active' | 'Terminating' | undefined;
}

/** `nodes`, `no` of `v1`, cluster-scoped. */
export interface Node {
  apiVersion: 'v1';
  kind: 'Node';
  metadata: StoredObjectMeta;
  spec?: NodeSpec | undefined;
  status?: NodeStatus | undefined;
}

/** Part of `v1`. */
export interface NodeAddress {
  address: string;
  type: string;
}

/** Part of `v1`. */
export interface NodeAffinity {
  preferredDuringSchedulingIgnoredDuringExecution?: PreferredSchedulingTerm[] | undefined;
  requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector | undefined;
}

/** Part of `v1`. */
export interface NodeAllocatableResourceClaimStatus {
  containers?: string[] | undefined;
  resourceClaimName: string;
  resources: Record<string, Quantity>;
}

/** Part of `v1`. */
export interface NodeCondition {
  lastHeartbeatTime?: string | undefined;
  lastTransitionTime?: string | undefined;
  message?: string | undefined;
  reason?: string | undefined;
  status: string;
  type: string;
}

/** Part of `v1`. */
export interface NodeConfigSource {
  configMap?: ConfigMapNodeConfigSource | undefined;
}

/** Part of `v1`. */
export interface NodeConfigStatus {
  active?: NodeConfigSource | undefined;
  assigned?: NodeConfigSource | undefined;
  error?: string | undefined;
  lastKnownGood?: NodeConfigSource | undefined;
}

/** Part of `v1`. */
export interface NodeDaemonEndpoints {
  kubeletEndpoint?: DaemonEndpoint | undefined;
}

/** Part of `v1`. */
export interface NodeFeatures {
  supplementalGroupsPolicy?: boolean | undefined;
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
  features?: NodeRuntimeHandlerFeatures | undefined;
  name?: string | undefined;
}

/** Part of `v1`. */
export interface NodeRuntimeHandlerFeatures {
  recursiveReadOnlyMounts?: boolean | undefined;
  userNamespaces?: boolean | undefined;
}

/** Part of `v1`. */
export interface NodeSelector {
  nodeSelectorTerms: NodeSelectorTerm[];
}

/** Part of `v1`. */
export interface NodeSelectorRequirement {
  key: string;
  operator: 'DoesNotExist' | 'Exists' | 'Gt' | 'In' | 'Lt' | 'NotIn';
  values?: string[] | undefined;
}

/** Part of `v1`. */
export interface NodeSelectorTerm {
  matchExpressions?: NodeSelectorRequirement[] | undefined;
  matchFields?: NodeSelectorRequirement[] | undefined;
}

/** Part of `v1`. */
export interface NodeSpec {
  configSource?: NodeConfigSource | undefined;
  externalID?: string | undefined;
  podCIDR?: string | undefined;
  podCIDRs?: string[] | undefined;
  providerID?: string | undefined;
  taints?: Taint[] | undefined;
  unschedulable?: boolean | undefined;
}

/** Part of `v1`. */
export interface NodeStatus {
  addresses?: NodeAddress[] | undefined;
  allocatable?: Record<string, Quantity> | undefined;
  capacity?: Record<string, Quantity> | undefined;
  conditions?: NodeCondition[] | undefined;
  config?: NodeConfigStatus | undefined;
  daemonEndpoints?: NodeDaemonEndpoints | undefined;
  declaredFeatures?: string[] | undefined;
  features?: NodeFeatures | undefined;
  images?: ContainerImage[] | undefined;
  nodeInfo?: NodeSystemInfo | undefined;
  phase?: 'Pending' | 'Running' | 'Terminated' | undefined;
  runtimeHandlers?: NodeRuntimeHandler[] | undefined;
  volumesAttached?: AttachedVolume[] | undefined;
  volumesInUse?: string[] | undefined;
}

/** Part of `v1`. */
export interface NodeSwapStatus {
  capacity?: number | undefined;
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
  swap?: NodeSwapStatus | undefined;
  systemUUID: string;
}

/** Part of `v1`. */
export interface ObjectFieldSelector {
  apiVersion?: string | undefined;
  fieldPath: string;
}

/** Part of `v1`. */
export interface ObjectReference {
  apiVersion?: string | undefined;
  fieldPath?: string | undefined;
  kind?: string | undefined;
  name?: string | undefined;
  namespace?: string | undefined;
  resourceVersion?: string | undefined;
  uid?: string | undefined;
}

/** `persistentvolumes`, `pv` of `v1`, cluster-scoped. */
export interface PersistentVolume {
  apiVersion: 'v1';
  kind: 'PersistentVolume';
  metadata: StoredObjectMeta;
  spec?: PersistentVolumeSpec | undefined;
  status?: PersistentVolumeStatus | undefined;
}

/** `persistentvolumeclaims`, `pvc` of `v1`, namespaced. */
export interface PersistentVolumeClaim {
  apiVersion: 'v1';
  kind: 'PersistentVolumeClaim';
  metadata: StoredObjectMeta;
  spec?: PersistentVolumeClaimSpec | undefined;
  status?: PersistentVolumeClaimStatus | undefined;
}

/** Part of `v1`. */
export interface PersistentVolumeClaimCondition {
  lastProbeTime?: string | undefined;
  lastTransitionTime?: string | undefined;
  message?: string | undefined;
  reason?: string | undefined;
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
  accessModes?: ('ReadOnlyMany' | 'ReadWriteMany' | 'ReadWriteOnce' | 'ReadWriteOncePod')[] | undefined;
  dataSource?: TypedLocalObjectReference | undefined;
  dataSourceRef?: TypedObjectReference | undefined;
  resources?: VolumeResourceRequirements | undefined;
  selector?: LabelSelector | undefined;
  storageClassName?: string | undefined;
  volumeAttributesClassName?: string | undefined;
  volumeMode?: 'Block' | 'Filesystem' | undefined;
  volumeName?: string | undefined;
}

/** Part of `v1`. */
export interface PersistentVolumeClaimStatus {
  accessModes?: ('ReadOnlyMany' | 'ReadWriteMany' | 'ReadWriteOnce' | 'ReadWriteOncePod')[] | undefined;
  allocatedResourceStatuses?: Record<string, 'ControllerResizeInProgress' | 'ControllerResizeInfeasible' | 'NodeResizeInProgress' | 'NodeResizeInfeasible' | 'NodeResizePending'> | undefined;
  allocatedResources?: Record<string, Quantity> | undefined;
  capacity?: Record<string, Quantity> | undefined;
  conditions?: PersistentVolumeClaimCondition[] | undefined;
  currentVolumeAttributesClassName?: string | undefined;
  modifyVolumeStatus?: ModifyVolumeStatus | undefined;
  phase?: 'Bound' | 'Lost' | 'Pending' | undefined;
}

/** Part of `v1`. */
export interface PersistentVolumeClaimTemplate {
  metadata?: ObjectMeta | undefined;
  spec: PersistentVolumeClaimSpec;
}

/** Part of `v1`. */
export interface PersistentVolumeClaimVolumeSource {
  claimName: string;
  readOnly?: boolean | undefined;
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
  accessModes?: ('ReadOnlyMany' | 'ReadWriteMany' | 'ReadWriteOnce' | 'ReadWriteOncePod')[] | undefined;
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource | undefined;
  azureDisk?: AzureDiskVolumeSource | undefined;
  azureFile?: AzureFilePersistentVolumeSource | undefined;
  capacity?: Record<string, Quantity> | undefined;
  cephfs?: CephFSPersistentVolumeSource | undefined;
  cinder?: CinderPersistentVolumeSource | undefined;
  claimRef?: ObjectReference | undefined;
  csi?: CSIPersistentVolumeSource | undefined;
  fc?: FCVolumeSource | undefined;
  flexVolume?: FlexPersistentVolumeSource | undefined;
  flocker?: FlockerVolumeSource | undefined;
  gcePersistentDisk?: GCEPersistentDiskVolumeSource | undefined;
  glusterfs?: GlusterfsPersistentVolumeSource | undefined;
  hostPath?: HostPathVolumeSource | undefined;
  iscsi?: ISCSIPersistentVolumeSource | undefined;
  local?: LocalVolumeSource | undefined;
  mountOptions?: string[] | undefined;
  nfs?: NFSVolumeSource | undefined;
  nodeAffinity?: VolumeNodeAffinity | undefined;
  persistentVolumeReclaimPolicy?: 'Delete' | 'Recycle' | 'Retain' | undefined;
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource | undefined;
  portworxVolume?: PortworxVolumeSource | undefined;
  quobyte?: QuobyteVolumeSource | undefined;
  rbd?: RBDPersistentVolumeSource | undefined;
  scaleIO?: ScaleIOPersistentVolumeSource | undefined;
  storageClassName?: string | undefined;
  storageos?: StorageOSPersistentVolumeSource | undefined;
  volumeAttributesClassName?: string | undefined;
  volumeMode?: 'Block' | 'Filesystem' | undefined;
  vsphereVolume?: VsphereVirtualDiskVolumeSource | undefined;
}

/** Part of `v1`. */
export interface PersistentVolumeStatus {
  lastPhaseTransitionTime?: string | undefined;
  message?: string | undefined;
  phase?: 'Available' | 'Bound' | 'Failed' | 'Pending' | 'Released' | undefined;
  reason?: string | undefined;
}

/** Part of `v1`. */
export interface PhotonPersistentDiskVolumeSource {
  fsType?: string | undefined;
  pdID: string;
}

/** `pods`, `po` of `v1`, namespaced. */
export interface Pod {
  apiVersion: 'v1';
  kind: 'Pod';
  metadata: StoredObjectMeta;
  spec?: PodSpec | undefined;
  status?: PodStatus | undefined;
}

/** Part of `v1`. */
export interface PodAffinity {
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[] | undefined;
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[] | undefined;
}

/** Part of `v1`. */
export interface PodAffinityTerm {
  labelSelector?: LabelSelector | undefined;
  matchLabelKeys?: string[] | undefined;
  mismatchLabelKeys?: string[] | undefined;
  namespaceSelector?: LabelSelector | undefined;
  namespaces?: string[] | undefined;
  topologyKey: string;
}

/** Part of `v1`. */
export interface PodAntiAffinity {
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[] | undefined;
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[] | undefined;
}

/** Part of `v1`. */
export interface PodCertificateProjection {
  certificateChainPath?: string | undefined;
  credentialBundlePath?: string | undefined;
  keyPath?: string | undefined;
  keyType: string;
  maxExpirationSeconds?: number | undefined;
  signerName: string;
  userAnnotations?: Record<string, string> | undefined;
}

/** Part of `v1`. */
export interface PodCondition {
  lastProbeTime?: string | undefined;
  lastTransitionTime?: string | undefined;
  message?: string | undefined;
  observedGeneration?: number | undefined;
  reason?: string | undefined;
  status: string;
  type: string;
}

/** Part of `v1`. */
export interface PodDNSConfig {
  nameservers?: string[] | undefined;
  options?: PodDNSConfigOption[] | undefined;
  searches?: string[] | undefined;
}

/** Part of `v1`. */
export interface PodDNSConfigOption {
  name?: string | undefined;
  value?: string | undefined;
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
  resourceClaimName?: string | undefined;
  resourceClaimTemplateName?: string | undefined;
}

/** Part of `v1`. */
export interface PodResourceClaimStatus {
  name: string;
  resourceClaimName?: string | undefined;
}

/** Part of `v1`. */
export interface PodSchedulingGate {
  name: string;
}

/** Part of `v1`. */
export interface PodSchedulingGroup {
  podGroupName?: string | undefined;
}

/** Part of `v1`. */
export interface PodSecurityContext {
  appArmorProfile?: AppArmorProfile | undefined;
  fsGroup?: number | undefined;
  fsGroupChangePolicy?: 'Always' | 'OnRootMismatch' | undefined;
  runAsGroup?: number | undefined;
  runAsNonRoot?: boolean | undefined;
  runAsUser?: number | undefined;
  seLinuxChangePolicy?: string | undefined;
  seLinuxOptions?: SELinuxOptions | undefined;
  seccompProfile?: SeccompProfile | undefined;
  supplementalGroups?: number[] | undefined;
  supplementalGroupsPolicy?: 'Merge' | 'Strict' | undefined;
  sysctls?: Sysctl[] | undefined;
  windowsOptions?: WindowsSecurityContextOptions | undefined;
}

/** Part of `v1`. */
export interface PodSpec {
  activeDeadlineSeconds?: number | undefined;
  affinity?: Affinity | undefined;
  automountServiceAccountToken?: boolean | undefined;
  containers: Container[];
  dnsConfig?: PodDNSConfig | undefined;
  dnsPolicy?: 'ClusterFirst' | 'ClusterFirstWithHostNet' | 'Default' | 'None' | undefined;
  enableServiceLinks?: boolean | undefined;
  ephemeralContainers?: EphemeralContainer[] | undefined;
  hostAliases?: HostAlias[] | undefined;
  hostIPC?: boolean | undefined;
  hostNetwork?: boolean | undefined;
  hostPID?: boolean | undefined;
  hostUsers?: boolean | undefined;
  hostname?: string | undefined;
  hostnameOverride?: string | undefined;
  imagePullSecrets?: LocalObjectReference[] | undefined;
  initContainers?: Container[] | undefined;
  nodeName?: string | undefined;
  nodeSelector?: Record<string, string> | undefined;
  os?: PodOS | undefined;
  overhead?: Record<string, Quantity> | undefined;
  preemptionPolicy?: 'Never' | 'PreemptLowerPriority' | undefined;
  priority?: number | undefined;
  priorityClassName?: string | undefined;
  readinessGates?: PodReadinessGate[] | undefined;
  resourceClaims?: PodResourceClaim[] | undefined;
  resources?: ResourceRequirements | undefined;
  restartPolicy?: 'Always' | 'Never' | 'OnFailure' | undefined;
  runtimeClassName?: string | undefined;
  schedulerName?: string | undefined;
  schedulingGates?: PodSchedulingGate[] | undefined;
  schedulingGroup?: PodSchedulingGroup | undefined;
  securityContext?: PodSecurityContext | undefined;
  serviceAccount?: string | undefined;
  serviceAccountName?: string | undefined;
  setHostnameAsFQDN?: boolean | undefined;
  shareProcessNamespace?: boolean | undefined;
  subdomain?: string | undefined;
  terminationGracePeriodSeconds?: number | undefined;
  tolerations?: Toleration[] | undefined;
  topologySpreadConstraints?: TopologySpreadConstraint[] | undefined;
  volumes?: Volume[] | undefined;
}

/** Part of `v1`. */
export interface PodStatus {
  allocatedResources?: Record<string, Quantity> | undefined;
  conditions?: PodCondition[] | undefined;
  containerStatuses?: ContainerStatus[] | undefined;
  ephemeralContainerStatuses?: ContainerStatus[] | undefined;
  extendedResourceClaimStatus?: PodExtendedResourceClaimStatus | undefined;
  hostIP?: string | undefined;
  hostIPs?: HostIP[] | undefined;
  initContainerStatuses?: ContainerStatus[] | undefined;
  message?: string | undefined;
  nodeAllocatableResourceClaimStatuses?: NodeAllocatableResourceClaimStatus[] | undefined;
  nominatedNodeName?: string | undefined;
  observedGeneration?: number | undefined;
  phase?: 'Failed' | 'Pending' | 'Running' | 'Succeeded' | 'Unknown' | undefined;
  podIP?: string | undefined;
  podIPs?: PodIP[] | undefined;
  qosClass?: 'BestEffort' | 'Burstable' | 'Guaranteed' | undefined;
  reason?: string | undefined;
  resize?: string | undefined;
  resourceClaimStatuses?: PodResourceClaimStatus[] | undefined;
  resources?: ResourceRequirements | undefined;
  startTime?: string | undefined;
}

/** `podtemplates` of `v1`, namespaced. */
export interface PodTemplate {
  apiVersion: 'v1';
  kind: 'PodTemplate';
  metadata: StoredObjectMeta;
  template?: PodTemplateSpec | undefined;
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
  metadata?: ObjectMeta | undefined;
  spec?: PodSpec | undefined;
}

/** Part of `v1`. */
export interface PortStatus {
  error?: string | undefined;
  port: number;
  protocol: 'SCTP' | 'TCP' | 'UDP';
}

/** Part of `v1`. */
export interface PortworxVolumeSource {
  fsType?: string | undefined;
  readOnly?: boolean | undefined;
  volumeID: string;
}

/** Part of `v1`. */
export interface PreferredSchedulingTerm {
  preference: NodeSelectorTerm;
  weight: number;
}

/** Part of `v1`. */
export interface Probe {
  exec?: ExecAction | undefined;
  failureThreshold?: number | undefined;
  grpc?: GRPCAction | undefined;
  httpGet?: HTTPGetAction | undefined;
  initialDelaySeconds?: number | undefined;
  periodSeconds?: number | undefined;
  successThreshold?: number | undefined;
  tcpSocket?: TCPSocketAction | undefined;
  terminationGracePeriodSeconds?: number | undefined;
  timeoutSeconds?: number | undefined;
}

/** Part of `v1`. */
export interface ProjectedVolumeSource {
  defaultMode?: number | undefined;
  sources?: VolumeProjection[] | undefined;
}

/** Part of `v1`. */
export interface QuobyteVolumeSource {
  group?: string | undefined;
  readOnly?: boolean | undefined;
  registry: string;
  tenant?: string | undefined;
  user?: string | undefined;
  volume: string;
}

/** Part of `v1`. */
export interface RBDPersistentVolumeSource {
  fsType?: string | undefined;
  image: string;
  /** @default '/etc/ceph/keyring' */
  keyring?: string | undefined;
  monitors: string[];
  /** @default 'rbd' */
  pool?: string | undefined;
  readOnly?: boolean | undefined;
  secretRef?: SecretReference | undefined;
  /** @default 'admin' */
  user?: string | undefined;
}

/** Part of `v1`. */
export interface RBDVolumeSource {
  fsType?: string | undefined;
  image: string;
  /** @default '/etc/ceph/keyring' */
  keyring?: string | undefined;
  monitors: string[];
  /** @default 'rbd' */
  pool?: string | undefined;
  readOnly?: boolean | undefined;
  secretRef?: LocalObjectReference | undefined;
  /** @default 'admin' */
  user?: string | undefined;
}

/** `replicationcontrollers`, `rc` of `v1`, namespaced. */
export interface ReplicationController {
  apiVersion: 'v1';
  kind: 'ReplicationController';
  metadata: StoredObjectMeta;
  spec?: ReplicationControllerSpec | undefined;
  status?: ReplicationControllerStatus | undefined;
}

/** Part of `v1`. */
export interface ReplicationControllerCondition {
  lastTransitionTime?: string | undefined;
  message?: string | undefined;
  reason?: string | undefined;
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
  minReadySeconds?: number | undefined;
  /** @default 1 */
  replicas?: number | undefined;
  selector?: Record<string, string> | undefined;
  template?: PodTemplateSpec | undefined;
}

/** Part of `v1`. */
export interface ReplicationControllerStatus {
  availableReplicas?: number | undefined;
  conditions?: ReplicationControllerCondition[] | undefined;
  fullyLabeledReplicas?: number | undefined;
  observedGeneration?: number | undefined;
  readyReplicas?: number | undefined;
  replicas: number;
}

/** Part of `v1`. */
export interface ResourceClaim {
  name: string;
  request?: string | undefined;
}

/** Part of `v1`. */
export interface ResourceFieldSelector {
  containerName?: string | undefined;
  divisor?: Quantity | undefined;
  resource: string;
}

/** Part of `v1`. */
export interface ResourceHealth {
  health?: string | undefined;
  message?: string | undefined;
  resourceID: string;
}

/** `resourcequotas`, `quota` of `v1`, namespaced. */
export interface ResourceQuota {
  apiVersion: 'v1';
  kind: 'ResourceQuota';
  metadata: StoredObjectMeta;
  spec?: ResourceQuotaSpec | undefined;
  status?: ResourceQuotaStatus | undefined;
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
  hard?: Record<string, Quantity> | undefined;
  scopeSelector?: ScopeSelector | undefined;
  scopes?: ('BestEffort' | 'CrossNamespacePodAffinity' | 'NotBestEffort' | 'NotTerminating' | 'PriorityClass' | 'Terminating' | 'VolumeAttributesClass')[] | undefined;
}

/** Part of `v1`. */
export interface ResourceQuotaStatus {
  hard?: Record<string, Quantity> | undefined;
  used?: Record<string, Quantity> | undefined;
}

/** Part of `v1`. */
export interface ResourceRequirements {
  claims?: ResourceClaim[] | undefined;
  limits?: Record<string, Quantity> | undefined;
  requests?: Record<string, Quantity> | undefined;
}

/** Part of `v1`. */
export interface ResourceStatus {
  name: string;
  resources?: ResourceHealth[] | undefined;
}

/** Part of `v1`. */
export interface SELinuxOptions {
  level?: string | undefined;
  role?: string | undefined;
  type?: string | undefined;
  user?: string | undefined;
}

/** Part of `v1`. */
export interface ScaleIOPersistentVolumeSource {
  /** @default 'xfs' */
  fsType?: string | undefined;
  gateway: string;
  protectionDomain?: string | undefined;
  readOnly?: boolean | undefined;
  secretRef: SecretReference;
  sslEnabled?: boolean | undefined;
  /** @default 'ThinProvisioned' */
  storageMode?: string | undefined;
  storagePool?: string | undefined;
  system: string;
  volumeName?: string | undefined;
}

/** Part of `v1`. */
export interface ScaleIOVolumeSource {
  /** @default 'xfs' */
  fsType?: string | undefined;
  gateway: string;
  protectionDomain?: string | undefined;
  readOnly?: boolean | undefined;
  secretRef: LocalObjectReference;
  sslEnabled?: boolean | undefined;
  /** @default 'ThinProvisioned' */
  storageMode?: string | undefined;
  storagePool?: string | undefined;
  system: string;
  volumeName?: string | undefined;
}

/** Part of `v1`. */
export interface ScopeSelector {
  matchExpressions?: ScopedResourceSelectorRequirement[] | undefined;
}

/** Part of `v1`. */
export interface ScopedResourceSelectorRequirement {
  operator: 'DoesNotExist' | 'Exists' | 'In' | 'NotIn';
  scopeName: 'BestEffort' | 'CrossNamespacePodAffinity' | 'NotBestEffort' | 'NotTerminating' | 'PriorityClass' | 'Terminating' | 'VolumeAttributesClass';
  values?: string[] | undefined;
}

/** Part of `v1`. */
export interface SeccompProfile {
  localhostProfile?: string | undefined;
  type: 'Localhost' | 'RuntimeDefault' | 'Unconfined';
}

/** `secrets` of `v1`, namespaced. */
export interface Secret {
  apiVersion: 'v1';
  kind: 'Secret';
  data?: Record<string, string> | undefined;
  immutable?: boolean | undefined;
  metadata: StoredObjectMeta;
  stringData?: Record<string, string> | undefined;
  type?: string | undefined;
}

/** Part of `v1`. */
export interface SecretEnvSource {
  name?: string | undefined;
  optional?: boolean | undefined;
}

/** Part of `v1`. */
export interface SecretKeySelector {
  key: string;
  name?: string | undefined;
  optional?: boolean | undefined;
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
  items?: KeyToPath[] | undefined;
  name?: string | undefined;
  optional?: boolean | undefined;
}

/** Part of `v1`. */
export interface SecretReference {
  name?: string | undefined;
  namespace?: string | undefined;
}

/** Part of `v1`. */
export interface SecretVolumeSource {
  defaultMode?: number | undefined;
  items?: KeyToPath[] | undefined;
  optional?: boolean | undefined;
  secretName?: string | undefined;
}

/** Part of `v1`. */
export interface SecurityContext {
  allowPrivilegeEscalation?: boolean | undefined;
  appArmorProfile?: AppArmorProfile | undefined;
  capabilities?: Capabilities | undefined;
  privileged?: boolean | undefined;
  procMount?: 'Default' | 'Unmasked' | undefined;
  readOnlyRootFilesystem?: boolean | undefined;
  runAsGroup?: number | undefined;
  runAsNonRoot?: boolean | undefined;
  runAsUser?: number | undefined;
  seLinuxOptions?: SELinuxOptions | undefined;
  seccompProfile?: SeccompProfile | undefined;
  windowsOptions?: WindowsSecurityContextOptions | undefined;
}

/** `services`, `svc` of `v1`, namespaced. */
export interface Service {
  apiVersion: 'v1';
  kind: 'Service';
  metadata: StoredObjectMeta;
  spec?: ServiceSpec | undefined;
  status?: ServiceStatus | undefined;
}

/** `serviceaccounts`, `sa` of `v1`, namespaced. */
export interface ServiceAccount {
  apiVersion: 'v1';
  kind: 'ServiceAccount';
  automountServiceAccountToken?: boolean | undefined;
  imagePullSecrets?: LocalObjectReference[] | undefined;
  metadata: StoredObjectMeta;
  secrets?: ObjectReference[] | undefined;
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
  audience?: string | undefined;
  expirationSeconds?: number | undefined;
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
  appProtocol?: string | undefined;
  name?: string | undefined;
  nodePort?: number | undefined;
  port: number;
  /** @default 'TCP' */
  protocol?: 'SCTP' | 'TCP' | 'UDP' | undefined;
  targetPort?: IntOrString | undefined;
}

/** Part of `v1`. */
export interface ServiceSpec {
  allocateLoadBalancerNodePorts?: boolean | undefined;
  clusterIP?: string | undefined;
  clusterIPs?: string[] | undefined;
  externalIPs?: string[] | undefined;
  externalName?: string | undefined;
  externalTrafficPolicy?: 'Cluster' | 'Local' | undefined;
  healthCheckNodePort?: number | undefined;
  internalTrafficPolicy?: 'Cluster' | 'Local' | undefined;
  ipFamilies?: ('' | 'IPv4' | 'IPv6')[] | undefined;
  ipFamilyPolicy?: 'PreferDualStack' | 'RequireDualStack' | 'SingleStack' | undefined;
  loadBalancerClass?: string | undefined;
  loadBalancerIP?: string | undefined;
  loadBalancerSourceRanges?: string[] | undefined;
  ports?: ServicePort[] | undefined;
  publishNotReadyAddresses?: boolean | undefined;
  selector?: Record<string, string> | undefined;
  sessionAffinity?: 'ClientIP' | 'None' | undefined;
  sessionAffinityConfig?: SessionAffinityConfig | undefined;
  trafficDistribution?: string | undefined;
  type?: 'ClusterIP' | 'ExternalName' | 'LoadBalancer' | 'NodePort' | undefined;
}

/** Part of `v1`. */
export interface ServiceStatus {
  conditions?: Condition[] | undefined;
  loadBalancer?: LoadBalancerStatus | undefined;
}

/** Part of `v1`. */
export interface SessionAffinityConfig {
  clientIP?: ClientIPConfig | undefined;
}

/** Part of `v1`. */
export interface SleepAction {
  seconds: number;
}

/** Part of `v1`. */
export interface StorageOSPersistentVolumeSource {
  fsType?: string | undefined;
  readOnly?: boolean | undefined;
  secretRef?: ObjectReference | undefined;
  volumeName?: string | undefined;
  volumeNamespace?: string | undefined;
}

/** Part of `v1`. */
export interface StorageOSVolumeSource {
  fsType?: string | undefined;
  readOnly?: boolean | undefined;
  secretRef?: LocalObjectReference | undefined;
  volumeName?: string | undefined;
  volumeNamespace?: string | undefined;
}

/** Part of `v1`. */
export interface Sysctl {
  name: string;
  value: string;
}

/** Part of `v1`. */
export interface TCPSocketAction {
  host?: string | undefined;
  port: IntOrString;
}

/** Part of `v1`. */
export interface Taint {
  effect: 'NoExecute' | 'NoSchedule' | 'PreferNoSchedule';
  key: string;
  timeAdded?: string | undefined;
  value?: string | undefined;
}

/** Part of `v1`. */
export interface Toleration {
  effect?: 'NoExecute' | 'NoSchedule' | 'PreferNoSchedule' | undefined;
  key?: string | undefined;
  operator?: 'Equal' | 'Exists' | 'Gt' | 'Lt' | undefined;
  tolerationSeconds?: number | undefined;
  value?: string | undefined;
}

/** Part of `v1`. */
export interface TopologySelectorLabelRequirement {
  key: string;
  values: string[];
}

/** Part of `v1`. */
export interface TopologySelectorTerm {
  matchLabelExpressions?: TopologySelectorLabelRequirement[] | undefined;
}

/** Part of `v1`. */
export interface TopologySpreadConstraint {
  labelSelector?: LabelSelector | undefined;
  matchLabelKeys?: string[] | undefined;
  maxSkew: number;
  minDomains?: number | undefined;
  nodeAffinityPolicy?: 'Honor' | 'Ignore' | undefined;
  nodeTaintsPolicy?: 'Honor' | 'Ignore' | undefined;
  topologyKey: string;
  whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway';
}

/** Part of `v1`. */
export interface TypedLocalObjectReference {
  apiGroup?: string | undefined;
  kind: string;
  name: string;
}

/** Part of `v1`. */
export interface TypedObjectReference {
  apiGroup?: string | undefined;
  kind: string;
  name: string;
  namespace?: string | undefined;
}

/** Part of `v1`. */
export interface Volume {
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource | undefined;
  azureDisk?: AzureDiskVolumeSource | undefined;
  azureFile?: AzureFileVolumeSource | undefined;
  cephfs?: CephFSVolumeSource | undefined;
  cinder?: CinderVolumeSource | undefined;
  configMap?: ConfigMapVolumeSource | undefined;
  csi?: CSIVolumeSource | undefined;
  downwardAPI?: DownwardAPIVolumeSource | undefined;
  emptyDir?: EmptyDirVolumeSource | undefined;
  ephemeral?: EphemeralVolumeSource | undefined;
  fc?: FCVolumeSource | undefined;
  flexVolume?: FlexVolumeSource | undefined;
  flocker?: FlockerVolumeSource | undefined;
  gcePersistentDisk?: GCEPersistentDiskVolumeSource | undefined;
  gitRepo?: GitRepoVolumeSource | undefined;
  glusterfs?: GlusterfsVolumeSource | undefined;
  hostPath?: HostPathVolumeSource | undefined;
  image?: ImageVolumeSource | undefined;
  iscsi?: ISCSIVolumeSource | undefined;
  name: string;
  nfs?: NFSVolumeSource | undefined;
  persistentVolumeClaim?: PersistentVolumeClaimVolumeSource | undefined;
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource | undefined;
  portworxVolume?: PortworxVolumeSource | undefined;
  projected?: ProjectedVolumeSource | undefined;
  quobyte?: QuobyteVolumeSource | undefined;
  rbd?: RBDVolumeSource | undefined;
  scaleIO?: ScaleIOVolumeSource | undefined;
  secret?: SecretVolumeSource | undefined;
  storageos?: StorageOSVolumeSource | undefined;
  vsphereVolume?: VsphereVirtualDiskVolumeSource | undefined;
}

/** Part of `v1`. */
export interface VolumeDevice {
  devicePath: string;
  name: string;
}

/** Part of `v1`. */
export interface VolumeMount {
  mountPath: string;
  mountPropagation?: 'Bidirectional' | 'HostToContainer' | 'None' | undefined;
  name: string;
  readOnly?: boolean | undefined;
  recursiveReadOnly?: string | undefined;
  subPath?: string | undefined;
  subPathExpr?: string | undefined;
}

/** Part of `v1`. */
export interface VolumeMountStatus {
  mountPath: string;
  name: string;
  readOnly?: boolean | undefined;
  recursiveReadOnly?: string | undefined;
  volumeStatus?: VolumeStatus | undefined;
}

/** Part of `v1`. */
export interface VolumeNodeAffinity {
  required?: NodeSelector | undefined;
}

/** Part of `v1`. */
export interface VolumeProjection {
  clusterTrustBundle?: ClusterTrustBundleProjection | undefined;
  configMap?: ConfigMapProjection | undefined;
  downwardAPI?: DownwardAPIProjection | undefined;
  podCertificate?: PodCertificateProjection | undefined;
  secret?: SecretProjection | undefined;
  serviceAccountToken?: ServiceAccountTokenProjection | undefined;
}

/** Part of `v1`. */
export interface VolumeResourceRequirements {
  limits?: Record<string, Quantity> | undefined;
  requests?: Record<string, Quantity> | undefined;
}

/** Part of `v1`. */
export interface VolumeStatus {
  image?: ImageVolumeStatus | undefined;
}

/** Part of `v1`. */
export interface VsphereVirtualDiskVolumeSource {
  fsType?: string | undefined;
  storagePolicyID?: string | undefined;
  storagePolicyName?: string | undefined;
  volumePath: string;
}

/** Part of `v1`. */
export interface WeightedPodAffinityTerm {
  podAffinityTerm: PodAffinityTerm;
  weight: number;
}

/** Part of `v1`. */
export interface WindowsSecurityContextOptions {
  gmsaCredentialSpec?: string | undefined;
  gmsaCredentialSpecName?: string | undefined;
  hostProcess?: boolean | undefined;
  runAsUserName?: string | undefined;
}
