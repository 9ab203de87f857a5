import { describe, expect, it } from 'vitest';
import { StatusError } from '../../../meta/errors/errors.js';
import type { JsonObject } from '../../../meta/json-values.js';
import { FakeClock } from '../../../time/fake-clock.js';
import { finish } from '../../../time/steps.js';
import { Storage } from '../../storage/storage.js';
import { builtInResources } from '../built-in-resources.js';
import { metadataOf } from '../object-meta.js';
import { Registry } from '../registry.js';
import { ObjectWriter, type Update } from './object-writer.js';

/** The writes of an ObjectWriter, each run at once. */
function writesAtOnce(writer: ObjectWriter) {
  return {
    create: (...args: Parameters<ObjectWriter['create']>) => finish(writer.create(...args)),
    update: (...args: Parameters<ObjectWriter['update']>) => finish(writer.update(...args)),
    delete: (...args: Parameters<ObjectWriter['delete']>) => finish(writer.delete(...args)),
  };
}

function setUp(group: string, resource: string) {
  const registry = new Registry();
  for (const builtIn of builtInResources(new Storage({ historyLimit: 100 }))) registry.add(builtIn);
  const writer = writesAtOnce(new ObjectWriter(new FakeClock(), registry));
  writer.create(registry.find('', 'v1', 'namespaces')!, '', { metadata: { name: 'n' } });
  const found = registry.find(group, 'v1', resource)!;
  const { revision } = writer.create(found, 'n', { metadata: { name: 'a' }, spec: {} });
  return { writer, resource: found, created: revision.decode() };
}

/** The outcome of a write: the reason or code of its error, or `stored`. */
function outcome(write: () => unknown): number | string {
  try {
    write();
    return 'stored';
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return error.document.reason ?? error.status;
  }
}

function labelled(object: JsonObject, label: string, resourceVersion?: string): JsonObject {
  const { resourceVersion: _, ...metadata } = metadataOf(structuredClone(object));
  return {
    ...object,
    metadata: { ...metadata, labels: { label }, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
  };
}

describe('an update with a resourceVersion', () => {
  const parts: [string, Partial<Update>][] = [
    ['the whole object', {}],
    ['a part of it', { merge: (_old, next) => next }],
    ['an object that a PUT may create', { create: () => ({}) }],
    ['a dry run', { dryRun: true }],
  ];

  it.each(parts)('is a Conflict once the object has another one: %s', (_title, part) => {
    const { writer, resource, created } = setUp('', 'serviceaccounts');
    const stale = metadataOf(created).resourceVersion!;
    writer.update(resource, 'n', 'a', { change: () => labelled(created, 'theirs', stale) });
    const stored = resource.collection.get('n/a')!;
    const write = (version: string | undefined) => () =>
      writer.update(resource, 'n', 'a', { change: () => labelled(created, 'ours', version), ...part });
    for (const version of [stale, String(stored.version + 1), '1']) expect(outcome(write(version))).toBe('Conflict');
    expect(resource.collection.get('n/a')).toBe(stored);
    expect(outcome(write(String(stored.version)))).toBe('stored');
    // Without a resourceVersion, or with 0, the update is unconditional.
    expect([outcome(write(undefined)), outcome(write('0'))]).toEqual(['stored', 'stored']);
  });

  it('is a Conflict if a patch of an older state sets it', () => {
    const { writer, resource, created } = setUp('', 'serviceaccounts');
    const stale = metadataOf(created).resourceVersion!;
    writer.update(resource, 'n', 'a', { change: () => labelled(created, 'theirs') });
    const patch = (resourceVersion: string) => () =>
      writer.update(resource, 'n', 'a', {
        change: (old) => {
          Object.assign(metadataOf(old), { resourceVersion });
          return old;
        },
      });
    expect(outcome(patch(stale))).toBe('Conflict');
    expect(outcome(patch(String(resource.collection.get('n/a')!.version)))).toBe('stored');
  });

  it('is required for a Lease, and checked there too', () => {
    const { writer, resource, created } = setUp('coordination.k8s.io', 'leases');
    const current = metadataOf(created).resourceVersion!;
    const write = (version: string | undefined) => () =>
      writer.update(resource, 'n', 'a', { change: () => labelled(created, 'ours', version) });
    expect(outcome(write(undefined))).toBe('Invalid');
    expect(outcome(write(current))).toBe('stored');
    expect(outcome(write(current))).toBe('Conflict');
  });
});

describe('a deletion with preconditions', () => {
  it('is a Conflict if the object has another uid or resourceVersion', () => {
    const { writer, resource, created } = setUp('', 'serviceaccounts');
    const { uid, resourceVersion } = metadataOf(created);
    writer.update(resource, 'n', 'a', { change: () => labelled(created, 'theirs') });
    const remove = (preconditions: { uid?: string; resourceVersion?: string }) => () =>
      writer.delete(resource, 'n', 'a', { preconditions, dryRun: false });
    expect(outcome(remove({ resourceVersion: resourceVersion! }))).toBe('Conflict');
    expect(outcome(remove({ uid: 'other' }))).toBe('Conflict');
    expect(outcome(remove({ uid: uid! }))).toBe('stored');
    expect(resource.collection.get('n/a')).toBeUndefined();
  });
});

describe('updates of a large object', () => {
  const text = 'x'.repeat(40_000);
  const change = (edit: (object: JsonObject & { data: JsonObject }) => void): Update => ({
    change(old) {
      edit(old as JsonObject & { data: JsonObject });
      return old;
    },
  });

  it('store what each of them changes and keep the rest, also with updates of another large object in between', () => {
    const { writer, resource } = setUp('', 'configmaps');
    const create = (name: string) => writer.create(resource, 'n', { metadata: { name }, data: { text, name } });
    create('b');
    create('c');
    for (let i = 0; i < 6; i++) {
      const name = i % 3 === 2 ? 'c' : 'b';
      const label = change((object) => Object.assign(metadataOf(object), { labels: { i: `${i}` } }));
      const { revision } = writer.update(
        resource,
        'n',
        name,
        i < 4 ? label : change(({ data }) => (data['i'] = `${i}`)),
      );
      expect(finish(revision.decodeInSteps())).toEqual(revision.decode());
      expect(revision.decode()).toMatchObject({
        metadata: {
          name,
          labels: { i: `${Math.min(i, name === 'b' ? 3 : 2)}` },
          resourceVersion: `${revision.version}`,
        },
        data: i < 4 ? { text, name } : { text, name, i: `${i}` },
      });
    }
    writer.update(
      resource,
      'n',
      'b',
      change((object) => delete (object as JsonObject)['data']),
    );
    expect(resource.collection.get('n/b')?.decode()).not.toHaveProperty('data');
  });

  it('commit nothing if nothing changed, and never change the state that the next one starts from', () => {
    const { writer, resource } = setUp('', 'configmaps');
    const { revision } = writer.create(resource, 'n', { metadata: { name: 'b' }, data: { text } });
    expect(
      writer.update(
        resource,
        'n',
        'b',
        change(() => {}),
      ).revision,
    ).toBe(revision);
    writer.update(resource, 'n', 'b', { ...change(({ data }) => (data['text'] = 'other')), dryRun: true });
    expect(finish(revision.decodeInSteps())).toEqual(revision.decode());
  });
});
