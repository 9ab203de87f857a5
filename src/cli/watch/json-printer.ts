import type { InformerEvent } from '../../cache/informer/informer-event.js';
import type { Unstructured } from '../../meta/objects.js';
import type { LineOutput } from '../terminal/line-output.js';
import { escapeC1 } from '../terminal/object-text.js';
import type { FinalFact, Printer, SyncedFact } from './printer.js';

/**
 * Prints one JSON object per line. Scripts rely on the fields: add some, but never change one. Objects are copied from the
 * bytes of the server without parsing.
 */
export class JsonPrinter implements Printer {
  readonly #output: LineOutput;
  readonly #withObjects: boolean;

  constructor(output: LineOutput, options: { readonly objects: boolean }) {
    this.#output = output;
    this.#withObjects = options.objects;
  }

  event(resource: string, event: InformerEvent<Unstructured>): Promise<void> | undefined {
    const head = { type: event.type, resource, key: event.key, resourceVersion: event.facts.resourceVersion };
    const line = JSON.stringify({ ...head, ...detailsOf(event) });
    if (!this.#withObjects) return this.#write(line);
    return this.#write(`${line.slice(0, -1)},"object":${oneLine(event.json())}}`);
  }

  synced(resource: string, { count, resourceVersion }: SyncedFact): Promise<void> | undefined {
    return this.#write(JSON.stringify({ type: 'synced', resource, count, resourceVersion }));
  }

  final(resource: string, { key, resourceVersion }: FinalFact): Promise<void> | undefined {
    return this.#write(JSON.stringify({ type: 'final', resource, key, resourceVersion }));
  }

  #write(line: string): Promise<void> | undefined {
    return this.#output.write(escapeC1(line));
  }
}

function detailsOf(event: InformerEvent<Unstructured>): object {
  switch (event.type) {
    case 'add':
      return { isInInitialList: event.isInInitialList };
    case 'update':
      return { oldResourceVersion: event.oldFacts.resourceVersion };
    case 'delete':
      return { finalStateKnown: event.finalStateKnown };
  }
}

/** A server or proxy may format JSON on several lines. */
function oneLine(json: string): string {
  return json.includes('\n') ? JSON.stringify(JSON.parse(json)) : json;
}
