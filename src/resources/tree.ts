// Generated from Kubernetes v1.36.3 by `npm run generate`; do not edit.
// The built-in resources as types: group, version, resource.
import type { ResourceEntry } from './builtin-resource.js';
import type * as admissionregistrationV1 from './types/admissionregistration-v1.js';
import type * as apiextensionsV1 from './types/apiextensions-v1.js';
import type * as apiregistrationV1 from './types/apiregistration-v1.js';
import type * as appsV1 from './types/apps-v1.js';
import type * as authenticationV1 from './types/authentication-v1.js';
import type * as authorizationV1 from './types/authorization-v1.js';
import type * as autoscalingV1 from './types/autoscaling-v1.js';
import type * as autoscalingV2 from './types/autoscaling-v2.js';
import type * as batchV1 from './types/batch-v1.js';
import type * as certificatesV1 from './types/certificates-v1.js';
import type * as coordinationV1 from './types/coordination-v1.js';
import type * as coreV1 from './types/core-v1.js';
import type * as discoveryV1 from './types/discovery-v1.js';
import type * as eventsV1 from './types/events-v1.js';
import type * as flowcontrolV1 from './types/flowcontrol-v1.js';
import type * as networkingV1 from './types/networking-v1.js';
import type * as nodeV1 from './types/node-v1.js';
import type * as policyV1 from './types/policy-v1.js';
import type * as rbacV1 from './types/rbac-v1.js';
import type * as resourceV1 from './types/resource-v1.js';
import type * as schedulingV1 from './types/scheduling-v1.js';
import type * as storageV1 from './types/storage-v1.js';

/** The types of typed clients and factories are derived from this: `BuiltinResources['apps']['v1']['deployments']`. */
export interface BuiltinResources {
  readonly core: {
    readonly v1: {
      readonly bindings: ResourceEntry<coreV1.Binding, 'namespaced', 'requests'>;
      readonly componentStatuses: ResourceEntry<coreV1.ComponentStatus, 'cluster', 'requests'>;
      readonly configMaps: ResourceEntry<coreV1.ConfigMap, 'namespaced'>;
      readonly endpoints: ResourceEntry<coreV1.Endpoints, 'namespaced'>;
      readonly events: ResourceEntry<coreV1.Event, 'namespaced'>;
      readonly limitRanges: ResourceEntry<coreV1.LimitRange, 'namespaced'>;
      readonly namespaces: ResourceEntry<coreV1.Namespace, 'cluster'>;
      readonly nodes: ResourceEntry<coreV1.Node, 'cluster'>;
      readonly persistentVolumeClaims: ResourceEntry<coreV1.PersistentVolumeClaim, 'namespaced'>;
      readonly persistentVolumes: ResourceEntry<coreV1.PersistentVolume, 'cluster'>;
      readonly podTemplates: ResourceEntry<coreV1.PodTemplate, 'namespaced'>;
      readonly pods: ResourceEntry<coreV1.Pod, 'namespaced'>;
      readonly replicationControllers: ResourceEntry<coreV1.ReplicationController, 'namespaced'>;
      readonly resourceQuotas: ResourceEntry<coreV1.ResourceQuota, 'namespaced'>;
      readonly secrets: ResourceEntry<coreV1.Secret, 'namespaced'>;
      readonly serviceAccounts: ResourceEntry<coreV1.ServiceAccount, 'namespaced'>;
      readonly services: ResourceEntry<coreV1.Service, 'namespaced'>;
    };
  };
  readonly apiregistration: {
    readonly v1: {
      readonly apiServices: ResourceEntry<apiregistrationV1.APIService, 'cluster'>;
    };
  };
  readonly apps: {
    readonly v1: {
      readonly controllerRevisions: ResourceEntry<appsV1.ControllerRevision, 'namespaced'>;
      readonly daemonSets: ResourceEntry<appsV1.DaemonSet, 'namespaced'>;
      readonly deployments: ResourceEntry<appsV1.Deployment, 'namespaced'>;
      readonly replicaSets: ResourceEntry<appsV1.ReplicaSet, 'namespaced'>;
      readonly statefulSets: ResourceEntry<appsV1.StatefulSet, 'namespaced'>;
    };
  };
  readonly events: {
    readonly v1: {
      readonly events: ResourceEntry<eventsV1.Event, 'namespaced'>;
    };
  };
  readonly authentication: {
    readonly v1: {
      readonly selfSubjectReviews: ResourceEntry<authenticationV1.SelfSubjectReview, 'cluster', 'requests'>;
      readonly tokenReviews: ResourceEntry<authenticationV1.TokenReview, 'cluster', 'requests'>;
    };
  };
  readonly authorization: {
    readonly v1: {
      readonly localSubjectAccessReviews: ResourceEntry<authorizationV1.LocalSubjectAccessReview, 'namespaced', 'requests'>;
      readonly selfSubjectAccessReviews: ResourceEntry<authorizationV1.SelfSubjectAccessReview, 'cluster', 'requests'>;
      readonly selfSubjectRulesReviews: ResourceEntry<authorizationV1.SelfSubjectRulesReview, 'cluster', 'requests'>;
      readonly subjectAccessReviews: ResourceEntry<authorizationV1.SubjectAccessReview, 'cluster', 'requests'>;
    };
  };
  readonly autoscaling: {
    readonly v2: {
      readonly horizontalPodAutoscalers: ResourceEntry<autoscalingV2.HorizontalPodAutoscaler, 'namespaced'>;
    };
    readonly v1: {
      readonly horizontalPodAutoscalers: ResourceEntry<autoscalingV1.HorizontalPodAutoscaler, 'namespaced'>;
    };
  };
  readonly batch: {
    readonly v1: {
      readonly cronJobs: ResourceEntry<batchV1.CronJob, 'namespaced'>;
      readonly jobs: ResourceEntry<batchV1.Job, 'namespaced'>;
    };
  };
  readonly certificates: {
    readonly v1: {
      readonly certificateSigningRequests: ResourceEntry<certificatesV1.CertificateSigningRequest, 'cluster'>;
    };
  };
  readonly networking: {
    readonly v1: {
      readonly ingressClasses: ResourceEntry<networkingV1.IngressClass, 'cluster'>;
      readonly ingresses: ResourceEntry<networkingV1.Ingress, 'namespaced'>;
      readonly ipAddresses: ResourceEntry<networkingV1.IPAddress, 'cluster'>;
      readonly networkPolicies: ResourceEntry<networkingV1.NetworkPolicy, 'namespaced'>;
      readonly serviceCIDRs: ResourceEntry<networkingV1.ServiceCIDR, 'cluster'>;
    };
  };
  readonly policy: {
    readonly v1: {
      readonly podDisruptionBudgets: ResourceEntry<policyV1.PodDisruptionBudget, 'namespaced'>;
    };
  };
  readonly rbac: {
    readonly v1: {
      readonly clusterRoleBindings: ResourceEntry<rbacV1.ClusterRoleBinding, 'cluster'>;
      readonly clusterRoles: ResourceEntry<rbacV1.ClusterRole, 'cluster'>;
      readonly roleBindings: ResourceEntry<rbacV1.RoleBinding, 'namespaced'>;
      readonly roles: ResourceEntry<rbacV1.Role, 'namespaced'>;
    };
  };
  readonly storage: {
    readonly v1: {
      readonly csiDrivers: ResourceEntry<storageV1.CSIDriver, 'cluster'>;
      readonly csiNodes: ResourceEntry<storageV1.CSINode, 'cluster'>;
      readonly csiStorageCapacities: ResourceEntry<storageV1.CSIStorageCapacity, 'namespaced'>;
      readonly storageClasses: ResourceEntry<storageV1.StorageClass, 'cluster'>;
      readonly volumeAttachments: ResourceEntry<storageV1.VolumeAttachment, 'cluster'>;
      readonly volumeAttributesClasses: ResourceEntry<storageV1.VolumeAttributesClass, 'cluster'>;
    };
  };
  readonly admissionregistration: {
    readonly v1: {
      readonly mutatingAdmissionPolicies: ResourceEntry<admissionregistrationV1.MutatingAdmissionPolicy, 'cluster'>;
      readonly mutatingAdmissionPolicyBindings: ResourceEntry<admissionregistrationV1.MutatingAdmissionPolicyBinding, 'cluster'>;
      readonly mutatingWebhookConfigurations: ResourceEntry<admissionregistrationV1.MutatingWebhookConfiguration, 'cluster'>;
      readonly validatingAdmissionPolicies: ResourceEntry<admissionregistrationV1.ValidatingAdmissionPolicy, 'cluster'>;
      readonly validatingAdmissionPolicyBindings: ResourceEntry<admissionregistrationV1.ValidatingAdmissionPolicyBinding, 'cluster'>;
      readonly validatingWebhookConfigurations: ResourceEntry<admissionregistrationV1.ValidatingWebhookConfiguration, 'cluster'>;
    };
  };
  readonly apiextensions: {
    readonly v1: {
      readonly customResourceDefinitions: ResourceEntry<apiextensionsV1.CustomResourceDefinition, 'cluster'>;
    };
  };
  readonly scheduling: {
    readonly v1: {
      readonly priorityClasses: ResourceEntry<schedulingV1.PriorityClass, 'cluster'>;
    };
  };
  readonly coordination: {
    readonly v1: {
      readonly leases: ResourceEntry<coordinationV1.Lease, 'namespaced'>;
    };
  };
  readonly node: {
    readonly v1: {
      readonly runtimeClasses: ResourceEntry<nodeV1.RuntimeClass, 'cluster'>;
    };
  };
  readonly discovery: {
    readonly v1: {
      readonly endpointSlices: ResourceEntry<discoveryV1.EndpointSlice, 'namespaced'>;
    };
  };
  readonly resource: {
    readonly v1: {
      readonly deviceClasses: ResourceEntry<resourceV1.DeviceClass, 'cluster'>;
      readonly resourceClaimTemplates: ResourceEntry<resourceV1.ResourceClaimTemplate, 'namespaced'>;
      readonly resourceClaims: ResourceEntry<resourceV1.ResourceClaim, 'namespaced'>;
      readonly resourceSlices: ResourceEntry<resourceV1.ResourceSlice, 'cluster'>;
    };
  };
  readonly flowcontrol: {
    readonly v1: {
      readonly flowSchemas: ResourceEntry<flowcontrolV1.FlowSchema, 'cluster'>;
      readonly priorityLevelConfigurations: ResourceEntry<flowcontrolV1.PriorityLevelConfiguration, 'cluster'>;
    };
  };
}
