import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../../meta/json-values.js';
import type { KubernetesObject } from '../../../meta/objects.js';
import type { PodTemplateSpec } from '../../../resources/types/core-v1.js';
import { controllerReference } from './world.js';

export const TEMPLATE_HASH_LABEL = 'pod-template-hash';
export const REVISION_HASH_LABEL = 'controller-revision-hash';

/** The pod of a template, without a name. */
export function podOf(owner: KubernetesObject, template: PodTemplateSpec): PodObject {
  const { labels, annotations, finalizers } = template.metadata ?? {};
  return {
    metadata: {
      generateName: `${owner.metadata.name}-`,
      ...(labels !== undefined && { labels: { ...labels } }),
      ...(annotations !== undefined && { annotations: { ...annotations } }),
      ...(finalizers !== undefined && { finalizers: [...finalizers] }),
      ownerReferences: [controllerReference(owner)],
    },
    spec: structuredClone(template.spec ?? {}) as unknown as PodObject['spec'],
  };
}

/** A pod that is being made. */
export interface PodObject extends JsonObject {
  metadata: {
    name?: string;
    generateName?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    finalizers?: string[];
    ownerReferences: unknown[];
  };
  spec: NonNullable<PodTemplateSpec['spec']>;
}

/** Whether two templates make the same pods, whatever their pod-template-hash is. */
export function isSameTemplate(a: PodTemplateSpec | undefined, b: PodTemplateSpec | undefined): boolean {
  return isDeepStrictEqual(withoutHash(a), withoutHash(b));
}

function withoutHash(template: PodTemplateSpec | undefined): unknown {
  if (template?.metadata?.labels?.[TEMPLATE_HASH_LABEL] === undefined) return template;
  const { [TEMPLATE_HASH_LABEL]: _hash, ...labels } = template.metadata.labels;
  return { ...template, metadata: { ...template.metadata, labels } };
}

/**
 * A hash of a value in the form of those of kube-controller-manager: the digits of a 32 bit number in the alphabet of
 * generated names. The numbers differ, because kube-controller-manager hashes the text of Go structs.
 */
export function hashOf(value: unknown, collisions = 0): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(canonicalJson(value))) hash = Math.imul(hash ^ byte, 0x01000193);
  if (collisions > 0) hash = Math.imul(hash ^ collisions, 0x01000193);
  return encodeDigits(String(hash >>> 0));
}

/** The letters that stand for the digits 0 to 9. */
const DIGITS = '456789bcdf';

function encodeDigits(number: string): string {
  return [...number].map((digit) => DIGITS[Number(digit)]).join('');
}

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, field: unknown) => {
    if (typeof field !== 'object' || field === null || Array.isArray(field)) return field;
    return Object.fromEntries(Object.entries(field).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
