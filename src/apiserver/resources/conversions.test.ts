import { describe, expect, it } from 'vitest';
import { autoscalerConversion, completeEvent, eventConversion } from './conversions.js';

describe('conversions', () => {
  it('convert the CPU target of autoscaling/v1 into a metric of v2, and back', () => {
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

  it('rename the fields of an Event for either group', () => {
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
