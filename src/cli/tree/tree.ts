import type { Client } from '../../client/client.js';
import { printGroupResource } from '../../meta/resource.js';
import { parseArguments } from '../arguments.js';
import { type Command, type CommandContext, CommandError, EXIT } from '../command.js';
import { type ClusterChoice, clusterOptions, withClient } from '../connect.js';
import { type Owner, ownersOf, printOwner } from '../owners.js';
import { readTable } from '../table/server-table.js';
import { namespaceIn, namespaceOption, readObject, readSelection, type Selection } from '../targets.js';
import { Columns } from '../terminal/columns.js';
import { LineOutput } from '../terminal/line-output.js';
import { type Style, styleFor } from '../terminal/style.js';
import { SyncProgress } from '../terminal/sync-progress.js';
import { type NodeState, stateOf } from './node-state.js';
import { listOwned, type Node, type OwnedObjects } from './owned-objects.js';

/** `kubeflect tree`: the owners of an object, and what it owns. */
export const tree: Command = {
  name: 'tree',
  summary: 'Show the owners of an object and everything that it owns, with their states.',
  help: `Usage: kubeflect tree RESOURCE/NAME [options]

Shows the object between its owners, up to the one without owners (32 at most), and all objects that it owns, directly or through
others (64 levels at most). It lists every resource of the namespace (of the cluster, for an object without namespace) that you may list.

Options:
  -n, --namespace NAME   Default: the namespace of the context, else 'default'.
      --kubeconfig FILE  Default: $KUBECONFIG, ~/.kube/config, or the cluster this runs in.
      --context NAME     A context of the kubeconfig. Default: its current one.
  -h, --help             Show this.

READY and STATUS are the columns of these names that 'kubectl get' has.

Exit codes: 0 success, also if some resources could not be listed (they are named on the standard error), 1 failed, 2 wrong options.
`,
  takes: 'objects',
  async run(args, context) {
    const options = readOptions(args);
    return withClient(options, context, (client) => show(client, options, context));
  },
};

interface TreeOptions extends ClusterChoice, Selection {
  readonly target: { readonly word: string; readonly name: string };
}

function readOptions(args: readonly string[]): TreeOptions {
  const { values, positionals } = parseArguments({
    args: [...args],
    allowPositionals: true,
    options: { ...clusterOptions, ...namespaceOption },
  });
  const { kubeconfig, context } = values;
  const target = readObject(positionals, 'kubeflect tree deployments/web');
  return { ...readSelection(values), kubeconfig, context, target };
}

/** Objects that are owned through more others are left out. */
const MAX_LEVELS = 64;

/** A line of the output. */
interface Line extends NodeState {
  readonly text: string;
  readonly isAsked: boolean;
}

async function show(client: Client, options: TreeOptions, context: CommandContext): Promise<number> {
  const { signal, stderr, stdout } = context;
  const { word, name } = options.target;
  const resource = await client.resolve(word, { signal });
  const namespace = namespaceIn(resource, options, client);
  const table = await readTable(client, resource, { namespace, name }, { signal });
  const [row] = table.rows;
  if (row === undefined) throw new CommandError(`${word}/${name} has no metadata`);
  const asked: Node = { resource, columns: table.columns, row };
  const counter = { hasSynced: false, status: { state: 'listing' as const, listed: 0 } };
  const progress = new SyncProgress(stderr.terminal ?? stderr, client.clock, new Map([['all resources', counter]]));
  try {
    const [owners, owned] = await Promise.all([
      ownersOf(client, row.object.metadata, signal),
      listOwned(client, namespace, signal, (count) => (counter.status.listed += count)),
    ]);
    const lines = [...linesOf(asked, owners, owned, client.clock.now(), namespace === undefined)];
    progress.stop();
    print(lines, new LineOutput(stdout, client.clock), styleFor(stdout, context));
    for (const { resource: unlisted, reason } of owned.unlisted) stderr.write(`not listed: ${unlisted} (${reason})\n`);
  } finally {
    progress.stop();
  }
  return EXIT.success;
}

/** The lines from the first owner down. */
function* linesOf(
  asked: Node,
  owners: readonly Owner[],
  { byOwner }: OwnedObjects,
  now: number,
  withNamespace: boolean,
): Generator<Line, void> {
  let depth = 0;
  const branch = (): string => (depth === 0 ? '' : `${'  '.repeat(depth - 1)}└─`);
  for (const owner of owners.toReversed()) {
    const { problem, table, resource } = owner;
    const [row] = table?.rows ?? [];
    const state =
      resource === undefined || row === undefined
        ? { ready: '', status: problem ?? '', age: '', isBad: true }
        : stateOf({ resource, columns: table?.columns ?? [], row }, now);
    yield { text: `${branch()}${printOwner(owner)}`, isAsked: false, ...state };
    depth++;
  }
  yield { text: `${branch()}${titleOf(asked, false)}`, isAsked: true, ...stateOf(asked, now) };
  // A ring of owners is possible: the server does not check references.
  const seen = new Set([asked.row.object.metadata.uid]);
  const below = function* (node: Node, indent: string, level = 0): Generator<Line, void> {
    if (level >= MAX_LEVELS) return;
    const children = (byOwner.get(node.row.object.metadata.uid) ?? []).filter(
      ({ row }) => !seen.has(row.object.metadata.uid),
    );
    for (const [index, child] of children.entries()) {
      seen.add(child.row.object.metadata.uid);
      const isLast = index === children.length - 1;
      const text = `${indent}${isLast ? '└─' : '├─'}${titleOf(child, withNamespace)}`;
      yield { text, isAsked: false, ...stateOf(child, now) };
      yield* below(child, `${indent}${isLast ? '  ' : '│ '}`, level + 1);
    }
  };
  yield* below(asked, '  '.repeat(depth));
}

function titleOf({ resource, row }: Node, withNamespace: boolean): string {
  const { namespace, name } = row.object.metadata;
  const kind = printGroupResource({ group: resource.group, resource: resource.singular });
  return `${kind}/${name}${withNamespace && namespace !== undefined ? ` in ${namespace}` : ''}`;
}

function print(lines: readonly Line[], output: LineOutput, style: Style): void {
  const columns = new Columns([]);
  const cells = lines.map(({ text, ready, status, age }) => [text, ready, status, age]);
  const headers = ['NAME', 'READY', 'STATUS', 'AGE'];
  for (const one of [headers, ...cells]) columns.fit(one);
  void output.write(style.bold(columns.line(headers)));
  for (const [index, { isAsked, isBad }] of lines.entries()) {
    const line = columns.line(cells[index] as string[], (cell, column) => {
      if (column === 0 && isAsked) return style.bold(cell);
      return isBad && (column === 1 || column === 2) ? style.red(cell) : cell;
    });
    void output.write(line);
  }
  output.flush();
}
