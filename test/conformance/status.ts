import { expect } from 'vitest';
import type { Cause, Doc } from './doc.js';
import type { Answer } from './http.js';

/** The expected Status of a failure. Only given fields are compared. */
export interface ExpectedStatus {
  readonly code: number;
  /** Undefined: the Status must have no reason. */
  readonly reason: string | undefined;
  readonly message?: string | RegExp | undefined;
  readonly details?: Partial<Doc['details']> | undefined;
  /** Each of these must be among the causes; there may be more. */
  readonly causes?: readonly { [K in keyof Cause]?: Cause[K] | RegExp | undefined }[] | undefined;
}

/** Checks that an answer is a well-formed failure Status with this content, and returns it. */
export function expectStatus(answer: Answer, expected: ExpectedStatus): Doc {
  const label = `${answer.asked} → ${answer.status} ${answer.text.slice(0, 1000)}`;
  expect(answer.status, label).toBe(expected.code);
  expect(answer.headers['content-type'], label).toBe('application/json');
  expectStatusDoc(answer.json, expected, label);
  return answer.json;
}

/** The same for a Status from elsewhere, such as the ERROR event of a watch. */
export function expectStatusDoc(status: Doc, expected: ExpectedStatus, label: string = JSON.stringify(status)): void {
  expect(status, label).toMatchObject({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    code: expected.code,
  });
  expect(status.reason, label).toBe(expected.reason);
  if (typeof expected.message === 'string') expect(status.message, label).toBe(expected.message);
  else if (expected.message !== undefined) expect(status.message, label).toMatch(expected.message);
  if (expected.details !== undefined) expect(status.details, label).toMatchObject(expected.details);
  for (const cause of expected.causes ?? []) {
    const pattern = Object.fromEntries(
      Object.entries(cause).map(([field, value]) => [
        field,
        value instanceof RegExp ? expect.stringMatching(value) : value,
      ]),
    );
    expect(status.details?.causes, label).toEqual(expect.arrayContaining([expect.objectContaining(pattern)]));
  }
}
