import { describe, expect, it } from 'vitest';
import { channels } from './channels.js';
import { traceRuns } from './trace-runs.js';

const run = {
  controller: 'widgets',
  key: 'default/a',
  id: '7',
  what: 'reconcile',
  causes: ['widgets update'],
  attempt: 2,
  startedAt: 1000,
  durationMs: 30,
  threwSynchronously: false,
  timedOut: false,
  writes: [],
} as const;

describe('traceRuns', () => {
  it('makes a span of each run, with the exception of a failed one', () => {
    const spans: unknown[] = [];
    const stop = traceRuns({
      startSpan(name, { startTime, attributes }) {
        const span = { name, startTime, outcome: attributes?.['k8s.reconcile.outcome'], calls: [] as unknown[] };
        spans.push(span);
        return {
          recordException: (exception, time) => span.calls.push([exception, time]),
          setStatus: (status) => span.calls.push(status),
          end: (time) => span.calls.push(time),
        };
      },
    });
    const error = new Error('no answer');
    channels.controllerRun.publish({ ...run, outcome: 'done', error: undefined });
    channels.controllerRun.publish({ ...run, outcome: 'failed', error });
    stop();
    channels.controllerRun.publish({ ...run, outcome: 'done', error: undefined });
    expect(spans).toEqual([
      { name: 'widgets reconcile', startTime: 1000, outcome: 'done', calls: [1030] },
      {
        name: 'widgets reconcile',
        startTime: 1000,
        outcome: 'failed',
        calls: [[error, 1030], { code: 2, message: 'no answer' }, 1030],
      },
    ]);
  });
});
