import { getField, isJsonObject } from '../../meta/json-values.js';
import type { FieldPath } from '../raw.js';
import { Field, Kind, MessageType, Shape } from './message-type.js';

/**
 * A type with only those fields of `type` that lie on the paths, down to the first list, map or scalar of each. Decoding an
 * object with it skips all others, and reads the values at the paths.
 */
export function project(type: MessageType, paths: readonly FieldPath[]): MessageType {
  const projected = new MessageType(type.name);
  const owners = new Set<Field>();
  for (const field of type.slots) {
    const rests = restsOf(paths, field.name);
    if (rests.length === 0) continue;
    const owner = inlineOf(type, field);
    if (owner === undefined) {
      const slot = projected.slots.length;
      projected.addField(
        new Field(field.name, field.number, slot, projectShape(field.shape, rests), field.pointer, field.always),
      );
    } else if (!owners.has(owner)) {
      owners.add(owner);
      addInlined(projected, owner, project(owner.type!, paths));
    }
  }
  return projected.finish();
}

/**
 * The type without the fields at the paths, so that a dropped field is missing from decoded objects although Go prints its
 * zero value. Returns `type` itself if no such field is among them.
 */
export function withoutPaths(type: MessageType, paths: readonly FieldPath[]): MessageType {
  if (!paths.some((path) => isAlwaysAt(type, path))) return type;
  const reduced = new MessageType(type.name);
  const owners = new Set<Field>();
  for (const field of type.slots) {
    const owner = inlineOf(type, field);
    if (owner !== undefined) {
      if (!owners.has(owner)) addInlined(reduced, owner, withoutPaths(owner.type!, paths));
      owners.add(owner);
      continue;
    }
    const rests = restsOf(paths, field.name);
    if (rests.some((rest) => rest.length === 0)) continue;
    const shape = field.kind === Kind.Message ? new Shape(Kind.Message, withoutPaths(field.type!, rests)) : field.shape;
    reduced.addField(new Field(field.name, field.number, reduced.slots.length, shape, field.pointer, field.always));
  }
  return reduced.finish();
}

function isAlwaysAt(type: MessageType, [name = '', ...rest]: FieldPath): boolean {
  const field = type.byName.get(name);
  if (field === undefined) return false;
  return rest.length === 0 ? field.always : field.kind === Kind.Message && isAlwaysAt(field.type!, rest);
}

/** What is left of the paths that begin with the name. */
function restsOf(paths: readonly FieldPath[], name: string): FieldPath[] {
  return paths.filter((path) => path[0] === name).map((path) => path.slice(1));
}

function projectShape(shape: Shape, rests: readonly FieldPath[]): Shape {
  if (shape.kind !== Kind.Message || rests.some((rest) => rest.length === 0)) return shape;
  return new Shape(Kind.Message, project(shape.type!, rests));
}

/** The field of the inlined message that the field is part of. */
export function inlineOf(type: MessageType, field: Field): Field | undefined {
  if (field.number > 0) return undefined;
  return type.fields.find(({ kind, type: part }) => kind === Kind.Inline && part!.byName.has(field.name));
}

function addInlined(into: MessageType, owner: Field, part: MessageType): void {
  const slot = into.slots.length;
  for (const { name, shape, pointer, always } of part.slots) {
    into.addField(new Field(name, 0, into.slots.length, shape, pointer, always));
  }
  into.fields.push(new Field('', owner.number, slot, new Shape(Kind.Inline, part), false, false));
}

/** Projections to one path, by type and by the names of the path. */
class PathNode {
  readonly children = new Map<string, PathNode>();
  projection: MessageType | undefined;
}

const roots = new WeakMap<MessageType, PathNode>();

/** {@link project} for one path, whose result is kept. */
export function projectPath(type: MessageType, path: FieldPath): MessageType {
  let node: PathNode = roots.get(type) ?? new PathNode();
  roots.set(type, node);
  // Names after a map are data, and not kept.
  let message: MessageType | undefined = type;
  let used = 0;
  for (; message !== undefined && used < path.length; used++) {
    const name: string = path[used]!;
    const field: Field | undefined = message.byName.get(name);
    if (field === undefined) break;
    const child: PathNode = node.children.get(name) ?? new PathNode();
    node.children.set(name, child);
    node = child;
    message = field.kind === Kind.Message ? field.type : undefined;
  }
  node.projection ??= project(type, [path.slice(0, used)]);
  return node.projection;
}

/** The value at a path of a decoded object; undefined if there is none. */
export function valueAt(object: unknown, path: FieldPath): unknown {
  let value = object;
  for (const name of path) {
    if (Array.isArray(value)) {
      if (name === 'length') value = value.length;
      else value = String(Number(name)) === name ? value[Number(name)] : undefined;
    } else if (isJsonObject(value)) value = getField(value, name);
    else return undefined;
  }
  return value;
}
