import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs } from '../../test/support/runs.js';
import { StatusError } from '../meta/errors/errors.js';
import * as status from '../meta/errors/status.js';
import type { DeepReadonly, New } from '../meta/objects.js';
import { FakeClock } from '../time/fake-clock.js';
import { EventBroadcaster } from './event-broadcaster.js';
import type { EventClient } from './event-sink.js';

/** How the server handles requests from now on. */
type Mood = 'well' | 'refuses' | 'unreachable' | 'answerLost' | 'timeout';

const events = { group: '', resource: 'events' };

/** A server that stores events, and fails as its mood says. */
class MoodyServer implements EventClient {
  readonly clock: FakeClock;
  mood: Mood = 'well';
  /** Reason and count, by name. */
  readonly stored = new Map<string, { readonly reason: string; count: number }>();
  readonly core: EventClient['core'];
  readonly events: EventClient['events'];
  #writing = new Set<string>();

  constructor(clock: FakeClock) {
    this.clock = clock;
    const writes = () => ({
      create: (event: DeepReadonly<New<{ reason?: string | undefined }>>) => this.#create(event),
      patch: (name: string, patch: unknown) => this.#patch(name, patch),
    });
    this.core = { v1: { events: writes } };
    this.events = { v1: { events: writes } };
  }

  async #create(event: DeepReadonly<New<{ reason?: string | undefined }>>): Promise<void> {
    const { name = '' } = event.metadata ?? {};
    await this.#answer(name, () => {
      if (this.stored.has(name)) throw new StatusError(status.alreadyExists(events, name));
      this.stored.set(name, { reason: event.reason ?? '', count: countOf(event) });
    });
  }

  async #patch(name: string, patch: unknown): Promise<void> {
    await this.#answer(name, () => {
      const event = this.stored.get(name);
      if (event === undefined) throw new StatusError(status.notFound(events, name));
      expect(countOf(patch)).toBeGreaterThanOrEqual(event.count);
      event.count = countOf(patch);
    });
  }

  async #answer(name: string, write: () => void): Promise<void> {
    expect(this.#writing.has(name), 'one request at a time').toBe(false);
    this.#writing.add(name);
    const { mood } = this;
    await this.clock.sleep(20);
    this.#writing.delete(name);
    if (mood === 'unreachable') throw new Error('connection refused');
    if (mood === 'refuses') throw new StatusError(status.internal('no'));
    write();
    if (mood === 'answerLost') throw new Error('socket hang up');
    if (mood === 'timeout') throw new StatusError(status.timeout('too slow'));
  }
}

function countOf(event: unknown): number {
  const { count, series } = event as { count?: number; series?: { count: number } };
  return series?.count ?? count ?? 1;
}

type Step =
  | { readonly do: 'record'; readonly reason: string }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'mood'; readonly mood: Mood };

const reasons = ['A', 'B', 'C'];
const recording = fc.record({ do: fc.constant('record' as const), reason: fc.constantFrom(...reasons) });
const wait = fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1, 15, 30, 5_000, 20_000, 200_000) });
const moodOf = (...moods: Mood[]) => fc.record({ do: fc.constant('mood' as const), mood: fc.constantFrom(...moods) });

async function run(api: 'v1' | 'events.k8s.io/v1', steps: readonly Step[], forgetful: readonly number[]) {
  const clock = new FakeClock({ seed: 11 });
  const server = new MoodyServer(clock);
  const correlation = { burst: 1000, maxSimilar: 1000 };
  const broadcaster = new EventBroadcaster({ client: server, api, correlation, onError() {} });
  const recorder = broadcaster.recorder({ component: 'web' });
  const recorded = new Map<string, number>();
  const record = (reason: string) => {
    recorded.set(reason, (recorded.get(reason) ?? 0) + 1);
    recorder.event({ kind: 'Pod', name: 'web-0' }, { type: 'Normal', reason, message: 'm' });
  };
  for (const [index, step] of steps.entries()) {
    if (step.do === 'record') record(step.reason);
    else if (step.do === 'wait') await clock.advance(step.ms);
    else server.mood = step.mood;
    if (forgetful.includes(index)) server.stored.clear();
  }
  server.mood = 'well';
  await clock.advance(20_000);
  for (const reason of reasons) record(reason);
  const closed = broadcaster.close();
  await clock.advance(1000);
  await closed;
  expect(clock.pendingTimers).toEqual([]);
  const counted = new Map<string, number>();
  for (const { reason, count } of server.stored.values()) counted.set(reason, (counted.get(reason) ?? 0) + count);
  return { recorded, counted };
}

it('core/v1: whichever requests fail, the stored counts are right in the end', async () => {
  const moods = moodOf('well', 'refuses', 'unreachable', 'answerLost', 'timeout');
  const steps = fc.array(fc.oneof({ weight: 3, arbitrary: recording }, wait, moods), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(steps, fc.array(fc.nat(40), { maxLength: 3 }), async (script, forgetful) => {
      const { recorded, counted } = await run('v1', script, forgetful);
      expect(counted).toEqual(recorded);
    }),
    { numRuns: runs(40) },
  );
});

it('events.k8s.io/v1: whichever requests are lost, the stored series have the right counts in the end', async () => {
  // Without rejections and deletions on the server: after those an event is lost once its series has ended.
  const moods = moodOf('well', 'well', 'unreachable', 'answerLost');
  const steps = fc.array(fc.oneof({ weight: 3, arbitrary: recording }, wait, moods), { maxLength: 40 });
  const awayTooLong = (script: readonly Step[]) => {
    let away = 0;
    let longest = 0;
    let mood: Mood = 'well';
    for (const step of script) {
      if (step.do === 'mood') mood = step.mood;
      if (step.do === 'wait') away = mood === 'well' ? 0 : away + step.ms;
      longest = Math.max(longest, away);
    }
    return longest > 100_000;
  };
  await fc.assert(
    fc.asyncProperty(
      steps.filter((script) => !awayTooLong(script)),
      async (script) => {
        const { recorded, counted } = await run('events.k8s.io/v1', script, []);
        expect(counted).toEqual(recorded);
      },
    ),
    { numRuns: runs(40) },
  );
});
