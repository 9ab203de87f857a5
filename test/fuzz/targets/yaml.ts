import assert from 'node:assert/strict';
import { stringify } from 'yaml';
import { printYaml } from '../../../src/apiserver/wire/yaml-printer.js';
import { textSource } from '../../../src/client/manifests/byte-source.js';
import { readAgain, readDocuments } from '../../../src/client/manifests/read-documents.js';
import { convertYaml } from '../../../src/codec/yaml/convert-yaml.js';
import { loadKubeconfig } from '../../../src/rest/config/kubeconfig.js';
import { ConfigError } from '../../../src/rest/credentials/config-errors.js';
import { jsonObject, jsonValue } from '../json-text.js';
import { mutateText } from '../mutate.js';
import type { Random } from '../random.js';
import { target } from '../target.js';

const syntax = [
  '- ',
  ': ',
  '\n',
  '  ',
  '\t',
  '#',
  '&a ',
  '*a',
  '!!str ',
  '!!binary ',
  '|',
  '>',
  '"',
  "'",
  '{',
  '}',
  '[',
  ']',
  ',',
  '---\n',
  '...\n',
  '%YAML 1.1\n',
  '<<: ',
  '? ',
  '~',
  'yes',
  '0x1',
  '.inf',
  '2020-01-01',
  '1:30',
  '\ufeff',
  '012',
  '__proto__: ',
];

/** A text that one YAML printer or the other writes; texts that look like something else are among its scalars. */
const trickyTexts = [
  'yes',
  'null',
  '1e3',
  '0x10',
  '- a',
  'a: b',
  '#',
  '',
  ' a',
  'a ',
  'a\nb',
  '\n',
  '1_000',
  '012',
  '~',
  '=',
  '<<',
  'a\tb',
  '"',
  "it's",
  '2020-01-01',
  '.5',
  '+1',
  '0b1',
  '12:30:45',
  'on',
  'é',
  '\u0085',
  '\u2028',
  '😀',
  '*a',
  '&a',
  '!a',
  '%a',
  '@a',
  '`a',
  '? a',
  ':',
  '-',
  '--- ',
  '...',
];

/** A name of a field. The yaml package prints `<<` without quotes, and it is read as a merge. */
const trickyNames = trickyTexts.filter((text) => text !== '<<');

function yamlValue(random: Random, depth: number): unknown {
  if (random.oneIn(3)) return random.pick(trickyTexts);
  if (depth > 0 && random.oneIn(3)) return random.list(0, 3, () => yamlValue(random, depth - 1));
  if (depth > 0 && random.oneIn(2))
    return Object.fromEntries(random.list(0, 3, () => [random.pick(trickyNames), yamlValue(random, depth - 1)]));
  return jsonValue(random, 0);
}

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, entry]) => [name, sorted(entry)]),
  );
};

/** Below and above the limit of levels, and above what the parser can compose. */
const deep = (random: Random): string =>
  random.pick(['[', '{a: ', '- ', '? ', 'a:\n', '&a [', '{? ', '[{', '- ? ']).repeat(random.pick([100, 200, 3000]));

function kubeconfigText(random: Random): string {
  const or = (good: string): unknown => (random.oneIn(40) ? jsonValue(random, 1) : good);
  const entry = (name: string, fields: Record<string, unknown>): unknown =>
    random.oneIn(40)
      ? jsonValue(random, 1)
      : { name: or(random.oneIn(12) ? 'a' : (names.pop() ?? 'c')), [name]: fields };
  let names: string[] = [];
  const entries = (make: () => unknown): unknown[] => {
    names = ['b', 'a'];
    return random.oneIn(20) ? [] : random.list(1, 2, make);
  };
  const user = (): Record<string, unknown> =>
    random.pick([
      { token: or('t') },
      { username: or('u'), password: or('p') },
      { 'client-certificate-data': or('eA=='), 'client-key-data': or('eA==') },
      {
        exec: {
          apiVersion: or('client.authentication.k8s.io/v1'),
          command: or('x'),
          interactiveMode: or('Never'),
          env: [{ name: or('A'), value: or('b') }],
          args: [or('a')],
        },
      },
      { 'auth-provider': { name: or('oidc'), config: { 'idp-issuer-url': or('https://a'), 'client-id': or('c') } } },
      { as: or('root'), 'as-groups': [or('g')], 'as-user-extra': { toString: [or('x')] } },
      {},
    ]);
  const config = {
    apiVersion: 'v1',
    kind: or('Config'),
    'current-context': or('a'),
    clusters: entries(() =>
      entry('cluster', {
        server: or(random.pick(['https://a:6443', 'http://127.0.0.1:80/x', 'a', 'ftp://a', 'https://[::1]'])),
        'insecure-skip-tls-verify': random.oneIn(4),
        'proxy-url': or(''),
        'certificate-authority-data': or(''),
      }),
    ),
    users: entries(() => entry('user', user())),
    contexts: entries(() => entry('context', { cluster: or('a'), user: or('a'), namespace: or('n') })),
  };
  return random.oneIn(2) ? JSON.stringify(config) : stringify(config);
}

async function readAll(text: string): Promise<{ objects: unknown[]; problems: number }> {
  const source = textSource(text);
  const objects: unknown[] = [];
  let problems = 0;
  let number = 0;
  for await (const read of readDocuments(source, 'a.yaml')) {
    assert.ok(read.place.document >= number, 'the order of documents');
    number = read.place.document;
    if ('error' in read) {
      problems++;
      continue;
    }
    objects.push(read.object);
    assert.deepEqual(await readAgain(source, read.span, read.place.item), read.object);
  }
  return { objects, problems };
}

export const yamlTargets = [
  target(
    'yaml-values',
    'reads the value that was printed, by the printer of the server and by that of the yaml package',
    (random) => ({ value: yamlValue(random, 3), printer: random.below(2) }),
    ({ value, printer }: { value: unknown; printer: number }) => {
      const text = printer === 0 ? printYaml(value) : stringify(value, { version: '1.1' });
      const converted = convertYaml(text);
      assert.ok('json' in converted, JSON.stringify({ text, converted }));
      assert.equal(converted.json, JSON.stringify(sorted(value)), text);
      return true;
    },
  ),

  target(
    'yaml',
    'converts to JSON or says why not',
    (random) => {
      if (random.oneIn(500)) return deep(random);
      return mutateText(random, stringify(yamlValue(random, 3)), syntax);
    },
    (text: string) => {
      const converted = convertYaml(text);
      if ('error' in converted) {
        assert.match(converted.error, /^yaml: |^unsupported map key|^json: unsupported value/);
        return false;
      }
      JSON.parse(converted.json);
      return true;
    },
  ),

  target(
    'kubeconfigs',
    'refuses with ConfigError',
    (random) => {
      if (random.oneIn(500)) return deep(random);
      const text = kubeconfigText(random);
      return random.oneIn(3) ? mutateText(random, text, syntax) : text;
    },
    async (text: string) => {
      try {
        await loadKubeconfig({ text }, { env: {} });
        return true;
      } catch (error) {
        if (error instanceof ConfigError) return false;
        throw error;
      }
    },
  ),

  target(
    'manifests',
    'reads the objects that were written, and each of them again from its place',
    (random) => {
      const documents = random.list(1, 3, () => ({
        kind: random.pick(['A', 'BList', '']),
        items: random.list(0, 2, () => jsonObject(random, 2)),
        ...jsonObject(random, 2),
      }));
      const text = documents
        .map((object) => (random.oneIn(3) ? JSON.stringify(object) : stringify(object)))
        .join('\n---\n');
      return random.oneIn(2) ? { documents: [], text: mutateText(random, text, syntax) } : { documents, text };
    },
    async ({ documents, text }: { documents: Record<string, unknown>[]; text: string }) => {
      const { objects, problems } = await readAll(text);
      if (documents.length > 0) {
        const expected = documents.flatMap((object) =>
          String(object['kind']).endsWith('List') ? (object['items'] as unknown[]) : [object],
        );
        assert.equal(problems, 0);
        assert.deepEqual(objects.map(sorted), expected.map(sorted));
      }
      return objects.length > 0;
    },
  ),
];
