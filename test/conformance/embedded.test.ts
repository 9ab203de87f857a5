import { afterAll } from 'vitest';
import { startApiServer } from '../../src/apiserver/index.js';
import { describeConformance } from './harness.js';
import type { LeftOut } from './target.js';

/** Features of kube-apiserver that the embedded server lacks. */
const leftOut: readonly LeftOut[] = [
  ...[
    'server-side apply: an apply cannot make an invalid object',
    'server-side apply of structures: defaults have no owner',
    'server-side apply of structures: a field that its owner no longer applies returns to its default',
  ].map((what) => ({ what, reason: 'the rules and defaults of single kinds are not enforced yet' })),
  { what: 'built-in validation', reason: 'the rules and defaults of single kinds are not enforced yet' },
];

// A kube-apiserver without controllers creates only its namespaces; the suite expects that.
const server = await startApiServer({
  controllers: ['system-namespaces'],
  authorization: 'rbac',
  tokens: { powerless: { name: 'powerless' } },
});
afterAll(() => server.stop());

describeConformance({
  name: 'the embedded server',
  url: server.url,
  token: server.token ?? '',
  users: { powerless: { name: 'powerless', token: 'powerless' } },
  control: {
    compact: async () => server.compact(),
    restart: () => server.restart(),
  },
  leftOut,
});
