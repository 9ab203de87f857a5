import type { ListMeta, ObjectMeta } from '../meta/objects.js';

/** A class of models: `new V1Pod()` has no fields yet. */
export type ModelClass<T> = new () => T;

/**
 * The class of all models. Those of the official client only hold fields, so that an object with the same fields is as good.
 */
// biome-ignore lint/suspicious/noExplicitAny: one class stands for all types of models
export const Model: ModelClass<any> = class Model {};

/** A time with microseconds, as in Leases and Events. */
export class V1MicroTime extends Date {
  override toISOString(): string {
    return super.toISOString().replace('Z', '000Z');
  }
}

/**
 * The form of a type in the official client: times are Dates, names that are reserved words or have special characters are changed,
 * texts with fixed values are any texts, and `apiVersion`, `kind` and `metadata` may be left out.
 */
export type ModelForm<T, TimeField extends string> = T extends string
  ? string
  : T extends readonly (infer Item)[]
    ? ModelForm<Item, TimeField>[]
    : T extends object
      ? T extends { readonly apiVersion: string; readonly kind: string }
        ? { apiVersion?: string | undefined; kind?: string | undefined } & ObjectForm<
            Omit<T, 'apiVersion' | 'kind'>,
            TimeField
          >
        : FieldsForm<T, TimeField>
      : unknown extends T
        ? // biome-ignore lint/suspicious/noExplicitAny: programs were written against this type
          any
        : T;

/** All metadata is that of `V1ObjectMeta` or `V1ListMeta`: the server sets more of it than a program has to. */
type ObjectForm<T, TimeField extends string> = T extends { readonly metadata: infer Metadata }
  ? {
      metadata?: FieldsForm<'labels' extends keyof Metadata ? ObjectMeta : Partial<ListMeta>, TimeField> | undefined;
    } & FieldsForm<Omit<T, 'metadata'>, TimeField>
  : FieldsForm<T, TimeField>;

type FieldsForm<T, TimeField extends string> = {
  [Field in keyof T as FieldName<Field>]: Field extends TimeField ? Date : ModelForm<T[Field], TimeField>;
};

type FieldName<Field> = Field extends 'continue' | 'default' | 'enum' | 'from' | 'int'
  ? `_${Field}`
  : Field extends `$${infer Rest}`
    ? Rest
    : Field extends string
      ? Underscored<Field>
      : Field;

type Underscored<Text extends string> = Text extends `${infer Head}-${infer Tail}`
  ? `${Head}_${Underscored<Tail>}`
  : Text;
