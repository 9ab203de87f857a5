import { isJsonObject, type JsonObject } from '../../meta/json-values.js';

/** What was sent is no review that this server answers: 400. */
export class BadReviewError extends Error {
  override readonly name = 'BadReviewError';
}

/** The uid and the request of a review. @throws BadReviewError */
export function readReview(
  review: unknown,
  expected: { readonly apiVersion: string; readonly kind: string },
): { readonly uid: string; readonly request: JsonObject } {
  if (!isJsonObject(review)) throw new BadReviewError('the body is no JSON object');
  for (const field of ['kind', 'apiVersion'] as const) {
    if (review[field] === expected[field]) continue;
    const given = JSON.stringify(review[field]) ?? 'missing';
    throw new BadReviewError(`${field} must be ${expected[field]}, it is ${given.slice(0, 100)}`);
  }
  const { request } = review;
  if (!isJsonObject(request)) throw new BadReviewError('the review has no request');
  const uid = textField(request, 'uid');
  if (uid === '') throw new BadReviewError('the request has no uid');
  return { uid, request };
}

/** A field that is a text or missing. @throws BadReviewError */
export function textField(object: JsonObject, field: string): string {
  const value = object[field] ?? '';
  if (typeof value !== 'string') throw new BadReviewError(`${field} is no text`);
  return value;
}
