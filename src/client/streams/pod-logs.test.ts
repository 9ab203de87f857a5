import { describe, expect, it } from 'vitest';
import { podOf, podRig } from '../../../test/support/pod-rig.js';
import type { LogCall } from '../../apiserver/index.js';
import { isNotFound } from '../../meta/errors/error-predicates.js';
import { FakeClock } from '../../time/fake-clock.js';
import type { LogLine } from './pod-client.js';

/** A time of a log: seconds and nanoseconds after midnight. */
const at = (seconds: number, nanos = 0): string =>
  `2026-01-01T00:00:${String(seconds).padStart(2, '0')}${nanos === 0 ? '' : `.${String(nanos).padStart(9, '0').replace(/0+$/, '')}`}Z`;

async function read(lines: AsyncIterable<LogLine>): Promise<string[]> {
  const found: string[] = [];
  for await (const { prefix, time, text } of lines) found.push(`${prefix} ${time} ${text}`);
  return found;
}

const objects = [
  podOf('one', ['app'], { app: 'web' }),
  podOf('two', ['app', 'side'], { app: 'web' }),
  podOf('other', ['app'], { app: 'other' }),
];

describe('the logs of pods', () => {
  it('are merged in the order of their times, to the nanosecond', async () => {
    const logs: Record<string, string> = {
      'one/app': `${at(1)} a\n${at(3, 100)} b\n${at(3, 120_000_000)} c\n`,
      'two/app': `${at(2)} d\n${at(3, 99)} e\n${at(9)} f\n`,
      'two/side': `${at(3, 120_000_001)} g\nno time h\n${at(8)} \n`,
    };
    const asked: LogCall[] = [];
    const { pods } = await podRig(
      {
        log(call) {
          asked.push(call);
          return logs[`${call.pod.metadata.name}/${call.container}`]!;
        },
      },
      'http',
      { objects },
    );
    const options = { tailLines: 10, sinceSeconds: 60, previous: true };
    expect(await read(pods.logs({ labelSelector: 'app=web' }, options))).toEqual([
      `[pod/one/app] ${at(1)} a`,
      `[pod/two/app] ${at(2)} d`,
      `[pod/two/app] ${at(3, 99)} e`,
      `[pod/one/app] ${at(3, 100)} b`,
      `[pod/one/app] ${at(3, 120_000_000)} c`,
      `[pod/two/side] ${at(3, 120_000_001)} g`,
      // A line without a time stays behind the line before it.
      '[pod/two/side]  no time h',
      `[pod/two/side] ${at(8)} `,
      `[pod/two/app] ${at(9)} f`,
    ]);
    expect(asked).toHaveLength(3);
    for (const call of asked) {
      expect(call).toMatchObject({ tailLines: 10, sinceSeconds: 60, previous: true, follow: false, timestamps: true });
    }
  });

  it('are those of some containers, and of one pod', async () => {
    const { pods } = await podRig({ log: ({ container }) => `${at(1)} ${container}\n` }, 'http', { objects });
    expect(await read(pods.logs('two', { containers: ['side'] }))).toEqual([`[pod/two/side] ${at(1)} side`]);
    await expect(read(pods.logs('one', { containers: ['side'] }))).rejects.toThrow(
      'containers of pod one must be some of app, got "side"',
    );
    await expect(read(pods.logs('none'))).rejects.toSatisfy(isNotFound);
    await expect(read(pods.logs({ labelSelector: 'app' }, { maxRequests: 3 }))).rejects.toThrow(
      '4 logs would be read at once, more than maxRequests (3)',
    );
    expect(await read(pods.logs({ labelSelector: 'app=none' }))).toEqual([]);
  });

  it('end at once when the loop is left, and with the reason of an abort', async () => {
    const { pods } = await podRig({
      async *log({ signal }) {
        for (let n = 0; !signal.aborted; n++) {
          yield `${at(n % 60)} ${n}\n`;
          await new Promise((resolve) => setImmediate(resolve));
        }
      },
    });
    for await (const { text } of pods.logs('one', { follow: true })) if (text === '3') break;
    const controller = new AbortController();
    const reading = (async () => {
      for await (const { text } of pods.logs('one', { follow: true, signal: controller.signal })) {
        if (text === '3') controller.abort(new Error('enough'));
      }
    })();
    await expect(reading).rejects.toThrow('enough');
  });
});

describe('logs that are followed', () => {
  it('are merged as they come: a line waits a moment for older ones of other logs', async () => {
    const clock = new FakeClock();
    const ended = Object.assign(podOf('two', ['app', 'side']), { status: { phase: 'Succeeded' } });
    const { pods } = await podRig(
      {
        async *log({ container }) {
          const isSide = container === 'side';
          await clock.sleep(isSide ? 100 : 1);
          yield `${at(isSide ? 1 : 2)} ${container}\n`;
          await clock.sleep(isSide ? 5000 : 1000);
          yield `${at(isSide ? 9 : 3)} ${container} again\n`;
        },
      },
      'memory',
      { clock, objects: [ended] },
    );
    const reading = read(pods.logs('two', { follow: true }));
    await clock.advance(60_000);
    expect(await reading).toEqual([
      `[pod/two/side] ${at(1)} side`,
      `[pod/two/app] ${at(2)} app`,
      `[pod/two/app] ${at(3)} app again`,
      `[pod/two/side] ${at(9)} side again`,
    ]);
  });

  it('go on after the connection broke: no line is lost, none comes twice', async () => {
    const clock = new FakeClock();
    const written: string[] = [];
    const sinces: (string | undefined)[] = [];
    const write = (line: string): void => void written.push(line);
    for (let n = 0; n < 3; n++) write(`${at(5, 7)} same ${n}`);
    const { pods, api } = await podRig(
      {
        async *log({ sinceTime, tailLines, signal }) {
          sinces.push(sinceTime);
          const from = written.findIndex((line) => sinceTime === undefined || line >= sinceTime.slice(0, -1));
          let next = tailLines === undefined ? from : Math.max(0, written.length - tailLines);
          while (!signal.aborted) {
            for (; next < written.length; next++) yield `${written[next]}\n`;
            await clock.sleep(10);
          }
        },
      },
      'memory',
      { clock },
    );
    const found: string[] = [];
    const controller = new AbortController();
    const reading = (async () => {
      for await (const { text } of pods.logs('one', { follow: true, tailLines: 2, signal: controller.signal })) {
        found.push(text);
      }
    })();
    await clock.advance(100);
    expect(found).toEqual(['same 1', 'same 2']);
    for (let cut = 0; cut < 5; cut++) {
      write(`${at(5 + cut, 8)} line ${cut}`);
      await clock.advance(15);
      api.faults.dropConnections();
      write(`${at(5 + cut, 9)} while away ${cut}`);
      await clock.advance(60_000);
    }
    controller.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
    expect(found.slice(2)).toEqual([0, 1, 2, 3, 4].flatMap((cut) => [`line ${cut}`, `while away ${cut}`]));
    expect(sinces[0]).toBeUndefined();
    expect(sinces[1]).toBe(at(5));
  });

  it('go on in a container that was restarted, and end with its pod', async () => {
    const clock = new FakeClock();
    const isWaiting = (n: number): boolean => n === 1;
    let opened = 0;
    const { pods, client } = await podRig(
      {
        log() {
          const n = opened++;
          if (isWaiting(n)) return '';
          return `${at(n)} run ${n}\n`;
        },
      },
      'memory',
      { clock },
    );
    const reading = read(pods.logs('one', { follow: true }));
    await clock.advance(3000);
    expect(opened).toBeGreaterThan(2);
    const deleting = client.core.v1.pods('default').delete('one', { gracePeriodSeconds: 0 });
    await clock.advance(60_000);
    await deleting;
    const lines = await reading;
    expect(lines[0]).toBe(`[pod/one/app] ${at(0)} run 0`);
    expect(lines.slice(1)).toEqual(
      Array.from({ length: opened - 2 }, (_, n) => `[pod/one/app] ${at(n + 2)} run ${n + 2}`),
    );
  });

  it('reject if the first connection fails', async () => {
    const { pods } = await podRig(
      {
        log() {
          throw new Error('no log');
        },
      },
      'http',
      { onError: () => {} },
    );
    await expect(read(pods.logs('one', { follow: true }))).rejects.toThrow('no log');
  });
});
