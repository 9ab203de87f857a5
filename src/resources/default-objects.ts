// Generated from Kubernetes v1.36.3 by `npm run generate`; do not edit.
// The objects of RBAC and the APIServices that kube-apiserver creates at its start.

/** A ClusterRole, or a Role if it has a namespace. */
export interface DefaultRole {
  readonly namespace?: string;
  readonly name: string;
  /** The role that this one adds its rules to: the label `rbac.authorization.k8s.io/aggregate-to-…`. */
  readonly addsTo?: string;
  /** Whether the role has the rules of all roles that add theirs to it. */
  readonly isAggregated?: boolean;
  /** `verbs|apiGroups|resources`, `verbs|apiGroups|resources|resourceNames` or `verbs|nonResourceURLs`; lists have commas. */
  readonly rules: readonly string[];
}

/** A ClusterRoleBinding, or a RoleBinding if it has a namespace. */
export interface DefaultBinding {
  readonly namespace?: string;
  readonly name: string;
  readonly role: string;
  /** `User|name`, `Group|name` or `ServiceAccount|name|namespace`. */
  readonly subjects: readonly string[];
}

/** The APIService of a built-in group and version. */
export interface DefaultApiService {
  readonly name: string;
  readonly groupPriorityMinimum: number;
  readonly versionPriority: number;
}

export const defaultRoles: readonly DefaultRole[] = [
  { name: 'admin', isAggregated: true, rules: [] },
  { name: 'cluster-admin', rules: ['*|*|*', '*|*'] },
  { name: 'edit', addsTo: 'admin', isAggregated: true, rules: [] },
  { name: 'system:aggregate-to-admin', addsTo: 'admin', rules: ['create|authorization.k8s.io|localsubjectaccessreviews', 'create,delete,deletecollection,get,list,patch,update,watch|rbac.authorization.k8s.io|rolebindings,roles'] },
  { name: 'system:aggregate-to-edit', addsTo: 'edit', rules: ['get,list,watch||pods/attach,pods/exec,pods/portforward,pods/proxy,secrets,services/proxy', 'impersonate||serviceaccounts', 'create,delete,deletecollection,patch,update||pods,pods/attach,pods/exec,pods/portforward,pods/proxy', 'create||pods/eviction', 'create,delete,deletecollection,patch,update||configmaps,persistentvolumeclaims,replicationcontrollers,replicationcontrollers/scale,secrets,serviceaccounts,services,services/proxy', 'create||serviceaccounts/token', 'create,delete,deletecollection,patch,update|,events.k8s.io|events', 'create,delete,deletecollection,patch,update|apps|daemonsets,deployments,deployments/rollback,deployments/scale,replicasets,replicasets/scale,statefulsets,statefulsets/scale', 'create,delete,deletecollection,patch,update|autoscaling|horizontalpodautoscalers', 'create,delete,deletecollection,patch,update|batch|cronjobs,jobs', 'create,delete,deletecollection,patch,update|extensions|daemonsets,deployments,deployments/rollback,deployments/scale,ingresses,networkpolicies,replicasets,replicasets/scale,replicationcontrollers/scale', 'create,delete,deletecollection,patch,update|policy|poddisruptionbudgets', 'create,delete,deletecollection,patch,update|networking.k8s.io|ingresses,networkpolicies', 'create,delete,deletecollection,get,list,patch,update,watch|coordination.k8s.io|leases', 'create,delete,deletecollection,patch,update|resource.k8s.io|resourceclaims,resourceclaimtemplates'] },
  { name: 'system:aggregate-to-view', addsTo: 'view', rules: ['get,list,watch||configmaps,endpoints,persistentvolumeclaims,persistentvolumeclaims/status,pods,replicationcontrollers,replicationcontrollers/scale,serviceaccounts,services,services/status', 'get,list,watch||bindings,limitranges,namespaces/status,pods/log,pods/status,replicationcontrollers/status,resourcequotas,resourcequotas/status', 'get,list,watch||namespaces', 'get,list,watch|,events.k8s.io|events', 'get,list,watch|discovery.k8s.io|endpointslices', 'get,list,watch|apps|controllerrevisions,daemonsets,daemonsets/status,deployments,deployments/scale,deployments/status,replicasets,replicasets/scale,replicasets/status,statefulsets,statefulsets/scale,statefulsets/status', 'get,list,watch|autoscaling|horizontalpodautoscalers,horizontalpodautoscalers/status', 'get,list,watch|batch|cronjobs,cronjobs/status,jobs,jobs/status', 'get,list,watch|extensions|daemonsets,daemonsets/status,deployments,deployments/scale,deployments/status,ingresses,ingresses/status,networkpolicies,replicasets,replicasets/scale,replicasets/status,replicationcontrollers/scale', 'get,list,watch|policy|poddisruptionbudgets,poddisruptionbudgets/status', 'get,list,watch|networking.k8s.io|ingresses,ingresses/status,networkpolicies', 'get,list,watch|resource.k8s.io|resourceclaims,resourceclaims/status,resourceclaimtemplates'] },
  { name: 'system:auth-delegator', rules: ['create|authentication.k8s.io|tokenreviews', 'create|authorization.k8s.io|subjectaccessreviews'] },
  { name: 'system:basic-user', rules: ['create|authorization.k8s.io|selfsubjectaccessreviews,selfsubjectrulesreviews', 'create|authentication.k8s.io|selfsubjectreviews'] },
  { name: 'system:certificates.k8s.io:certificatesigningrequests:nodeclient', rules: ['create|certificates.k8s.io|certificatesigningrequests/nodeclient'] },
  { name: 'system:certificates.k8s.io:certificatesigningrequests:selfnodeclient', rules: ['create|certificates.k8s.io|certificatesigningrequests/selfnodeclient'] },
  { name: 'system:certificates.k8s.io:kube-apiserver-client-approver', rules: ['approve|certificates.k8s.io|signers|kubernetes.io/kube-apiserver-client'] },
  { name: 'system:certificates.k8s.io:kube-apiserver-client-kubelet-approver', rules: ['approve|certificates.k8s.io|signers|kubernetes.io/kube-apiserver-client-kubelet'] },
  { name: 'system:certificates.k8s.io:kubelet-serving-approver', rules: ['approve|certificates.k8s.io|signers|kubernetes.io/kubelet-serving'] },
  { name: 'system:certificates.k8s.io:legacy-unknown-approver', rules: ['approve|certificates.k8s.io|signers|kubernetes.io/legacy-unknown'] },
  { name: 'system:controller:attachdetach-controller', rules: ['list,watch||persistentvolumeclaims,persistentvolumes', 'get,list,watch||nodes', 'patch,update||nodes/status', 'list,watch||pods', 'create,patch,update|,events.k8s.io|events', 'create,delete,get,list,watch|storage.k8s.io|volumeattachments', 'get,list,watch|storage.k8s.io|csidrivers', 'get,list,watch|storage.k8s.io|csinodes'] },
  { name: 'system:controller:certificate-controller', rules: ['delete,get,list,watch|certificates.k8s.io|certificatesigningrequests', 'update|certificates.k8s.io|certificatesigningrequests/approval,certificatesigningrequests/status', 'approve|certificates.k8s.io|signers|kubernetes.io/kube-apiserver-client-kubelet', 'sign|certificates.k8s.io|signers|kubernetes.io/kube-apiserver-client,kubernetes.io/kube-apiserver-client-kubelet,kubernetes.io/kubelet-serving,kubernetes.io/legacy-unknown', 'create|authorization.k8s.io|subjectaccessreviews', 'create,patch,update|,events.k8s.io|events'] },
  { name: 'system:controller:clusterrole-aggregation-controller', rules: ['escalate,get,list,patch,update,watch|rbac.authorization.k8s.io|clusterroles'] },
  { name: 'system:controller:cronjob-controller', rules: ['get,list,update,watch|batch|cronjobs', 'create,delete,get,list,patch,update,watch|batch|jobs', 'update|batch|cronjobs/status', 'update|batch|cronjobs/finalizers', 'delete,list,watch||pods', 'create,patch,update|,events.k8s.io|events'] },
  { name: 'system:controller:daemon-set-controller', rules: ['get,list,watch|apps,extensions|daemonsets', 'update|apps,extensions|daemonsets/status', 'update|apps,extensions|daemonsets/finalizers', 'list,watch||nodes', 'create,delete,list,patch,watch||pods', 'create||pods/binding', 'create,delete,get,list,patch,update,watch|apps|controllerrevisions', 'create,patch,update|,events.k8s.io|events'] },
  { name: 'system:controller:deployment-controller', rules: ['get,list,update,watch|apps,extensions|deployments', 'update|apps,extensions|deployments/status', 'update|apps,extensions|deployments/finalizers', 'create,delete,get,list,patch,update,watch|apps,extensions|replicasets', 'get,list,update,watch||pods', 'create,patch,update|,events.k8s.io|events'] },
  { name: 'system:controller:device-taint-eviction-controller', rules: ['delete,get,list,watch||pods', 'patch,update||pods/status', 'get,list,watch|resource.k8s.io|resourceclaims', 'get,list,watch|resource.k8s.io|resourceslices', 'get,list,watch|resource.k8s.io|deviceclasses', 'create,patch,update|,events.k8s.io|events'] },
  { name: 'system:controller:disruption-controller', rules: ['get,list,watch|apps,extensions|deployments', 'get,list,watch|apps,extensions|replicasets', 'get,list,watch||replicationcontrollers', 'get,list,watch|policy|poddisruptionbudgets', 'get,list,watch|apps|statefulsets', 'update|policy|poddisruptionbudgets/status', 'patch,update||pods/status', 'get|*|*/scale', 'create,patch,update|,events.k8s.io|events'] },
  { name: 'system:controller:endpoint-controller', rules: ['get,list,watch||pods,services', 'create,delete,get,list,update,watch||endpoints', 'create||endpoints/restricted', 'create,patch,update|,events.k8s.io|events'] },
  { name: 'system:controller:endpointslice-controller', rules: ['get,list,watch||nodes,pods,services', 'update||services/finalizers', 'create,delete,get,list,update,watch|discovery.k8s.io|endpointslices', 'create,patch,update|,events.k8s.io|events'] },
  { name: 'system:controller:endpointslicemirroring-controller', rules: ['get,list,watch||endpoints,services', 'update||services/finalizers', 'update||endpoints/finalizers', 'create,delete,get,list,update,watch|discovery.k8s.io|endpointslices', 'create,patch,update|,events.k8s.io|events'] },
  { name: 'system:controller:ephemeral-volume-controller', rules: ['get,list,watch||pods', 'update||pods/finalizers', 'create,get,list,watch||persistentvolumeclaims', 'create,patch,update|,events.k8s.io|events'] },
  { name: 'system:controller:expand-controller', rules: ['get,list,patch,update,watch||persistentvolumes', 'patch,update||persistentvolumeclaims/status', 'get,list,watch||persistentvolumeclaims', 'create,patch,update|,events.k8s.io|events'] },
  { name: 'system:controller:generic-garbage-collector', rules: ['delete,get,list,patch,update,watch|*|*', 'create,patch,update|,events.k8s.io|events'] },
  { name: 'system:controller:horizontal-pod-autoscaler', rules: ['get,list,watch|autoscaling|horizontalpodautoscalers', 'update|autoscaling|horizontalpodautoscalers/status', 'get,update|*|*/scale', 'list,watch||pods', 'list,watch|metrics.k8s.io|pods', 'get,list,watch|custom.metrics.k8s.io|*', 'get,list,watch|external.metrics.k8s.io|*', 'create,patch,update|,events.k8s.io|events'] },
  { name: 'system:controller:job-controller', rules: ['get,list,patch,update,watch|batch|jobs', 'update|batch|jobs/status', 'update|batch|jobs/finalizers', 'create,delete,list,patch,watch||pods', 'create,patch,update|,events.k8s.io|events'] },
  { name: 'system:controller:legacy-service-account-token-cleaner', rules: ['get||configmaps|kube-apiserver-legacy-service-account-token-tracking', 'delete,patch||secrets'] },
  { name: 'system:controller:namespace-controller', rules: ['delete,get,list,watch||namespaces', 'update||namespaces/finalize,namespaces/status', 'delete,deletecollection,get,list,watch|*|*'] },
  { name: 'system:controller:node-controller', rules: ['delete,get,list,patch,update,watch||nodes', 'patch,update||nodes/status', 'patch,update||pods/status', 'delete,get,list,watch||pods', 'create,patch,update|,events.k8s.io|events'] },
  { name: 'system:controller:persistent-volume-binder', rules: ['create,delete,get,list,update,watch||persistentvolumes', 'update||persistentvolumes/status', 'get,list,update,watch||persistentvolumeclaims', 'update||persistentvolumeclaims/status', 'create,delete,get,list,watch||pods', 'get,list,watch|storage.k8s.io|storageclasses', 'list,watch||nodes', 'create,patch,update|,events.k8s.io|events', 'watch||events'] },
  { name: 'system:controller:pod-garbage-collector', rules: ['delete,list,watch||pods', 'get,list,watch||nodes', 'patch||pods/status'] },
  { name: 'system:controller:pv-protection-controller', rules: ['get,list,update,watch||persistentvolumes', 'create,patch,update|,events.k8s.io|events'] },
  { name: 'system:controller:pvc-protection-controller', rules: ['get,list,update,watch||persistentvolumeclaims', 'update||persistentvolumeclaims/status', 'get,list,watch||pods', 'create,patch,update|,events.k8s.io|events'] },
  { name: 'system:controller:replicaset-controller', rules: ['get,list,update,watch|apps,extensions|replicasets', 'update|apps,extensions|replicasets/status', 'update|apps,extensions|replicasets/finalizers', 'create,delete,list,patch,watch||pods', 'create,patch,update|,events.k8s.io|events'] },
  { name: 'system:controller:replication-controller', rules: ['get,list,update,watch||replicationcontrollers', 'update||replicationcontrollers/status', 'update||replicationcontrollers/finalizers', 'create,delete,list,patch,watch||pods', 'create,patch,update|,events.k8s.io|events'] },
  { name: 'system:controller:resource-claim-controller', rules: ['get,list,watch||pods', 'update||pods/finalizers', 'create,delete,get,list,watch|resource.k8s.io|resourceclaims', 'patch,update|resource.k8s.io|resourceclaims,resourceclaims/status', 'patch,update||pods/status', 'create,patch,update|,events.k8s.io|events', 'patch,update|resource.k8s.io|resourceclaims/binding'] },
  { name: 'system:controller:resourcequota-controller', rules: ['list,watch|*|*', 'update||resourcequotas/status', 'create,patch,update|,events.k8s.io|events'] },
  { name: 'system:controller:root-ca-cert-publisher', rules: ['create,update||configmaps', 'create,patch,update|,events.k8s.io|events'] },
  { name: 'system:controller:route-controller', rules: ['list,watch||nodes', 'patch||nodes/status', 'create,patch,update|,events.k8s.io|events'] },
  { name: 'system:controller:selinux-warning-controller', rules: ['create,patch,update|,events.k8s.io|events', 'get,list,watch||persistentvolumes', 'get,list,watch||persistentvolumeclaims', 'get,list,watch||pods', 'get,list,watch|storage.k8s.io|csidrivers'] },
  { name: 'system:controller:service-account-controller', rules: ['create||serviceaccounts', 'create,patch,update|,events.k8s.io|events'] },
  { name: 'system:controller:service-cidrs-controller', rules: ['get,list,patch,update,watch|networking.k8s.io|servicecidrs', 'patch,update|networking.k8s.io|servicecidrs/finalizers', 'patch,update|networking.k8s.io|servicecidrs/status', 'get,list,watch|networking.k8s.io|ipaddresses', 'create,patch,update|,events.k8s.io|events'] },
  { name: 'system:controller:service-controller', rules: ['get,list,watch||services', 'patch,update||services/status', 'list,watch||nodes', 'create,patch,update|,events.k8s.io|events'] },
  { name: 'system:controller:statefulset-controller', rules: ['list,watch||pods', 'get,list,watch|apps|statefulsets', 'update|apps|statefulsets/status', 'update|apps|statefulsets/finalizers', 'create,delete,get,patch,update||pods', 'create,delete,get,list,patch,update,watch|apps|controllerrevisions', 'create,get,list,watch||persistentvolumeclaims', 'delete,update||persistentvolumeclaims', 'update||pods/finalizers', 'create,patch,update|,events.k8s.io|events'] },
  { name: 'system:controller:ttl-after-finished-controller', rules: ['delete,get,list,watch|batch|jobs', 'create,patch,update|,events.k8s.io|events'] },
  { name: 'system:controller:ttl-controller', rules: ['list,patch,update,watch||nodes', 'create,patch,update|,events.k8s.io|events'] },
  { name: 'system:controller:validatingadmissionpolicy-status-controller', rules: ['get,list,watch|admissionregistration.k8s.io|validatingadmissionpolicies', 'get,patch,update|admissionregistration.k8s.io|validatingadmissionpolicies/status', 'create,patch,update|,events.k8s.io|events'] },
  { name: 'system:controller:volumeattributesclass-protection-controller', rules: ['get,list,watch||persistentvolumeclaims', 'get,list,watch||persistentvolumes', 'get,list,update,watch|storage.k8s.io|volumeattributesclasses', 'create,patch,update|,events.k8s.io|events'] },
  { name: 'system:discovery', rules: ['get|/api,/api/*,/apis,/apis/*,/healthz,/livez,/openapi,/openapi/*,/readyz,/version,/version/'] },
  { name: 'system:heapster', rules: ['get,list,watch||events,namespaces,nodes,pods', 'get,list,watch|extensions|deployments'] },
  { name: 'system:kube-aggregator', rules: ['get,list,watch||endpoints,services'] },
  { name: 'system:kube-controller-manager', rules: ['create,patch,update|,events.k8s.io|events', 'create|coordination.k8s.io|leases', 'get,update|coordination.k8s.io|leases|kube-controller-manager', 'create||secrets,serviceaccounts', 'delete||secrets', 'get||configmaps,namespaces,secrets,serviceaccounts', 'update||secrets,serviceaccounts', 'create|authentication.k8s.io|tokenreviews', 'create|authorization.k8s.io|subjectaccessreviews', 'list,watch|*|*', 'create||serviceaccounts/token'] },
  { name: 'system:kube-dns', rules: ['list,watch||endpoints,services'] },
  { name: 'system:kube-scheduler', rules: ['create,patch,update|,events.k8s.io|events', 'create|coordination.k8s.io|leases', 'get,list,update,watch|coordination.k8s.io|leases|kube-scheduler', 'create,delete,deletecollection,get,list,patch,update,watch|coordination.k8s.io|leasecandidates', 'get,list,watch||nodes', 'delete,get,list,watch||pods', 'create||bindings,pods/binding', 'patch,update||pods/status', 'get,list,watch||replicationcontrollers,services', 'get,list,watch|apps,extensions|replicasets', 'get,list,watch|apps|statefulsets', 'get,list,watch|policy|poddisruptionbudgets', 'get,list,watch||persistentvolumeclaims,persistentvolumes', 'create|authentication.k8s.io|tokenreviews', 'create|authorization.k8s.io|subjectaccessreviews', 'get,list,watch|storage.k8s.io|csinodes', 'get,list,watch|storage.k8s.io|volumeattachments', 'get,list,watch||namespaces', 'get,list,watch|storage.k8s.io|csidrivers', 'get,list,watch|storage.k8s.io|csistoragecapacities', 'get,list,watch|resource.k8s.io|deviceclasses', 'get,list,patch,update,watch|resource.k8s.io|resourceclaims', 'get,list,patch,update,watch|resource.k8s.io|resourceclaims/status', 'update||pods/finalizers', 'get,list,watch|resource.k8s.io|resourceslices', 'create,delete|resource.k8s.io|resourceclaims', 'patch,update|resource.k8s.io|resourceclaims/binding'] },
  { name: 'system:kubelet-api-admin', rules: ['get,list,watch||nodes', 'proxy||nodes', '*||nodes/log,nodes/metrics,nodes/proxy,nodes/stats', '*||nodes/configz,nodes/healthz,nodes/pods'] },
  { name: 'system:monitoring', rules: ['get|/flagz,/healthz,/healthz/*,/livez,/livez/*,/metrics,/metrics/slis,/readyz,/readyz/*,/statusz', 'get||nodes/metrics'] },
  { name: 'system:node', rules: ['create|authentication.k8s.io|tokenreviews', 'create|authorization.k8s.io|localsubjectaccessreviews,subjectaccessreviews', 'get,list,watch||services', 'create,get,list,watch||nodes', 'patch,update||nodes/status', 'patch,update||nodes', 'create,patch,update|,events.k8s.io|events', 'get,list,watch||pods', 'create,delete||pods', 'patch,update||pods/status', 'create||pods/eviction', 'get,list,watch||configmaps,secrets', 'get||persistentvolumeclaims,persistentvolumes', 'get||endpoints', 'create,get,list,watch|certificates.k8s.io|certificatesigningrequests', 'create,delete,get,patch,update|coordination.k8s.io|leases', 'get|storage.k8s.io|volumeattachments', 'create||serviceaccounts/token', 'get,patch,update||persistentvolumeclaims/status', 'get,list,watch|storage.k8s.io|csidrivers', 'create,delete,get,patch,update|storage.k8s.io|csinodes', 'get,list,watch|node.k8s.io|runtimeclasses', 'get|resource.k8s.io|resourceclaims', 'deletecollection|resource.k8s.io|resourceslices', 'get||serviceaccounts'] },
  { name: 'system:node-bootstrapper', rules: ['create,get,list,watch|certificates.k8s.io|certificatesigningrequests'] },
  { name: 'system:node-problem-detector', rules: ['get||nodes', 'patch||nodes/status', 'create,patch,update|,events.k8s.io|events'] },
  { name: 'system:node-proxier', rules: ['list,watch||endpoints,services', 'get,list,watch||nodes', 'create,patch,update|,events.k8s.io|events', 'list,watch|networking.k8s.io|servicecidrs', 'list,watch|discovery.k8s.io|endpointslices'] },
  { name: 'system:persistent-volume-provisioner', rules: ['create,delete,get,list,watch||persistentvolumes', 'get,list,update,watch||persistentvolumeclaims', 'get,list,watch|storage.k8s.io|storageclasses', 'watch||events', 'create,patch,update|,events.k8s.io|events'] },
  { name: 'system:public-info-viewer', rules: ['get|/healthz,/livez,/readyz,/version,/version/'] },
  { name: 'system:service-account-issuer-discovery', rules: ['get|/.well-known/openid-configuration,/.well-known/openid-configuration/,/openid/v1/jwks,/openid/v1/jwks/'] },
  { name: 'system:volume-scheduler', rules: ['get,list,patch,update,watch||persistentvolumes', 'get,list,watch|storage.k8s.io|storageclasses', 'get,list,patch,update,watch||persistentvolumeclaims'] },
  { name: 'view', addsTo: 'edit', isAggregated: true, rules: [] },
  { namespace: 'kube-public', name: 'system:controller:bootstrap-signer', rules: ['get,list,watch||configmaps', 'update||configmaps|cluster-info', 'create,patch,update|,events.k8s.io|events'] },
  { namespace: 'kube-system', name: 'extension-apiserver-authentication-reader', rules: ['get,list,watch||configmaps|extension-apiserver-authentication'] },
  { namespace: 'kube-system', name: 'system::leader-locking-kube-controller-manager', rules: ['create,get,list,update,watch|coordination.k8s.io|leases', 'create,get,list,update,watch|coordination.k8s.io|leasecandidates'] },
  { namespace: 'kube-system', name: 'system::leader-locking-kube-scheduler', rules: ['create,get,list,update,watch|coordination.k8s.io|leases', 'create,get,list,update,watch|coordination.k8s.io|leasecandidates'] },
  { namespace: 'kube-system', name: 'system:controller:bootstrap-signer', rules: ['get,list,watch||secrets'] },
  { namespace: 'kube-system', name: 'system:controller:cloud-provider', rules: ['create,get,list,watch||configmaps'] },
  { namespace: 'kube-system', name: 'system:controller:token-cleaner', rules: ['delete,get,list,watch||secrets', 'create,patch,update|,events.k8s.io|events'] },
];

export const defaultBindings: readonly DefaultBinding[] = [
  { name: 'cluster-admin', role: 'cluster-admin', subjects: ['Group|system:masters'] },
  { name: 'system:basic-user', role: 'system:basic-user', subjects: ['Group|system:authenticated'] },
  { name: 'system:controller:attachdetach-controller', role: 'system:controller:attachdetach-controller', subjects: ['ServiceAccount|attachdetach-controller|kube-system'] },
  { name: 'system:controller:certificate-controller', role: 'system:controller:certificate-controller', subjects: ['ServiceAccount|certificate-controller|kube-system'] },
  { name: 'system:controller:clusterrole-aggregation-controller', role: 'system:controller:clusterrole-aggregation-controller', subjects: ['ServiceAccount|clusterrole-aggregation-controller|kube-system'] },
  { name: 'system:controller:cronjob-controller', role: 'system:controller:cronjob-controller', subjects: ['ServiceAccount|cronjob-controller|kube-system'] },
  { name: 'system:controller:daemon-set-controller', role: 'system:controller:daemon-set-controller', subjects: ['ServiceAccount|daemon-set-controller|kube-system'] },
  { name: 'system:controller:deployment-controller', role: 'system:controller:deployment-controller', subjects: ['ServiceAccount|deployment-controller|kube-system'] },
  { name: 'system:controller:device-taint-eviction-controller', role: 'system:controller:device-taint-eviction-controller', subjects: ['ServiceAccount|device-taint-eviction-controller|kube-system'] },
  { name: 'system:controller:disruption-controller', role: 'system:controller:disruption-controller', subjects: ['ServiceAccount|disruption-controller|kube-system'] },
  { name: 'system:controller:endpoint-controller', role: 'system:controller:endpoint-controller', subjects: ['ServiceAccount|endpoint-controller|kube-system'] },
  { name: 'system:controller:endpointslice-controller', role: 'system:controller:endpointslice-controller', subjects: ['ServiceAccount|endpointslice-controller|kube-system'] },
  { name: 'system:controller:endpointslicemirroring-controller', role: 'system:controller:endpointslicemirroring-controller', subjects: ['ServiceAccount|endpointslicemirroring-controller|kube-system'] },
  { name: 'system:controller:ephemeral-volume-controller', role: 'system:controller:ephemeral-volume-controller', subjects: ['ServiceAccount|ephemeral-volume-controller|kube-system'] },
  { name: 'system:controller:expand-controller', role: 'system:controller:expand-controller', subjects: ['ServiceAccount|expand-controller|kube-system'] },
  { name: 'system:controller:generic-garbage-collector', role: 'system:controller:generic-garbage-collector', subjects: ['ServiceAccount|generic-garbage-collector|kube-system'] },
  { name: 'system:controller:horizontal-pod-autoscaler', role: 'system:controller:horizontal-pod-autoscaler', subjects: ['ServiceAccount|horizontal-pod-autoscaler|kube-system'] },
  { name: 'system:controller:job-controller', role: 'system:controller:job-controller', subjects: ['ServiceAccount|job-controller|kube-system'] },
  { name: 'system:controller:legacy-service-account-token-cleaner', role: 'system:controller:legacy-service-account-token-cleaner', subjects: ['ServiceAccount|legacy-service-account-token-cleaner|kube-system'] },
  { name: 'system:controller:namespace-controller', role: 'system:controller:namespace-controller', subjects: ['ServiceAccount|namespace-controller|kube-system'] },
  { name: 'system:controller:node-controller', role: 'system:controller:node-controller', subjects: ['ServiceAccount|node-controller|kube-system'] },
  { name: 'system:controller:persistent-volume-binder', role: 'system:controller:persistent-volume-binder', subjects: ['ServiceAccount|persistent-volume-binder|kube-system'] },
  { name: 'system:controller:pod-garbage-collector', role: 'system:controller:pod-garbage-collector', subjects: ['ServiceAccount|pod-garbage-collector|kube-system'] },
  { name: 'system:controller:pv-protection-controller', role: 'system:controller:pv-protection-controller', subjects: ['ServiceAccount|pv-protection-controller|kube-system'] },
  { name: 'system:controller:pvc-protection-controller', role: 'system:controller:pvc-protection-controller', subjects: ['ServiceAccount|pvc-protection-controller|kube-system'] },
  { name: 'system:controller:replicaset-controller', role: 'system:controller:replicaset-controller', subjects: ['ServiceAccount|replicaset-controller|kube-system'] },
  { name: 'system:controller:replication-controller', role: 'system:controller:replication-controller', subjects: ['ServiceAccount|replication-controller|kube-system'] },
  { name: 'system:controller:resource-claim-controller', role: 'system:controller:resource-claim-controller', subjects: ['ServiceAccount|resource-claim-controller|kube-system'] },
  { name: 'system:controller:resourcequota-controller', role: 'system:controller:resourcequota-controller', subjects: ['ServiceAccount|resourcequota-controller|kube-system'] },
  { name: 'system:controller:root-ca-cert-publisher', role: 'system:controller:root-ca-cert-publisher', subjects: ['ServiceAccount|root-ca-cert-publisher|kube-system'] },
  { name: 'system:controller:route-controller', role: 'system:controller:route-controller', subjects: ['ServiceAccount|route-controller|kube-system'] },
  { name: 'system:controller:selinux-warning-controller', role: 'system:controller:selinux-warning-controller', subjects: ['ServiceAccount|selinux-warning-controller|kube-system'] },
  { name: 'system:controller:service-account-controller', role: 'system:controller:service-account-controller', subjects: ['ServiceAccount|service-account-controller|kube-system'] },
  { name: 'system:controller:service-cidrs-controller', role: 'system:controller:service-cidrs-controller', subjects: ['ServiceAccount|service-cidrs-controller|kube-system'] },
  { name: 'system:controller:service-controller', role: 'system:controller:service-controller', subjects: ['ServiceAccount|service-controller|kube-system'] },
  { name: 'system:controller:statefulset-controller', role: 'system:controller:statefulset-controller', subjects: ['ServiceAccount|statefulset-controller|kube-system'] },
  { name: 'system:controller:ttl-after-finished-controller', role: 'system:controller:ttl-after-finished-controller', subjects: ['ServiceAccount|ttl-after-finished-controller|kube-system'] },
  { name: 'system:controller:ttl-controller', role: 'system:controller:ttl-controller', subjects: ['ServiceAccount|ttl-controller|kube-system'] },
  { name: 'system:controller:validatingadmissionpolicy-status-controller', role: 'system:controller:validatingadmissionpolicy-status-controller', subjects: ['ServiceAccount|validatingadmissionpolicy-status-controller|kube-system'] },
  { name: 'system:controller:volumeattributesclass-protection-controller', role: 'system:controller:volumeattributesclass-protection-controller', subjects: ['ServiceAccount|volumeattributesclass-protection-controller|kube-system'] },
  { name: 'system:discovery', role: 'system:discovery', subjects: ['Group|system:authenticated'] },
  { name: 'system:kube-controller-manager', role: 'system:kube-controller-manager', subjects: ['User|system:kube-controller-manager'] },
  { name: 'system:kube-dns', role: 'system:kube-dns', subjects: ['ServiceAccount|kube-dns|kube-system'] },
  { name: 'system:kube-scheduler', role: 'system:kube-scheduler', subjects: ['User|system:kube-scheduler'] },
  { name: 'system:monitoring', role: 'system:monitoring', subjects: ['Group|system:monitoring'] },
  { name: 'system:node', role: 'system:node', subjects: [] },
  { name: 'system:node-proxier', role: 'system:node-proxier', subjects: ['User|system:kube-proxy'] },
  { name: 'system:public-info-viewer', role: 'system:public-info-viewer', subjects: ['Group|system:authenticated', 'Group|system:unauthenticated'] },
  { name: 'system:service-account-issuer-discovery', role: 'system:service-account-issuer-discovery', subjects: ['Group|system:serviceaccounts'] },
  { name: 'system:volume-scheduler', role: 'system:volume-scheduler', subjects: ['User|system:kube-scheduler'] },
  { namespace: 'kube-public', name: 'system:controller:bootstrap-signer', role: 'system:controller:bootstrap-signer', subjects: ['ServiceAccount|bootstrap-signer|kube-system'] },
  { namespace: 'kube-system', name: 'system::extension-apiserver-authentication-reader', role: 'extension-apiserver-authentication-reader', subjects: ['User|system:kube-controller-manager', 'User|system:kube-scheduler'] },
  { namespace: 'kube-system', name: 'system::leader-locking-kube-controller-manager', role: 'system::leader-locking-kube-controller-manager', subjects: ['User|system:kube-controller-manager', 'ServiceAccount|kube-controller-manager|kube-system', 'ServiceAccount|leader-election-controller|kube-system'] },
  { namespace: 'kube-system', name: 'system::leader-locking-kube-scheduler', role: 'system::leader-locking-kube-scheduler', subjects: ['User|system:kube-scheduler', 'ServiceAccount|kube-scheduler|kube-system'] },
  { namespace: 'kube-system', name: 'system:controller:bootstrap-signer', role: 'system:controller:bootstrap-signer', subjects: ['ServiceAccount|bootstrap-signer|kube-system'] },
  { namespace: 'kube-system', name: 'system:controller:cloud-provider', role: 'system:controller:cloud-provider', subjects: ['ServiceAccount|cloud-provider|kube-system'] },
  { namespace: 'kube-system', name: 'system:controller:token-cleaner', role: 'system:controller:token-cleaner', subjects: ['ServiceAccount|token-cleaner|kube-system'] },
];

export const defaultApiServices: readonly DefaultApiService[] = [
  { name: 'v1.', groupPriorityMinimum: 18000, versionPriority: 1 },
  { name: 'v1.admissionregistration.k8s.io', groupPriorityMinimum: 16700, versionPriority: 15 },
  { name: 'v1.apiextensions.k8s.io', groupPriorityMinimum: 16700, versionPriority: 15 },
  { name: 'v1.apps', groupPriorityMinimum: 17800, versionPriority: 15 },
  { name: 'v1.authentication.k8s.io', groupPriorityMinimum: 17700, versionPriority: 15 },
  { name: 'v1.authorization.k8s.io', groupPriorityMinimum: 17600, versionPriority: 15 },
  { name: 'v1.autoscaling', groupPriorityMinimum: 17500, versionPriority: 15 },
  { name: 'v1.batch', groupPriorityMinimum: 17400, versionPriority: 15 },
  { name: 'v1.certificates.k8s.io', groupPriorityMinimum: 17300, versionPriority: 15 },
  { name: 'v1.coordination.k8s.io', groupPriorityMinimum: 16500, versionPriority: 15 },
  { name: 'v1.discovery.k8s.io', groupPriorityMinimum: 16200, versionPriority: 15 },
  { name: 'v1.events.k8s.io', groupPriorityMinimum: 17750, versionPriority: 15 },
  { name: 'v1.flowcontrol.apiserver.k8s.io', groupPriorityMinimum: 16100, versionPriority: 21 },
  { name: 'v1.networking.k8s.io', groupPriorityMinimum: 17200, versionPriority: 15 },
  { name: 'v1.node.k8s.io', groupPriorityMinimum: 16300, versionPriority: 15 },
  { name: 'v1.policy', groupPriorityMinimum: 17100, versionPriority: 15 },
  { name: 'v1.rbac.authorization.k8s.io', groupPriorityMinimum: 17000, versionPriority: 15 },
  { name: 'v1.resource.k8s.io', groupPriorityMinimum: 16200, versionPriority: 21 },
  { name: 'v1.scheduling.k8s.io', groupPriorityMinimum: 16600, versionPriority: 15 },
  { name: 'v1.storage.k8s.io', groupPriorityMinimum: 16800, versionPriority: 15 },
  { name: 'v2.autoscaling', groupPriorityMinimum: 17500, versionPriority: 30 },
];
