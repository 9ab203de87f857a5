import { stringify } from 'yaml';
import type { InformerEvent } from '../../cache/informer/informer-event.js';
import { escapeControls } from '../../meta/escape-controls.js';
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
    // A name with a line break must not end the comment: what follows would be a document of the name's author.
    const key = escapeControls(JSON.stringify(event.key));
    return this.#output.write(`---\n# ${event.type} ${resource} ${key}\n${escapeC1(text)}`);
  }

  synced(resource: string, { count, resourceVersion }: SyncedFact): Promise<void> | undefined {
    return this.#output.write(`# synced ${resource}: ${count} at version ${resourceVersion}`);
  }
}

/** Texts with control characters are always quoted, but the writer leaves those of the second half as they are. */
function escapeC1(yaml: string): string {
  return yaml.replace(/[\x7f-\x9f]/g, escapeControls);
}
