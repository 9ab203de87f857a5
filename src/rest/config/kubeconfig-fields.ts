import { Secret } from '../../meta/secret.js';
import { ConfigError } from '../credentials/config-errors.js';
import { type PemSource, pemData, pemFromBase64 } from '../credentials/pem.js';

/**
 * Reads the fields of a parsed kubeconfig and checks their types. Errors name the file and the path of the field, and contain
 * no value. Null and the empty string count as missing, as in kubectl.
 */
export class Fields {
  readonly #values: Readonly<Record<string, unknown>>;
  readonly #file: string;
  readonly #path: string;

  constructor(value: unknown, file: string, path = '') {
    this.#file = file;
    this.#path = path;
    if (value !== undefined && value !== null && (typeof value !== 'object' || Array.isArray(value))) {
      throw this.error('', 'must be a map');
    }
    this.#values = (value ?? {}) as Readonly<Record<string, unknown>>;
  }

  /** An error about a field, or about the document if `field` is ''. */
  error(field: string, reason: string): ConfigError {
    const path = [this.#path, field].filter((part) => part !== '').join('.') || 'the document';
    return new ConfigError(`kubeconfig ${this.#file}: ${path} ${reason}`, { file: this.#file });
  }

  has(field: string): boolean {
    return this.#get(field) !== undefined;
  }

  string(field: string): string | undefined {
    const value = this.#get(field);
    if (value !== undefined && typeof value !== 'string') throw this.error(field, 'must be a string: put it in quotes');
    return value;
  }

  required(field: string): string {
    const value = this.string(field);
    if (value === undefined) throw this.error(field, 'is missing');
    return value;
  }

  secret(field: string): Secret | undefined {
    const value = this.string(field);
    return value === undefined ? undefined : new Secret(value);
  }

  boolean(field: string): boolean {
    const value = this.#get(field) ?? false;
    if (typeof value !== 'boolean') throw this.error(field, 'must be true or false');
    return value;
  }

  strings(field: string): readonly string[] {
    return this.#list(field).map((item, index) => {
      if (typeof item !== 'string') throw this.error(`${field}[${index}]`, 'must be a string: put it in quotes');
      return item;
    });
  }

  /** A string that must be one of `allowed`. */
  oneOf<T extends string>(field: string, allowed: readonly T[]): T | undefined {
    const value = this.string(field);
    if (value === undefined || allowed.includes(value as T)) return value as T | undefined;
    throw this.error(field, `must be one of ${allowed.join(', ')}`);
  }

  /** A nested map; empty if it is missing. */
  map(field: string): Fields {
    return new Fields(this.#values[field], this.#file, this.#path === '' ? field : `${this.#path}.${field}`);
  }

  /** The names of all fields. */
  names(): readonly string[] {
    return Object.keys(this.#values);
  }

  maps(field: string): readonly Fields[] {
    const path = this.#path === '' ? field : `${this.#path}.${field}`;
    return this.#list(field).map((item, index) => new Fields(item, this.#file, `${path}[${index}]`));
  }

  /** A field of any type, unchecked. */
  raw(field: string): unknown {
    return this.#values[field];
  }

  /**
   * A PEM text: base64 in `<field>-data`, or the file named by `field`. The data override the file, and must be PEM.
   */
  pem(field: string, resolvePath: (path: string) => string): PemSource | undefined {
    const data = this.string(`${field}-data`);
    if (data === undefined) {
      const file = this.string(field);
      return file === undefined ? undefined : { file: resolvePath(file) };
    }
    const pem = pemFromBase64(data);
    if (pem === undefined) throw this.error(`${field}-data`, 'must be the base64 form of a PEM text');
    return pemData(pem);
  }

  #get(field: string): unknown {
    const value = Object.hasOwn(this.#values, field) ? this.#values[field] : undefined;
    return value === null || value === '' ? undefined : value;
  }

  #list(field: string): readonly unknown[] {
    const value = this.#get(field) ?? [];
    if (!Array.isArray(value)) throw this.error(field, 'must be a list');
    return value;
  }
}
