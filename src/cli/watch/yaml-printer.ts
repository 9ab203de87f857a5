import { stringify } from 'yaml';
import type { InformerEvent } from '../../cache/informer/informer-event.js';
import { escapeControls } from '../../meta/escape-controls.js';
import type { Unstructured } from '../../meta/objects.js';
import type { LineOutput } from '../line-output.js';
import type { Printer, SyncedFact } from './printer.js';

/** Prints a YAML document per event, with the type of the event in a comment at its beginning. */
export class YamlPrinter implements Printer {
  readonly #output: LineOutput;

  constructor(output: LineOutput) {
    this.#output = output;
  }

  event(resource: string, event: InformerEvent<Unstructured>): Promise<void> | undefined {
    const text = stringify(event.object, { lineWidth: 0, aliasDuplicateObjects: false }).trimEnd();
    // A name with a line break must not end the comment: the rest of the name would become a document.
    const key = escapeControls(JSON.stringify(event.key));
    return this.#output.write(`---\n# ${event.type} ${resource} ${key}\n${escapeC1(text)}`);
  }

  synced(resource: string, { count, resourceVersion }: SyncedFact): Promise<void> | undefined {
    return this.#output.write(`# synced ${resource}: ${count} at version ${resourceVersion}`);
  }
}

/** `stringify` quotes texts with control characters, but does not escape those from 0x7f to 0x9f. */
function escapeC1(yaml: string): string {
  return yaml.replace(/[\x7f-\x9f]/g, escapeControls);
}
