import { describe, expect, it } from 'vitest';
import { builtinResources } from './catalogue.js';
import { typeFields } from './type-fields.js';
import { schemaOf, typeSchema } from './schema.js';

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
});
