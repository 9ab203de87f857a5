/** The kinds of types of the checker. `struct` types are equal if their names are; `opaque` ones if names and parameters are. */
export type TypeKind =
  | 'bool'
  | 'bytes'
  | 'double'
  | 'duration'
  | 'dyn'
  | 'error'
  | 'int'
  | 'list'
  | 'map'
  | 'null'
  | 'opaque'
  | 'param'
  | 'string'
  | 'struct'
  | 'timestamp'
  | 'type'
  | 'uint';

/** A type of CEL. At run time it is also the value of `type(x)`. */
export class CelType {
  /** `name` is that of `type(x)`, such as `google.protobuf.Timestamp`. */
  constructor(
    readonly kind: TypeKind,
    readonly name: string,
    readonly parameters: readonly CelType[] = [],
    /** The fields of a struct, by escaped name. Undefined for structs that have no fields to read, such as Quantity. */
    readonly fields?: ReadonlyMap<string, CelType> | undefined,
  ) {}

  equals(other: CelType): boolean {
    return (
      this === other ||
      (this.kind === other.kind &&
        this.name === other.name &&
        this.parameters.length === other.parameters.length &&
        this.parameters.every((parameter, i) => parameter.equals(other.parameters[i] as CelType)))
    );
  }

  /** The type as messages show it: `map(string, list(int))`. */
  toString(): string {
    const name = this.kind === 'null' || this.kind === 'timestamp' || this.kind === 'duration' ? this.kind : this.name;
    return this.parameters.length === 0 ? name : `${name}(${this.parameters.join(', ')})`;
  }
}

export const boolType: CelType = new CelType('bool', 'bool');
export const bytesType: CelType = new CelType('bytes', 'bytes');
export const doubleType: CelType = new CelType('double', 'double');
export const durationType: CelType = new CelType('duration', 'google.protobuf.Duration');
export const dynType: CelType = new CelType('dyn', 'dyn');
export const errorType: CelType = new CelType('error', '!error!');
export const intType: CelType = new CelType('int', 'int');
export const nullType: CelType = new CelType('null', 'null_type');
export const stringType: CelType = new CelType('string', 'string');
export const timestampType: CelType = new CelType('timestamp', 'google.protobuf.Timestamp');
export const uintType: CelType = new CelType('uint', 'uint');

export function listType(element: CelType): CelType {
  return new CelType('list', 'list', [element]);
}

export function mapType(key: CelType, value: CelType): CelType {
  return new CelType('map', 'map', [key, value]);
}

export function optionalType(value: CelType): CelType {
  return new CelType('opaque', 'optional_type', [value]);
}

export function typeOfType(type?: CelType): CelType {
  return new CelType('type', 'type', type === undefined ? [] : [type]);
}

/** The type within an optional; undefined for other types. */
export function optionalValueType(type: CelType): CelType | undefined {
  return type.kind === 'opaque' && type.name === 'optional_type' ? type.parameters[0] : undefined;
}
