import assert from 'node:assert/strict';
import {
  hasStatusCause,
  isExpired,
  isNotFound,
  isReason,
  isTooLargeResourceVersion,
  isTooManyRequests,
  suggestsClientDelay,
} from '../../../src/meta/errors/error-predicates.js';
import { StatusError } from '../../../src/meta/errors/errors.js';
import type { Status } from '../../../src/meta/errors/status.js';
import { retryAfterMs, retryAfterResponse } from '../../../src/rest/request/retry.js';
import { jsonText, memberText, stringText } from '../json-text.js';
import { mutateText } from '../mutate.js';
import type { Random } from '../random.js';
import { target } from '../target.js';

interface Failure {
  readonly code: number;
  readonly body: string;
}

function statusText(random: Random): string {
  const text = (good: readonly string[]): string =>
    random.oneIn(10) ? jsonText(random, 1) : stringText(random, random.pick(good));
  const causes = (): string =>
    `[${random.list(0, 2, () => (random.oneIn(10) ? jsonText(random, 1) : `{${memberText(random, random.pick(['reason', 'message', 'field']), text(['ResourceVersionTooLarge', 'Too large resource version', 'a']))}}`)).join(',')}]`;
  const details = (): string =>
    `{${random
      .list(0, 4, () => {
        const name = random.pick(['name', 'group', 'kind', 'uid', 'causes', 'retryAfterSeconds']);
        if (name === 'causes') return memberText(random, name, random.oneIn(10) ? jsonText(random, 1) : causes());
        return memberText(
          random,
          name,
          name === 'retryAfterSeconds' ? random.pick(['1', '0', '-5', '1e400', '"3"']) : text(['a', 'pods']),
        );
      })
      .join(',')}}`;
  const members = [
    '"kind":"Status"',
    `"apiVersion":${random.oneIn(10) ? text(['v2']) : '"v1"'}`,
    `"status":${random.oneIn(10) ? text(['Success']) : '"Failure"'}`,
    ...random.list(0, 4, () => {
      const name = random.pick(['message', 'reason', 'details', 'code', 'metadata']);
      if (name === 'details') return memberText(random, name, random.oneIn(10) ? jsonText(random, 1) : details());
      if (name === 'code')
        return memberText(random, name, random.pick(['404', '410', '429', '500', '0', '-1', '"404"', '1e9', 'null']));
      return memberText(
        random,
        name,
        name === 'metadata'
          ? '{}'
          : text(['NotFound', 'Expired', 'Timeout', 'Too large resource version', 'x', '\\u001b[2J']),
      );
    }),
  ];
  return `{${members.join(',')}}`;
}

/** Whatever a program may ask of the error of a server. */
function checkError(error: StatusError): void {
  assert.equal(typeof error.status, 'number');
  assert.equal(typeof error.reason, 'string');
  assert.equal(typeof error.message, 'string');
  assert.equal(typeof error.resource, 'string');
  assert.ok(error.objectName === undefined || typeof error.objectName === 'string');
  assert.ok(
    error.retryAfterMs === undefined || Number.isFinite(error.retryAfterMs),
    `retryAfterMs ${error.retryAfterMs}`,
  );
  assert.doesNotMatch(error.message, /(?![\t\n\r])\p{Cc}/u, 'control characters in the message');
  for (const { reason = '', message = '', field = '' } of error.causes) {
    for (const text of [reason, message, field]) assert.equal(typeof text, 'string');
  }
  const delay = suggestsClientDelay(error);
  assert.ok(delay === undefined || delay >= 0);
  for (const ask of [isNotFound, isExpired, isTooManyRequests, isTooLargeResourceVersion])
    assert.equal(typeof ask(error), 'boolean');
  assert.equal(typeof isReason(error, 'Invalid'), 'boolean');
  assert.equal(typeof hasStatusCause(error, 'a'), 'boolean');
}

export const statusTargets = [
  target(
    'status',
    'any body of a failed response and any ERROR event is an error whose fields have their types',
    (random) => {
      const text = random.oneIn(8) ? jsonText(random) : statusText(random);
      return {
        code: random.pick([400, 404, 409, 410, 429, 500, 503, 504]),
        body: random.oneIn(5) ? mutateText(random, text, ['{', '}', '"', ':', 'null', ',', '[]']) : text,
      };
    },
    ({ code, body }: Failure) => {
      const error = StatusError.fromResponse(code, body, { verb: 'get', resource: 'pods', objectName: 'a' });
      checkError(error);
      let event: unknown;
      try {
        event = JSON.parse(body);
      } catch {
        return false;
      }
      if (typeof event !== 'object' || event === null) return false;
      checkError(new StatusError(event as Status));
      return true;
    },
  ),

  target(
    'retry-after',
    'a delay is finite, not negative, and bounded where the client waits',
    (random) => ({
      status: random.pick([200, 429, 500, 503]),
      value: random.text(0, 4, ['0', '1', '9', '99999999', '-', '.', 'e', ' ', 'Wed, 21 Oct']),
    }),
    ({ status, value }: { status: number; value: string }) => {
      const asked = retryAfterMs({ 'retry-after': value });
      const waits = retryAfterResponse(status, { 'retry-after': value });
      assert.equal(asked !== undefined, /^[0-9]+$/.test(value));
      if (waits !== undefined) assert.ok(waits >= 0 && waits <= 60_000);
      return asked !== undefined;
    },
  ),
];
