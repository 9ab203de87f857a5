import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { statusOf } from '../../../test/support/pod-status.mjs';
import { type MadeRecording, makeRecording, recorded } from '../../../test/support/recordings.js';
import { runs } from '../../../test/support/runs.js';
import { TempFolder } from '../../../test/support/temp-folder.js';
import { startApiServer } from '../../apiserver/index.js';
import type { Storage } from '../../apiserver/storage/storage.js';
import type { Client } from '../../client/client.js';
import { SharedInformerFactory } from '../../informers/shared-informer-factory.js';
import { FakeClock } from '../../time/fake-clock.js';
import { seededRandom } from '../../time/seeded-random.js';

const PODS = 200;
/** Half a minute; `TEST_RUNS=120` is an hour: 180,000 changes. */
const CHANGES = runs(1500);
const CHANGES_PER_SECOND = 50;

/** A digest of all notifications of an informer of pods, with the bytes of the objects. */
class Notifications {
  readonly factory: SharedInformerFactory;
  readonly #hash = createHash('sha256');
  count = 0;

  constructor(client: Client) {
    this.factory = new SharedInformerFactory(client);
    const note = (text: string): void => {
      this.count++;
      this.#hash.update(text);
    };
    this.factory.core.v1.pods({ managedFields: 'keep' }).addEventHandler({
      onAdd: (pod) => note(`add ${JSON.stringify(pod)}`),
      onUpdate: (old, pod) => note(`update ${old.metadata.resourceVersion} ${JSON.stringify(pod)}`),
      onDelete: (pod) => note(`delete ${JSON.stringify(pod)}`),
    });
    this.factory.start();
  }

  get digest(): string {
    return this.#hash.copy().digest('hex');
  }
}

/** Changes pods as fast as asked, past the API: a write of a client takes much longer than its recording. */
async function churn(storage: Storage, clock: FakeClock): Promise<void> {
  const random = seededRandom(7);
  const pods = storage.collection('pods');
  for (let i = 0; i < CHANGES; i++) {
    const pod = pods.get(`default/web-${Math.floor(random() * PODS)}`)!;
    const object = { ...pod.decode(), status: statusOf(clock.now(), random) };
    pods.put({ namespace: 'default', name: pod.name, object, fields: pod.fields });
    await clock.advance(1000 / CHANGES_PER_SECOND);
  }
}

it('records every change, and a replay notifies an informer of the same, byte for byte', {
  timeout: 1_200_000,
}, async () => {
  let original: Notifications | undefined;
  let made: MadeRecording | undefined;
  const times: string[] = [];
  const timed = async <R>(what: string, work: () => Promise<R>): Promise<R> => {
    const before = { at: performance.now(), cpu: process.cpuUsage() };
    const result = await work();
    const { user, system } = process.cpuUsage(before.cpu);
    times.push(
      `${what} ${Math.round(performance.now() - before.at)} ms, ${Math.round((user + system) / 1000)} ms of CPU time`,
    );
    return result;
  };
  await timed('recorded in', async () => {
    made = await makeRecording([recorded('pods')], async ({ clock, client, api }) => {
      const containers = [
        { name: 'web', image: 'registry.example.com/shop/web:1.24.3', resources: { requests: { cpu: '100m' } } },
      ];
      for (let i = 0; i < PODS; i++) {
        const metadata = {
          name: `web-${i}`,
          labels: { app: 'web', 'pod-template-hash': '6d4b75cb6d', index: String(i) },
        };
        await client.core.v1.pods('default').create({ metadata, spec: { containers, nodeName: `node-${i % 9}` } });
      }
      original = new Notifications(client);
      await clock.advance(1000);
      await churn(api.storage, clock);
      await clock.advance(1000);
      await original.factory.stop();
    });
  });
  const { bytes, totals } = made!;
  expect(original!.count).toBe(PODS + CHANGES);
  expect(totals.states).toBe(PODS + CHANGES);
  expect(totals.bytes).toBe(bytes.length);
  expect(bytes.length).toBeLessThan(totals.jsonBytes / 5);
  const file = new TempFolder().file('churn.kfr');
  await writeFile(file, bytes);

  const clock = new FakeClock({ seed: 9 });
  await timed('replayed in', async () => {
    // The informer begins where the other one did: with all pods.
    const api = await startApiServer({ clock, listen: false, replay: { file, from: 500 } });
    const client = api.client({ wire: 'json' });
    const again = new Notifications(client);
    await clock.until(() => api.replay!.isAtEnd, { withinMs: 2 * 3_600_000 });
    await clock.advance(100);
    expect(again.count).toBe(original!.count);
    expect(again.digest).toBe(original!.digest);
    await again.factory.stop();
    await client.close();
    await api.stop();
  });
  if (CHANGES > 1500) {
    const sizes = `${bytes.length} bytes for ${totals.jsonBytes} of JSON (1/${Math.round(totals.jsonBytes / bytes.length)})`;
    process.stderr.write(`${CHANGES} changes: ${times.join('; ')}; ${sizes}\n`);
  }
});

it('loses nothing when the file is slow: the watch waits', async () => {
  const waiting: (() => void)[] = [];
  let isSlow = true;
  let most = 0;
  const parts: Uint8Array[] = [];
  let unwritten = 0;
  const sink = {
    append: (bytes: Uint8Array): Promise<void> => {
      parts.push(bytes);
      if (!isSlow) return Promise.resolve();
      unwritten += bytes.length;
      most = Math.max(most, unwritten);
      return new Promise<void>((resolve) => {
        waiting.push(() => {
          unwritten -= bytes.length;
          resolve();
        });
      });
    },
  };
  // It cannot be compressed: each state takes as many bytes in the file.
  const random = seededRandom(3);
  const noise = Buffer.from(Uint8Array.from({ length: 1_000_000 }, () => random() * 256));
  const { totals } = await makeRecording(
    [recorded('configmaps')],
    async ({ clock, api }) => {
      const maps = api.storage.collection('configmaps');
      const put = (name: string, at: number): void => {
        const data = { noise: noise.toString('base64', at, at + 6000) };
        const metadata = { name, namespace: 'default', uid: name };
        maps.put({
          namespace: 'default',
          name,
          object: { kind: 'ConfigMap', apiVersion: 'v1', metadata, data },
          fields: {},
        });
      };
      for (let i = 0; i < 3000; i++) {
        put(`map-${i % 50}`, i * 300);
        if (i % 100 === 99) await clock.advance(1);
      }
      await clock.advance(5000);
      // Far less than what was written: the watch is paused, and the server keeps the rest.
      expect(most).toBeLessThan(12 * 1024 * 1024);
      isSlow = false;
      for (const go of waiting) go();
      await clock.advance(5000);
    },
    { sink },
  );
  expect(totals.states).toBe(3000);
});

it('ends with the error of the file', async () => {
  const full = new Error('ENOSPC: no space left on device');
  let written = 0;
  const sink = { append: async () => (written++ < 2 ? undefined : Promise.reject(full)) };
  const failing = makeRecording(
    [recorded('pods')],
    async ({ clock, client }) => {
      await client.core.v1
        .pods('default')
        .create({ metadata: { name: 'a' }, spec: { containers: [{ name: 'a', image: 'a' }] } });
      await clock.advance(5000);
      await client.core.v1
        .pods('default')
        .create({ metadata: { name: 'b' }, spec: { containers: [{ name: 'a', image: 'a' }] } });
      await clock.advance(5000);
    },
    { sink },
  );
  await expect(failing).rejects.toBe(full);
});
