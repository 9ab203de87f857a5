import type { JsonObject } from '../../meta/json-values.js';
import { randomUid } from '../../time/random-uid.js';
import { selectedFields } from '../resources/strategy.js';
import { keyOf } from '../storage/storage.js';
import { API_SERVER, type ServerControllerContext } from './server-controller.js';

/** What many objects have in common: everything but the name and the fields besides type and metadata. */
export interface Form {
  readonly group: string;
  readonly kind: string;
  readonly resource: string;
  readonly namespace?: string | undefined;
  readonly generation?: number | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  /** The names of the fields besides metadata that each manager owns. */
  readonly owned: Readonly<Record<string, JsonObject>>;
}

/** An object as JSON text, in which the uid and the times are still marks. */
export interface PrintedDefault {
  readonly form: Form;
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

const NAME_MARK = '<name>';
const UID_MARK = '<uid>';
const VERSION_MARK = '<version>';
/** Stands for the time of the start in the content of an object. */
export const TIME_MARK = '<time>';

/**
 * Commits the objects that do not exist, as text that is printed once per process; those of a missing namespace are left out.
 * They are complete, and the steps of a create for each of them would make the start of a server several times as long.
 */
export function storeMissing(
  { registry, writer, clock }: ServerControllerContext,
  objects: readonly PrintedDefault[],
): void {
  const namespaces = registry.find('', 'v1', 'namespaces')!.collection;
  const time = writer.timestamp();
  for (const { form, name, before, after } of objects) {
    const { group, namespace = '', labels } = form;
    const { collection, storedFields } = registry.find(group, 'v1', form.resource)!;
    if (collection.get(keyOf(namespace, name)) !== undefined) continue;
    if (namespace !== '' && namespaces.get(namespace) === undefined) continue;
    const uid = randomUid(clock);
    const json = { before: before.replace(UID_MARK, uid), after: after.replaceAll(TIME_MARK, time) };
    const hasFields = Object.keys(storedFields).length > 0;
    const fields = hasFields ? selectedFields(storedFields, JSON.parse(`${json.before}${json.after}`)) : {};
    collection.put({ namespace, name, object: { metadata: { uid, labels } }, fields, json });
  }
}

/** Prints objects: the text of each form once, and into it the name and the content. */
export function printEach<T extends { readonly name: string }>(
  objects: readonly T[],
  formOf: (object: T) => readonly [key: string, make: () => Form],
  contentOf: (object: T) => string,
): PrintedDefault[] {
  const forms = new Map<string, { readonly form: Form; readonly before: string; readonly after: string }>();
  return objects.map((object) => {
    const { name } = object;
    const [key, make] = formOf(object);
    let known = forms.get(key);
    if (known === undefined) forms.set(key, (known = printForm(make())));
    const { form, before, after } = known;
    return { form, name, before: before.replace(NAME_MARK, name), after: `${after}${contentOf(object)}}` };
  });
}

/** An object of the form up to its content, before and after the resourceVersion. */
function printForm(form: Form): { readonly form: Form; readonly before: string; readonly after: string } {
  const { group, kind, namespace, generation, labels, annotations, owned } = form;
  const apiVersion = group === '' ? 'v1' : `${group}/v1`;
  const managedFields = Object.entries(owned).map(([manager, fields]) => {
    const maps = manager === API_SERVER ? mapFields({ annotations, labels }) : {};
    const fieldsV1 = Object.keys(maps).length > 0 ? { 'f:metadata': maps, ...fields } : fields;
    return { manager, operation: 'Update', apiVersion, time: TIME_MARK, fieldsType: 'FieldsV1', fieldsV1 };
  });
  const metadata = {
    name: NAME_MARK,
    namespace,
    uid: UID_MARK,
    resourceVersion: VERSION_MARK,
    generation,
    creationTimestamp: TIME_MARK,
    labels,
    annotations,
    managedFields,
  };
  const [before = '', after = ''] = JSON.stringify({ kind, apiVersion, metadata }).split(VERSION_MARK);
  return { form, before, after: after.slice(0, -1) };
}

/** The names of the fields of maps, as managedFields has them. */
function mapFields(maps: Readonly<Record<string, Readonly<Record<string, string>> | undefined>>): JsonObject {
  const fields: JsonObject = {};
  for (const [name, map] of Object.entries(maps)) {
    if (map !== undefined) fields[`f:${name}`] = { '.': {}, ...leaves(Object.keys(map)) };
  }
  return fields;
}

export function leaves(names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [`f:${name}`, {}]));
}
