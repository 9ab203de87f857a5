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
