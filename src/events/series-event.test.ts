import { describe, expect, it } from 'vitest';
import { FakeClock } from '../time/fake-clock.js';
import { EventNames } from './event-names.js';
import type { Occurrence } from './occurrence.js';
import { seriesEventOf, seriesKey } from './series-event.js';

const pod = { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'a', uid: 'u1', resourceVersion: '5' };
const occurrence: Occurrence = {
  regarding: pod,
  reporter: { component: 'example.com/web', host: 'node-1' },
  type: 'Normal',
  reason: 'Started',
  message: 'started',
  at: 0,
};

function keyOf(change: Partial<Occurrence>): string {
  return seriesKey(seriesEventOf({ ...occurrence, ...change }, new EventNames(new FakeClock())));
}

describe('seriesKey', () => {
  it.each<[string, Partial<Occurrence>]>([
    ['the type', { type: 'Warning' }],
    ['the reason', { reason: 'Stopped' }],
    ['the action', { action: 'Restart' }],
    ['the reporting controller', { reporter: { component: 'example.com/other', host: 'node-1' } }],
    ['the host', { reporter: { component: 'example.com/web', host: 'node-2' } }],
    ['the name of the object', { regarding: { ...pod, name: 'b' } }],
    ['the namespace of the object', { regarding: { ...pod, namespace: 'other' } }],
    ['the uid of the object', { regarding: { ...pod, uid: 'u2' } }],
    ['the kind of the object', { regarding: { ...pod, kind: 'Node' } }],
    ['the field of the object', { regarding: { ...pod, fieldPath: 'spec.containers{c}' } }],
    ['the related object', { related: pod }],
  ])('differs with %s', (_, change) => {
    expect(keyOf(change)).not.toBe(keyOf({}));
  });

  it.each<[string, Partial<Occurrence>]>([
    ['the message', { message: 'started again' }],
    ['the time', { at: 60_000 }],
    ['the version of the object', { regarding: { ...pod, resourceVersion: '6' } }],
  ])('does not depend on %s', (_, change) => {
    expect(keyOf(change)).toBe(keyOf({}));
  });
});
