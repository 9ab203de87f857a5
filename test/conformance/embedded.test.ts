import { afterAll } from 'vitest';
import { startApiServer } from '../../src/apiserver/index.js';
import { describeConformance } from './harness.js';

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
});
