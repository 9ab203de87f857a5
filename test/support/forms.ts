import { jsonCodec } from '../../src/codec/json/json-codec.js';
import { type Raw, rawAccessorOf } from '../../src/codec/raw.js';
import { SlabArena } from '../../src/codec/slab.js';
import { type Accessor, objectAccessor } from '../../src/meta/accessor.js';
import type { DeletedFinalStateUnknown } from '../../src/meta/key.js';

/** A small object for tests: metadata, and a value that differs between its versions. */
export interface Thing {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly resourceVersion?: string;
    readonly uid?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly value?: number | string;
}

/** One of the two ways in which caches store objects; every test runs on both. */
export interface Form<T> {
  readonly name: string;
  readonly accessor: Accessor<T, Thing>;
  make(thing: Thing): T;
  read(item: T): Thing;
}

export const plainForm: Form<Thing> = {
  name: 'plain objects',
  accessor: objectAccessor as unknown as Accessor<Thing, Thing>,
  make: (thing) => thing,
  read: (item) => item,
};

const arena = new SlabArena();

/** Handles to encoded bytes. `read` decodes them each time. */
const rawForm: Form<Raw<Thing>> = {
  name: 'raw handles',
  accessor: rawAccessorOf<Thing>(),
  make: (thing) => jsonCodec.raw<Thing>(jsonCodec.encode(thing), { arena }),
  read: (item) => item.decode(),
};

/** Both forms, for `describe.each(forms)`. Tests do not depend on their item types. */
// biome-ignore lint/suspicious/noExplicitAny: a test body is written once for items of any type
export const forms: readonly Form<any>[] = [plainForm, rawForm];

/** `thing('foo', 5)`: an object named foo with the value 5; `thing('ns/foo')` has a namespace. */
export function thing(key: string, value?: number | string, more: Partial<Thing['metadata']> = {}): Thing {
  const slash = key.indexOf('/');
  const name = slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
  const object = { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { ...name, ...more } };
  return value === undefined ? object : { ...object, value };
}

/** How tests show an item or a tombstone: `foo=5`, `gone foo=5`, `gone foo`. */
export function show<T>(form: Form<T>, item: T | DeletedFinalStateUnknown<T>): string {
  if (typeof item === 'object' && item !== null && 'key' in item && 'object' in item) {
    const { key, object } = item as DeletedFinalStateUnknown<T>;
    return object === undefined ? `gone ${key}` : `gone ${show(form, object)}`;
  }
  const { metadata, value } = form.read(item as T);
  return value === undefined ? metadata.name : `${metadata.name}=${value}`;
}
