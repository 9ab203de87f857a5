import { dns1123LabelErrors, dns1123SubdomainErrors } from '../../meta/names.js';

/** The user name of a ServiceAccount. */
export function accountUserName(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/** The groups of the ServiceAccounts of a namespace; none without a namespace. */
export function accountGroups(namespace: string | undefined): readonly string[] {
  return namespace === undefined ? [] : ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
}

/** The ServiceAccount of a user name; undefined for other users. */
export function parseAccountName(user: string): { readonly namespace: string; readonly name: string } | undefined {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user) ?? [];
  if (namespace === undefined || name === undefined) return undefined;
  const isValid = dns1123LabelErrors(namespace).length === 0 && dns1123SubdomainErrors(name).length === 0;
  return isValid ? { namespace, name } : undefined;
}
