import { StatusError } from '../../../meta/errors/errors.js';
import { badRequest, type Status } from '../../../meta/errors/status.js';
import type { Warnings } from '../warnings.js';

/** What a write does with unknown and duplicate fields of its body. */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** The most faults that are told, as on kube-apiserver. */
const MAX_FAULTS = 100;

/** The unknown and duplicate fields of one body, in the order in which kube-apiserver's decoder finds them. */
export class FieldFaults {
  readonly #texts = new Set<string>();
  /** Duplicate keys of a YAML text: one fault for all, but a warning for each. */
  #yaml: readonly string[] = [];

  get isEmpty(): boolean {
    return this.#texts.size === 0 && this.#yaml.length === 0;
  }

  /** Whether no more faults are told. */
  get isFull(): boolean {
    return this.#texts.size >= MAX_FAULTS;
  }

  unknown(path: string): void {
    this.add(`unknown field ${JSON.stringify(path)}`);
  }

  duplicate(path: string): void {
    this.add(`duplicate field ${JSON.stringify(path)}`);
  }

  add(text: string): void {
    if (!this.isFull) this.#texts.add(text);
  }

  /** Takes the faults of another body, each with a text before it. */
  addAll(other: FieldFaults, before = ''): void {
    for (const text of other.#texts) this.add(before + text);
  }

  /** Takes lines as `line 5: key "a" already set in map`. */
  addYaml(lines: readonly string[]): void {
    this.#yaml = lines;
  }

  /** The message of a strict decoding error. */
  get message(): string {
    const yaml = this.#yaml.length === 0 ? [] : [`yaml: unmarshal errors:\n  ${this.#yaml.join('\n  ')}`];
    return `strict decoding error: ${[...yaml, ...this.#texts].join(', ')}`;
  }

  /** Warns of the faults or, if validation is strict, throws the Status that `refuse` makes of their message. */
  settle(validation: FieldValidation, warnings: Warnings, refuse: (message: string) => Status): void {
    if (this.isEmpty || validation === 'Ignore') return;
    if (validation === 'Strict') throw new StatusError(refuse(this.message));
    for (const text of [...this.#yaml, ...this.#texts]) warnings.add(text);
  }
}

/** The Status for a body that a strict decoder refuses. */
export function refusedBody(kind: string, version: string): (message: string) => Status {
  return (message) =>
    badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${message}`);
}
