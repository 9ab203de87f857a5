import { expect } from 'vitest';
import { PATCH } from '../api.js';
import { apply, configMap, containers, deployment, entry, owned, owners, tryApply } from '../applying.js';
import { type Area, defineArea } from '../area.js';
import { at, type Doc } from '../doc.js';
import { configMaps } from '../objects.js';
import { expectStatus } from '../status.js';

export const area: Area = defineArea('server-side apply', (rule) => {
  rule('applying what does not exist creates it, with 201', async (api) => {
    const path = `${configMaps(await api.namespace())}/a`;
    const answer = await tryApply(api, path, 'one', configMap({ x: '1' }));
    expect(answer.status).toBe(201);
    expect(answer.json).toMatchObject({ kind: 'ConfigMap', metadata: { name: 'a' }, data: { x: '1' } });
    expect((await tryApply(api, path, 'one', configMap({ x: '2' }))).status).toBe(200);
  });

  rule('an apply leaves an Apply entry with the fields that it named', async (api) => {
    const path = `${configMaps(await api.namespace())}/a`;
    const made = await apply(api, path, 'one', configMap({ x: '1', y: '2' }, { labels: { tier: 'web' } }));
    expect(made.metadata.managedFields).toEqual([
      {
        manager: 'one',
        operation: 'Apply',
        apiVersion: 'v1',
        time: expect.stringMatching(/Z$/),
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { 'f:x': {}, 'f:y': {} }, 'f:metadata': { 'f:labels': { 'f:tier': {} } } },
      },
    ]);
  });

  rule('applying the same again changes nothing, not even the version', async (api) => {
    const path = `${configMaps(await api.namespace())}/a`;
    const once = await apply(api, path, 'one', configMap({ x: '1' }));
    expect(await apply(api, path, 'one', configMap({ x: '1' }))).toEqual(once);
  });

  rule('a field that its only owner no longer applies is removed', async (api) => {
    const path = `${configMaps(await api.namespace())}/a`;
    await apply(api, path, 'one', configMap({ x: '1', y: '1' }));
    const now = await apply(api, path, 'one', configMap({ x: '1' }));
    expect(now.data).toEqual({ x: '1' });
    expect(owned(now, 'one')).toEqual(['f:x']);
  });

  rule('a field that another owns too stays when one owner lets go', async (api) => {
    const path = `${configMaps(await api.namespace())}/a`;
    await apply(api, path, 'one', configMap({ x: '1', y: '1' }));
    await apply(api, path, 'two', configMap({ y: '1' }));
    const now = await apply(api, path, 'one', configMap({ x: '1' }));
    expect(now.data).toEqual({ x: '1', y: '1' });
    expect([owned(now, 'one'), owned(now, 'two')]).toEqual([['f:x'], ['f:y']]);
  });

  rule('two appliers of the same value share the field', async (api) => {
    const path = `${configMaps(await api.namespace())}/a`;
    await apply(api, path, 'one', configMap({ x: '1' }));
    const now = await apply(api, path, 'two', configMap({ x: '1' }));
    expect([owned(now, 'one'), owned(now, 'two')]).toEqual([['f:x'], ['f:x']]);
  });

  rule('appliers of different fields do not disturb each other', async (api) => {
    const path = `${configMaps(await api.namespace())}/a`;
    await apply(api, path, 'one', configMap({ x: '1' }));
    const now = await apply(api, path, 'two', configMap({ y: '2' }));
    expect(now.data).toEqual({ x: '1', y: '2' });
    expect(owners(now)).toEqual(['one Apply', 'two Apply']);
  });

  rule('a value that differs from that of another owner is a Conflict, with the field as its cause', async (api) => {
    const path = `${configMaps(await api.namespace())}/a`;
    await apply(api, path, 'one', configMap({ x: '1' }));
    const status = expectStatus(await tryApply(api, path, 'two', configMap({ x: '2' })), {
      code: 409,
      reason: 'Conflict',
      message: 'Apply failed with 1 conflict: conflict with "one": .data.x',
    });
    expect(status.details.causes).toEqual([
      { reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.x' },
    ]);
  });

  rule('every field in conflict is a cause, also with several owners', async (api) => {
    const path = `${configMaps(await api.namespace())}/a`;
    await apply(api, path, 'one', configMap({ x: '1', y: '1' }));
    await apply(api, path, 'two', configMap({ z: '1' }));
    const status = expectStatus(await tryApply(api, path, 'three', configMap({ x: '2', y: '2', z: '2' })), {
      code: 409,
      reason: 'Conflict',
      message:
        /^Apply failed with 3 conflicts: conflicts with "one":\n- \.data\.x\n- \.data\.y\nconflicts with "two":\n- \.data\.z$/,
    });
    expect(status.details.causes?.map(({ message, field }) => `${message} ${field}`).sort()).toEqual([
      'conflict with "one" .data.x',
      'conflict with "one" .data.y',
      'conflict with "two" .data.z',
    ]);
  });

  rule('a conflict changes nothing', async (api) => {
    const path = `${configMaps(await api.namespace())}/a`;
    const before = await apply(api, path, 'one', configMap({ x: '1' }));
    await tryApply(api, path, 'two', configMap({ x: '2', y: '2' }));
    expect(await api.get(path)).toEqual(before);
  });

  rule('force takes the fields from their owners', async (api) => {
    const path = `${configMaps(await api.namespace())}/a`;
    await apply(api, path, 'one', configMap({ x: '1', y: '1' }));
    const now = await apply(api, path, 'two', configMap({ x: '2' }), { force: true });
    expect(now.data).toEqual({ x: '2', y: '1' });
    expect([owned(now, 'one'), owned(now, 'two')]).toEqual([['f:y'], ['f:x']]);
  });

  rule('an owner that has lost all fields has no entry', async (api) => {
    const path = `${configMaps(await api.namespace())}/a`;
    await apply(api, path, 'one', configMap({ x: '1' }));
    expect(owners(await apply(api, path, 'two', configMap({ x: '2' }), { force: true }))).toEqual(['two Apply']);
  });

  rule('an owner that applies an empty object has no entry, and its fields are removed', async (api) => {
    const path = `${configMaps(await api.namespace())}/a`;
    await apply(api, path, 'two', configMap({ y: '1' }));
    await apply(api, path, 'one', configMap({ x: '1' }));
    const { apiVersion, kind, metadata } = configMap({}) as Doc;
    const now = await apply(api, path, 'one', { apiVersion, kind, metadata });
    expect(owners(now)).toEqual(['two Apply']);
    expect(now.data).toEqual({ y: '1' });
  });

  rule('a plain update takes over the fields it changes, from appliers too', async (api) => {
    const path = `${configMaps(await api.namespace())}/a`;
    const made = await apply(api, path, 'one', configMap({ x: '1', y: '1' }));
    const now = await api.update(path, { ...made, data: { x: '2', y: '1' } }, { fieldManager: 'editor' });
    expect(owners(now)).toEqual(['one Apply', 'editor Update']);
    expect([owned(now, 'one'), owned(now, 'editor', 'Update')]).toEqual([['f:y'], ['f:x']]);
  });

  rule('a field that a plain update owns conflicts with an apply', async (api) => {
    const path = configMaps(await api.namespace());
    await api.create(path, configMap({ x: '1' }), { fieldManager: 'editor' });
    expectStatus(await tryApply(api, `${path}/a`, 'one', configMap({ x: '2' })), {
      code: 409,
      reason: 'Conflict',
      message: /^Apply failed with 1 conflict: conflict with "editor" using v1( at [-0-9TZ:]+)?: \.data\.x$/,
      causes: [{ reason: 'FieldManagerConflict', field: '.data.x', message: /^conflict with "editor" using v1/ }],
    });
  });

  rule('a field that an applier lets go stays where a plain update owns it', async (api) => {
    const path = configMaps(await api.namespace());
    await api.create(path, configMap({ x: '1' }), { fieldManager: 'editor' });
    await apply(api, `${path}/a`, 'one', configMap({ x: '1', y: '1' }));
    const now = await apply(api, `${path}/a`, 'one', configMap({ y: '1' }));
    expect(now.data).toEqual({ x: '1', y: '1' });
  });

  rule('a plain update that removes a field takes it from every owner', async (api) => {
    const path = `${configMaps(await api.namespace())}/a`;
    await apply(api, path, 'one', configMap({ x: '1', y: '1' }));
    const now = await api.patch(path, 'merge', { data: { x: null } }, { fieldManager: 'editor' });
    expect(now.data).toEqual({ y: '1' });
    expect(owned(now, 'one')).toEqual(['f:y']);
    expect(owners(now)).toEqual(['one Apply']);
  });

  rule('the same name owns separately by Apply and by Update', async (api) => {
    const path = `${configMaps(await api.namespace())}/a`;
    await apply(api, path, 'one', configMap({ x: '1' }));
    const now = await api.patch(path, 'merge', { data: { y: '1' } }, { fieldManager: 'one' });
    expect(owners(now)).toEqual(['one Apply', 'one Update']);
    expect([owned(now, 'one'), owned(now, 'one', 'Update')]).toEqual([['f:x'], ['f:y']]);
  });

  rule('a creation leaves an Update entry of its field manager', async (api) => {
    const path = configMaps(await api.namespace());
    const made = await api.create(path, configMap({ x: '1' }), { fieldManager: 'maker' });
    expect(owners(made)).toEqual(['maker Update']);
    expect(entry(made, 'maker', 'Update')).toMatchObject({
      apiVersion: 'v1',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': { '.': {}, 'f:x': {} } },
    });
  });

  rule('a writer without a field manager is called by the first word of its User-Agent', async (api) => {
    const path = configMaps(await api.namespace());
    const headers = { 'user-agent': 'hammer/1.2 (linux)' };
    const made = (await api.request('POST', path, { body: configMap({ x: '1' }), headers })).json;
    expect(owners(made)).toEqual(['hammer Update']);
  });

  rule('updates by one manager gather in one entry', async (api) => {
    const path = configMaps(await api.namespace());
    await api.create(path, configMap({ x: '1' }), { fieldManager: 'maker' });
    const now = await api.patch(`${path}/a`, 'merge', { data: { y: '1' } }, { fieldManager: 'maker' });
    expect(owners(now)).toEqual(['maker Update']);
    expect(owned(now, 'maker', 'Update')).toEqual(['.', 'f:x', 'f:y']);
  });

  rule('an update without managedFields keeps them, an empty list clears them', async (api) => {
    const path = configMaps(await api.namespace());
    const made = await api.create(path, configMap({ x: '1' }), { fieldManager: 'maker' });
    const { managedFields: _, ...metadata } = made.metadata;
    const kept = await api.update(`${path}/a`, { ...made, metadata }, { fieldManager: 'editor' });
    expect(owners(kept)).toEqual(['maker Update']);
    const cleared = await api.patch(`${path}/a`, 'merge', { metadata: { managedFields: [{}] } }, { fieldManager: 'e' });
    expect(owners(cleared)).toEqual([]);
  });

  rule('without a field manager an apply is Invalid', async (api) => {
    const path = `${configMaps(await api.namespace())}/a`;
    expectStatus(await api.tryPatch(path, 'apply', configMap({ x: '1' })), {
      code: 422,
      reason: 'Invalid',
      message: 'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
      details: { group: 'meta.k8s.io', kind: 'PatchOptions' },
      causes: [{ reason: 'FieldValueRequired', field: 'fieldManager' }],
    });
  });

  rule('a field manager of more than 128 bytes is Invalid', async (api) => {
    const path = `${configMaps(await api.namespace())}/a`;
    expectStatus(await tryApply(api, path, 'x'.repeat(129), configMap({ x: '1' })), {
      code: 422,
      reason: 'Invalid',
      causes: [
        { reason: 'FieldValueTooLong', field: 'fieldManager', message: 'Too long: may not be more than 128 bytes' },
      ],
    });
  });

  rule('force is for applies: on another patch it is Invalid', async (api) => {
    const path = `${configMaps(await api.namespace())}/a`;
    await apply(api, path, 'one', configMap({ x: '1' }));
    expectStatus(await api.tryPatch(path, 'merge', { data: { x: '2' } }, { query: { force: true } }), {
      code: 422,
      reason: 'Invalid',
      causes: [
        {
          reason: 'FieldValueForbidden',
          field: 'force',
          message: 'Forbidden: may not be specified for non-apply patch',
        },
      ],
    });
  });

  rule('an apply without kind and apiVersion is a BadRequest', async (api) => {
    const path = `${configMaps(await api.namespace())}/a`;
    expectStatus(await tryApply(api, path, 'one', { data: { x: '1' } }), {
      code: 400,
      reason: 'BadRequest',
      message: 'invalid object type: /, Kind=',
    });
  });

  rule('an apply may leave the name to the path', async (api) => {
    const path = `${configMaps(await api.namespace())}/a`;
    await apply(api, path, 'one', configMap({ x: '1' }));
    const now = await apply(api, path, 'one', { apiVersion: 'v1', kind: 'ConfigMap', data: { x: '2' } });
    expect(now.data).toEqual({ x: '2' });
  });

  rule('a name that differs from that of the path is a BadRequest', async (api) => {
    const path = `${configMaps(await api.namespace())}/a`;
    await apply(api, path, 'one', configMap({ x: '1' }));
    expectStatus(await tryApply(api, path, 'one', configMap({ x: '1' }, { name: 'b' })), {
      code: 400,
      reason: 'BadRequest',
      message: 'the name of the object (b) does not match the name on the URL (a)',
    });
  });

  rule('an apply must not carry managedFields', async (api) => {
    const path = `${configMaps(await api.namespace())}/a`;
    expectStatus(await tryApply(api, path, 'one', configMap({ x: '1' }, { managedFields: [{ manager: 'one' }] })), {
      code: 400,
      reason: 'BadRequest',
      message: 'metadata.managedFields must be nil',
    });
  });

  rule('an apply with a stale resourceVersion is a Conflict', async (api) => {
    const path = `${configMaps(await api.namespace())}/a`;
    const first = await apply(api, path, 'one', configMap({ x: '1' }));
    await apply(api, path, 'one', configMap({ x: '2' }));
    const { resourceVersion } = first.metadata;
    expectStatus(await tryApply(api, path, 'one', configMap({ x: '3' }, { resourceVersion })), {
      code: 409,
      reason: 'Conflict',
      message: /^Operation cannot be fulfilled on configmaps "a": the object has been modified/,
    });
  });

  rule('an apply of an object with a uid does not create it', async (api) => {
    const path = `${configMaps(await api.namespace())}/a`;
    expectStatus(await tryApply(api, path, 'one', configMap({ x: '1' }, { uid: 'abc' })), {
      code: 409,
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on configmaps "a": uid mismatch: the provided object specified uid abc, and no existing object was found',
    });
  });

  rule('an apply may be written in YAML', async (api) => {
    const path = `${configMaps(await api.namespace())}/a`;
    const answer = await api.request('PATCH', path, {
      rawBody: 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: "1"\n',
      headers: { 'content-type': PATCH.apply },
      query: { fieldManager: 'one' },
    });
    expect(answer.status).toBe(201);
    expect(answer.json.data).toEqual({ x: '1' });
  });

  rule('an apply that is not YAML is a BadRequest', async (api) => {
    const path = `${configMaps(await api.namespace())}/a`;
    const answer = await api.request('PATCH', path, {
      rawBody: 'a: [',
      headers: { 'content-type': PATCH.apply },
      query: { fieldManager: 'one' },
    });
    expectStatus(answer, { code: 400, reason: 'BadRequest', message: /^error decoding YAML: / });
  });

  rule('a field that the kind does not have is refused', async (api) => {
    const path = `${configMaps(await api.namespace())}/a`;
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, dat: { x: '1' } };
    expectStatus(await tryApply(api, path, 'one', body), {
      code: 500,
      reason: undefined,
      message:
        /^failed to create typed patch object \(.*; \/v1, Kind=ConfigMap\): \.dat: field not declared in schema$/,
    });
  });

  rule('an apply with dryRun shows the result and stores nothing', async (api) => {
    const path = `${configMaps(await api.namespace())}/a`;
    const dry = { dryRun: 'All' };
    expect((await apply(api, path, 'one', configMap({ x: '1' }), dry)).data).toEqual({ x: '1' });
    expectStatus(await api.request('GET', path), { code: 404, reason: 'NotFound' });
    const made = await apply(api, path, 'one', configMap({ x: '1' }));
    expect((await apply(api, path, 'one', configMap({ x: '2' }), dry)).data).toEqual({ x: '2' });
    expect(await api.get(path)).toEqual(made);
  });

  rule('a dryRun shows conflicts too', async (api) => {
    const path = `${configMaps(await api.namespace())}/a`;
    await apply(api, path, 'one', configMap({ x: '1' }));
    expectStatus(await tryApply(api, path, 'two', configMap({ x: '2' }), { dryRun: 'All' }), {
      code: 409,
      reason: 'Conflict',
      causes: [{ reason: 'FieldManagerConflict', field: '.data.x' }],
    });
  });

  rule('applies into a namespace that does not exist are NotFound', async (api) => {
    const namespace = api.unique('nowhere');
    expectStatus(await tryApply(api, `${configMaps(namespace)}/a`, 'one', configMap({ x: '1' })), {
      code: 404,
      reason: 'NotFound',
      message: `namespaces "${namespace}" not found`,
    });
  });

  rule('an apply to the status subresource changes the status and is marked as such', async (api) => {
    const path = `/apis/apps/v1/namespaces/${await api.namespace()}/deployments/a`;
    await apply(api, path, 'one', deployment([{ name: 'main', image: 'm:1' }]));
    const { spec: _, ...rest } = deployment([]) as Doc;
    const now = await apply(api, `${path}/status`, 'one', { ...rest, status: { replicas: 2 } });
    expect(at(now, 'status.replicas')).toBe(2);
    expect(containers(now)).toHaveLength(1);
    expect(now.metadata.managedFields?.map(({ manager, subresource }) => `${manager} ${subresource}`).sort()).toEqual([
      'one status',
      'one undefined',
    ]);
    const status = now.metadata.managedFields?.find(({ subresource }) => subresource === 'status');
    expect(status?.fieldsV1).toEqual({ 'f:status': { 'f:replicas': {} } });
  });

  rule('an apply to the status subresource does not create', async (api) => {
    const path = `/apis/apps/v1/namespaces/${await api.namespace()}/deployments/a/status`;
    const { spec: _, ...rest } = deployment([]) as Doc;
    expectStatus(await tryApply(api, path, 'one', { ...rest, status: { replicas: 2 } }), {
      code: 404,
      reason: 'NotFound',
      message: 'deployments.apps "a" not found',
    });
  });

  rule('the scale subresource takes the replicas from their owner, in an entry of its own', async (api) => {
    const path = `/apis/apps/v1/namespaces/${await api.namespace()}/deployments/a`;
    const body = deployment([{ name: 'main', image: 'm:1' }], { replicas: 2 });
    await apply(api, path, 'one', body);
    await api.patch(`${path}/scale`, 'merge', { spec: { replicas: 5 } }, { fieldManager: 'scaler' });
    const now = await api.get(path);
    expect(entry(now, 'scaler', 'Update')).toMatchObject({
      subresource: 'scale',
      fieldsV1: { 'f:spec': { 'f:replicas': {} } },
    });
    expect(at(entry(now, 'one'), 'fieldsV1.f:spec')).not.toHaveProperty('f:replicas');
    expectStatus(await tryApply(api, path, 'one', body), {
      code: 409,
      reason: 'Conflict',
      causes: [{ field: '.spec.replicas', message: /^conflict with "scaler" with subresource "scale"/ }],
    });
  });

  rule('an apply cannot make an invalid object', async (api) => {
    const path = `/apis/apps/v1/namespaces/${await api.namespace()}/deployments/a`;
    expectStatus(await tryApply(api, path, 'one', deployment([{ name: 'main' }])), {
      code: 422,
      reason: 'Invalid',
      causes: [{ reason: 'FieldValueRequired', field: 'spec.template.spec.containers[0].image' }],
    });
  });
});
