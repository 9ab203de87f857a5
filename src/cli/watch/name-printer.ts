import type { InformerEvent } from '../../cache/informer/informer-event.js';
import { escapeControls } from '../../meta/escape-controls.js';
import type { LineOutput } from '../line-output.js';
import type { Printer } from './printer.js';

/**
 * The key of whatever changed, a line each: what a loop in a shell reads to look at the object itself. Never parses. With
 * several resources the resource stands before the key. Control characters in a key are written out, so that each line is a key.
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
