import { readFile, stat, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { commandRig } from '../../../test/support/command-rig.js';
import { TempFolder } from '../../../test/support/temp-folder.js';
import { openRecording, type Recording, recordingOnDisk } from '../../apiserver/replay/recording-file.js';

const spec = { containers: [{ name: 'web', image: 'web:1' }] };

/** The entries of a recording, in short. */
function shown(recording: Recording): string[] {
  return [...recording.entries()].map((entry) => {
    const name = recording.header.resources[entry.resource]!.resource;
    if (entry.kind === 'change') return `${name} ${entry.type} ${entry.object.key}`;
    if (entry.kind === 'item') return `${name} item ${entry.object.key}`;
    return entry.kind === 'failure' ? `${name} failure ${entry.failure.status?.code ?? ''}` : `${name} ${entry.kind}`;
  });
}

async function recordingOf(file: string): Promise<Recording> {
  return openRecording(recordingOnDisk(file));
}

it('records the objects of resources and their changes, until it is interrupted', async () => {
  const { clock, client, api, start } = await commandRig();
  const pods = client.core.v1.pods('default');
  await pods.create({ metadata: { name: 'web' }, spec });
  const file = new TempFolder().file('pods.kfr');
  const command = start(['record', 'po,deploy', '--out', file], { connect: async () => api.client({ wire: 'json' }) });
  await clock.until(() => /pods, deployments\.apps listed; recording every change/.test(command.errors));
  await pods.patch('web', { metadata: { labels: { app: 'web' } } });
  await client.core.v1.pods('kube-system').create({ metadata: { name: 'other' }, spec });
  await clock.advance(3000);
  await pods.delete('web', { gracePeriodSeconds: 0 });
  await clock.advance(1000);
  void command.interrupt().catch(() => {});
  const { code, output, errors } = await command.finished;
  expect({ code, errors }).toEqual({ code: 0, errors: 'pods, deployments.apps listed; recording every change\n' });
  expect(output).toMatch(
    /^Recorded pods, deployments\.apps for 4 s to .*pods\.kfr: 4 states of objects, \d+ KiB of JSON in 1 KiB\n$/,
  );
  const recording = await recordingOf(file);
  expect(recording.warning).toBeUndefined();
  expect(
    shown(recording)
      .filter((line) => !line.endsWith('bookmark'))
      .sort(),
  ).toEqual([
    'deployments list',
    'pods DELETED default/web',
    'pods MODIFIED default/web',
    'pods MODIFIED default/web',
    'pods item default/web',
    'pods list',
  ]);
  expect(recording.header.resources[0]).toMatchObject({ resource: 'pods', shortNames: ['po'], namespace: 'default' });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  recording.close();
});

it('replaces the values of Secrets, unless it is asked for them', async () => {
  const { clock, client, api, start } = await commandRig();
  const secrets = client.core.v1.secrets('default');
  const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{"data":{"password":"aHVudGVyMg=="}}' };
  await secrets.create({
    metadata: { name: 'db', annotations },
    data: { password: 'aHVudGVyMg==', user: 'aHVudGVyMg==' },
  });
  const folder = new TempFolder();
  const dataOf = async (...more: string[]): Promise<{ text: string; data: Record<string, string> }[]> => {
    const file = folder.file(`${more.length}.kfr`);
    const command = start(['record', 'secrets', '--out', file, '--for=5s', ...more], {
      connect: async () => api.client({ wire: 'json' }),
    });
    await clock.until(() => command.errors.includes('listed'));
    await secrets.patch('db', { data: { password: more.length === 0 ? 'bmV3' : 'b2xk' } });
    await clock.advance(6000);
    await command.finished;
    const recording = await recordingOf(file);
    const objects = [...recording.entries()].flatMap((entry) =>
      'object' in entry ? [entry.object.bytes.toString()] : [],
    );
    recording.close();
    return objects.map((text) => ({ text, data: JSON.parse(text).data }));
  };
  const [first, second] = await dataOf();
  expect(first!.text).not.toMatch(/aHVudGVyMg|hunter2/);
  expect(Buffer.from(first!.data['password']!, 'base64').toString()).toMatch(/^redacted-[0-9a-f]{12}$/);
  expect(first!.data['password']).toBe(first!.data['user']);
  expect(second!.data['password']).not.toBe(first!.data['password']);
  expect(second!.data['user']).toBe(first!.data['user']);
  const [shownValue] = await dataOf('--secret-values');
  expect(shownValue!.data['password']).toBe('bmV3');
});

it('records what fails: 410 Gone, lists that are refused later, watches that break', async () => {
  const { clock, api, client, start } = await commandRig();
  const file = new TempFolder().file('faults.kfr');
  const command = start(['record', 'pods', '--out', file], { connect: async () => api.client({ wire: 'json' }) });
  await clock.until(() => command.errors.includes('listed'));
  api.faults.inject({ verb: 'watch', resource: 'pods', reset: 'afterEvent' } as never);
  await client.core.v1.pods('default').create({ metadata: { name: 'a' }, spec });
  await clock.advance(5000);
  api.faults.dropConnections();
  api.compact();
  await client.core.v1.pods('default').create({ metadata: { name: 'b' }, spec });
  api.compact();
  await clock.advance(60_000);
  await client.core.v1.pods('default').create({ metadata: { name: 'c' }, spec });
  await clock.advance(2000);
  void command.interrupt().catch(() => {});
  await command.finished;
  const recording = await recordingOf(file);
  const entries = shown(recording);
  expect(entries).toContain('pods failure ');
  expect(entries).toContain('pods failure 410');
  expect(entries.filter((line) => line === 'pods list').length).toBe(2);
  expect(entries.filter((line) => line.includes('default/c'))).toEqual(['pods ADDED default/c']);
  recording.close();
});

it('says what to do about wrong arguments, files that exist and missing permissions', async () => {
  const { run, start, api } = await commandRig({ authorization: 'rbac', tokens: { user: { name: 'eve' } } });
  const folder = new TempFolder();
  await writeFile(folder.file('there'), 'precious');
  expect(await run('record')).toMatchObject({ code: 2, errors: expect.stringContaining('which resource?') });
  expect(await run('record', 'pods')).toMatchObject({ code: 2, errors: expect.stringContaining('--out is missing') });
  expect(await run('record', 'pods', '--out', 'x', '--for', 'long')).toMatchObject({ code: 2 });
  const there = start(['record', 'pods', '--out', folder.file('there')]);
  expect(await there.finished).toMatchObject({
    code: 1,
    errors: expect.stringContaining('there exists; choose another --out'),
  });
  expect(await readFile(folder.file('there'), 'utf8')).toBe('precious');
  const nowhere = start(['record', 'pods', '--out', folder.file('no/where')]);
  expect(await nowhere.finished).toMatchObject({
    code: 1,
    errors: expect.stringMatching(/cannot write .*where: ENOENT/),
  });
  const unknown = start(['record', 'dances', '--out', folder.file('a')]);
  expect(await unknown.finished).toMatchObject({ code: 1 });
  const twice = start(['record', 'pods', 'pods/web', '--out', folder.file('b')]);
  expect(await twice.finished).toMatchObject({ code: 2, errors: expect.stringContaining('pods is there twice') });
  const forbidden = start(['record', 'pods', '--out', folder.file('c')], {
    connect: async () => api.client({ token: 'user', wire: 'json' }),
  });
  expect(await forbidden.finished).toMatchObject({
    code: 1,
    errors: expect.stringContaining('Your role must allow it'),
  });
});
