import { closeSync, openSync, write } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import type { RecordedResource } from '../../apiserver/replay/recording.js';
import type { Client } from '../../client/client.js';
import { isRefusal } from '../../meta/errors/refusal.js';
import { printGroupResource } from '../../meta/resource.js';
import { linkSignals } from '../../time/signals.js';
import { durationMs, parseArguments } from '../arguments.js';
import { type Command, type CommandContext, CommandError, EXIT, UsageError } from '../command.js';
import { type ClusterChoice, clusterOptions, withClient } from '../connect.js';
import { explain } from '../explain.js';
import {
  type Found,
  fieldsOf,
  findResources,
  namespaceIn,
  readSelection,
  type Selection,
  selectionOptions,
  type Wanted,
  wantedOf,
  withoutRepetitions,
} from '../targets.js';
import { Recorder, type RecordingTotals } from './recorder.js';

/** `kubeflect record`: what lists and watches receive, in a file. */
export const record: Command = {
  name: 'record',
  summary: 'Record the objects of resources and all their changes into a file, for kubeflect replay.',
  help: `Usage: kubeflect record RESOURCE[/NAME]... --out FILE [options]

Lists the objects of each resource and records them with every change, until it is interrupted: with times, and with what failed
meanwhile. kubeflect replay, and startApiServer in a test, serve the file again.

RESOURCE is any name of a resource: pods, po, Pod, deployments.apps, widgets.v1.example.com. Separate several by spaces or
commas. RESOURCE/NAME, such as pods/web-0, records one object.

Options:
      --out FILE            The file to write. It must not exist; only you can read it.
      --for TIME            End after this time: 30s, 5m, 1h.
      --secret-values       Record the values of Secrets. By default each is replaced by a mark that shows only whether it has
                            changed. Other resources are recorded as they are.
  -n, --namespace NAME      Record this namespace. Default: the namespace of the context, else 'default'.
  -A, --all-namespaces      Record all namespaces.
  -l, --selector TEXT       Only objects with these labels: app=web,tier!=cache.
      --field-selector TEXT Only objects with these fields: status.phase=Running.
      --kubeconfig FILE     Default: $KUBECONFIG, ~/.kube/config, or the cluster this runs in.
      --context NAME        A context of the kubeconfig. Default: its current one.
  -h, --help                Show this.

The file is complete up to a second ago, however the command ends.

Exit codes: 0 ended by --for or a signal, 1 failed, 2 wrong options.
`,
  takes: 'resources',
  async run(args, context) {
    const options = readOptions(args);
    return withClient({ ...options, wire: 'json' }, context, (client) => recordAll(client, options, context));
  },
};

interface RecordOptions extends ClusterChoice, Selection {
  readonly resources: readonly Wanted[];
  readonly out: string;
  readonly forMs: number | undefined;
  readonly secretValues: boolean;
}

function readOptions(args: readonly string[]): RecordOptions {
  const { values, positionals } = parseArguments({
    args: [...args],
    allowPositionals: true,
    options: {
      ...clusterOptions,
      ...selectionOptions,
      out: { type: 'string' },
      for: { type: 'string' },
      'secret-values': { type: 'boolean' },
    },
  });
  const words = positionals.flatMap((word) => word.split(',')).filter((word) => word !== '');
  if (words.length === 0) throw new UsageError('which resource? For instance: kubeflect record pods --out pods.kfr');
  if (values.out === undefined || values.out === '') throw new UsageError('--out is missing: which file to write?');
  return {
    kubeconfig: values.kubeconfig,
    context: values.context,
    ...readSelection(values),
    resources: words.map(wantedOf),
    out: values.out,
    forMs: values.for === undefined ? undefined : durationMs('--for', values.for),
    secretValues: values['secret-values'] ?? false,
  };
}

async function recordAll(client: Client, options: RecordOptions, context: CommandContext): Promise<number> {
  const until = linkSignals([context.signal], { timeoutMs: options.forMs, clock: client.clock });
  try {
    const found = await findResources(client, options.resources, { signal: until.signal });
    const resources = recordedResources(found, options, client);
    const path = resolve(context.cwd ?? '.', options.out);
    const file = create(path, options.out);
    try {
      return await recordTo(file, client, resources, options, context, until.signal);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (until.signal.aborted && error === until.signal.reason) {
      context.stderr.write('kubeflect record: ended before the resources were found; nothing was recorded\n');
      return context.signal.aborted ? EXIT.success : EXIT.failure;
    }
    throw error;
  } finally {
    until.release();
  }
}

/** The resources as the header of the file describes them, each once. */
function recordedResources(found: readonly Found[], options: RecordOptions, client: Client): RecordedResource[] {
  return withoutRepetitions(found, 'record').map(({ resource: known, name }) => {
    const { group, version, resource, singular, kind, namespaced, shortNames, categories, verbs } = known;
    const key = printGroupResource(known);
    const missing = ['list', 'watch'].filter((verb) => !verbs.includes(verb));
    if (missing.length > 0) {
      throw new CommandError(`${key} cannot be recorded: the server has no ${missing.join(' and no ')} for it`);
    }
    return {
      group,
      version,
      resource,
      singular,
      kind,
      namespaced,
      shortNames,
      categories,
      namespace: namespaceIn(known, options, client),
      labelSelector: options.selector,
      fieldSelector: fieldsOf(name, options),
    };
  });
}

function create(path: string, given: string): number {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw new CommandError(`${given} exists; choose another --out`);
    throw new CommandError(`cannot write ${given}: ${message}`);
  }
}

async function recordTo(
  file: number,
  client: Client,
  resources: readonly RecordedResource[],
  options: RecordOptions,
  context: CommandContext,
  signal: AbortSignal,
): Promise<number> {
  const { out, secretValues } = options;
  const { clock } = client;
  const names = resources.map(printGroupResource).join(', ');
  const link = linkSignals([signal]);
  let refusal: Error | undefined;
  const listed = new Set<RecordedResource>();
  const recorder = new Recorder({
    client,
    resources,
    secretValues,
    sink: { append: (bytes) => append(file, bytes) },
    onListed: (resource) => {
      listed.add(resource);
      if (listed.size === resources.length) context.stderr.write(`${names} listed; recording every change\n`);
    },
    onFailure: (resource, error, reason) => {
      if (isRefusal(error) && !listed.has(resource)) {
        refusal = error;
        link.abort();
      } else if (reason !== 'expired' && reason !== 'silent' && reason !== 'stream') {
        context.stderr.write(`${printGroupResource(resource)}: ${error.message}; it is recorded, trying again\n`);
      }
    },
  });
  const startedAt = clock.monotonicNow();
  try {
    await recorder.run(link.signal);
  } catch (error) {
    throw new CommandError(`cannot write ${out}: ${(error as Error).message}; it is complete up to there`);
  } finally {
    link.release();
  }
  if (refusal !== undefined) throw new CommandError(explain(refusal));
  const seconds = Math.round((clock.monotonicNow() - startedAt) / 1000);
  context.stdout.write(`Recorded ${names} for ${seconds} s to ${out}: ${summary(recorder.totals)}\n`);
  const missing = resources.filter((resource) => !listed.has(resource));
  if (missing.length === 0) return EXIT.success;
  context.stderr.write(`kubeflect record: ${missing.map(printGroupResource).join(', ')} could not be listed\n`);
  return EXIT.failure;
}

const writeFile = promisify(write);

async function append(file: number, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await writeFile(file, bytes, at)).bytesWritten;
}

function summary({ states, jsonBytes, bytes }: RecordingTotals): string {
  return `${states} states of objects, ${kilobytes(jsonBytes)} of JSON in ${kilobytes(bytes)}`;
}

function kilobytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024)} KiB`;
}
