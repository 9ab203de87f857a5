import { beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../meta/json-values.js';
import { FakeClock } from '../../../../time/fake-clock.js';
import { finish } from '../../../../time/steps.js';
import { Storage } from '../../../storage/storage.js';
import { builtInResources } from '../../built-in-resources.js';
import { type ApiResource, Registry } from '../../registry.js';
import { ObjectWriter } from '../../write/object-writer.js';

const port = { name: 'a', port: 80, protocol: 'TCP', targetPort: 80 };

describe('addresses of Services', () => {
  let writer: ObjectWriter;
  let services: ApiResource;

  beforeEach(() => {
    const clock = new FakeClock({ seed: 1 });
    const registry = new Registry();
    for (const resource of builtInResources(new Storage({ historyLimit: 100 }))) registry.add(resource);
    writer = new ObjectWriter(clock, registry);
    const namespaces = registry.find('', 'v1', 'namespaces')!;
    finish(writer.create(namespaces, '', { metadata: { name: 'default' } }));
    services = registry.find('', 'v1', 'services')!;
  });

  const make = (name: string, spec: JsonObject): JsonObject => ({
    metadata: { name },
    spec: { ports: [{ ...port }], ...spec },
  });
  const create = (name: string, spec: JsonObject = {}): JsonObject =>
    finish(writer.create(services, 'default', make(name, spec))).revision.decode()['spec'] as JsonObject;
  const update = (name: string, change: (spec: JsonObject) => void): JsonObject =>
    finish(
      writer.update(services, 'default', name, {
        change(old) {
          change(old['spec'] as JsonObject);
          return old;
        },
      }),
    ).revision.decode()['spec'] as JsonObject;

  it('differ between services, also while two are created at the same time', () => {
    const seen = new Set<unknown>();
    for (let at = 0; at < 300; at++) seen.add(create(`s${at}`)['clusterIP']);
    expect(seen.size).toBe(300);
    const both = [0, 1].map((at) => writer.create(services, 'default', make(`both-${at}`, { clusterIP: '10.0.9.9' })));
    both[0]!.next();
    both[0]!.next();
    const results = both.map((steps) => {
      try {
        return finish(steps).isNew;
      } catch (error) {
        return (error as Error).message;
      }
    });
    expect(results.filter((result) => result === true)).toHaveLength(1);
    expect(results.join()).toContain('failed to allocate IP 10.0.9.9: provided IP is already allocated');
  });

  it('are free again after a refused create and after a deletion', () => {
    const wanted = { clusterIP: '10.0.7.7' };
    expect(() => create('a', { ...wanted, sessionAffinity: 'Cookie' })).toThrow('spec.sessionAffinity');
    expect(create('a', wanted)['clusterIPs']).toEqual(['10.0.7.7']);
    expect(() => create('b', wanted)).toThrow('already allocated');
    finish(writer.delete(services, 'default', 'a', { preconditions: {}, dryRun: false }));
    expect(create('b', wanted)['clusterIP']).toBe('10.0.7.7');
  });

  it('must be in their ranges', () => {
    expect(() => create('a', { clusterIP: '1.2.3.4' })).toThrow(
      'spec.clusterIPs: Invalid value: ["1.2.3.4"]: failed to allocate IP 1.2.3.4: the provided network does not match the current range',
    );
    expect(() => create('a', { type: 'NodePort', ports: [{ ...port, nodePort: 80 }] })).toThrow(
      'spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767',
    );
  });

  it('include node ports, which an update keeps although it does not repeat them', () => {
    const first = create('a', { type: 'NodePort' })['ports'] as JsonObject[];
    const nodePort = first[0]!['nodePort'] as number;
    expect(nodePort).toBeGreaterThanOrEqual(30_000);
    expect(() => create('b', { type: 'NodePort', ports: [{ ...port, nodePort }] })).toThrow(
      'provided port is already allocated',
    );
    const after = update('a', (spec) => {
      spec['ports'] = [{ ...port, port: 81 }];
      delete spec['clusterIP'];
      delete spec['clusterIPs'];
    });
    expect(after['ports']).toMatchObject([{ port: 81, nodePort }]);
    expect(after['clusterIP']).toMatch(/^10\.0\./);
    const local = update('a', (spec) => {
      spec['type'] = 'ClusterIP';
    });
    expect(local['ports']).toEqual([{ ...port, port: 81 }]);
    expect(local).not.toHaveProperty('externalTrafficPolicy');
  });

  it('cannot change, except by way of ExternalName', () => {
    create('a');
    expect(() =>
      update('a', (spec) => {
        spec['clusterIP'] = '10.0.1.1';
        spec['clusterIPs'] = ['10.0.1.1'];
      }),
    ).toThrow('spec.clusterIPs[0]: Invalid value: ["10.0.1.1"]: may not change once set');
    const external = update('a', (spec) => {
      spec['type'] = 'ExternalName';
      spec['externalName'] = 'a.example.com';
    });
    expect(external).not.toHaveProperty('clusterIP');
    const again = update('a', (spec) => {
      spec['type'] = 'ClusterIP';
      delete spec['externalName'];
    });
    expect(again['clusterIP']).toMatch(/^10\.0\./);
  });
});
