import { describe, expect, it } from 'vitest';
import { builtinResources } from './catalogue.js';
import { schemaOf, typeSchema } from './schema.js';
import { typeFields } from './type-fields.js';

describe('schemaOf', () => {
  it('has a schema for every kind that can be stored', () => {
    for (const entry of builtinResources)
      expect(schemaOf(entry)?.fields.get('metadata')?.schema, entry.kind).toBeDefined();
    expect(schemaOf({ group: 'example.com', version: 'v1', kind: 'Widget' })).toBeUndefined();
    expect(schemaOf({ group: '', version: 'v1', kind: 'constructor' })).toBeUndefined();
  });

  it('reads every type', () => {
    for (const name of Object.keys(typeFields)) expect(typeSchema(name)?.fields.size).toBeGreaterThanOrEqual(0);
  });

  it('has the merge keys of the lists of a container', () => {
    const fields = typeSchema('core/v1.Container')!.fields;
    expect(fields.get('name')).toMatchObject({ schema: { type: 'string' }, required: true });
    expect(fields.get('ports')).toMatchObject({
      schema: { type: 'list', items: { name: 'core/v1.ContainerPort' } },
      required: false,
      ownership: 'map',
      keys: ['containerPort', 'protocol'],
      strategy: 'merge',
      mergeKey: 'containerPort',
    });
    expect(fields.get('args')).toMatchObject({ ownership: 'atomic', strategy: 'replace' });
    expect(typeSchema('core/v1.ContainerPort')!.fields.get('protocol')?.default).toBe('TCP');
  });

  it('marks the fields that server-side apply owns as a whole', () => {
    expect(typeSchema('core/v1.PodSpec')!.fields.get('nodeSelector')).toMatchObject({
      schema: { type: 'map', values: { type: 'string' } },
      ownership: 'atomic',
    });
    expect(typeSchema('apps/v1.DeploymentSpec')!.fields.get('selector')?.ownership).toBe('atomic');
    expect(typeSchema('apps/v1.DeploymentSpec')!.fields.get('template')?.ownership).toBe('granular');
    // The type is atomic, this field of it is not.
    expect(typeSchema('core/v1.PersistentVolumeSpec')!.fields.get('claimRef')?.ownership).toBe('granular');
    expect(typeSchema('meta/v1.ObjectMeta')!.fields.get('finalizers')).toMatchObject({
      ownership: 'set',
      strategy: 'merge',
    });
  });

  it('marks the fields with retainKeys', () => {
    expect(typeSchema('apps/v1.DeploymentSpec')!.fields.get('strategy')?.retainKeys).toBe(true);
    expect(typeSchema('core/v1.PodSpec')!.fields.get('volumes')).toMatchObject({
      strategy: 'merge',
      mergeKey: 'name',
      retainKeys: true,
    });
    expect(typeSchema('policy/v1.PodDisruptionBudgetSpec')!.fields.get('selector')?.strategy).toBe('replace');
  });

  it('supports types that contain themselves', () => {
    const props = typeSchema('apiextensions/v1.JSONSchemaProps')!;
    expect(props.fields.get('not')?.schema).toBe(props);
    expect(props.fields.get('example')?.schema.type).toBe('any');
  });

  it('has the fields in the order of Go, with their protobuf numbers and when they are printed', () => {
    const port = typeSchema('core/v1.ContainerPort')!.fields;
    expect([...port].map(([name, { number }]) => `${name} ${number}`)).toEqual([
      'name 1',
      'hostPort 2',
      'containerPort 3',
      'protocol 4',
      'hostIP 5',
    ]);
    expect(port.get('containerPort')).toMatchObject({ always: true, pointer: false, schema: { bits: 32 } });
    expect(port.get('hostPort')).toMatchObject({ always: false, pointer: false });
    expect(port.get('protocol')?.values).toEqual(['SCTP', 'TCP', 'UDP']);
    expect(typeSchema('core/v1.PodSpec')!.fields.get('priority')).toMatchObject({ always: false, pointer: true });
    expect(schemaOf({ group: '', version: 'v1', kind: 'Pod' })!.fields.get('status')?.always).toBe(true);
  });

  it('flattens inlined structs, which are messages of their own in protobuf', () => {
    const volume = typeSchema('core/v1.Volume')!;
    expect(volume.fields.get('name')?.number).toBe(1);
    expect(volume.fields.get('emptyDir')).toMatchObject({ number: 0, pointer: true });
    expect(volume.inlined).toEqual([{ number: 2, schema: typeSchema('core/v1.VolumeSource') }]);
    expect(volume.inlined[0]?.schema.fields.get('emptyDir')?.number).toBe(2);
  });
});
