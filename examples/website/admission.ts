// Webhooks for the websites of website.ts: one site per host, a note of the user that created it, memory limits of pods.
import { Client, resources, terminationSignal } from 'kubeflect';
import { createManager, manifests, mutate, validate } from 'kubeflect/controller';
import { websites } from './website.js';

const quota = 20;
const oneHostOneSite = validate(websites, {
  reads: [websites],
  check(site, { old, lister, warn, user }) {
    const { host, replicas } = site.spec;
    if (old !== undefined && old.spec.replicas > 0 && replicas === 0) warn(`${host} goes dark, ${user.name}`);
    // Two requests at the same time do not see each other: the controller decides then.
    const others = lister(websites)
      .list()
      .filter(({ metadata }) => metadata.uid !== site.metadata.uid);
    const owner = others.find((other) => other.spec.host === host)?.metadata;
    const problems = [];
    if (owner) problems.push({ field: 'spec.host', message: `is served by ${owner.namespace}/${owner.name}` });
    if (replicas > quota) problems.push({ field: 'spec.replicas', message: `at most ${quota}, not ${replicas}` });
    return problems;
  },
});

const keep = validate(websites, {
  name: 'keep.example.com',
  operations: ['DELETE'],
  conditions: { 'is-kept': "oldObject.metadata.?annotations['example.com/keep'].orValue('no') == 'yes'" },
  check: ({ metadata: { name } }) => `${name} is to be kept: take the annotation example.com/keep away first`,
});

const writeDownWho = mutate(websites, {
  operations: ['CREATE'],
  change(site, { user }) {
    site.metadata.annotations = { ...site.metadata.annotations, 'example.com/made-by': user.name };
  },
});

const limitPods = mutate(resources.core.v1.pods, {
  failurePolicy: 'Ignore', // pods have to start also when no replica answers
  objectSelector: { matchExpressions: [{ key: 'website', operator: 'Exists' }] },
  timeoutMs: 2000,
  change(pod) {
    for (const container of pod.spec?.containers ?? []) container.resources ??= { limits: { memory: '256Mi' } };
  },
});

const options = { name: 'website-admission', webhooks: [oneHostOneSite, keep, writeDownWho, limitPods] };
if (process.argv.includes('--manifests')) {
  const image = 'registry.example.com/website-admission:1';
  for (const object of manifests(options, { image })) console.log(JSON.stringify(object));
} else {
  const manager = createManager(await Client.fromDefault(), options);
  manager.whenReady().then(() => console.log(manager.identity, 'serves admission'), console.error);
  await manager.run({ signal: terminationSignal() });
}
