import { expect, it } from 'vitest';
import { kubeconfigText } from '../../test/support/kubeconfig-text.js';
import { TempFolder } from '../../test/support/temp-folder.js';
import { Client } from './client.js';

const server = 'https://127.0.0.1:6443';
const none = { files: [], context: undefined, cluster: undefined, user: undefined, namespace: undefined };

it('a client says which server, files, context and user it uses, without secrets', async () => {
  const text = kubeconfigText({ token: 'secret-token' });
  const path = await new TempFolder().write('config', text);
  const entries = { context: 'x', cluster: 'x', user: 'x', namespace: undefined };
  const ofFile = await Client.fromDefault({ env: { KUBECONFIG: `${path}:/nowhere` } });
  expect(ofFile.config).toEqual({ server, source: 'kubeconfig', files: [path], ...entries });
  const ofText = await Client.fromKubeconfig({ text }, { namespace: 'web' });
  expect(ofText.config).toEqual({ server, source: 'kubeconfig', files: [], ...entries, namespace: 'web' });
  expect(JSON.stringify(ofFile.config)).not.toContain('secret-token');
  await Promise.all([ofFile.close(), ofText.close()]);
});

it('a client of options has no kubeconfig', async () => {
  const client = new Client({ server, token: 'secret-token' });
  expect(client.config).toEqual({ server, source: 'options', ...none });
  await client.close();
});
