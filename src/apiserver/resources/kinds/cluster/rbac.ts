import { isDeepStrictEqual } from 'node:util';
import { fieldInvalid, fieldNotSupported, fieldRequired } from '../../../../meta/errors/field-cause.js';
import type { StatusCause } from '../../../../meta/errors/status.js';
import { isJsonObject, type JsonObject } from '../../../../meta/json-values.js';
import { dns1123SubdomainErrors, pathSegmentErrors } from '../../../../meta/names.js';
import type { Strategy } from '../../strategy.js';

/* What roles and bindings have to say, and what goes without saying. */

/** The group of roles and bindings, and of the users and groups that they name. */
export const RBAC_GROUP = 'rbac.authorization.k8s.io';

/** The strategy of bindings whose role must be of one of `kinds`. */
export function bindingStrategy(kinds: readonly string[]): Partial<Strategy> {
  return {
    nameErrors: pathSegmentErrors,
    createOnUpdate: true,
    defaults: completeBinding,
    causes: bindingCauses(kinds),
  };
}

/** The strategy of Roles and ClusterRoles. */
export function roleStrategy(isNamespaced: boolean): Partial<Strategy> {
  return { nameErrors: pathSegmentErrors, createOnUpdate: true, causes: roleCauses(isNamespaced) };
}

/** Fills in the default groups of a binding's roleRef and subjects. */
function completeBinding(binding: JsonObject): void {
  const roleRef = binding['roleRef'];
  if (isJsonObject(roleRef)) roleRef['apiGroup'] ||= RBAC_GROUP;
  for (const subject of objects(binding['subjects'])) {
    if (subject['kind'] === 'User' || subject['kind'] === 'Group') subject['apiGroup'] ||= RBAC_GROUP;
  }
}

/** Causes for an invalid binding, whose role must be of one of `kinds`. */
function bindingCauses(kinds: readonly string[]): (binding: JsonObject, old: JsonObject | undefined) => StatusCause[] {
  const isNamespaced = kinds.includes('Role');
  return (binding, old) => {
    const roleRef = objectOf(binding['roleRef']);
    const causes: StatusCause[] = [];
    if (roleRef['apiGroup'] !== RBAC_GROUP) {
      causes.push(fieldNotSupported('roleRef.apiGroup', roleRef['apiGroup'] ?? '', [RBAC_GROUP]));
    }
    if (!kinds.includes(text(roleRef['kind']))) {
      causes.push(fieldNotSupported('roleRef.kind', roleRef['kind'] ?? '', kinds));
    }
    const name = text(roleRef['name']);
    if (name === '') causes.push(fieldRequired('roleRef.name', ''));
    else for (const error of pathSegmentErrors(name)) causes.push(fieldInvalid('roleRef.name', name, error));
    items(binding['subjects']).forEach((subject, at) => {
      causes.push(...subjectCauses(objectOf(subject), isNamespaced, `subjects[${at}]`));
    });
    if (old !== undefined && !isDeepStrictEqual(binding['roleRef'], old['roleRef'])) {
      // kube-apiserver prints the Go struct.
      const { apiGroup, kind, name } = roleRef;
      causes.push(fieldInvalid('roleRef', { APIGroup: apiGroup, Kind: kind, Name: name }, 'cannot change roleRef'));
    }
    return causes;
  };
}

const SUBJECT_KINDS = ['ServiceAccount', 'User', 'Group'];

function subjectCauses(subject: JsonObject, isNamespaced: boolean, path: string): StatusCause[] {
  const causes: StatusCause[] = [];
  const kind = text(subject['kind']);
  const name = text(subject['name']);
  const group = subject['apiGroup'] ?? '';
  if (name === '') causes.push(fieldRequired(`${path}.name`, ''));
  if (!SUBJECT_KINDS.includes(kind)) {
    causes.push(fieldNotSupported(`${path}.kind`, subject['kind'] ?? '', SUBJECT_KINDS));
  } else if (kind !== 'ServiceAccount') {
    if (group !== RBAC_GROUP) causes.push(fieldNotSupported(`${path}.apiGroup`, group, [RBAC_GROUP]));
  } else {
    if (name !== '') {
      for (const error of dns1123SubdomainErrors(name)) causes.push(fieldInvalid(`${path}.name`, name, error));
    }
    if (group !== '') causes.push(fieldNotSupported(`${path}.apiGroup`, group, ['']));
    if (!isNamespaced && text(subject['namespace']) === '') causes.push(fieldRequired(`${path}.namespace`, ''));
  }
  return causes;
}

/** Causes for invalid rules of a Role or ClusterRole. */
function roleCauses(isNamespaced: boolean): (role: JsonObject) => StatusCause[] {
  return (role) => items(role['rules']).flatMap((rule, at) => ruleCauses(objectOf(rule), isNamespaced, `rules[${at}]`));
}

function ruleCauses(rule: JsonObject, isNamespaced: boolean, path: string): StatusCause[] {
  const causes: StatusCause[] = [];
  const has = (field: string): boolean => items(rule[field]).length > 0;
  if (!has('verbs')) causes.push(fieldRequired(`${path}.verbs`, 'verbs must contain at least one value'));
  if (has('nonResourceURLs')) {
    const refuse = (why: string): void => {
      causes.push(fieldInvalid(`${path}.nonResourceURLs`, rule['nonResourceURLs'], why));
    };
    if (isNamespaced) refuse('namespaced rules cannot apply to non-resource URLs');
    if (has('apiGroups') || has('resources') || has('resourceNames')) {
      refuse('rules cannot apply to both regular resources and non-resource URLs');
    }
    return causes;
  }
  if (!has('apiGroups')) {
    causes.push(fieldRequired(`${path}.apiGroups`, 'resource rules must supply at least one api group'));
  }
  if (!has('resources')) {
    causes.push(fieldRequired(`${path}.resources`, 'resource rules must supply at least one resource'));
  }
  return causes;
}

function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The items of a list that are objects. */
export function objects(value: unknown): JsonObject[] {
  return items(value).filter(isJsonObject);
}

/** The items of a list that are strings. */
export function strings(value: unknown): string[] {
  return items(value).filter((item): item is string => typeof item === 'string');
}

/** The value if it is an object, otherwise an empty one. */
export function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** The value if it is a string, otherwise an empty one. */
export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
