import { describe, expect, it } from 'vitest';
import type { CoreEvent } from './core-event.js';
import { eventKey, similarityKey, spamKey } from './event-keys.js';

const event: CoreEvent = {
  metadata: { name: 'web-0.1', namespace: 'shop' },
  involvedObject: {
    apiVersion: 'v1',
    kind: 'Pod',
    namespace: 'shop',
    name: 'web-0',
    uid: 'u-1',
    resourceVersion: '7',
    fieldPath: 'spec.containers{web}',
  },
  type: 'Normal',
  reason: 'Pulled',
  message: 'pulled the image',
  source: { component: 'kubelet', host: 'node-1' },
  reportingComponent: 'kubelet',
  reportingInstance: 'node-1',
  firstTimestamp: '2026-01-01T00:00:00Z',
  lastTimestamp: '2026-01-01T00:00:00Z',
  count: 1,
};
const about = (change: Partial<CoreEvent['involvedObject']>): CoreEvent => ({
  ...event,
  involvedObject: { ...event.involvedObject, ...change },
});

describe('the keys of an event', () => {
  it.each([
    ['the component', { ...event, source: { component: 'scheduler', host: 'node-1' } }, 'spam similarity event'],
    ['the host', { ...event, source: { component: 'kubelet', host: 'node-2' } }, 'spam similarity event'],
    ['the kind', about({ kind: 'Job' }), 'spam similarity event'],
    ['the namespace', about({ namespace: 'other' }), 'spam similarity event'],
    ['the name', about({ name: 'web-1' }), 'spam similarity event'],
    ['the uid', about({ uid: 'u-2' }), 'spam similarity event'],
    ['the apiVersion', about({ apiVersion: 'v2' }), 'spam similarity event'],
    ['the type', { ...event, type: 'Warning' as const }, 'spam similarity event'],
    ['the reason', { ...event, reason: 'Failed' }, 'similarity event'],
    ['the reporting component', { ...event, reportingComponent: 'other' }, 'similarity event'],
    ['the reporting instance', { ...event, reportingInstance: 'other' }, 'similarity event'],
    ['the message', { ...event, message: 'other' }, 'event'],
    ['the fieldPath', about({ fieldPath: 'spec.containers{db}' }), 'event'],
    ['the resourceVersion', about({ resourceVersion: '8' }), ''],
    ['the count', { ...event, count: 2 }, ''],
  ])('differ with %s', (_, other, keys) => {
    const differs = (keyOf: (event: CoreEvent) => string) => keyOf(other) !== keyOf(event);
    const different = { spam: differs(spamKey), similarity: differs(similarityKey), event: differs(eventKey) };
    expect(
      Object.entries(different)
        .flatMap(([key, isDifferent]) => (isDifferent ? [key] : []))
        .join(' '),
    ).toBe(keys);
  });
});
