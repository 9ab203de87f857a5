import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApiServer } from '../../src/apiserver/index.js';
import { openRecording, recordingOnDisk } from '../../src/apiserver/replay/recording-file.js';
import { run } from '../../src/cli/run.js';
import { Client } from '../../src/client/client.js';
import { SharedInformerFactory } from '../../src/informers/shared-informer-factory.js';
import { eventually } from '../support/eventually.js';
import { TempFolder } from '../support/temp-folder.js';
import { InformerRig } from './informer-rig.js';
import { type RealApiServer, startRealApiServer } from './real-api-server.mjs';

let server: RealApiServer;
beforeAll(async () => {
  server = await startRealApiServer();
});
afterAll(() => server.stop());

it('a recording of kube-apiserver has its bytes, through an outage, and is replayed with them', async () => {
  await using rig = await InformerRig.start(server);
  await rig.churn(20);
  const file = new TempFolder().file('real.kfr');
  const stop = new AbortController();
  let errors = '';
  const recording = run(
    ['record', 'cm', 'secrets', '-n', rig.namespace, '--out', file, '--kubeconfig', server.kubeconfigPath],
    { stdout: { write: () => {} }, stderr: { write: (text) => void (errors += text) }, signal: stop.signal },
  );
  await eventually('everything is listed', () => errors.includes('configmaps, secrets listed'), {
    explain: () => errors,
  });
  await rig.churn(60, 20);
  await server.kill();
  await server.start();
  await rig.churn(60, 80);
  await using client = await Client.fromKubeconfig({ path: server.kubeconfigPath }, { wire: 'json' });
  const secrets = client.core.v1.secrets(rig.namespace);
  await secrets.create({ metadata: { name: 'password' }, data: { value: 'aHVudGVyMg==' } });
  const last = await secrets.get('password');
  const isRecorded = async (): Promise<boolean> => {
    const partial = await openRecording(recordingOnDisk(file));
    const versions = [...partial.entries()].map((entry) => ('object' in entry ? entry.object.version : 0));
    partial.close();
    return versions.includes(Number(last.metadata.resourceVersion));
  };
  await eventually('the last change is in the file', isRecorded, { explain: () => errors });
  stop.abort();
  expect(await recording).toBe(0);

  const whole = await openRecording(recordingOnDisk(file));
  const texts = [...whole.entries()].map((entry) => ('object' in entry ? entry.object.bytes.toString() : ''));
  whole.close();
  expect(texts.filter((text) => text.includes('aHVudGVyMg'))).toEqual([]);

  // The state at the end is that of the server.
  const expected = await client.core.v1.configMaps(rig.namespace).list();
  await using atEnd = await startApiServer({ replay: { file, from: new Date(whole.end) } });
  await using replayed = atEnd.client({ wire: 'json' });
  const { items } = await replayed.core.v1.configMaps(rig.namespace).list();
  expect(items).toEqual(expected.items);

  // An informer that sees all of it, at full speed, comes to the same.
  await using api = await startApiServer({ replay: { file, speed: 'max' } });
  await using watching = api.client({ wire: 'json' });
  const factory = new SharedInformerFactory(watching, { namespace: rig.namespace });
  const informer = factory.core.v1.configMaps();
  factory.start();
  const versions = (): string =>
    JSON.stringify(
      informer.lister
        .list()
        .map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`)
        .sort(),
    );
  const wanted = JSON.stringify(
    expected.items.map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`).sort(),
  );
  await eventually('the informer has the last state', () => versions() === wanted, { explain: versions });
  await factory.stop();
});
