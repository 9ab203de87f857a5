import { definitions } from './custom/definition/definition-strategy.js';
import { apiServices } from './kinds/cluster/api-service.js';
import { configMaps } from './kinds/cluster/config-map.js';
import { events, newerEvents } from './kinds/cluster/event.js';
import { flowSchemas, priorityLevelConfigurations } from './kinds/cluster/flow-control.js';
import { leases } from './kinds/cluster/lease.js';
import { limitRanges } from './kinds/cluster/limit-range.js';
import { namespaces } from './kinds/cluster/namespace.js';
import { nodes } from './kinds/cluster/node.js';
import { priorityClasses } from './kinds/cluster/priority-class.js';
import { bindingStrategy, roleStrategy } from './kinds/cluster/rbac.js';
import { resourceQuotas } from './kinds/cluster/resource-quota.js';
import { runtimeClasses } from './kinds/cluster/runtime-class.js';
import { secrets } from './kinds/cluster/secret.js';
import { validatingPolicies, validatingPolicyBindings } from './kinds/admission/validating-policy.js';
import { webhookConfigurations } from './kinds/admission/webhook-configuration.js';
import { endpointSlices } from './kinds/network/endpoint-slice.js';
import { endpoints } from './kinds/network/endpoints.js';
import { ingresses } from './kinds/network/ingress.js';
import { ingressClasses } from './kinds/network/ingress-class.js';
import { networkPolicies } from './kinds/network/network-policy.js';
import { services } from './kinds/network/service.js';
import { pods } from './kinds/pods/pod.js';
import { podTemplates } from './kinds/pods/pod-template.js';
import { csiDrivers } from './kinds/storage/csi-driver.js';
import { persistentVolumes } from './kinds/storage/persistent-volume.js';
import { persistentVolumeClaims } from './kinds/storage/persistent-volume-claim.js';
import { storageClasses } from './kinds/storage/storage-class.js';
import { controllerRevisions } from './kinds/workloads/controller-revision.js';
import { cronJobs } from './kinds/workloads/cron-job.js';
import { daemonSets } from './kinds/workloads/daemon-set.js';
import { deployments } from './kinds/workloads/deployment.js';
import { autoscalers, olderAutoscalers } from './kinds/workloads/horizontal-pod-autoscaler.js';
import { jobs } from './kinds/workloads/job.js';
import { podDisruptionBudgets } from './kinds/workloads/pod-disruption-budget.js';
import { replicaSets } from './kinds/workloads/replica-set.js';
import { replicationControllers } from './kinds/workloads/replication-controller.js';
import { statefulSets } from './kinds/workloads/stateful-set.js';
import { defaultStrategy, fields, notSupported, type Strategy } from './strategy.js';

/** The resources whose strategy is not the default one: a file of `kinds/` each, unless a line says it all. */
const strategies: Readonly<Record<string, Partial<Strategy>>> = {
  componentstatuses: { deprecation: 'v1 ComponentStatus is deprecated in v1.19+' },
  configmaps: configMaps,
  endpoints,
  events,
  limitranges: limitRanges,
  namespaces,
  nodes,
  persistentvolumeclaims: persistentVolumeClaims,
  persistentvolumes: persistentVolumes,
  pods,
  podtemplates: podTemplates,
  replicationcontrollers: replicationControllers,
  resourcequotas: resourceQuotas,
  secrets,
  serviceaccounts: { returnsDeleted: true },
  services,

  'mutatingadmissionpolicies.admissionregistration.k8s.io': { generation: 'content', unconditionalUpdate: false },
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': { generation: 'content', unconditionalUpdate: false },
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': webhookConfigurations(true),
  'validatingadmissionpolicies.admissionregistration.k8s.io': validatingPolicies,
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': validatingPolicyBindings,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': webhookConfigurations(false),
  'customresourcedefinitions.apiextensions.k8s.io': definitions,
  'controllerrevisions.apps': controllerRevisions,
  'apiservices.apiregistration.k8s.io': apiServices,
  'daemonsets.apps': daemonSets,
  'deployments.apps': deployments,
  'replicasets.apps': replicaSets,
  'statefulsets.apps': statefulSets,
  'horizontalpodautoscalers.autoscaling': autoscalers,
  'cronjobs.batch': cronJobs,
  'jobs.batch': jobs,
  'certificatesigningrequests.certificates.k8s.io': { fields: fields('spec.signerName'), unknownField: notSupported },
  'leases.coordination.k8s.io': leases,
  'endpointslices.discovery.k8s.io': endpointSlices,
  'events.events.k8s.io': newerEvents,
  'flowschemas.flowcontrol.apiserver.k8s.io': flowSchemas,
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': priorityLevelConfigurations,
  'ingressclasses.networking.k8s.io': ingressClasses,
  'ingresses.networking.k8s.io': ingresses,
  'networkpolicies.networking.k8s.io': networkPolicies,
  'runtimeclasses.node.k8s.io': runtimeClasses,
  'poddisruptionbudgets.policy': podDisruptionBudgets,
  'clusterrolebindings.rbac.authorization.k8s.io': bindingStrategy(['ClusterRole']),
  'clusterroles.rbac.authorization.k8s.io': roleStrategy(false),
  'rolebindings.rbac.authorization.k8s.io': bindingStrategy(['Role', 'ClusterRole']),
  'roles.rbac.authorization.k8s.io': roleStrategy(true),
  'deviceclasses.resource.k8s.io': { generation: 'content', returnsDeleted: true },
  'resourceclaims.resource.k8s.io': { returnsDeleted: true },
  'resourceclaimtemplates.resource.k8s.io': { returnsDeleted: true },
  'resourceslices.resource.k8s.io': {
    generation: 'content',
    returnsDeleted: true,
    fields: fields('spec.nodeName', 'spec.driver'),
    unknownField: (field) => `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${field}`,
  },
  'priorityclasses.scheduling.k8s.io': priorityClasses,
  'csidrivers.storage.k8s.io': csiDrivers,
  'csinodes.storage.k8s.io': { returnsDeleted: true, unconditionalUpdate: false },
  'csistoragecapacities.storage.k8s.io': { unconditionalUpdate: false },
  'storageclasses.storage.k8s.io': storageClasses,
  'volumeattachments.storage.k8s.io': { returnsDeleted: true, unconditionalUpdate: false },
  'volumeattributesclasses.storage.k8s.io': { returnsDeleted: true },
};

/** The resources with a strategy of their own, as `deployments.apps`. @internal */
export const strategyKeys: readonly string[] = Object.keys(strategies);

/** The resources that differ by their version. */
const versioned: Readonly<Record<string, Partial<Strategy>>> = {
  'horizontalpodautoscalers.autoscaling/v1': olderAutoscalers,
};

/** The strategy of a built-in resource; without a version, that of its storage version. */
export function strategyOf(group: string, resource: string, version = ''): Strategy {
  const key = group === '' ? resource : `${resource}.${group}`;
  return { ...defaultStrategy, ...(versioned[`${key}/${version}`] ?? strategies[key]) };
}
