import { readFile, writeFile } from 'node:fs/promises';
import { beforeAll, expect, it } from 'vitest';
import { makeRecording, recorded } from '../../../test/support/recordings.js';
import { type ServingCommand, startServing } from '../../../test/support/serving-command.js';
import { TempFolder } from '../../../test/support/temp-folder.js';

let recording: Buffer;

beforeAll(async () => {
  ({ bytes: recording } = await makeRecording([recorded('pods')], async ({ clock, client }) => {
    const pods = client.core.v1.pods('default');
    await pods.create({ metadata: { name: 'early' }, spec: { containers: [{ name: 'web', image: 'web:1' }] } });
    await clock.advance(600_000);
    await pods.create({ metadata: { name: 'late' }, spec: { containers: [{ name: 'web', image: 'web:1' }] } });
  }));
});

const start = (...args: string[]): ServingCommand => startServing('replay', ...args);

async function namesAt(url: string): Promise<string[]> {
  const list = (await (await fetch(`${url}/api/v1/pods`)).json()) as { items: { metadata: { name: string } }[] };
  return list.items.map(({ metadata }) => metadata.name);
}

it('serves a recording from a moment, with a kubeconfig, until it is interrupted', async () => {
  const folder = new TempFolder();
  const file = folder.file('incident.kfr');
  await writeFile(file, recording);
  const early = start(file, '--from', '+1m', '--kubeconfig', folder.file('config'));
  expect(await namesAt(await early.url)).toEqual(['early']);
  expect(early.errors()).toMatch(
    /incident\.kfr has pods from 2026-01-01T00:00:00\.\d+Z to 2026-01-01T00:1\d:\d\d\.\d+Z\n$/,
  );
  expect(early.output()).toMatch(
    /^Serving the Kubernetes API at http:\S+\nTry: kubectl --kubeconfig \S+config get pods\n$/,
  );
  expect(await readFile(folder.file('config'), 'utf8')).toContain(await early.url);
  const refused = await fetch(`${await early.url}/api/v1/namespaces/default/pods/early`, { method: 'DELETE' });
  expect(refused.status).toBe(405);
  expect(await early.stop()).toBe(0);
  const late = start(file, '--from', '2026-01-01T00:10:00Z', '--speed', 'max');
  expect(await namesAt(await late.url)).toEqual(['early', 'late']);
  expect(await late.stop()).toBe(0);
});

it('says what is wrong with its arguments and with the file', async () => {
  const folder = new TempFolder();
  const file = folder.file('incident.kfr');
  await writeFile(file, recording);
  const fails = async (code: number, message: string | RegExp, ...args: string[]): Promise<void> => {
    const running = start(...args);
    running.url.catch(() => {});
    expect(await running.ended).toBe(code);
    expect(running.errors()).toMatch(message);
  };
  await fails(2, 'which file?');
  await fails(2, 'which file?', file, file);
  await fails(2, '--speed must be max or a number', file, '--speed', '0');
  await fails(2, '--speed must be max or a number', file, '--speed', 'fast');
  await fails(2, '--from must be a time such as', file, '--from', 'noon');
  await fails(2, '--from must be within the recording, which is from 2026-01-01', file, '--from', '+2h');
  await fails(2, '--port must be', file, '--port', '70000');
  await fails(1, /missing cannot be opened: ENOENT/, folder.file('missing'));
  await writeFile(folder.file('text'), 'apiVersion: v1\n');
  await fails(1, /text is no recording/, folder.file('text'));
  await writeFile(folder.file('torn'), recording.subarray(0, recording.length - 30));
  const torn = start(folder.file('torn'));
  await torn.url;
  expect(torn.errors()).toMatch(
    /torn was not ended in order: changes after .* may be missing\. The last \d+ bytes are no whole block/,
  );
  await torn.stop();
  const damaged = Buffer.from(recording);
  damaged[600]! ^= 1;
  await writeFile(folder.file('damaged'), damaged);
  await fails(
    1,
    /damaged is damaged at offset \d+: the checksum of a batch is wrong; to use what is before it, cut the file: truncate -s/,
    folder.file('damaged'),
  );
});
