import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkOptions } from '../meta/options/known-options.js';
import { optionError, requireNumber } from '../meta/options/validate.js';
import type { SkewedClock } from './faults/skewed-clock.js';
import { Player } from './replay/player.js';
import { openRecording, type Recording, recordingOnDisk } from './replay/recording-file.js';
import type { ApiResource } from './resources/registry.js';
import type { ServerCore } from './server-core.js';
import { type ApiServerOptions, replayNames } from './server-options.js';

/** What the option `replay` asks for. */
export interface ReplayPlan {
  readonly recording: Recording;
  readonly speed: number;
  /** In ms since 1970. */
  readonly from: number | undefined;
}

/** Options that would change the objects of a recording. */
const EXCLUDED = [
  'objects',
  'data',
  'controllers',
  'workloads',
  'kubelet',
  'webhooks',
  'admissionPlugins',
  'authorization',
  'firstResourceVersion',
] as const;

/** Opens the recording of the option `replay`; undefined without it. Throws a TypeError for wrong options. */
export async function planReplay(
  options: ApiServerOptions,
  warn: (message: string) => void,
): Promise<ReplayPlan | undefined> {
  const { replay } = options;
  if (replay === undefined) return undefined;
  for (const name of EXCLUDED) {
    if (options[name] === undefined) continue;
    throw new TypeError(`replay and ${name} exclude each other: a server that replays a recording has nothing else`);
  }
  const given = typeof replay === 'string' || replay instanceof URL ? { file: replay } : replay;
  const { file, speed = 1, from } = checkOptions('replay', given, replayNames);
  const path = pathOf(file);
  if (speed !== 'max') requireNumber('replay.speed', speed, 0.001, 1e6);
  if (from !== undefined && !(from instanceof Date)) requireNumber('replay.from', from);
  const recording = await openRecording(recordingOnDisk(path));
  const { start, end, warning } = recording;
  const at = from instanceof Date ? from.getTime() : from === undefined ? undefined : start + from;
  if (at !== undefined && !(at >= start && at <= end)) {
    recording.close();
    const range = `${new Date(start).toISOString()} to ${new Date(end).toISOString()}`;
    throw new TypeError(`replay.from must be within the recording, which is from ${range}`);
  }
  if (warning !== undefined) warn(warning);
  return { recording, speed: speed === 'max' ? Number.POSITIVE_INFINITY : speed, from: at };
}

function pathOf(file: unknown): string {
  if (file instanceof URL && file.protocol === 'file:') return fileURLToPath(file);
  // The program may change its working directory.
  if (typeof file === 'string' && file !== '') return resolve(file);
  throw optionError('replay.file', 'a path or a file: URL', file);
}

/** A player for the storage of a server. */
export function createPlayer(
  { recording, speed, from }: ReplayPlan,
  resources: readonly ApiResource[],
  core: ServerCore,
  clock: SkewedClock,
): Player {
  return new Player({
    recording,
    resources,
    clock,
    speed,
    from,
    watches: {
      conclude: (collection) => core.resources.concludeWatches(collection),
      fail: (collection, status) => core.resources.failWatches(collection, status),
      backlog: (collection) => core.resources.watchBacklog(collection),
    },
    onError: core.onError,
  });
}
