import { describe, expect, it } from 'vitest';
import { StatusError } from '../../../meta/errors/errors.js';
import type { JsonObject } from '../../../meta/json-values.js';
import { FakeClock } from '../../../time/fake-clock.js';
import { inSlices } from '../../../time/steps.js';
import { WebhookConversion } from './webhook-conversion.js';

const object = { apiVersion: 'x/v1beta1', kind: 'Widget', metadata: { name: 'a', uid: 'u' } };
const review = { kind: 'ConversionReview', apiVersion: 'apiextensions.k8s.io/v1' };
const converted = { ...object, apiVersion: 'x/v1' };

/** What a conversion makes of the answer of its webhook. */
function convert(answer: JsonObject): Promise<JsonObject[]> {
  const calls = { caller: { call: async () => answer }, newUid: () => 'u' };
  const conversion = new WebhookConversion({ clientConfig: {}, reviewVersions: ['v1'] }, 'WidgetList', calls);
  return inSlices(new FakeClock(), 'conversion', conversion.convert([object], 'x/v1'), new AbortController().signal);
}

describe('WebhookConversion', () => {
  it('takes the converted objects', async () => {
    const response = { uid: 'u', result: { status: 'Success' }, convertedObjects: [converted] };
    expect(await convert({ ...review, response })).toEqual([converted]);
  });

  // An object with such a field cannot be converted to a text.
  const odd = { toString: 1 };
  it.each([
    { ...review, response: { uid: odd, result: { status: 'Success' } } },
    { ...review, response: { uid: 'u', result: { status: odd } } },
    { ...review, response: { uid: 'u', result: { status: 'Failure', message: odd } } },
    {
      ...review,
      response: { uid: 'u', result: { status: 'Success' }, convertedObjects: [{ ...converted, kind: odd }] },
    },
  ])('refuses what has the wrong type with a Status: %j', async (answer) => {
    await expect(convert(answer)).rejects.toThrow(StatusError);
    await expect(convert(answer)).rejects.toThrow(/toString.*:1/);
  });
});
