import { afterEach, describe, expect, it } from 'vitest';
import { StatusError } from '../meta/errors/errors.js';
import * as status from '../meta/errors/status.js';
import { type ChannelMessage, channels, listen } from '../observe/channels.js';
import { InvalidRequestError } from '../rest/http/request-errors.js';
import { FakeClock } from '../time/fake-clock.js';
import { EventBroadcaster, type EventBroadcasterOptions } from './event-broadcaster.js';
import type { EventClient } from './event-sink.js';
import type { EventDetails } from './occurrence.js';

interface Write {
  readonly verb: 'create' | 'patch';
  readonly api: string;
  readonly namespace: string;
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: requests are inspected freely
  readonly body: any;
}

/** A server whose every response the test decides. */
class ScriptedEvents implements EventClient {
  readonly clock: FakeClock;
  readonly writes: Write[] = [];
  onWrite: (write: Write, count: number) => unknown = () => {};
  readonly core: EventClient['core'];
  readonly events: EventClient['events'];

  constructor(clock: FakeClock) {
    this.clock = clock;
    this.core = { v1: { events: (namespace) => this.#writes('v1', namespace) } };
    this.events = { v1: { events: (namespace) => this.#writes('events.k8s.io/v1', namespace) } };
  }

  #writes(api: string, namespace: string) {
    const answer = async (write: Write): Promise<unknown> => {
      this.writes.push(write);
      return this.onWrite(write, this.writes.length);
    };
    return {
      create: (body: { readonly metadata?: { readonly name?: string | undefined } }) =>
        answer({ verb: 'create', api, namespace, name: String(body.metadata?.name), body }),
      patch: (name: string, body: unknown) => answer({ verb: 'patch', api, namespace, name, body }),
    };
  }
}

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web-0', namespace: 'shop', uid: 'u-1', resourceVersion: '7' },
};
const pulled: EventDetails = { type: 'Normal', reason: 'Pulled', message: 'pulled the image' };
const broken = () => new Error('socket hang up');

const clocks: FakeClock[] = [];
afterEach(() => {
  for (const clock of clocks.splice(0)) expect(clock.pendingTimers).toEqual([]);
});

function setup(options: Partial<EventBroadcasterOptions> = {}) {
  const clock = new FakeClock({ seed: 3 });
  clocks.push(clock);
  const client = new ScriptedEvents(clock);
  const errors: string[] = [];
  const outcomes: string[] = [];
  const broadcaster = new EventBroadcaster({ client, onError: (error) => errors.push(error.message), ...options });
  const recorder = broadcaster.recorder({ component: 'example.com/web', host: 'node-1' });
  const stopListening = listen(channels.eventRecord, ({ outcome, reason }: ChannelMessage<'eventRecord'>) =>
    outcomes.push(`${outcome} ${reason}`),
  );
  const close = async (signal?: AbortSignal) => {
    const closed = broadcaster.close({ signal });
    await clock.runUntilIdle();
    await closed;
    stopListening();
  };
  const written = () => client.writes.map(({ verb, body }) => `${verb} ${body.count ?? body.series?.count ?? 1}`);
  return { clock, client, broadcaster, recorder, errors, outcomes, close, written };
}

describe('an event of core/v1', () => {
  it('has all fields that client-go sets', async () => {
    const { client, clock, recorder, close } = setup();
    recorder.event(pod, { ...pulled, action: 'Pull', related: { kind: 'Node', name: 'n' }, annotations: { a: 'b' } });
    await clock.runUntilIdle();
    expect(client.writes).toEqual([
      {
        verb: 'create',
        api: 'v1',
        namespace: 'shop',
        name: expect.stringMatching(/^web-0\.1886725[0-9a-f]{9}$/),
        body: {
          metadata: {
            name: expect.stringMatching(/^web-0\.1886725[0-9a-f]{9}$/),
            namespace: 'shop',
            annotations: { a: 'b' },
          },
          involvedObject: {
            apiVersion: 'v1',
            kind: 'Pod',
            namespace: 'shop',
            name: 'web-0',
            uid: 'u-1',
            resourceVersion: '7',
          },
          related: { kind: 'Node', name: 'n' },
          action: 'Pull',
          type: 'Normal',
          reason: 'Pulled',
          message: 'pulled the image',
          count: 1,
          firstTimestamp: '2026-01-01T00:00:00Z',
          lastTimestamp: '2026-01-01T00:00:00Z',
          source: { component: 'example.com/web', host: 'node-1' },
          reportingComponent: 'example.com/web',
          reportingInstance: 'node-1',
        },
      },
    ]);
    await close();
  });

  it('is stored in default for an object without a namespace, and named by a UUID if the name of the object is not valid for events', async () => {
    const { client, recorder, close } = setup();
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'system:node' } };
    recorder.event(role, pulled);
    await close();
    expect(client.writes[0]).toMatchObject({ namespace: 'default', name: expect.stringMatching(/^[0-9a-f]{8}-/) });
  });

  it('is patched with the changed fields when it is repeated', async () => {
    const { client, clock, recorder, close, outcomes } = setup();
    recorder.event(pod, pulled);
    await clock.advance(5000);
    recorder.event(pod, pulled);
    await close();
    expect(client.writes[1]).toEqual({
      verb: 'patch',
      api: 'v1',
      namespace: 'shop',
      name: client.writes[0]?.name,
      body: { count: 2, lastTimestamp: '2026-01-01T00:00:05Z', message: 'pulled the image' },
    });
    expect(outcomes).toEqual(['created Pulled', 'patched Pulled']);
  });

  it('is created again when the server has deleted it', async () => {
    const { client, clock, recorder, close, written } = setup();
    recorder.event(pod, pulled);
    await clock.runUntilIdle();
    client.onWrite = ({ verb, name }) => {
      if (verb === 'patch') throw new StatusError(status.notFound({ group: '', resource: 'events' }, name));
    };
    recorder.event(pod, pulled);
    await close();
    expect(written()).toEqual(['create 1', 'patch 2', 'create 2']);
  });

  it('that the server has deleted does not overwrite an event of the same name by another client', async () => {
    const { client, clock, recorder, close, written, outcomes } = setup();
    recorder.event(pod, pulled);
    await clock.runUntilIdle();
    client.onWrite = ({ verb, name }) => {
      const resource = { group: '', resource: 'events' };
      throw new StatusError(verb === 'patch' ? status.notFound(resource, name) : status.alreadyExists(resource, name));
    };
    recorder.event(pod, pulled);
    await close();
    expect(written()).toEqual(['create 1', 'patch 2', 'create 2']);
    expect(outcomes).toEqual(['created Pulled', 'failed Pulled']);
  });

  it('is written by one request at a time, however often it is repeated meanwhile', async () => {
    const { client, clock, recorder, close, written } = setup();
    let answer: () => void = () => {};
    client.onWrite = () => new Promise<void>((resolve) => (answer = resolve));
    for (let i = 0; i < 3; i++) recorder.event(pod, pulled);
    await clock.runUntilIdle();
    for (let i = 0; i < 3; i++) recorder.event(pod, pulled);
    await clock.runUntilIdle();
    expect(written()).toEqual(['create 3']);
    answer();
    await clock.runUntilIdle();
    expect(written()).toEqual(['create 3', 'patch 6']);
    answer();
    await close();
  });

  it('is dropped, and published on the channel, when there are too many about one object', async () => {
    const { clock, recorder, close, outcomes, errors } = setup({ correlation: { burst: 1 } });
    recorder.event(pod, pulled);
    await clock.runUntilIdle();
    recorder.event(pod, pulled);
    await close();
    expect(outcomes).toEqual(['created Pulled', 'dropped Pulled']);
    expect(errors).toEqual([]);
  });
});

describe('writing', () => {
  const rows: { title: string; error: () => unknown; succeedsAt?: number; attempts: number }[] = [
    {
      title: 'a request that cannot be sent is not retried',
      error: () => new InvalidRequestError('no'),
      attempts: 1,
    },
    {
      title: 'an event that the server rejects is not retried',
      error: () => new StatusError(status.internal('no')),
      attempts: 1,
    },
    {
      title: 'a response that is not an event is attempted 12 times',
      error: () => new Error('not an event'),
      attempts: 12,
    },
    { title: 'any other error is attempted 12 times', error: broken, attempts: 12 },
    { title: 'no attempt follows a second one that succeeds', error: broken, succeedsAt: 2, attempts: 2 },
  ];
  for (const { title, error, succeedsAt = 100, attempts } of rows) {
    it(`[S302] ${title}`, async () => {
      const { client, clock, recorder, close, outcomes, errors } = setup();
      client.onWrite = (_, count) => {
        if (count < succeedsAt) throw error();
      };
      recorder.event(pod, pulled);
      await clock.advance(600_000);
      expect(client.writes).toHaveLength(attempts);
      expect(outcomes).toEqual([attempts === succeedsAt ? 'created Pulled' : 'failed Pulled']);
      expect(errors).toHaveLength(attempts === succeedsAt ? 0 : 1);
      await close();
    });
  }

  it('waits ten seconds between attempts, and a random part of them before the first retry', async () => {
    const { client, clock, recorder, close, errors } = setup();
    const times: number[] = [];
    client.onWrite = () => {
      times.push(clock.monotonicNow());
      throw broken();
    };
    recorder.event(pod, pulled);
    await clock.advance(600_000);
    const gaps = times.slice(1).map((time, i) => time - (times[i] as number));
    expect(gaps[0]).toBeLessThan(10_000);
    expect(gaps.slice(1)).toEqual(new Array(10).fill(10_000));
    expect(errors).toEqual([
      'the event Pulled about Pod shop/web-0 was not recorded after 12 attempts: socket hang up',
    ]);
    await close();
  });

  it('writes other events while one waits for its retry, and counts repetitions meanwhile', async () => {
    const { client, clock, recorder, close, written } = setup();
    client.onWrite = ({ name }, count) => {
      if (name.startsWith('web-0') && count === 1) throw broken();
    };
    recorder.event(pod, pulled);
    await clock.runUntilIdle();
    recorder.event(pod, pulled);
    recorder.event({ ...pod, metadata: { ...pod.metadata, name: 'web-1' } }, pulled);
    await clock.runUntilIdle();
    expect(client.writes.map(({ name }) => name.slice(0, 5))).toEqual(['web-0', 'web-1']);
    await clock.advance(10_000);
    expect(written()).toEqual(['create 1', 'create 1', 'create 2']);
    await close();
  });

  it('makes one retry for an event that changed during a failed attempt', async () => {
    const { client, clock, recorder, close } = setup();
    let fail: (error: unknown) => void = () => {};
    client.onWrite = () => new Promise<void>((_, reject) => (fail = reject));
    recorder.event(pod, pulled);
    await clock.runUntilIdle();
    recorder.event(pod, pulled);
    fail(broken());
    await clock.runUntilIdle();
    expect(client.writes).toHaveLength(1);
    client.onWrite = () => {};
    await clock.advance(10_000);
    expect(client.writes.map(({ body }) => body.count)).toEqual([1, 2]);
    await close();
  });

  it('patches an existing event after a create without a response', async () => {
    const { client, clock, recorder, close, written, errors } = setup();
    client.onWrite = ({ verb, name }, count) => {
      if (count === 1) throw broken();
      if (verb === 'create') throw new StatusError(status.alreadyExists({ group: '', resource: 'events' }, name));
    };
    recorder.event(pod, pulled);
    await clock.advance(10_000);
    recorder.event(pod, pulled);
    await close();
    expect(written()).toEqual(['create 1', 'create 1', 'patch 1', 'patch 2']);
    expect(errors).toEqual([]);
  });

  it('does not report names that are taken and namespaces that are being deleted', async () => {
    const { client, recorder, close, outcomes, errors } = setup();
    const terminating = status.forbidden({ group: '', resource: 'events' }, 'web-0', 'it is being terminated');
    client.onWrite = ({ name }, count) => {
      if (count === 1) throw new StatusError(status.alreadyExists({ group: '', resource: 'events' }, name));
      throw new StatusError({ ...terminating, details: { causes: [{ reason: 'NamespaceTerminating' }] } });
    };
    recorder.event(pod, pulled);
    recorder.event(pod, { ...pulled, reason: 'Started' });
    await close();
    expect(outcomes).toEqual(['failed Pulled', 'failed Started']);
    expect(errors).toEqual([]);
  });

  it('drops events when too many wait, reports it once, and accepts events when there is room', async () => {
    const { client, clock, recorder, close, outcomes, errors } = setup({ queueLimit: 2, correlation: { burst: 100 } });
    let down = true;
    client.onWrite = () => {
      if (down) throw broken();
    };
    for (const reason of ['A', 'B', 'C', 'D']) {
      recorder.event(pod, { ...pulled, reason });
      await clock.runUntilIdle();
    }
    expect(outcomes).toEqual(['dropped C', 'dropped D']);
    expect(errors).toEqual([
      '2 events wait to be recorded: the event C about Pod shop/web-0 and what follows is dropped',
    ]);
    down = false;
    await clock.advance(10_000);
    recorder.event(pod, { ...pulled, reason: 'C' });
    await close();
    expect(client.writes.at(-1)?.body).toMatchObject({ reason: 'C', count: 2 });
  });

  it('reports dropped events again when there was room in between', async () => {
    const { client, clock, recorder, close, errors } = setup({ queueLimit: 1, correlation: { burst: 100 } });
    let down = true;
    client.onWrite = () => {
      if (down) throw broken();
    };
    const record = async (...reasons: string[]) => {
      for (const reason of reasons) {
        recorder.event(pod, { ...pulled, reason });
        await clock.runUntilIdle();
      }
    };
    await record('A', 'B');
    down = false;
    await clock.advance(20_000);
    await record('C');
    down = true;
    await record('D', 'E');
    down = false;
    await close();
    expect(errors.map((text) => /the event (\w)/.exec(text)?.[1])).toEqual(['B', 'E']);
  });
});

describe('closing', () => {
  it('makes one more attempt for each waiting event, and accepts no more', async () => {
    const { client, clock, recorder, close, errors, outcomes } = setup();
    client.onWrite = () => {
      throw broken();
    };
    recorder.event(pod, pulled);
    await clock.runUntilIdle();
    recorder.event(pod, { ...pulled, reason: 'Started' });
    await close();
    expect(client.writes).toHaveLength(3);
    expect(outcomes).toEqual(['failed Started', 'failed Pulled']);
    recorder.event(pod, pulled);
    expect(errors.at(-1)).toBe('the event Pulled about Pod shop/web-0 was not recorded: the broadcaster is closed');
    expect(client.writes).toHaveLength(3);
  });

  it('ends when its signal aborts, even if the server never responds', async () => {
    const { client, clock, recorder, close, outcomes } = setup();
    client.onWrite = () => new Promise(() => {});
    for (const reason of ['A', 'B', 'C', 'D', 'E']) recorder.event(pod, { ...pulled, reason });
    await clock.runUntilIdle();
    const stop = new AbortController();
    stop.abort(new Error('enough'));
    await close(stop.signal);
    expect(outcomes).toEqual(['failed A', 'failed B', 'failed C', 'failed D', 'dropped E']);
  });

  it('starts when the signal of the broadcaster aborts, and close() waits for it', async () => {
    const stop = new AbortController();
    const { client, recorder, close } = setup({ signal: stop.signal });
    recorder.event(pod, pulled);
    stop.abort();
    recorder.event(pod, { ...pulled, reason: 'Late' });
    await close();
    expect(client.writes.map(({ body }) => body.reason)).toEqual(['Pulled']);
  });
});

describe('a recorder', () => {
  it('never throws: onError gets what is not a valid event', async () => {
    const { client, recorder, close, errors } = setup();
    recorder.event(pod, { ...pulled, type: 'Bad' as never });
    recorder.event(pod, { ...pulled, reason: '' });
    recorder.event(pod, { ...pulled, message: undefined as never });
    recorder.event({ metadata: { name: 'x' } }, pulled);
    recorder.event({ kind: 'Pod' }, pulled);
    recorder.event(undefined as never, pulled);
    await close();
    expect(client.writes).toEqual([]);
    expect(errors).toEqual([
      "the type of an event about Pod shop/web-0 must be 'Normal' or 'Warning', got \"Bad\"",
      'an event about Pod shop/web-0 needs a reason, got ""',
      'an event about Pod shop/web-0 needs a message, got undefined',
      'an event must be about something with apiVersion, kind and name, got undefined, undefined, "x"',
      'an event must be about something with kind and name, got undefined, "Pod", undefined',
      'an event must be about an object, got undefined',
    ]);
  });

  it('calls subscribers at once, and ignores what they throw', async () => {
    const { broadcaster, client, recorder, close, errors } = setup();
    const occurrences: string[] = [];
    const undo = broadcaster.subscribe(({ regarding, reason }) => occurrences.push(`${regarding.name} ${reason}`));
    broadcaster.subscribe(() => {
      throw new Error('cannot log');
    });
    recorder.event(pod, pulled);
    expect(occurrences).toEqual(['web-0 Pulled']);
    undo();
    recorder.event(pod, pulled);
    expect(occurrences).toHaveLength(1);
    await close();
    expect(errors).toEqual(['cannot log', 'cannot log']);
    expect(client.writes).toHaveLength(1);
  });

  it('needs a component', async () => {
    const { broadcaster, close } = setup();
    expect(() => broadcaster.recorder({ component: '' })).toThrow('component must be a string that is not empty');
    await close();
  });
});

describe('an event of events.k8s.io/v1', () => {
  const minutes = (count: number) => count * 60_000;
  const series = (options: Partial<EventBroadcasterOptions> = {}) => setup({ api: 'events.k8s.io/v1', ...options });

  it('has all fields that the server requires', async () => {
    const { client, recorder, close } = series();
    recorder.event(pod, pulled);
    await close();
    expect(client.writes).toEqual([
      {
        verb: 'create',
        api: 'events.k8s.io/v1',
        namespace: 'shop',
        name: expect.stringMatching(/^web-0\.1886725[0-9a-f]{9}$/),
        body: {
          metadata: { name: expect.stringMatching(/^web-0\.1886725[0-9a-f]{9}$/), namespace: 'shop' },
          regarding: expect.objectContaining({ kind: 'Pod', uid: 'u-1' }),
          type: 'Normal',
          reason: 'Pulled',
          action: 'Pulled',
          note: 'pulled the image',
          eventTime: '2026-01-01T00:00:00.000000Z',
          reportingController: 'example.com/web',
          reportingInstance: 'example.com/web-node-1',
        },
      },
    ]);
  });

  it('has a note that is cut to 1024 bytes, between two characters', async () => {
    const { client, recorder, close } = series();
    recorder.event(pod, { ...pulled, message: `x${'ü'.repeat(600)}` });
    await close();
    const note = client.writes[0]?.body.note as string;
    expect(note).toBe(`x${'ü'.repeat(510)}…`);
    expect(Buffer.byteLength(note)).toBe(1024);
  });

  it('becomes a series when it is repeated; further repetitions are only counted', async () => {
    const { client, clock, recorder, close, written } = series();
    for (let i = 0; i < 5; i++) {
      recorder.event({ ...pod, metadata: { ...pod.metadata, resourceVersion: String(i) } }, pulled);
      await clock.advance(1000);
    }
    expect(written()).toEqual(['create 1', 'patch 2']);
    expect(client.writes[1]?.body).toEqual({ series: { count: 2, lastObservedTime: '2026-01-01T00:00:01.000000Z' } });
    await close();
    expect(written()).toEqual(['create 1', 'patch 2', 'patch 5']);
  });

  it('is written every half hour while it is repeated', async () => {
    const { clock, recorder, close, written } = series();
    for (let minute = 0; minute < 61; minute++) {
      recorder.event(pod, pulled);
      await clock.advance(minutes(1));
    }
    expect(written()).toEqual(['create 1', 'patch 2', 'patch 30', 'patch 60']);
    await close();
    expect(written().at(-1)).toBe('patch 61');
  });

  it('is not written again before it is a series', async () => {
    const { clock, recorder, close, written, outcomes } = series();
    recorder.event(pod, { ...pulled, reason: 'Started' });
    await clock.advance(minutes(28));
    recorder.event(pod, pulled);
    await clock.advance(minutes(2));
    await close();
    expect(written()).toEqual(['create 1', 'create 1']);
    expect(outcomes).toEqual(['created Started', 'created Pulled']);
  });

  it('is written with its final count after six minutes without a repetition', async () => {
    const { client, clock, recorder, close, written } = series();
    for (let i = 0; i < 3; i++) recorder.event(pod, pulled);
    await clock.advance(minutes(6));
    expect(written()).toEqual(['create 3']);
    recorder.event(pod, pulled);
    await clock.advance(minutes(1));
    recorder.event(pod, pulled);
    recorder.event(pod, pulled);
    await clock.advance(minutes(13));
    expect(written()).toEqual(['create 3', 'create 1', 'patch 3']);
    expect(client.writes[1]?.name).not.toBe(client.writes[0]?.name);
    await close();
  });

  it('is created as a series when it was repeated before the create', async () => {
    const { client, clock, recorder, close, written } = series();
    client.onWrite = (_, count) => {
      if (count === 1) throw broken();
    };
    recorder.event(pod, pulled);
    await clock.runUntilIdle();
    recorder.event(pod, pulled);
    await clock.advance(12_500);
    expect(written()).toEqual(['create 1', 'create 2']);
    await close();
  });

  it('is written with its final count by close(), however many there are', async () => {
    const { clock, client, recorder, close, outcomes } = series({ queueLimit: 2 });
    const reasons = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'];
    for (const reason of reasons) {
      for (let i = 0; i < 3; i++) {
        recorder.event(pod, { ...pulled, reason });
        await clock.runUntilIdle();
      }
    }
    client.writes.length = 0;
    await close();
    expect(client.writes.map(({ body }) => body.series.count)).toEqual(reasons.map(() => 3));
    expect(outcomes.filter((outcome) => outcome.startsWith('dropped'))).toEqual([]);
  });

  it('is refreshed although there are more series than queueLimit', async () => {
    const { clock, client, recorder, close } = series({ queueLimit: 2 });
    const reasons = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'];
    for (let minute = 0; minute < 30; minute++) {
      if (minute === 29) client.writes.length = 0;
      for (const reason of reasons) {
        recorder.event(pod, { ...pulled, reason });
        await clock.runUntilIdle();
      }
      await clock.advance(minutes(1));
    }
    expect(client.writes.map(({ body }) => body.series.count)).toEqual(reasons.map(() => 30));
    await close();
  });

  it('ends early when there are more than cacheSize', async () => {
    const { clock, recorder, close, client } = series({ series: { cacheSize: 1 } });
    for (let i = 0; i < 2; i++) {
      recorder.event(pod, pulled);
      await clock.runUntilIdle();
    }
    recorder.event(pod, pulled);
    recorder.event(pod, { ...pulled, reason: 'Started' });
    await clock.runUntilIdle();
    expect(client.writes.map(({ body }) => body.series?.count ?? body.reason)).toEqual(['Pulled', 2, 3, 'Started']);
    await close();
  });
});
