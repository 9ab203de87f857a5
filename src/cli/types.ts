import type { Client } from '../client/client.js';
import { isNotFound } from '../meta/errors/error-predicates.js';
import type { JsonObject } from '../meta/json-values.js';
import { printGroupResource } from '../meta/resource.js';
import { parseArguments } from './arguments.js';
import { type Command, type CommandContext, CommandError, EXIT, UsageError } from './command.js';
import { type ClusterChoice, clusterOptions, withClient } from './connect.js';
import { type Manifest, readManifests } from './read-manifests.js';
import { DefinitionError, type KindDefinition, readDefinition, typesModule } from './types/definition-types.js';

/** `kubeflect types`: the TypeScript types of CustomResourceDefinitions. */
export const types: Command = {
  name: 'types',
  summary: 'Write the TypeScript types of custom resources from their definitions.',
  help: `Usage: kubeflect types -f PATH... [options]
       kubeflect types NAME... [options]

Prints a TypeScript module: an interface per served version of each CustomResourceDefinition, and a resource for clients,
informers and controllers:

  kubeflect types -f crds/ > src/certificates.ts
  kubeflect types certificates.cert-manager.io > src/certificates.ts

NAME is any name of a custom resource in a cluster: certificates.cert-manager.io, certificate, cert.

Options:
  -f, --filename PATH    Read the definitions of a YAML or JSON file, of a folder of them, or of the standard input (-).
                         Other objects in it are left out. May be repeated.
      --kubeconfig FILE  With NAME. Default: $KUBECONFIG, ~/.kube/config, or the cluster this runs in.
      --context NAME     A context of the kubeconfig. Default: its current one.
  -h, --help             Show this.

Exit codes: 0 success, 1 a definition cannot be read, 2 wrong options.
`,
  async run(args, context) {
    const { paths, names, choice } = readOptions(args);
    const found = paths.length > 0 ? await fromFiles(paths, context) : await fromCluster(names, choice, context);
    context.stdout.write(typesModule(found));
    return EXIT.success;
  },
};

interface TypesOptions {
  readonly paths: readonly string[];
  readonly names: readonly string[];
  readonly choice: ClusterChoice;
}

function readOptions(args: readonly string[]): TypesOptions {
  const { values, positionals } = parseArguments({
    args: [...args],
    allowPositionals: true,
    options: { ...clusterOptions, filename: { type: 'string', short: 'f', multiple: true } },
  });
  const { filename: paths = [], kubeconfig, context } = values;
  const names = positionals.flatMap((word) => word.split(',')).filter((word) => word !== '');
  if (paths.length === 0 && names.length === 0) {
    throw new UsageError('which definition? For instance: kubeflect types -f crd.yaml');
  }
  if (paths.length > 0 && names.length > 0) throw new UsageError('-f and names of a cluster contradict each other');
  if (paths.length > 0 && (kubeconfig ?? context) !== undefined) {
    throw new UsageError('--kubeconfig and --context go with names, not with -f');
  }
  return { paths, names, choice: { kubeconfig, context } };
}

async function fromFiles(paths: readonly string[], context: CommandContext): Promise<KindDefinition[]> {
  const manifests = await readManifests(paths, context.stdin);
  const found = manifests.filter(({ object }) => object['kind'] === 'CustomResourceDefinition');
  if (found.length === 0) throw new CommandError(`there is no CustomResourceDefinition in ${paths.join(', ')}`);
  return found.map(read);
}

function read({ object, place }: Manifest): KindDefinition {
  try {
    return readDefinition(object);
  } catch (error) {
    if (error instanceof DefinitionError) throw new CommandError(`${place}: ${error.message}`);
    throw error;
  }
}

async function fromCluster(
  names: readonly string[],
  choice: ClusterChoice,
  context: CommandContext,
): Promise<KindDefinition[]> {
  return withClient(choice, context, async (client) => {
    const found: KindDefinition[] = [];
    for (const name of names) found.push(read(await definitionIn(client, name, context.signal)));
    return found;
  });
}

async function definitionIn(client: Client, word: string, signal: AbortSignal): Promise<Manifest> {
  const place = printGroupResource(await client.resolve(word, { signal }));
  try {
    const object = await client.apiextensions.v1.customResourceDefinitions().get(place, { signal });
    return { object: { ...object } as JsonObject, place };
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new CommandError(`${place} has no CustomResourceDefinition: kubeflect/types has the types of built-in kinds`);
  }
}
