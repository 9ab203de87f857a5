import { parse, parseAllDocuments, stringify } from 'yaml';
import { checkYamlDepth } from '../codec/yaml/yaml-tokens.js';
import type { CompatObject } from './informer.js';
import { modelToJson, toModelForm } from './model-form.js';

/** Reads the first document of a YAML text, as a model if its kind is a built-in one. */
export function loadYaml<T>(data: string): T {
  checkYamlDepth(data);
  return asModel(parse(data)) as T;
}

/** Reads all documents of a YAML text. */
// biome-ignore lint/suspicious/noExplicitAny: programs were written against this type
export function loadAllYaml(data: string): any[] {
  checkYamlDepth(data);
  const documents = parseAllDocuments(data);
  return Array.isArray(documents) ? documents.map((document) => asModel(document.toJS())) : [];
}

/** Writes an object as YAML. */
export function dumpYaml(object: unknown): string {
  return stringify(typeof object === 'object' && object !== null ? modelToJson(object as CompatObject) : object);
}

function asModel(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? toModelForm(value as CompatObject) : value;
}
