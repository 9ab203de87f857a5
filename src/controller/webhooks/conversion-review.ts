import type { Clock } from '../../index.js';
import { asError } from '../../meta/errors/errors.js';
import type { JsonObject } from '../../meta/json-values.js';
import { inSlices, type Steps } from '../../time/steps.js';
import type { Conversions } from './conversion.js';
import { BadReviewError, readReview, textField } from './review.js';

const CONVERSION_REVIEW = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview' } as const;

/** What a conversion is called with, besides the review. */
export interface ConversionContext {
  readonly clock: Clock;
  /** Aborts when the answer would be too late. */
  readonly signal: AbortSignal;
  /** Called with what a function of the program has thrown: the answer tells it too. */
  readonly onError: (error: Error) => void;
}

/** Answers a ConversionReview. Rejects with a {@link BadReviewError} for what is no such review. */
export async function answerConversion(
  conversions: Conversions,
  review: unknown,
  { clock, signal, onError }: ConversionContext,
): Promise<JsonObject> {
  const { uid, request } = readReview(review, CONVERSION_REVIEW);
  const apiVersion = textField(request, 'desiredAPIVersion');
  const { objects } = request;
  if (!Array.isArray(objects)) throw new BadReviewError('the request has no objects');
  let response: JsonObject;
  try {
    const steps = convertAll(conversions, objects, apiVersion);
    const convertedObjects = await inSlices(clock, `conversion of ${conversions.name}`, steps, signal);
    response = { result: { status: 'Success' }, convertedObjects };
  } catch (error) {
    if (signal.aborted) throw error;
    onError(asError(error));
    response = { result: { status: 'Failure', message: asError(error).message } };
  }
  return { ...CONVERSION_REVIEW, response: { uid, ...response } };
}

/** A list of many objects does not hold up the process. */
function* convertAll(conversions: Conversions, objects: readonly unknown[], apiVersion: string): Steps<JsonObject[]> {
  const converted: JsonObject[] = [];
  for (const object of objects) {
    converted.push(conversions.convert(object, apiVersion));
    yield;
  }
  return converted;
}
