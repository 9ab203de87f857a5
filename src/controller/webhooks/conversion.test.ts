import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomKind } from '../../../test/support/random-kinds.js';
import { runs } from '../../../test/support/runs.js';
import { type CustomResource, defineResource } from '../../kinds/define-resource.js';
import { field } from '../../kinds/field.js';
import type { KubernetesObject } from '../../meta/objects.js';
import { FakeClock } from '../../time/fake-clock.js';
import { Conversions } from './conversion.js';
import { answerConversion } from './conversion-review.js';
import { type ConversionDefinition, convert, webhookDefinition } from './webhook.js';

const spec = { anything: field.any() };
const version = (name: string): CustomResource<KubernetesObject> =>
  defineResource({ group: 'example.com', version: name, kind: 'Widget', spec });
const [alpha, beta, v1] = [version('v1alpha1'), version('v1beta1'), version('v1')];

type Loose = { readonly spec?: Record<string, unknown>; readonly status?: unknown };
type Content = (object: Loose) => object;

function conversions(...pairs: readonly [typeof alpha, typeof alpha, Content, Content][]): Conversions {
  const webhooks = pairs.map(([from, to, up, down]) => convert(from, to, { up, down } as never));
  return new Conversions(webhooks.map((webhook) => webhookDefinition(webhook) as ConversionDefinition));
}

/** Renames `size`, and knows nothing else. */
const chain = conversions(
  [
    alpha,
    beta,
    ({ spec: s = {} }) => ({ spec: { count: s['size'] } }),
    ({ spec: s = {} }) => ({ spec: { size: s['count'] } }),
  ],
  [
    beta,
    v1,
    ({ spec: s = {} }) => ({ spec: { number: s['count'] } }),
    ({ spec: s = {} }) => ({ spec: { count: s['number'] } }),
  ],
);

function widget(apiVersion: string, fields: object, metadata: object = {}): Record<string, unknown> {
  return {
    apiVersion: `example.com/${apiVersion}`,
    kind: 'Widget',
    metadata: { name: 'a', uid: 'u', ...metadata },
    ...fields,
  };
}

describe('conversions', () => {
  it('[C69] walk chains, and keep metadata', () => {
    const metadata = { labels: { a: 'b' }, annotations: { c: 'd' }, finalizers: ['x/y'] };
    const newest = chain.convert(widget('v1alpha1', { spec: { size: 3 } }, metadata), 'example.com/v1');
    expect(newest).toEqual(widget('v1', { spec: { number: 3 } }, metadata));
    expect(chain.convert(newest, 'example.com/v1alpha1')).toEqual(widget('v1alpha1', { spec: { size: 3 } }, metadata));
  });

  it('[C69] keep what the other version cannot express in an annotation, and put it back', () => {
    const original = widget('v1', { spec: { number: 3, color: 'red', parts: [1, 2] }, status: { ready: true } });
    const older = chain.convert(original, 'example.com/v1beta1');
    expect(older['spec']).toEqual({ count: 3 });
    expect(older['metadata']).toMatchObject({ annotations: { 'kubeflect.dev/converted-from-v1': expect.any(String) } });
    expect(chain.convert(older, 'example.com/v1')).toEqual(original);
  });

  it('[C69] a change in the older version counts, and loses nothing else', () => {
    const original = widget('v1', { spec: { number: 3, color: 'red' } });
    const older = chain.convert(original, 'example.com/v1beta1');
    const changed = { ...older, spec: { count: 4 } };
    expect(chain.convert(changed, 'example.com/v1')).toEqual(widget('v1', { spec: { number: 4, color: 'red' } }));
  });

  it('[C69] do not put back what was changed since', () => {
    // The older version has one host, the newer one a list of them.
    const hosts = conversions([
      beta,
      v1,
      ({ spec: s = {} }) => ({ spec: { hosts: [s['host']] } }),
      ({ spec: s = {} }) => ({ spec: { host: (s['hosts'] as string[])[0] } }),
    ]);
    const original = widget('v1', { spec: { hosts: ['a', 'b'] } });
    const older = hosts.convert(original, 'example.com/v1beta1');
    expect(hosts.convert(older, 'example.com/v1')).toEqual(original);
    const moved = { ...older, spec: { host: 'c' } };
    expect(hosts.convert(moved, 'example.com/v1')['spec']).toEqual({ hosts: ['c'] });
  });

  it('[C69] keep every object of random kinds in both directions', () => {
    const json = fc.jsonValue({ maxDepth: 3 });
    fc.assert(
      fc.property(randomKind('example.com'), fc.array(json, { maxLength: 4 }), fc.nat(), ({ specs }, others, mask) => {
        // Each version knows some of the fields: by a hash of their names.
        const known = (bit: number) => (object: Loose) => ({
          spec: Object.fromEntries(
            Object.entries(object.spec ?? {}).filter(([name]) => ((mask + name.length) >> bit) % 2 === 0),
          ),
        });
        const lossy = conversions([alpha, beta, known(0), known(1)], [beta, v1, known(2), known(3)]);
        const versions = ['v1alpha1', 'v1beta1', 'v1'];
        for (const stored of [...specs.map((one) => one.stored), ...others]) {
          for (const from of versions) {
            for (const to of versions) {
              const original = JSON.parse(JSON.stringify(widget(from, { spec: { stored, ...(stored as object) } })));
              const there = JSON.parse(JSON.stringify(lossy.convert(original, `example.com/${to}`)));
              expect(lossy.convert(there, `example.com/${from}`)).toEqual(original);
            }
          }
        }
      }),
      { numRuns: runs(40) },
    );
  });

  it('restore nothing from an annotation that was damaged', () => {
    for (const text of ['', '{', '[]', '[1]', '[{"path":7,"instead":""}]', '[{"path":[],"instead":""}]']) {
      const metadata = { annotations: { 'kubeflect.dev/converted-from-v1': text } };
      const converted = chain.convert(widget('v1beta1', { spec: { count: 1 } }, metadata), 'example.com/v1');
      expect(converted).toEqual(widget('v1', { spec: { number: 1 } }));
    }
  });
});

describe('a ConversionReview', () => {
  const clock = new FakeClock();
  const { signal } = new AbortController();
  async function answer(request: unknown, errors: Error[] = []) {
    const review = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview', request };
    const answered = answerConversion(chain, review, { clock, signal, onError: (error) => errors.push(error) });
    answered.catch(() => {});
    await clock.runUntilIdle();
    return (await answered)['response'];
  }

  it('is answered with all objects, in order', async () => {
    const objects = Array.from({ length: 500 }, (_, size) => widget('v1alpha1', { spec: { size } }));
    expect(await answer({ uid: 'u', desiredAPIVersion: 'example.com/v1', objects })).toEqual({
      uid: 'u',
      result: { status: 'Success' },
      convertedObjects: objects.map((_, number) => widget('v1', { spec: { number } })),
    });
  });

  it('is answered with a failure for what cannot be converted', async () => {
    const errors: Error[] = [];
    const failing: readonly [object, string][] = [
      [{ desiredAPIVersion: 'example.com/v2', objects: [widget('v1', {})] }, 'no conversion leads from v1 to v2'],
      [{ desiredAPIVersion: 'other.com/v1', objects: [widget('v1', {})] }, 'other.com/v1 is no version of'],
      [{ desiredAPIVersion: 'example.com/v1', objects: [{ ...widget('v1beta1', {}), kind: 'X' }] }, 'the kind must be'],
      [{ desiredAPIVersion: 'example.com/v1', objects: [7] }, 'an object has no apiVersion'],
    ];
    for (const [request, message] of failing) {
      expect(await answer({ uid: 'u', ...request }, errors)).toMatchObject({
        uid: 'u',
        result: { status: 'Failure', message: expect.stringContaining(message) },
      });
    }
    expect(errors).toHaveLength(failing.length);
    await expect(answer({ uid: 'u', desiredAPIVersion: 'example.com/v1' })).rejects.toThrow('has no objects');
  });
});
