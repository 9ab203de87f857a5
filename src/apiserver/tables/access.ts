import type { LabelSelector } from '../../meta/objects.js';
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  MutatingWebhookConfiguration,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from '../../resources/types/admissionregistration-v1.js';
import type { APIService } from '../../resources/types/apiregistration-v1.js';
import type { CertificateSigningRequest } from '../../resources/types/certificates-v1.js';
import type { ClusterRoleBinding, RoleBinding } from '../../resources/types/rbac-v1.js';
import { ageOf, duration } from './cell-text.js';
import { AGE, integer, kindTable, NAME, text, wide } from './columns.js';
import type { KindTable } from './kind-table.js';

/** The tables of access and admission, by `group/Kind`. */
export const accessTables: Readonly<Record<string, KindTable>> = {
  'rbac.authorization.k8s.io/RoleBinding': bindingTable('roleBinding'),
  'rbac.authorization.k8s.io/ClusterRoleBinding': bindingTable('clusterRoleBinding'),
  'certificates.k8s.io/CertificateSigningRequest': kindTable<CertificateSigningRequest>(
    [
      NAME,
      AGE,
      text('SignerName'),
      text('Requestor', 'Base64-encoded PKCS#10 CSR data'),
      text('RequestedDuration'),
      text('Condition'),
    ],
    (request, now) => {
      const { metadata, spec } = request;
      const seconds = spec?.expirationSeconds;
      return [
        metadata.name,
        ageOf(request, now),
        spec?.signerName || '<none>',
        spec?.username ?? '',
        seconds === undefined ? '<none>' : duration(seconds * 1000),
        requestCondition(request),
      ];
    },
  ),
  'apiregistration.k8s.io/APIService': kindTable<APIService>(
    [
      NAME,
      text('Service', 'The reference to the service that hosts this API endpoint.'),
      text('Available', 'Whether this service is available.'),
      AGE,
    ],
    (object, now) => {
      const service = object.spec?.service;
      const condition = object.status?.conditions?.find(({ type }) => type === 'Available');
      const reason = condition?.status !== 'True' && condition?.reason ? ` (${condition.reason})` : '';
      return [
        object.metadata.name,
        service === undefined ? 'Local' : `${service.namespace ?? ''}/${service.name ?? ''}`,
        `${condition?.status ?? 'Unknown'}${reason}`,
        ageOf(object, now),
      ];
    },
  ),
  'admissionregistration.k8s.io/MutatingWebhookConfiguration': webhookTable(),
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': webhookTable(),
  'admissionregistration.k8s.io/MutatingAdmissionPolicy': kindTable<MutatingAdmissionPolicy>(
    [NAME, integer('Mutations'), text('ParamKind'), AGE],
    (object, now) => [object.metadata.name, object.spec?.mutations?.length ?? 0, paramKind(object), ageOf(object, now)],
  ),
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy': kindTable<ValidatingAdmissionPolicy>(
    [NAME, integer('Validations'), text('ParamKind'), AGE],
    (object, now) => [
      object.metadata.name,
      object.spec?.validations?.length ?? 0,
      paramKind(object),
      ageOf(object, now),
    ],
  ),
  'admissionregistration.k8s.io/MutatingAdmissionPolicyBinding': policyBindingTable(),
  'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding': policyBindingTable(),
};

function bindingTable(what: string): KindTable {
  const subjects = ['Users', 'Groups', 'ServiceAccounts'].map((name) => wide(name, `${name} in the ${what}`));
  return kindTable<RoleBinding | ClusterRoleBinding>([NAME, text('Role'), AGE, ...subjects], (object, now) => {
    const { metadata, roleRef } = object;
    const role = `${roleRef?.kind ?? ''}/${roleRef?.name ?? ''}`;
    const names = ['User', 'Group', 'ServiceAccount'].map((kind) =>
      (object.subjects ?? [])
        .filter((subject) => subject.kind === kind)
        .map(({ name, namespace }) => (kind === 'ServiceAccount' ? `${namespace ?? ''}/${name}` : name))
        .join(', '),
    );
    return [metadata.name, role, ageOf(object, now), ...names];
  });
}

function requestCondition({ status }: CertificateSigningRequest): string {
  const has = (type: string) => status?.conditions?.some((condition) => condition.type === type) === true;
  const decision = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending';
  return `${decision}${has('Failed') ? ',Failed' : ''}${status?.certificate ? ',Issued' : ''}`;
}

function webhookTable(): KindTable {
  return kindTable<MutatingWebhookConfiguration | ValidatingWebhookConfiguration>(
    [NAME, integer('Webhooks'), AGE],
    (object, now) => [object.metadata.name, object.webhooks?.length ?? 0, ageOf(object, now)],
  );
}

function paramKind({ spec }: MutatingAdmissionPolicy | ValidatingAdmissionPolicy): string {
  return spec?.paramKind === undefined ? '<unset>' : `${spec.paramKind.apiVersion ?? ''}/${spec.paramKind.kind ?? ''}`;
}

function policyBindingTable(): KindTable {
  return kindTable<MutatingAdmissionPolicyBinding | ValidatingAdmissionPolicyBinding>(
    [NAME, text('PolicyName'), text('ParamRef'), AGE],
    (object, now) => {
      const { name, namespace, selector } = object.spec?.paramRef ?? {};
      const reference = name
        ? `${namespace || '*'}/${name}`
        : selector === undefined
          ? '<unset>'
          : goSelector(selector);
      return [object.metadata.name, object.spec?.policyName ?? '', reference, ageOf(object, now)];
    },
  );
}

/** A selector as Go prints its type: kube-apiserver shows it so in this one place. */
function goSelector({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const labels = Object.keys(matchLabels)
    .sort()
    .map((key) => `${key}: ${matchLabels[key]},`);
  const expressions = matchExpressions.map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`,
  );
  const requirements = `[]LabelSelectorRequirement{${expressions.join('')}}`;
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join('')}},MatchExpressions:${requirements},}`;
}
