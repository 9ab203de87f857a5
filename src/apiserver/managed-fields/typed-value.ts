import { getField, isJsonObject } from '../../meta/json-values.js';
import type { OwnedList, OwnedMap, OwnedType } from './owned-type.js';
import { keyElement, type PathElement, valueElement } from './path-element.js';

/** The forms that a value can have in server-side apply. */
type Shape = 'map' | 'scalar' | 'list';

/**
 * The shape of a type that a value takes. `isGiven`: the value decided about it; otherwise it is null, or of none of the
 * type's shapes.
 */
export function shapeOf(type: OwnedType, value: unknown): { readonly shape: Shape; readonly isGiven: boolean } {
  if (value !== undefined && value !== null) {
    const shape = Array.isArray(value) ? 'list' : typeof value === 'object' ? 'map' : 'scalar';
    if (type[shape] !== undefined) return GIVEN[shape];
  }
  return OTHER[type.map !== undefined ? 'map' : type.scalar !== undefined ? 'scalar' : 'list'];
}

const shapes = (isGiven: boolean): Readonly<Record<Shape, { shape: Shape; isGiven: boolean }>> => ({
  map: { shape: 'map', isGiven },
  scalar: { shape: 'scalar', isGiven },
  list: { shape: 'list', isGiven },
});
const GIVEN = shapes(true);
const OTHER = shapes(false);

/** Whether values of a type may have different shapes. */
export function isUnion(type: OwnedType): boolean {
  return Number(type.map !== undefined) + Number(type.scalar !== undefined) + Number(type.list !== undefined) > 1;
}

/** The type of a field; undefined for one that is not declared. */
export function fieldType(map: OwnedMap, name: string): OwnedType | undefined {
  return map.fields.get(name)?.type ?? map.values;
}

/** An item of a list that has no identity. */
export class UnidentifiedItem extends Error {}

/** The element that identifies an item of a list which is not atomic. Throws an {@link UnidentifiedItem}. */
export function itemElement(list: OwnedList, item: unknown): PathElement {
  if (list.keys.length === 0) return setElement(item);
  if (item === null) throw new UnidentifiedItem('associative list with keys may not have a null element');
  if (!isJsonObject(item)) throw new UnidentifiedItem('associative list with keys may not have non-map elements');
  const keys: [string, unknown][] = [];
  for (const name of list.keys) {
    const value = getField(item, name) ?? list.items.map?.fields.get(name)?.default;
    if (value !== undefined) keys.push([name, value]);
  }
  if (keys.length === 0) {
    const names = list.keys.map((name) => JSON.stringify(name)).join(' ');
    const why = "and doesn't have default values for any key fields";
    throw new UnidentifiedItem(
      `associative list with keys has an element that omits all key fields [${names}] (${why})`,
    );
  }
  return keyElement(keys);
}

function setElement(item: unknown): PathElement {
  if (item === null) throw new UnidentifiedItem("associative list without keys has an element that's an explicit null");
  if (Array.isArray(item)) throw new UnidentifiedItem('not supported: associative list with lists as elements');
  if (typeof item === 'object') {
    throw new UnidentifiedItem("associative list without keys has an element that's a map type");
  }
  return valueElement(item);
}
