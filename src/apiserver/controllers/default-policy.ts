import type { DefaultBinding, DefaultRole } from '../../resources/default-object.js';
import { defaultBindings, defaultRoles } from '../../resources/default-objects.js';
import { type Form, leaves, type PrintedDefault, printEach, storeMissing } from './printed-objects.js';
import { API_SERVER, ROLE_AGGREGATION, type ServerControllerContext } from './server-controller.js';

const RBAC = 'rbac.authorization.k8s.io';
const POLICY_LABELS = { 'kubernetes.io/bootstrapping': 'rbac-defaults' };
/** The label of the roles that add their rules to another one is this prefix and the name of that role. */
const AGGREGATE = `${RBAC}/aggregate-to-`;
const POLICY = { group: RBAC, annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' } };

let printed: readonly PrintedDefault[] | undefined;

/** Stores the default roles and bindings of kube-apiserver that do not exist. */
export function storeDefaultPolicy(context: ServerControllerContext): void {
  printed ??= [
    ...printEach(defaultRoles, roleForm, roleContent),
    ...printEach(defaultBindings, bindingForm, bindingContent),
  ];
  storeMissing(context, printed);
}

function roleForm({ namespace, name, addsTo, isAggregated }: DefaultRole): [string, () => Form] {
  const make = (): Form => ({
    ...POLICY,
    ...(namespace === undefined
      ? { kind: 'ClusterRole', resource: 'clusterroles' }
      : { kind: 'Role', resource: 'roles' }),
    namespace,
    labels: { ...POLICY_LABELS, ...(addsTo === undefined ? {} : { [`${AGGREGATE}${addsTo}`]: 'true' }) },
    owned: isAggregated
      ? {
          [ROLE_AGGREGATION]: leaves(['rules']),
          [API_SERVER]: { 'f:aggregationRule': { '.': {}, ...leaves(['clusterRoleSelectors']) } },
        }
      : { [API_SERVER]: leaves(['rules']) },
  });
  return [`${namespace}|${addsTo}|${isAggregated ? name : ''}`, make];
}

/** The generated texts need no escapes in JSON: they have no quotes, backslashes and control characters. */
function roleContent(role: DefaultRole): string {
  const rules = [...new Set(rulesOf(role))].map(printRule).join(',');
  const selector = `{"matchLabels":{"${AGGREGATE}${role.name}":"true"}}`;
  return `,"rules":[${rules}]${role.isAggregated ? `,"aggregationRule":{"clusterRoleSelectors":[${selector}]}` : ''}`;
}

/** The rules of a role; of an aggregated one those that its controller would give it. */
function rulesOf({ name, isAggregated, rules }: DefaultRole): readonly string[] {
  return isAggregated ? defaultRoles.filter(({ addsTo }) => addsTo === name).flatMap(rulesOf) : rules;
}

const RESOURCE_FIELDS = ['verbs', 'apiGroups', 'resources', 'resourceNames'];
const PATH_FIELDS = ['verbs', 'nonResourceURLs'];

function printRule(text: string): string {
  const lists = text.split('|');
  const fields = lists.length === 2 ? PATH_FIELDS : RESOURCE_FIELDS;
  return `{${lists.map((list, at) => `"${fields[at]}":["${list.replaceAll(',', '","')}"]`).join(',')}}`;
}

function bindingForm({ namespace, subjects }: DefaultBinding): [string, () => Form] {
  const make = (): Form => ({
    ...POLICY,
    ...(namespace === undefined
      ? { kind: 'ClusterRoleBinding', resource: 'clusterrolebindings' }
      : { kind: 'RoleBinding', resource: 'rolebindings' }),
    namespace,
    labels: POLICY_LABELS,
    owned: { [API_SERVER]: leaves(subjects.length === 0 ? ['roleRef'] : ['roleRef', 'subjects']) },
  });
  return [`${namespace}|${subjects.length === 0}`, make];
}

function bindingContent({ namespace, role, subjects }: DefaultBinding): string {
  const kind = namespace === undefined ? 'ClusterRole' : 'Role';
  const printed = subjects.length === 0 ? '' : `,"subjects":[${subjects.map(printSubject).join(',')}]`;
  return `${printed},"roleRef":{"apiGroup":"${RBAC}","kind":"${kind}","name":"${role}"}`;
}

function printSubject(text: string): string {
  const [kind, name, namespace] = text.split('|');
  if (namespace !== undefined) return `{"kind":"${kind}","name":"${name}","namespace":"${namespace}"}`;
  return `{"kind":"${kind}","apiGroup":"${RBAC}","name":"${name}"}`;
}
