import { describe, expect, it } from 'vitest';
import { builtinResources } from '../../resources/catalogue.js';
import { tableOf } from './tables.js';

const NOW = Date.parse('2026-01-01T01:00:00Z');
const METADATA = { name: 'x', namespace: 'default', creationTimestamp: '2026-01-01T00:59:00Z' };

function cells(kind: string, object: object): readonly unknown[] {
  const [group = '', name = ''] = kind.split('/');
  return tableOf({ group, kind: name, isCustom: false }).cells({ metadata: METADATA, ...object }, NOW);
}

describe('tables', () => {
  it.each(builtinResources.filter(({ verbs }) => verbs.includes('list')))(
    'of $kind in "$group" have a cell for each column, also of an object without fields',
    ({ group, kind }) => {
      const { columns } = tableOf({ group, kind, isCustom: false });
      const row = cells(`${group}/${kind}`, {});
      expect(row.slice(0, columns.length)).toHaveLength(columns.length);
      expect(row.every((cell) => cell !== undefined)).toBe(true);
      if (kind !== 'IPAddress') expect(row).toHaveLength(columns.length);
    },
  );

  it('of kinds without one of their own have the name and the time of creation', () => {
    expect(cells('/LimitRange', {})).toEqual(['x', '2026-01-01T00:59:00Z']);
    expect(cells('/LimitRange', { metadata: {} })).toEqual(['', '0001-01-01T00:00:00Z']);
  });

  it('of custom resources have the name and the age', () => {
    const table = tableOf({ group: 'example.com', kind: 'Deployment', isCustom: true });
    expect(table.columns.map(({ name }) => name)).toEqual(['Name', 'Age']);
    expect(table.cells({ metadata: METADATA }, NOW)).toEqual(['x', '60s']);
  });

  it.each([
    [
      'ClusterIP',
      { type: 'ClusterIP', clusterIPs: ['10.0.0.1'], ports: [{ port: 80, protocol: 'TCP' }], selector: { a: 'b' } },
      {},
      ['10.0.0.1', '<none>', '80/TCP', '60s', 'a=b'],
    ],
    ['NodePort', { type: 'NodePort', externalIPs: ['1.1.1.1'] }, {}, ['<none>', '1.1.1.1', '<none>', '60s', '<none>']],
    ['LoadBalancer', { type: 'LoadBalancer' }, {}, ['<none>', '<pending>', '<none>', '60s', '<none>']],
    [
      'LoadBalancer',
      { type: 'LoadBalancer', externalIPs: ['3.3.3.3'], ports: [{ port: 80, nodePort: 30125, protocol: 'TCP' }] },
      { loadBalancer: { ingress: [{ hostname: 'b.example.com' }, { ip: '1.2.3.4' }] } },
      ['<none>', '1.2.3.4,b.example.com,3.3.3.3', '80:30125/TCP', '60s', '<none>'],
    ],
    [
      'ExternalName',
      { type: 'ExternalName', externalName: 'x.example.com' },
      {},
      ['<none>', 'x.example.com', '<none>', '60s', '<none>'],
    ],
  ])('show a Service of type %s', (type, spec, status, expected) => {
    expect(cells('/Service', { spec, status })).toEqual(['x', type, ...expected]);
  });

  it.each([
    ['Complete', { conditions: [{ type: 'Complete', status: 'True' }] }],
    ['Suspended', { conditions: [{ type: 'Suspended', status: 'True' }] }],
    ['Running', { conditions: [{ type: 'Suspended', status: 'False' }] }],
  ])('show that a Job is %s', (text, status) => {
    expect(cells('batch/Job', { spec: { parallelism: 3 }, status })[1]).toBe(text);
    expect(cells('batch/Job', { spec: { parallelism: 3 }, status: { succeeded: 1 } })[2]).toBe('1/1 of 3');
  });

  it('show the endpoints of services, also of IPv6', () => {
    const subsets = [
      { addresses: [{ ip: '10.0.0.1' }, { ip: '::1' }], ports: [{ port: 80 }, { port: 81 }] },
      { addresses: [{ ip: '10.0.0.3' }] },
    ];
    expect(cells('/Endpoints', { subsets })[1]).toBe('10.0.0.1:80,[::1]:80,10.0.0.1:81 + 2 more...');
    expect(cells('/Endpoints', {})[1]).toBe('<none>');
  });

  it('show the metrics of an autoscaler', () => {
    const cpu = {
      type: 'Resource',
      resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
    };
    const pods = { type: 'Pods', pods: { metric: { name: 'm' }, target: { type: 'AverageValue', averageValue: '5' } } };
    const spec = { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'd' }, metrics: [cpu, pods, pods] };
    const currentMetrics = [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 55 } } }];
    const row = cells('autoscaling/HorizontalPodAutoscaler', { spec, status: { currentMetrics, currentReplicas: 2 } });
    expect(row).toEqual(['x', 'Deployment/d', 'cpu: 55%/80%, <unknown>/5 + 1 more...', '<unset>', 3, 2, '60s']);
  });

  it('show what an Event is about, from both of its sources', () => {
    const event = {
      involvedObject: { kind: 'Pod', name: 'p', fieldPath: 'spec' },
      type: 'Normal',
      reason: 'Started',
      message: ' it runs\n',
      source: { component: 'kubelet', host: 'n1' },
      firstTimestamp: '2026-01-01T00:50:00Z',
      lastTimestamp: '2026-01-01T00:59:50Z',
      count: 3,
    };
    const row = ['10s', 'Normal', 'Started', 'pod/p', 'spec', 'kubelet, n1', 'it runs', '10m', 3, 'x'];
    expect(cells('/Event', event)).toEqual(row);
    const reported = { ...event, source: {}, reportingComponent: 'c', series: { count: 7, lastObservedTime: null } };
    expect(cells('events.k8s.io/Event', reported)).toEqual(row.with(0, '<unknown>').with(5, 'c').with(8, 7));
  });
});
