import { expect } from 'vitest';
import type { Api } from '../api.js';
import { type Area, defineArea } from '../area.js';
import { configMaps } from '../objects.js';
import { expectStatus } from '../status.js';

async function existing(api: Api): Promise<string> {
  const collection = configMaps(await api.namespace());
  await api.create(collection, { metadata: { name: 'one', labels: { x: 'y' } }, data: { a: '1', b: '2' } });
  return `${collection}/one`;
}

/** The answer to a patch that cannot be applied does not name the failing operation. */
const REJECTED = {
  code: 422,
  reason: 'Invalid',
  message: 'the server rejected our request due to an error in our request',
} as const;

export const area: Area = defineArea('json patch', (rule) => {
  rule('add, replace and remove change the object in their order', async (api) => {
    const path = await existing(api);
    const patched = await api.patch(path, 'json', [
      { op: 'add', path: '/data/c', value: '3' },
      { op: 'replace', path: '/data/a', value: 'new' },
      { op: 'remove', path: '/data/b' },
    ]);
    expect(patched.data).toEqual({ a: 'new', c: '3' });
    expect(await api.get(path)).toEqual(patched);
  });

  rule('copy and move read what earlier operations wrote', async (api) => {
    const patched = await api.patch(await existing(api), 'json', [
      { op: 'replace', path: '/data/a', value: 'new' },
      { op: 'copy', from: '/data/a', path: '/data/copied' },
      { op: 'move', from: '/data/b', path: '/data/moved' },
    ]);
    expect(patched.data).toEqual({ a: 'new', copied: 'new', moved: '2' });
  });

  rule('a test that holds lets the rest happen', async (api) => {
    const patched = await api.patch(await existing(api), 'json', [
      { op: 'test', path: '/data/a', value: '1' },
      { op: 'replace', path: '/data/a', value: '2' },
    ]);
    expect(patched.data).toEqual({ a: '2', b: '2' });
  });

  rule('a test that fails rejects the whole patch', async (api) => {
    const path = await existing(api);
    const patch = [
      { op: 'replace', path: '/data/b', value: 'changed' },
      { op: 'test', path: '/data/a', value: 'other' },
    ];
    expectStatus(await api.tryPatch(path, 'json', patch), REJECTED);
    expect((await api.get(path)).data).toEqual({ a: '1', b: '2' });
  });

  rule('removing what is not there is rejected', async (api) => {
    expectStatus(await api.tryPatch(await existing(api), 'json', [{ op: 'remove', path: '/data/absent' }]), REJECTED);
  });

  rule('adding below something that is not there is rejected', async (api) => {
    const patch = [{ op: 'add', path: '/binaryData/deep', value: 'eA==' }];
    expectStatus(await api.tryPatch(await existing(api), 'json', patch), REJECTED);
  });

  rule('replacing a member that is not there adds it', async (api) => {
    const patched = await api.patch(await existing(api), 'json', [{ op: 'replace', path: '/data/new', value: '1' }]);
    expect(patched.data).toEqual({ a: '1', b: '2', new: '1' });
  });

  rule('an unknown operation is rejected', async (api) => {
    expectStatus(
      await api.tryPatch(await existing(api), 'json', [{ op: 'frob', path: '/data/a', value: '1' }]),
      REJECTED,
    );
  });

  rule('an operation without op is rejected', async (api) => {
    expectStatus(await api.tryPatch(await existing(api), 'json', [{ path: '/data/a', value: '1' }]), REJECTED);
  });

  rule('~1 in a path stands for a slash', async (api) => {
    const patched = await api.patch(await existing(api), 'json', [
      { op: 'add', path: '/metadata/labels/example.com~1app', value: 'web' },
    ]);
    expect(patched.metadata.labels).toEqual({ x: 'y', 'example.com/app': 'web' });
  });

  rule('a list takes insertions by index and at its end', async (api) => {
    const path = await existing(api);
    await api.patch(path, 'json', [{ op: 'add', path: '/metadata/finalizers', value: ['example.com/b'] }]);
    const patched = await api.patch(path, 'json', [
      { op: 'add', path: '/metadata/finalizers/0', value: 'example.com/a' },
      { op: 'add', path: '/metadata/finalizers/-', value: 'example.com/c' },
    ]);
    expect(patched.metadata.finalizers).toEqual(['example.com/a', 'example.com/b', 'example.com/c']);
    const emptied = await api.patch(path, 'json', [{ op: 'remove', path: '/metadata/finalizers' }]);
    expect(emptied.metadata.finalizers).toBeUndefined();
  });

  rule('an empty patch changes nothing', async (api) => {
    const path = await existing(api);
    expect(await api.patch(path, 'json', [])).toEqual(await api.get(path));
  });

  rule('a patch that is no list is a BadRequest', async (api) => {
    expectStatus(await api.tryPatch(await existing(api), 'json', { data: {} }), {
      code: 400,
      reason: 'BadRequest',
      message: /^error decoding patch: /,
    });
  });

  rule('a resourceVersion written by the patch is a precondition', async (api) => {
    const patch = [
      { op: 'replace', path: '/metadata/resourceVersion', value: '1' },
      { op: 'add', path: '/data/c', value: '3' },
    ];
    expectStatus(await api.tryPatch(await existing(api), 'json', patch), {
      code: 409,
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on configmaps "one": the object has been modified; please apply your changes to the latest version and try again',
      details: { name: 'one', kind: 'configmaps' },
    });
  });

  rule('a patch of more than 10000 operations is a RequestEntityTooLarge', async (api) => {
    const patch = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/data/a', value: '1' }));
    expectStatus(await api.tryPatch(await existing(api), 'json', patch), {
      code: 413,
      reason: 'RequestEntityTooLarge',
      message: /The allowed maximum operations in a JSON patch is 10000, got 10001$/,
    });
  });

  rule('the result must still be of the type', async (api) => {
    expectStatus(await api.tryPatch(await existing(api), 'json', [{ op: 'replace', path: '/data', value: 5 }]), {
      code: 422,
      reason: 'Invalid',
      causes: [{ reason: 'FieldValueInvalid', field: 'patch' }],
    });
  });
});
