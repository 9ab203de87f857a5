import { startApiServer } from '../../src/apiserver/index.js';
import type { RecordedResource } from '../../src/apiserver/replay/recording.js';
import { Recorder, type RecorderOptions, type RecordingTotals } from '../../src/cli/recordings/recorder.js';
import type { Client } from '../../src/client/client.js';
import { builtinResources } from '../../src/resources/catalogue.js';
import { FakeClock } from '../../src/time/fake-clock.js';

/** A built-in resource as recordings describe it. */
export function recorded(name: string, part: Partial<RecordedResource> = {}): RecordedResource {
  const { group, version, resource, singular, kind, namespaced, shortNames, categories } = builtinResources.find(
    (one) => one.resource === name,
  )!;
  return { group, version, resource, singular, kind, namespaced, shortNames, categories, ...part };
}

/** A recording in memory, and what it was made of. */
export interface MadeRecording {
  readonly bytes: Buffer;
  readonly totals: RecordingTotals;
}

/** What a recording is made of. */
interface RecordingRig {
  readonly clock: FakeClock;
  readonly api: Awaited<ReturnType<typeof startApiServer>>;
  readonly client: Client;
}

/** Records what happens on an embedded server, in virtual time. */
export async function makeRecording(
  resources: readonly RecordedResource[],
  happen: (rig: RecordingRig) => Promise<void>,
  options: Partial<RecorderOptions> = {},
): Promise<MadeRecording> {
  const clock = new FakeClock({ seed: 1 });
  const api = await startApiServer({ clock, seed: 1, listen: false });
  const client = api.client({ wire: 'json' });
  const parts: Uint8Array[] = [];
  let listed = 0;
  const recorder = new Recorder({
    client,
    resources,
    sink: { append: async (bytes) => void parts.push(bytes) },
    onListed: () => void listed++,
    onFailure: () => {},
    ...options,
  });
  const stop = new AbortController();
  let hasEnded = false;
  const running = recorder.run(stop.signal).finally(() => (hasEnded = true));
  running.catch(() => {});
  await clock.until(() => listed === resources.length);
  await happen({ clock, api, client });
  // What was written is received, and encoded.
  await clock.advance(1500);
  stop.abort();
  await clock.until(() => hasEnded);
  await running;
  await client.close();
  await api.stop();
  return { bytes: Buffer.concat(parts), totals: recorder.totals };
}
