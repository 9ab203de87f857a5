import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer } from '../apiserver/index.js';
import { type Client, isInvalid, isNotFound } from '../index.js';
import { addFinalizer, finalizersAfter, hasFinalizer, removeFinalizer } from './finalizers.js';

const own = 'example.com/own';
const other = 'example.com/other';

let api: ApiServer;
let client: Client;
beforeEach(async () => {
  api = await startApiServer({ listen: false, controllers: ['system-namespaces'] });
  client = api.client();
});
afterEach(async () => {
  await client.close();
  await api.stop();
});

const maps = () => client.core.v1.configMaps('default');

describe('hasFinalizer and finalizersAfter', () => {
  const object = (finalizers?: string[]) => ({ metadata: { name: 'a', uid: 'u', finalizers } }) as never;

  it('knows the finalizers of an object, now and after a change', () => {
    expect(hasFinalizer(object([other, own]), own)).toBe(true);
    expect(hasFinalizer(object([other]), own)).toBe(false);
    expect(hasFinalizer(object(), own)).toBe(false);
    expect(finalizersAfter('add', object(), own)).toEqual([own]);
    expect(finalizersAfter('add', object([other]), own)).toEqual([other, own]);
    expect(finalizersAfter('remove', object([other, own]), own)).toEqual([other]);
    expect(finalizersAfter('remove', object(), own)).toEqual([]);
  });
});

describe('addFinalizer and removeFinalizer', () => {
  it('change one finalizer and nothing else', async () => {
    const created = await maps().create({ metadata: { name: 'a' }, data: { n: '1' } });
    const held = await addFinalizer(maps(), created, own);
    expect(held.metadata.finalizers).toEqual([own]);
    const both = await addFinalizer(maps(), held, other);
    expect(both.metadata.finalizers).toEqual([own, other]);
    const one = await removeFinalizer(maps(), both, own);
    expect(one.metadata.finalizers).toEqual([other]);
    const none = await removeFinalizer(maps(), one, other);
    expect(none.metadata.finalizers).toBeUndefined();
    expect(none.data).toEqual({ n: '1' });
  });

  it('write as the field manager that is given', async () => {
    const created = await maps().create({ metadata: { name: 'a' }, data: { n: '1' } });
    const held = await addFinalizer(maps(), created, own, { fieldManager: 'operator' });
    expect(held.metadata.managedFields?.map(({ manager }) => manager)).toContain('operator');
  });

  it('refuse an object whose finalizers have changed since it was read', async () => {
    const created = await maps().create({ metadata: { name: 'a' } });
    const held = await addFinalizer(maps(), created, other);
    const stale = (error: unknown) => isInvalid(error);
    await expect(addFinalizer(maps(), created, own)).rejects.toSatisfy(stale);
    const both = await addFinalizer(maps(), held, own);
    await expect(removeFinalizer(maps(), held, other)).rejects.toSatisfy(stale);
    expect((await maps().get('a')).metadata.finalizers).toEqual(both.metadata.finalizers);
  });

  it('refuse an object that was deleted, and the one that has its name now', async () => {
    const created = await maps().create({ metadata: { name: 'a' } });
    await maps().delete('a');
    await expect(addFinalizer(maps(), created, own)).rejects.toSatisfy(isNotFound);
    await maps().create({ metadata: { name: 'a' } });
    await expect(addFinalizer(maps(), created, own)).rejects.toSatisfy(isInvalid);
    expect((await maps().get('a')).metadata.finalizers).toBeUndefined();
  });

  it('send nothing with a signal that has aborted', async () => {
    const created = await maps().create({ metadata: { name: 'a' } });
    const reason = new Error('enough');
    await expect(addFinalizer(maps(), created, own, { signal: AbortSignal.abort(reason) })).rejects.toThrow();
    expect((await maps().get('a')).metadata.finalizers).toBeUndefined();
  });
});
