import { expect } from 'vitest';
import type { Api } from './api.js';
import type { Rule } from './area.js';
import { expectStatus } from './status.js';

/** An object that the server refuses, and all causes that it gives; `{name}` stands for the name of the object. */
export type Refusal = readonly [
  what: string,
  path: (namespace: string) => string,
  body: object,
  ...causes: (readonly [field: string, message: string])[],
];

/** The collection of a namespaced resource: `/api/v1` or `/apis/GROUP/VERSION`, and its name. */
export const namespaced =
  (root: string, resource: string): ((namespace: string) => string) =>
  (namespace) =>
    `${root}/namespaces/${namespace}/${resource}`;

/** A case for each row: creating the object is Invalid for exactly these causes. */
export function refusals(rule: Rule, rows: readonly Refusal[]): void {
  for (const [what, pathOf, body, ...causes] of rows) {
    rule(`${what} is Invalid`, async (api) => {
      const namespace = await api.namespace();
      const given = { metadata: { name: namespace }, ...body };
      const { details } = expectStatus(await api.request('POST', pathOf(namespace), { body: given }), {
        code: 422,
        reason: 'Invalid',
      });
      const found = (details?.causes ?? []).map(({ field, message }) => [field, message]);
      const expected = causes.map(([field, message]) => [field, message.replace('{name}', namespace)]);
      expect(found.sort()).toEqual(expected.sort());
    });
  }
}

/** The causes for which the server refuses to change an object by a merge patch. */
export async function causesOfChange(
  api: Api,
  pathOf: (namespace: string) => string,
  body: object,
  patch: object,
): Promise<[field: string, message: string][]> {
  const namespace = await api.namespace();
  const at = pathOf(namespace);
  await api.create(at, { metadata: { name: namespace }, ...body });
  const refused = await api.tryPatch(`${at}/${namespace}`, 'merge', patch);
  if (!at.includes('/namespaces/')) await api.request('DELETE', `${at}/${namespace}`, {});
  const { details } = expectStatus(refused, { code: 422, reason: 'Invalid' });
  return (details?.causes ?? []).map(({ field = '', message = '' }) => [field, message]);
}

/** A merge patch that the server refuses for one cause. */
export type RefusedChange = readonly [
  what: string,
  path: (namespace: string) => string,
  body: object,
  patch: object,
  field: string,
  message: string,
];

/** A case for each row: the field of a created object keeps its value. */
export function refusedChanges(rule: Rule, rows: readonly RefusedChange[]): void {
  for (const [what, pathOf, body, patch, field, message] of rows) {
    rule(`${what} cannot change`, async (api) => {
      expect(await causesOfChange(api, pathOf, body, patch)).toEqual([[field, message]]);
    });
  }
}
