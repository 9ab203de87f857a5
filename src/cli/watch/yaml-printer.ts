import type { InformerEvent } from '../../cache/informer/informer-event.js';
import { escapeControls } from '../../meta/escape-controls.js';
import type { Unstructured } from '../../meta/objects.js';
import type { LineOutput } from '../terminal/line-output.js';
import { yamlText } from '../terminal/object-text.js';
import type { Printer, SyncedFact } from './printer.js';

/** Prints a YAML document per event, with the type of the event in a comment at its beginning. */
export class YamlPrinter implements Printer {
  readonly #output: LineOutput;

  constructor(output: LineOutput) {
    this.#output = output;
  }

  event(resource: string, event: InformerEvent<Unstructured>): Promise<void> | undefined {
    // A name with a line break must not end the comment: the rest of the name would become a document.
    const key = escapeControls(JSON.stringify(event.key));
    return this.#output.write(`---\n# ${event.type} ${resource} ${key}\n${yamlText(event.object)}`);
  }

  synced(resource: string, { count, resourceVersion }: SyncedFact): Promise<void> | undefined {
    return this.#output.write(`# synced ${resource}: ${count} at version ${resourceVersion}`);
  }
}
