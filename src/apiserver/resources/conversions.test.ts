import { describe, expect, it } from 'vitest';
import { autoscalerConversion, completeEvent, eventConversion } from './conversions.js';

describe('conversions', () => {
  it('turn the target of an old autoscaler into the metric of a new one, and back', () => {
    const old = {
      apiVersion: 'autoscaling/v1',
      spec: { maxReplicas: 3, targetCPUUtilizationPercentage: 80 },
    };
    const stored = autoscalerConversion.toStorage(old);
    expect(stored).toEqual({
      apiVersion: 'autoscaling/v2',
      spec: {
        maxReplicas: 3,
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
        ],
      },
    });
    expect(autoscalerConversion.fromStorage(stored)).toEqual(old);
  });

  it('call the fields of an event by their names in either group', () => {
    const core = completeEvent({ apiVersion: 'v1', kind: 'Event', message: 'm', involvedObject: { name: 'p' } });
    const newer = eventConversion.fromStorage(core);
    expect(newer).toMatchObject({
      apiVersion: 'events.k8s.io/v1',
      note: 'm',
      regarding: { name: 'p' },
      eventTime: null,
    });
    expect(eventConversion.toStorage(newer)).toEqual(core);
  });
});
