// Generated from Kubernetes v1.36.3 by `npm run generate`; do not edit.
// The models of the official client: its names and its form of the generated types.
import { Model, type ModelClass, type ModelForm } from './model.js';
import type * as admissionregistrationV1 from '../resources/types/admissionregistration-v1.js';
import type * as apiextensionsV1 from '../resources/types/apiextensions-v1.js';
import type * as apiregistrationV1 from '../resources/types/apiregistration-v1.js';
import type * as appsV1 from '../resources/types/apps-v1.js';
import type * as authenticationV1 from '../resources/types/authentication-v1.js';
import type * as authorizationV1 from '../resources/types/authorization-v1.js';
import type * as autoscalingV1 from '../resources/types/autoscaling-v1.js';
import type * as autoscalingV2 from '../resources/types/autoscaling-v2.js';
import type * as batchV1 from '../resources/types/batch-v1.js';
import type * as certificatesV1 from '../resources/types/certificates-v1.js';
import type * as coordinationV1 from '../resources/types/coordination-v1.js';
import type * as coreV1 from '../resources/types/core-v1.js';
import type * as discoveryV1 from '../resources/types/discovery-v1.js';
import type * as eventsV1 from '../resources/types/events-v1.js';
import type * as flowcontrolV1 from '../resources/types/flowcontrol-v1.js';
import type * as metaV1 from '../resources/types/meta-v1.js';
import type * as networkingV1 from '../resources/types/networking-v1.js';
import type * as nodeV1 from '../resources/types/node-v1.js';
import type * as objects from '../meta/objects.js';
import type * as policyV1 from '../resources/types/policy-v1.js';
import type * as rbacV1 from '../resources/types/rbac-v1.js';
import type * as resourceV1 from '../resources/types/resource-v1.js';
import type * as schedulingV1 from '../resources/types/scheduling-v1.js';
import type * as status from '../meta/errors/status.js';
import type * as storageV1 from '../resources/types/storage-v1.js';

/** The fields whose values are Dates in models. */
type TimeField =
  | 'acquireTime'
  | 'allocationTimestamp'
  | 'completionTime'
  | 'creationTimestamp'
  | 'deletionTimestamp'
  | 'deprecatedFirstTimestamp'
  | 'deprecatedLastTimestamp'
  | 'disruptedPods'
  | 'eventTime'
  | 'expirationTimestamp'
  | 'finishedAt'
  | 'firstTimestamp'
  | 'lastHeartbeatTime'
  | 'lastObservedTime'
  | 'lastPhaseTransitionTime'
  | 'lastProbeTime'
  | 'lastScaleTime'
  | 'lastScheduleTime'
  | 'lastSuccessfulTime'
  | 'lastTimestamp'
  | 'lastTransitionTime'
  | 'lastUpdateTime'
  | 'renewTime'
  | 'startTime'
  | 'startedAt'
  | 'time'
  | 'timeAdded';

/** The model of a generated type. */
export type ModelOf<T> = ModelForm<T, TimeField>;

/** The model of `admissionregistrationV1 ServiceReference`. */
export type AdmissionregistrationV1ServiceReference = ModelOf<admissionregistrationV1.ServiceReference>;
export const AdmissionregistrationV1ServiceReference: ModelClass<AdmissionregistrationV1ServiceReference> = Model;
/** The model of `admissionregistrationV1 WebhookClientConfig`. */
export type AdmissionregistrationV1WebhookClientConfig = ModelOf<admissionregistrationV1.WebhookClientConfig>;
export const AdmissionregistrationV1WebhookClientConfig: ModelClass<AdmissionregistrationV1WebhookClientConfig> = Model;
/** The model of `apiextensionsV1 ServiceReference`. */
export type ApiextensionsV1ServiceReference = ModelOf<apiextensionsV1.ServiceReference>;
export const ApiextensionsV1ServiceReference: ModelClass<ApiextensionsV1ServiceReference> = Model;
/** The model of `apiextensionsV1 WebhookClientConfig`. */
export type ApiextensionsV1WebhookClientConfig = ModelOf<apiextensionsV1.WebhookClientConfig>;
export const ApiextensionsV1WebhookClientConfig: ModelClass<ApiextensionsV1WebhookClientConfig> = Model;
/** The model of `apiregistrationV1 ServiceReference`. */
export type ApiregistrationV1ServiceReference = ModelOf<apiregistrationV1.ServiceReference>;
export const ApiregistrationV1ServiceReference: ModelClass<ApiregistrationV1ServiceReference> = Model;
/** The model of `authenticationV1 TokenRequest`. */
export type AuthenticationV1TokenRequest = ModelOf<authenticationV1.TokenRequest>;
export const AuthenticationV1TokenRequest: ModelClass<AuthenticationV1TokenRequest> = Model;
/** The model of `coreV1 EndpointPort`. */
export type CoreV1EndpointPort = ModelOf<coreV1.EndpointPort>;
export const CoreV1EndpointPort: ModelClass<CoreV1EndpointPort> = Model;
/** The model of `coreV1 Event`. */
export type CoreV1Event = ModelOf<coreV1.Event>;
export const CoreV1Event: ModelClass<CoreV1Event> = Model;
/** The model of `coreV1 EventList`. */
export type CoreV1EventList = ModelOf<coreV1.EventList>;
export const CoreV1EventList: ModelClass<CoreV1EventList> = Model;
/** The model of `coreV1 EventSeries`. */
export type CoreV1EventSeries = ModelOf<coreV1.EventSeries>;
export const CoreV1EventSeries: ModelClass<CoreV1EventSeries> = Model;
/** The model of `coreV1 ResourceClaim`. */
export type CoreV1ResourceClaim = ModelOf<coreV1.ResourceClaim>;
export const CoreV1ResourceClaim: ModelClass<CoreV1ResourceClaim> = Model;
/** The model of `discoveryV1 EndpointPort`. */
export type DiscoveryV1EndpointPort = ModelOf<discoveryV1.EndpointPort>;
export const DiscoveryV1EndpointPort: ModelClass<DiscoveryV1EndpointPort> = Model;
/** The model of `eventsV1 Event`. */
export type EventsV1Event = ModelOf<eventsV1.Event>;
export const EventsV1Event: ModelClass<EventsV1Event> = Model;
/** The model of `eventsV1 EventList`. */
export type EventsV1EventList = ModelOf<eventsV1.EventList>;
export const EventsV1EventList: ModelClass<EventsV1EventList> = Model;
/** The model of `eventsV1 EventSeries`. */
export type EventsV1EventSeries = ModelOf<eventsV1.EventSeries>;
export const EventsV1EventSeries: ModelClass<EventsV1EventSeries> = Model;
/** The model of `flowcontrolV1 Subject`. */
export type FlowcontrolV1Subject = ModelOf<flowcontrolV1.Subject>;
export const FlowcontrolV1Subject: ModelClass<FlowcontrolV1Subject> = Model;
/** The model of `rbacV1 Subject`. */
export type RbacV1Subject = ModelOf<rbacV1.Subject>;
export const RbacV1Subject: ModelClass<RbacV1Subject> = Model;
/** The model of `resourceV1 ResourceClaim`. */
export type ResourceV1ResourceClaim = ModelOf<resourceV1.ResourceClaim>;
export const ResourceV1ResourceClaim: ModelClass<ResourceV1ResourceClaim> = Model;
/** The model of `storageV1 TokenRequest`. */
export type StorageV1TokenRequest = ModelOf<storageV1.TokenRequest>;
export const StorageV1TokenRequest: ModelClass<StorageV1TokenRequest> = Model;
/** The model of `apiregistrationV1 APIService`. */
export type V1APIService = ModelOf<apiregistrationV1.APIService>;
export const V1APIService: ModelClass<V1APIService> = Model;
/** The model of `apiregistrationV1 APIServiceCondition`. */
export type V1APIServiceCondition = ModelOf<apiregistrationV1.APIServiceCondition>;
export const V1APIServiceCondition: ModelClass<V1APIServiceCondition> = Model;
/** The model of `apiregistrationV1 APIServiceList`. */
export type V1APIServiceList = ModelOf<apiregistrationV1.APIServiceList>;
export const V1APIServiceList: ModelClass<V1APIServiceList> = Model;
/** The model of `apiregistrationV1 APIServiceSpec`. */
export type V1APIServiceSpec = ModelOf<apiregistrationV1.APIServiceSpec>;
export const V1APIServiceSpec: ModelClass<V1APIServiceSpec> = Model;
/** The model of `apiregistrationV1 APIServiceStatus`. */
export type V1APIServiceStatus = ModelOf<apiregistrationV1.APIServiceStatus>;
export const V1APIServiceStatus: ModelClass<V1APIServiceStatus> = Model;
/** The model of `coreV1 AWSElasticBlockStoreVolumeSource`. */
export type V1AWSElasticBlockStoreVolumeSource = ModelOf<coreV1.AWSElasticBlockStoreVolumeSource>;
export const V1AWSElasticBlockStoreVolumeSource: ModelClass<V1AWSElasticBlockStoreVolumeSource> = Model;
/** The model of `coreV1 Affinity`. */
export type V1Affinity = ModelOf<coreV1.Affinity>;
export const V1Affinity: ModelClass<V1Affinity> = Model;
/** The model of `rbacV1 AggregationRule`. */
export type V1AggregationRule = ModelOf<rbacV1.AggregationRule>;
export const V1AggregationRule: ModelClass<V1AggregationRule> = Model;
/** The model of `resourceV1 AllocatedDeviceStatus`. */
export type V1AllocatedDeviceStatus = ModelOf<resourceV1.AllocatedDeviceStatus>;
export const V1AllocatedDeviceStatus: ModelClass<V1AllocatedDeviceStatus> = Model;
/** The model of `resourceV1 AllocationResult`. */
export type V1AllocationResult = ModelOf<resourceV1.AllocationResult>;
export const V1AllocationResult: ModelClass<V1AllocationResult> = Model;
/** The model of `coreV1 AppArmorProfile`. */
export type V1AppArmorProfile = ModelOf<coreV1.AppArmorProfile>;
export const V1AppArmorProfile: ModelClass<V1AppArmorProfile> = Model;
/** The model of `admissionregistrationV1 ApplyConfiguration`. */
export type V1ApplyConfiguration = ModelOf<admissionregistrationV1.ApplyConfiguration>;
export const V1ApplyConfiguration: ModelClass<V1ApplyConfiguration> = Model;
/** The model of `coreV1 AttachedVolume`. */
export type V1AttachedVolume = ModelOf<coreV1.AttachedVolume>;
export const V1AttachedVolume: ModelClass<V1AttachedVolume> = Model;
/** The model of `admissionregistrationV1 AuditAnnotation`. */
export type V1AuditAnnotation = ModelOf<admissionregistrationV1.AuditAnnotation>;
export const V1AuditAnnotation: ModelClass<V1AuditAnnotation> = Model;
/** The model of `coreV1 AzureDiskVolumeSource`. */
export type V1AzureDiskVolumeSource = ModelOf<coreV1.AzureDiskVolumeSource>;
export const V1AzureDiskVolumeSource: ModelClass<V1AzureDiskVolumeSource> = Model;
/** The model of `coreV1 AzureFilePersistentVolumeSource`. */
export type V1AzureFilePersistentVolumeSource = ModelOf<coreV1.AzureFilePersistentVolumeSource>;
export const V1AzureFilePersistentVolumeSource: ModelClass<V1AzureFilePersistentVolumeSource> = Model;
/** The model of `coreV1 AzureFileVolumeSource`. */
export type V1AzureFileVolumeSource = ModelOf<coreV1.AzureFileVolumeSource>;
export const V1AzureFileVolumeSource: ModelClass<V1AzureFileVolumeSource> = Model;
/** The model of `coreV1 Binding`. */
export type V1Binding = ModelOf<coreV1.Binding>;
export const V1Binding: ModelClass<V1Binding> = Model;
/** The model of `authenticationV1 BoundObjectReference`. */
export type V1BoundObjectReference = ModelOf<authenticationV1.BoundObjectReference>;
export const V1BoundObjectReference: ModelClass<V1BoundObjectReference> = Model;
/** The model of `resourceV1 CELDeviceSelector`. */
export type V1CELDeviceSelector = ModelOf<resourceV1.CELDeviceSelector>;
export const V1CELDeviceSelector: ModelClass<V1CELDeviceSelector> = Model;
/** The model of `storageV1 CSIDriver`. */
export type V1CSIDriver = ModelOf<storageV1.CSIDriver>;
export const V1CSIDriver: ModelClass<V1CSIDriver> = Model;
/** The model of `storageV1 CSIDriverList`. */
export type V1CSIDriverList = ModelOf<storageV1.CSIDriverList>;
export const V1CSIDriverList: ModelClass<V1CSIDriverList> = Model;
/** The model of `storageV1 CSIDriverSpec`. */
export type V1CSIDriverSpec = ModelOf<storageV1.CSIDriverSpec>;
export const V1CSIDriverSpec: ModelClass<V1CSIDriverSpec> = Model;
/** The model of `storageV1 CSINode`. */
export type V1CSINode = ModelOf<storageV1.CSINode>;
export const V1CSINode: ModelClass<V1CSINode> = Model;
/** The model of `storageV1 CSINodeDriver`. */
export type V1CSINodeDriver = ModelOf<storageV1.CSINodeDriver>;
export const V1CSINodeDriver: ModelClass<V1CSINodeDriver> = Model;
/** The model of `storageV1 CSINodeList`. */
export type V1CSINodeList = ModelOf<storageV1.CSINodeList>;
export const V1CSINodeList: ModelClass<V1CSINodeList> = Model;
/** The model of `storageV1 CSINodeSpec`. */
export type V1CSINodeSpec = ModelOf<storageV1.CSINodeSpec>;
export const V1CSINodeSpec: ModelClass<V1CSINodeSpec> = Model;
/** The model of `coreV1 CSIPersistentVolumeSource`. */
export type V1CSIPersistentVolumeSource = ModelOf<coreV1.CSIPersistentVolumeSource>;
export const V1CSIPersistentVolumeSource: ModelClass<V1CSIPersistentVolumeSource> = Model;
/** The model of `storageV1 CSIStorageCapacity`. */
export type V1CSIStorageCapacity = ModelOf<storageV1.CSIStorageCapacity>;
export const V1CSIStorageCapacity: ModelClass<V1CSIStorageCapacity> = Model;
/** The model of `storageV1 CSIStorageCapacityList`. */
export type V1CSIStorageCapacityList = ModelOf<storageV1.CSIStorageCapacityList>;
export const V1CSIStorageCapacityList: ModelClass<V1CSIStorageCapacityList> = Model;
/** The model of `coreV1 CSIVolumeSource`. */
export type V1CSIVolumeSource = ModelOf<coreV1.CSIVolumeSource>;
export const V1CSIVolumeSource: ModelClass<V1CSIVolumeSource> = Model;
/** The model of `coreV1 Capabilities`. */
export type V1Capabilities = ModelOf<coreV1.Capabilities>;
export const V1Capabilities: ModelClass<V1Capabilities> = Model;
/** The model of `resourceV1 CapacityRequestPolicy`. */
export type V1CapacityRequestPolicy = ModelOf<resourceV1.CapacityRequestPolicy>;
export const V1CapacityRequestPolicy: ModelClass<V1CapacityRequestPolicy> = Model;
/** The model of `resourceV1 CapacityRequestPolicyRange`. */
export type V1CapacityRequestPolicyRange = ModelOf<resourceV1.CapacityRequestPolicyRange>;
export const V1CapacityRequestPolicyRange: ModelClass<V1CapacityRequestPolicyRange> = Model;
/** The model of `resourceV1 CapacityRequirements`. */
export type V1CapacityRequirements = ModelOf<resourceV1.CapacityRequirements>;
export const V1CapacityRequirements: ModelClass<V1CapacityRequirements> = Model;
/** The model of `coreV1 CephFSPersistentVolumeSource`. */
export type V1CephFSPersistentVolumeSource = ModelOf<coreV1.CephFSPersistentVolumeSource>;
export const V1CephFSPersistentVolumeSource: ModelClass<V1CephFSPersistentVolumeSource> = Model;
/** The model of `coreV1 CephFSVolumeSource`. */
export type V1CephFSVolumeSource = ModelOf<coreV1.CephFSVolumeSource>;
export const V1CephFSVolumeSource: ModelClass<V1CephFSVolumeSource> = Model;
/** The model of `certificatesV1 CertificateSigningRequest`. */
export type V1CertificateSigningRequest = ModelOf<certificatesV1.CertificateSigningRequest>;
export const V1CertificateSigningRequest: ModelClass<V1CertificateSigningRequest> = Model;
/** The model of `certificatesV1 CertificateSigningRequestCondition`. */
export type V1CertificateSigningRequestCondition = ModelOf<certificatesV1.CertificateSigningRequestCondition>;
export const V1CertificateSigningRequestCondition: ModelClass<V1CertificateSigningRequestCondition> = Model;
/** The model of `certificatesV1 CertificateSigningRequestList`. */
export type V1CertificateSigningRequestList = ModelOf<certificatesV1.CertificateSigningRequestList>;
export const V1CertificateSigningRequestList: ModelClass<V1CertificateSigningRequestList> = Model;
/** The model of `certificatesV1 CertificateSigningRequestSpec`. */
export type V1CertificateSigningRequestSpec = ModelOf<certificatesV1.CertificateSigningRequestSpec>;
export const V1CertificateSigningRequestSpec: ModelClass<V1CertificateSigningRequestSpec> = Model;
/** The model of `certificatesV1 CertificateSigningRequestStatus`. */
export type V1CertificateSigningRequestStatus = ModelOf<certificatesV1.CertificateSigningRequestStatus>;
export const V1CertificateSigningRequestStatus: ModelClass<V1CertificateSigningRequestStatus> = Model;
/** The model of `coreV1 CinderPersistentVolumeSource`. */
export type V1CinderPersistentVolumeSource = ModelOf<coreV1.CinderPersistentVolumeSource>;
export const V1CinderPersistentVolumeSource: ModelClass<V1CinderPersistentVolumeSource> = Model;
/** The model of `coreV1 CinderVolumeSource`. */
export type V1CinderVolumeSource = ModelOf<coreV1.CinderVolumeSource>;
export const V1CinderVolumeSource: ModelClass<V1CinderVolumeSource> = Model;
/** The model of `coreV1 ClientIPConfig`. */
export type V1ClientIPConfig = ModelOf<coreV1.ClientIPConfig>;
export const V1ClientIPConfig: ModelClass<V1ClientIPConfig> = Model;
/** The model of `rbacV1 ClusterRole`. */
export type V1ClusterRole = ModelOf<rbacV1.ClusterRole>;
export const V1ClusterRole: ModelClass<V1ClusterRole> = Model;
/** The model of `rbacV1 ClusterRoleBinding`. */
export type V1ClusterRoleBinding = ModelOf<rbacV1.ClusterRoleBinding>;
export const V1ClusterRoleBinding: ModelClass<V1ClusterRoleBinding> = Model;
/** The model of `rbacV1 ClusterRoleBindingList`. */
export type V1ClusterRoleBindingList = ModelOf<rbacV1.ClusterRoleBindingList>;
export const V1ClusterRoleBindingList: ModelClass<V1ClusterRoleBindingList> = Model;
/** The model of `rbacV1 ClusterRoleList`. */
export type V1ClusterRoleList = ModelOf<rbacV1.ClusterRoleList>;
export const V1ClusterRoleList: ModelClass<V1ClusterRoleList> = Model;
/** The model of `coreV1 ClusterTrustBundleProjection`. */
export type V1ClusterTrustBundleProjection = ModelOf<coreV1.ClusterTrustBundleProjection>;
export const V1ClusterTrustBundleProjection: ModelClass<V1ClusterTrustBundleProjection> = Model;
/** The model of `coreV1 ComponentCondition`. */
export type V1ComponentCondition = ModelOf<coreV1.ComponentCondition>;
export const V1ComponentCondition: ModelClass<V1ComponentCondition> = Model;
/** The model of `coreV1 ComponentStatus`. */
export type V1ComponentStatus = ModelOf<coreV1.ComponentStatus>;
export const V1ComponentStatus: ModelClass<V1ComponentStatus> = Model;
/** The model of `coreV1 ComponentStatusList`. */
export type V1ComponentStatusList = ModelOf<coreV1.ComponentStatusList>;
export const V1ComponentStatusList: ModelClass<V1ComponentStatusList> = Model;
/** The model of `objects Condition`. */
export type V1Condition = ModelOf<objects.Condition>;
export const V1Condition: ModelClass<V1Condition> = Model;
/** The model of `coreV1 ConfigMap`. */
export type V1ConfigMap = ModelOf<coreV1.ConfigMap>;
export const V1ConfigMap: ModelClass<V1ConfigMap> = Model;
/** The model of `coreV1 ConfigMapEnvSource`. */
export type V1ConfigMapEnvSource = ModelOf<coreV1.ConfigMapEnvSource>;
export const V1ConfigMapEnvSource: ModelClass<V1ConfigMapEnvSource> = Model;
/** The model of `coreV1 ConfigMapKeySelector`. */
export type V1ConfigMapKeySelector = ModelOf<coreV1.ConfigMapKeySelector>;
export const V1ConfigMapKeySelector: ModelClass<V1ConfigMapKeySelector> = Model;
/** The model of `coreV1 ConfigMapList`. */
export type V1ConfigMapList = ModelOf<coreV1.ConfigMapList>;
export const V1ConfigMapList: ModelClass<V1ConfigMapList> = Model;
/** The model of `coreV1 ConfigMapNodeConfigSource`. */
export type V1ConfigMapNodeConfigSource = ModelOf<coreV1.ConfigMapNodeConfigSource>;
export const V1ConfigMapNodeConfigSource: ModelClass<V1ConfigMapNodeConfigSource> = Model;
/** The model of `coreV1 ConfigMapProjection`. */
export type V1ConfigMapProjection = ModelOf<coreV1.ConfigMapProjection>;
export const V1ConfigMapProjection: ModelClass<V1ConfigMapProjection> = Model;
/** The model of `coreV1 ConfigMapVolumeSource`. */
export type V1ConfigMapVolumeSource = ModelOf<coreV1.ConfigMapVolumeSource>;
export const V1ConfigMapVolumeSource: ModelClass<V1ConfigMapVolumeSource> = Model;
/** The model of `coreV1 Container`. */
export type V1Container = ModelOf<coreV1.Container>;
export const V1Container: ModelClass<V1Container> = Model;
/** The model of `coreV1 ContainerExtendedResourceRequest`. */
export type V1ContainerExtendedResourceRequest = ModelOf<coreV1.ContainerExtendedResourceRequest>;
export const V1ContainerExtendedResourceRequest: ModelClass<V1ContainerExtendedResourceRequest> = Model;
/** The model of `coreV1 ContainerImage`. */
export type V1ContainerImage = ModelOf<coreV1.ContainerImage>;
export const V1ContainerImage: ModelClass<V1ContainerImage> = Model;
/** The model of `coreV1 ContainerPort`. */
export type V1ContainerPort = ModelOf<coreV1.ContainerPort>;
export const V1ContainerPort: ModelClass<V1ContainerPort> = Model;
/** The model of `coreV1 ContainerResizePolicy`. */
export type V1ContainerResizePolicy = ModelOf<coreV1.ContainerResizePolicy>;
export const V1ContainerResizePolicy: ModelClass<V1ContainerResizePolicy> = Model;
/** The model of `coreV1 ContainerRestartRule`. */
export type V1ContainerRestartRule = ModelOf<coreV1.ContainerRestartRule>;
export const V1ContainerRestartRule: ModelClass<V1ContainerRestartRule> = Model;
/** The model of `coreV1 ContainerRestartRuleOnExitCodes`. */
export type V1ContainerRestartRuleOnExitCodes = ModelOf<coreV1.ContainerRestartRuleOnExitCodes>;
export const V1ContainerRestartRuleOnExitCodes: ModelClass<V1ContainerRestartRuleOnExitCodes> = Model;
/** The model of `coreV1 ContainerState`. */
export type V1ContainerState = ModelOf<coreV1.ContainerState>;
export const V1ContainerState: ModelClass<V1ContainerState> = Model;
/** The model of `coreV1 ContainerStateRunning`. */
export type V1ContainerStateRunning = ModelOf<coreV1.ContainerStateRunning>;
export const V1ContainerStateRunning: ModelClass<V1ContainerStateRunning> = Model;
/** The model of `coreV1 ContainerStateTerminated`. */
export type V1ContainerStateTerminated = ModelOf<coreV1.ContainerStateTerminated>;
export const V1ContainerStateTerminated: ModelClass<V1ContainerStateTerminated> = Model;
/** The model of `coreV1 ContainerStateWaiting`. */
export type V1ContainerStateWaiting = ModelOf<coreV1.ContainerStateWaiting>;
export const V1ContainerStateWaiting: ModelClass<V1ContainerStateWaiting> = Model;
/** The model of `coreV1 ContainerStatus`. */
export type V1ContainerStatus = ModelOf<coreV1.ContainerStatus>;
export const V1ContainerStatus: ModelClass<V1ContainerStatus> = Model;
/** The model of `coreV1 ContainerUser`. */
export type V1ContainerUser = ModelOf<coreV1.ContainerUser>;
export const V1ContainerUser: ModelClass<V1ContainerUser> = Model;
/** The model of `appsV1 ControllerRevision`. */
export type V1ControllerRevision = ModelOf<appsV1.ControllerRevision>;
export const V1ControllerRevision: ModelClass<V1ControllerRevision> = Model;
/** The model of `appsV1 ControllerRevisionList`. */
export type V1ControllerRevisionList = ModelOf<appsV1.ControllerRevisionList>;
export const V1ControllerRevisionList: ModelClass<V1ControllerRevisionList> = Model;
/** The model of `resourceV1 Counter`. */
export type V1Counter = ModelOf<resourceV1.Counter>;
export const V1Counter: ModelClass<V1Counter> = Model;
/** The model of `resourceV1 CounterSet`. */
export type V1CounterSet = ModelOf<resourceV1.CounterSet>;
export const V1CounterSet: ModelClass<V1CounterSet> = Model;
/** The model of `batchV1 CronJob`. */
export type V1CronJob = ModelOf<batchV1.CronJob>;
export const V1CronJob: ModelClass<V1CronJob> = Model;
/** The model of `batchV1 CronJobList`. */
export type V1CronJobList = ModelOf<batchV1.CronJobList>;
export const V1CronJobList: ModelClass<V1CronJobList> = Model;
/** The model of `batchV1 CronJobSpec`. */
export type V1CronJobSpec = ModelOf<batchV1.CronJobSpec>;
export const V1CronJobSpec: ModelClass<V1CronJobSpec> = Model;
/** The model of `batchV1 CronJobStatus`. */
export type V1CronJobStatus = ModelOf<batchV1.CronJobStatus>;
export const V1CronJobStatus: ModelClass<V1CronJobStatus> = Model;
/** The model of `autoscalingV1 CrossVersionObjectReference`. */
export type V1CrossVersionObjectReference = ModelOf<autoscalingV1.CrossVersionObjectReference>;
export const V1CrossVersionObjectReference: ModelClass<V1CrossVersionObjectReference> = Model;
/** The model of `apiextensionsV1 CustomResourceColumnDefinition`. */
export type V1CustomResourceColumnDefinition = ModelOf<apiextensionsV1.CustomResourceColumnDefinition>;
export const V1CustomResourceColumnDefinition: ModelClass<V1CustomResourceColumnDefinition> = Model;
/** The model of `apiextensionsV1 CustomResourceConversion`. */
export type V1CustomResourceConversion = ModelOf<apiextensionsV1.CustomResourceConversion>;
export const V1CustomResourceConversion: ModelClass<V1CustomResourceConversion> = Model;
/** The model of `apiextensionsV1 CustomResourceDefinition`. */
export type V1CustomResourceDefinition = ModelOf<apiextensionsV1.CustomResourceDefinition>;
export const V1CustomResourceDefinition: ModelClass<V1CustomResourceDefinition> = Model;
/** The model of `apiextensionsV1 CustomResourceDefinitionCondition`. */
export type V1CustomResourceDefinitionCondition = ModelOf<apiextensionsV1.CustomResourceDefinitionCondition>;
export const V1CustomResourceDefinitionCondition: ModelClass<V1CustomResourceDefinitionCondition> = Model;
/** The model of `apiextensionsV1 CustomResourceDefinitionList`. */
export type V1CustomResourceDefinitionList = ModelOf<apiextensionsV1.CustomResourceDefinitionList>;
export const V1CustomResourceDefinitionList: ModelClass<V1CustomResourceDefinitionList> = Model;
/** The model of `apiextensionsV1 CustomResourceDefinitionNames`. */
export type V1CustomResourceDefinitionNames = ModelOf<apiextensionsV1.CustomResourceDefinitionNames>;
export const V1CustomResourceDefinitionNames: ModelClass<V1CustomResourceDefinitionNames> = Model;
/** The model of `apiextensionsV1 CustomResourceDefinitionSpec`. */
export type V1CustomResourceDefinitionSpec = ModelOf<apiextensionsV1.CustomResourceDefinitionSpec>;
export const V1CustomResourceDefinitionSpec: ModelClass<V1CustomResourceDefinitionSpec> = Model;
/** The model of `apiextensionsV1 CustomResourceDefinitionStatus`. */
export type V1CustomResourceDefinitionStatus = ModelOf<apiextensionsV1.CustomResourceDefinitionStatus>;
export const V1CustomResourceDefinitionStatus: ModelClass<V1CustomResourceDefinitionStatus> = Model;
/** The model of `apiextensionsV1 CustomResourceDefinitionVersion`. */
export type V1CustomResourceDefinitionVersion = ModelOf<apiextensionsV1.CustomResourceDefinitionVersion>;
export const V1CustomResourceDefinitionVersion: ModelClass<V1CustomResourceDefinitionVersion> = Model;
/** The model of `apiextensionsV1 CustomResourceSubresourceScale`. */
export type V1CustomResourceSubresourceScale = ModelOf<apiextensionsV1.CustomResourceSubresourceScale>;
export const V1CustomResourceSubresourceScale: ModelClass<V1CustomResourceSubresourceScale> = Model;
/** The model of `apiextensionsV1 CustomResourceSubresourceStatus`. */
export type V1CustomResourceSubresourceStatus = ModelOf<apiextensionsV1.CustomResourceSubresourceStatus>;
export const V1CustomResourceSubresourceStatus: ModelClass<V1CustomResourceSubresourceStatus> = Model;
/** The model of `apiextensionsV1 CustomResourceSubresources`. */
export type V1CustomResourceSubresources = ModelOf<apiextensionsV1.CustomResourceSubresources>;
export const V1CustomResourceSubresources: ModelClass<V1CustomResourceSubresources> = Model;
/** The model of `apiextensionsV1 CustomResourceValidation`. */
export type V1CustomResourceValidation = ModelOf<apiextensionsV1.CustomResourceValidation>;
export const V1CustomResourceValidation: ModelClass<V1CustomResourceValidation> = Model;
/** The model of `coreV1 DaemonEndpoint`. */
export type V1DaemonEndpoint = ModelOf<coreV1.DaemonEndpoint>;
export const V1DaemonEndpoint: ModelClass<V1DaemonEndpoint> = Model;
/** The model of `appsV1 DaemonSet`. */
export type V1DaemonSet = ModelOf<appsV1.DaemonSet>;
export const V1DaemonSet: ModelClass<V1DaemonSet> = Model;
/** The model of `appsV1 DaemonSetCondition`. */
export type V1DaemonSetCondition = ModelOf<appsV1.DaemonSetCondition>;
export const V1DaemonSetCondition: ModelClass<V1DaemonSetCondition> = Model;
/** The model of `appsV1 DaemonSetList`. */
export type V1DaemonSetList = ModelOf<appsV1.DaemonSetList>;
export const V1DaemonSetList: ModelClass<V1DaemonSetList> = Model;
/** The model of `appsV1 DaemonSetSpec`. */
export type V1DaemonSetSpec = ModelOf<appsV1.DaemonSetSpec>;
export const V1DaemonSetSpec: ModelClass<V1DaemonSetSpec> = Model;
/** The model of `appsV1 DaemonSetStatus`. */
export type V1DaemonSetStatus = ModelOf<appsV1.DaemonSetStatus>;
export const V1DaemonSetStatus: ModelClass<V1DaemonSetStatus> = Model;
/** The model of `appsV1 DaemonSetUpdateStrategy`. */
export type V1DaemonSetUpdateStrategy = ModelOf<appsV1.DaemonSetUpdateStrategy>;
export const V1DaemonSetUpdateStrategy: ModelClass<V1DaemonSetUpdateStrategy> = Model;
/** The model of `metaV1 DeleteOptions`. */
export type V1DeleteOptions = ModelOf<metaV1.DeleteOptions>;
export const V1DeleteOptions: ModelClass<V1DeleteOptions> = Model;
/** The model of `appsV1 Deployment`. */
export type V1Deployment = ModelOf<appsV1.Deployment>;
export const V1Deployment: ModelClass<V1Deployment> = Model;
/** The model of `appsV1 DeploymentCondition`. */
export type V1DeploymentCondition = ModelOf<appsV1.DeploymentCondition>;
export const V1DeploymentCondition: ModelClass<V1DeploymentCondition> = Model;
/** The model of `appsV1 DeploymentList`. */
export type V1DeploymentList = ModelOf<appsV1.DeploymentList>;
export const V1DeploymentList: ModelClass<V1DeploymentList> = Model;
/** The model of `appsV1 DeploymentSpec`. */
export type V1DeploymentSpec = ModelOf<appsV1.DeploymentSpec>;
export const V1DeploymentSpec: ModelClass<V1DeploymentSpec> = Model;
/** The model of `appsV1 DeploymentStatus`. */
export type V1DeploymentStatus = ModelOf<appsV1.DeploymentStatus>;
export const V1DeploymentStatus: ModelClass<V1DeploymentStatus> = Model;
/** The model of `appsV1 DeploymentStrategy`. */
export type V1DeploymentStrategy = ModelOf<appsV1.DeploymentStrategy>;
export const V1DeploymentStrategy: ModelClass<V1DeploymentStrategy> = Model;
/** The model of `resourceV1 Device`. */
export type V1Device = ModelOf<resourceV1.Device>;
export const V1Device: ModelClass<V1Device> = Model;
/** The model of `resourceV1 DeviceAllocationConfiguration`. */
export type V1DeviceAllocationConfiguration = ModelOf<resourceV1.DeviceAllocationConfiguration>;
export const V1DeviceAllocationConfiguration: ModelClass<V1DeviceAllocationConfiguration> = Model;
/** The model of `resourceV1 DeviceAllocationResult`. */
export type V1DeviceAllocationResult = ModelOf<resourceV1.DeviceAllocationResult>;
export const V1DeviceAllocationResult: ModelClass<V1DeviceAllocationResult> = Model;
/** The model of `resourceV1 DeviceAttribute`. */
export type V1DeviceAttribute = ModelOf<resourceV1.DeviceAttribute>;
export const V1DeviceAttribute: ModelClass<V1DeviceAttribute> = Model;
/** The model of `resourceV1 DeviceCapacity`. */
export type V1DeviceCapacity = ModelOf<resourceV1.DeviceCapacity>;
export const V1DeviceCapacity: ModelClass<V1DeviceCapacity> = Model;
/** The model of `resourceV1 DeviceClaim`. */
export type V1DeviceClaim = ModelOf<resourceV1.DeviceClaim>;
export const V1DeviceClaim: ModelClass<V1DeviceClaim> = Model;
/** The model of `resourceV1 DeviceClaimConfiguration`. */
export type V1DeviceClaimConfiguration = ModelOf<resourceV1.DeviceClaimConfiguration>;
export const V1DeviceClaimConfiguration: ModelClass<V1DeviceClaimConfiguration> = Model;
/** The model of `resourceV1 DeviceClass`. */
export type V1DeviceClass = ModelOf<resourceV1.DeviceClass>;
export const V1DeviceClass: ModelClass<V1DeviceClass> = Model;
/** The model of `resourceV1 DeviceClassConfiguration`. */
export type V1DeviceClassConfiguration = ModelOf<resourceV1.DeviceClassConfiguration>;
export const V1DeviceClassConfiguration: ModelClass<V1DeviceClassConfiguration> = Model;
/** The model of `resourceV1 DeviceClassList`. */
export type V1DeviceClassList = ModelOf<resourceV1.DeviceClassList>;
export const V1DeviceClassList: ModelClass<V1DeviceClassList> = Model;
/** The model of `resourceV1 DeviceClassSpec`. */
export type V1DeviceClassSpec = ModelOf<resourceV1.DeviceClassSpec>;
export const V1DeviceClassSpec: ModelClass<V1DeviceClassSpec> = Model;
/** The model of `resourceV1 DeviceConstraint`. */
export type V1DeviceConstraint = ModelOf<resourceV1.DeviceConstraint>;
export const V1DeviceConstraint: ModelClass<V1DeviceConstraint> = Model;
/** The model of `resourceV1 DeviceCounterConsumption`. */
export type V1DeviceCounterConsumption = ModelOf<resourceV1.DeviceCounterConsumption>;
export const V1DeviceCounterConsumption: ModelClass<V1DeviceCounterConsumption> = Model;
/** The model of `resourceV1 DeviceRequest`. */
export type V1DeviceRequest = ModelOf<resourceV1.DeviceRequest>;
export const V1DeviceRequest: ModelClass<V1DeviceRequest> = Model;
/** The model of `resourceV1 DeviceRequestAllocationResult`. */
export type V1DeviceRequestAllocationResult = ModelOf<resourceV1.DeviceRequestAllocationResult>;
export const V1DeviceRequestAllocationResult: ModelClass<V1DeviceRequestAllocationResult> = Model;
/** The model of `resourceV1 DeviceSelector`. */
export type V1DeviceSelector = ModelOf<resourceV1.DeviceSelector>;
export const V1DeviceSelector: ModelClass<V1DeviceSelector> = Model;
/** The model of `resourceV1 DeviceSubRequest`. */
export type V1DeviceSubRequest = ModelOf<resourceV1.DeviceSubRequest>;
export const V1DeviceSubRequest: ModelClass<V1DeviceSubRequest> = Model;
/** The model of `resourceV1 DeviceTaint`. */
export type V1DeviceTaint = ModelOf<resourceV1.DeviceTaint>;
export const V1DeviceTaint: ModelClass<V1DeviceTaint> = Model;
/** The model of `resourceV1 DeviceToleration`. */
export type V1DeviceToleration = ModelOf<resourceV1.DeviceToleration>;
export const V1DeviceToleration: ModelClass<V1DeviceToleration> = Model;
/** The model of `coreV1 DownwardAPIProjection`. */
export type V1DownwardAPIProjection = ModelOf<coreV1.DownwardAPIProjection>;
export const V1DownwardAPIProjection: ModelClass<V1DownwardAPIProjection> = Model;
/** The model of `coreV1 DownwardAPIVolumeFile`. */
export type V1DownwardAPIVolumeFile = ModelOf<coreV1.DownwardAPIVolumeFile>;
export const V1DownwardAPIVolumeFile: ModelClass<V1DownwardAPIVolumeFile> = Model;
/** The model of `coreV1 DownwardAPIVolumeSource`. */
export type V1DownwardAPIVolumeSource = ModelOf<coreV1.DownwardAPIVolumeSource>;
export const V1DownwardAPIVolumeSource: ModelClass<V1DownwardAPIVolumeSource> = Model;
/** The model of `coreV1 EmptyDirVolumeSource`. */
export type V1EmptyDirVolumeSource = ModelOf<coreV1.EmptyDirVolumeSource>;
export const V1EmptyDirVolumeSource: ModelClass<V1EmptyDirVolumeSource> = Model;
/** The model of `discoveryV1 Endpoint`. */
export type V1Endpoint = ModelOf<discoveryV1.Endpoint>;
export const V1Endpoint: ModelClass<V1Endpoint> = Model;
/** The model of `coreV1 EndpointAddress`. */
export type V1EndpointAddress = ModelOf<coreV1.EndpointAddress>;
export const V1EndpointAddress: ModelClass<V1EndpointAddress> = Model;
/** The model of `discoveryV1 EndpointConditions`. */
export type V1EndpointConditions = ModelOf<discoveryV1.EndpointConditions>;
export const V1EndpointConditions: ModelClass<V1EndpointConditions> = Model;
/** The model of `discoveryV1 EndpointHints`. */
export type V1EndpointHints = ModelOf<discoveryV1.EndpointHints>;
export const V1EndpointHints: ModelClass<V1EndpointHints> = Model;
/** The model of `discoveryV1 EndpointSlice`. */
export type V1EndpointSlice = ModelOf<discoveryV1.EndpointSlice>;
export const V1EndpointSlice: ModelClass<V1EndpointSlice> = Model;
/** The model of `discoveryV1 EndpointSliceList`. */
export type V1EndpointSliceList = ModelOf<discoveryV1.EndpointSliceList>;
export const V1EndpointSliceList: ModelClass<V1EndpointSliceList> = Model;
/** The model of `coreV1 EndpointSubset`. */
export type V1EndpointSubset = ModelOf<coreV1.EndpointSubset>;
export const V1EndpointSubset: ModelClass<V1EndpointSubset> = Model;
/** The model of `coreV1 Endpoints`. */
export type V1Endpoints = ModelOf<coreV1.Endpoints>;
export const V1Endpoints: ModelClass<V1Endpoints> = Model;
/** The model of `coreV1 EndpointsList`. */
export type V1EndpointsList = ModelOf<coreV1.EndpointsList>;
export const V1EndpointsList: ModelClass<V1EndpointsList> = Model;
/** The model of `coreV1 EnvFromSource`. */
export type V1EnvFromSource = ModelOf<coreV1.EnvFromSource>;
export const V1EnvFromSource: ModelClass<V1EnvFromSource> = Model;
/** The model of `coreV1 EnvVar`. */
export type V1EnvVar = ModelOf<coreV1.EnvVar>;
export const V1EnvVar: ModelClass<V1EnvVar> = Model;
/** The model of `coreV1 EnvVarSource`. */
export type V1EnvVarSource = ModelOf<coreV1.EnvVarSource>;
export const V1EnvVarSource: ModelClass<V1EnvVarSource> = Model;
/** The model of `coreV1 EphemeralContainer`. */
export type V1EphemeralContainer = ModelOf<coreV1.EphemeralContainer>;
export const V1EphemeralContainer: ModelClass<V1EphemeralContainer> = Model;
/** The model of `coreV1 EphemeralVolumeSource`. */
export type V1EphemeralVolumeSource = ModelOf<coreV1.EphemeralVolumeSource>;
export const V1EphemeralVolumeSource: ModelClass<V1EphemeralVolumeSource> = Model;
/** The model of `coreV1 EventSource`. */
export type V1EventSource = ModelOf<coreV1.EventSource>;
export const V1EventSource: ModelClass<V1EventSource> = Model;
/** The model of `policyV1 Eviction`. */
export type V1Eviction = ModelOf<policyV1.Eviction>;
export const V1Eviction: ModelClass<V1Eviction> = Model;
/** The model of `resourceV1 ExactDeviceRequest`. */
export type V1ExactDeviceRequest = ModelOf<resourceV1.ExactDeviceRequest>;
export const V1ExactDeviceRequest: ModelClass<V1ExactDeviceRequest> = Model;
/** The model of `coreV1 ExecAction`. */
export type V1ExecAction = ModelOf<coreV1.ExecAction>;
export const V1ExecAction: ModelClass<V1ExecAction> = Model;
/** The model of `flowcontrolV1 ExemptPriorityLevelConfiguration`. */
export type V1ExemptPriorityLevelConfiguration = ModelOf<flowcontrolV1.ExemptPriorityLevelConfiguration>;
export const V1ExemptPriorityLevelConfiguration: ModelClass<V1ExemptPriorityLevelConfiguration> = Model;
/** The model of `admissionregistrationV1 ExpressionWarning`. */
export type V1ExpressionWarning = ModelOf<admissionregistrationV1.ExpressionWarning>;
export const V1ExpressionWarning: ModelClass<V1ExpressionWarning> = Model;
/** The model of `apiextensionsV1 ExternalDocumentation`. */
export type V1ExternalDocumentation = ModelOf<apiextensionsV1.ExternalDocumentation>;
export const V1ExternalDocumentation: ModelClass<V1ExternalDocumentation> = Model;
/** The model of `coreV1 FCVolumeSource`. */
export type V1FCVolumeSource = ModelOf<coreV1.FCVolumeSource>;
export const V1FCVolumeSource: ModelClass<V1FCVolumeSource> = Model;
/** The model of `authorizationV1 FieldSelectorAttributes`. */
export type V1FieldSelectorAttributes = ModelOf<authorizationV1.FieldSelectorAttributes>;
export const V1FieldSelectorAttributes: ModelClass<V1FieldSelectorAttributes> = Model;
/** The model of `metaV1 FieldSelectorRequirement`. */
export type V1FieldSelectorRequirement = ModelOf<metaV1.FieldSelectorRequirement>;
export const V1FieldSelectorRequirement: ModelClass<V1FieldSelectorRequirement> = Model;
/** The model of `coreV1 FileKeySelector`. */
export type V1FileKeySelector = ModelOf<coreV1.FileKeySelector>;
export const V1FileKeySelector: ModelClass<V1FileKeySelector> = Model;
/** The model of `coreV1 FlexPersistentVolumeSource`. */
export type V1FlexPersistentVolumeSource = ModelOf<coreV1.FlexPersistentVolumeSource>;
export const V1FlexPersistentVolumeSource: ModelClass<V1FlexPersistentVolumeSource> = Model;
/** The model of `coreV1 FlexVolumeSource`. */
export type V1FlexVolumeSource = ModelOf<coreV1.FlexVolumeSource>;
export const V1FlexVolumeSource: ModelClass<V1FlexVolumeSource> = Model;
/** The model of `coreV1 FlockerVolumeSource`. */
export type V1FlockerVolumeSource = ModelOf<coreV1.FlockerVolumeSource>;
export const V1FlockerVolumeSource: ModelClass<V1FlockerVolumeSource> = Model;
/** The model of `flowcontrolV1 FlowDistinguisherMethod`. */
export type V1FlowDistinguisherMethod = ModelOf<flowcontrolV1.FlowDistinguisherMethod>;
export const V1FlowDistinguisherMethod: ModelClass<V1FlowDistinguisherMethod> = Model;
/** The model of `flowcontrolV1 FlowSchema`. */
export type V1FlowSchema = ModelOf<flowcontrolV1.FlowSchema>;
export const V1FlowSchema: ModelClass<V1FlowSchema> = Model;
/** The model of `flowcontrolV1 FlowSchemaCondition`. */
export type V1FlowSchemaCondition = ModelOf<flowcontrolV1.FlowSchemaCondition>;
export const V1FlowSchemaCondition: ModelClass<V1FlowSchemaCondition> = Model;
/** The model of `flowcontrolV1 FlowSchemaList`. */
export type V1FlowSchemaList = ModelOf<flowcontrolV1.FlowSchemaList>;
export const V1FlowSchemaList: ModelClass<V1FlowSchemaList> = Model;
/** The model of `flowcontrolV1 FlowSchemaSpec`. */
export type V1FlowSchemaSpec = ModelOf<flowcontrolV1.FlowSchemaSpec>;
export const V1FlowSchemaSpec: ModelClass<V1FlowSchemaSpec> = Model;
/** The model of `flowcontrolV1 FlowSchemaStatus`. */
export type V1FlowSchemaStatus = ModelOf<flowcontrolV1.FlowSchemaStatus>;
export const V1FlowSchemaStatus: ModelClass<V1FlowSchemaStatus> = Model;
/** The model of `discoveryV1 ForNode`. */
export type V1ForNode = ModelOf<discoveryV1.ForNode>;
export const V1ForNode: ModelClass<V1ForNode> = Model;
/** The model of `discoveryV1 ForZone`. */
export type V1ForZone = ModelOf<discoveryV1.ForZone>;
export const V1ForZone: ModelClass<V1ForZone> = Model;
/** The model of `coreV1 GCEPersistentDiskVolumeSource`. */
export type V1GCEPersistentDiskVolumeSource = ModelOf<coreV1.GCEPersistentDiskVolumeSource>;
export const V1GCEPersistentDiskVolumeSource: ModelClass<V1GCEPersistentDiskVolumeSource> = Model;
/** The model of `coreV1 GRPCAction`. */
export type V1GRPCAction = ModelOf<coreV1.GRPCAction>;
export const V1GRPCAction: ModelClass<V1GRPCAction> = Model;
/** The model of `coreV1 GitRepoVolumeSource`. */
export type V1GitRepoVolumeSource = ModelOf<coreV1.GitRepoVolumeSource>;
export const V1GitRepoVolumeSource: ModelClass<V1GitRepoVolumeSource> = Model;
/** The model of `coreV1 GlusterfsPersistentVolumeSource`. */
export type V1GlusterfsPersistentVolumeSource = ModelOf<coreV1.GlusterfsPersistentVolumeSource>;
export const V1GlusterfsPersistentVolumeSource: ModelClass<V1GlusterfsPersistentVolumeSource> = Model;
/** The model of `coreV1 GlusterfsVolumeSource`. */
export type V1GlusterfsVolumeSource = ModelOf<coreV1.GlusterfsVolumeSource>;
export const V1GlusterfsVolumeSource: ModelClass<V1GlusterfsVolumeSource> = Model;
/** The model of `flowcontrolV1 GroupSubject`. */
export type V1GroupSubject = ModelOf<flowcontrolV1.GroupSubject>;
export const V1GroupSubject: ModelClass<V1GroupSubject> = Model;
/** The model of `coreV1 HTTPGetAction`. */
export type V1HTTPGetAction = ModelOf<coreV1.HTTPGetAction>;
export const V1HTTPGetAction: ModelClass<V1HTTPGetAction> = Model;
/** The model of `coreV1 HTTPHeader`. */
export type V1HTTPHeader = ModelOf<coreV1.HTTPHeader>;
export const V1HTTPHeader: ModelClass<V1HTTPHeader> = Model;
/** The model of `networkingV1 HTTPIngressPath`. */
export type V1HTTPIngressPath = ModelOf<networkingV1.HTTPIngressPath>;
export const V1HTTPIngressPath: ModelClass<V1HTTPIngressPath> = Model;
/** The model of `networkingV1 HTTPIngressRuleValue`. */
export type V1HTTPIngressRuleValue = ModelOf<networkingV1.HTTPIngressRuleValue>;
export const V1HTTPIngressRuleValue: ModelClass<V1HTTPIngressRuleValue> = Model;
/** The model of `autoscalingV1 HorizontalPodAutoscaler`. */
export type V1HorizontalPodAutoscaler = ModelOf<autoscalingV1.HorizontalPodAutoscaler>;
export const V1HorizontalPodAutoscaler: ModelClass<V1HorizontalPodAutoscaler> = Model;
/** The model of `autoscalingV1 HorizontalPodAutoscalerList`. */
export type V1HorizontalPodAutoscalerList = ModelOf<autoscalingV1.HorizontalPodAutoscalerList>;
export const V1HorizontalPodAutoscalerList: ModelClass<V1HorizontalPodAutoscalerList> = Model;
/** The model of `autoscalingV1 HorizontalPodAutoscalerSpec`. */
export type V1HorizontalPodAutoscalerSpec = ModelOf<autoscalingV1.HorizontalPodAutoscalerSpec>;
export const V1HorizontalPodAutoscalerSpec: ModelClass<V1HorizontalPodAutoscalerSpec> = Model;
/** The model of `autoscalingV1 HorizontalPodAutoscalerStatus`. */
export type V1HorizontalPodAutoscalerStatus = ModelOf<autoscalingV1.HorizontalPodAutoscalerStatus>;
export const V1HorizontalPodAutoscalerStatus: ModelClass<V1HorizontalPodAutoscalerStatus> = Model;
/** The model of `coreV1 HostAlias`. */
export type V1HostAlias = ModelOf<coreV1.HostAlias>;
export const V1HostAlias: ModelClass<V1HostAlias> = Model;
/** The model of `coreV1 HostIP`. */
export type V1HostIP = ModelOf<coreV1.HostIP>;
export const V1HostIP: ModelClass<V1HostIP> = Model;
/** The model of `coreV1 HostPathVolumeSource`. */
export type V1HostPathVolumeSource = ModelOf<coreV1.HostPathVolumeSource>;
export const V1HostPathVolumeSource: ModelClass<V1HostPathVolumeSource> = Model;
/** The model of `networkingV1 IPAddress`. */
export type V1IPAddress = ModelOf<networkingV1.IPAddress>;
export const V1IPAddress: ModelClass<V1IPAddress> = Model;
/** The model of `networkingV1 IPAddressList`. */
export type V1IPAddressList = ModelOf<networkingV1.IPAddressList>;
export const V1IPAddressList: ModelClass<V1IPAddressList> = Model;
/** The model of `networkingV1 IPAddressSpec`. */
export type V1IPAddressSpec = ModelOf<networkingV1.IPAddressSpec>;
export const V1IPAddressSpec: ModelClass<V1IPAddressSpec> = Model;
/** The model of `networkingV1 IPBlock`. */
export type V1IPBlock = ModelOf<networkingV1.IPBlock>;
export const V1IPBlock: ModelClass<V1IPBlock> = Model;
/** The model of `coreV1 ISCSIPersistentVolumeSource`. */
export type V1ISCSIPersistentVolumeSource = ModelOf<coreV1.ISCSIPersistentVolumeSource>;
export const V1ISCSIPersistentVolumeSource: ModelClass<V1ISCSIPersistentVolumeSource> = Model;
/** The model of `coreV1 ISCSIVolumeSource`. */
export type V1ISCSIVolumeSource = ModelOf<coreV1.ISCSIVolumeSource>;
export const V1ISCSIVolumeSource: ModelClass<V1ISCSIVolumeSource> = Model;
/** The model of `coreV1 ImageVolumeSource`. */
export type V1ImageVolumeSource = ModelOf<coreV1.ImageVolumeSource>;
export const V1ImageVolumeSource: ModelClass<V1ImageVolumeSource> = Model;
/** The model of `coreV1 ImageVolumeStatus`. */
export type V1ImageVolumeStatus = ModelOf<coreV1.ImageVolumeStatus>;
export const V1ImageVolumeStatus: ModelClass<V1ImageVolumeStatus> = Model;
/** The model of `networkingV1 Ingress`. */
export type V1Ingress = ModelOf<networkingV1.Ingress>;
export const V1Ingress: ModelClass<V1Ingress> = Model;
/** The model of `networkingV1 IngressBackend`. */
export type V1IngressBackend = ModelOf<networkingV1.IngressBackend>;
export const V1IngressBackend: ModelClass<V1IngressBackend> = Model;
/** The model of `networkingV1 IngressClass`. */
export type V1IngressClass = ModelOf<networkingV1.IngressClass>;
export const V1IngressClass: ModelClass<V1IngressClass> = Model;
/** The model of `networkingV1 IngressClassList`. */
export type V1IngressClassList = ModelOf<networkingV1.IngressClassList>;
export const V1IngressClassList: ModelClass<V1IngressClassList> = Model;
/** The model of `networkingV1 IngressClassParametersReference`. */
export type V1IngressClassParametersReference = ModelOf<networkingV1.IngressClassParametersReference>;
export const V1IngressClassParametersReference: ModelClass<V1IngressClassParametersReference> = Model;
/** The model of `networkingV1 IngressClassSpec`. */
export type V1IngressClassSpec = ModelOf<networkingV1.IngressClassSpec>;
export const V1IngressClassSpec: ModelClass<V1IngressClassSpec> = Model;
/** The model of `networkingV1 IngressList`. */
export type V1IngressList = ModelOf<networkingV1.IngressList>;
export const V1IngressList: ModelClass<V1IngressList> = Model;
/** The model of `networkingV1 IngressLoadBalancerIngress`. */
export type V1IngressLoadBalancerIngress = ModelOf<networkingV1.IngressLoadBalancerIngress>;
export const V1IngressLoadBalancerIngress: ModelClass<V1IngressLoadBalancerIngress> = Model;
/** The model of `networkingV1 IngressLoadBalancerStatus`. */
export type V1IngressLoadBalancerStatus = ModelOf<networkingV1.IngressLoadBalancerStatus>;
export const V1IngressLoadBalancerStatus: ModelClass<V1IngressLoadBalancerStatus> = Model;
/** The model of `networkingV1 IngressPortStatus`. */
export type V1IngressPortStatus = ModelOf<networkingV1.IngressPortStatus>;
export const V1IngressPortStatus: ModelClass<V1IngressPortStatus> = Model;
/** The model of `networkingV1 IngressRule`. */
export type V1IngressRule = ModelOf<networkingV1.IngressRule>;
export const V1IngressRule: ModelClass<V1IngressRule> = Model;
/** The model of `networkingV1 IngressServiceBackend`. */
export type V1IngressServiceBackend = ModelOf<networkingV1.IngressServiceBackend>;
export const V1IngressServiceBackend: ModelClass<V1IngressServiceBackend> = Model;
/** The model of `networkingV1 IngressSpec`. */
export type V1IngressSpec = ModelOf<networkingV1.IngressSpec>;
export const V1IngressSpec: ModelClass<V1IngressSpec> = Model;
/** The model of `networkingV1 IngressStatus`. */
export type V1IngressStatus = ModelOf<networkingV1.IngressStatus>;
export const V1IngressStatus: ModelClass<V1IngressStatus> = Model;
/** The model of `networkingV1 IngressTLS`. */
export type V1IngressTLS = ModelOf<networkingV1.IngressTLS>;
export const V1IngressTLS: ModelClass<V1IngressTLS> = Model;
/** The model of `admissionregistrationV1 JSONPatch`. */
export type V1JSONPatch = ModelOf<admissionregistrationV1.JSONPatch>;
export const V1JSONPatch: ModelClass<V1JSONPatch> = Model;
/** The model of `apiextensionsV1 JSONSchemaProps`. */
export type V1JSONSchemaProps = ModelOf<apiextensionsV1.JSONSchemaProps>;
export const V1JSONSchemaProps: ModelClass<V1JSONSchemaProps> = Model;
/** The model of `batchV1 Job`. */
export type V1Job = ModelOf<batchV1.Job>;
export const V1Job: ModelClass<V1Job> = Model;
/** The model of `batchV1 JobCondition`. */
export type V1JobCondition = ModelOf<batchV1.JobCondition>;
export const V1JobCondition: ModelClass<V1JobCondition> = Model;
/** The model of `batchV1 JobList`. */
export type V1JobList = ModelOf<batchV1.JobList>;
export const V1JobList: ModelClass<V1JobList> = Model;
/** The model of `batchV1 JobSpec`. */
export type V1JobSpec = ModelOf<batchV1.JobSpec>;
export const V1JobSpec: ModelClass<V1JobSpec> = Model;
/** The model of `batchV1 JobStatus`. */
export type V1JobStatus = ModelOf<batchV1.JobStatus>;
export const V1JobStatus: ModelClass<V1JobStatus> = Model;
/** The model of `batchV1 JobTemplateSpec`. */
export type V1JobTemplateSpec = ModelOf<batchV1.JobTemplateSpec>;
export const V1JobTemplateSpec: ModelClass<V1JobTemplateSpec> = Model;
/** The model of `coreV1 KeyToPath`. */
export type V1KeyToPath = ModelOf<coreV1.KeyToPath>;
export const V1KeyToPath: ModelClass<V1KeyToPath> = Model;
/** The model of `objects LabelSelector`. */
export type V1LabelSelector = ModelOf<objects.LabelSelector>;
export const V1LabelSelector: ModelClass<V1LabelSelector> = Model;
/** The model of `authorizationV1 LabelSelectorAttributes`. */
export type V1LabelSelectorAttributes = ModelOf<authorizationV1.LabelSelectorAttributes>;
export const V1LabelSelectorAttributes: ModelClass<V1LabelSelectorAttributes> = Model;
/** The model of `objects LabelSelectorRequirement`. */
export type V1LabelSelectorRequirement = ModelOf<objects.LabelSelectorRequirement>;
export const V1LabelSelectorRequirement: ModelClass<V1LabelSelectorRequirement> = Model;
/** The model of `coordinationV1 Lease`. */
export type V1Lease = ModelOf<coordinationV1.Lease>;
export const V1Lease: ModelClass<V1Lease> = Model;
/** The model of `coordinationV1 LeaseList`. */
export type V1LeaseList = ModelOf<coordinationV1.LeaseList>;
export const V1LeaseList: ModelClass<V1LeaseList> = Model;
/** The model of `coordinationV1 LeaseSpec`. */
export type V1LeaseSpec = ModelOf<coordinationV1.LeaseSpec>;
export const V1LeaseSpec: ModelClass<V1LeaseSpec> = Model;
/** The model of `coreV1 Lifecycle`. */
export type V1Lifecycle = ModelOf<coreV1.Lifecycle>;
export const V1Lifecycle: ModelClass<V1Lifecycle> = Model;
/** The model of `coreV1 LifecycleHandler`. */
export type V1LifecycleHandler = ModelOf<coreV1.LifecycleHandler>;
export const V1LifecycleHandler: ModelClass<V1LifecycleHandler> = Model;
/** The model of `coreV1 LimitRange`. */
export type V1LimitRange = ModelOf<coreV1.LimitRange>;
export const V1LimitRange: ModelClass<V1LimitRange> = Model;
/** The model of `coreV1 LimitRangeItem`. */
export type V1LimitRangeItem = ModelOf<coreV1.LimitRangeItem>;
export const V1LimitRangeItem: ModelClass<V1LimitRangeItem> = Model;
/** The model of `coreV1 LimitRangeList`. */
export type V1LimitRangeList = ModelOf<coreV1.LimitRangeList>;
export const V1LimitRangeList: ModelClass<V1LimitRangeList> = Model;
/** The model of `coreV1 LimitRangeSpec`. */
export type V1LimitRangeSpec = ModelOf<coreV1.LimitRangeSpec>;
export const V1LimitRangeSpec: ModelClass<V1LimitRangeSpec> = Model;
/** The model of `flowcontrolV1 LimitResponse`. */
export type V1LimitResponse = ModelOf<flowcontrolV1.LimitResponse>;
export const V1LimitResponse: ModelClass<V1LimitResponse> = Model;
/** The model of `flowcontrolV1 LimitedPriorityLevelConfiguration`. */
export type V1LimitedPriorityLevelConfiguration = ModelOf<flowcontrolV1.LimitedPriorityLevelConfiguration>;
export const V1LimitedPriorityLevelConfiguration: ModelClass<V1LimitedPriorityLevelConfiguration> = Model;
/** The model of `coreV1 LinuxContainerUser`. */
export type V1LinuxContainerUser = ModelOf<coreV1.LinuxContainerUser>;
export const V1LinuxContainerUser: ModelClass<V1LinuxContainerUser> = Model;
/** The model of `objects ListMeta`. */
export type V1ListMeta = ModelOf<objects.ListMeta>;
export const V1ListMeta: ModelClass<V1ListMeta> = Model;
/** The model of `coreV1 LoadBalancerIngress`. */
export type V1LoadBalancerIngress = ModelOf<coreV1.LoadBalancerIngress>;
export const V1LoadBalancerIngress: ModelClass<V1LoadBalancerIngress> = Model;
/** The model of `coreV1 LoadBalancerStatus`. */
export type V1LoadBalancerStatus = ModelOf<coreV1.LoadBalancerStatus>;
export const V1LoadBalancerStatus: ModelClass<V1LoadBalancerStatus> = Model;
/** The model of `coreV1 LocalObjectReference`. */
export type V1LocalObjectReference = ModelOf<coreV1.LocalObjectReference>;
export const V1LocalObjectReference: ModelClass<V1LocalObjectReference> = Model;
/** The model of `authorizationV1 LocalSubjectAccessReview`. */
export type V1LocalSubjectAccessReview = ModelOf<authorizationV1.LocalSubjectAccessReview>;
export const V1LocalSubjectAccessReview: ModelClass<V1LocalSubjectAccessReview> = Model;
/** The model of `coreV1 LocalVolumeSource`. */
export type V1LocalVolumeSource = ModelOf<coreV1.LocalVolumeSource>;
export const V1LocalVolumeSource: ModelClass<V1LocalVolumeSource> = Model;
/** The model of `objects ManagedFieldsEntry`. */
export type V1ManagedFieldsEntry = ModelOf<objects.ManagedFieldsEntry>;
export const V1ManagedFieldsEntry: ModelClass<V1ManagedFieldsEntry> = Model;
/** The model of `admissionregistrationV1 MatchCondition`. */
export type V1MatchCondition = ModelOf<admissionregistrationV1.MatchCondition>;
export const V1MatchCondition: ModelClass<V1MatchCondition> = Model;
/** The model of `admissionregistrationV1 MatchResources`. */
export type V1MatchResources = ModelOf<admissionregistrationV1.MatchResources>;
export const V1MatchResources: ModelClass<V1MatchResources> = Model;
/** The model of `coreV1 ModifyVolumeStatus`. */
export type V1ModifyVolumeStatus = ModelOf<coreV1.ModifyVolumeStatus>;
export const V1ModifyVolumeStatus: ModelClass<V1ModifyVolumeStatus> = Model;
/** The model of `admissionregistrationV1 MutatingAdmissionPolicy`. */
export type V1MutatingAdmissionPolicy = ModelOf<admissionregistrationV1.MutatingAdmissionPolicy>;
export const V1MutatingAdmissionPolicy: ModelClass<V1MutatingAdmissionPolicy> = Model;
/** The model of `admissionregistrationV1 MutatingAdmissionPolicyBinding`. */
export type V1MutatingAdmissionPolicyBinding = ModelOf<admissionregistrationV1.MutatingAdmissionPolicyBinding>;
export const V1MutatingAdmissionPolicyBinding: ModelClass<V1MutatingAdmissionPolicyBinding> = Model;
/** The model of `admissionregistrationV1 MutatingAdmissionPolicyBindingList`. */
export type V1MutatingAdmissionPolicyBindingList = ModelOf<admissionregistrationV1.MutatingAdmissionPolicyBindingList>;
export const V1MutatingAdmissionPolicyBindingList: ModelClass<V1MutatingAdmissionPolicyBindingList> = Model;
/** The model of `admissionregistrationV1 MutatingAdmissionPolicyBindingSpec`. */
export type V1MutatingAdmissionPolicyBindingSpec = ModelOf<admissionregistrationV1.MutatingAdmissionPolicyBindingSpec>;
export const V1MutatingAdmissionPolicyBindingSpec: ModelClass<V1MutatingAdmissionPolicyBindingSpec> = Model;
/** The model of `admissionregistrationV1 MutatingAdmissionPolicyList`. */
export type V1MutatingAdmissionPolicyList = ModelOf<admissionregistrationV1.MutatingAdmissionPolicyList>;
export const V1MutatingAdmissionPolicyList: ModelClass<V1MutatingAdmissionPolicyList> = Model;
/** The model of `admissionregistrationV1 MutatingAdmissionPolicySpec`. */
export type V1MutatingAdmissionPolicySpec = ModelOf<admissionregistrationV1.MutatingAdmissionPolicySpec>;
export const V1MutatingAdmissionPolicySpec: ModelClass<V1MutatingAdmissionPolicySpec> = Model;
/** The model of `admissionregistrationV1 MutatingWebhook`. */
export type V1MutatingWebhook = ModelOf<admissionregistrationV1.MutatingWebhook>;
export const V1MutatingWebhook: ModelClass<V1MutatingWebhook> = Model;
/** The model of `admissionregistrationV1 MutatingWebhookConfiguration`. */
export type V1MutatingWebhookConfiguration = ModelOf<admissionregistrationV1.MutatingWebhookConfiguration>;
export const V1MutatingWebhookConfiguration: ModelClass<V1MutatingWebhookConfiguration> = Model;
/** The model of `admissionregistrationV1 MutatingWebhookConfigurationList`. */
export type V1MutatingWebhookConfigurationList = ModelOf<admissionregistrationV1.MutatingWebhookConfigurationList>;
export const V1MutatingWebhookConfigurationList: ModelClass<V1MutatingWebhookConfigurationList> = Model;
/** The model of `admissionregistrationV1 Mutation`. */
export type V1Mutation = ModelOf<admissionregistrationV1.Mutation>;
export const V1Mutation: ModelClass<V1Mutation> = Model;
/** The model of `coreV1 NFSVolumeSource`. */
export type V1NFSVolumeSource = ModelOf<coreV1.NFSVolumeSource>;
export const V1NFSVolumeSource: ModelClass<V1NFSVolumeSource> = Model;
/** The model of `admissionregistrationV1 NamedRuleWithOperations`. */
export type V1NamedRuleWithOperations = ModelOf<admissionregistrationV1.NamedRuleWithOperations>;
export const V1NamedRuleWithOperations: ModelClass<V1NamedRuleWithOperations> = Model;
/** The model of `coreV1 Namespace`. */
export type V1Namespace = ModelOf<coreV1.Namespace>;
export const V1Namespace: ModelClass<V1Namespace> = Model;
/** The model of `coreV1 NamespaceCondition`. */
export type V1NamespaceCondition = ModelOf<coreV1.NamespaceCondition>;
export const V1NamespaceCondition: ModelClass<V1NamespaceCondition> = Model;
/** The model of `coreV1 NamespaceList`. */
export type V1NamespaceList = ModelOf<coreV1.NamespaceList>;
export const V1NamespaceList: ModelClass<V1NamespaceList> = Model;
/** The model of `coreV1 NamespaceSpec`. */
export type V1NamespaceSpec = ModelOf<coreV1.NamespaceSpec>;
export const V1NamespaceSpec: ModelClass<V1NamespaceSpec> = Model;
/** The model of `coreV1 NamespaceStatus`. */
export type V1NamespaceStatus = ModelOf<coreV1.NamespaceStatus>;
export const V1NamespaceStatus: ModelClass<V1NamespaceStatus> = Model;
/** The model of `resourceV1 NetworkDeviceData`. */
export type V1NetworkDeviceData = ModelOf<resourceV1.NetworkDeviceData>;
export const V1NetworkDeviceData: ModelClass<V1NetworkDeviceData> = Model;
/** The model of `networkingV1 NetworkPolicy`. */
export type V1NetworkPolicy = ModelOf<networkingV1.NetworkPolicy>;
export const V1NetworkPolicy: ModelClass<V1NetworkPolicy> = Model;
/** The model of `networkingV1 NetworkPolicyEgressRule`. */
export type V1NetworkPolicyEgressRule = ModelOf<networkingV1.NetworkPolicyEgressRule>;
export const V1NetworkPolicyEgressRule: ModelClass<V1NetworkPolicyEgressRule> = Model;
/** The model of `networkingV1 NetworkPolicyIngressRule`. */
export type V1NetworkPolicyIngressRule = ModelOf<networkingV1.NetworkPolicyIngressRule>;
export const V1NetworkPolicyIngressRule: ModelClass<V1NetworkPolicyIngressRule> = Model;
/** The model of `networkingV1 NetworkPolicyList`. */
export type V1NetworkPolicyList = ModelOf<networkingV1.NetworkPolicyList>;
export const V1NetworkPolicyList: ModelClass<V1NetworkPolicyList> = Model;
/** The model of `networkingV1 NetworkPolicyPeer`. */
export type V1NetworkPolicyPeer = ModelOf<networkingV1.NetworkPolicyPeer>;
export const V1NetworkPolicyPeer: ModelClass<V1NetworkPolicyPeer> = Model;
/** The model of `networkingV1 NetworkPolicyPort`. */
export type V1NetworkPolicyPort = ModelOf<networkingV1.NetworkPolicyPort>;
export const V1NetworkPolicyPort: ModelClass<V1NetworkPolicyPort> = Model;
/** The model of `networkingV1 NetworkPolicySpec`. */
export type V1NetworkPolicySpec = ModelOf<networkingV1.NetworkPolicySpec>;
export const V1NetworkPolicySpec: ModelClass<V1NetworkPolicySpec> = Model;
/** The model of `coreV1 Node`. */
export type V1Node = ModelOf<coreV1.Node>;
export const V1Node: ModelClass<V1Node> = Model;
/** The model of `coreV1 NodeAddress`. */
export type V1NodeAddress = ModelOf<coreV1.NodeAddress>;
export const V1NodeAddress: ModelClass<V1NodeAddress> = Model;
/** The model of `coreV1 NodeAffinity`. */
export type V1NodeAffinity = ModelOf<coreV1.NodeAffinity>;
export const V1NodeAffinity: ModelClass<V1NodeAffinity> = Model;
/** The model of `coreV1 NodeAllocatableResourceClaimStatus`. */
export type V1NodeAllocatableResourceClaimStatus = ModelOf<coreV1.NodeAllocatableResourceClaimStatus>;
export const V1NodeAllocatableResourceClaimStatus: ModelClass<V1NodeAllocatableResourceClaimStatus> = Model;
/** The model of `resourceV1 NodeAllocatableResourceMapping`. */
export type V1NodeAllocatableResourceMapping = ModelOf<resourceV1.NodeAllocatableResourceMapping>;
export const V1NodeAllocatableResourceMapping: ModelClass<V1NodeAllocatableResourceMapping> = Model;
/** The model of `coreV1 NodeCondition`. */
export type V1NodeCondition = ModelOf<coreV1.NodeCondition>;
export const V1NodeCondition: ModelClass<V1NodeCondition> = Model;
/** The model of `coreV1 NodeConfigSource`. */
export type V1NodeConfigSource = ModelOf<coreV1.NodeConfigSource>;
export const V1NodeConfigSource: ModelClass<V1NodeConfigSource> = Model;
/** The model of `coreV1 NodeConfigStatus`. */
export type V1NodeConfigStatus = ModelOf<coreV1.NodeConfigStatus>;
export const V1NodeConfigStatus: ModelClass<V1NodeConfigStatus> = Model;
/** The model of `coreV1 NodeDaemonEndpoints`. */
export type V1NodeDaemonEndpoints = ModelOf<coreV1.NodeDaemonEndpoints>;
export const V1NodeDaemonEndpoints: ModelClass<V1NodeDaemonEndpoints> = Model;
/** The model of `coreV1 NodeFeatures`. */
export type V1NodeFeatures = ModelOf<coreV1.NodeFeatures>;
export const V1NodeFeatures: ModelClass<V1NodeFeatures> = Model;
/** The model of `coreV1 NodeList`. */
export type V1NodeList = ModelOf<coreV1.NodeList>;
export const V1NodeList: ModelClass<V1NodeList> = Model;
/** The model of `coreV1 NodeRuntimeHandler`. */
export type V1NodeRuntimeHandler = ModelOf<coreV1.NodeRuntimeHandler>;
export const V1NodeRuntimeHandler: ModelClass<V1NodeRuntimeHandler> = Model;
/** The model of `coreV1 NodeRuntimeHandlerFeatures`. */
export type V1NodeRuntimeHandlerFeatures = ModelOf<coreV1.NodeRuntimeHandlerFeatures>;
export const V1NodeRuntimeHandlerFeatures: ModelClass<V1NodeRuntimeHandlerFeatures> = Model;
/** The model of `coreV1 NodeSelector`. */
export type V1NodeSelector = ModelOf<coreV1.NodeSelector>;
export const V1NodeSelector: ModelClass<V1NodeSelector> = Model;
/** The model of `coreV1 NodeSelectorRequirement`. */
export type V1NodeSelectorRequirement = ModelOf<coreV1.NodeSelectorRequirement>;
export const V1NodeSelectorRequirement: ModelClass<V1NodeSelectorRequirement> = Model;
/** The model of `coreV1 NodeSelectorTerm`. */
export type V1NodeSelectorTerm = ModelOf<coreV1.NodeSelectorTerm>;
export const V1NodeSelectorTerm: ModelClass<V1NodeSelectorTerm> = Model;
/** The model of `coreV1 NodeSpec`. */
export type V1NodeSpec = ModelOf<coreV1.NodeSpec>;
export const V1NodeSpec: ModelClass<V1NodeSpec> = Model;
/** The model of `coreV1 NodeStatus`. */
export type V1NodeStatus = ModelOf<coreV1.NodeStatus>;
export const V1NodeStatus: ModelClass<V1NodeStatus> = Model;
/** The model of `coreV1 NodeSwapStatus`. */
export type V1NodeSwapStatus = ModelOf<coreV1.NodeSwapStatus>;
export const V1NodeSwapStatus: ModelClass<V1NodeSwapStatus> = Model;
/** The model of `coreV1 NodeSystemInfo`. */
export type V1NodeSystemInfo = ModelOf<coreV1.NodeSystemInfo>;
export const V1NodeSystemInfo: ModelClass<V1NodeSystemInfo> = Model;
/** The model of `authorizationV1 NonResourceAttributes`. */
export type V1NonResourceAttributes = ModelOf<authorizationV1.NonResourceAttributes>;
export const V1NonResourceAttributes: ModelClass<V1NonResourceAttributes> = Model;
/** The model of `flowcontrolV1 NonResourcePolicyRule`. */
export type V1NonResourcePolicyRule = ModelOf<flowcontrolV1.NonResourcePolicyRule>;
export const V1NonResourcePolicyRule: ModelClass<V1NonResourcePolicyRule> = Model;
/** The model of `authorizationV1 NonResourceRule`. */
export type V1NonResourceRule = ModelOf<authorizationV1.NonResourceRule>;
export const V1NonResourceRule: ModelClass<V1NonResourceRule> = Model;
/** The model of `coreV1 ObjectFieldSelector`. */
export type V1ObjectFieldSelector = ModelOf<coreV1.ObjectFieldSelector>;
export const V1ObjectFieldSelector: ModelClass<V1ObjectFieldSelector> = Model;
/** The model of `objects ObjectMeta`. */
export type V1ObjectMeta = ModelOf<objects.ObjectMeta>;
export const V1ObjectMeta: ModelClass<V1ObjectMeta> = Model;
/** The model of `coreV1 ObjectReference`. */
export type V1ObjectReference = ModelOf<coreV1.ObjectReference>;
export const V1ObjectReference: ModelClass<V1ObjectReference> = Model;
/** The model of `resourceV1 OpaqueDeviceConfiguration`. */
export type V1OpaqueDeviceConfiguration = ModelOf<resourceV1.OpaqueDeviceConfiguration>;
export const V1OpaqueDeviceConfiguration: ModelClass<V1OpaqueDeviceConfiguration> = Model;
/** The model of `nodeV1 Overhead`. */
export type V1Overhead = ModelOf<nodeV1.Overhead>;
export const V1Overhead: ModelClass<V1Overhead> = Model;
/** The model of `objects OwnerReference`. */
export type V1OwnerReference = ModelOf<objects.OwnerReference>;
export const V1OwnerReference: ModelClass<V1OwnerReference> = Model;
/** The model of `admissionregistrationV1 ParamKind`. */
export type V1ParamKind = ModelOf<admissionregistrationV1.ParamKind>;
export const V1ParamKind: ModelClass<V1ParamKind> = Model;
/** The model of `admissionregistrationV1 ParamRef`. */
export type V1ParamRef = ModelOf<admissionregistrationV1.ParamRef>;
export const V1ParamRef: ModelClass<V1ParamRef> = Model;
/** The model of `networkingV1 ParentReference`. */
export type V1ParentReference = ModelOf<networkingV1.ParentReference>;
export const V1ParentReference: ModelClass<V1ParentReference> = Model;
/** The model of `coreV1 PersistentVolume`. */
export type V1PersistentVolume = ModelOf<coreV1.PersistentVolume>;
export const V1PersistentVolume: ModelClass<V1PersistentVolume> = Model;
/** The model of `coreV1 PersistentVolumeClaim`. */
export type V1PersistentVolumeClaim = ModelOf<coreV1.PersistentVolumeClaim>;
export const V1PersistentVolumeClaim: ModelClass<V1PersistentVolumeClaim> = Model;
/** The model of `coreV1 PersistentVolumeClaimCondition`. */
export type V1PersistentVolumeClaimCondition = ModelOf<coreV1.PersistentVolumeClaimCondition>;
export const V1PersistentVolumeClaimCondition: ModelClass<V1PersistentVolumeClaimCondition> = Model;
/** The model of `coreV1 PersistentVolumeClaimList`. */
export type V1PersistentVolumeClaimList = ModelOf<coreV1.PersistentVolumeClaimList>;
export const V1PersistentVolumeClaimList: ModelClass<V1PersistentVolumeClaimList> = Model;
/** The model of `coreV1 PersistentVolumeClaimSpec`. */
export type V1PersistentVolumeClaimSpec = ModelOf<coreV1.PersistentVolumeClaimSpec>;
export const V1PersistentVolumeClaimSpec: ModelClass<V1PersistentVolumeClaimSpec> = Model;
/** The model of `coreV1 PersistentVolumeClaimStatus`. */
export type V1PersistentVolumeClaimStatus = ModelOf<coreV1.PersistentVolumeClaimStatus>;
export const V1PersistentVolumeClaimStatus: ModelClass<V1PersistentVolumeClaimStatus> = Model;
/** The model of `coreV1 PersistentVolumeClaimTemplate`. */
export type V1PersistentVolumeClaimTemplate = ModelOf<coreV1.PersistentVolumeClaimTemplate>;
export const V1PersistentVolumeClaimTemplate: ModelClass<V1PersistentVolumeClaimTemplate> = Model;
/** The model of `coreV1 PersistentVolumeClaimVolumeSource`. */
export type V1PersistentVolumeClaimVolumeSource = ModelOf<coreV1.PersistentVolumeClaimVolumeSource>;
export const V1PersistentVolumeClaimVolumeSource: ModelClass<V1PersistentVolumeClaimVolumeSource> = Model;
/** The model of `coreV1 PersistentVolumeList`. */
export type V1PersistentVolumeList = ModelOf<coreV1.PersistentVolumeList>;
export const V1PersistentVolumeList: ModelClass<V1PersistentVolumeList> = Model;
/** The model of `coreV1 PersistentVolumeSpec`. */
export type V1PersistentVolumeSpec = ModelOf<coreV1.PersistentVolumeSpec>;
export const V1PersistentVolumeSpec: ModelClass<V1PersistentVolumeSpec> = Model;
/** The model of `coreV1 PersistentVolumeStatus`. */
export type V1PersistentVolumeStatus = ModelOf<coreV1.PersistentVolumeStatus>;
export const V1PersistentVolumeStatus: ModelClass<V1PersistentVolumeStatus> = Model;
/** The model of `coreV1 PhotonPersistentDiskVolumeSource`. */
export type V1PhotonPersistentDiskVolumeSource = ModelOf<coreV1.PhotonPersistentDiskVolumeSource>;
export const V1PhotonPersistentDiskVolumeSource: ModelClass<V1PhotonPersistentDiskVolumeSource> = Model;
/** The model of `coreV1 Pod`. */
export type V1Pod = ModelOf<coreV1.Pod>;
export const V1Pod: ModelClass<V1Pod> = Model;
/** The model of `coreV1 PodAffinity`. */
export type V1PodAffinity = ModelOf<coreV1.PodAffinity>;
export const V1PodAffinity: ModelClass<V1PodAffinity> = Model;
/** The model of `coreV1 PodAffinityTerm`. */
export type V1PodAffinityTerm = ModelOf<coreV1.PodAffinityTerm>;
export const V1PodAffinityTerm: ModelClass<V1PodAffinityTerm> = Model;
/** The model of `coreV1 PodAntiAffinity`. */
export type V1PodAntiAffinity = ModelOf<coreV1.PodAntiAffinity>;
export const V1PodAntiAffinity: ModelClass<V1PodAntiAffinity> = Model;
/** The model of `coreV1 PodCertificateProjection`. */
export type V1PodCertificateProjection = ModelOf<coreV1.PodCertificateProjection>;
export const V1PodCertificateProjection: ModelClass<V1PodCertificateProjection> = Model;
/** The model of `coreV1 PodCondition`. */
export type V1PodCondition = ModelOf<coreV1.PodCondition>;
export const V1PodCondition: ModelClass<V1PodCondition> = Model;
/** The model of `coreV1 PodDNSConfig`. */
export type V1PodDNSConfig = ModelOf<coreV1.PodDNSConfig>;
export const V1PodDNSConfig: ModelClass<V1PodDNSConfig> = Model;
/** The model of `coreV1 PodDNSConfigOption`. */
export type V1PodDNSConfigOption = ModelOf<coreV1.PodDNSConfigOption>;
export const V1PodDNSConfigOption: ModelClass<V1PodDNSConfigOption> = Model;
/** The model of `policyV1 PodDisruptionBudget`. */
export type V1PodDisruptionBudget = ModelOf<policyV1.PodDisruptionBudget>;
export const V1PodDisruptionBudget: ModelClass<V1PodDisruptionBudget> = Model;
/** The model of `policyV1 PodDisruptionBudgetList`. */
export type V1PodDisruptionBudgetList = ModelOf<policyV1.PodDisruptionBudgetList>;
export const V1PodDisruptionBudgetList: ModelClass<V1PodDisruptionBudgetList> = Model;
/** The model of `policyV1 PodDisruptionBudgetSpec`. */
export type V1PodDisruptionBudgetSpec = ModelOf<policyV1.PodDisruptionBudgetSpec>;
export const V1PodDisruptionBudgetSpec: ModelClass<V1PodDisruptionBudgetSpec> = Model;
/** The model of `policyV1 PodDisruptionBudgetStatus`. */
export type V1PodDisruptionBudgetStatus = ModelOf<policyV1.PodDisruptionBudgetStatus>;
export const V1PodDisruptionBudgetStatus: ModelClass<V1PodDisruptionBudgetStatus> = Model;
/** The model of `coreV1 PodExtendedResourceClaimStatus`. */
export type V1PodExtendedResourceClaimStatus = ModelOf<coreV1.PodExtendedResourceClaimStatus>;
export const V1PodExtendedResourceClaimStatus: ModelClass<V1PodExtendedResourceClaimStatus> = Model;
/** The model of `batchV1 PodFailurePolicy`. */
export type V1PodFailurePolicy = ModelOf<batchV1.PodFailurePolicy>;
export const V1PodFailurePolicy: ModelClass<V1PodFailurePolicy> = Model;
/** The model of `batchV1 PodFailurePolicyOnExitCodesRequirement`. */
export type V1PodFailurePolicyOnExitCodesRequirement = ModelOf<batchV1.PodFailurePolicyOnExitCodesRequirement>;
export const V1PodFailurePolicyOnExitCodesRequirement: ModelClass<V1PodFailurePolicyOnExitCodesRequirement> = Model;
/** The model of `batchV1 PodFailurePolicyOnPodConditionsPattern`. */
export type V1PodFailurePolicyOnPodConditionsPattern = ModelOf<batchV1.PodFailurePolicyOnPodConditionsPattern>;
export const V1PodFailurePolicyOnPodConditionsPattern: ModelClass<V1PodFailurePolicyOnPodConditionsPattern> = Model;
/** The model of `batchV1 PodFailurePolicyRule`. */
export type V1PodFailurePolicyRule = ModelOf<batchV1.PodFailurePolicyRule>;
export const V1PodFailurePolicyRule: ModelClass<V1PodFailurePolicyRule> = Model;
/** The model of `coreV1 PodIP`. */
export type V1PodIP = ModelOf<coreV1.PodIP>;
export const V1PodIP: ModelClass<V1PodIP> = Model;
/** The model of `coreV1 PodList`. */
export type V1PodList = ModelOf<coreV1.PodList>;
export const V1PodList: ModelClass<V1PodList> = Model;
/** The model of `coreV1 PodOS`. */
export type V1PodOS = ModelOf<coreV1.PodOS>;
export const V1PodOS: ModelClass<V1PodOS> = Model;
/** The model of `coreV1 PodReadinessGate`. */
export type V1PodReadinessGate = ModelOf<coreV1.PodReadinessGate>;
export const V1PodReadinessGate: ModelClass<V1PodReadinessGate> = Model;
/** The model of `coreV1 PodResourceClaim`. */
export type V1PodResourceClaim = ModelOf<coreV1.PodResourceClaim>;
export const V1PodResourceClaim: ModelClass<V1PodResourceClaim> = Model;
/** The model of `coreV1 PodResourceClaimStatus`. */
export type V1PodResourceClaimStatus = ModelOf<coreV1.PodResourceClaimStatus>;
export const V1PodResourceClaimStatus: ModelClass<V1PodResourceClaimStatus> = Model;
/** The model of `coreV1 PodSchedulingGate`. */
export type V1PodSchedulingGate = ModelOf<coreV1.PodSchedulingGate>;
export const V1PodSchedulingGate: ModelClass<V1PodSchedulingGate> = Model;
/** The model of `coreV1 PodSchedulingGroup`. */
export type V1PodSchedulingGroup = ModelOf<coreV1.PodSchedulingGroup>;
export const V1PodSchedulingGroup: ModelClass<V1PodSchedulingGroup> = Model;
/** The model of `coreV1 PodSecurityContext`. */
export type V1PodSecurityContext = ModelOf<coreV1.PodSecurityContext>;
export const V1PodSecurityContext: ModelClass<V1PodSecurityContext> = Model;
/** The model of `coreV1 PodSpec`. */
export type V1PodSpec = ModelOf<coreV1.PodSpec>;
export const V1PodSpec: ModelClass<V1PodSpec> = Model;
/** The model of `coreV1 PodStatus`. */
export type V1PodStatus = ModelOf<coreV1.PodStatus>;
export const V1PodStatus: ModelClass<V1PodStatus> = Model;
/** The model of `coreV1 PodTemplate`. */
export type V1PodTemplate = ModelOf<coreV1.PodTemplate>;
export const V1PodTemplate: ModelClass<V1PodTemplate> = Model;
/** The model of `coreV1 PodTemplateList`. */
export type V1PodTemplateList = ModelOf<coreV1.PodTemplateList>;
export const V1PodTemplateList: ModelClass<V1PodTemplateList> = Model;
/** The model of `coreV1 PodTemplateSpec`. */
export type V1PodTemplateSpec = ModelOf<coreV1.PodTemplateSpec>;
export const V1PodTemplateSpec: ModelClass<V1PodTemplateSpec> = Model;
/** The model of `rbacV1 PolicyRule`. */
export type V1PolicyRule = ModelOf<rbacV1.PolicyRule>;
export const V1PolicyRule: ModelClass<V1PolicyRule> = Model;
/** The model of `flowcontrolV1 PolicyRulesWithSubjects`. */
export type V1PolicyRulesWithSubjects = ModelOf<flowcontrolV1.PolicyRulesWithSubjects>;
export const V1PolicyRulesWithSubjects: ModelClass<V1PolicyRulesWithSubjects> = Model;
/** The model of `coreV1 PortStatus`. */
export type V1PortStatus = ModelOf<coreV1.PortStatus>;
export const V1PortStatus: ModelClass<V1PortStatus> = Model;
/** The model of `coreV1 PortworxVolumeSource`. */
export type V1PortworxVolumeSource = ModelOf<coreV1.PortworxVolumeSource>;
export const V1PortworxVolumeSource: ModelClass<V1PortworxVolumeSource> = Model;
/** The model of `metaV1 Preconditions`. */
export type V1Preconditions = ModelOf<metaV1.Preconditions>;
export const V1Preconditions: ModelClass<V1Preconditions> = Model;
/** The model of `coreV1 PreferredSchedulingTerm`. */
export type V1PreferredSchedulingTerm = ModelOf<coreV1.PreferredSchedulingTerm>;
export const V1PreferredSchedulingTerm: ModelClass<V1PreferredSchedulingTerm> = Model;
/** The model of `schedulingV1 PriorityClass`. */
export type V1PriorityClass = ModelOf<schedulingV1.PriorityClass>;
export const V1PriorityClass: ModelClass<V1PriorityClass> = Model;
/** The model of `schedulingV1 PriorityClassList`. */
export type V1PriorityClassList = ModelOf<schedulingV1.PriorityClassList>;
export const V1PriorityClassList: ModelClass<V1PriorityClassList> = Model;
/** The model of `flowcontrolV1 PriorityLevelConfiguration`. */
export type V1PriorityLevelConfiguration = ModelOf<flowcontrolV1.PriorityLevelConfiguration>;
export const V1PriorityLevelConfiguration: ModelClass<V1PriorityLevelConfiguration> = Model;
/** The model of `flowcontrolV1 PriorityLevelConfigurationCondition`. */
export type V1PriorityLevelConfigurationCondition = ModelOf<flowcontrolV1.PriorityLevelConfigurationCondition>;
export const V1PriorityLevelConfigurationCondition: ModelClass<V1PriorityLevelConfigurationCondition> = Model;
/** The model of `flowcontrolV1 PriorityLevelConfigurationList`. */
export type V1PriorityLevelConfigurationList = ModelOf<flowcontrolV1.PriorityLevelConfigurationList>;
export const V1PriorityLevelConfigurationList: ModelClass<V1PriorityLevelConfigurationList> = Model;
/** The model of `flowcontrolV1 PriorityLevelConfigurationReference`. */
export type V1PriorityLevelConfigurationReference = ModelOf<flowcontrolV1.PriorityLevelConfigurationReference>;
export const V1PriorityLevelConfigurationReference: ModelClass<V1PriorityLevelConfigurationReference> = Model;
/** The model of `flowcontrolV1 PriorityLevelConfigurationSpec`. */
export type V1PriorityLevelConfigurationSpec = ModelOf<flowcontrolV1.PriorityLevelConfigurationSpec>;
export const V1PriorityLevelConfigurationSpec: ModelClass<V1PriorityLevelConfigurationSpec> = Model;
/** The model of `flowcontrolV1 PriorityLevelConfigurationStatus`. */
export type V1PriorityLevelConfigurationStatus = ModelOf<flowcontrolV1.PriorityLevelConfigurationStatus>;
export const V1PriorityLevelConfigurationStatus: ModelClass<V1PriorityLevelConfigurationStatus> = Model;
/** The model of `coreV1 Probe`. */
export type V1Probe = ModelOf<coreV1.Probe>;
export const V1Probe: ModelClass<V1Probe> = Model;
/** The model of `coreV1 ProjectedVolumeSource`. */
export type V1ProjectedVolumeSource = ModelOf<coreV1.ProjectedVolumeSource>;
export const V1ProjectedVolumeSource: ModelClass<V1ProjectedVolumeSource> = Model;
/** The model of `flowcontrolV1 QueuingConfiguration`. */
export type V1QueuingConfiguration = ModelOf<flowcontrolV1.QueuingConfiguration>;
export const V1QueuingConfiguration: ModelClass<V1QueuingConfiguration> = Model;
/** The model of `coreV1 QuobyteVolumeSource`. */
export type V1QuobyteVolumeSource = ModelOf<coreV1.QuobyteVolumeSource>;
export const V1QuobyteVolumeSource: ModelClass<V1QuobyteVolumeSource> = Model;
/** The model of `coreV1 RBDPersistentVolumeSource`. */
export type V1RBDPersistentVolumeSource = ModelOf<coreV1.RBDPersistentVolumeSource>;
export const V1RBDPersistentVolumeSource: ModelClass<V1RBDPersistentVolumeSource> = Model;
/** The model of `coreV1 RBDVolumeSource`. */
export type V1RBDVolumeSource = ModelOf<coreV1.RBDVolumeSource>;
export const V1RBDVolumeSource: ModelClass<V1RBDVolumeSource> = Model;
/** The model of `appsV1 ReplicaSet`. */
export type V1ReplicaSet = ModelOf<appsV1.ReplicaSet>;
export const V1ReplicaSet: ModelClass<V1ReplicaSet> = Model;
/** The model of `appsV1 ReplicaSetCondition`. */
export type V1ReplicaSetCondition = ModelOf<appsV1.ReplicaSetCondition>;
export const V1ReplicaSetCondition: ModelClass<V1ReplicaSetCondition> = Model;
/** The model of `appsV1 ReplicaSetList`. */
export type V1ReplicaSetList = ModelOf<appsV1.ReplicaSetList>;
export const V1ReplicaSetList: ModelClass<V1ReplicaSetList> = Model;
/** The model of `appsV1 ReplicaSetSpec`. */
export type V1ReplicaSetSpec = ModelOf<appsV1.ReplicaSetSpec>;
export const V1ReplicaSetSpec: ModelClass<V1ReplicaSetSpec> = Model;
/** The model of `appsV1 ReplicaSetStatus`. */
export type V1ReplicaSetStatus = ModelOf<appsV1.ReplicaSetStatus>;
export const V1ReplicaSetStatus: ModelClass<V1ReplicaSetStatus> = Model;
/** The model of `coreV1 ReplicationController`. */
export type V1ReplicationController = ModelOf<coreV1.ReplicationController>;
export const V1ReplicationController: ModelClass<V1ReplicationController> = Model;
/** The model of `coreV1 ReplicationControllerCondition`. */
export type V1ReplicationControllerCondition = ModelOf<coreV1.ReplicationControllerCondition>;
export const V1ReplicationControllerCondition: ModelClass<V1ReplicationControllerCondition> = Model;
/** The model of `coreV1 ReplicationControllerList`. */
export type V1ReplicationControllerList = ModelOf<coreV1.ReplicationControllerList>;
export const V1ReplicationControllerList: ModelClass<V1ReplicationControllerList> = Model;
/** The model of `coreV1 ReplicationControllerSpec`. */
export type V1ReplicationControllerSpec = ModelOf<coreV1.ReplicationControllerSpec>;
export const V1ReplicationControllerSpec: ModelClass<V1ReplicationControllerSpec> = Model;
/** The model of `coreV1 ReplicationControllerStatus`. */
export type V1ReplicationControllerStatus = ModelOf<coreV1.ReplicationControllerStatus>;
export const V1ReplicationControllerStatus: ModelClass<V1ReplicationControllerStatus> = Model;
/** The model of `authorizationV1 ResourceAttributes`. */
export type V1ResourceAttributes = ModelOf<authorizationV1.ResourceAttributes>;
export const V1ResourceAttributes: ModelClass<V1ResourceAttributes> = Model;
/** The model of `resourceV1 ResourceClaimConsumerReference`. */
export type V1ResourceClaimConsumerReference = ModelOf<resourceV1.ResourceClaimConsumerReference>;
export const V1ResourceClaimConsumerReference: ModelClass<V1ResourceClaimConsumerReference> = Model;
/** The model of `resourceV1 ResourceClaimList`. */
export type V1ResourceClaimList = ModelOf<resourceV1.ResourceClaimList>;
export const V1ResourceClaimList: ModelClass<V1ResourceClaimList> = Model;
/** The model of `resourceV1 ResourceClaimSpec`. */
export type V1ResourceClaimSpec = ModelOf<resourceV1.ResourceClaimSpec>;
export const V1ResourceClaimSpec: ModelClass<V1ResourceClaimSpec> = Model;
/** The model of `resourceV1 ResourceClaimStatus`. */
export type V1ResourceClaimStatus = ModelOf<resourceV1.ResourceClaimStatus>;
export const V1ResourceClaimStatus: ModelClass<V1ResourceClaimStatus> = Model;
/** The model of `resourceV1 ResourceClaimTemplate`. */
export type V1ResourceClaimTemplate = ModelOf<resourceV1.ResourceClaimTemplate>;
export const V1ResourceClaimTemplate: ModelClass<V1ResourceClaimTemplate> = Model;
/** The model of `resourceV1 ResourceClaimTemplateList`. */
export type V1ResourceClaimTemplateList = ModelOf<resourceV1.ResourceClaimTemplateList>;
export const V1ResourceClaimTemplateList: ModelClass<V1ResourceClaimTemplateList> = Model;
/** The model of `resourceV1 ResourceClaimTemplateSpec`. */
export type V1ResourceClaimTemplateSpec = ModelOf<resourceV1.ResourceClaimTemplateSpec>;
export const V1ResourceClaimTemplateSpec: ModelClass<V1ResourceClaimTemplateSpec> = Model;
/** The model of `coreV1 ResourceFieldSelector`. */
export type V1ResourceFieldSelector = ModelOf<coreV1.ResourceFieldSelector>;
export const V1ResourceFieldSelector: ModelClass<V1ResourceFieldSelector> = Model;
/** The model of `coreV1 ResourceHealth`. */
export type V1ResourceHealth = ModelOf<coreV1.ResourceHealth>;
export const V1ResourceHealth: ModelClass<V1ResourceHealth> = Model;
/** The model of `flowcontrolV1 ResourcePolicyRule`. */
export type V1ResourcePolicyRule = ModelOf<flowcontrolV1.ResourcePolicyRule>;
export const V1ResourcePolicyRule: ModelClass<V1ResourcePolicyRule> = Model;
/** The model of `resourceV1 ResourcePool`. */
export type V1ResourcePool = ModelOf<resourceV1.ResourcePool>;
export const V1ResourcePool: ModelClass<V1ResourcePool> = Model;
/** The model of `coreV1 ResourceQuota`. */
export type V1ResourceQuota = ModelOf<coreV1.ResourceQuota>;
export const V1ResourceQuota: ModelClass<V1ResourceQuota> = Model;
/** The model of `coreV1 ResourceQuotaList`. */
export type V1ResourceQuotaList = ModelOf<coreV1.ResourceQuotaList>;
export const V1ResourceQuotaList: ModelClass<V1ResourceQuotaList> = Model;
/** The model of `coreV1 ResourceQuotaSpec`. */
export type V1ResourceQuotaSpec = ModelOf<coreV1.ResourceQuotaSpec>;
export const V1ResourceQuotaSpec: ModelClass<V1ResourceQuotaSpec> = Model;
/** The model of `coreV1 ResourceQuotaStatus`. */
export type V1ResourceQuotaStatus = ModelOf<coreV1.ResourceQuotaStatus>;
export const V1ResourceQuotaStatus: ModelClass<V1ResourceQuotaStatus> = Model;
/** The model of `coreV1 ResourceRequirements`. */
export type V1ResourceRequirements = ModelOf<coreV1.ResourceRequirements>;
export const V1ResourceRequirements: ModelClass<V1ResourceRequirements> = Model;
/** The model of `authorizationV1 ResourceRule`. */
export type V1ResourceRule = ModelOf<authorizationV1.ResourceRule>;
export const V1ResourceRule: ModelClass<V1ResourceRule> = Model;
/** The model of `resourceV1 ResourceSlice`. */
export type V1ResourceSlice = ModelOf<resourceV1.ResourceSlice>;
export const V1ResourceSlice: ModelClass<V1ResourceSlice> = Model;
/** The model of `resourceV1 ResourceSliceList`. */
export type V1ResourceSliceList = ModelOf<resourceV1.ResourceSliceList>;
export const V1ResourceSliceList: ModelClass<V1ResourceSliceList> = Model;
/** The model of `resourceV1 ResourceSliceSpec`. */
export type V1ResourceSliceSpec = ModelOf<resourceV1.ResourceSliceSpec>;
export const V1ResourceSliceSpec: ModelClass<V1ResourceSliceSpec> = Model;
/** The model of `coreV1 ResourceStatus`. */
export type V1ResourceStatus = ModelOf<coreV1.ResourceStatus>;
export const V1ResourceStatus: ModelClass<V1ResourceStatus> = Model;
/** The model of `rbacV1 Role`. */
export type V1Role = ModelOf<rbacV1.Role>;
export const V1Role: ModelClass<V1Role> = Model;
/** The model of `rbacV1 RoleBinding`. */
export type V1RoleBinding = ModelOf<rbacV1.RoleBinding>;
export const V1RoleBinding: ModelClass<V1RoleBinding> = Model;
/** The model of `rbacV1 RoleBindingList`. */
export type V1RoleBindingList = ModelOf<rbacV1.RoleBindingList>;
export const V1RoleBindingList: ModelClass<V1RoleBindingList> = Model;
/** The model of `rbacV1 RoleList`. */
export type V1RoleList = ModelOf<rbacV1.RoleList>;
export const V1RoleList: ModelClass<V1RoleList> = Model;
/** The model of `rbacV1 RoleRef`. */
export type V1RoleRef = ModelOf<rbacV1.RoleRef>;
export const V1RoleRef: ModelClass<V1RoleRef> = Model;
/** The model of `appsV1 RollingUpdateDaemonSet`. */
export type V1RollingUpdateDaemonSet = ModelOf<appsV1.RollingUpdateDaemonSet>;
export const V1RollingUpdateDaemonSet: ModelClass<V1RollingUpdateDaemonSet> = Model;
/** The model of `appsV1 RollingUpdateDeployment`. */
export type V1RollingUpdateDeployment = ModelOf<appsV1.RollingUpdateDeployment>;
export const V1RollingUpdateDeployment: ModelClass<V1RollingUpdateDeployment> = Model;
/** The model of `appsV1 RollingUpdateStatefulSetStrategy`. */
export type V1RollingUpdateStatefulSetStrategy = ModelOf<appsV1.RollingUpdateStatefulSetStrategy>;
export const V1RollingUpdateStatefulSetStrategy: ModelClass<V1RollingUpdateStatefulSetStrategy> = Model;
/** The model of `admissionregistrationV1 RuleWithOperations`. */
export type V1RuleWithOperations = ModelOf<admissionregistrationV1.RuleWithOperations>;
export const V1RuleWithOperations: ModelClass<V1RuleWithOperations> = Model;
/** The model of `nodeV1 RuntimeClass`. */
export type V1RuntimeClass = ModelOf<nodeV1.RuntimeClass>;
export const V1RuntimeClass: ModelClass<V1RuntimeClass> = Model;
/** The model of `nodeV1 RuntimeClassList`. */
export type V1RuntimeClassList = ModelOf<nodeV1.RuntimeClassList>;
export const V1RuntimeClassList: ModelClass<V1RuntimeClassList> = Model;
/** The model of `coreV1 SELinuxOptions`. */
export type V1SELinuxOptions = ModelOf<coreV1.SELinuxOptions>;
export const V1SELinuxOptions: ModelClass<V1SELinuxOptions> = Model;
/** The model of `autoscalingV1 Scale`. */
export type V1Scale = ModelOf<autoscalingV1.Scale>;
export const V1Scale: ModelClass<V1Scale> = Model;
/** The model of `coreV1 ScaleIOPersistentVolumeSource`. */
export type V1ScaleIOPersistentVolumeSource = ModelOf<coreV1.ScaleIOPersistentVolumeSource>;
export const V1ScaleIOPersistentVolumeSource: ModelClass<V1ScaleIOPersistentVolumeSource> = Model;
/** The model of `coreV1 ScaleIOVolumeSource`. */
export type V1ScaleIOVolumeSource = ModelOf<coreV1.ScaleIOVolumeSource>;
export const V1ScaleIOVolumeSource: ModelClass<V1ScaleIOVolumeSource> = Model;
/** The model of `autoscalingV1 ScaleSpec`. */
export type V1ScaleSpec = ModelOf<autoscalingV1.ScaleSpec>;
export const V1ScaleSpec: ModelClass<V1ScaleSpec> = Model;
/** The model of `autoscalingV1 ScaleStatus`. */
export type V1ScaleStatus = ModelOf<autoscalingV1.ScaleStatus>;
export const V1ScaleStatus: ModelClass<V1ScaleStatus> = Model;
/** The model of `nodeV1 Scheduling`. */
export type V1Scheduling = ModelOf<nodeV1.Scheduling>;
export const V1Scheduling: ModelClass<V1Scheduling> = Model;
/** The model of `coreV1 ScopeSelector`. */
export type V1ScopeSelector = ModelOf<coreV1.ScopeSelector>;
export const V1ScopeSelector: ModelClass<V1ScopeSelector> = Model;
/** The model of `coreV1 ScopedResourceSelectorRequirement`. */
export type V1ScopedResourceSelectorRequirement = ModelOf<coreV1.ScopedResourceSelectorRequirement>;
export const V1ScopedResourceSelectorRequirement: ModelClass<V1ScopedResourceSelectorRequirement> = Model;
/** The model of `coreV1 SeccompProfile`. */
export type V1SeccompProfile = ModelOf<coreV1.SeccompProfile>;
export const V1SeccompProfile: ModelClass<V1SeccompProfile> = Model;
/** The model of `coreV1 Secret`. */
export type V1Secret = ModelOf<coreV1.Secret>;
export const V1Secret: ModelClass<V1Secret> = Model;
/** The model of `coreV1 SecretEnvSource`. */
export type V1SecretEnvSource = ModelOf<coreV1.SecretEnvSource>;
export const V1SecretEnvSource: ModelClass<V1SecretEnvSource> = Model;
/** The model of `coreV1 SecretKeySelector`. */
export type V1SecretKeySelector = ModelOf<coreV1.SecretKeySelector>;
export const V1SecretKeySelector: ModelClass<V1SecretKeySelector> = Model;
/** The model of `coreV1 SecretList`. */
export type V1SecretList = ModelOf<coreV1.SecretList>;
export const V1SecretList: ModelClass<V1SecretList> = Model;
/** The model of `coreV1 SecretProjection`. */
export type V1SecretProjection = ModelOf<coreV1.SecretProjection>;
export const V1SecretProjection: ModelClass<V1SecretProjection> = Model;
/** The model of `coreV1 SecretReference`. */
export type V1SecretReference = ModelOf<coreV1.SecretReference>;
export const V1SecretReference: ModelClass<V1SecretReference> = Model;
/** The model of `coreV1 SecretVolumeSource`. */
export type V1SecretVolumeSource = ModelOf<coreV1.SecretVolumeSource>;
export const V1SecretVolumeSource: ModelClass<V1SecretVolumeSource> = Model;
/** The model of `coreV1 SecurityContext`. */
export type V1SecurityContext = ModelOf<coreV1.SecurityContext>;
export const V1SecurityContext: ModelClass<V1SecurityContext> = Model;
/** The model of `apiextensionsV1 SelectableField`. */
export type V1SelectableField = ModelOf<apiextensionsV1.SelectableField>;
export const V1SelectableField: ModelClass<V1SelectableField> = Model;
/** The model of `authorizationV1 SelfSubjectAccessReview`. */
export type V1SelfSubjectAccessReview = ModelOf<authorizationV1.SelfSubjectAccessReview>;
export const V1SelfSubjectAccessReview: ModelClass<V1SelfSubjectAccessReview> = Model;
/** The model of `authorizationV1 SelfSubjectAccessReviewSpec`. */
export type V1SelfSubjectAccessReviewSpec = ModelOf<authorizationV1.SelfSubjectAccessReviewSpec>;
export const V1SelfSubjectAccessReviewSpec: ModelClass<V1SelfSubjectAccessReviewSpec> = Model;
/** The model of `authenticationV1 SelfSubjectReview`. */
export type V1SelfSubjectReview = ModelOf<authenticationV1.SelfSubjectReview>;
export const V1SelfSubjectReview: ModelClass<V1SelfSubjectReview> = Model;
/** The model of `authenticationV1 SelfSubjectReviewStatus`. */
export type V1SelfSubjectReviewStatus = ModelOf<authenticationV1.SelfSubjectReviewStatus>;
export const V1SelfSubjectReviewStatus: ModelClass<V1SelfSubjectReviewStatus> = Model;
/** The model of `authorizationV1 SelfSubjectRulesReview`. */
export type V1SelfSubjectRulesReview = ModelOf<authorizationV1.SelfSubjectRulesReview>;
export const V1SelfSubjectRulesReview: ModelClass<V1SelfSubjectRulesReview> = Model;
/** The model of `authorizationV1 SelfSubjectRulesReviewSpec`. */
export type V1SelfSubjectRulesReviewSpec = ModelOf<authorizationV1.SelfSubjectRulesReviewSpec>;
export const V1SelfSubjectRulesReviewSpec: ModelClass<V1SelfSubjectRulesReviewSpec> = Model;
/** The model of `coreV1 Service`. */
export type V1Service = ModelOf<coreV1.Service>;
export const V1Service: ModelClass<V1Service> = Model;
/** The model of `coreV1 ServiceAccount`. */
export type V1ServiceAccount = ModelOf<coreV1.ServiceAccount>;
export const V1ServiceAccount: ModelClass<V1ServiceAccount> = Model;
/** The model of `coreV1 ServiceAccountList`. */
export type V1ServiceAccountList = ModelOf<coreV1.ServiceAccountList>;
export const V1ServiceAccountList: ModelClass<V1ServiceAccountList> = Model;
/** The model of `flowcontrolV1 ServiceAccountSubject`. */
export type V1ServiceAccountSubject = ModelOf<flowcontrolV1.ServiceAccountSubject>;
export const V1ServiceAccountSubject: ModelClass<V1ServiceAccountSubject> = Model;
/** The model of `coreV1 ServiceAccountTokenProjection`. */
export type V1ServiceAccountTokenProjection = ModelOf<coreV1.ServiceAccountTokenProjection>;
export const V1ServiceAccountTokenProjection: ModelClass<V1ServiceAccountTokenProjection> = Model;
/** The model of `networkingV1 ServiceBackendPort`. */
export type V1ServiceBackendPort = ModelOf<networkingV1.ServiceBackendPort>;
export const V1ServiceBackendPort: ModelClass<V1ServiceBackendPort> = Model;
/** The model of `networkingV1 ServiceCIDR`. */
export type V1ServiceCIDR = ModelOf<networkingV1.ServiceCIDR>;
export const V1ServiceCIDR: ModelClass<V1ServiceCIDR> = Model;
/** The model of `networkingV1 ServiceCIDRList`. */
export type V1ServiceCIDRList = ModelOf<networkingV1.ServiceCIDRList>;
export const V1ServiceCIDRList: ModelClass<V1ServiceCIDRList> = Model;
/** The model of `networkingV1 ServiceCIDRSpec`. */
export type V1ServiceCIDRSpec = ModelOf<networkingV1.ServiceCIDRSpec>;
export const V1ServiceCIDRSpec: ModelClass<V1ServiceCIDRSpec> = Model;
/** The model of `networkingV1 ServiceCIDRStatus`. */
export type V1ServiceCIDRStatus = ModelOf<networkingV1.ServiceCIDRStatus>;
export const V1ServiceCIDRStatus: ModelClass<V1ServiceCIDRStatus> = Model;
/** The model of `coreV1 ServiceList`. */
export type V1ServiceList = ModelOf<coreV1.ServiceList>;
export const V1ServiceList: ModelClass<V1ServiceList> = Model;
/** The model of `coreV1 ServicePort`. */
export type V1ServicePort = ModelOf<coreV1.ServicePort>;
export const V1ServicePort: ModelClass<V1ServicePort> = Model;
/** The model of `coreV1 ServiceSpec`. */
export type V1ServiceSpec = ModelOf<coreV1.ServiceSpec>;
export const V1ServiceSpec: ModelClass<V1ServiceSpec> = Model;
/** The model of `coreV1 ServiceStatus`. */
export type V1ServiceStatus = ModelOf<coreV1.ServiceStatus>;
export const V1ServiceStatus: ModelClass<V1ServiceStatus> = Model;
/** The model of `coreV1 SessionAffinityConfig`. */
export type V1SessionAffinityConfig = ModelOf<coreV1.SessionAffinityConfig>;
export const V1SessionAffinityConfig: ModelClass<V1SessionAffinityConfig> = Model;
/** The model of `coreV1 SleepAction`. */
export type V1SleepAction = ModelOf<coreV1.SleepAction>;
export const V1SleepAction: ModelClass<V1SleepAction> = Model;
/** The model of `appsV1 StatefulSet`. */
export type V1StatefulSet = ModelOf<appsV1.StatefulSet>;
export const V1StatefulSet: ModelClass<V1StatefulSet> = Model;
/** The model of `appsV1 StatefulSetCondition`. */
export type V1StatefulSetCondition = ModelOf<appsV1.StatefulSetCondition>;
export const V1StatefulSetCondition: ModelClass<V1StatefulSetCondition> = Model;
/** The model of `appsV1 StatefulSetList`. */
export type V1StatefulSetList = ModelOf<appsV1.StatefulSetList>;
export const V1StatefulSetList: ModelClass<V1StatefulSetList> = Model;
/** The model of `appsV1 StatefulSetOrdinals`. */
export type V1StatefulSetOrdinals = ModelOf<appsV1.StatefulSetOrdinals>;
export const V1StatefulSetOrdinals: ModelClass<V1StatefulSetOrdinals> = Model;
/** The model of `appsV1 StatefulSetPersistentVolumeClaimRetentionPolicy`. */
export type V1StatefulSetPersistentVolumeClaimRetentionPolicy = ModelOf<appsV1.StatefulSetPersistentVolumeClaimRetentionPolicy>;
export const V1StatefulSetPersistentVolumeClaimRetentionPolicy: ModelClass<V1StatefulSetPersistentVolumeClaimRetentionPolicy> = Model;
/** The model of `appsV1 StatefulSetSpec`. */
export type V1StatefulSetSpec = ModelOf<appsV1.StatefulSetSpec>;
export const V1StatefulSetSpec: ModelClass<V1StatefulSetSpec> = Model;
/** The model of `appsV1 StatefulSetStatus`. */
export type V1StatefulSetStatus = ModelOf<appsV1.StatefulSetStatus>;
export const V1StatefulSetStatus: ModelClass<V1StatefulSetStatus> = Model;
/** The model of `appsV1 StatefulSetUpdateStrategy`. */
export type V1StatefulSetUpdateStrategy = ModelOf<appsV1.StatefulSetUpdateStrategy>;
export const V1StatefulSetUpdateStrategy: ModelClass<V1StatefulSetUpdateStrategy> = Model;
/** The model of `status Status`. */
export type V1Status = ModelOf<status.Status>;
export const V1Status: ModelClass<V1Status> = Model;
/** The model of `status StatusCause`. */
export type V1StatusCause = ModelOf<status.StatusCause>;
export const V1StatusCause: ModelClass<V1StatusCause> = Model;
/** The model of `status StatusDetails`. */
export type V1StatusDetails = ModelOf<status.StatusDetails>;
export const V1StatusDetails: ModelClass<V1StatusDetails> = Model;
/** The model of `storageV1 StorageClass`. */
export type V1StorageClass = ModelOf<storageV1.StorageClass>;
export const V1StorageClass: ModelClass<V1StorageClass> = Model;
/** The model of `storageV1 StorageClassList`. */
export type V1StorageClassList = ModelOf<storageV1.StorageClassList>;
export const V1StorageClassList: ModelClass<V1StorageClassList> = Model;
/** The model of `coreV1 StorageOSPersistentVolumeSource`. */
export type V1StorageOSPersistentVolumeSource = ModelOf<coreV1.StorageOSPersistentVolumeSource>;
export const V1StorageOSPersistentVolumeSource: ModelClass<V1StorageOSPersistentVolumeSource> = Model;
/** The model of `coreV1 StorageOSVolumeSource`. */
export type V1StorageOSVolumeSource = ModelOf<coreV1.StorageOSVolumeSource>;
export const V1StorageOSVolumeSource: ModelClass<V1StorageOSVolumeSource> = Model;
/** The model of `authorizationV1 SubjectAccessReview`. */
export type V1SubjectAccessReview = ModelOf<authorizationV1.SubjectAccessReview>;
export const V1SubjectAccessReview: ModelClass<V1SubjectAccessReview> = Model;
/** The model of `authorizationV1 SubjectAccessReviewSpec`. */
export type V1SubjectAccessReviewSpec = ModelOf<authorizationV1.SubjectAccessReviewSpec>;
export const V1SubjectAccessReviewSpec: ModelClass<V1SubjectAccessReviewSpec> = Model;
/** The model of `authorizationV1 SubjectAccessReviewStatus`. */
export type V1SubjectAccessReviewStatus = ModelOf<authorizationV1.SubjectAccessReviewStatus>;
export const V1SubjectAccessReviewStatus: ModelClass<V1SubjectAccessReviewStatus> = Model;
/** The model of `authorizationV1 SubjectRulesReviewStatus`. */
export type V1SubjectRulesReviewStatus = ModelOf<authorizationV1.SubjectRulesReviewStatus>;
export const V1SubjectRulesReviewStatus: ModelClass<V1SubjectRulesReviewStatus> = Model;
/** The model of `batchV1 SuccessPolicy`. */
export type V1SuccessPolicy = ModelOf<batchV1.SuccessPolicy>;
export const V1SuccessPolicy: ModelClass<V1SuccessPolicy> = Model;
/** The model of `batchV1 SuccessPolicyRule`. */
export type V1SuccessPolicyRule = ModelOf<batchV1.SuccessPolicyRule>;
export const V1SuccessPolicyRule: ModelClass<V1SuccessPolicyRule> = Model;
/** The model of `coreV1 Sysctl`. */
export type V1Sysctl = ModelOf<coreV1.Sysctl>;
export const V1Sysctl: ModelClass<V1Sysctl> = Model;
/** The model of `coreV1 TCPSocketAction`. */
export type V1TCPSocketAction = ModelOf<coreV1.TCPSocketAction>;
export const V1TCPSocketAction: ModelClass<V1TCPSocketAction> = Model;
/** The model of `coreV1 Taint`. */
export type V1Taint = ModelOf<coreV1.Taint>;
export const V1Taint: ModelClass<V1Taint> = Model;
/** The model of `authenticationV1 TokenRequestSpec`. */
export type V1TokenRequestSpec = ModelOf<authenticationV1.TokenRequestSpec>;
export const V1TokenRequestSpec: ModelClass<V1TokenRequestSpec> = Model;
/** The model of `authenticationV1 TokenRequestStatus`. */
export type V1TokenRequestStatus = ModelOf<authenticationV1.TokenRequestStatus>;
export const V1TokenRequestStatus: ModelClass<V1TokenRequestStatus> = Model;
/** The model of `authenticationV1 TokenReview`. */
export type V1TokenReview = ModelOf<authenticationV1.TokenReview>;
export const V1TokenReview: ModelClass<V1TokenReview> = Model;
/** The model of `authenticationV1 TokenReviewSpec`. */
export type V1TokenReviewSpec = ModelOf<authenticationV1.TokenReviewSpec>;
export const V1TokenReviewSpec: ModelClass<V1TokenReviewSpec> = Model;
/** The model of `authenticationV1 TokenReviewStatus`. */
export type V1TokenReviewStatus = ModelOf<authenticationV1.TokenReviewStatus>;
export const V1TokenReviewStatus: ModelClass<V1TokenReviewStatus> = Model;
/** The model of `coreV1 Toleration`. */
export type V1Toleration = ModelOf<coreV1.Toleration>;
export const V1Toleration: ModelClass<V1Toleration> = Model;
/** The model of `coreV1 TopologySelectorLabelRequirement`. */
export type V1TopologySelectorLabelRequirement = ModelOf<coreV1.TopologySelectorLabelRequirement>;
export const V1TopologySelectorLabelRequirement: ModelClass<V1TopologySelectorLabelRequirement> = Model;
/** The model of `coreV1 TopologySelectorTerm`. */
export type V1TopologySelectorTerm = ModelOf<coreV1.TopologySelectorTerm>;
export const V1TopologySelectorTerm: ModelClass<V1TopologySelectorTerm> = Model;
/** The model of `coreV1 TopologySpreadConstraint`. */
export type V1TopologySpreadConstraint = ModelOf<coreV1.TopologySpreadConstraint>;
export const V1TopologySpreadConstraint: ModelClass<V1TopologySpreadConstraint> = Model;
/** The model of `admissionregistrationV1 TypeChecking`. */
export type V1TypeChecking = ModelOf<admissionregistrationV1.TypeChecking>;
export const V1TypeChecking: ModelClass<V1TypeChecking> = Model;
/** The model of `coreV1 TypedLocalObjectReference`. */
export type V1TypedLocalObjectReference = ModelOf<coreV1.TypedLocalObjectReference>;
export const V1TypedLocalObjectReference: ModelClass<V1TypedLocalObjectReference> = Model;
/** The model of `coreV1 TypedObjectReference`. */
export type V1TypedObjectReference = ModelOf<coreV1.TypedObjectReference>;
export const V1TypedObjectReference: ModelClass<V1TypedObjectReference> = Model;
/** The model of `batchV1 UncountedTerminatedPods`. */
export type V1UncountedTerminatedPods = ModelOf<batchV1.UncountedTerminatedPods>;
export const V1UncountedTerminatedPods: ModelClass<V1UncountedTerminatedPods> = Model;
/** The model of `authenticationV1 UserInfo`. */
export type V1UserInfo = ModelOf<authenticationV1.UserInfo>;
export const V1UserInfo: ModelClass<V1UserInfo> = Model;
/** The model of `flowcontrolV1 UserSubject`. */
export type V1UserSubject = ModelOf<flowcontrolV1.UserSubject>;
export const V1UserSubject: ModelClass<V1UserSubject> = Model;
/** The model of `admissionregistrationV1 ValidatingAdmissionPolicy`. */
export type V1ValidatingAdmissionPolicy = ModelOf<admissionregistrationV1.ValidatingAdmissionPolicy>;
export const V1ValidatingAdmissionPolicy: ModelClass<V1ValidatingAdmissionPolicy> = Model;
/** The model of `admissionregistrationV1 ValidatingAdmissionPolicyBinding`. */
export type V1ValidatingAdmissionPolicyBinding = ModelOf<admissionregistrationV1.ValidatingAdmissionPolicyBinding>;
export const V1ValidatingAdmissionPolicyBinding: ModelClass<V1ValidatingAdmissionPolicyBinding> = Model;
/** The model of `admissionregistrationV1 ValidatingAdmissionPolicyBindingList`. */
export type V1ValidatingAdmissionPolicyBindingList = ModelOf<admissionregistrationV1.ValidatingAdmissionPolicyBindingList>;
export const V1ValidatingAdmissionPolicyBindingList: ModelClass<V1ValidatingAdmissionPolicyBindingList> = Model;
/** The model of `admissionregistrationV1 ValidatingAdmissionPolicyBindingSpec`. */
export type V1ValidatingAdmissionPolicyBindingSpec = ModelOf<admissionregistrationV1.ValidatingAdmissionPolicyBindingSpec>;
export const V1ValidatingAdmissionPolicyBindingSpec: ModelClass<V1ValidatingAdmissionPolicyBindingSpec> = Model;
/** The model of `admissionregistrationV1 ValidatingAdmissionPolicyList`. */
export type V1ValidatingAdmissionPolicyList = ModelOf<admissionregistrationV1.ValidatingAdmissionPolicyList>;
export const V1ValidatingAdmissionPolicyList: ModelClass<V1ValidatingAdmissionPolicyList> = Model;
/** The model of `admissionregistrationV1 ValidatingAdmissionPolicySpec`. */
export type V1ValidatingAdmissionPolicySpec = ModelOf<admissionregistrationV1.ValidatingAdmissionPolicySpec>;
export const V1ValidatingAdmissionPolicySpec: ModelClass<V1ValidatingAdmissionPolicySpec> = Model;
/** The model of `admissionregistrationV1 ValidatingAdmissionPolicyStatus`. */
export type V1ValidatingAdmissionPolicyStatus = ModelOf<admissionregistrationV1.ValidatingAdmissionPolicyStatus>;
export const V1ValidatingAdmissionPolicyStatus: ModelClass<V1ValidatingAdmissionPolicyStatus> = Model;
/** The model of `admissionregistrationV1 ValidatingWebhook`. */
export type V1ValidatingWebhook = ModelOf<admissionregistrationV1.ValidatingWebhook>;
export const V1ValidatingWebhook: ModelClass<V1ValidatingWebhook> = Model;
/** The model of `admissionregistrationV1 ValidatingWebhookConfiguration`. */
export type V1ValidatingWebhookConfiguration = ModelOf<admissionregistrationV1.ValidatingWebhookConfiguration>;
export const V1ValidatingWebhookConfiguration: ModelClass<V1ValidatingWebhookConfiguration> = Model;
/** The model of `admissionregistrationV1 ValidatingWebhookConfigurationList`. */
export type V1ValidatingWebhookConfigurationList = ModelOf<admissionregistrationV1.ValidatingWebhookConfigurationList>;
export const V1ValidatingWebhookConfigurationList: ModelClass<V1ValidatingWebhookConfigurationList> = Model;
/** The model of `admissionregistrationV1 Validation`. */
export type V1Validation = ModelOf<admissionregistrationV1.Validation>;
export const V1Validation: ModelClass<V1Validation> = Model;
/** The model of `apiextensionsV1 ValidationRule`. */
export type V1ValidationRule = ModelOf<apiextensionsV1.ValidationRule>;
export const V1ValidationRule: ModelClass<V1ValidationRule> = Model;
/** The model of `admissionregistrationV1 Variable`. */
export type V1Variable = ModelOf<admissionregistrationV1.Variable>;
export const V1Variable: ModelClass<V1Variable> = Model;
/** The model of `coreV1 Volume`. */
export type V1Volume = ModelOf<coreV1.Volume>;
export const V1Volume: ModelClass<V1Volume> = Model;
/** The model of `storageV1 VolumeAttachment`. */
export type V1VolumeAttachment = ModelOf<storageV1.VolumeAttachment>;
export const V1VolumeAttachment: ModelClass<V1VolumeAttachment> = Model;
/** The model of `storageV1 VolumeAttachmentList`. */
export type V1VolumeAttachmentList = ModelOf<storageV1.VolumeAttachmentList>;
export const V1VolumeAttachmentList: ModelClass<V1VolumeAttachmentList> = Model;
/** The model of `storageV1 VolumeAttachmentSource`. */
export type V1VolumeAttachmentSource = ModelOf<storageV1.VolumeAttachmentSource>;
export const V1VolumeAttachmentSource: ModelClass<V1VolumeAttachmentSource> = Model;
/** The model of `storageV1 VolumeAttachmentSpec`. */
export type V1VolumeAttachmentSpec = ModelOf<storageV1.VolumeAttachmentSpec>;
export const V1VolumeAttachmentSpec: ModelClass<V1VolumeAttachmentSpec> = Model;
/** The model of `storageV1 VolumeAttachmentStatus`. */
export type V1VolumeAttachmentStatus = ModelOf<storageV1.VolumeAttachmentStatus>;
export const V1VolumeAttachmentStatus: ModelClass<V1VolumeAttachmentStatus> = Model;
/** The model of `storageV1 VolumeAttributesClass`. */
export type V1VolumeAttributesClass = ModelOf<storageV1.VolumeAttributesClass>;
export const V1VolumeAttributesClass: ModelClass<V1VolumeAttributesClass> = Model;
/** The model of `storageV1 VolumeAttributesClassList`. */
export type V1VolumeAttributesClassList = ModelOf<storageV1.VolumeAttributesClassList>;
export const V1VolumeAttributesClassList: ModelClass<V1VolumeAttributesClassList> = Model;
/** The model of `coreV1 VolumeDevice`. */
export type V1VolumeDevice = ModelOf<coreV1.VolumeDevice>;
export const V1VolumeDevice: ModelClass<V1VolumeDevice> = Model;
/** The model of `storageV1 VolumeError`. */
export type V1VolumeError = ModelOf<storageV1.VolumeError>;
export const V1VolumeError: ModelClass<V1VolumeError> = Model;
/** The model of `coreV1 VolumeMount`. */
export type V1VolumeMount = ModelOf<coreV1.VolumeMount>;
export const V1VolumeMount: ModelClass<V1VolumeMount> = Model;
/** The model of `coreV1 VolumeMountStatus`. */
export type V1VolumeMountStatus = ModelOf<coreV1.VolumeMountStatus>;
export const V1VolumeMountStatus: ModelClass<V1VolumeMountStatus> = Model;
/** The model of `coreV1 VolumeNodeAffinity`. */
export type V1VolumeNodeAffinity = ModelOf<coreV1.VolumeNodeAffinity>;
export const V1VolumeNodeAffinity: ModelClass<V1VolumeNodeAffinity> = Model;
/** The model of `storageV1 VolumeNodeResources`. */
export type V1VolumeNodeResources = ModelOf<storageV1.VolumeNodeResources>;
export const V1VolumeNodeResources: ModelClass<V1VolumeNodeResources> = Model;
/** The model of `coreV1 VolumeProjection`. */
export type V1VolumeProjection = ModelOf<coreV1.VolumeProjection>;
export const V1VolumeProjection: ModelClass<V1VolumeProjection> = Model;
/** The model of `coreV1 VolumeResourceRequirements`. */
export type V1VolumeResourceRequirements = ModelOf<coreV1.VolumeResourceRequirements>;
export const V1VolumeResourceRequirements: ModelClass<V1VolumeResourceRequirements> = Model;
/** The model of `coreV1 VolumeStatus`. */
export type V1VolumeStatus = ModelOf<coreV1.VolumeStatus>;
export const V1VolumeStatus: ModelClass<V1VolumeStatus> = Model;
/** The model of `coreV1 VsphereVirtualDiskVolumeSource`. */
export type V1VsphereVirtualDiskVolumeSource = ModelOf<coreV1.VsphereVirtualDiskVolumeSource>;
export const V1VsphereVirtualDiskVolumeSource: ModelClass<V1VsphereVirtualDiskVolumeSource> = Model;
/** The model of `apiextensionsV1 WebhookConversion`. */
export type V1WebhookConversion = ModelOf<apiextensionsV1.WebhookConversion>;
export const V1WebhookConversion: ModelClass<V1WebhookConversion> = Model;
/** The model of `coreV1 WeightedPodAffinityTerm`. */
export type V1WeightedPodAffinityTerm = ModelOf<coreV1.WeightedPodAffinityTerm>;
export const V1WeightedPodAffinityTerm: ModelClass<V1WeightedPodAffinityTerm> = Model;
/** The model of `coreV1 WindowsSecurityContextOptions`. */
export type V1WindowsSecurityContextOptions = ModelOf<coreV1.WindowsSecurityContextOptions>;
export const V1WindowsSecurityContextOptions: ModelClass<V1WindowsSecurityContextOptions> = Model;
/** The model of `autoscalingV2 ContainerResourceMetricSource`. */
export type V2ContainerResourceMetricSource = ModelOf<autoscalingV2.ContainerResourceMetricSource>;
export const V2ContainerResourceMetricSource: ModelClass<V2ContainerResourceMetricSource> = Model;
/** The model of `autoscalingV2 ContainerResourceMetricStatus`. */
export type V2ContainerResourceMetricStatus = ModelOf<autoscalingV2.ContainerResourceMetricStatus>;
export const V2ContainerResourceMetricStatus: ModelClass<V2ContainerResourceMetricStatus> = Model;
/** The model of `autoscalingV2 CrossVersionObjectReference`. */
export type V2CrossVersionObjectReference = ModelOf<autoscalingV2.CrossVersionObjectReference>;
export const V2CrossVersionObjectReference: ModelClass<V2CrossVersionObjectReference> = Model;
/** The model of `autoscalingV2 ExternalMetricSource`. */
export type V2ExternalMetricSource = ModelOf<autoscalingV2.ExternalMetricSource>;
export const V2ExternalMetricSource: ModelClass<V2ExternalMetricSource> = Model;
/** The model of `autoscalingV2 ExternalMetricStatus`. */
export type V2ExternalMetricStatus = ModelOf<autoscalingV2.ExternalMetricStatus>;
export const V2ExternalMetricStatus: ModelClass<V2ExternalMetricStatus> = Model;
/** The model of `autoscalingV2 HPAScalingPolicy`. */
export type V2HPAScalingPolicy = ModelOf<autoscalingV2.HPAScalingPolicy>;
export const V2HPAScalingPolicy: ModelClass<V2HPAScalingPolicy> = Model;
/** The model of `autoscalingV2 HPAScalingRules`. */
export type V2HPAScalingRules = ModelOf<autoscalingV2.HPAScalingRules>;
export const V2HPAScalingRules: ModelClass<V2HPAScalingRules> = Model;
/** The model of `autoscalingV2 HorizontalPodAutoscaler`. */
export type V2HorizontalPodAutoscaler = ModelOf<autoscalingV2.HorizontalPodAutoscaler>;
export const V2HorizontalPodAutoscaler: ModelClass<V2HorizontalPodAutoscaler> = Model;
/** The model of `autoscalingV2 HorizontalPodAutoscalerBehavior`. */
export type V2HorizontalPodAutoscalerBehavior = ModelOf<autoscalingV2.HorizontalPodAutoscalerBehavior>;
export const V2HorizontalPodAutoscalerBehavior: ModelClass<V2HorizontalPodAutoscalerBehavior> = Model;
/** The model of `autoscalingV2 HorizontalPodAutoscalerCondition`. */
export type V2HorizontalPodAutoscalerCondition = ModelOf<autoscalingV2.HorizontalPodAutoscalerCondition>;
export const V2HorizontalPodAutoscalerCondition: ModelClass<V2HorizontalPodAutoscalerCondition> = Model;
/** The model of `autoscalingV2 HorizontalPodAutoscalerList`. */
export type V2HorizontalPodAutoscalerList = ModelOf<autoscalingV2.HorizontalPodAutoscalerList>;
export const V2HorizontalPodAutoscalerList: ModelClass<V2HorizontalPodAutoscalerList> = Model;
/** The model of `autoscalingV2 HorizontalPodAutoscalerSpec`. */
export type V2HorizontalPodAutoscalerSpec = ModelOf<autoscalingV2.HorizontalPodAutoscalerSpec>;
export const V2HorizontalPodAutoscalerSpec: ModelClass<V2HorizontalPodAutoscalerSpec> = Model;
/** The model of `autoscalingV2 HorizontalPodAutoscalerStatus`. */
export type V2HorizontalPodAutoscalerStatus = ModelOf<autoscalingV2.HorizontalPodAutoscalerStatus>;
export const V2HorizontalPodAutoscalerStatus: ModelClass<V2HorizontalPodAutoscalerStatus> = Model;
/** The model of `autoscalingV2 MetricIdentifier`. */
export type V2MetricIdentifier = ModelOf<autoscalingV2.MetricIdentifier>;
export const V2MetricIdentifier: ModelClass<V2MetricIdentifier> = Model;
/** The model of `autoscalingV2 MetricSpec`. */
export type V2MetricSpec = ModelOf<autoscalingV2.MetricSpec>;
export const V2MetricSpec: ModelClass<V2MetricSpec> = Model;
/** The model of `autoscalingV2 MetricStatus`. */
export type V2MetricStatus = ModelOf<autoscalingV2.MetricStatus>;
export const V2MetricStatus: ModelClass<V2MetricStatus> = Model;
/** The model of `autoscalingV2 MetricTarget`. */
export type V2MetricTarget = ModelOf<autoscalingV2.MetricTarget>;
export const V2MetricTarget: ModelClass<V2MetricTarget> = Model;
/** The model of `autoscalingV2 MetricValueStatus`. */
export type V2MetricValueStatus = ModelOf<autoscalingV2.MetricValueStatus>;
export const V2MetricValueStatus: ModelClass<V2MetricValueStatus> = Model;
/** The model of `autoscalingV2 ObjectMetricSource`. */
export type V2ObjectMetricSource = ModelOf<autoscalingV2.ObjectMetricSource>;
export const V2ObjectMetricSource: ModelClass<V2ObjectMetricSource> = Model;
/** The model of `autoscalingV2 ObjectMetricStatus`. */
export type V2ObjectMetricStatus = ModelOf<autoscalingV2.ObjectMetricStatus>;
export const V2ObjectMetricStatus: ModelClass<V2ObjectMetricStatus> = Model;
/** The model of `autoscalingV2 PodsMetricSource`. */
export type V2PodsMetricSource = ModelOf<autoscalingV2.PodsMetricSource>;
export const V2PodsMetricSource: ModelClass<V2PodsMetricSource> = Model;
/** The model of `autoscalingV2 PodsMetricStatus`. */
export type V2PodsMetricStatus = ModelOf<autoscalingV2.PodsMetricStatus>;
export const V2PodsMetricStatus: ModelClass<V2PodsMetricStatus> = Model;
/** The model of `autoscalingV2 ResourceMetricSource`. */
export type V2ResourceMetricSource = ModelOf<autoscalingV2.ResourceMetricSource>;
export const V2ResourceMetricSource: ModelClass<V2ResourceMetricSource> = Model;
/** The model of `autoscalingV2 ResourceMetricStatus`. */
export type V2ResourceMetricStatus = ModelOf<autoscalingV2.ResourceMetricStatus>;
export const V2ResourceMetricStatus: ModelClass<V2ResourceMetricStatus> = Model;
