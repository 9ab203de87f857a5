import { rename } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../../src/client/client.js';
import { eventually } from '../support/eventually.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { TempFolder } from '../support/temp-folder.js';
import { withWire } from '../support/wire.js';
import { InformerRig } from './informer-rig.js';
import { type RealApiServer, startRealApiServer } from './real-api-server.mjs';

let server: RealApiServer;
beforeAll(async () => {
  server = await startRealApiServer();
});
afterAll(() => server.stop());

async function userOf(client: Client): Promise<string | undefined> {
  const review = await client.authentication.v1.selfSubjectReviews().create({ metadata: {} });
  return review.status?.userInfo?.username;
}

describe('informers whose credentials are replaced', () => {
  it('use the new token of the file when the old one is no longer accepted', async () => {
    const folder = new TempFolder();
    const tokenFile = await folder.write('token', 'later');
    await using proxy = await TcpProxy.start(server.url);
    const client = new Client({ server: proxy.url, ca: server.ca, tokenFile, ...withWire });
    await using rig = await InformerRig.start(server, { client });
    const { admin, namespace } = rig;
    const rules = [{ verbs: ['list', 'watch'], apiGroups: [''], resources: ['configmaps'] }];
    const subject = { kind: 'ServiceAccount', name: 'reader', namespace };
    await admin.core.v1.serviceAccounts(namespace).create({ metadata: { name: 'reader' } });
    await admin.rbac.v1.roles(namespace).create({ metadata: { name: 'reader' }, rules });
    await admin.rbac.v1.roleBindings(namespace).create({
      metadata: { name: 'reader' },
      subjects: [subject],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
    });
    const tokens = admin.core.v1.serviceAccounts(namespace).subresource('token');
    const secrets = admin.core.v1.secrets(namespace);
    /** A token that becomes invalid when the secret it is bound to is deleted. */
    const newToken = async (name: string) => {
      const { metadata } = await secrets.create({ metadata: { name } });
      const boundObjectRef = { apiVersion: 'v1', kind: 'Secret', name, uid: metadata.uid };
      const { status } = await tokens.create('reader', {
        spec: { audiences: [], expirationSeconds: 3600, boundObjectRef },
      });
      return status?.token ?? '';
    };
    const statusWith = async (token: string) => {
      const path = `/api/v1/namespaces/${namespace}/configmaps`;
      return (await server.request('GET', path, { as: { token } })).status;
    };
    const first = await newToken('first');
    await folder.write('token', first);
    await eventually('the role is known', async () => (await statusWith(first)) === 200);
    rig.observe(rig.factory.core.v1.configMaps());
    await rig.sync();
    await rig.churn(20);

    const second = await newToken('second');
    await secrets.delete('first');
    await eventually('the first token is refused', async () => (await statusWith(first)) === 401);
    // Replaces the file atomically, as kubelets do.
    await folder.write('next', second);
    await rename(folder.file('next'), tokenFile);
    proxy.reset();
    await rig.churn(20, 20);
    await rig.check();
    expect(await userOf(client)).toBe(`system:serviceaccount:${namespace}:reader`);
  });

  it('use the new certificate of the files, at the latest for the next connection', async () => {
    const folder = new TempFolder();
    const install = async (commonName: string) => {
      const pair = await server.clientCertificate({ commonName, organizations: ['system:masters'] });
      await folder.write('tls.crt', pair.cert);
      // Between the two writes the files do not match.
      return () => folder.write('tls.key', pair.key);
    };
    await (await install('alice'))();
    await using proxy = await TcpProxy.start(server.url);
    const [certFile, keyFile] = [folder.file('tls.crt'), folder.file('tls.key')];
    const client = new Client({ server: proxy.url, ca: server.ca, certFile, keyFile, ...withWire });
    await using rig = await InformerRig.start(server, { client });
    rig.observe(rig.factory.core.v1.configMaps());
    await rig.sync();
    expect(await userOf(client)).toBe('alice');
    const finish = await install('bob');
    proxy.reset();
    await rig.churn(20);
    await rig.check();
    expect(await userOf(client)).toBe('alice');
    await finish();
    proxy.reset();
    await rig.churn(20, 20);
    await rig.check();
    expect(await userOf(client)).toBe('bob');
  });
});
