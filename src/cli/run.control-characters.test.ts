import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { InformerEvent } from '../cache/informer/informer-event.js';
import { StatusError } from '../meta/errors/errors.js';
import * as status from '../meta/errors/status.js';
import { escapeControls, escapeTextControls } from '../meta/escape-controls.js';
import type { Unstructured } from '../meta/objects.js';
import { FakeClock } from '../time/fake-clock.js';
import { type Command, CommandError } from './command.js';
import { run } from './run.js';
import { LineOutput } from './terminal/line-output.js';
import { Outages } from './terminal/outages.js';
import { styleFor } from './terminal/style.js';
import { ChangesPrinter } from './watch/changes-printer.js';
import { JsonPrinter } from './watch/json-printer.js';
import { NamePrinter } from './watch/name-printer.js';
import type { Printer } from './watch/printer.js';
import { YamlPrinter } from './watch/yaml-printer.js';

/** A valid name of a Role: it ends a comment, begins a document, clears the screen, and reverses the text after it. */
const name = 'a\n---\nkind: Forged\u001b[2J\u009b31m\u0085\u202e';
const object = { apiVersion: 'v1', kind: 'Role', metadata: { name, namespace: 'default', creationTimestamp: '' } };
const event = {
  type: 'add',
  key: `default/${name}`,
  facts: { namespace: 'default', name, resourceVersion: '1' },
  isInInitialList: true,
  object,
  json: () => JSON.stringify(object),
} as unknown as InformerEvent<Unstructured>;

const dangerous = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

function print(make: (output: LineOutput) => Printer): string {
  const written: string[] = [];
  const output = new LineOutput({ write: (text) => written.push(text) }, new FakeClock());
  void make(output).event('roles', event);
  output.flush();
  return written.join('');
}

const style = styleFor({ write: () => true }, { env: {} });
const clock = new FakeClock();

it.each<[string, (output: LineOutput) => Printer, number]>([
  ['table', (output) => new ChangesPrinter(output, { withNamespace: true, style, clock }), 2],
  ['name', (output) => new NamePrinter(output, { withResource: true }), 1],
  ['json', (output) => new JsonPrinter(output, { objects: true }), 1],
])('-o %s: control characters in a name are escaped, and the name stays on one line', (form, make, lines) => {
  const shown = print(make).split('\n').slice(0, -1);
  expect(shown).toHaveLength(lines);
  expect(shown.join('')).toContain('\\u001b[2J\\u009b31m\\u0085');
  for (const line of shown) expect(line).not.toMatch(form === 'json' ? /\p{Cc}/u : dangerous);
});

it('-o yaml: a name with a line break begins no document, and the object parses to what it was', () => {
  const text = print((output) => new YamlPrinter(output));
  const documents = parseAllDocuments(text);
  expect(documents).toHaveLength(1);
  expect((documents as unknown as { toJS(): unknown }[])[0]?.toJS()).toEqual(object);
  expect(text).toMatch(/^# add roles "default\/a\\n---\\nkind: Forged/m);
  expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
});

it('control characters in messages of a server are escaped, in errors and in messages about outages', async () => {
  const error = new StatusError(status.forbidden({ group: '', resource: 'pods' }, 'a', '\u001b]0;title\u0007no\u009b'));
  expect(error.message).not.toMatch(dangerous);
  expect(error.document.message).toContain('\u001b');
  const written: string[] = [];
  const stderr = { write: (text: string) => written.push(text) };
  const failing: Command = {
    name: 'fail',
    summary: '',
    help: '',
    run(_, context) {
      new Outages(context.stderr, clock, () => undefined).tell('pods', new Error('\u001b[2Jgone\u009b'), 'watch');
      throw new CommandError('first\n\u001b[2Jsecond');
    },
  };
  await run(['fail'], { stdout: stderr, stderr, signal: new AbortController().signal }, [failing]);
  expect(written.join('')).toBe('pods: \\u001b[2Jgone\\u009b; trying again\nkubeflect fail: first\n\\u001b[2Jsecond\n');
});

it('escapes control characters, and leaves other characters unchanged', () => {
  expect(escapeControls('one\r\n\ttwo\u007f\u2028')).toBe('one\\r\\n\\ttwo\\u007f\\u2028');
  expect(escapeTextControls('at a\n\tat b\r\u0000')).toBe('at a\n\tat b\\r\\u0000');
  expect(escapeControls('größer, 日本語 😀')).toBe('größer, 日本語 😀');
});
