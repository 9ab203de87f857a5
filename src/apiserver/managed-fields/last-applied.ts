import { valueAt } from '../../meta/json-paths.js';
import { isJsonObject, type JsonObject } from '../../meta/json-values.js';
import type { Steps } from '../../time/steps.js';
import { compare } from './compare.js';
import { difference, type FieldSet } from './fields.js';
import type { ManagedKind } from './managed-kind.js';
import { escapeHtml } from './path-element.js';
import { setOfValue } from './set-of-value.js';
import { UnidentifiedItem } from './typed-value.js';
import { checkType, TypingError } from './validate.js';

/** Only this manager takes over objects of `kubectl apply` without `--server-side`. */
export const KUBECTL = 'kubectl';

const ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';
/** All annotations together may have so many bytes. */
const ANNOTATIONS_LIMIT = 256 * 1024;

function lastApplied(object: JsonObject): string {
  const text = valueAt(object, ['metadata', 'annotations', ANNOTATION]);
  return typeof text === 'string' ? text : '';
}

/**
 * The fields that `kubectl apply` without `--server-side` has set and that still have its values, by the annotation that it
 * leaves: `kubectl` may take them over with server-side apply.
 */
export function* allowedByLastApplied(kind: ManagedKind, live: JsonObject): Steps<FieldSet> {
  let document: unknown;
  try {
    document = JSON.parse(lastApplied(live));
  } catch {
    return undefined;
  }
  if (!isJsonObject(document) || document['apiVersion'] !== kind.apiVersion) return undefined;
  try {
    yield* checkType(kind.type, document);
    const { added, modified, removed } = yield* compare(kind.type, document, live);
    let fields = yield* setOfValue(kind.type, document);
    for (const changed of [modified, added, removed]) fields = yield* difference(fields, changed);
    return fields;
  } catch (error) {
    if (error instanceof TypingError || error instanceof UnidentifiedItem) return undefined;
    throw error;
  }
}

/** The annotations of an object after `kubectl` has applied a document: the annotation, if there is one, holds the document. */
export function annotationsAfter(object: JsonObject, document: JsonObject): JsonObject | undefined {
  if (lastApplied(object) === '') return undefined;
  const metadata = isJsonObject(document['metadata']) ? document['metadata'] : {};
  const { annotations, ...others } = metadata;
  const { [ANNOTATION]: _, ...kept } = isJsonObject(annotations) ? annotations : {};
  const shown = Object.keys(kept).length === 0 ? others : { ...others, annotations: kept };
  const text = `${escapeHtml(JSON.stringify(sorted({ ...document, metadata: shown })))}\n`;
  const all = { ...(valueAt(object, ['metadata', 'annotations']) as JsonObject), [ANNOTATION]: text };
  const size = Object.entries(all).reduce((sum, [name, value]) => sum + byteLength(name) + byteLength(value), 0);
  if (size > ANNOTATIONS_LIMIT) delete (all as JsonObject)[ANNOTATION];
  return all;
}

function byteLength(text: unknown): number {
  return Buffer.byteLength(String(text));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sorted(value[name])]));
}
