import { stringify } from 'yaml';

/** The forms in which manifests are printed. */
export const manifestForms = ['yaml', 'json'] as const;

/** Objects as YAML documents, or as a List in JSON. */
export function printManifests(objects: readonly object[], form: (typeof manifestForms)[number]): string {
  if (form === 'json') return `${JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }, undefined, 2)}\n`;
  return objects.map((object) => stringify(object, { lineWidth: 0, aliasDuplicateObjects: false })).join('---\n');
}
