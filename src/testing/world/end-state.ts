import type { ApiServer } from '../../apiserver/index.js';
import { CERTIFICATES_LABEL } from '../../controller/webhooks/certificates/certificate-secret.js';
import type { JsonObject } from '../../meta/json-values.js';

/** Kinds whose objects tell how a world came to its end, and not which one; and those that say where the scheduler put pods. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'leases.coordination.k8s.io',
  'events',
  'events.events.k8s.io',
  'nodes',
  'endpoints',
  'endpointslices.discovery.k8s.io',
]);
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const ADDRESS = /^\d{1,3}(\.\d{1,3}){3}$/;
/** Metadata that differs between two worlds with the same end. */
const LEFT_OUT_METADATA: readonly string[] = [
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'managedFields',
  'generation',
];

/** The objects of a world, as text: by kind and key, without uids, versions, times and addresses. */
export type EndState = ReadonlyMap<string, string>;

/**
 * Reads all objects of a server. Objects with a generated name are numbered in the order of their content, and a uid that
 * refers to another object becomes the key of that.
 */
export function endStateOf(api: ApiServer): EndState {
  const objects: { kind: string; key: string; object: JsonObject; uid: string }[] = [];
  for (const collection of api.storage.collections()) {
    if (LEFT_OUT.has(collection.id)) continue;
    collection.scan(Number.POSITIVE_INFINITY, '', '', (revision) => {
      // Certificates of webhooks are random.
      if (collection.id === 'secrets' && Object.hasOwn(revision.labels, CERTIFICATES_LABEL)) return true;
      objects.push({ kind: collection.id, key: revision.key, object: revision.decode(), uid: revision.uid });
      return true;
    });
  }
  const names = new Map<string, string>();
  for (const { kind, key, object, uid } of objects) {
    const { generateName, name } = object['metadata'] as { generateName?: string; name?: string };
    const shown = generateName === undefined ? key : key.replace(name ?? '', `${generateName}*`);
    names.set(uid, `${kind} ${shown}`);
    if (generateName !== undefined && name !== undefined) names.set(name, `${generateName}*`);
  }
  const state = new Map<string, string>();
  const texts = objects.map(
    ({ object, uid }) => [names.get(uid) ?? uid, JSON.stringify(plain(object, names))] as const,
  );
  for (const [shown, text] of texts.sort(([a, x], [b, y]) => compare(a, b) || compare(x, y))) {
    let name = shown;
    for (let i = 2; state.has(name); i++) name = `${shown} (${i})`;
    state.set(name, text);
  }
  return state;
}

/** The object without what may differ, with sorted fields. */
function plain(object: JsonObject, names: ReadonlyMap<string, string>): unknown {
  const metadata = { ...(object['metadata'] as JsonObject) };
  const { generation } = metadata as { generation?: number };
  for (const field of LEFT_OUT_METADATA) delete metadata[field];
  return visit({ ...object, metadata });

  function visit(value: unknown): unknown {
    if (typeof value === 'string') return plainText(value, names);
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== 'object' || value === null) return value;
    const fields = Object.entries(value).sort(([a], [b]) => compare(a, b));
    return Object.fromEntries(
      fields.map(([name, field]) => {
        // A generation counts writes; whether it was observed is part of the end.
        if (name === 'nodeName') return [name, '<node>'];
        if (name === 'caBundle') return [name, '<authorities>'];
        if (name === 'observedGeneration' && field === generation) return [name, '<current>'];
        return [name, visit(field)];
      }),
    );
  }
}

function plainText(text: string, names: ReadonlyMap<string, string>): string {
  if (TIME.test(text)) return '<time>';
  if (ADDRESS.test(text)) return '<address>';
  return names.get(text) ?? text.replace(UID, '<uid>');
}

/** What one end has and the other has not, one line per object; empty if they are equal. */
export function differencesOf(expected: EndState, found: EndState): string[] {
  const lines: string[] = [];
  for (const [name, text] of expected) {
    const other = found.get(name);
    if (other === undefined) lines.push(`${name} is missing`);
    else if (other !== text) lines.push(`${name} differs: ${firstDifference(JSON.parse(text), JSON.parse(other), '')}`);
  }
  for (const name of found.keys()) if (!expected.has(name)) lines.push(`${name} should not exist`);
  return lines;
}

function firstDifference(expected: unknown, found: unknown, path: string): string {
  if (isObject(expected) && isObject(found)) {
    for (const name of new Set([...Object.keys(expected), ...Object.keys(found)])) {
      const [a, b] = [expected[name], found[name]];
      if (JSON.stringify(a) !== JSON.stringify(b)) return firstDifference(a, b, path === '' ? name : `${path}.${name}`);
    }
  }
  return `${path} is ${brief(found)}, undisturbed it is ${brief(expected)}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function brief(value: unknown): string {
  const text = JSON.stringify(value) ?? 'absent';
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
