import { resolve } from 'node:path';
import type { DeployOptions } from '../controller/index.js';
import type { JsonObject } from '../meta/json-values.js';
import { dns1123LabelErrors } from '../meta/names.js';
import { parseArguments, wholeNumber } from './arguments.js';
import { type Command, CommandError, EXIT, UsageError } from './command.js';
import { compareManifests } from './manifests/compare-manifests.js';
import { loadOperator } from './manifests/load-operator.js';
import { manifestForms, printManifests } from './manifests/print-manifests.js';
import { readManifests } from './read-manifests.js';

/** `kubeflect manifests`: what a cluster needs to run an operator. */
export const manifests: Command = {
  name: 'manifests',
  summary: 'Print the manifests of an operator: definitions, Roles, Deployment.',
  help: `Usage: kubeflect manifests MODULE [options]

Imports a module that exports the options of a manager (ManagerOptions), and prints everything that a cluster needs to run
it: definitions, Namespace, ServiceAccount, Roles with exactly the permissions that its controllers declare, Service, and
with --image the Deployment.

  kubeflect manifests dist/operator.js --image example/operator:1.0.0 > manifests/operator.yaml
  kubeflect manifests dist/operator.js --image example/operator:1.0.0 --check manifests/

Options:
      --image IMAGE      Print a Deployment too, with this image.
      --replicas N       Its replicas. Default: 2.
      --namespace NAME   Its namespace. Default: that of the manager, or the manager's name.
      --export NAME      The export of the module: options, or a function that returns them. Default: the only export
                         that has options, else the function operator.
  -o, --output FORM      yaml (default) or json.
      --check PATH       Print nothing, but compare with the manifests of a file or folder, and fail if they differ.
  -h, --help             Show this.

Exit codes: 0 success, 1 failed or --check found differences, 2 wrong options.
`,
  async run(args, context) {
    const { module, exported, deploy, output, check } = readOptions(args);
    const folder = context.cwd ?? '.';
    const operator = await loadOperator(resolve(folder, module), module, exported);
    const objects = operator.manifests(operator.options, deploy) as readonly JsonObject[];
    if (check === undefined) {
      context.stdout.write(printManifests(objects, output));
      return EXIT.success;
    }
    const present = (await readManifests([resolve(folder, check)])).map(({ object }) => object);
    // As JSON, because that is what a file can hold.
    const lines = compareManifests(JSON.parse(JSON.stringify(objects)), present);
    if (lines.length === 0) return EXIT.success;
    throw new CommandError(`${check} is not up to date; print the manifests again\n${lines.join('\n')}`);
  },
};

interface ManifestsOptions {
  readonly module: string;
  readonly exported: string | undefined;
  readonly deploy: DeployOptions | undefined;
  readonly output: (typeof manifestForms)[number];
  readonly check: string | undefined;
}

function readOptions(args: readonly string[]): ManifestsOptions {
  const { values, positionals } = parseArguments({
    args: [...args],
    allowPositionals: true,
    options: {
      image: { type: 'string' },
      replicas: { type: 'string' },
      namespace: { type: 'string' },
      export: { type: 'string' },
      output: { type: 'string', short: 'o' },
      check: { type: 'string' },
    },
  });
  const [module, ...others] = positionals;
  if (module === undefined || others.length > 0) {
    throw new UsageError('which module? For instance: kubeflect manifests dist/operator.js');
  }
  const { image, namespace, check } = values;
  if (image === '') throw new UsageError('--image must not be empty');
  if (image === undefined && (values.replicas ?? namespace) !== undefined) {
    throw new UsageError('--replicas and --namespace go with --image');
  }
  if (namespace !== undefined && dns1123LabelErrors(namespace).length > 0) {
    throw new UsageError(`--namespace must be the name of a namespace, got '${namespace}'`);
  }
  const output = manifestForms.find((form) => form === (values.output ?? 'yaml'));
  if (output === undefined) {
    throw new UsageError(`--output must be one of ${manifestForms.join(', ')}, got '${values.output}'`);
  }
  const replicas = values.replicas === undefined ? undefined : wholeNumber('--replicas', values.replicas, 1000);
  return {
    module,
    exported: values.export,
    deploy: image === undefined ? undefined : { image, namespace, replicas },
    output,
    check,
  };
}
