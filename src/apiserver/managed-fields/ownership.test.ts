import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StatusError } from '../../meta/errors/errors.js';
import type { JsonObject } from '../../meta/json-values.js';
import { finish } from '../../time/steps.js';
import { applyDocument } from './apply.js';
import type { Managed } from './entries.js';
import { hasPath } from './fields.js';
import type { ManagedKind } from './managed-kind.js';
import { DEDUCED } from './owned-type.js';
import { trackUpdate } from './track-update.js';

/** Objects with any fields; only `data` is written here. */
const KIND: ManagedKind = {
  kind: 'Thing',
  apiVersion: 'v1',
  subresource: '',
  type: DEDUCED,
  isCustom: false,
  *resets(set) {
    yield;
    return set;
  },
  zero: {},
  version: (apiVersion) => (apiVersion === 'v1' ? { type: DEDUCED, convert: (object) => object } : undefined),
};
const TIME = '2026-01-01T00:00:00Z';

type Data = Readonly<Record<string, string>>;

/** One write: what a manager applies or sets. */
type Write =
  | { readonly type: 'apply'; readonly manager: string; readonly data: Data; readonly force: boolean }
  | { readonly type: 'update'; readonly manager: string; readonly data: Data };

const data = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('1', '2'), {
  maxKeys: 4,
  noNullPrototype: true,
});
const manager = fc.constantFrom('one', 'two', 'three');
const write: fc.Arbitrary<Write> = fc.oneof(
  fc.record({ type: fc.constant('apply' as const), manager, data, force: fc.boolean() }),
  fc.record({ type: fc.constant('update' as const), manager, data }),
);

/** The values of an object, and who owns each: `one Apply`, `two Update`. */
class Model {
  values: Record<string, string> = {};
  readonly owners = new Map<string, Set<string>>();

  ownersOf(key: string): Set<string> {
    return this.owners.get(key) ?? new Set();
  }

  /** The keys in conflict, or none: then the document was applied. */
  apply(applier: string, document: Data, force: boolean): string[] {
    const me = `${applier} Apply`;
    const isTaken = (key: string): boolean => [...this.ownersOf(key)].some((owner) => owner !== me);
    const conflicts = Object.keys(document).filter((key) => this.values[key] !== document[key] && isTaken(key));
    if (conflicts.length > 0 && !force) return conflicts;
    for (const key of conflicts) this.owners.set(key, new Set());
    for (const [key, owners] of this.owners) {
      if (key in document || !owners.delete(me) || owners.size > 0) continue;
      delete this.values[key];
      this.owners.delete(key);
    }
    for (const [key, value] of Object.entries(document)) {
      this.values[key] = value;
      this.owners.set(key, this.ownersOf(key).add(me));
    }
    return [];
  }

  update(updater: string, next: Data): void {
    for (const key of new Set([...Object.keys(this.values), ...Object.keys(next)])) {
      if (this.values[key] === next[key]) continue;
      if (next[key] === undefined) this.owners.delete(key);
      else this.owners.set(key, new Set([`${updater} Update`]));
    }
    this.values = { ...next };
  }
}

function owners(managed: Managed): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (const key of ['a', 'b', 'c', 'd']) {
    const entries = [...managed.values()].filter(({ fields }) => hasPath(fields, ['f:data', `f:${key}`]));
    if (entries.length > 0) found[key] = entries.map((entry) => `${entry.manager} ${entry.operation}`).sort();
  }
  return found;
}

const objectOf = (values: Data): JsonObject => ({ kind: 'Thing', apiVersion: 'v1', data: { ...values, keep: '' } });

describe('ownership of fields', () => {
  it('follows a model over any sequence of applies, forced applies and updates by several managers', () => {
    fc.assert(
      fc.property(fc.array(write, { maxLength: 12 }), (writes) => {
        const model = new Model();
        let live = objectOf({});
        const creator = { manager: 'creator', time: TIME };
        let managed = finish(trackUpdate(KIND, {}, live, new Map(), creator));
        for (const step of writes) {
          const writer = { manager: step.manager, time: TIME };
          if (step.type === 'update') {
            const next = objectOf(step.data);
            managed = finish(trackUpdate(KIND, live, next, managed, writer));
            live = next;
            model.update(step.manager, step.data);
          } else {
            const document = { kind: 'Thing', apiVersion: 'v1', data: step.data };
            const conflicts = model.apply(step.manager, step.data, step.force);
            const attempt = () => finish(applyDocument(KIND, live, document, managed, writer, step.force));
            if (conflicts.length > 0) {
              expect(attempt).toThrow(StatusError);
              continue;
            }
            const applied = attempt();
            live = applied.object ?? live;
            ({ managed } = applied);
          }
          expect(live['data']).toEqual({ ...model.values, keep: '' });
          const wanted = [...model.owners]
            .filter(([, set]) => set.size > 0)
            .map(([key, set]) => [key, [...set].sort()]);
          expect(owners(managed)).toEqual(Object.fromEntries(wanted));
        }
      }),
    );
  });

  it('does not depend on how often the same document is applied', () => {
    fc.assert(
      fc.property(data, (applied) => {
        const document = { kind: 'Thing', apiVersion: 'v1', data: applied };
        const writer = { manager: 'one', time: TIME };
        const once = finish(applyDocument(KIND, {}, document, new Map(), writer, false));
        const twice = finish(applyDocument(KIND, once.object ?? {}, document, once.managed, writer, false));
        expect(twice.object).toBeUndefined();
        expect([...twice.managed]).toEqual([...once.managed]);
      }),
    );
  });

  it('holds the event loop only shortly for a hundred thousand fields: the work pauses', () => {
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`key-${(at * 7919) % 100_003}`, '']));
    const steps = trackUpdate(KIND, {}, objectOf(many), new Map(), { manager: 'one', time: TIME });
    let pauses = 0;
    for (let step = steps.next(); step.done !== true; step = steps.next()) pauses++;
    expect(pauses).toBeGreaterThan(1000);
  });
});
