import type { Client } from '../../client/client.js';
import { dns1123LabelErrors } from '../../meta/names.js';
import type { Abortable } from '../../meta/objects.js';
import { printGroupResource } from '../../meta/resource.js';
import { defaultKubeconfigPaths, loadKubeconfigFiles } from '../../rest/config/kubeconfig-files.js';
import type { Environment } from '../../rest/credentials/config-environment.js';
import { linkSignals } from '../../time/signals.js';
import type { Command, CommandContext } from '../command.js';
import { type ClusterChoice, withClient } from '../connect.js';
import { preferred } from '../targets.js';
import { readLine } from './read-line.js';

/** A shell waits for the answer: a cluster that takes longer has no candidates. */
const ANSWER_MS = 3000;
/** No more names than this are read. */
const MAX_NAMES = 500;

/** The candidates for the last word of a command line, the words after `kubeflect`. Never throws. */
export async function candidatesFor(
  words: readonly string[],
  commands: readonly Command[],
  context: CommandContext,
): Promise<readonly string[]> {
  const last = words.at(-1) ?? '';
  const found = await allCandidates(words, commands, context);
  // A name with other characters would be interpreted by the shell or the terminal.
  return found.filter((one) => one.startsWith(last) && /^[\w.,/:=@-]+$/.test(one)).sort();
}

async function allCandidates(
  words: readonly string[],
  commands: readonly Command[],
  context: CommandContext,
): Promise<readonly string[]> {
  const [name, ...rest] = words;
  if (name === undefined || rest.length === 0)
    return [...commands.map((one) => one.name), 'help', '--help', '--version'];
  if (name === 'help') return commands.map((one) => one.name);
  const command = commands.find((one) => one.name === name);
  if (command === undefined) return [];
  const line = readLine(command, rest);
  switch (line.completes) {
    case 'option':
      return line.options;
    case 'value':
      if (line.option === '--namespace') return inCluster(line.choice, context, namespaces);
      if (line.option === '--context') return contextNames(line.choice, context.env ?? process.env);
      return line.values.map((value) => `${line.before}${value}`);
    case 'argument':
      return inCluster(line.choice, context, (client, options) =>
        argumentsOf(command, line.positionals, line.word, line.namespace, client, options),
      );
  }
}

/** What a cluster says; nothing if it cannot be reached, or not in time. */
async function inCluster(
  choice: ClusterChoice,
  context: CommandContext,
  read: (client: Client, options: Abortable) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  try {
    return await withClient(choice, context, async (client) => {
      using link = linkSignals([context.signal], { timeoutMs: ANSWER_MS, clock: client.clock });
      return await read(client, { signal: link.signal });
    });
  } catch {
    // A message would appear in the middle of the line that is typed.
    return [];
  }
}

async function contextNames({ kubeconfig }: ClusterChoice, env: Environment): Promise<readonly string[]> {
  try {
    const config = await loadKubeconfigFiles(kubeconfig === undefined ? defaultKubeconfigPaths(env) : [kubeconfig]);
    return [...(config?.contexts.keys() ?? [])];
  } catch {
    return [];
  }
}

async function namespaces(client: Client, { signal }: Abortable): Promise<readonly string[]> {
  const { items } = await client
    .metadata(await client.resolve('namespaces', { signal }))
    .list({ limit: MAX_NAMES, signal });
  return items.map(({ metadata }) => metadata.name);
}

/** Resources, RESOURCE/NAME, and names after a resource. */
async function argumentsOf(
  { takes }: Command,
  positionals: readonly string[],
  word: string,
  namespace: string | undefined,
  client: Client,
  options: Abortable,
): Promise<readonly string[]> {
  if (takes === undefined) return [];
  const [, before, kind] = /^(.*,)?([^/,]*)/.exec(word) ?? [];
  if (word.includes('/')) {
    const names = await namesOf(client, kind ?? '', namespace, options);
    return names.map((name) => `${before ?? ''}${kind}/${name}`);
  }
  const [first] = positionals;
  if (first !== undefined && !first.includes('/')) {
    return takes === 'pods' ? [] : namesOf(client, first, namespace, options);
  }
  const resources = preferred(await client.apis.resources(options)).filter(({ verbs }) => verbs.includes('list'));
  // A short plural name is unique, unless two groups have it: then the first is meant.
  const plurals = [...new Set(resources.map(({ resource }) => resource))];
  const full = resources.filter(({ group }) => group !== '').map(printGroupResource);
  if (takes === 'pods') {
    const pods = await namesOf(client, 'pods', namespace, options);
    return [...pods, ...plurals.map((one) => `${one}/`)];
  }
  const all = word.includes('.') ? full : plurals;
  return all.map((one) => `${before ?? ''}${one}${takes === 'objects' ? '/' : ''}`);
}

async function namesOf(
  client: Client,
  word: string,
  namespace: string | undefined,
  { signal }: Abortable,
): Promise<readonly string[]> {
  const resource = await client.resolve(word, { signal });
  const chosen = namespace !== undefined && dns1123LabelErrors(namespace).length === 0 ? namespace : undefined;
  const place = resource.namespaced ? (chosen ?? client.namespace ?? 'default') : undefined;
  const { items } = await client.metadata(resource, place).list({ limit: MAX_NAMES, signal });
  return items.map(({ metadata }) => metadata.name);
}
