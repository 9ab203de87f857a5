import { describe, expect, it } from 'vitest';
import { podTable } from './pods.js';

const NOW = Date.parse('2026-01-01T01:00:00Z');

interface Parts {
  metadata?: object;
  spec?: object;
  status: object;
}

/** Ready, Status and Restarts of a pod. */
function shown({ metadata, spec, status }: Parts): unknown[] {
  const containers = [{ name: 'a', image: 'i' }];
  const creationTimestamp = '2026-01-01T00:00:00Z';
  const pod = { metadata: { name: 'p', creationTimestamp, ...metadata }, spec: { containers, ...spec }, status };
  return podTable.cells(pod, NOW).slice(1, 4);
}

const container = (state: object, more: object = {}) => ({ name: 'a', ready: false, restartCount: 0, state, ...more });
const ready = { conditions: [{ type: 'Ready', status: 'True' }] };

describe('the status of a pod', () => {
  it.each<[string, Parts, string[]]>([
    ['its phase', { status: { phase: 'Pending' } }, ['0/1', 'Pending', '0']],
    ['its reason', { status: { phase: 'Failed', reason: 'Evicted' } }, ['0/1', 'Evicted', '0']],
    [
      'that it waits for its scheduling gates',
      { status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', reason: 'SchedulingGated' }] } },
      ['0/1', 'SchedulingGated', '0'],
    ],
    [
      'why a container waits',
      { status: { containerStatuses: [container({ waiting: { reason: 'CrashLoopBackOff' } }, { restartCount: 5 })] } },
      ['0/1', 'CrashLoopBackOff', '5'],
    ],
    [
      'the signal that ended it',
      { status: { containerStatuses: [container({ terminated: { exitCode: 137, signal: 9 } })] } },
      ['0/1', 'Signal:9', '0'],
    ],
    [
      'its exit code',
      { status: { containerStatuses: [container({ terminated: { exitCode: 1 } })] } },
      ['0/1', 'ExitCode:1', '0'],
    ],
    [
      'Running while one container runs and the pod is ready',
      {
        status: {
          ...ready,
          containerStatuses: [
            container({ terminated: { exitCode: 0, reason: 'Completed' } }),
            container({ running: {} }, { ready: true }),
          ],
        },
      },
      ['1/1', 'Running', '0'],
    ],
    [
      'NotReady if it is not',
      {
        status: {
          containerStatuses: [
            container({ terminated: { exitCode: 0, reason: 'Completed' } }),
            container({ running: {} }, { ready: true }),
          ],
        },
      },
      ['1/1', 'NotReady', '0'],
    ],
    [
      'the failure beside a completed container',
      {
        status: {
          containerStatuses: [
            container({ terminated: { exitCode: 0, reason: 'Completed' } }),
            container({ terminated: { exitCode: 2, reason: 'Error' } }),
          ],
        },
      },
      ['0/1', 'Error', '0'],
    ],
    [
      'when it was restarted',
      {
        status: {
          phase: 'Running',
          containerStatuses: [
            container(
              { running: {} },
              { restartCount: 2, lastState: { terminated: { exitCode: 1, finishedAt: '2026-01-01T00:55:00Z' } } },
            ),
          ],
        },
      },
      ['0/1', 'Running', '2 (5m ago)'],
    ],
    [
      'how many init containers have finished',
      {
        spec: { initContainers: [{ name: 'i1' }, { name: 'i2' }] },
        status: {
          initContainerStatuses: [
            container({ terminated: { exitCode: 0 } }, { name: 'i1' }),
            container({ running: {} }, { name: 'i2' }),
          ],
        },
      },
      ['0/1', 'Init:1/2', '0'],
    ],
    [
      'why an init container failed',
      {
        spec: { initContainers: [{ name: 'i1' }] },
        status: {
          initContainerStatuses: [container({ terminated: { exitCode: 1, reason: 'Error' } }, { name: 'i1' })],
        },
      },
      ['0/1', 'Init:Error', '0'],
    ],
    [
      'a sidecar among the containers',
      {
        spec: { initContainers: [{ name: 's', restartPolicy: 'Always' }] },
        status: {
          phase: 'Running',
          initContainerStatuses: [
            container({ running: {} }, { name: 's', started: true, ready: true, restartCount: 1 }),
          ],
          containerStatuses: [container({ running: {} }, { ready: true })],
        },
      },
      ['2/2', 'Running', '1'],
    ],
    [
      'that it terminates',
      { metadata: { deletionTimestamp: '2026-01-01T01:00:00Z' }, status: { phase: 'Running' } },
      ['0/1', 'Terminating', '0'],
    ],
    [
      'that its node is lost',
      { metadata: { deletionTimestamp: '2026-01-01T01:00:00Z' }, status: { phase: 'Running', reason: 'NodeLost' } },
      ['0/1', 'Unknown', '0'],
    ],
  ])('is %s', (_, pod, expected) => {
    expect(shown(pod)).toEqual(expected);
  });

  it('has a condition of the row once the pod has finished', () => {
    expect(podTable.conditions?.({ status: { phase: 'Succeeded' } })).toMatchObject([{ reason: 'Succeeded' }]);
    expect(podTable.conditions?.({ status: { phase: 'Running' } })).toBeUndefined();
  });
});
