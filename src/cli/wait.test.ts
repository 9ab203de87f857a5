import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TempFolder } from '../../test/support/temp-folder.js';
import { type ApiServer, startApiServer } from '../apiserver/server.js';
import type { Client } from '../client/client.js';
import { run } from './run.js';

let api: ApiServer;
let client: Client;
beforeEach(async () => {
  api = await startApiServer();
  client = api.client();
  const containers = [{ name: 'app', image: 'app:1' }];
  await client.core.v1.pods('default').create({ metadata: { name: 'web' }, spec: { containers } });
  const at = { lastProbeTime: null, lastTransitionTime: null } as object;
  await client.core.v1.pods('default').patchStatus('web', {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'True', ...at }],
  });
});
afterEach(async () => {
  await client.close();
  await api.stop();
});

async function wait(...args: string[]): Promise<{ code: number; output: string; errors: string }> {
  const path = await new TempFolder().write('config', api.kubeconfig);
  let [output, errors] = ['', ''];
  const code = await run(['wait', ...args, `--kubeconfig=${path}`], {
    stdout: { write: (text) => (output += text) },
    stderr: { write: (text) => (errors += text) },
    signal: new AbortController().signal,
  });
  return { code, output, errors };
}

describe('kubeflect wait', () => {
  it.each([
    [['pod/web', '--for=condition=Ready'], 'pod/web condition met\n'],
    [['po', 'web', '--for', 'condition=ready=true'], 'pod/web condition met\n'],
    [['pods/web', '--for=jsonpath={.status.phase}=Running', '-n', 'default'], 'pod/web condition met\n'],
    [['pods/web', "--for=jsonpath='{.status.phase}'=Running"], 'pod/web condition met\n'],
    [['pods/web', '--for=jsonpath={.status.conditions[?(@.type=="Ready")].status}=True'], 'pod/web condition met\n'],
    [['pods/web', '--for=jsonpath=.metadata.name'], 'pod/web condition met\n'],
    [['pod/web', '--for=create'], 'pod/web condition met\n'],
    [['pod/gone', 'deployments.apps/gone', '--for=delete'], 'pod/gone deleted\ndeployment.apps/gone deleted\n'],
    [['ns/default', '--for=jsonpath={.status.phase}=Active'], 'namespace/default condition met\n'],
  ])('%j', async (args, expected) => {
    expect(await wait(...args)).toEqual({ code: 0, output: expected, errors: '' });
  });

  it('waits for a rollout', async () => {
    const labels = { app: 'api' };
    const deployments = client.apps.v1.deployments('default');
    await deployments.create({
      metadata: { name: 'api' },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'app:1' }] } },
      },
    });
    const waiting = wait('deploy/api', '--for=rollout', '--timeout=5m');
    const one = { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1, observedGeneration: 1 };
    await deployments.patchStatus('api', one);
    expect(await waiting).toEqual({ code: 0, output: 'deployment.apps/api rolled out\n', errors: '' });
  });

  it('says what each object lacks when the time is over, and 0 looks once', async () => {
    const { code, output, errors } = await wait('pod/web', 'pod/other', '--for=jsonpath={.spec.x}', '--timeout=0');
    expect([code, output]).toEqual([1, '']);
    expect(errors).toBe(
      'kubeflect wait: timed out waiting for pod/web: it has nothing at .spec.x\n' +
        'kubeflect wait: timed out waiting for pod/other: it does not exist\n',
    );
    const late = await wait('pod/web', '--for=delete', '--timeout=10ms');
    // A machine under load may have no answer after 10 ms.
    expect(late.errors).toMatch(
      /^kubeflect wait: timed out waiting for pod\/web: (?:it exists|there was no answer from the server)\n$/,
    );
  });

  it.each([
    [['--for=create'], 'which object?'],
    [['pod/web'], '--for is missing'],
    [['pod', '--for=create'], "'pod' must be RESOURCE/NAME"],
    [['pod/a/b', '--for=create'], "'pod/a/b' must be RESOURCE/NAME"],
    [['pod/web', '--for=ready'], '--for must be condition=NAME'],
    [['pod/web', '--for=jsonpath={.a[}'], '--for=jsonpath: '],
    [['pod/web', '--for=create', '--timeout=soon'], '--timeout must be a time such as 30s or 5m'],
    [['pod/web', '--for=create', '-n', 'a/b'], '--namespace must be a name'],
  ])('refuses %j', async (args, message) => {
    const { code, errors } = await wait(...args);
    expect([code, errors]).toEqual([2, expect.stringContaining(message)]);
  });

  it('fails for an unknown resource', async () => {
    const { code, errors } = await wait('gizmos/a', '--for=create');
    expect([code, errors]).toEqual([1, expect.stringContaining('the server has no resource for "gizmos"')]);
  });
});
