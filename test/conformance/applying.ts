import type { Api } from './api.js';
import { at, type Doc, type ManagedFields } from './doc.js';
import type { Answer } from './http.js';

/** The config map `a` as a manager applies it. */
export function configMap(data: Record<string, string>, metadata = {}): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', ...metadata }, data };
}

export interface Container {
  readonly name: string;
  readonly image?: string;
  readonly [field: string]: unknown;
}

/** The deployment `a` as a manager applies it. */
export function deployment(containers: readonly Container[], rest = {}): object {
  const labels = { app: 'a' };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'a' },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } }, ...rest },
  };
}

/** Applies, and accepts any answer. */
export function tryApply(api: Api, path: string, fieldManager: string, body: object, query = {}): Promise<Answer> {
  return api.tryPatch(path, 'apply', body, { query: { fieldManager, ...query } });
}

/** Applies, expects success and returns the object. */
export async function apply(api: Api, path: string, manager: string, body: object, query = {}): Promise<Doc> {
  const answer = await tryApply(api, path, manager, body, query);
  if (answer.status !== 200 && answer.status !== 201) {
    throw new Error(`${answer.asked} by ${manager} answered ${answer.status}: ${answer.text}`);
  }
  return answer.json;
}

/** The entries of managedFields, as `manager operation`. */
export function owners(object: Doc): string[] {
  return (object.metadata.managedFields ?? []).map(({ manager, operation }) => `${manager} ${operation}`);
}

/** The fields that a manager owns by an operation. */
export function entry(object: Doc, manager: string, operation = 'Apply'): ManagedFields | undefined {
  return object.metadata.managedFields?.find((one) => one.manager === manager && one.operation === operation);
}

/** The names of the fields of `data` that a manager owns. */
export function owned(object: Doc, manager: string, operation = 'Apply'): string[] {
  return Object.keys((at(entry(object, manager, operation), 'fieldsV1.f:data') ?? {}) as object).sort();
}

/** The containers of a deployment. */
export function containers(object: Doc): Container[] {
  return at(object, 'spec.template.spec.containers') as Container[];
}
