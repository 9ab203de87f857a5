import { expect } from 'vitest';
import { type Area, defineArea } from '../area.js';
import { names } from '../objects.js';
import { expectStatus } from '../status.js';

const older = (namespace: string): string => `/api/v1/namespaces/${namespace}/events`;
const newer = (namespace: string): string => `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;

function olderEvent(namespace: string, name: string, rest = {}): object {
  return {
    metadata: { name },
    involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace, name: 'web-0', uid: 'u-1' },
    reason: 'Pulled',
    message: 'all well',
    type: 'Normal',
    count: 1,
    source: { component: 'kubelet', host: 'node-1' },
    firstTimestamp: '2024-01-02T03:04:05Z',
    lastTimestamp: '2024-01-02T03:04:05Z',
    ...rest,
  };
}

function newerEvent(namespace: string, name: string, rest = {}): object {
  return {
    metadata: { name },
    regarding: { apiVersion: 'v1', kind: 'Pod', namespace, name: 'web-0', uid: 'u-1' },
    eventTime: '2024-01-02T03:04:05.123456Z',
    reportingController: 'example.com/controller',
    reportingInstance: 'controller-1',
    action: 'Binding',
    reason: 'Scheduled',
    note: 'all well',
    type: 'Normal',
    ...rest,
  };
}

export const area: Area = defineArea('events', (rule) => {
  rule('an event of core/v1 is stored as written, with its times unset where nothing was said', async (api) => {
    const namespace = await api.namespace();
    const made = await api.create(older(namespace), olderEvent(namespace, 'a', { lastTimestamp: undefined }));
    expect(made).toMatchObject({
      kind: 'Event',
      apiVersion: 'v1',
      involvedObject: { kind: 'Pod', name: 'web-0' },
      reason: 'Pulled',
      count: 1,
      firstTimestamp: '2024-01-02T03:04:05Z',
      lastTimestamp: null,
      eventTime: null,
      reportingComponent: '',
      reportingInstance: '',
    });
  });

  rule('an event of core/v1 can be read through events.k8s.io/v1 under the newer names', async (api) => {
    const namespace = await api.namespace();
    const made = await api.create(older(namespace), olderEvent(namespace, 'a'));
    expect(await api.get(`${newer(namespace)}/a`)).toMatchObject({
      apiVersion: 'events.k8s.io/v1',
      metadata: { uid: made.metadata.uid, resourceVersion: made.metadata.resourceVersion },
      regarding: { kind: 'Pod', name: 'web-0' },
      note: 'all well',
      eventTime: null,
      deprecatedCount: 1,
      deprecatedSource: { component: 'kubelet', host: 'node-1' },
      deprecatedFirstTimestamp: '2024-01-02T03:04:05Z',
    });
  });

  rule('an event of events.k8s.io/v1 can be read through core/v1 under the older names', async (api) => {
    const namespace = await api.namespace();
    await api.create(newer(namespace), newerEvent(namespace, 'a'));
    expect(await api.get(`${older(namespace)}/a`)).toMatchObject({
      apiVersion: 'v1',
      involvedObject: { kind: 'Pod', name: 'web-0' },
      message: 'all well',
      eventTime: '2024-01-02T03:04:05.123456Z',
      reportingComponent: 'example.com/controller',
      reportingInstance: 'controller-1',
      action: 'Binding',
      firstTimestamp: null,
    });
  });

  rule('both groups list the same events', async (api) => {
    const namespace = await api.namespace();
    await api.create(older(namespace), olderEvent(namespace, 'a'));
    await api.create(newer(namespace), newerEvent(namespace, 'b'));
    expect(names(await api.get(older(namespace)))).toEqual(['a', 'b']);
    expect(names(await api.get(newer(namespace)))).toEqual(['a', 'b']);
  });

  rule('an event must be in the namespace of what it is about', async (api) => {
    const namespace = await api.namespace();
    expectStatus(await api.request('POST', older(namespace), { body: olderEvent('elsewhere', 'a') }), {
      code: 422,
      reason: 'Invalid',
      causes: [
        {
          field: 'involvedObject.namespace',
          message: 'Invalid value: "elsewhere": does not match event.namespace',
        },
      ],
    });
  });

  rule('an event about something without a namespace is kept in default', async (api) => {
    const name = api.unique('event');
    const body = { metadata: { name }, involvedObject: { kind: 'Node', name: 'node-1' }, reason: 'Rebooted' };
    api.remove(`${older('default')}/${name}`);
    expect((await api.create(older('default'), body)).metadata.namespace).toBe('default');
    expectStatus(await api.request('POST', older(await api.namespace()), { body }), { code: 422, reason: 'Invalid' });
  });

  rule('events.k8s.io/v1 wants an eventTime and a type', async (api) => {
    const namespace = await api.namespace();
    const body = newerEvent(namespace, 'a', { eventTime: undefined, type: undefined });
    expectStatus(await api.request('POST', newer(namespace), { body }), {
      code: 422,
      reason: 'Invalid',
      causes: [
        { reason: 'FieldValueRequired', field: 'eventTime' },
        { reason: 'FieldValueInvalid', field: 'type' },
      ],
    });
  });

  for (const [field, value] of [
    ['involvedObject.kind', 'Pod'],
    ['involvedObject.name', 'web-0'],
    ['involvedObject.uid', 'u-1'],
    ['reason', 'Pulled'],
    ['type', 'Normal'],
    ['source', 'kubelet'],
  ] as const) {
    rule(`events are selected by ${field}`, async (api) => {
      const namespace = await api.namespace();
      await api.create(older(namespace), olderEvent(namespace, 'a'));
      await api.create(older(namespace), {
        metadata: { name: 'b' },
        involvedObject: { kind: 'Service', namespace, name: 'db' },
        reason: 'Failed',
        type: 'Warning',
        source: { component: 'other' },
      });
      expect(names(await api.get(older(namespace), { fieldSelector: `${field}=${value}` }))).toEqual(['a']);
      expect(names(await api.get(older(namespace), { fieldSelector: `${field}!=${value}` }))).toEqual(['b']);
    });
  }

  rule('events.k8s.io/v1 selects by its own names', async (api) => {
    const namespace = await api.namespace();
    await api.create(newer(namespace), newerEvent(namespace, 'a'));
    expect(names(await api.get(newer(namespace), { fieldSelector: 'regarding.name=web-0' }))).toEqual(['a']);
    expect(names(await api.get(newer(namespace), { fieldSelector: 'regarding.name=other' }))).toEqual([]);
  });

  rule('the count and the message of an older event can be patched, as recorders do', async (api) => {
    const namespace = await api.namespace();
    await api.create(older(namespace), olderEvent(namespace, 'a'));
    const patch = { count: 2, message: 'again', lastTimestamp: '2024-01-02T03:05:05Z' };
    expect(await api.patch(`${older(namespace)}/a`, 'strategic', patch)).toMatchObject(patch);
  });

  rule('the series of a newer event can be patched, as recorders do', async (api) => {
    const namespace = await api.namespace();
    await api.create(newer(namespace), newerEvent(namespace, 'a'));
    const patch = { series: { count: 2, lastObservedTime: '2024-01-02T03:05:05.000000Z' } };
    expect(await api.patch(`${newer(namespace)}/a`, 'strategic', patch)).toMatchObject(patch);
  });

  rule('the rest of a newer event does not change any more', async (api) => {
    const namespace = await api.namespace();
    await api.create(newer(namespace), newerEvent(namespace, 'a'));
    expectStatus(await api.tryPatch(`${newer(namespace)}/a`, 'merge', { reason: 'Other' }), {
      code: 422,
      reason: 'Invalid',
      causes: [{ field: 'reason', message: 'Invalid value: "Other": field is immutable' }],
    });
  });
});
