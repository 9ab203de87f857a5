import { afterAll } from 'vitest';
import { describeConformance } from '../conformance/harness.js';
import { startRealApiServer } from './real-api-server.mjs';

/** The reference of the suite: a case that fails here is wrong. */
const server = await startRealApiServer();
const powerless = { name: 'powerless', token: await server.addUser({ name: 'powerless' }) };

describeConformance({
  name: 'kube-apiserver',
  url: server.url,
  ca: server.ca,
  token: server.adminToken,
  users: { powerless },
  control: {
    compact: async () => {
      await server.compact();
    },
    restart: () => server.restart(),
  },
});

afterAll(() => server.stop());
