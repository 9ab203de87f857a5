import type { Project } from './project.js';

/** The sources of a new operator by their paths: a kind, its controller, the operator, the two programs, and a test. */
export function operatorFiles(project: Project): Readonly<Record<string, string>> {
  return {
    'src/resource.ts': resource(project),
    'src/controller.ts': controller(project),
    'src/operator.ts': operator(project),
    'src/main.ts': main,
    'src/dev.ts': dev(project),
    'src/operator.test.ts': test(project),
  };
}

const resource = ({
  group,
  kind,
  variable,
}: Project): string => `import { defineResource, field, type ObjectOf } from 'kubeflect/controller';

/** The kind ${kind}: its fields are the TypeScript type, the schema that servers check, and the columns of kubectl. */
export const ${variable} = defineResource({
  group: '${group}',
  version: 'v1alpha1',
  kind: '${kind}',
  spec: {
    image: field.string({ minLength: 1, description: 'The image of the container.' }),
    replicas: field.integer({ minimum: 0, maximum: 100, default: 1, description: 'How many pods run it.' }),
  },
  status: {
    readyReplicas: field.optional(field.integer()),
    conditions: field.conditions(),
  },
  columns: {
    Image: '.spec.image',
    Ready: '.status.readyReplicas',
  },
});

export type ${kind} = ObjectOf<typeof ${variable}>;
`;

const controller = ({ kind, plural, variable }: Project): string => `import { resources } from 'kubeflect';
import { createController } from 'kubeflect/controller';
import { ${variable} } from './resource.js';

const { deployments } = resources.apps.v1;

/** Every ${kind} gets a Deployment of the same name, which is deleted with it. */
export const controller = createController({
  name: '${plural}',
  for: ${variable},
  owns: [deployments],
  readyCondition: 'Ready',
  async reconcile({ metadata: { name }, spec: { image, replicas } }, { apply, status }) {
    const labels = { '${plural}': name };
    const deployment = await apply(deployments, {
      metadata: { name, labels },
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'main', image }] } },
      },
    });
    const readyReplicas = deployment.status?.readyReplicas ?? 0;
    status({ readyReplicas });
    if (readyReplicas < replicas) return { waiting: \`\${readyReplicas} of \${replicas} replicas are ready\` };
    return undefined;
  },
});
`;

const operator = ({ name }: Project): string => `import type { ManagerOptions } from 'kubeflect/controller';
import { controller } from './controller.js';

/** What the manager runs. The manifests, the tests and both programs are made from it. */
export const operator: ManagerOptions = { name: '${name}', controllers: [controller] };
`;

const main = `// The program of the image: it runs in a cluster, or with the current context of your kubeconfig.
import { Client, terminationSignal } from 'kubeflect';
import { createManager } from 'kubeflect/controller';
import { operator } from './operator.js';

const client = await Client.fromDefault();
try {
  await createManager(client, operator).run({ signal: terminationSignal() });
} finally {
  await client.close();
}
`;

const dev = ({
  plural,
  group,
}: Project): string => `// npm run dev: the operator on an API server inside this program; npm run dev -- --cluster: on the current context.
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { Client, terminationSignal } from 'kubeflect';
import { startApiServer } from 'kubeflect/apiserver';
import { createManager } from 'kubeflect/controller';
import { operator } from './operator.js';

const { values } = parseArgs({ options: { cluster: { type: 'boolean', default: false } } });
const signal = terminationSignal();
const api = values.cluster ? undefined : await startApiServer();
const client = api?.client() ?? (await Client.fromDefault());
try {
  if (api !== undefined) {
    await writeFile('.kubeconfig', api.kubeconfig, { mode: 0o600 });
    console.log('Try: kubectl --kubeconfig .kubeconfig get ${plural}.${group}');
  }
  const manager = createManager(client, { ...operator, definitions: 'apply', election: false, port: false });
  await manager.run({ signal });
} finally {
  await client.close();
  await api?.stop();
}
`;

const test = ({
  variable,
  object,
  kind,
}: Project): string => `// The operator on an API server inside this program, in virtual time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resources } from 'kubeflect';
import { createWorld, explore } from 'kubeflect/testing';
import { operator } from './operator.js';
import { ${variable} } from './resource.js';

const ${object} = { metadata: { name: 'one' }, spec: { image: 'web:1' } };

test('a ${kind} gets a Deployment, and is ready when that is', async () => {
  await using world = await createWorld(operator);
  const objects = world.client.forResource(${variable}, 'default');
  await objects.create(${object});
  await world.settle();
  const { spec, status } = await objects.get('one');
  assert.equal(status?.readyReplicas, spec.replicas);
  assert.equal(status?.conditions?.find(({ type }) => type === 'Ready')?.status, 'True');

  const deployments = world.client.forResource(resources.apps.v1.deployments, 'default');
  await deployments.patch('one', { spec: { replicas: 9 } });
  await world.settle();
  assert.equal((await deployments.get('one')).spec?.replicas, 1, 'the change is undone');
  assert.deepEqual(await world.again(), [], 'another look changes nothing');
});

test('it comes to the same end wherever it crashes', async () => {
  await explore(
    () => operator,
    async (world) => {
      const objects = world.client.forResource(${variable}, 'default');
      await objects.create(${object});
      await world.settle();
      await objects.patch('one', { spec: { replicas: 2 } });
      await world.settle();
    },
  );
});
`;
