import { afterEach, describe, expect, it } from 'vitest';
import type { Doc } from '../../../../../test/apiserver/memory-client.js';
import { startWorld, type TestWorld } from '../../../../../test/apiserver/test-world.js';
import { nextTime } from './cron-times.js';

describe('the next time of a schedule', () => {
  it.each([
    ['*/15 * * * *', undefined, '2026-01-01T00:07:30Z', '2026-01-01T00:15:00Z'],
    ['0 9 * * mon-fri', undefined, '2026-01-02T09:00:00Z', '2026-01-05T09:00:00Z'],
    ['30 4 1,15 * 5', undefined, '2026-01-01T05:00:00Z', '2026-01-02T04:30:00Z'],
    ['0 0 29 2 *', undefined, '2026-03-01T00:00:00Z', '2028-02-29T00:00:00Z'],
    ['0 12 * * *', 'America/New_York', '2026-07-01T00:00:00Z', '2026-07-01T16:00:00Z'],
    ['@hourly', undefined, '2026-01-01T00:00:00Z', '2026-01-01T01:00:00Z'],
    ['@every 90m', undefined, '2026-01-01T00:00:00Z', '2026-01-01T01:30:00Z'],
    ['TZ=Asia/Tokyo 0 0 * * *', undefined, '2026-01-01T00:00:00Z', '2026-01-01T15:00:00Z'],
  ])('%s (%s) after %s is %s', (schedule, zone, after, expected) => {
    expect(new Date(nextTime(schedule, zone, Date.parse(after))!).toISOString()).toBe(new Date(expected).toISOString());
  });

  it('is undefined if no day fits', () => {
    expect(nextTime('0 0 30 2 *', undefined, 0)).toBeUndefined();
  });
});

describe('a CronJob', () => {
  let world: TestWorld;
  afterEach(() => world.stop());

  const CRONS = '/apis/batch/v1/namespaces/default/cronjobs';
  const JOBS = '/apis/batch/v1/namespaces/default/jobs';
  const cron = (spec: object = {}): Doc => ({
    metadata: { name: 'tick' },
    spec: {
      schedule: '*/5 * * * *',
      jobTemplate: {
        spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'app', image: 'app:1' }] } } },
      },
      ...spec,
    },
  });
  const MINUTE = 60_000;

  it('creates a Job at each time, and keeps the last three', async () => {
    world = await startWorld();
    await world.create(CRONS, cron());
    await world.settle(5 * MINUTE - 1);
    expect(await world.list(JOBS)).toEqual([]);
    await world.settle(1);
    expect((await world.get(`${CRONS}/tick`)).status).toMatchObject({
      active: [{ kind: 'Job' }],
      lastScheduleTime: '2026-01-01T00:05:00Z',
    });
    await world.settle(20 * MINUTE + 5000);
    const jobs = await world.list(JOBS);
    expect(jobs.map(({ metadata }) => metadata.annotations['batch.kubernetes.io/cronjob-scheduled-timestamp'])).toEqual(
      ['2026-01-01T00:15:00Z', '2026-01-01T00:20:00Z', '2026-01-01T00:25:00Z'],
    );
    const { status } = await world.get(`${CRONS}/tick`);
    expect(status.active).toBeUndefined();
    expect(status.lastSuccessfulTime).toBe('2026-01-01T00:25:02Z');
  });

  it.each([
    ['Forbid', 1],
    ['Allow', 3],
    ['Replace', 1],
  ])('of the policy %s has %i Jobs that overlap', async (concurrencyPolicy, count) => {
    world = await startWorld({ finishAfterMs: 60 * MINUTE });
    await world.create(CRONS, cron({ concurrencyPolicy }));
    await world.settle(15 * MINUTE + 1000);
    expect(await world.list(JOBS)).toHaveLength(count);
  });

  it('that is suspended creates none', async () => {
    world = await startWorld();
    await world.create(CRONS, cron({ suspend: true }));
    await world.settle(20 * MINUTE);
    expect(await world.list(JOBS)).toEqual([]);
  });
});
