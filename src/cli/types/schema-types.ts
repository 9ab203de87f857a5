import { getField, isJsonObject, type JsonObject } from '../../meta/json-values.js';
import { docComment } from './doc-comment.js';
import { type Identifiers, propertyName, typeName } from './identifiers.js';

/** A schema that is nested deeper is `unknown`: no definition that people wrote comes near. */
const MAX_DEPTH = 64;

/**
 * Writes the TypeScript types of the schemas of definitions. An object with fields becomes an interface; objects with equal
 * fields share one. Schemas come from others: nothing in them is trusted to have the right type.
 */
export class SchemaTypes {
  /** The interfaces so far, each before those that only it uses. */
  readonly declarations: string[] = [];
  readonly #names: Identifiers;
  /** The name of each interface by its lines. */
  readonly #shared = new Map<string, string>();
  #usesObjectMeta = false;

  constructor(names: Identifiers) {
    this.#names = names;
  }

  /** Whether a type uses ObjectMeta of `kubeflect/types`. */
  get usesObjectMeta(): boolean {
    return this.#usesObjectMeta;
  }

  /**
   * The type of a schema.
   *
   * @param path the words from which the name of an interface is made
   */
  typeOf(schema: unknown, path: readonly string[], depth = 0): string {
    if (!isJsonObject(schema) || depth > MAX_DEPTH) return 'unknown';
    const type = this.#typeOf(schema, path, depth);
    return getField(schema, 'nullable') === true && type !== 'unknown' ? `${type} | null` : type;
  }

  /** The fields of an object schema as the lines of an interface, without those in `except`. */
  fieldsOf(schema: JsonObject, path: readonly string[], depth: number, except: readonly string[] = []): string {
    const properties = getField(schema, 'properties');
    const required = getField(schema, 'required');
    const isRequired = (name: string): boolean => Array.isArray(required) && required.includes(name);
    let text = '';
    if (isJsonObject(properties)) {
      for (const name of Object.keys(properties)) {
        if (except.includes(name)) continue;
        const property = getField(properties, name);
        const type = this.typeOf(property, [...path, name], depth + 1);
        const mark = isRequired(name) ? `: ${type};` : `?: ${type === 'unknown' ? type : `${type} | undefined`};`;
        text += `${docComment(describe(property), '  ')}  ${propertyName(name)}${mark}\n`;
      }
    }
    if (keepsUnknown(schema)) text += '  [field: string]: unknown;\n';
    return text;
  }

  #typeOf(schema: JsonObject, path: readonly string[], depth: number): string {
    const type = getField(schema, 'type');
    const values = getField(schema, 'enum');
    if (Array.isArray(values) && values.length > 0) return union(values.map(literal));
    if (getField(schema, 'x-kubernetes-int-or-string') === true) return 'number | string';
    if (type === 'string' || type === 'boolean') return type;
    if (type === 'integer' || type === 'number') return 'number';
    if (type === 'array') {
      const item = this.typeOf(getField(schema, 'items'), [...path, 'item'], depth + 1);
      return /[ |]/.test(item) ? `(${item})[]` : `${item}[]`;
    }
    if (type === 'object' || isJsonObject(getField(schema, 'properties'))) return this.#objectType(schema, path, depth);
    return this.#alternatives(schema, path, depth);
  }

  #objectType(schema: JsonObject, path: readonly string[], depth: number): string {
    if (getField(schema, 'x-kubernetes-embedded-resource') === true) return this.#embeddedType(schema, path, depth);
    const properties = getField(schema, 'properties');
    if (isJsonObject(properties) && Object.keys(properties).length > 0) {
      const place = this.declarations.length;
      return this.#declare(this.fieldsOf(schema, path, depth), path, schema, place);
    }
    const values = getField(schema, 'additionalProperties');
    if (isJsonObject(values)) return `Record<string, ${this.typeOf(values, [...path, 'value'], depth + 1)}>`;
    return 'Record<string, unknown>';
  }

  /** A whole object inside of another: its metadata is that of every object. */
  #embeddedType(schema: JsonObject, path: readonly string[], depth: number): string {
    this.#usesObjectMeta = true;
    const place = this.declarations.length;
    const own = this.fieldsOf(schema, path, depth, ['apiVersion', 'kind', 'metadata']);
    const common = '  apiVersion: string;\n  kind: string;\n  metadata?: ObjectMeta | undefined;\n';
    return this.#declare(common + own, path, schema, place);
  }

  /** Schemas that are not structural may have their types in alternatives only. */
  #alternatives(schema: JsonObject, path: readonly string[], depth: number): string {
    for (const keyword of ['anyOf', 'oneOf']) {
      const parts = getField(schema, keyword);
      if (!Array.isArray(parts) || parts.length === 0) continue;
      const types = parts.map((part, at) => this.typeOf(part, [...path, `option${at + 1}`], depth + 1));
      if (!types.includes('unknown')) return union(types);
    }
    return 'unknown';
  }

  #declare(lines: string, path: readonly string[], schema: JsonObject, place: number): string {
    const known = this.#shared.get(lines);
    if (known !== undefined) return known;
    const name = this.#names.unique(typeName(...path));
    this.#shared.set(lines, name);
    const comment = docComment(describe(schema, false), '');
    this.declarations.splice(place, 0, `${comment}export interface ${name} {\n${lines}}\n`);
    return name;
  }
}

function keepsUnknown(schema: JsonObject): boolean {
  return (
    getField(schema, 'x-kubernetes-preserve-unknown-fields') === true ||
    getField(schema, 'additionalProperties') === true
  );
}

function literal(value: unknown): string {
  return typeof value === 'object' && value !== null ? 'unknown' : JSON.stringify(value);
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ');
}

/** The description of a schema, and its default. */
function describe(schema: unknown, withDefault = true): string {
  if (!isJsonObject(schema)) return '';
  const description = getField(schema, 'description');
  const fallback = withDefault ? getField(schema, 'default') : undefined;
  const text = typeof description === 'string' ? description : '';
  if (fallback === undefined) return text;
  return `${text === '' ? '' : `${text}\n`}@default ${JSON.stringify(fallback)}`;
}
