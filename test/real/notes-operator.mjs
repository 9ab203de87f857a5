// An operator as a child process: each Note gets a ConfigMap with its text, a status, and a finalizer. It says on its standard
// output what it does, one line each.
//
//   node notes-operator.mjs <kubeconfig> <identity>

import { createController, createManager, field, manifests } from '../../dist/controller/index.js';
import { Client, defineResource, resources, terminationSignal } from '../../dist/index.js';

const { configMaps } = resources.core.v1;

export const notes = defineResource({
  group: 'real.kubeflect.dev',
  version: 'v1',
  kind: 'Note',
  spec: { text: field.string(), copies: field.integer({ default: 1, minimum: 0 }) },
  status: { written: field.optional(field.string()), conditions: field.conditions() },
});

/** @param {(line: string) => void} say */
function operator(say, identity = 'test') {
  const controller = createController({
    name: 'notes',
    for: notes,
    owns: [configMaps],
    readyCondition: 'Ready',
    async reconcile({ metadata: { name }, spec: { text, copies } }, { apply, prune, status, key }) {
      for (let i = 0; i < copies; i++) await apply(configMaps, { metadata: { name: `${name}-${i}` }, data: { text } });
      await prune();
      status({ written: text });
      say(`reconciled ${key} ${text}`);
    },
    async finalize(_, { key }) {
      say(`finalized ${key}`);
    },
  });
  const times = { leaseDurationMs: 3000, renewDeadlineMs: 2000, retryPeriodMs: 300 };
  return {
    name: 'notes-operator',
    controllers: [controller],
    definitions: 'apply',
    namespace: 'notes-operator',
    port: false,
    election: { identity, ...times },
  };
}

/** What has to be applied before it runs; the definition it applies itself. */
export function deployed() {
  return manifests(operator(() => {})).filter(({ kind }) => kind !== 'CustomResourceDefinition');
}

if (import.meta.url === `file://${process.argv[1]}`) {
  const [, , kubeconfig, identity] = process.argv;
  const say = (line) => process.stdout.write(`${line}\n`);
  const client = await Client.fromKubeconfig({ path: kubeconfig });
  const manager = createManager(client, operator(say, identity));
  manager.whenReady().then(
    () => say('ready'),
    () => {},
  );
  try {
    await manager.run({ signal: terminationSignal() });
    say('ended');
  } catch (error) {
    say(`failed ${error.message}`);
    process.exitCode = 1;
  }
  await client.close();
}
