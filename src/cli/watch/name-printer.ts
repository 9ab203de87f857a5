import type { InformerEvent } from '../../cache/informer/informer-event.js';
import { escapeControls } from '../../meta/escape-controls.js';
import type { LineOutput } from '../terminal/line-output.js';
import type { Printer } from './printer.js';

/**
 * Prints the key of each changed object on a line, for loops in a shell. Never parses objects. With several resources, the
 * resource precedes the key. Control characters in a key are escaped, so that each line is one key.
 */
export class NamePrinter implements Printer {
  readonly #output: LineOutput;
  readonly #withResource: boolean;

  constructor(output: LineOutput, options: { readonly withResource: boolean }) {
    this.#output = output;
    this.#withResource = options.withResource;
  }

  event(resource: string, { key }: InformerEvent<unknown>): Promise<void> | undefined {
    return this.#output.write(escapeControls(this.#withResource ? `${resource} ${key}` : key));
  }

  synced(): undefined {}
}
