import { endOfString } from '../../../codec/json/large-json.js';
import { getField, isJsonObject, type JsonObject, setField } from '../../../meta/json-values.js';
import type { Schema } from '../../../resources/schema.js';
import type { Steps } from '../../../time/steps.js';
import type { FieldFaults } from './field-faults.js';

/** A step after so many values. */
const STEP = 1024;

/**
 * Parses a JSON text, known to be valid, as Go decodes it into a type: of two fields with one name the later counts, but
 * objects and maps of known fields keep the members of both. Adds unknown and duplicate fields to `faults`, in the order of the
 * text. Slower than JSON.parse: only for texts that have a duplicate.
 *
 * @param schema of the document; undefined for one without a type, whose duplicates are found on all levels
 */
export function* parseWithDuplicates(text: string, schema: Schema | undefined, faults: FieldFaults): Steps<unknown> {
  return yield* new Reader(text, faults).document(schema);
}

/** Whether duplicates in a value are told: not in values that Go reads by functions of their own, nor in unknown fields. */
type Told = 'all' | 'none';

class Reader {
  readonly #text: string;
  readonly #faults: FieldFaults;
  #at = 0;
  #values = 0;

  constructor(text: string, faults: FieldFaults) {
    this.#text = text;
    this.#faults = faults;
  }

  *document(schema: Schema | undefined): Steps<unknown> {
    return yield* this.#value(schema, '', undefined, 'all');
  }

  *#value(schema: Schema | undefined, path: string, before: unknown, told: Told): Steps<unknown> {
    if (++this.#values % STEP === 0) yield;
    this.#skipSpace();
    const first = this.#text[this.#at];
    if (first === '{') return yield* this.#object(schema, path, before, told);
    if (first === '[') return yield* this.#array(schema, path, told);
    const start = this.#at;
    if (first === '"') this.#at = endOfString(this.#text, start) + 1;
    else while (this.#at < this.#text.length && !',]} \t\r\n'.includes(this.#text[this.#at]!)) this.#at++;
    return JSON.parse(this.#text.slice(start, this.#at));
  }

  *#array(schema: Schema | undefined, path: string, told: Told): Steps<unknown[]> {
    const items = schema?.type === 'list' ? schema.items : undefined;
    const result: unknown[] = [];
    this.#at++;
    for (this.#skipSpace(); this.#text[this.#at] !== ']'; this.#skipSpace()) {
      result.push(yield* this.#value(items, `${path}[${result.length}]`, undefined, told));
      this.#skipSpace();
      if (this.#text[this.#at] === ',') this.#at++;
    }
    this.#at++;
    return result;
  }

  *#object(schema: Schema | undefined, path: string, before: unknown, told: Told): Steps<JsonObject> {
    const keepsBoth = schema?.type === 'object' || schema?.type === 'map';
    const result: JsonObject = keepsBoth && isJsonObject(before) ? before : {};
    const seen = new Set<string>();
    this.#at++;
    for (this.#skipSpace(); this.#text[this.#at] !== '}'; this.#skipSpace()) {
      const start = this.#at;
      this.#at = endOfString(this.#text, start) + 1;
      const name = JSON.parse(this.#text.slice(start, this.#at)) as string;
      this.#skipSpace();
      this.#at++;
      const place = path === '' ? name : `${path}.${name}`;
      const { next, toldInside } = this.#member(schema, name, place, seen, told);
      const present = schema?.type === 'object' ? getField(result, name) : undefined;
      setField(result, name, yield* this.#value(next, place, present, toldInside));
      this.#skipSpace();
      if (this.#text[this.#at] === ',') this.#at++;
    }
    this.#at++;
    return result;
  }

  /** Notes a member and its faults; returns how its value is read. */
  #member(
    schema: Schema | undefined,
    name: string,
    place: string,
    seen: Set<string>,
    told: Told,
  ): { next: Schema | undefined; toldInside: Told } {
    const field = schema?.type === 'object' ? schema.fields.get(name) : undefined;
    if (told === 'all') {
      if (schema?.type === 'object' && field === undefined) this.#faults.unknown(place);
      else if (seen.has(name)) this.#faults.duplicate(place);
    }
    seen.add(name);
    const next = field?.schema ?? (schema?.type === 'map' ? schema.values : undefined);
    const isOpaque = schema !== undefined && (next === undefined || next.type === 'any');
    return { next, toldInside: isOpaque ? 'none' : told };
  }

  #skipSpace(): void {
    while (' \t\r\n'.includes(this.#text[this.#at] ?? '!')) this.#at++;
  }
}
