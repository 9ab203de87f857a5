import { describe, expect, it } from 'vitest';
import { resources } from '../../index.js';
import { defineResource } from '../../kinds/define-resource.js';
import { field } from '../../kinds/field.js';
import { answerAdmission } from './admission-review.js';
import type { AdmissionRequest, Verdict } from './types.js';
import { type AdmissionDefinition, mutate, validate, webhookDefinition } from './webhook.js';

const widgets = defineResource({
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  spec: { size: field.integer({ default: 1 }), note: field.optional(field.string()) },
});
const { signal } = new AbortController();
const noCaches = (): never => {
  throw new TypeError('no caches');
};

function checking(check: (object: never, request: AdmissionRequest<never>) => unknown): AdmissionDefinition {
  return webhookDefinition(validate(widgets, { check: check as () => Verdict })) as AdmissionDefinition;
}

function review(request: object = {}): object {
  const object = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a' }, spec: { size: 1 } };
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: { uid: 'u', operation: 'CREATE', name: 'a', namespace: 'n', object, oldObject: null, ...request },
  };
}

async function responseOf(definition: AdmissionDefinition, request: object = {}, more: object = {}) {
  const answer = await answerAdmission(definition, review(request), { signal, lister: noCaches, ...more });
  expect(answer).toMatchObject({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid: 'u' } });
  return answer['response'] as Record<string, unknown>;
}

const patchOf = ({ patch }: Record<string, unknown>): unknown =>
  JSON.parse(Buffer.from(String(patch), 'base64').toString());

describe('validate', () => {
  it('[C73] tells all problems in one answer: with fields as 422, without as 403', async () => {
    const problems = [{ field: 'spec.size', message: 'is odd' }, 'and it is ugly'];
    expect(await responseOf(checking(() => problems))).toEqual({
      uid: 'u',
      allowed: false,
      status: {
        status: 'Failure',
        code: 422,
        reason: 'Invalid',
        message: 'spec.size: is odd; and it is ugly',
        details: {
          name: 'a',
          group: 'example.com',
          kind: 'Widget',
          causes: [
            { reason: 'FieldValueInvalid', field: 'spec.size', message: 'is odd' },
            { message: 'and it is ugly' },
          ],
        },
      },
    });
    expect(await responseOf(checking(async () => 'no'))).toMatchObject({
      allowed: false,
      status: { code: 403, reason: 'Forbidden', message: 'no' },
    });
    for (const nothing of [undefined, null, []])
      expect(await responseOf(checking(() => nothing))).toEqual({ uid: 'u', allowed: true });
  });

  it('rejects for a verdict of another shape', async () => {
    for (const wrong of [true, 1, { field: 'a', message: 'b' }, [1], [{ field: 'a' }]])
      await expect(responseOf(checking(() => wrong))).rejects.toThrow(/must return nothing, a text, or a list/);
  });

  it('shows the object that goes, for DELETE', async () => {
    const object = { metadata: { name: 'gone' } };
    let seen: unknown;
    const definition = checking((given, { old, operation }) => void (seen = [given, old, operation]));
    await responseOf(definition, { operation: 'DELETE', object: null, oldObject: object });
    expect(seen).toEqual([object, object, 'DELETE']);
  });

  it('tells who asks, and whether it is a dry run', async () => {
    let seen: unknown;
    const definition = checking((_object, { user, dryRun, name, namespace, old }) => {
      seen = { user, dryRun, name, namespace, old };
    });
    await responseOf(definition, { userInfo: { username: 'ada', groups: ['dev', 7] }, dryRun: true });
    expect(seen).toEqual({
      user: { name: 'ada', groups: ['dev'] },
      dryRun: true,
      name: 'a',
      namespace: 'n',
      old: undefined,
    });
  });

  it('[C73] answers with warnings, without control characters, as many as the server takes', async () => {
    const definition = checking((_object, { warn }) => {
      warn('one\ntwo');
      for (let i = 0; i < 100; i++) warn('x'.repeat(100));
    });
    const { warnings } = (await responseOf(definition)) as { warnings: string[] };
    expect(warnings[0]).toBe('one\\ntwo');
    expect(warnings.join('')).toHaveLength(4096);
  });

  it('[C73] rejects with what the function throws, and when the time is over', async () => {
    await expect(responseOf(checking(() => Promise.reject(new Error('broken'))))).rejects.toThrow('broken');
    const limit = new AbortController();
    const waiting = responseOf(
      checking(() => new Promise(() => {})),
      {},
      { signal: limit.signal },
    );
    limit.abort(new Error('too late'));
    await expect(waiting).rejects.toThrow('too late');
  });

  it('refuses what is no review', async () => {
    const definition = checking(() => {});
    const bad: unknown[] = [
      null,
      [],
      'text',
      {},
      { ...review(), kind: 'Pod' },
      { ...review(), apiVersion: 'admission.k8s.io/v1beta1' },
      { ...review(), request: [] },
      review({ uid: '' }),
      review({ uid: 7 }),
      review({ operation: 'EAT' }),
      review({ object: [] }),
      review({ object: null }),
      review({ name: {} }),
    ];
    for (const one of bad)
      await expect(answerAdmission(definition, one, { signal, lister: noCaches })).rejects.toMatchObject({
        name: 'BadReviewError',
      });
  });
});

describe('mutate', () => {
  const changing = (change: (object: never) => unknown): AdmissionDefinition =>
    webhookDefinition(mutate(widgets, { change: change as () => Verdict })) as AdmissionDefinition;

  it('[C75] answers with a patch of what was changed, and with none if nothing was', async () => {
    const larger = changing((object: { spec: { size: number; note?: string | undefined } }) => {
      object.spec.size = 2;
      object.spec.note = undefined;
    });
    const response = await responseOf(larger);
    expect(response['patchType']).toBe('JSONPatch');
    expect(patchOf(response)).toEqual([{ op: 'replace', path: '/spec/size', value: 2 }]);
    expect(await responseOf(changing(() => {}))).toEqual({ uid: 'u', allowed: true });
  });

  it('refuses without a patch', async () => {
    const refusing = changing((object: { spec: { size: number } }) => {
      object.spec.size = 2;
      return 'no';
    });
    expect(await responseOf(refusing)).toMatchObject({ allowed: false, status: { code: 403 } });
    expect(await responseOf(refusing)).not.toHaveProperty('patch');
  });

  it('[C74] is asked twice in worlds, and must change nothing the second time', async () => {
    const growing = changing((object: { spec: { size: number } }) => void object.spec.size++);
    await expect(responseOf(growing, {}, { asksTwice: true })).rejects.toThrow(
      /changes an object that it has changed before: \[\{"op":"replace","path":"\/spec\/size","value":3}]/,
    );
    const setting = changing((object: { spec: { size: number } }) => void (object.spec.size = 5));
    expect(await responseOf(setting, {}, { asksTwice: true })).toMatchObject({ allowed: true });
  });
});

describe('options of webhooks', () => {
  const { pods } = resources.core.v1;
  const check = (): void => {};

  it('[C72] need failurePolicy for kinds that are not your own', () => {
    expect(() => validate(pods, { check })).toThrow(/validate of pods, .* needs failurePolicy/);
    expect(validate(pods, { check, failurePolicy: 'Ignore' }).name).toBe('validate.v1.pods');
    expect(validate(widgets, { check, subresource: 'status' }).name).toBe('validate.v1.widgets-status.example.com');
  });

  it('are checked', () => {
    const wrong: readonly [object, RegExp][] = [
      [{ name: 'short' }, /at least two dots/],
      [{ operations: [] }, /operations/],
      [{ operations: ['EAT'] }, /operations/],
      [{ timeoutMs: 30_001 }, /timeoutMs/],
      [{ failurePolicy: 'Maybe' }, /failurePolicy/],
      [{ conditions: { '': 'true' } }, /conditions/],
      [{ conditions: { a: 1 } }, /conditions/],
      [{ reads: [{}] }, /reads\[0]/],
      [{ bogus: 1 }, /bogus/],
    ];
    for (const [options, message] of wrong) expect(() => validate(widgets, { check, ...options })).toThrow(message);
    expect(() => mutate(widgets, { change: check, operations: ['DELETE'] })).toThrow(/use validate/);
  });
});
