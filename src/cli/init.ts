import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { dns1035LabelErrors, dns1123SubdomainErrors } from '../meta/names.js';
import { parseArguments } from './arguments.js';
import { type Command, CommandError, EXIT, UsageError } from './command.js';
import { operatorFiles } from './init/operator-files.js';
import { operatorManifests } from './init/operator-manifests.js';
import type { Project } from './init/project.js';
import { projectFiles } from './init/project-files.js';
import { Identifiers, typeName, variableName } from './types/identifiers.js';
import { packageVersion } from './version.js';

/** `kubeflect init`: a new operator. */
export const init: Command = {
  name: 'init',
  summary: 'Write a new operator: a kind, a controller, tests, manifests and an image.',
  help: `Usage: kubeflect init NAME [options]

Writes the project of an operator into the new folder NAME: one kind, one controller, a test, a Dockerfile, manifests, and a
workflow for CI that fails when the committed manifests differ from the sources. Existing files are never overwritten.

  npx kubeflect init website-operator --group example.com
  cd website-operator && npm install && npm test && npm run dev

NAME has lower-case letters, digits and dashes: it is the name of the package, of the manager and of its namespace.

Options:
      --kind KIND     The kind. Default: from NAME; website-operator has Website.
      --group GROUP   The API group of the kind, a DNS name with a dot. Default: example.com.
  -h, --help          Show this.

Exit codes: 0 success, 1 could not write, 2 wrong options.
`,
  async run(args, context) {
    const project = readOptions(args);
    const files = {
      ...projectFiles(project),
      ...operatorFiles(project),
      'manifests/operator.yaml': operatorManifests(project),
    };
    const folder = resolve(context.cwd ?? '.', project.name);
    await requireNewFolder(folder, project.name);
    for (const [path, text] of Object.entries(files)) await write(join(folder, path), text);
    const list = Object.keys(files).map((path) => `  ${join(project.name, path)}\n`);
    context.stdout.write(`Wrote\n${list.join('')}Next: cd ${project.name} && npm install && npm test && npm run dev\n`);
    return EXIT.success;
  },
};

function readOptions(args: readonly string[]): Project {
  const { values, positionals } = parseArguments({
    args: [...args],
    allowPositionals: true,
    options: { kind: { type: 'string' }, group: { type: 'string' } },
  });
  const [name, ...others] = positionals;
  if (name === undefined || others.length > 0) {
    throw new UsageError('which name? For instance: kubeflect init website-operator');
  }
  if (dns1035LabelErrors(name).length > 0 || name.length > MAX_NAME) {
    throw new UsageError(
      `NAME must have at most ${MAX_NAME} lower-case letters, digits and dashes, and begin with a letter, got '${name}'`,
    );
  }
  const { group = 'example.com' } = values;
  if (!group.includes('.') || dns1123SubdomainErrors(group).length > 0) {
    throw new UsageError(`--group must be a DNS name with a dot, such as example.com, got '${group}'`);
  }
  if (/(^|\.)(k8s|kubernetes)\.io$/.test(group)) {
    throw new UsageError(`--group must be your own: servers refuse new kinds in ${group}`);
  }
  const kind = values.kind ?? typeName(name.replace(/-(?:operator|controller)$/, ''));
  if (!/^[A-Z][A-Za-z0-9]*$/.test(kind) || kind.length > MAX_NAME || USED.includes(kind)) {
    throw new UsageError(`--kind must be a word such as Website, got '${kind}'`);
  }
  const plural = `${kind.toLowerCase()}s`;
  const names = new Identifiers([...USED, kind]);
  return {
    name,
    group,
    kind,
    plural,
    variable: names.unique(`${variableName(kind)}s`),
    object: names.unique(variableName(kind)),
    version: packageVersion(),
  };
}

/** A name is part of other names, which have 63 characters at most. */
const MAX_NAME = 50;
/** The names that the written sources import or declare. */
const USED = (
  'defineResource field ObjectOf resources createController controller deployments deployment labels readyReplicas name image ' +
  'replicas apply status spec ManagerOptions operator assert test createWorld explore world objects Record'
).split(' ');

async function requireNewFolder(path: string, name: string): Promise<void> {
  let present: readonly string[];
  try {
    present = await readdir(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return;
    throw new CommandError(code === 'ENOTDIR' ? `${name} exists and is no folder` : message);
  }
  if (present.length > 0) throw new CommandError(`the folder ${name} exists and is not empty; choose another NAME`);
}

async function write(path: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text, { flag: 'wx' });
  } catch (error) {
    throw new CommandError(`cannot write ${path}: ${(error as Error).message}`);
  }
}
