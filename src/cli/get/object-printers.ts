import { escapeControls } from '../../meta/escape-controls.js';
import { printGroupResource } from '../../meta/resource.js';
import type { LineOutput } from '../terminal/line-output.js';
import { jsonText, yamlText } from '../terminal/object-text.js';
import type { Reader } from './reader.js';

/** Prints a name per line: `pod/web-0`. */
export async function printNames(reader: Reader, output: LineOutput): Promise<void> {
  for await (const { resource, object } of reader.metadata()) {
    const { group, singular } = resource;
    await output.write(escapeControls(`${printGroupResource({ group, resource: singular })}/${object.metadata.name}`));
  }
}

/** Prints one object that was named, or a List; a List is written while it is read. */
export async function printJson(reader: Reader, output: LineOutput): Promise<void> {
  if (reader.isOne) {
    for await (const object of reader.objects()) await output.write(jsonText(object));
    return;
  }
  await output.write('{\n    "apiVersion": "v1",\n    "items": [');
  let before: string | undefined;
  for await (const object of reader.objects()) {
    if (before !== undefined) await output.write(`${before},`);
    before = indented(jsonText(object), 8);
  }
  if (before !== undefined) await output.write(before);
  await output.write('    ],\n    "kind": "List",\n    "metadata": {\n        "resourceVersion": ""\n    }\n}');
}

/** The same as YAML. */
export async function printYaml(reader: Reader, output: LineOutput): Promise<void> {
  if (reader.isOne) {
    for await (const object of reader.objects()) await output.write(yamlText(object));
    return;
  }
  let isEmpty = true;
  for await (const object of reader.objects()) {
    if (isEmpty) await output.write('apiVersion: v1\nitems:');
    isEmpty = false;
    await output.write(yamlText([object]));
  }
  if (isEmpty) await output.write('apiVersion: v1\nitems: []');
  await output.write('kind: List\nmetadata:\n  resourceVersion: ""');
}

function indented(text: string, width: number): string {
  return text.replace(/^/gm, ' '.repeat(width));
}
