import { stringify } from 'yaml';
import type { InformerEvent } from '../../cache/informer/informer-event.js';
import type { Unstructured } from '../../meta/objects.js';
import type { LineOutput } from '../line-output.js';
import type { Printer, SyncedFact } from './printer.js';

/** A stream of YAML documents; a comment at the beginning of each says what happened to the object. */
export class YamlPrinter implements Printer {
  readonly #output: LineOutput;

  constructor(output: LineOutput) {
    this.#output = output;
  }

  event(resource: string, event: InformerEvent<Unstructured>): Promise<void> | undefined {
    const text = stringify(event.object, { lineWidth: 0, aliasDuplicateObjects: false }).trimEnd();
    return this.#output.write(`---\n# ${event.type} ${resource} ${event.key}\n${text}`);
  }

  synced(resource: string, { count, resourceVersion }: SyncedFact): Promise<void> | undefined {
    return this.#output.write(`# synced ${resource}: ${count} at version ${resourceVersion}`);
  }
}
