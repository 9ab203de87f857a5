import { describe, expect, it } from 'vitest';
import { WebhookCallError } from '../../resources/webhook-caller.js';
import { denial, readVerdict } from './review.js';

const type = { group: 'admission.k8s.io', version: 'v1', kind: 'AdmissionReview' };
const verdictOf = (response: object): unknown =>
  readVerdict(
    { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', response: { uid: 'u', ...response } },
    type,
    'u',
    false,
    () => {},
  );

describe('readVerdict', () => {
  it('refuses warnings that are no texts, also objects with a field toString', () => {
    expect(() => verdictOf({ allowed: true, warnings: ['a', { toString: 1 }] })).toThrow(WebhookCallError);
    expect(() => verdictOf({ allowed: true, warnings: [5] })).toThrow(
      'AdmissionResponse.response.warnings of type string',
    );
    expect(verdictOf({ allowed: true, warnings: ['a'] })).toMatchObject({ allowed: true });
  });
});

describe('denial', () => {
  it('leaves out fields of the status that have the wrong type', () => {
    const error = denial('w', { message: { toString: 1 }, reason: 5, code: '403', details: 'none' });
    expect(error).toMatchObject({ status: 400, reason: '', details: undefined });
    expect(error.message).toContain('without explanation');
  });
});
