import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Unstructured } from '../../meta/objects.js';
import { summaryOf } from './summary.js';

const metadata = { name: 'a', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
const of = (kind: string, rest: object, more: object = {}) =>
  summaryOf({ apiVersion: 'v1', kind, metadata: { ...metadata, ...more }, ...rest } as Unstructured);
const condition = (type: string, status: string, reason?: string) => ({ conditions: [{ type, status, reason }] });

it.each([
  [
    'an event on one line',
    of('Event', {
      type: 'Warning',
      reason: 'Bad',
      involvedObject: { kind: 'Pod', name: 'a' },
      message: 'one\n\u001b[2Jtwo',
    }),
    'Warning Bad Pod/a: one [2Jtwo',
  ],
  ['a pod by its phase', of('Pod', { status: { phase: 'Pending' } }), 'Pending'],
  [
    'a pod by its containers',
    of('Pod', { status: { phase: 'Running', containerStatuses: [{ ready: true }, { ready: false }] } }),
    'Running 1/2',
  ],
  [
    'a pod by what it waits for',
    of('Pod', {
      status: {
        phase: 'Running',
        containerStatuses: [{ ready: false, state: { waiting: { reason: 'CrashLoopBackOff' } } }],
      },
    }),
    'CrashLoopBackOff 0/1',
  ],
  [
    'a pod with a deletionTimestamp',
    of('Pod', { status: { phase: 'Running' } }, { deletionTimestamp: 'x' }),
    'Terminating',
  ],
  ['replicas', of('Deployment', { spec: { replicas: 3 }, status: { readyReplicas: 2 } }), '2/3 ready'],
  ['no replicas yet', of('ReplicaSet', { spec: { replicas: 3 } }), '0/3 ready'],
  [
    'a node',
    of('Node', { spec: { unschedulable: true }, status: condition('Ready', 'True') }),
    'Ready SchedulingDisabled',
  ],
  ['a node that is down', of('Node', { status: condition('Ready', 'False', 'KubeletDown') }), 'NotReady KubeletDown'],
  ['a job', of('Job', { status: condition('Complete', 'True') }), 'Complete'],
  ['a job that runs', of('Job', { status: condition('Complete', 'False') }), ''],
  ['a phase', of('Namespace', { status: { phase: 'Active' } }), 'Active'],
  ['anything else', of('ConfigMap', { data: {} }), ''],
  [
    'an event',
    of('Event', { type: 'Normal', reason: 'Scaled', message: 'to 3', involvedObject: { kind: 'Pod', name: 'a' } }),
    'Normal Scaled Pod/a: to 3',
  ],
])('sums up %s', (_, summary, expected) => expect(summary).toBe(expected));

it('takes objects of any shape', () => {
  const kinds = fc.constantFrom('Pod', 'Node', 'Event', 'Deployment', 'Widget');
  fc.assert(
    fc.property(kinds, fc.jsonValue(), fc.jsonValue(), (kind, spec, status) => {
      expect(of(kind, { spec, status })).toEqual(expect.any(String));
    }),
  );
});
